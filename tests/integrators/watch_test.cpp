// Runs that can be believed: the account of energy, steps that are refused, angles over many turns in a step, outputs
// between steps, singular positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "hooke/io/model/model_file.h"
#include "hooke/record/record.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test {
namespace {

const std::string root = HOOKE_ROOT;
const std::vector<std::string> all_integrators{
    "generalized-alpha", "hht",          "newmark",           "trapezoidal",
    "dae-alpha",         "dae-alpha-cs", "dae-alpha-cm",      "stabilised-ode",
    "dormand-prince",    "merson",       "linearly-implicit", "energy-momentum"};

Summary run(const std::string& model, std::vector<std::string> changes, const RunOptions& options = {}) {
  return Simulation(load(root + "/" + model, changes)).run(options);
}

// --- the account

TEST(EnergyAccount, ClosesWithDampersToTheOrderOfTheMethod) {
  const auto error = [](double h) {
    return run("models/mass_spring.yaml", {"run.end=2", "run.step=" + std::to_string(h)})
        .quality.energy_error;
  };
  EXPECT_NEAR(std::log2(error(4e-3) / error(2e-3)), 2, 0.2);
}

TEST(EnergyAccount, ClosesWithDrives) {
  const Summary s = run("models/crank_rocker_driven.yaml", {"run.analysis=dynamics"});
  EXPECT_GT(s.quality.energy_scale, 0);
  EXPECT_LT(s.quality.energy_error, 1e-3 * s.quality.energy_scale);
}

TEST(EnergyAccount, ClosesForADampedRodAndForADrivenSolid) {
  const Summary cable = run("models/flexible/cable.yaml", {"run.end=0.5", "run.step=2e-4"});
  EXPECT_LT(cable.quality.energy_error, 1e-3 * cable.quality.energy_scale);
  const Summary beams = run("models/flexible/solid_beam.yaml", {"run.end=0.2", "run.step=5e-4"});
  EXPECT_LT(beams.quality.energy_error, 2e-2 * beams.quality.energy_scale);
  const Summary elements =
      run("models/flexible/solid_beam.yaml",
          {"run.end=0.05", "run.step=5e-4", "bodies.beam.solid.corotation=element",
           "bodies.arm.solid.corotation=element", "bodies.arm.solid.mass_damping=5",
           "bodies.arm.solid.mesh.box.divisions=[4,1,1]", "bodies.beam.solid.mesh.box.divisions=[4,1,1]"});
  EXPECT_LT(elements.quality.energy_error, 2e-2 * elements.quality.energy_scale);
}

TEST(EnergyAccount, MultipliersThatAlternateAreNoEnergyInPlay) {
  const Summary s = run("tests/data/trust/jumping_drive.yaml", {});
  EXPECT_GT(s.quality.energy_error, 0.2 * s.quality.energy_scale);
  EXPECT_THAT(s.warnings, testing::Contains(testing::HasSubstr("the balance of energy is off")));
}

// --- drives

TEST(Drives, ThatJumpAreToldBeforeTheRun) {
  const auto jumps = [](const std::string& function) {
    const Simulation simulation(load(
        root + "/models/crank_rocker_driven.yaml",
        {"run.analysis=dynamics", "run.end=1", "drives={motor: {joint: A, function: " + function + "}}"}));
    std::string all;
    for (const std::string& warning : simulation.start().warnings) all += warning;
    return all;
  };
  EXPECT_THAT(jumps("floor(2*t)/10"), testing::HasSubstr("drives.motor: jumps by 0.1 m or rad at t = 0.5 s"));
  EXPECT_THAT(jumps("0.1*abs(t - 0.5)"), testing::Not(testing::HasSubstr("jumps")));
  EXPECT_THAT(jumps("sin(500*t)"), testing::Not(testing::HasSubstr("jumps")));
}

// --- bodies that are linear in a frame of their own

/// A cantilever that an end load bends by about half a radian.
const std::string bent = R"(
hooke: 1
bodies:
  strip:
    solid:
      mesh: {box: {size: [1, 0.05, 0.02], divisions: [20, 1, 1]}}
      material: {young: 1e8, poisson: 0, density: 1000}
      surface_loads: [{nodes: x_max, traction: [0, 0, -4000]}]
joints:
  wall: {tie: [ground, strip.x_min]}
run: {analysis: statics}
)";

