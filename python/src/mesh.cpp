// Meshes of solids, and their reduction to modes.
#include <pybind11/stl.h>

#include <fstream>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/catalog/solid_settings.h"
#include "hooke/io/mesh/modal_file.h"
#include "problem.h"

namespace hooke::python {
namespace {

/// The solid of that name in a problem, as finite elements.
std::shared_ptr<const SolidModel> solid_of(const PythonProblem& p, const std::string& body) {
  const BodyEntry* const entry = p.problem.model.bodies.find(body);
  const auto* const solid = entry ? entry->formulation.get_if<SolidSettings>() : nullptr;
  if (!solid) throw Error(ExitCode::usage, formatted("no solid named '{}'", body));
  return solid->model();
}

py::dict mesh_of(const PythonProblem& p, const std::string& body) {
  const auto model = solid_of(p, body);
  std::vector<double> places;
  for (const Vec3& node : model->mesh.nodes) places.insert(places.end(), node.begin(), node.end());
  py::list elements;
  for (const SolidMesh::Element& element : model->mesh.elements) {
    const auto nodes = model->mesh.nodes_of(element);
    elements.append(py::cast(std::vector<int>(nodes.begin(), nodes.end())));
  }
  py::dict made;
  made["nodes"] = to_numpy(std::move(places), {static_cast<py::ssize_t>(model->mesh.nodes.size()), 3});
  made["elements"] = elements;
  made["node_sets"] = model->mesh.node_sets;
  return made;
}

void reduce(const PythonProblem& p, const std::string& body, const std::string& path, int modes,
            const std::vector<std::string>& interfaces, double damping_ratio, bool with_surface,
            bool stiffening) {
  const auto model = solid_of(p, body);
  ModalData data = modal_data(model->mesh, model->materials,
                              {.modes = modes,
                               .interfaces = interfaces,
                               .reference = stiffening && !interfaces.empty() ? interfaces.front() : "",
                               .damping_ratio = damping_ratio,
                               .stiffening = stiffening});
  if (!with_surface) {
    std::erase_if(data.nodes, [](const auto& node) { return node.name.empty(); });
    data.triangles.clear();
  }
  std::ofstream file(path);
  file << modal_text(data);
  if (!file.flush()) throw Error(ExitCode::file, formatted("cannot write '{}'", path));
}

}  // namespace

void bind_mesh(py::module_& module) {
  module.def("mesh_of", &mesh_of, py::arg("problem"), py::arg("body"));
  module.def("reduce", &reduce, py::arg("problem"), py::arg("body"), py::arg("path"), py::arg("modes"),
             py::arg("interfaces"), py::arg("damping_ratio"), py::arg("with_surface"), py::arg("stiffening"));
}

}  // namespace hooke::python
