// From a mesh to a body with modes, in a file that model files can name: modes_of_a_mesh > bar.modes.
//
// 1. A mesh of solid elements and its material. A box here; node sets name its faces.
// 2. Reduce it: Craig and Bampton's modes for the faces that joints will hold.
// 3. Write it. Only the interfaces are kept as nodes; with all of them (leave the loop out) the results would
//    have its surface and stress, too.
#include <fmt/format.h>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/io/mesh/modal_file.h"

int main() {
  const hooke::SolidMesh mesh = hooke::box_mesh({0.01, 0.02, 0.3}, {1, 2, 30}, hooke::ElementType::hex20);
  const auto steel = hooke::SolidMaterial::isotropic({2.07e11, 0.29, 7870});
  hooke::ModalData data = hooke::modal_data(
      mesh, {steel}, {.modes = 10, .interfaces = {"z_min", "z_max"}, .damping_ratio = 0.005});
  std::erase_if(data.nodes, [](const auto& node) { return node.name.empty(); });
  data.triangles.clear();
  for (auto& node : data.nodes) node.name = node.name == "z_min" ? "start" : "end";
  fmt::print("{}", hooke::modal_text(data));
}
