// Whole runs, and the results they leave.
#include <pybind11/stl.h>

#include "hooke/io/results/export.h"
#include "hooke/io/results/results_reader.h"
#include "hooke/view/page.h"
#include "simulation.h"

namespace hooke::python {
namespace {

py::dict to_dict(const Summary& s) {
  py::dict d;
  d["status"] = to_word(s.status);
  d["failure"] = s.failure;
  d["integrator"] = s.integrator;
  d["solver"] = s.solver;
  d["start"] = s.start;
  d["end"] = s.end;
  d["steps"] = s.totals.steps;
  d["iterations"] = s.totals.iterations;
  d["outputs"] = s.frames;
  d["events"] = s.event_count;
  d["bodies"] = s.bodies;
  d["joints"] = s.joints;
  d["forces"] = s.forces;
  d["degrees_of_freedom"] = s.degrees_of_freedom;
  d["redundant_constraints"] = s.redundant_rows;
  d["energy_drift"] = s.energy_drift;
  d["energy_error"] = s.quality.energy_error;
  d["constraint_violation"] = s.position_violation;
  d["wall_time"] = s.wall_time;
  d["notes"] = s.notes;
  d["warnings"] = s.warnings;
  return d;
}

/// What was recorded is in the file, whatever ends the run; the exception of a user's code comes second.
py::tuple run(PythonSimulation& s, const std::string& results, const py::object& progress) {
  const Use using_it(s);
  Gate gate(s.fault, progress);
  double t = 0, end = 0;
  long steps = 0;
  RunOptions options{.results = results};
  options.progress = [&](const Progress& p) { t = p.t, end = p.end, steps = p.steps; };
  options.cancelled = [&] { return gate.is_shut(t, end, steps); };
  Summary summary;
  {
    const Released released;
    summary = s.simulation.run(options);
  }
  py::object fault = py::none();
  try {
    s.fault->raise_if_set();
  } catch (py::error_already_set& error) {
    fault = error.value();
    if (const py::object trace = error.trace()) fault.attr("__traceback__") = trace;
  }
  return py::make_tuple(to_dict(summary), fault);
}

std::vector<std::string> names(const ResultsReader& reader) {
  std::vector<std::string> all;
  for (const Quantity& quantity : reader.quantities()) all.push_back(quantity.name);
  return all;
}

}  // namespace

void bind_run(py::module_& module) {
  auto simulation =
      py::reinterpret_borrow<py::class_<PythonSimulation, SimulationPointer>>(module.attr("Simulation"));
  simulation.def(
      "_run", &run, py::arg("results"), py::arg("progress"),
      "The analysis that the model asks for; a summary, and the exception of a user's code or None.");

  py::class_<ResultsReader, std::shared_ptr<ResultsReader>>(module, "ResultsFile", "A results file.")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def_property_readonly("names", &names)
      .def(
          "unit", [](const ResultsReader& r, const std::string& name) { return r.find(name).unit; },
          py::arg("name"))
      .def(
          "is_per_step",
          [](const ResultsReader& r, const std::string& name) { return r.find(name).is_per_step(); },
          py::arg("name"))
      .def(
          "read", [](const ResultsReader& r, const std::string& name) { return to_numpy(r.read(name)); },
          py::arg("name"))
      .def(
          "select",
          [](const ResultsReader& r, const std::vector<std::string>& wanted) {
            std::vector<std::string> all;
            for (const Quantity& quantity : r.select(wanted)) all.push_back(quantity.name);
            return all;
          },
          py::arg("names"), "What is meant by names, their beginnings and patterns.")
      .def_property_readonly("status", [](const ResultsReader& r) { return r.about().status; })
      .def_property_readonly("title", [](const ResultsReader& r) { return r.about().title; })
      .def_property_readonly("settings", &ResultsReader::settings)
      .def_property_readonly("modes",
                             [](const ResultsReader& r) {
                               const ResultsReader::Modes modes = r.modes();
                               return std::pair(to_numpy(modes.frequency), to_numpy(modes.damping));
                             })
      .def(
          "write_page",
          [](const std::shared_ptr<ResultsReader>& r, const std::string& label, const std::string& path) {
            export_page({{label, r}}, path);
          },
          py::arg("label"), py::arg("path"), "One page with everything in it.");
}

}  // namespace hooke::python