std::string text_of(const std::string& file) {
  std::ifstream stream(root + "/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Summary run_text(const std::string& text, std::vector<std::string> changes, const RunOptions& options = {}) {
  Diagnostics diagnostics;
  const Problem problem = parse_model(text, "model", changes, diagnostics);
  diagnostics.throw_if_errors();
  return Simulation(problem).run(options);
}

TEST(LinearDeformation, IsToldWhereElementsTurnFar) {
  const auto warned = testing::Contains(
      testing::AllOf(testing::HasSubstr("elements of 'strip"), testing::HasSubstr("corotation: element")));
  EXPECT_THAT(run_text(bent, {}).warnings, warned);
  EXPECT_THAT(run_text(bent, {"bodies.strip.solid.corotation=element"}).warnings, testing::Not(warned));
  EXPECT_THAT(run_text(bent, {"bodies.strip.solid.surface_loads[0].traction=[0,0,-10]"}).warnings,
              testing::Not(warned));
}

/// A blade of first frequency 3.516 sqrt(EI/m)/L^2 = 1.15 rad/s; it turns at `speed`.
const std::string blade = R"(
hooke: 1
bodies:
  blade:
    ffrf: {length: 1, section: {rectangle: [0.02, 0.01]}, elements: 8, basis: clamped, modes: 4,
           material: {young: 1e8, poisson: 0.3, density: 7800}}
joints:
  hub: {revolute: [ground, blade.start], axis: [1, 0, 0]}
drives:
  turn: {joint: hub, function: {expression: 0.1*t}}
run: {end: 0.02, step: 1e-3}
)";

TEST(LinearDeformation, IsToldWhereABodyWithModesSpins) {
  const auto warned = testing::Contains(
      testing::AllOf(testing::HasSubstr("'blade' turns at"), testing::HasSubstr("stiffening: true")));
  EXPECT_THAT(run_text(blade, {}).warnings, testing::Not(warned));
  EXPECT_THAT(run_text(blade, {"drives.turn.function.expression=2*t"}).warnings, warned);
  EXPECT_THAT(
      run_text(blade, {"drives.turn.function.expression=2*t", "bodies.blade.ffrf.stiffening=true"}).warnings,
      testing::Not(warned));
}

// --- steps

TEST(Watch, SplitsAStepThatIsFarTooLongAndSaysSo) {
  const Summary s = run("models/pendulum.yaml", {"run.step=10", "run.end=20"});
  EXPECT_EQ(s.status, RunStatus::finished);
  EXPECT_GT(s.totals.steps, 20);
  EXPECT_LT(s.position_violation, 1e-6);
  EXPECT_THAT(s.warnings, testing::Contains(testing::HasSubstr("steps do not resolve the motion")));
}

TEST(Watch, SaysNothingOfAFineRun) {
  const Summary s = run("models/slider_crank.yaml", {"run.end=1"});
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_EQ(s.totals.rejected, 0);
  EXPECT_LT(s.quality.error, 1e-2);
  EXPECT_GT(s.quality.error, 0);
}

/// Newmark's own gamma makes it a method of order 1, whose errors of the velocity add up.
TEST(Watch, EstimatesWhatNewmarkLoses) {
  VectorX end;
  const RunOptions keep_end{.on_output = [&](const State& state, const SystemWorkspace&) { end = state.q; }};
  const auto moved = [&](const std::vector<std::string>& changes) {
    const Summary summary = run("models/pendulum.yaml", changes, keep_end);
    return std::pair(end, summary.quality.error);
  };
  const VectorX exact = moved({"run.end=2", "run.step=1e-4"}).first;
  for (const char* step : {"run.step=2e-3", "run.step=1e-2"}) {
    const auto [q, estimate] = moved({"run.end=2", "run.integrator=newmark", step});
    const double error = (q - exact).lpNorm<Eigen::Infinity>();
    EXPECT_GT(estimate, 0.3 * error) << step;
    EXPECT_LT(estimate, 30 * error) << step;
  }
}

