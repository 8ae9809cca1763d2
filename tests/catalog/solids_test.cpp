// Solids in models: clamped and loaded, joined to other bodies, and what is said when that cannot be.

#include "hooke/analysis/statics.h"
#include "hooke/catalog/build.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/simulation/simulation.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;

SolidSettings bar(Corotation corotation, std::array<int, 3> divisions = {10, 1, 1}) {
  SolidSettings solid;
  solid.mesh = BoxMesh{Vec3(1, 0.05, 0.05), divisions};
  solid.material = MaterialSettings{2e11, 0.3, 7850};
  solid.corotation = corotation;
  return solid;
}

RigidSettings bob() { return {.mass = 2.0, .inertia = {0.01 * identity3, true}}; }

Model cantilever(SolidSettings solid) {
  Model model;
  model.bodies["bar"] = {solid, {.at = Vec3(0.5, 0, 0)}};
  model.joints["clamp"] = TieSettings{.between = {"ground", "bar.x_min"}};
  return model;
}

double tip_deflection(const Model& model) {
  const BuiltModel built = build(model);
  State state = built.system->initial_state();
  const StaticResult result = find_equilibrium(*built.system, state, NewtonSettings{});
  EXPECT_TRUE(result.converged) << result.failure;
  double lowest = 0;
  const auto before = built.system->nodes(0, built.system->initial_state()),
             after = built.system->nodes(0, state);
  for (std::size_t n = 0; n < before.size(); ++n) lowest = std::min(lowest, after[n].p.z() - before[n].p.z());
  return -lowest;
}

/// A beam with a force at the end, given as a load on a frame fitted to the end, on its corners, and as a
/// surface load.
TEST(Solids, BendLikeABeam) {
  const double force = 100, beam = force / (3 * 2e11 * std::pow(0.05, 4) / 12);
  for (const Corotation corotation : {Corotation::component, Corotation::element}) {
    Model model = cantilever(bar(corotation));
    model.forces["load"] = LoadSettings{.on = "bar.x_max", .force = {{0, 0, -force}}};
    EXPECT_NEAR(tip_deflection(model) / beam, 1, 0.02);
    model.forces.clear();
    for (double y : {-0.025, 0.025})
      model.forces.emplace_back(
          "corner", LoadSettings{.on = "bar", .at = Vec3(1, y, 0.025), .force = {{0, 0, -force / 2}}});
    EXPECT_NEAR(tip_deflection(model) / beam, 1, 0.02);
    SolidSettings pressed = bar(corotation);
    pressed.surface_loads = {{.nodes = "x_max", .traction = Vec3(0, 0, -force / 0.0025)}};
    EXPECT_NEAR(tip_deflection(cantilever(pressed)) / beam, 1, 0.02);
  }
}

/// The same swing, of a bar on a hinge through a frame fitted to its end, by both formulations and two
/// solvers.
TEST(Solids, SwingTheSameInAllFormulations) {
  const auto end = [&](Corotation corotation, const char* solver,
                       SolidTangent tangent = SolidTangent::exact) {
    Model model;
    model.gravity = Vec3(0, 0, -9.81);
    SolidSettings settings = bar(corotation);
    settings.tangent = tangent;
    model.bodies["bar"] = {settings, {.at = Vec3(0.5, 0, 0)}};
    model.bodies["bob"] = {bob(), {.at = Vec3(1, 0, 0)}};
    model.joints["hinge"] =
        RevoluteSettings{.between = {"ground", "bar.x_min"}, .at = Vec3(0, 0, 0), .axis = unit_y};
    model.joints["weld"] = FixedSettings{.between = {"bar.x_max", "bob"}};
    const BuiltModel built = build(model);
    State state = built.system->initial_state();
    GeneralizedAlpha integrator(*built.system, {.newton = {.tolerance = 1e-13, .solver = solver}});
    for (int n = 0; n < 100; ++n) {
      const StepReport report = integrator.step(state, 5e-3);
      if (!report.accepted) throw std::runtime_error(report.failure);
    }
    return built.system->motion(1, state).pose.p;
  };
  const Vec3 full = end(Corotation::element, "schur");
  EXPECT_GT((full - unit_x).norm(), 0.5);
  EXPECT_MATRIX_NEAR(end(Corotation::element, "klu"), full, 1e-7);
  EXPECT_MATRIX_NEAR(end(Corotation::element, "schur", SolidTangent::constant), full, 1e-6);
  EXPECT_MATRIX_NEAR(end(Corotation::component, "schur"), full, 1e-4);
  EXPECT_MATRIX_NEAR(end(Corotation::component, "klu"), full, 1e-4);
}

