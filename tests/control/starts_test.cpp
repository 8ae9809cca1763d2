// Where runs start, and what is said of starts that cannot be meant.
#include "control/support.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

const std::string rod =
    "cosserat: {section: {rectangle: [0.4, 0.004]}, material: {young: 7e10, density: 1600}}";

TEST(Starts, SectionAxesOfBetweenCanBeSet) {
  Simulation simulation(
      problem("hooke: 1\nbodies: {a: {" + rod + ", between: [[0, 0, 0], [1, 0, 0]], axes: {x: z}}}\n"));
  const Mat3 R = simulation.body("a").orientation();
  EXPECT_LT((R.col(2) - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((R.col(0) - Vec3(0, 0, 1)).norm(), 1e-12);
  EXPECT_NEAR(R.determinant(), 1, 1e-12);
}

TEST(Starts, BetweenAndAnOrientationThatDisagreeAreAnError) {
  EXPECT_THAT(
      complaint("hooke: 1\nbodies: {a: {" + rod + ", between: [[0, 0, 0], [1, 0, 0]], axes: {z: y}}}\n"),
      HasSubstr("contradict each other"));
  EXPECT_THAT(
      complaint("hooke: 1\nbodies: {a: {" + rod + ", between: [[0, 0, 0], [1, 0, 0]], axes: {x: x}}}\n"),
      HasSubstr("cannot be along"));
}

TEST(Starts, ALeverThatNobodySeesIsPointedOut) {
  Simulation simulation(problem("hooke: 1\nbodies: {a: {" + rod +
                                ", between: [[0, 0, 0], [1, 0, 0]]}}\n"
                                "joints: {j: {revolute: [ground, a], at: [0, 0.4, 0], axis: y}}\n"));
  EXPECT_THAT(simulation.start().warnings, testing::Contains(HasSubstr("rigid lever")));
}

/// A car on its spring: it starts where it stays, and a run that goes on from another begins where that ended.
TEST(Starts, FromStaticsAndFromAnotherRun) {
  const std::string car =
      "hooke: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {car: {rigid: {mass: 100, inertia: 10}, at: [0, 0, 1]}}\n"
      "joints: {rail: {prismatic: [ground, car], axis: z}}\n"
      "forces: {strut: {joint-force: rail, stiffness: 2e4, damping: 500}}\n";
  Simulation settled(problem(car + "run: {from: statics, end: 1}\n"));
  EXPECT_NEAR(settled.joint("rail").displacement(), -981 / 2e4, 1e-9);
  settled.advance(0.5);
  EXPECT_NEAR(settled.joint("rail").displacement(), -981 / 2e4, 1e-9);

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("hooke_from_{}", ::getpid());
  Simulation first(problem(car + "run: {end: 0.13}\n"));
  first.run({.results = (folder / "results.h5").string()});
  Problem next = problem(car + "run: {end: 1}\n");
  next.run.from = folder.string();
  Simulation second(std::move(next));
  first.advance(0.13);
  EXPECT_DOUBLE_EQ(second.joint("rail").displacement(), first.joint("rail").displacement());
  EXPECT_DOUBLE_EQ(second.joint("rail").rate(), first.joint("rail").rate());
  EXPECT_EQ(second.time(), 0);
  std::filesystem::remove_all(folder);
}

/// A hose of 1.5 m between ports 1.1 m apart sags before the run begins.
TEST(Starts, AHoseFindsItsShape) {
  Simulation simulation(load(std::string(HOOKE_ROOT) + "/tests/data/control/hose.yaml"));
  EXPECT_LT(simulation.energy().total(), 100);  // it was 18.6 kJ, compressed along its line
  EXPECT_LT(simulation.body("hose").position().z(), 0.9);
}

}  // namespace
}  // namespace hooke::test