/// A spring and a mass of 2.6 kHz: an implicit method steps over that, an explicit one would need a hundred pieces of a step.
TEST(Watch, DoesNotWaitForExplicitStepsOfAStiffModel) {
  const std::vector<std::string> stiff{"run.step=1e-2", "run.end=1", "parameters.k=1e8"};
  for (const char* name : {"dormand-prince", "merson"}) {
    std::vector<std::string> options = stiff;
    options.push_back("run.integrator=" + std::string(name));
    const Summary s = run("models/mass_spring.yaml", options);
    EXPECT_EQ(s.code, ExitCode::step_failed) << name;
    EXPECT_LT(s.totals.rejected, 200) << name;
    EXPECT_THAT(s.failure, testing::AllOf(testing::HasSubstr("the model is stiff"),
                                          testing::HasSubstr("or an implicit integrator")));
  }
  EXPECT_EQ(run("models/mass_spring.yaml", stiff).status, RunStatus::finished);
}

/// Dampers that take energy which was never there: the energy itself need not rise, and hardly does in the last two.
TEST(Watch, EndsARunWhoseDampersTakeMoreThanThereIs) {
  using Choice = std::pair<std::string, std::string>;
  for (const auto& [integrator, step] : {Choice("linearly-implicit", "5e-4"), Choice("hht", "5e-3"),
                                         Choice("dae-alpha-cs", "2e-3"), Choice("newmark", "5e-3")}) {
    const Summary s = run("models/flexible/slider_crank.yaml",
                          {"run.end=0.5", "run.step=" + step, "run.integrator=" + integrator,
                           "bodies.rod.cosserat.damping=1e-2", "outputs.every=0.01"});
    EXPECT_EQ(s.code, ExitCode::not_trusted) << integrator;
    EXPECT_THAT(s.failure, testing::HasSubstr("with what dampers took")) << integrator;
  }
}

/// Beams whose drive turns over as much as they release: both together are not what a gain is compared with. In the second the motion is
/// right to a thousandth, and dampers take 0.24 J of 1.7 J that was never there.
TEST(Watch, EndsARunWhoseGainIsATenthOfWhatIsReleased) {
  using Choice = std::tuple<std::string, std::string, std::string>;
  for (const auto& [integrator, step, damping] :
       {Choice("newmark", "0.02", "1e-4"), Choice("dae-alpha", "0.01", "1e-3")}) {
    const Summary s = run(
        "models/flexible/solid_beam.yaml",
        {"run.end=0.3", "run.step=" + step, "run.integrator=" + integrator,
         "bodies.beam.solid.stiffness_damping=" + damping, "bodies.arm.solid.stiffness_damping=" + damping});
    EXPECT_EQ(s.code, ExitCode::not_trusted) << integrator;
  }
}

/// A hose that starts with 56 kJ of compression has 150 J of it after 10 ms: 9 J from nowhere are much of that.
TEST(Watch, LooksAtTheAccountAnewWhereLittleIsLeft) {
  const Summary s =
      run("tests/data/trust/hose.yaml",
          {"run.end=0.1", "run.step=0.005", "run.integrator=dae-alpha-cm",
           "bodies.hose.cosserat.damping=1e-4", "bodies.hose.cosserat.elements=48", "outputs.every=0.01"});
  EXPECT_EQ(s.code, ExitCode::not_trusted);
  EXPECT_LT(s.quality.energy_error, 0.05 * s.quality.energy_scale);
}

