#include "hooke/view/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooke/base/error.h"
#include "hooke/catalog/make_bodies.h"
#include "hooke/view/default_shapes.h"
#include "hooke/view/gltf.h"
#include "hooke/view/surfaces.h"
#include "hostile_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::ElementsAre;

struct SceneTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  std::vector<Drawing::Shape> shapes_of(const Scene& scene, int body) {
    std::vector<Drawing::Shape> own;
    for (const Drawing::Shape& shape : scene.drawing.shapes)
      if (shape.body == body) own.push_back(shape);
    return own;
  }
};

TEST_F(SceneTest, HoldsWhatTheModelSays) {
  simulate(crank, path);
  const ResultsReader results(path);
  const Scene scene = make_scene(results);
  EXPECT_THAT(scene.bodies, ElementsAre("crank", "ball", "block"));
  EXPECT_THAT(scene.joint_types, ElementsAre("revolute", "spherical", "prismatic"));
  EXPECT_THAT(scene.drawing.joints[1].bodies, ElementsAre(0, 1));
  EXPECT_LT((scene.drawing.joints[1].frames[0].p - Vec3(0, 0, 0.5)).norm(), 1e-12);
  EXPECT_LT((scene.drawing.joints[1].frames[1].p).norm(), 1e-12);
  EXPECT_THAT(scene.drawing.forces[0].bodies, ElementsAre(-1, 2));
  EXPECT_EQ(scene.drawing.forces[0].frames[0].p, Vec3(3, 0, 0));
  EXPECT_EQ(scene.drawing.gravity, Vec3(0, 0, -9.81));
  EXPECT_DOUBLE_EQ(scene.drawing.masses[1].mass, 2);
  EXPECT_DOUBLE_EQ(scene.drawing.masses[1].inertia(0, 0), 0.4 * 2 * 0.01);
}

TEST_F(SceneTest, GivesShapesAsWrittenOrFitting) {
  simulate(crank, path);
  const Scene scene = make_scene(ResultsReader(path));
  const auto ball = shapes_of(scene, 1), block = shapes_of(scene, 2), link = shapes_of(scene, 0);
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_EQ(ball[0].type, "sphere");
  EXPECT_EQ(ball[0].size, Vec3::Constant(0.2));
  ASSERT_EQ(block.size(), 1u);
  EXPECT_EQ(block[0].colour, "#123456");
  EXPECT_EQ(block[0].size, Vec3(0.3, 0.2, 0.1));
  EXPECT_EQ(block[0].pose.p, Vec3(0, 0, 0.1));
  ASSERT_FALSE(link.empty());  // a bar between its two joints
  EXPECT_EQ(link[0].type, "cylinder");
  EXPECT_NEAR(link[0].size.z(), 1, 1e-12);
  EXPECT_LT(link[0].pose.p.norm(), 1e-12);
}

