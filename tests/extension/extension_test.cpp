// A program of somebody else's: a body, a joint, a force, a drive, a signal, a control block, an integrator, a solver and a
// command of its own, one header and one line each, five of them used from one model file. Nothing of it is in src/.
#include <gmock/gmock.h>

#include <fstream>

#include "hooke/io/results/results_reader.h"
#include "own_block.h"
#include "own_body.h"
#include "own_command.h"
#include "own_drive.h"
#include "own_force.h"
#include "own_integrator.h"
#include "own_joint.h"
#include "own_signal.h"
#include "own_solver.h"

namespace own {
namespace {

using namespace hooke;
using testing::HasSubstr;

const char* const model = R"(
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  thread: {beads: {count: 5, mass: 0.1, stiffness: 500, rest: 0.1}, at: [1, 0, 0]}
  weight: {rigid: {mass: 1, inertia: 0.01}, at: [1, 0, -0.3]}
joints:
  rail: {on-cylinder: thread.end, radius: 1}
  hook: {spherical: [thread.start, weight], at: [1, 0, -0.2]}
forces:
  pull: {magnet: weight, strength: 3, towards: [2, 1, -0.3]}
run: {integrator: symplectic-euler, solver: full-pivot, step: 1e-4, end: 0.2}
outputs: {every: 0.05}
)";

Catalog own_catalog() {
  Catalog catalog = Catalog::built_in();
  catalog.add<BeadsSettings>();
  catalog.add<OnCylinderSettings>();
  catalog.add<MagnetSettings>();
  catalog.add<RunUpSettings>();
  catalog.add<SymplecticEulerSettings>();
  catalog.add<FullPivotSettings>();
  catalog.add<SmoothSquareSettings>();
  catalog.add<ElevationSignal>();
  return catalog;
}

Problem parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  static const Catalog catalog = own_catalog();
  Diagnostics diagnostics;
  Problem problem = parse_model(text, "own.yaml", overrides, diagnostics, catalog);
  diagnostics.throw_if_errors();
  return problem;
}

TEST(Extension, ABlockOfItsOwn) {
  Simulation simulation(
      parsed("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}, velocity: [3, 0, 0]}}\n"
             "control: {y: {smooth-square: body.a.velocity.x, time: 0.2}}\n"
             "run: {integrator: dormand-prince, end: 1}\n"));
  simulation.advance(0.5);
  EXPECT_NEAR(simulation.signal("y"), 9 * (1 - std::exp(-2.5)), 1e-9);
}

TEST(Extension, ADriveOfItsOwnTurnsAJoint) {
  Simulation simulation(
      parsed("hooke: 1\nbodies: {wheel: {rigid: {mass: 1, inertia: 2}}}\n"
             "joints: {axle: {revolute: [ground, wheel], axis: z}}\n"
             "drives: {motor: {run-up: axle, rate: 6, time: 0.5}}\nrun: {end: 1}\n"));
  simulation.advance(0.25);
  EXPECT_NEAR(simulation.joint("axle").rate(), 3, 1e-9);
  simulation.advance(1);
  EXPECT_NEAR(simulation.joint("axle").angle(), 4.5, 1e-9);
}

TEST(Extension, ASignalOfItsOwnIsMeasuredAndActs) {
  // After a second it is as high as it is far; a force that grows with the angle holds it down.
  const std::string text =
      "hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}, at: [0, 4, 0], velocity: [3, 0, 5]}}\n"
      "signals: {seen: {elevation: [ground, a]}}\nrun: {end: 1}\n";
  Simulation simulation(parsed(text));
  simulation.advance(1);
  EXPECT_NEAR(simulation.signal("seen"), std::numbers::pi / 4, 1e-9);
  Simulation pushed(parsed(text + "forces: {brake: {load: a, force: [0, 0, \"-100*seen\"]}}\n"));
  pushed.advance(1);
  EXPECT_LT(pushed.signal("seen"), 0.5);
  EXPECT_LT(pushed.body("a").velocity().z(), 1);
}

TEST(Extension, ResultsHaveColumnsOfItsOwnSignalAndBlock) {
  Simulation simulation(
      parsed("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}, at: [0, 4, 0], velocity: [3, 0, 5]}}\n"
             "signals: {seen: {elevation: [ground, a]}}\n"
             "control: {y: {smooth-square: body.a.velocity.x, time: 0.2}}\n"
             "run: {end: 1}\noutputs: {every: 0.25}\n"));
  const std::string path = testing::TempDir() + "own.h5";
  ASSERT_EQ(simulation.run({.results = path}).status, RunStatus::finished);
  const ResultsReader results(path);
  const std::vector<double> t = results.read("time"), seen = results.read("signal.seen"),
                            y = results.read("signal.y");
  ASSERT_EQ(t.size(), 5u);
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(seen[k], std::atan2(5 * t[k], std::hypot(3 * t[k], 4)), 1e-9);
    EXPECT_NEAR(y[k], 9 * (1 - std::exp(-t[k] / 0.2)), 1e-4);
  }
  EXPECT_EQ(results.find("signal.seen").unit, "rad");
}