/// An explicit method at the border of its stability feeds the damper of a stiff spring, by motions that are within the tolerance: the
/// account is off, with a warning, and the motion is right.
TEST(Watch, StepsThatFollowATightToleranceMayFeedDampersUnseen) {
  const Summary s = run("models/benchmarks/a05_flyball_governor.yaml",
                        {"run.integrator=dormand-prince", "run.tolerance=1e-5"});
  EXPECT_EQ(s.status, RunStatus::finished) << s.failure;
  EXPECT_GT(s.quality.energy_error, 0.1 * s.quality.energy_scale);
}

/// Nor does what they take hide a gain.
TEST(Watch, EndsARunThatHadMoreEnergyThanThereCanBe) {
  for (const char* integrator : {"hht", "linearly-implicit", "trapezoidal", "stabilised-ode"}) {
    const Summary s = run("models/flexible/slider_crank.yaml",
                          {"run.end=0.5", "run.step=1e-2", "run.integrator=" + std::string(integrator),
                           "bodies.rod.cosserat.damping=1e-2", "outputs.every=0.01"});
    EXPECT_EQ(s.code, ExitCode::not_trusted) << integrator;
    EXPECT_THAT(s.failure, testing::HasSubstr("more than at the start")) << integrator;
  }
}

/// An integrator that feeds a little energy in every step.
class Feeding final : public Integrator {
 public:
  std::string_view name() const override { return "feeding"; }
  int order() const override { return 1; }
  StepReport step(State& state, double h) override {
    state.t += h;
    state.v *= 1.01;
    StepReport report;
    report.accepted = true;
    return report;
  }
};

TEST(Watch, EndsARunWhoseEnergyGrowsFromNowhere) {
  Simulation simulation(load(root + "/models/slider_crank.yaml"));
  const System& system = simulation.system();
  Feeding feeding;
  Watch watch(system, true);
  March march(system, feeding, {.end = 10, .step = 0.1});
  march.watch = &watch;
  State state = simulation.state();
  watch.begin(state, 0.1);
  const auto workspace = system.workspace();
  march.on_output = [&](const State& at) {
    system.update(at, *workspace);
    watch.check(at.t, system.energy(at, *workspace), 0);
  };
  try {
    march.run(state);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_trusted);
    EXPECT_THAT(error.what(), testing::HasSubstr("feeds itself"));
  }
}

/// A body 1e16 m away: what it falls is nothing beside that, so nothing held it, and runs finished.
TEST(Watch, EndsARunWhoseJointsDoNotHold) {
  for (const char* model : {"far_four_bar", "far_bricard"}) {
    const Summary s = run("tests/data/trust/" + std::string(model) + ".yaml", {});
    EXPECT_EQ(s.code, ExitCode::not_trusted) << model;
    EXPECT_THAT(s.failure, testing::HasSubstr("the joints do not hold")) << model;
  }
}

TEST(Watch, StartsWhatAStepDoesNotResolveAsTheStepSeesIt) {
  for (const std::string integrator : {"generalized-alpha", "dae-alpha", "stabilised-ode", "hht"}) {
    const Summary s = run("tests/data/trust/sat_min.yaml", {"run.integrator=" + integrator});
    EXPECT_EQ(s.status, RunStatus::finished) << integrator;
    EXPECT_LT(s.quality.energy_error, 0.02 * s.quality.energy_scale) << integrator;
    EXPECT_LT(s.last_energy, 2.0) << integrator;
  }
}

/// Whichever rod the panel is, and whoever solves.
TEST(Watch, AHingeSpringOnAThinPanelFeedsNothing) {
  for (const std::string rod : {"cosserat", "ancf"})
    for (const std::string solver : {"dense", "sparse", "schur", "dca", "klu"})
      for (const std::string step : {"1e-3", "5e-3", "2e-2"}) {
        std::string text = text_of("tests/data/trust/sat_min.yaml");
        text.replace(text.find("cosserat"), 8, rod);
        const Summary s = run_text(text, {"run.solver=" + solver, "run.step=" + step});
        const std::string what = rod + ", " + solver + ", " + step;
        EXPECT_EQ(s.status, RunStatus::finished) << what << ": " << s.failure;
        EXPECT_LT(s.quality.energy_error, 0.02 * s.quality.energy_scale) << what;
      }
}

