// A model in parts: the parts, iterated, move as the whole does.
#include "hooke/coupling/adapter/coupled_integrator.h"
#include "hooke/coupling/adapter/whole_response.h"

#include <gmock/gmock.h>

#include "hooke/integrators/march.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"
#include "hooke/simulation/split.h"
#include "hooke/simulation/subsystems.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;
using Split = std::vector<std::vector<int>>;  ///< bodies of each subsystem

std::vector<Subsystem> subsystems(const BuiltModel& built, const Split& split, int steps = 1) {
  Problem problem;
  for (const auto& bodies : split) {
    SubsystemSettings entry{.steps = steps};
    for (int b : bodies) entry.bodies.push_back(built.bodies[b]);
    problem.subsystems[fmt::format("part{}", problem.subsystems.size())] = entry;
  }
  return subsystems_of(problem, built);
}

StabilisedAlphaSettings settings() {
  return {AlphaParameters::generalized_alpha(0.8), {}, {.tolerance = 1e-13}};
}
CouplingSettings coupling(Acceleration acceleration = Acceleration::iqn_ils,
                          CouplingScheme scheme = CouplingScheme::gauss_seidel, double tolerance = 1e-12,
                          Response response = Response::step) {
  return {.scheme = scheme, .acceleration = acceleration, .response = response, .tolerance = tolerance};
}

double apart(const Dae& dae, const State& a, const State& b) {
  VectorX x;
  dae.minus(a.q, b.q, x);
  return size_of(x, dae);
}

/// Coupled runs of a model, each beside the monolithic one.
struct Comparison {
  const Ready& model;
  double h;
  int steps;
  std::string solver = "auto";

  StabilisedAlphaSettings settings() const {
    return {AlphaParameters::generalized_alpha(0.8), {}, {.tolerance = 1e-13, .solver = solver}};
  }
  State whole() const {
    StabilisedAlpha integrator(model.system(), settings());
    return integrate(integrator, model.start(), uniform_grid(0, h * steps, steps)).back();
  }
  State in_parts(const Split& split, const CouplingSettings& how, double* iterations = nullptr,
                 std::shared_ptr<Team> team = nullptr) const {
    CoupledIntegrator integrator(model.system(), subsystems(model.built(), split), settings(), how,
                                 std::move(team));
    const State end = integrate(integrator, model.start(), uniform_grid(0, h * steps, steps)).back();
    if (iterations) *iterations = integrator.relaxation().iterations();
    return end;
  }
};

/// An error e that the iteration leaves of x is e/h in v, in every step anew: what it may add up to.
double tolerable(const Comparison& compare, double tolerance) {
  return 10 * compare.steps * tolerance / compare.h * (compare.h * compare.steps);
}

TEST(Coupled, SliderCrankMovesAsTheWholeWhereverItIsCut) {
  // One solver for all: where two meet (auto: dca and dense), Jacobi of three subsystems stalls at 1.3e-12.
  const Comparison compare{Crank::instance(), 1e-3, 200, "dense"};
  const State whole = compare.whole();
  const Split splits[] = {{{0, 1}, {2}}, {{0}, {1, 2}}, {{0, 2}, {1}}, {{0}, {1}, {2}}, {{2}, {0}, {1}}};
  for (const Split& split : splits)
    for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi})
      for (const Response response : {Response::inertia, Response::step})
        for (const double tolerance : {1e-9, 1e-12}) {
          const State parts =
              compare.in_parts(split, coupling(Acceleration::iqn_ils, scheme, tolerance, response));
          EXPECT_LT(apart(compare.model.system(), whole, parts), tolerable(compare, tolerance));
          if (tolerance > 1e-12) continue;
          EXPECT_LT((whole.v - parts.v).norm(), 1e-6 * whole.v.norm());
          EXPECT_LT((whole.lambda - parts.lambda).norm(), 1e-5 * whole.lambda.norm());
        }
}

