// Meshes cut into components: nothing is lost, and every common node is in a tie.
#include "hooke/fe/partition.h"

#include "support/finite_difference.h"

namespace hooke::test {
namespace {

void expect_whole(const SolidMesh& whole, const CutMesh& parts) {
  std::size_t elements = 0, nodes = 0, tied = 0;
  for (const SolidMesh& mesh : parts.meshes) {
    EXPECT_TRUE(mesh_faults(mesh).empty());
    elements += mesh.elements.size();
    nodes += mesh.nodes.size();
  }
  for (const ComponentTie& tie : parts.ties) {
    const auto &a = parts.meshes[tie.a].set(tie.set), &b = parts.meshes[tie.b].set(tie.set);
    ASSERT_EQ(a.size(), b.size());
    tied += a.size();
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_EQ(parts.meshes[tie.a].nodes[a[k]], parts.meshes[tie.b].nodes[b[k]]);
  }
  EXPECT_EQ(elements, whole.elements.size());
  EXPECT_EQ(nodes, whole.nodes.size() + tied);
}

TEST(Partition, CutsABeamIntoEqualSlabs) {
  const SolidMesh beam = box_mesh(Vec3(2, 0.04, 0.006), {20, 4, 1});
  const CutMesh parts = cut_mesh(beam, slabs(beam, 5));
  expect_whole(beam, parts);
  ASSERT_EQ(parts.meshes.size(), 5u);
  EXPECT_EQ(parts.ties.size(), 4u);
  for (const SolidMesh& mesh : parts.meshes) EXPECT_EQ(mesh.elements.size(), 16u);
  EXPECT_EQ(parts.meshes[0].set("x_min").size(), 10u);
  EXPECT_EQ(parts.meshes[4].set("x_max").size(), 10u);
  EXPECT_FALSE(parts.meshes[1].node_sets.contains("x_min"));
  const CutMesh across = cut_mesh(beam, slabs(beam, 2, 1));
  expect_whole(beam, across);
  EXPECT_EQ(across.ties.size(), 1u);
}

TEST(Partition, CutsABeamIntoGradedSlabs) {
  const SolidMesh beam = box_mesh(Vec3(2, 0.04, 0.006), {100, 4, 1});
  for (const double grading : {2.0, 0.5}) {
    const CutMesh parts = cut_mesh(beam, slabs(beam, 5, -1, grading));
    expect_whole(beam, parts);
    ASSERT_EQ(parts.meshes.size(), 5u);
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(parts.meshes[k].elements.size() / 400.0,
                  std::pow((k + 1) / 5.0, grading) - std::pow(k / 5.0, grading), 0.01);
  }
  EXPECT_THROW(slabs(beam, 50, -1, 2), std::invalid_argument);  // the first would be a 2500th of the length
}

TEST(Partition, CutsByMetisWherePartsMeetInLinesAndPoints) {
  for (const ElementType type : {ElementType::hex8, ElementType::tet10}) {
    const SolidMesh block = box_mesh(Vec3(1, 1, 1), {4, 4, 4}, type);
    expect_whole(block, cut_mesh(block, metis_components(block, 6)));
  }
}

TEST(Partition, ExplainsWhatCannotBeCut) {
  const SolidMesh two = box_mesh(Vec3(2, 1, 1), {2, 1, 1});
  EXPECT_THROW(slabs(two, 3), std::invalid_argument);
  EXPECT_THROW(metis_components(two, 0), std::invalid_argument);
}

}  // namespace
}  // namespace hooke::test