/// A bar cut into two that are tied is the bar.
TEST(Solids, TiedPartsActAsOne) {
  Model whole = cantilever(bar(Corotation::element));
  whole.gravity = Vec3(0, 0, -9.81);
  Model parts = whole;
  SolidSettings half = bar(Corotation::element);
  half.mesh = BoxMesh{Vec3(0.5, 0.05, 0.05), {5, 1, 1}};
  parts.bodies["bar"] = {half, {.at = Vec3(0.25, 0, 0)}};
  parts.bodies["rest"] = {half, {.at = Vec3(0.75, 0, 0)}};
  parts.joints["cut"] = TieSettings{.between = {"bar.x_max", "rest.x_min"}};
  const auto lowest = [](const Model& model) {
    const BuiltModel built = build(model);
    State state = built.system->initial_state();
    EXPECT_TRUE(find_equilibrium(*built.system, state, NewtonSettings{}).converged);
    double z = 0;
    for (int b = 0; b < built.system->bodies(); ++b)
      for (const FramePose& node : built.system->nodes(b, state)) z = std::min(z, node.p.z());
    return z;
  };
  EXPECT_NEAR(lowest(parts), lowest(whole), 1e-10);
}

/// Deepest point of a cantilever of 16 elements, cut into components.
double deflection(SolidSettings solid, int components, SolidCut how, double push) {
  solid.mesh = BoxMesh{Vec3(1, 0.02, 0.01), {16, 1, 1}};
  solid.components = components;
  solid.cut = how;
  Model model = cantilever(solid);
  model.forces["load"] = LoadSettings{.on = "bar.x_max", .force = {{0, 0, -push}}};
  const BuiltModel built = build(model);
  EXPECT_EQ(built.bodies.size(), static_cast<std::size_t>(components));
  State state = built.system->initial_state();
  const char* solver = solid.corotation == Corotation::element ? "klu" : "schur";
  const StaticResult result = find_equilibrium(*built.system, state, NewtonSettings{.solver = solver});
  EXPECT_TRUE(result.converged) << result.failure;
  double lowest = 0;
  for (int b = 0; b < built.system->bodies(); ++b)
    for (const FramePose& node : built.system->nodes(b, state)) lowest = std::min(lowest, node.p.z());
  return -lowest;
}

/// Bent by a quarter of its length: the more components the better, by METIS as by slabs.
TEST(Solids, BendFarInSeveralComponents) {
  const double exact = deflection(bar(Corotation::element, {16, 1, 1}), 1, SolidCut::longest, 400);
  EXPECT_GT(exact, 0.2);
  const auto error = [&](int components, SolidCut how) {
    return std::abs(deflection(bar(Corotation::component, {16, 1, 1}), components, how, 400) / exact - 1);
  };
  EXPECT_LT(error(8, SolidCut::longest), 0.25 * error(4, SolidCut::longest));
  EXPECT_LT(error(16, SolidCut::longest), 0.1 * error(8, SolidCut::longest));
  EXPECT_NEAR(error(8, SolidCut::metis) / error(8, SolidCut::longest), 1, 1e-3);  // the same cuts here
}

/// A pressure that follows turns with the faces. What that changes is of second order in the deflection,
/// which is 3 % off with eight components.
TEST(Solids, PressuresFollowTheFaces) {
  const auto depth = [](Corotation corotation, bool follower) {
    SolidSettings solid = bar(corotation, {16, 1, 1});
    solid.surface_loads = {{.nodes = "z_max", .pressure = 2e4, .follower = follower}};
    return deflection(solid, corotation == Corotation::component ? 8 : 1, SolidCut::longest, 0);
  };
  const double element = depth(Corotation::element, true) - depth(Corotation::element, false),
               component = depth(Corotation::component, true) - depth(Corotation::component, false);
  EXPECT_GT(std::abs(element), 5e-4);
  EXPECT_NEAR(component / element, 1, 0.1);
}