/// The published iteration, in which each subsystem evaluates all: the same step.
TEST(Coupled, WholeResponseFindsTheSameStep) {
  const Comparison compare{Crank::instance(), 1e-3, 200, "dense"};
  const State whole = compare.whole();
  for (const Split& split : {Split{{0, 1}, {2}}, Split{{0}, {1}, {2}}})
    for (const Acceleration acceleration : {Acceleration::none, Acceleration::iqn_ils}) {
      const CouplingSettings how =
          coupling(acceleration, CouplingScheme::gauss_seidel, 1e-12, Response::whole);
      WholeResponse integrator(compare.model.system(), subsystems(compare.model.built(), split),
                               compare.settings(), how);
      const State parts = integrate(integrator, compare.model.start(),
                                    uniform_grid(0, compare.h * compare.steps, compare.steps))
                              .back();
      EXPECT_LT(apart(compare.model.system(), whole, parts), tolerable(compare, 1e-12));
      EXPECT_GE(integrator.relaxation().iterations(), 2);  // the last one sees that it is done
    }
}

/// A gear over three subsystems, a drive, springs, angles followed over turns: all of them cut.
TEST(Coupled, WhateverJoinsThemMayBeCut) {
  Model model;
  model.gravity = {0, 0, -9.81};
  for (const int i : {0, 1, 2}) {
    model.bodies.push_back(rigid(fmt::format("wheel{}", i), 1 + i, {0.1, 0.2, 0.1}, {1.0 * i, 0, 0.1 * i}));
    model.joints.push_back(joint(fmt::format("axle{}", i), "revolute", i == 2 ? "wheel1" : "ground",
                                 fmt::format("wheel{}", i), Vec3(i, 0, 0), unit_y));
  }
  model.bodies["wheel1"].angular_velocity = Vec3(0, 8, 0);
  model.joints["mesh"] = GearSettings{.between = {"axle0", "axle2"}, .ratio = 2};
  model.forces["spring"] = SpringSettings{.between = {"wheel0", "wheel2"},
                                          .points = {Vec3(0.2, 0, 0), Vec3(2, 0, 0.3)},
                                          .law = {.stiffness = 40, .damping = 0.5}};
  model.forces["torsion"] = TorsionSpringSettings{
      .between = {"wheel1", "wheel2"}, .at = Vec3(2, 0, 0), .axis = unit_y, .law = {.stiffness = 3}};
  model.drives["motor"] =
      JointDriveSettings{.joint = "axle2", .function = Function::expression("0.5*sin(3*t)")};
  const Ready machine(model);
  const Comparison compare{machine, 2e-3, 100};
  const State whole = compare.whole();
  for (const Response response : {Response::inertia, Response::step})
    for (const Split& split : {Split{{0}, {1}, {2}}, Split{{0, 1}, {2}}}) {
      const State parts = compare.in_parts(
          split, coupling(Acceleration::iqn_ils, CouplingScheme::gauss_seidel, 1e-12, response));
      EXPECT_LT(apart(machine.system(), whole, parts), tolerable(compare, 1e-12));
      EXPECT_LT((whole.memory - parts.memory).norm(), 1e-6);
    }
}

/// Explicit subsystems exchange the values at all stages: their step is the explicit step of the whole.
TEST(Coupled, ExplicitSubsystemsMoveAsTheWholeWhereverItIsCut) {
  Model flexible = slider_crank();
  flexible.bodies["rod"].formulation =
      ffrf(6).make(rod(CircleSection{8.21036e-3}, 2.07e9, 0.29, 7870, 0.3), 2);
  const Ready soft(flexible);
  struct Case {
    const Ready& model;
    double h;
    OdeMethod method;
    double beta_h;
  };
  for (const auto& [model, h, method, beta_h] :
       {Case{Crank::instance(), 1e-3, OdeMethod::explicit_runge_kutta, 1},
        Case{Crank::instance(), 1e-3, OdeMethod::chebyshev, 20},
        Case{soft, 2e-5, OdeMethod::explicit_runge_kutta, 1}}) {
    constexpr int steps = 100;
    const NewtonSettings newton{.tolerance = 1e-13};
    StabilisedExplicit monolithic(model.system(), newton, stage_table(method, beta_h), beta_h);
    const State whole = integrate(monolithic, model.start(), uniform_grid(0, h * steps, steps)).back();
    for (const Split& split : {Split{{0, 1}, {2}}, Split{{0, 2}, {1}}, Split{{0}, {1}, {2}}})
      for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi}) {
        auto parts = subsystems(model.built(), split);
        for (Subsystem& part : parts) part.method = method;
        CoupledIntegrator integrator(model.system(), parts, {.newton = newton},
                                     coupling(Acceleration::iqn_ils, scheme), nullptr, beta_h);
        const State end = integrate(integrator, model.start(), uniform_grid(0, h * steps, steps)).back();
        EXPECT_LT(apart(model.system(), whole, end), 10 * steps * 1e-12 * steps) << integrator.note();
        EXPECT_LT((whole.v - end.v).norm(), 1e-6 * whole.v.norm());
        EXPECT_LT((whole.lambda - end.lambda).norm(), 1e-5 * whole.lambda.norm());
      }
  }
}

