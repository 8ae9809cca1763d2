// Meshes: what the generators make, the surface, and how faults are told.
#include "hooke/fe/mesh.h"

#include <numbers>

#include "hooke/fe/solid_element.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector all_types{ElementType::hex8, ElementType::hex20, ElementType::tet4, ElementType::tet10};

double volume(const SolidMesh& mesh) {
  double sum = 0;
  for (const auto& e : mesh.elements) sum += element_volumes(e.type, mesh.positions_of(e)).sum();
  return sum;
}

/// Area vectors of triangles and flat quadrilaterals.
std::pair<double, Vec3> area(const SolidMesh& mesh) {
  double total = 0;
  Vec3 sum = zero3;
  for (const BoundaryFace& f : boundary_faces(mesh)) {
    const auto x = [&](int k) { return mesh.nodes[f.corners[k]]; };
    const Vec3 normal =
        f.corners[3] < 0 ? 0.5 * (x(1) - x(0)).cross(x(2) - x(0)) : 0.5 * (x(2) - x(0)).cross(x(3) - x(1));
    total += normal.norm();
    sum += normal;
    EXPECT_GT(normal.dot(x(0) + x(1)), 0) << "points inward";  // of bodies about the origin
  }
  return {total, sum};
}

TEST(Mesh, ABoxHasItsVolumeAndSurface) {
  for (ElementType type : all_types) {
    const SolidMesh mesh = box_mesh(Vec3(2, 3, 4), {2, 3, 1}, type);
    EXPECT_THAT(mesh_faults(mesh), IsEmpty());
    EXPECT_NEAR(volume(mesh), 24, 1e-12);
    const auto [total, sum] = area(mesh);
    EXPECT_NEAR(total, 52, 1e-12);
    EXPECT_LT(sum.norm(), 1e-12);
    for (int node : mesh.set("y_max")) EXPECT_EQ(mesh.nodes[node].y(), 1.5);
  }
  const SolidMesh mesh = box_mesh(Vec3(2, 3, 4), {2, 3, 1}, ElementType::hex20);
  EXPECT_EQ(mesh.set("z_min").size(), 3u * 4 + 2 * 4 + 3 * 3);
}

TEST(Mesh, RevolvedBodiesApproachTheirVolume) {
  using std::numbers::pi;
  const double cone = pi / 3 * 2 * (1 + 0.5 + 0.25), tube = pi * (1 - 0.25) * 2;
  for (ElementType type : all_types) {
    const SolidMesh a = revolved_mesh({{{-1, 1}, {1, 0.5}}, 16, 0, 4}, type);
    EXPECT_THAT(mesh_faults(a), IsEmpty());
    EXPECT_NEAR(volume(a) / cone, 1, 2e-3);
    EXPECT_NEAR(a.nodes[a.set("axis").front()].head<2>().norm(), 0, 1e-12);
    const SolidMesh b = revolved_mesh({{{-1, 1, 0.5}, {1, 1, 0.5}}, 2, 64, 4}, type);
    EXPECT_THAT(mesh_faults(b), IsEmpty());
    EXPECT_NEAR(volume(b) / tube, 1, 2e-3);
    for (int node : b.set("inside")) EXPECT_LT(b.nodes[node].head<2>().norm(), 0.5 + 1e-12);
  }
}

TEST(Mesh, TellsItsFaults) {
  SolidMesh mesh = box_mesh(Vec3(1, 1, 1), {2, 1, 1});
  std::swap(mesh.connectivity[8], mesh.connectivity[9]);
  EXPECT_THAT(mesh_faults(mesh),
              ElementsAre(HasSubstr("1 of 2 elements are inverted or flat, the first is number 2")));
  mesh = box_mesh(Vec3(1, 1, 1), {2, 1, 1});
  mesh.nodes.push_back(Vec3(7, 0, 0));
  EXPECT_THAT(mesh_faults(mesh),
              ElementsAre(HasSubstr("1 nodes belong to no element, the first is number 13")));
  mesh = box_mesh(Vec3(1, 1, 1), {1, 1, 1});
  const SolidMesh other = mesh;
  for (const Vec3& x : other.nodes) mesh.nodes.push_back(x + Vec3(1, 0, 0));
  std::vector<int> nodes(other.connectivity);
  for (int& node : nodes) node += 8;
  mesh.add_element(ElementType::hex8, nodes);
  EXPECT_THAT(mesh_faults(mesh),
              ElementsAre(HasSubstr("falls into 2 regions"), HasSubstr("at the same place")));
  EXPECT_THAT(mesh_faults(SolidMesh{}), ElementsAre(HasSubstr("no solid elements")));
  EXPECT_THROW(mesh.set("hub"), std::invalid_argument);
}

}  // namespace
}  // namespace hooke::test