/// A bob on a distance joint: smaller steps are better, whatever is asked of Newton's iteration.
TEST(Watch, SmallerStepsOfADistanceJointAreBetter) {
  const std::string bob =
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {bob: {rigid: {mass: 1, shape: {sphere: 0.05}}, at: [1, 0, "
      "0]}}\njoints: {rod: {distance: [ground, bob]}}\nrun: {end: 0.5}\noutputs: {every: 0.01}\n";
  for (const std::string tolerance : {"1e-10", "1e-13"}) {
    const auto at = [&](const std::string& step) {
      return run_text(bob, {"run.newton_tolerance=" + tolerance, "run.step=" + step});
    };
    const Summary coarse = at("1e-4"), fine = at("2e-5");
    EXPECT_LT(fine.quality.energy_error, 0.06 * coarse.quality.energy_error) << tolerance;
    EXPECT_LT(fine.position_violation, 1e-14) << tolerance;
    EXPECT_LT(fine.velocity_violation, 1e-10) << tolerance;
  }
  // Where positions alone are constrained, an error of q is 1/h^2 of that in a, and those of an older tangent have one sign.
  for (const std::string projection : {"none", "velocity"}) {
    const auto error = [&](const std::string& step) {
      return run_text(bob,
                      {"run.integrator={generalized-alpha: {form: index3, projection: " + projection + "}}",
                       "run.step=" + step})
          .quality.energy_error;
    };
    EXPECT_LT(error("2e-5"), 0.5 * error("1e-4")) << projection;
  }
}

/// The reasons of refused steps name what moved: a body, its node, and whether it moved or turned.
TEST(Watch, SaysWhichStepWasRefusedAndWhy) {
  const Summary lost = run("models/pendulum.yaml", {"run.step=10", "run.end=20"});
  EXPECT_THAT(lost.totals.failure,
              testing::ContainsRegex("body 'rod', (rotation about|motion along) its . changes fastest"));
  const Summary fed =
      run("models/flexible/slider_crank.yaml", {"run.end=0.5", "run.step=5e-3", "run.integrator=hht",
                                                "bodies.rod.cosserat.damping=1e-2", "outputs.every=0.01"});
  EXPECT_THAT(fed.totals.failure,
              testing::ContainsRegex("the energy rises by .* J, which nothing supplies; "
                                     "body 'rod', node ., rotation about its . changes fastest"));
}

TEST(Watch, TellsAllThatIsWrong) {
  const Summary s = run("models/pendulum.yaml", {"run.step=10", "run.end=20"});
  EXPECT_GT(s.warnings.size(), 1u);
  EXPECT_THAT(s.warnings, testing::Contains(testing::HasSubstr("steps do not resolve the motion")));
  EXPECT_THAT(s.warnings, testing::Contains(testing::HasSubstr("errors of the steps add up")));
}

TEST(Watch, RulerGainsNoEnergyWithLongSteps) {
  for (const std::string damping : {"0", "1e-4", "1e-3", "1e-2"}) {
    const Summary s =
        run("tests/data/trust/ruler.yaml", {"run.step=0.01", "bodies.ruler.cosserat.damping=" + damping});
    if (s.status == RunStatus::failed) continue;
    // What the steps do not resolve of the damper may be missing in the account, which is then warned of.
    EXPECT_LT(s.last_energy, s.first_energy + 0.1 * s.quality.energy_scale) << damping;
    EXPECT_LT(s.largest_kinetic_energy, 0.3) << damping;
    EXPECT_TRUE(s.quality.energy_error < 0.02 * s.quality.energy_scale || !s.warnings.empty()) << damping;
  }
}

// --- step by step

const std::string motor_on_an_arm = R"(
hooke: 1
bodies:
  arm: {rigid: {mass: 1, shape: {box: [0.1, 1, 0.1]}}}
joints:
  pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: x}
forces:
  motor: {joint-force: pivot, active: -torque}
control:
  torque: {parameter: 2}
run: {step: 1e-3, end: 1}
)";

TEST(Stepping, IsWatchedLikeARun) {
  const std::vector<std::string> options{"run.step=10", "run.end=20"};
  Simulation simulation(load(root + "/models/pendulum.yaml", options));
  simulation.step();
  EXPECT_LT(simulation.time(), 9);
  simulation.advance(20);
  const Summary whole = run("models/pendulum.yaml", options);
  EXPECT_GT(simulation.quality().worst_error, 1e-2);
  EXPECT_LT(simulation.quality().energy_error, 2 * whole.quality.energy_error);
}

TEST(Stepping, HasTheAccountOfARun) {
  const Problem problem = load(root + "/models/mass_spring.yaml", {"run.end=0.5"});
  Record last;
  Simulation(problem).run({.on_record = [&](const Record& record) { last = record; }});
  Simulation simulation(problem), other(problem);
  simulation.advance(0.2);
  other.restore(simulation.snapshot());
  for (Simulation* each : {&simulation, &other}) {
    each->advance(0.5);
    const Watch::Balance balance = each->energy_balance();
    EXPECT_NEAR(balance.work.dissipated, last.dissipated, 1e-4 * last.dissipated);
    EXPECT_LT(std::abs(balance.error), 1e-3 * last.dissipated);
  }
  EXPECT_EQ(simulation.energy_balance().error, other.energy_balance().error);
  simulation.reset();
  EXPECT_EQ(simulation.energy_balance().work.dissipated, 0);
}

TEST(Stepping, CountsTheWorkOfAnInputThatChanges) {
  Diagnostics diagnostics;
  Simulation simulation(parse_model(motor_on_an_arm, "model", {}, diagnostics));
  diagnostics.throw_if_errors();
  simulation.advance(0.5);
  const double angle = simulation.joint("pivot").angle();
  simulation.set_input("torque", -1);
  simulation.advance(1);
  const Watch::Balance balance = simulation.energy_balance();
  const double work = 2 * angle - (simulation.joint("pivot").angle() - angle);
  EXPECT_NEAR(balance.work.net(), work, 1e-6 * work);
  EXPECT_LT(std::abs(balance.error), 1e-6 * work);
}

/// A motion that steps do not resolve: it goes on as it should or ends with an error, at the next look at its energy (every 16
/// steps), and what its account is off by is told.
TEST(Stepping, IsNeverWrongAndSilent) {
  for (const std::string integrator : {"generalized-alpha", "hht", "trapezoidal", "energy-momentum"})
    for (const std::string damping : {"0", "1e-4", "1e-3", "1e-2"}) {
      const std::string what = integrator + ", " + damping;
      Simulation simulation(load(
          root + "/tests/data/trust/ruler.yaml",
          {"run.step=0.01", "run.integrator=" + integrator, "bodies.ruler.cosserat.damping=" + damping}));
      const System& system = simulation.system();
      const auto workspace = system.workspace();
      const auto energy = [&] {
        system.update(simulation.state(), *workspace);
        return system.energy(simulation.state(), *workspace);
      };
      const double start = energy().total();
      bool is_told = false;
      int wrong_steps = 0;
      for (int i = 0; i < 200 && !is_told; ++i) {
        try {
          simulation.step();
        } catch (const Error& error) {
          is_told = error.code() == ExitCode::not_trusted || error.code() == ExitCode::step_failed;
        }
        if (is_told) break;
        wrong_steps = energy().total() - start < 0.1 * 0.29 ? 0 : wrong_steps + 1;
        ASSERT_LE(wrong_steps, 16) << what;
        ASSERT_LT(energy().kinetic, 0.32) << what;
      }
      const double off = std::abs(simulation.energy_balance().error);
      EXPECT_TRUE(is_told || off < 0.02 * 0.29 || simulation.quality().energy_error > 0.5 * off) << what;
    }
}

TEST(Stepping, EndsWhereJointsDoNotHold) {
  Simulation simulation(load(root + "/tests/data/trust/far_four_bar.yaml", {}));
  try {
    for (int i = 0; i < 1000; ++i) simulation.step();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_trusted);
  }
}