/// One subsystem explicit, in short steps, the other implicit.
TEST(Coupled, SubsystemsMayBeAdvancedDifferently) {
  const Crank& crank = Crank::instance();
  const auto make = [&] {
    auto parts = subsystems(crank.built(), {{0, 1}, {2}});
    parts[1].method = OdeMethod::explicit_runge_kutta;
    parts[1].steps = 2;
    return std::make_unique<CoupledIntegrator>(crank.system(), parts, settings(), coupling());
  };
  const Orders mixed = measure_orders(crank.system(), crank.start(), 0.2, make, uniform_grid, 100, 2, 4,
                                      [&](const Grid& times) { return crank.exact(times); });
  EXPECT_GT(mixed.q, 1.8) << describe(mixed);
  EXPECT_GT(mixed.v, 1.8) << describe(mixed);
}

/// Finite elements: two bars on a hinge, the first on a rigid arm.
TEST(Coupled, SolidsMayBeSubsystems) {
  SolidSettings solid;
  solid.mesh = BoxMesh{Vec3(1, 0.1, 0.1), {6, 1, 1}};
  solid.material = MaterialSettings{1e7, 0.3, 1000};
  for (const Corotation corotation : {Corotation::component, Corotation::element})
    for (const char* solver : {"auto", "schur"}) {
      solid.corotation = corotation;
      Model model;
      model.gravity = {0, 0, -9.81};
      model.bodies = {rigid("arm", 5, {0.1, 0.1, 0.1}, {0.25, 0, 0}),
                      {"bar1", {solid, {.at = Vec3(1, 0, 0)}}},
                      {"bar2", {solid, {.at = Vec3(2, 0, 0)}}}};
      model.joints = {joint("A", "revolute", "ground", "arm", zero3, unit_y),
                      joint("B", "revolute", "arm", "bar1.x_min", Vec3(0.5, 0, 0), unit_y),
                      joint("C", "revolute", "bar1.x_max", "bar2.x_min", Vec3(1.5, 0, 0), unit_y)};
      const Ready machine(model);
      const Comparison compare{machine, 2e-3, 30, solver};
      const State whole = compare.whole();
      const State parts = compare.in_parts({{0, 1}, {2}}, coupling());
      EXPECT_LT(apart(machine.system(), whole, parts), tolerable(compare, 1e-12)) << solver;
      const CouplingSettings at_once = coupling(Acceleration::iqn_ils, CouplingScheme::jacobi);
      const State alone = compare.in_parts({{0, 1}, {2}}, at_once);
      const State together = compare.in_parts({{0, 1}, {2}}, at_once, nullptr, std::make_shared<Team>(2));
      EXPECT_EQ(alone.q, together.q) << solver << ", with threads";
    }
}

TEST(Coupled, EveryAccelerationFindsTheSameMotion) {
  const Comparison compare{Crank::instance(), 2e-3, 100};
  const State whole = compare.whole();
  for (const Acceleration acceleration : {Acceleration::none, Acceleration::aitken, Acceleration::iqn_ils})
    EXPECT_LT(apart(compare.model.system(), whole, compare.in_parts({{0, 1}, {2}}, coupling(acceleration))),
              tolerable(compare, 1e-12));
}

TEST(Coupled, QuasiNewtonSavesIterations) {
  const Ready links(chain(16));
  const Comparison compare{links, 0.02, 25};
  const State whole = compare.whole();
  const Split split = propose_split(links.system(), 4);
  for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi}) {
    double plain = 0, quick = 0;
    const State a =
        compare.in_parts(split, coupling(Acceleration::none, scheme, 1e-12, Response::inertia), &plain);
    const State b =
        compare.in_parts(split, coupling(Acceleration::iqn_ils, scheme, 1e-12, Response::inertia), &quick);
    EXPECT_LT(apart(links.system(), whole, a), tolerable(compare, 1e-12));
    EXPECT_LT(apart(links.system(), whole, b), tolerable(compare, 1e-12));
    EXPECT_GT(plain, 1.2 * quick) << plain << ' ' << quick;
  }
}

