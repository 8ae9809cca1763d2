// A solid in the results: its surface, displacements in its own frame, and stress.
#include <filesystem>
#include <numeric>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/fe/stress_matrix.h"
#include "hooke/io/results/results.h"
#include "hooke/io/results/results_reader.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

TEST(SolidResults, HoldDisplacementAndStressOfTheSurface) {
  Model model;
  SolidSettings bar;
  bar.mesh = BoxMesh{Vec3(2, 1, 1), {4, 2, 2}};
  bar.material = MaterialSettings{1000, 0, 1};
  model.bodies["bar"].formulation = bar;
  const BuiltModel built = build(model);
  const auto workspace = built.system->workspace();
  const std::string path = (std::filesystem::temp_directory_path() / "hooke_solid_results.h5").string();

  // turned as a whole, and stretched along its own x axis by a hundredth
  Random random(1);
  const FramePose X = random_pose(random);
  State state = built.system->initial_state();
  for (int i = 0; i < state.q.size(); i += 3)
    state.q.segment<3>(i) = X.p + X.R * Vec3(1.01, 1, 1).cwiseProduct(state.q.segment<3>(i).eval());
  {
    ResultsWriter writer(path, built, {});
    built.system->update(state, *workspace);
    writer.write(make_record(built, state, static_cast<SystemWorkspace&>(*workspace)));
    writer.finish("finished", "");
  }
  const ResultsReader results(path);
  ASSERT_EQ(results.solids().size(), 1u);
  EXPECT_TRUE(results.rods().empty());
  const ResultsReader::Solid& solid = results.solids()[0];
  EXPECT_EQ(solid.mesh.points.size(), 5u * 3 * 3 - 3);           // all nodes but those inside
  EXPECT_EQ(solid.mesh.triangles.size(), 2u * (4 * 8 + 2 * 4));  // four long sides of 8 faces, two ends of 4
  const std::vector<double> u = results.read_rows(solid.displacement, 0, 1);
  for (std::size_t n = 0; n < solid.mesh.points.size(); ++n)
    EXPECT_LT((Vec3(&u[3 * n]) - Vec3(0.01 * solid.mesh.points[n].x(), 0, 0)).norm(), 1e-9);
  ASSERT_EQ(solid.fields.size(), 1u);
  EXPECT_EQ(solid.fields[0].unit, "Pa");
  for (double stress : results.read_rows(solid.fields[0].path, 0, 1)) EXPECT_NEAR(stress, 10, 1e-6);
  std::filesystem::remove(path);
}

/// The same of a body with modes: what its mesh would have, displaced as its modes say.
TEST(SolidResults, HoldThoseOfABodyWithModes) {
  SolidSettings bar;
  bar.mesh = BoxMesh{Vec3(2, 1, 1), {4, 2, 2}};
  bar.material = MaterialSettings{1000, 0.3, 1};
  const auto whole = bar.model();
  ModalSettings reduced;
  reduced.data = std::make_shared<ModalData>(
      modal_data(whole->mesh, whole->materials, {.basis = ModalBasis::free, .modes = 4}, whole->options));
  Model model;
  model.bodies["fixed"].formulation = RigidSettings{.mass = 1, .inertia = {identity3, true}};
  model.bodies["bar"].formulation = reduced;
  const BuiltModel built = build(model);
  const auto workspace = built.system->workspace();
  const std::string path = (std::filesystem::temp_directory_path() / "hooke_modal_results.h5").string();
  State state = built.system->initial_state();
  const Eigen::Vector4d eta(0.1, -0.2, 0.15, 0.05);
  state.q.tail<4>() = eta;
  {
    ResultsWriter writer(path, built, {});
    built.system->update(state, *workspace);
    writer.write(make_record(built, state, static_cast<SystemWorkspace&>(*workspace)));
    writer.finish("finished", "");
  }
  Mat3X u(3, whole->nodes());
  for (int n = 0; n < whole->nodes(); ++n) u.col(n) = reduced.data->nodes[n].shift * eta;
  std::vector<int> all(whole->nodes());
  std::iota(all.begin(), all.end(), 0);
  const VectorX stress = stress_matrix(whole->mesh, whole->materials, whole->options, all) * u.reshaped();

  const ResultsReader results(path);
  ASSERT_EQ(results.solids().size(), 1u);
  const ResultsReader::Solid& solid = results.solids()[0];
  EXPECT_EQ(solid.name, "bar");
  EXPECT_EQ(solid.mesh.points.size(), 5u * 3 * 3 - 3);
  const std::vector<double> shown = results.read_rows(solid.displacement, 0, 1);
  ASSERT_EQ(solid.fields.size(), 1u);
  const std::vector<double> stresses = results.read_rows(solid.fields[0].path, 0, 1);
  for (std::size_t k = 0; k < solid.mesh.points.size(); ++k) {
    const auto& nodes = whole->mesh.nodes;
    const auto n = std::find(nodes.begin(), nodes.end(), solid.mesh.points[k]) - nodes.begin();
    EXPECT_LT((Vec3(&shown[3 * k]) - u.col(n)).norm(), 1e-6 * u.norm());
    EXPECT_NEAR(stresses[k] / von_mises(stress.segment<6>(6 * n)), 1, 1e-6);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hooke::test