// --- turns

TEST(Turns, AreCountedWhateverTheStep) {
  for (const std::string& name : all_integrators) {
    const Summary fine = run("tests/data/trust/rotor.yaml", {"run.integrator=" + name});
    Simulation simulation(load(root + "/tests/data/trust/rotor.yaml", {"run.integrator=" + name}));
    simulation.advance(5);
    EXPECT_NEAR(simulation.joint("axle").angle(), 500, 1e-6) << name;
    EXPECT_NEAR(simulation.joint("rail").displacement(), -0.1 * 500, 1e-6) << name;
    EXPECT_EQ(fine.status, RunStatus::finished) << name;
  }
}

// --- outputs

TEST(Outputs, BetweenStepsSatisfyTheEquationsOfMotion) {
  for (const std::string name : {"dormand-prince", "generalized-alpha"}) {
    Simulation simulation(
        load(root + "/models/double_pendulum.yaml",
             {"run.integrator=" + name, "run.tolerance=1e-7", "run.end=2", "outputs.every=0.0137"}));
    const System& system = simulation.system();
    const auto workspace = system.workspace();
    VectorX r, g;
    double worst_r = 0, worst_g = 0, worst_gv = 0;
    simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      system.update(state, *workspace);
      system.residual(state, *workspace, r);
      worst_r = std::max(worst_r, r.lpNorm<Eigen::Infinity>());
      system.position_constraints(state, *workspace, g);
      worst_g = std::max(worst_g, g.lpNorm<Eigen::Infinity>());
      system.velocity_constraints(state, *workspace, g);
      worst_gv = std::max(worst_gv, g.lpNorm<Eigen::Infinity>());
    }});
    EXPECT_LT(worst_r, 1e-5) << name;
    EXPECT_LT(worst_g, 1e-8) << name;
    EXPECT_LT(worst_gv, 1e-6) << name;
  }
}