/// The paper's case 2 with steps ten times those at which its ANCF rod no longer converged.
TEST(Coupled, StiffRodsConvergeInLongSteps) {
  for (const RodType& type : {cosserat(2), ancf(), ffrf(6)}) {
    Model model = slider_crank();
    model.bodies["rod"].formulation = type.make(rod(CircleSection{8.21036e-3}, 2.07e11, 0.29, 7870, 0.3), 2);
    const Ready machine(model);
    const Comparison compare{machine, 1e-3, 20};
    const State whole = compare.whole();
    const Split split = {{0, 2}, {1}};
    double plain = 0, quick = 0;
    const State parts = compare.in_parts(split, coupling(), &quick);
    EXPECT_LT(apart(machine.system(), whole, parts), tolerable(compare, 1e-12)) << type.name;
    compare.in_parts(
        split, coupling(Acceleration::none, CouplingScheme::gauss_seidel, 1e-12, Response::inertia), &plain);
    EXPECT_GT(plain, 1.5 * quick) << type.name << ' ' << plain << ' ' << quick;
  }
}

/// A subsystem with steps of its own sees the others interpolated: by the cubic as accurately as the whole in
/// macro steps, by straight lines with first order.
TEST(Coupled, DifferentStepsKeepTheOrder) {
  const Crank& crank = Crank::instance();
  const auto measure = [&](const MakeIntegrator& make) {
    return measure_orders(crank.system(), crank.start(), 0.2, make, uniform_grid, 100, 2, 4,
                          [&](const Grid& times) { return crank.exact(times); });
  };
  const auto with = [&](int interpolation) {
    return measure([&, interpolation] {
      auto parts = subsystems(crank.built(), {{0, 1}, {2}});
      parts[1].steps = 3;
      CouplingSettings how = coupling();
      how.interpolation = interpolation;
      return std::make_unique<CoupledIntegrator>(crank.system(), parts, settings(), how);
    });
  };
  const Orders whole = measure([&] { return std::make_unique<StabilisedAlpha>(crank.system(), settings()); });
  const Orders cubic = with(3), straight = with(1);
  EXPECT_GT(cubic.v, 1.8) << describe(cubic);
  EXPECT_NEAR(cubic.lambda, 2, 0.15) << describe(cubic);
  EXPECT_NEAR(straight.v, 1, 0.15) << describe(straight);
  for (std::size_t i = 0; i < whole.errors.size(); ++i)
    EXPECT_LT(cubic.errors[i].q, 1.5 * whole.errors[i].q) << describe(cubic) << '\n' << describe(whole);
}

TEST(Coupled, ThreadsDoNotChangeTheResult) {
  const Ready links(chain(8));
  const Comparison compare{links, 1e-3, 30};
  const Split split = propose_split(links.system(), 4);
  const CouplingSettings how = coupling(Acceleration::iqn_ils, CouplingScheme::jacobi);
  const State alone = compare.in_parts(split, how);
  const State together = compare.in_parts(split, how, nullptr, std::make_shared<Team>(3));
  EXPECT_EQ(alone.q, together.q);
  EXPECT_EQ(alone.v, together.v);
}

/// A macro step that does not converge is taken back and tried again with half its size.
TEST(Coupled, AStepThatFailsIsTakenBack) {
  const Crank& crank = Crank::instance();
  CouplingSettings how = coupling(Acceleration::none, CouplingScheme::gauss_seidel, 1e-12, Response::inertia);
  how.iterations = 3;
  CoupledIntegrator integrator(crank.system(), subsystems(crank.built(), {{0, 1}, {2}}), settings(), how);
  State state = crank.start();
  const StepReport report = integrator.step(state, 0.02);
  EXPECT_FALSE(report.accepted);
  EXPECT_THAT(report.failure, HasSubstr("of 'part1'"));
  EXPECT_EQ(state.q, crank.start().q);
  EXPECT_EQ(state.t, 0);

  March march(crank.system(), integrator, {.end = 0.1, .step = 0.02});
  march.run(state);
  EXPECT_GT(march.totals().rejected, 0);
  EXPECT_NEAR(state.t, 0.1, 1e-12);
}

