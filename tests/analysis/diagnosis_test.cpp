// When a run fails, the formula that is to blame is named, with the values of its variables; a motion that grows without
// bound ends; an explicit integrator says when the model is stiff.
#include "hooke/analysis/diagnosis.h"

#include <gmock/gmock.h>

#include <cmath>

#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// A mass of 1 kg on a slide along x, at 1 m and moving to the origin with 1 m/s, with what else is given.
Problem slide(const std::string& more, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  Problem problem = parse_model(R"(hooke: 1
bodies: {mass: {rigid: {mass: 1, inertia: 1}, at: [1, 0, 0], velocity: [-1, 0, 0]}}
joints: {slide: {prismatic: [ground, mass], at: [1, 0, 0], axis: x}}
run: {step: 1e-2, end: 1}
)" + more + "\n",
                                "m.yaml", overrides, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

std::string failure_of(const Problem& problem) {
  const Summary summary = Simulation(problem).run();
  EXPECT_EQ(summary.status, RunStatus::failed);
  return summary.failure;
}

std::string complaint_about(const Problem& problem) {
  try {
    Simulation simulation(problem);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

const char* const soft_until_half = "forces: {spring: {spring: [ground, mass], law: \"1e-3*sqrt(x - 0.5)\"}}";

TEST(NotFinite, EveryIntegratorNamesTheFormula) {
  for (const char* integrator :
       {"generalized-alpha", "dae-alpha", "dormand-prince", "merson", "stabilised-ode",
        "{stabilised-ode: {method: explicit}}", "linearly-implicit"})
    EXPECT_THAT(failure_of(slide(soft_until_half, {"run.integrator=" + std::string(integrator)})),
                AllOf(StartsWith("m.yaml:5:"),
                      HasSubstr("forces.spring.law: 1e-3*sqrt(x - 0.5) is not a number at x = 0.4"),
                      HasSubstr(", v = -1.0"), HasSubstr(", t = 0.4999"), HasSubstr("\nno step from t = "),
                      Not(HasSubstr("Try a smaller step"))))
        << integrator;
}

TEST(NotFinite, IsFoundStepByStepToo) {
  Simulation simulation(slide(soft_until_half));
  try {
    simulation.advance(1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::step_failed);
    EXPECT_THAT(error.what(), HasSubstr("forces.spring.law: 1e-3*sqrt(x - 0.5) is not a number"));
  }
  EXPECT_NEAR(simulation.time(), 0.5, 1e-2);
}

TEST(NotFinite, IsAMistakeInTheModelAtTheStart) {
  EXPECT_EQ(complaint_about(slide("forces: {spring: {spring: [ground, mass], law: \"sqrt(x - 2)\"}}")),
            "m.yaml:5:48: forces.spring.law: sqrt(x - 2) is not a number at x = 1, v = -1, t = 0 s");
  EXPECT_THAT(complaint_about(slide("forces: {spring: {spring: [ground, mass], elastic: \"1/(x - 1)\"}}")),
              HasSubstr("forces.spring.elastic: 1/(x - 1) is infinite at x = 1"));
  EXPECT_THAT(complaint_about(slide("forces: {push: {load: mass, force: [0, \"log(t)\", 0]}}")),
              HasSubstr("forces.push.force[1]: log(t) is infinite at t = 0 s"));
  EXPECT_THAT(complaint_about(slide("forces: {push: {load: mass, torque: [0, 0, \"sqrt(-1 + t)\"]}}")),
              HasSubstr("forces.push.torque[2]: sqrt(-1 + t) is not a number at t = 0 s"));
  EXPECT_THAT(complaint_about(slide("drives: {motor: {joint: slide, function: \"sqrt(t)\"}}")),
              HasSubstr("drives.motor.function: the rate of change of sqrt(t) is infinite at t = 0 s"));
}

TEST(NotFinite, LoadsAndDrivesOverTime) {
  EXPECT_THAT(failure_of(slide("forces: {push: {load: mass, force: [\"log(0.5 - t)\", 0, 0]}}")),
              HasSubstr("forces.push.force[0]: log(0.5 - t) is "));
  EXPECT_THAT(failure_of(slide("drives: {motor: {joint: slide, function: \"-t + (0.5 - t)^2.5\"}}")),
              HasSubstr("drives.motor.function: -t + (0.5 - t)^2.5 is not a number at t = 0.5"));
}

TEST(NotFinite, DerivativesCountWhereNewtonNeedsThem) {
  const std::string law = "forces: {drag: {joint-force: slide, law: \"sqrt(v + 1)\"}}";
  EXPECT_THAT(
      failure_of(slide(law)),
      HasSubstr("forces.drag.law: the derivative by v of sqrt(v + 1) is infinite at x = 0, v = -1, t = 0 s"));
}

TEST(NotFinite, CodeOfAProgram) {
  Problem problem = slide("");
  problem.model.forces["own"] = JointForceSettings{
      .coordinate = "slide",
      .law = {.code = Law::by_differences([](const LawInput& in) { return std::log(0.5 - in.t); })}};
  EXPECT_THAT(failure_of(problem), HasSubstr("forces.own.law: the law is "));
  problem = slide("");
  problem.model.forces["own"] = LoadSettings{
      .on = "mass",
      .force = {{Function::by_differences([](double t) { return t < 0.5 ? 0 : std::nan(""); }), 0, 0}}};
  EXPECT_THAT(failure_of(problem), HasSubstr("forces.own.force[0]: the function is not a number at t = 0.5"));
}

TEST(Astray, AMotionThatGrowsWithoutBoundEnds) {
  for (const char* integrator : {"dormand-prince", "generalized-alpha"}) {
    const Problem problem = slide("forces: {spring: {joint-force: slide, law: \"4*sin(3*t) - 1*v - 0.5*x\"}}",
                                  {"run.integrator=" + std::string(integrator), "run.end=1000"});
    const Summary summary = Simulation(problem).run();
    EXPECT_EQ(summary.status, RunStatus::failed);
    EXPECT_THAT(summary.failure, AllOf(StartsWith("the motion grows without bound: at t = "),
                                       HasSubstr("body 'mass' is "), HasSubstr("feeds energy in")));
    EXPECT_LT(summary.end, 30) << integrator;
  }
}

TEST(Astray, AFreeFallOfAnHourDoesNot) {
  const Summary summary = Simulation(slide("gravity: [9.81, 0, 0]", {"run.end=3600", "run.step=1"})).run();
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
}

/// What the integrator recommends after a run with a tolerance.
std::string advice(const std::string& law, const std::string& integrator, double tolerance, double end) {
  const Simulation simulation(slide(
      "forces: {soft: {joint-force: slide, law: \"sin(t)\"}, it: {joint-force: slide, law: \"" + law + "\"}}",
      {"run.integrator=" + integrator}));
  const auto method = make_integrator(simulation.system(), simulation.run_settings(), nullptr);
  March march(simulation.system(), *method, {.end = end, .step = 1e-2, .tolerance = tolerance});
  State state = simulation.start().state;
  march.run(state);
  return method->advice(false);
}

TEST(Stiffness, IsSaidByExplicitIntegrators) {
  for (const char* law : {"1e6*x", "1e4*v"})
    for (const char* integrator : {"dormand-prince", "merson"})
      EXPECT_THAT(advice(law, integrator, 1e-4, 1),
                  AllOf(HasSubstr("stability, not accuracy, limits the steps of " + std::string(integrator)),
                        HasSubstr("generalized-alpha")))
          << law;
}

TEST(Stiffness, IsNotSaidOfSoftModels) {
  for (const char* law : {"10*x", "10*v", "100*x + 5*v + x^3"})
    for (const double tolerance : {1e-4, 1e-6, 1e-9})
      EXPECT_THAT(advice(law, "dormand-prince", tolerance, 10), IsEmpty()) << law << ' ' << tolerance;
}

TEST(Stiffness, AFailureOfAnExplicitIntegratorNamesTheAlternative) {
  const std::string failure =
      failure_of(slide("forces: {stiff: {joint-force: slide, law: \"1e8*x\"}}", {"run.integrator=merson"}));
  EXPECT_THAT(failure, HasSubstr("generalized-alpha"));
}

}  // namespace
}  // namespace hooke