/// A step of many turns ends where it began, but for a part of a turn.
TEST(Outputs, BetweenStepsOfManyTurnsGoOnTurning) {
  for (const char* name : {"dormand-prince", "merson"}) {
    std::vector<double> spins;
    const std::string rotor = R"(
hooke: 1
bodies: {rotor: {rigid: {mass: 1, inertia: [1, 1, 2]}}}
joints: {axle: {revolute: [ground, rotor], at: [0, 0, 0], axis: z, start: {angle: {rate: 100}}}}
run: {end: 5, step: 0.1, tolerance: 1e-6}
outputs: {every: 0.13}
)";
    const auto keep = [&](const State& state, const SystemWorkspace&) { spins.push_back(state.v[5]); };
    const Summary s = run_text(rotor, {"run.integrator=" + std::string(name)}, {.on_output = keep});
    EXPECT_LT(s.totals.steps, 20) << name;
    EXPECT_LT(s.quality.energy_error, 1e-9 * s.quality.energy_scale) << name;
    for (double spin : spins) EXPECT_NEAR(spin, 100, 1e-9) << name;
  }
}

/// Outputs off the grid of fixed steps: equations of motion, joints and their velocities hold, by every method.
TEST(Outputs, BetweenFixedStepsAreSolutionsOfEveryMethod) {
  for (const std::string& name : all_integrators) {
    Simulation simulation(
        load(root + "/models/double_pendulum.yaml",
             {"run.integrator=" + name, "run.step=2e-3", "run.end=1", "outputs.every=0.0137"}));
    const System& system = simulation.system();
    const auto workspace = system.workspace();
    VectorX r, g;
    double forces = 0, apart = 0, parting = 0;
    int between = 0;
    simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      system.update(state, *workspace);
      system.residual(state, *workspace, r);
      forces = std::max(forces, r.lpNorm<Eigen::Infinity>());
      system.position_constraints(state, *workspace, g);
      apart = std::max(apart, g.lpNorm<Eigen::Infinity>());
      system.velocity_constraints(state, *workspace, g);
      parting = std::max(parting, g.lpNorm<Eigen::Infinity>());
      ++between;
    }});
    EXPECT_GT(between, 70) << name;
    EXPECT_LT(forces, 1e-3) << name;
    EXPECT_LT(apart, 1e-5) << name;
    // That method closes joints at the end of a step by the mean velocity over it.
    EXPECT_LT(parting, name == "linearly-implicit" ? 2e-2 : 1e-3) << name;
  }
}