/// What lies on the ground is drawn, too; of a plane as much as the mechanism is large. It does not count as a part of it.
TEST_F(SceneTest, DrawsSurfacesOfTheGround) {
  const std::string balls =
      "hooke: 1\nbodies:\n  a: {rigid: {mass: 1, inertia: 1}, at: [0, 0, 1]}\n"
      "  b: {rigid: {mass: 1, inertia: 1}, at: [2, 0, 1]}\n";
  const std::string rest =
      "ground: {frames: {step: {at: [0, 5, 0]}}}\n"
      "surfaces:\n  a: {sphere: 0.1, body: a}\n  b: {sphere: 0.1, body: b}\n"
      "  floor: {half-space: [0, 0, 1], at: [0, 0, -1]}\n  step: {box: [1, 1, 0.2], body: ground.step, at: "
      "[0, 0, 0.5]}\n"
      "  hills: {height-field: {heights: [[0, 0, 0], [0, 0, 9], [0, 0, 0]], spacing: [4, 4]}, at: [0, 0, "
      "-20]}\n"
      "contacts: {touch: {between: [[a, b], [floor, step, hills]], stiffness: 1e4}}\n";
  const std::string end = "run: {step: 0.01, end: 0.02}\n";
  simulate(balls + rest + end, path);
  const Scene scene = make_scene(ResultsReader(path));
  const auto ground = shapes_of(scene, -1);
  ASSERT_EQ(ground.size(), 3u);
  EXPECT_EQ(ground[0].type, "box");
  EXPECT_GE(ground[0].size.x(), 2);
  EXPECT_NEAR(ground[0].pose.p.z() + 0.5 * ground[0].size.z(), -1, 1e-12);
  EXPECT_EQ(ground[1].size, Vec3(1, 1, 0.2));
  EXPECT_EQ(ground[1].pose.p, Vec3(0, 5, 0.5));
  ASSERT_EQ(ground[2].mesh, 0);
  EXPECT_EQ(scene.drawing.meshes[0].points.size(), 9u);
  EXPECT_EQ(scene.drawing.meshes[0].points[5], Vec3(4, 0, 9));
  EXPECT_EQ(shapes_of(scene, 0).size(), 1u);
  EXPECT_LT(scene.bounds[1].norm(), 5);
}

TEST_F(SceneTest, BoundsHoldTheMotion) {
  simulate(crank, path);
  const ResultsReader results(path);
  const Scene scene = make_scene(results);
  for (const char* name : {"body.ball.position.y", "body.ball.position.z", "body.block.position.x"})
    for (const double value : results.read(name)) {
      const int axis = name[std::string(name).size() - 1] - 'x';
      EXPECT_LE(scene.bounds[0][axis], value);
      EXPECT_GE(scene.bounds[1][axis], value);
    }
}

/// Around one that was lost, the others would be a dot; it counts where it was at the start.
TEST_F(SceneTest, BoundsLeaveOutABodyThatFlewAway) {
  simulate(
      "hooke: 1\n"
      "bodies:\n"
      "  a: {rigid: {mass: 1, shape: {sphere: 0.1}}, velocity: [0.5, 0, 0]}\n"
      "  b: {rigid: {mass: 1, shape: {sphere: 0.1}}, at: [1, 0, 0]}\n"
      "  lost: {rigid: {mass: 1, shape: {sphere: 0.1}}, at: [0, 1, 0], velocity: [0, 1e4, 0]}\n"
      "run: {step: 0.01, end: 1}\n",
      path);
  const Scene scene = make_scene(ResultsReader(path));
  EXPECT_THAT(scene.flew_away, ElementsAre(0, 0, 1));
  EXPECT_NEAR(scene.bounds[1].y(), 1.1, 1e-9);
  EXPECT_NEAR(scene.bounds[1].x(), 1.1, 1e-9);
  EXPECT_NEAR(scene.boxes[2][1].y(), 10001.1, 1e-6);
}

/// A body alone, and two that go together, are what one wants to see.
TEST_F(SceneTest, ATravellerIsNotLost) {
  simulate(
      "hooke: 1\n"
      "bodies:\n"
      "  a: {rigid: {mass: 1, shape: {sphere: 0.1}}, velocity: [100, 0, 0]}\n"
      "  b: {rigid: {mass: 1, shape: {sphere: 0.1}}, at: [0, 1, 0], velocity: [100, 0, 0]}\n"
      "run: {step: 0.01, end: 1}\n",
      path);
  const Scene scene = make_scene(ResultsReader(path));
  EXPECT_THAT(scene.flew_away, ElementsAre(0, 0));
  EXPECT_NEAR(scene.bounds[1].x(), 100.1, 1e-6);
}