TEST(Coupled, TheMacroStepFollowsATolerance) {
  const Crank& crank = Crank::instance();
  CoupledIntegrator integrator(crank.system(), subsystems(crank.built(), {{0, 1}, {2}}), settings(),
                               coupling());
  March march(crank.system(), integrator, {.end = 0.2, .step = 1e-3, .tolerance = 1e-7});
  State state = crank.start();
  march.run(state);
  EXPECT_LT(apart(crank.system(), state, crank.exact({0.2}).back()), 1e-4);
  EXPECT_GT(march.totals().steps, 20);
}

TEST(Subsystems, AreProposedOfEqualSizeWithFewCuts) {
  const BuiltModel links = build(chain(64));
  for (const int parts : {1, 2, 3, 8, 64}) {
    const Split split = propose_split(*links.system, parts);
    ASSERT_EQ(split.size(), parts);
    std::vector<int> part_of(64, -1);
    for (int p = 0; p < parts; ++p) {
      EXPECT_NEAR(static_cast<double>(split[p].size()), 64.0 / parts, 1);
      for (int b : split[p]) part_of[b] = p;
    }
    EXPECT_EQ(std::count(part_of.begin(), part_of.end(), -1), 0);
    EXPECT_EQ(cut_constraints(*links.system, part_of).size(), parts - 1);
  }
}

const char* const crank_file = R"(
hooke: 1
bodies:
  arm: {rigid: {mass: 1, inertia: 1}, at: [1, 0, 0]}
  bob: {rigid: {mass: 1, inertia: 1}, at: [2, 0, 0]}
joints:
  A: {spherical: [ground, arm], at: [0, 0, 0]}
  B: {spherical: [arm, bob], at: [1.5, 0, 0]}
run: {integrator: stabilised-ode, step: 1e-3, end: 0.01}
gravity: [0, 0, -9.81]
)";

std::string message_for(const std::string& more) {
  try {
    Diagnostics diagnostics;
    Problem file = parse_model(crank_file + more, "m.yaml", {}, diagnostics);
    diagnostics.throw_if_errors();
    Simulation(std::move(file)).run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Subsystems, OfAProblemAreChecked) {
  EXPECT_EQ(message_for("subsystems: {one: [arm], two: {bodies: [bob], steps: 2}}"), "");
  EXPECT_EQ(message_for("subsystems: {one: [arm]}"), "");  // bob is the rest
  EXPECT_THAT(message_for("subsystems: {one: [arm], two: [bobb]}"), HasSubstr("m.yaml:11"));
  EXPECT_THAT(message_for("subsystems: {one: [arm], two: [bobb]}"),
              HasSubstr("no body named 'bobb' (did you mean 'bob'?)"));
  EXPECT_THAT(message_for("subsystems: {one: [arm, bob], two: [bob]}"),
              HasSubstr("'bob' belongs to subsystem 'one' already"));
  EXPECT_THAT(message_for("subsystems: {one: [arm, bob]}"), HasSubstr("all bodies are in one"));
  EXPECT_THAT(message_for("subsystems: {one: [arm], two: {bodies: [bob], steps: 0}}"),
              HasSubstr("at least 1"));
  EXPECT_THAT(message_for("subsystems: {one: [arm]}\ncoupling: {interpolation: 2}"), HasSubstr("1 or 3"));
}

TEST(Subsystems, MayHaveAMethodOfTheirOwn) {
  const auto with = [](const std::string& integrator) {
    return message_for("subsystems: {one: {bodies: [arm], steps: 2, integrator: " + integrator + "}}");
  };
  EXPECT_EQ(with("{stabilised-ode: {method: explicit}}"), "");
  EXPECT_EQ(with("{stabilised-ode: {method: chebyshev}}"), "");
  EXPECT_THAT(with("hht"), HasSubstr("m.yaml:11:19: subsystems.one.integrator: must be stabilised-ode"));
  EXPECT_THAT(with("{stabilised-ode: {rho: 0.1}}"), HasSubstr("rho and beta of run.integrator"));
}

TEST(Subsystems, NeedTheStabilisedForm) {
  Diagnostics diagnostics;
  Problem file = parse_model(std::string(crank_file) + "subsystems: {one: [arm]}", "m.yaml",
                             {"run.integrator=hht"}, diagnostics);
  EXPECT_THROW(Simulation(std::move(file)).run(), ModelError);
}

}  // namespace
}  // namespace hooke::test