TEST(Outputs, BetweenExplicitStepsAreAsAccurateAsTheSteps) {
  const auto last_of = [](const std::vector<std::string>& changes, double t) {
    Simulation simulation(load(root + "/models/double_pendulum.yaml", changes));
    State found;
    simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      if (std::abs(state.t - t) < 1e-9) found = state;
    }});
    return found;
  };
  const State fine = last_of(
      {"run.integrator=dormand-prince", "run.tolerance=1e-13", "run.end=1.1", "outputs.every=0.5"}, 1);
  const State dense =
      last_of({"run.integrator=dormand-prince", "run.tolerance=1e-8", "run.end=1.1", "outputs.every=0.5"}, 1);
  EXPECT_LT((fine.q - dense.q).norm(), 1e-6);
  EXPECT_LT((fine.v - dense.v).norm(), 1e-5);
  EXPECT_LT((fine.a - dense.a).norm(), 1e-4 * fine.a.norm());
  EXPECT_LT((fine.lambda - dense.lambda).norm(), 1e-4 * fine.lambda.norm());
}

// --- singular positions

TEST(SingularPositions, ArePassedAtEveryStepSizeBySolversAndIntegrators) {
  for (const std::string& integrator : all_integrators)
    for (const std::string step : {"1e-2", "2e-3", "1e-3", "5e-4"}) {
      const Summary s = run("tests/data/trust/fourbar_redundant.yaml",
                            {"run.integrator=" + integrator, "run.step=" + step, "run.end=2.8"});
      EXPECT_EQ(s.status, RunStatus::finished) << integrator << ", " << step << ": " << s.failure;
    }
  for (const std::string integrator : {"dormand-prince", "merson"})
    for (const std::string step : {"3e-4", "1e-4"}) {
      const Summary s = run("tests/data/trust/fourbar_redundant.yaml",
                            {"run.integrator=" + integrator, "run.step=" + step, "run.end=1.3"});
      EXPECT_EQ(s.status, RunStatus::finished) << integrator << ", " << step << ": " << s.failure;
    }
  for (const std::string integrator : {"dormand-prince", "merson"})
    for (const std::string step : {"1e-2", "1e-3", "5e-4"}) {
      const Summary s =
          run("tests/data/trust/fourbar_redundant.yaml",
              {"run.integrator=" + integrator, "run.step=" + step, "run.solver=dca", "run.end=4"});
      EXPECT_EQ(s.status, RunStatus::finished) << integrator << ", dca, " << step << ": " << s.failure;
    }
  for (const std::string solver : {"dense", "dca", "schur", "sparse", "klu"})
    for (const std::string step : {"1e-2", "2e-3", "1e-3", "5e-4", "1e-4"}) {
      const Summary s = run("tests/data/trust/fourbar_redundant.yaml",
                            {"run.solver=" + solver, "run.step=" + step, "run.end=2.8"});
      EXPECT_EQ(s.status, RunStatus::finished) << solver << ", " << step << ": " << s.failure;
    }
}

}  // namespace
}  // namespace hooke::test