/// A free body looks like the solid that has its inertia.
TEST(DefaultShapes, HaveTheInertiaOfTheBody) {
  const auto shape_for = [](const Vec3& moments) {
    Drawing drawing;
    drawing.masses.push_back({2.0, Vec3(0.1, 0, 0), moments.asDiagonal()});
    drawing.shapes.push_back({1, "sphere", Vec3::Constant(4), {}, ""});  // so that nothing is too large
    drawing.masses.push_back({});
    add_default_shapes(drawing, {}, {0, 1});
    EXPECT_EQ(drawing.shapes.size(), 2u);
    return drawing.shapes.back();
  };
  const Mat3 box = 2 * BoxShape{.size = {0.5, 0.8, 0.6}}.inertia_per_mass();
  const Drawing::Shape found = shape_for(box.diagonal());
  EXPECT_EQ(found.type, "box");
  EXPECT_EQ(found.pose.p, Vec3(0.1, 0, 0));
  const Vec3 size = (found.pose.R * found.size.asDiagonal() * found.pose.R.transpose()).diagonal();
  EXPECT_LT((size - Vec3(0.5, 0.8, 0.6)).norm(), 1e-9);

  const Mat3 disk = 2 * CylinderShape{.radius = 0.3, .length = 0.2}.inertia_per_mass();
  const Drawing::Shape round = shape_for(disk.diagonal());
  EXPECT_EQ(round.type, "cylinder");
  EXPECT_LT((round.size - Vec3(0.6, 0.6, 0.2)).norm(), 1e-9);
  EXPECT_NEAR(std::abs(round.pose.R(2, 2)), 1, 1e-12);
  EXPECT_EQ(shape_for(Vec3(0.01, 0.01, 0.01)).type, "sphere");
}

TEST(DefaultShapes, DoNotNeedSensibleNumbers) {
  Drawing drawing;
  drawing.masses.resize(3);
  drawing.masses[1].mass = 1;
  add_default_shapes(drawing, {}, {});
  ASSERT_EQ(drawing.shapes.size(), 3u);
  for (const Drawing::Shape& shape : drawing.shapes) {
    EXPECT_TRUE(shape.size.allFinite());
    EXPECT_GT(shape.size.minCoeff(), 0);
  }
}

/// Volume by the divergence theorem: also tells that all triangles face outwards.
TEST(Triangles, EncloseTheShape) {
  const auto volume = [](const std::string& type, const Vec3& size) {
    const TriangleMesh mesh = triangles_of({0, type, size, {identity3, Vec3(5, 6, 7)}, ""}, {}, 96);
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const auto at = [&](int k) { return mesh.points[static_cast<std::size_t>(k)]; };
      sum += at(a).cross(at(b)).dot(at(c)) / 6;
    }
    return sum;
  };
  EXPECT_NEAR(volume("box", {1, 2, 3}), 6, 1e-12);
  EXPECT_NEAR(volume("cylinder", {2, 2, 3}), 3 * M_PI, 0.02);
  EXPECT_NEAR(volume("sphere", {2, 2, 2}), 4.0 / 3 * M_PI, 0.02);
}

TEST_F(SceneTest, JointsOnARodMoveWithTheNearestNode) {
  simulate(
      "hooke: 1\n"
      "bodies:\n"
      "  beam: {rigid: {mass: 1, inertia: 1}}\n"
      "  end: {rigid: {mass: 1, inertia: 1}, at: [2, 0, 0.3]}\n"
      "joints: {tip: {fixed: [beam, end], at: [2, 0, 0.1]}}\n"
      "run: {step: 0.01, end: 0.1}\n",
      path);
  add_rod(path, "beam", 9, 0.05);
  const ResultsReader results(path);
  const Scene scene = make_scene(results);
  ASSERT_EQ(scene.rods.size(), 1u);
  EXPECT_EQ(scene.rods[0].nodes, 9u);
  EXPECT_DOUBLE_EQ(scene.rods[0].radius, 0.05);
  EXPECT_TRUE(shapes_of(scene, 0).empty());  // a tube is drawn instead
  ASSERT_EQ(scene.carriers.size(), 1u);
  EXPECT_EQ(scene.carriers[0].node, 8u);
  EXPECT_EQ(scene.drawing.joints[0].bodies[0], 2);
  const FramePose joint = rod_poses(results, scene.rods[0], 0)[8] * scene.drawing.joints[0].frames[0];
  EXPECT_LT((joint.p - Vec3(2, 0, 0.1)).norm(), 1e-12);
}

