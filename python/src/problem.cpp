// From Python values to a Problem, by the reader of model files: the values become the document that it reads. And back,
// by the writer.
#include "problem.h"

#include "hooke/base/text.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::python {
namespace {

using Places = std::map<std::string, Location>;  ///< of keys in the file that a model was loaded from

class DocumentMaker {
 public:
  DocumentMaker(std::shared_ptr<Fault> fault, const Places& places)
      : fault_(std::move(fault)), places_(places) {}

  Value value(const py::handle& from, const std::string& path) const {
    Value made;
    if (const auto found = places_.find(path); found != places_.end()) {
      made.file = std::make_shared<const std::string>(found->second.file);
      made.line = found->second.line, made.column = found->second.column;
    }
    if (from.is_none()) return made;
    if (py::isinstance<py::dict>(from)) {
      made.kind = Value::Kind::mapping;
      for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(from)) {
        const std::string name = py::str(key);
        made.children.push_back(value(item, path.empty() ? name : path + "." + name));
        made.children.back().key = name;
      }
      return made;
    }
    if (py::isinstance<py::list>(from) || py::isinstance<py::tuple>(from)) {
      made.kind = Value::Kind::sequence;
      for (const py::handle item : from)
        made.children.push_back(value(item, formatted("{}[{}]", path, made.children.size())));
      return made;
    }
    scalar(from, made);
    return made;
  }

 private:
  void scalar(const py::handle& from, Value& made) const {
    made.kind = Value::Kind::scalar;
    if (py::isinstance<py::bool_>(from)) {
      made.text = from.cast<bool>() ? "true" : "false";
    } else if (py::isinstance<py::float_>(from) || py::isinstance<py::int_>(from)) {
      made.number = from.cast<double>();
      made.text = py::str(from);
    } else if (py::isinstance<Code>(from)) {
      const auto& code = from.cast<const Code&>();
      made.code = code.bind(fault_);
      made.text = code.label;
    } else if (py::isinstance<py::str>(from)) {
      made.text = from.cast<std::string>();
      made.quoted = true;
    } else {
      made.text = py::str(py::repr(from));  // whoever reads it says what was expected
      made.quoted = true;
    }
  }

  std::shared_ptr<Fault> fault_;
  const Places& places_;
};

PythonProblem read(const py::dict& document, const Places& places, const std::string& file) {
  PythonProblem made;
  Diagnostics diagnostics;
  Value root = DocumentMaker(made.fault, places).value(document, "");
  if (!file.empty() && !root.file) root.file = std::make_shared<const std::string>(file);
  made.problem = read_model(Document(std::move(root), {}), diagnostics);
  diagnostics.throw_if_errors();
  made.problem.file = file;
  for (const Diagnostic& warning : diagnostics.warnings())
    made.problem.warnings.push_back(to_string(warning));
  return made;
}

std::string document_of(const PythonProblem& p) { return model_document(p.problem).dump(); }

}  // namespace

void bind_problem(py::module_& module) {
  py::class_<PythonProblem>(module, "Problem", "All that is to be computed, read and checked.")
      .def("document", &document_of, "What a model file would say, as JSON.")
      .def(
          "text", [](const PythonProblem& p) { return write_model(p.problem); }, "As a model file.")
      .def(
          "save", [](const PythonProblem& p, const std::string& path) { save(p.problem, path); },
          py::arg("path"))
      .def_property_readonly("warnings",
                             [](const PythonProblem& p) {
                               py::list all;
                               for (const std::string& text : p.problem.warnings) all.append(text);
                               return all;
                             })
      .def_property_readonly("places", [](const PythonProblem& p) {
        py::dict all;
        for (const auto& [path, at] : p.problem.model.locations)
          all[py::str(path)] = py::make_tuple(at.file, at.line, at.column);
        return all;
      });
  module.def(
      "read",
      [](const py::dict& document, const py::dict& places, const std::string& file) {
        Places known;
        for (const auto& [path, at] : places) {
          const auto place = py::reinterpret_borrow<py::tuple>(at);
          known.emplace(path.cast<std::string>(),
                        Location{place[0].cast<std::string>(), place[1].cast<int>(), place[2].cast<int>()});
        }
        return read(document, known, file);
      },
      py::arg("document"), py::arg("places"), py::arg("file"),
      "A problem from values in the shape of a model file.");
  module.def(
      "load",
      [](const std::string& path, const py::list& overrides) {
        std::vector<std::string> texts;
        for (const py::handle text : overrides) texts.push_back(text.cast<std::string>());
        return PythonProblem{load(path, texts)};
      },
      py::arg("path"), py::arg("overrides"), "A problem from a model file.");
  module.def(
      "suggest",
      [](const std::string& name, const py::list& known) {
        std::vector<std::string> names;
        for (const py::handle one : known) names.push_back(one.cast<std::string>());
        return suggest(name, names);
      },
      "' (did you mean ...?)', or nothing.");
}

}  // namespace hooke::python