TEST(Extension, ACommandOfItsOwnBesideHookes) {
  const std::string path = testing::TempDir() + "own.yaml";
  std::ofstream(path) << model;
  program::Program program;
  program.catalog = own_catalog();
  program.commands.push_back(add_mass);
  const auto run = [&](std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = program.run(static_cast<int>(words.size()), arguments.data());
    return std::to_string(code) + testing::internal::GetCapturedStdout() +
           testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(run({"own", "mass", path}), "01.5 kg\n");
  EXPECT_THAT(run({"own", "check", path}), HasSubstr("beads"));
  EXPECT_THAT(run({"own", "schema"}), HasSubstr("on-cylinder"));
  EXPECT_THAT(run({"own", "mas", path}), HasSubstr("did you mean 'mass'?"));
}

TEST(Extension, AllFiveRunFromOneFile) {
  FullPivotSolver::factorizations = 0;
  Simulation simulation(parsed(model));
  const Summary summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  EXPECT_EQ(summary.integrator, "symplectic-euler");
  EXPECT_EQ(summary.solver, "full-pivot");
  EXPECT_GT(FullPivotSolver::factorizations, 0);
  EXPECT_TRUE(summary.is_conservative);
  EXPECT_LT(summary.energy_drift, 2e-2 * summary.largest_kinetic_energy);
  EXPECT_LT(summary.position_violation, 1e-8);
}

/// A method of Hooke's own on the same model: the errors of the other fall with its first order.
TEST(Extension, OwnIntegratorConvergesToHookes) {
  Simulation reference(parsed(model, {"run.integrator=generalized-alpha", "run.solver=auto"}));
  reference.advance(0.2);
  const Vec3 exact = reference.body("weight").position();
  std::vector<double> errors;
  for (const char* step : {"run.step=4e-4", "run.step=2e-4"}) {
    Simulation simulation(parsed(model, {step}));
    simulation.advance(0.2);
    errors.push_back((simulation.body("weight").position() - exact).norm());
  }
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.2);
  EXPECT_EQ(reference.body("thread").nodes().size(), 5u);
}

TEST(Extension, MistakesAreReportedAsForHookesOwn) {
  const auto complaint = [](const std::string& from, const std::string& to) -> std::string {
    std::string text = model;
    text.replace(text.find(from), from.size(), to);
    try {
      Simulation simulation(parsed(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("strength: 3", "strength: -3"), HasSubstr("own.yaml:11"));
  EXPECT_THAT(complaint("strength: 3", "strenght: 3"), HasSubstr("did you mean 'strength'?"));
  EXPECT_THAT(complaint("magnet: weight", "magnet: wieght"), HasSubstr("did you mean 'weight'?"));
  EXPECT_THAT(complaint("beads:", "baeds:"), HasSubstr("did you mean 'beads'?"));
  EXPECT_THAT(complaint("symplectic-euler", "symplectic-eular"),
              HasSubstr("did you mean 'symplectic-euler'?"));
  EXPECT_THAT(complaint("full-pivot", "full-pivto"), HasSubstr("did you mean 'full-pivot'?"));
}

TEST(Extension, SchemaTablesAndWrittenFilesKnowThem) {
  const Catalog catalog = own_catalog();
  const std::string all = std::string(model) +
                          "signals: {seen: {elevation: [ground, weight]}}\n"
                          "control: {y: {smooth-square: seen, time: 0.2}}\n"
                          "drives: {motor: {run-up: axle, rate: 6, time: 0.5}}\n";
  std::string tables;
  for (const auto& [name, table] : model_tables(catalog)) tables += name + "\n" + table;
  const std::string schema = model_schema(catalog), written = write_model(parsed(all));
  for (const char* word : {"beads", "on-cylinder", "magnet", "symplectic-euler", "full-pivot", "elevation",
                           "smooth-square", "run-up"}) {
    EXPECT_THAT(schema, HasSubstr(word));
    EXPECT_THAT(written, HasSubstr(word));
  }
  for (const char* word : {"beads", "on-cylinder", "magnet", "elevation", "smooth-square", "run-up"})
    EXPECT_THAT(tables, HasSubstr(word)) << "the others have no keys";
  EXPECT_EQ(write_model(parsed(written)), written);
}

}  // namespace
}  // namespace own