/// Each element a component: the limit in which a component is the element's own frame.
TEST(Solids, PressuresFollowComponentsOfOneElement) {
  const auto depth = [](Corotation corotation, int components) {
    SolidSettings solid = bar(corotation, {16, 1, 1});
    solid.surface_loads = {{.nodes = "z_max", .pressure = 2e4, .follower = true}};
    return deflection(solid, components, SolidCut::longest, 0);
  };
  EXPECT_NEAR(depth(Corotation::component, 16) / depth(Corotation::element, 1), 1, 1e-3);
}

/// A node set tied to a rigid body is a rigid patch.
TEST(Solids, NodesCanBeTiedToARigidBody) {
  Model model = cantilever(bar(Corotation::component));
  model.gravity = Vec3(0, 0, -9.81);
  model.bodies["bob"] = {bob(), {.at = Vec3(1, 0, 0)}};
  model.joints["weld"] = TieSettings{.between = {"bob", "bar.x_max"}};
  const BuiltModel built = build(model);
  State state = built.system->initial_state();
  ASSERT_TRUE(find_equilibrium(*built.system, state, NewtonSettings{}).converged);
  const auto nodes = built.system->nodes(0, state);
  const FramePose bob = built.system->motion(1, state).pose;
  EXPECT_LT(bob.p.z(), -1e-4);
  int held = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 at_rest = built.system->nodes(0, built.system->initial_state())[i].p;
    if (at_rest.x() < 1 - 1e-9) continue;
    EXPECT_MATRIX_NEAR(nodes[i].p, bob.p + bob.R * (at_rest - Vec3(1, 0, 0)), 1e-8);
    ++held;
  }
  EXPECT_EQ(held, 4);
}

std::string complaint(const Model& model) {
  try {
    build(model);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "built";
}

TEST(Solids, ExplainWhatCannotBe) {
  Model model = cantilever(bar(Corotation::component));
  model.joints["clamp"] = TieSettings{.between = {"ground", "bar.root"}};
  EXPECT_THAT(complaint(model), HasSubstr("joints.clamp.tie[1]: body 'bar' has no frame named 'root'"));
  model = cantilever(bar(Corotation::component));
  model.joints["clamp"] = TieSettings{.between = {"ground", "bar"}};
  EXPECT_THAT(complaint(model), HasSubstr("ties node sets of solids"));
  model = cantilever(bar(Corotation::component));
  model.bodies["bar"].frames["tip"].nodes = "end";
  model.joints["hinge"] = RevoluteSettings{.between = {"ground", "bar.tip"}};
  EXPECT_THAT(complaint(model),
              HasSubstr("bodies.bar.frames.tip.nodes: the mesh has no node set 'end'; it has x_max, x_min"));
  model = cantilever(bar(Corotation::component));
  model.bodies["other"].formulation = bar(Corotation::component);
  model.joints["cut"] = TieSettings{.between = {"bar.x_max", "other.x_min"}};
  EXPECT_THAT(complaint(model), HasSubstr("the meshes must match there"));
  SolidSettings pieces = bar(Corotation::component);
  pieces.components = 11;
  EXPECT_THAT(complaint(cantilever(pieces)),
              HasSubstr("a mesh of 10 elements cannot be cut into 11 components"));
  pieces.components = 2;
  model = cantilever(pieces);
  model.joints["hinge"] = RevoluteSettings{.between = {"ground", "bar.z_min"}, .axis = unit_y};
  EXPECT_THAT(complaint(model), HasSubstr("belong to several components"));
}

/// Body by body, unless springs act on it, which that solver leaves out of its matrix.
TEST(Solids, HaveTheirSolverByDefault) {
  Problem problem;
  problem.model = cantilever(bar(Corotation::component));
  const auto chosen = [&] { return choose_solver(Simulation(problem).system().structure()); };
  EXPECT_EQ(chosen(), "schur");
  EXPECT_EQ(Simulation(problem).run_settings().solver.name(), "auto");  // the user's words stay as they are
  problem.model.forces["spring"] = SpringSettings{
      .between = {"ground", "bar"}, .points = {Vec3(0, 0, 1), zero3}, .law = {.stiffness = 1e6}};
  EXPECT_NE(chosen(), "schur");
}

}  // namespace
}  // namespace hooke::test