TEST_F(SceneTest, SolidsMoveWithTheirBodyAndDeform) {
  simulate(
      "hooke: 1\n"
      "bodies: {plate: {rigid: {mass: 1, inertia: 1}, at: [0, 0, 1], velocity: [1, 0, 0]}}\n"
      "run: {step: 0.01, end: 0.1}\n",
      path);
  add_solid(path, "plate");
  const ResultsReader results(path);
  const Scene scene = make_scene(results);
  ASSERT_EQ(scene.solids.size(), 1u);
  EXPECT_TRUE(shapes_of(scene, 0).empty());
  ASSERT_EQ(scene.solids[0].fields.size(), 1u);
  EXPECT_EQ(scene.solids[0].fields[0].unit, "Pa");
  const auto points = solid_points(results, scene, 0, 10, body_poses(results, 10));
  ASSERT_EQ(points.size(), 4u);
  EXPECT_LT((points[3] - Vec3(1.1, 1, 1.1)).norm(), 1e-9);
  EXPECT_GE(scene.bounds[1].x(), 1.1);
}

TEST_F(SceneTest, NumbersOfBodiesThatAreNotThereAreRefused) {
  simulate(crank, path);
  {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    H5Ldelete(file, "joints/bodies", H5P_DEFAULT);
    hdf5::write_numbers(file, "joints/bodies", {-1, 99, 0, 1e9, -1, 2}, 2);
  }
  EXPECT_THROW(make_scene(ResultsReader(path)), Error);
}

/// Names without numbers, and colours that are none.
TEST_F(SceneTest, DamagedTextsAreRefusedToo) {
  const auto replace = [&](const char* name, const std::vector<std::string>& texts) {
    simulate(crank, path);
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    H5Ldelete(file, name, H5P_DEFAULT);
    hdf5::write_texts(file, name, texts);
  };
  replace("shapes/colours", {"#12345", "red\"><b>"});
  EXPECT_THROW(make_scene(ResultsReader(path)), Error);
  replace("bodies/labels", {"body.a", "body.b", "body.c", "body.d"});
  EXPECT_THROW(make_scene(ResultsReader(path)), Error);
  EXPECT_THROW(export_gltf(ResultsReader(path), folder("motion.glb")), Error);
}

/// For the test of the page (tests/viewer), which has no means to write such a file.
TEST(ForTheBrowser, RodsSolidsAndHostileTexts) {
  const char* folder = std::getenv("HOOKE_FLEXIBLE_RESULTS");
  if (!folder) GTEST_SKIP() << "only on demand";
  const std::string rod = std::string(folder) + "/rod/results.h5",
                    solid = std::string(folder) + "/solid/results.h5";
  write_hostile_results(std::string(folder) + "/hostile/results.h5");
  simulate(
      "hooke: 1\n"
      "title: A rod\n"
      "bodies:\n"
      "  beam: {rigid: {mass: 1, inertia: 1}}\n"
      "  end: {rigid: {mass: 1, shape: {sphere: 0.12}}, at: [1, 1, 0.3]}\n"
      "joints: {tip: {point-on-plane: [beam, end], at: [2, 0, 0], axis: z}}\n"
      "run: {step: 0.01, end: 1}\n",
      rod);
  add_rod(rod, "beam", 9, 0.05);
  simulate(
      "hooke: 1\n"
      "title: A plate\n"
      "bodies: {plate: {rigid: {mass: 1, inertia: 1}, velocity: [0.5, 0, 0]}}\n"
      "run: {step: 0.01, end: 1}\n",
      solid);
  add_solid(solid, "plate");
}

}  // namespace
}  // namespace hooke
