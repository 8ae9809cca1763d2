// No heap allocation inside a step after the first. Every way to the heap is counted: malloc and its
// relatives are replaced in this program, which catches Eigen, the standard library and SuiteSparse alike.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/signal_settings.h"
#include "hooke/integrators/settings.h"
#include "hooke/integrators/stabilised_explicit.h"
#include "hooke/joints/joints.h"
#include "hooke/simulation/force_displacement.h"
#include "hooke/simulation/simulation.h"
#include "support/crank.h"

namespace {
long allocations = 0;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_count = false;  // the sanitizer has replaced them already
#else
constexpr bool can_count = true;
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) { return ++allocations, __libc_calloc(n, size); }
void* realloc(void* p, std::size_t size) { return ++allocations, __libc_realloc(p, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return ++allocations, __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return ++allocations, __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  ++allocations;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
}
#endif

namespace hooke::test {
namespace {

/// Allocations in each of twenty steps, the last two longer and shorter so that the tangent is renewed.
std::vector<long> count_by_step(Integrator& integrator, State state) {
  std::vector<long> counts;
  for (int i = 0; i < 20; ++i) {
    const double h = i == 18 ? 2e-3 : i == 19 ? 5e-4 : 1e-3;
    const long before = allocations;
    const bool accepted = integrator.step(state, h).accepted;
    const long after = allocations;
    EXPECT_TRUE(accepted);
    counts.push_back(after - before);
  }
  return counts;
}

void expect_none_after_the_first(Integrator& integrator, const Ready& model) {
  const std::vector<long> counts = count_by_step(integrator, model.start());
  for (std::size_t i = 1; i < counts.size(); ++i) EXPECT_EQ(counts[i], 0) << "step " << i;
}

/// A machine with a spring, friction, a drive and a formula.
Model busy_machine() {
  Model model = slider_crank();
  model.forces["spring"] = SpringSettings{.between = {"ground", "slider"},
                                          .points = {Vec3(0.6, 0, 0.1), Vec3(0.2, 0, 0)},
                                          .law = {.law = LawFormula{"30*(x - 0.3) + 2*v + sin(t)"}}};
  model.joints["A"].get_if<RevoluteSettings>()->friction = FrictionSettings{.viscous = 0.01, .coulomb = 0.1};
  model.bodies.push_back(rigid("fan", 0.1, {1e-4, 1e-4, 1e-4}, {0, 0.5, 0}));
  model.joints.push_back(joint("shaft", "revolute", "ground", "fan", Vec3(0, 0.5, 0), unit_y));
  model.signals["speed"] = FormulaSignal{{"joint.A.angle.rate + sin(t)"}};
  model.control["pid"] = PidBlock{.input = {"1 - speed"}, .kp = 1e-3, .ki = 1e-3, .kd = 1e-4};
  model.control["late"] = DelayBlock{.input = {"pid"}, .time = 0.01};
  model.forces["brake"] =
      JointForceSettings{.coordinate = "A", .law = {.law = LawFormula{"-pid - 0.1*late"}}};
  model.drives["motor"] = JointDriveSettings{.joint = "shaft", .function = Function::expression("3*t^2")};
  return model;
}

class NoAllocation : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!can_count) GTEST_SKIP() << "the heap is the sanitizer's";
    const long before = allocations;
    VectorX::Zero(100).eval();
    ASSERT_GT(allocations, before) << "the counter does not count";
  }
};

INSTANTIATE_TEST_SUITE_P(With, NoAllocation, ::testing::Values("dense", "klu", "dca"),
                         [](const auto& test) { return test.param; });

TEST_P(NoAllocation, InAStepOfGeneralizedAlpha) {
  const Ready machine(busy_machine());
  for (const ConstraintForm form : {ConstraintForm::index3, ConstraintForm::stabilised})
    for (const Projection projection : {Projection::none, Projection::velocity, Projection::acceleration}) {
      GeneralizedAlpha integrator(
          machine.system(),
          {AlphaParameters::generalized_alpha(0.8), form, projection, {.solver = GetParam()}});
      expect_none_after_the_first(integrator, machine);
    }
}

TEST_P(NoAllocation, InAStepOfDaeAlpha) {
  const Ready machine(busy_machine());
  for (const DaeAlphaIteration iteration :
       {DaeAlphaIteration::newton, DaeAlphaIteration::split, DaeAlphaIteration::modified}) {
    DaeAlpha integrator(machine.system(),
                        {AlphaParameters::generalized_alpha(0.8), iteration, {.solver = GetParam()}});
    expect_none_after_the_first(integrator, machine);
  }
}

TEST_P(NoAllocation, InAStepOfEnergyMomentum) {
  const Ready machine(busy_machine()), top(heavy_top());
  for (const double rho : {1.0, 0.8})
    for (const Ready* of : {&machine, &top}) {
      EnergyMomentum integrator(of->system(), {.rho = rho, .newton = {.solver = GetParam()}});
      expect_none_after_the_first(integrator, *of);
    }
}

TEST_P(NoAllocation, InAStepOfDormandPrince) {
  const Ready machine(busy_machine());
  DormandPrince integrator(machine.system(), {.solver = GetParam()});
  expect_none_after_the_first(integrator, machine);
}

TEST_P(NoAllocation, InAStepOfStabilisedOde) {
  const Ready machine(busy_machine());
  StabilisedAlpha implicit(machine.system(), {.newton = {.solver = GetParam()}});
  expect_none_after_the_first(implicit, machine);
  StabilisedExplicit runge_kutta(machine.system(), {.solver = GetParam()}, StageTable::dormand_prince(), 1.0);
  expect_none_after_the_first(runge_kutta, machine);
  StabilisedExplicit chebyshev(machine.system(), {.solver = GetParam()}, StageTable::chebyshev(20), 20);
  expect_none_after_the_first(chebyshev, machine);
}

/// The slider crank with a flexible rod that a spring pulls at, away from a node.
TEST_P(NoAllocation, InAStepWithFlexibleRods) {
  RodSettings rod;
  rod.section = CircleSection{8.21e-3};
  rod.material = MaterialSettings{2.07e11, 0.29, 7870};
  rod.damping.times.setConstant(1e-6);
  rod.elements = 3;
  CosseratSettings cosserat;
  AncfSettings ancf;
  FfrfSettings ffrf;
  for (RodSettings* settings : {static_cast<RodSettings*>(&cosserat), static_cast<RodSettings*>(&ancf),
                                static_cast<RodSettings*>(&ffrf)})
    *settings = rod;
  for (const AnyBody& formulation : {AnyBody(cosserat), AnyBody(ancf), AnyBody(ffrf)}) {
    SCOPED_TRACE(formulation.name());
    Model model = slider_crank();
    model.bodies["rod"].formulation = formulation;
    model.forces["spring"] = SpringSettings{.between = {"ground", "rod"},
                                            .points = {Vec3(0.6, 0, 0.1), Vec3(0.11, 0.045, 0.09)},
                                            .law = {.stiffness = 10, .damping = 1}};
    const Ready machine(model);
    GeneralizedAlpha integrator(machine.system(), {.newton = {.solver = GetParam()}});
    expect_none_after_the_first(integrator, machine);
  }
}

/// A soft solid that bends far, tied to a stiffer one of another size, all steps of one length. Where the
/// frame of one begins to count in the matrix, that needs memory and a factor of its own; nothing else does.
TEST_F(NoAllocation, InAStepWithSolids) {
  System system;
  const auto add = [&](int divisions, double x, double young) {
    CorotationalSolid solid(std::make_shared<const SolidModel>(
        box_mesh(Vec3(1, 0.1, 0.1), {divisions, 1, 1}),
        std::vector{SolidMaterial::isotropic({young, 0.3, 1000})}, SolidOptions{}));
    solid.start.p.x() = x;
    const int body = system.add_body(solid, "bar");
    return [&system, solid, body](const Vec3& at) {
      return system.add_frame<CorotationalSolid>(
          body, solid.attach_node(solid.model->mesh.nearest_node(at - solid.start.p)), false);
    };
  };
  const auto soft = add(8, 0.5, 1e5), stiff = add(5, 1.5, 1e6);
  for (double y : {-0.05, 0.05})
    for (double z : {-0.05, 0.05}) {
      system.add_constraint(joints::Spherical{},
                            std::array{system.add_ground_frame({identity3, Vec3(0, y, z)}), soft({0, y, z})},
                            "clamp");
      system.add_constraint(joints::Spherical{}, std::array{soft({1, y, z}), stiff({1, y, z})}, "tie");
    }
  system.finish(Vec3(0, 0, -9.81));
  GeneralizedAlpha integrator(system, {.newton = {.solver = "schur"}});
  State state = system.initial_state();
  int allocating = 0;
  for (int i = 0; i < 120; ++i) {
    const long before = allocations;
    ASSERT_TRUE(integrator.step(state, 5e-3).accepted);
    allocating += allocations > before;
  }
  EXPECT_LE(allocating, 5);
  EXPECT_LT(state.q.minCoeff(), -0.3);
}

/// UMFPACK makes a new numeric object in every factorisation, by its own design. Nothing but that allocates.
TEST_F(NoAllocation, UmfpackAllocatesWhenItFactorizesAndOnlyThen) {
  if (!SolverCatalog().why_not("umfpack").empty()) GTEST_SKIP() << "not in this build";
  const Ready machine(busy_machine());
  GeneralizedAlpha integrator(machine.system(), {.newton = {.reuse_rate = 10, .solver = "umfpack"}});
  State state = machine.start();
  int quiet = 0;
  for (int i = 0; i < 20; ++i) {
    const long before = allocations;
    const StepReport report = integrator.step(state, 1e-4);
    const long after = allocations;
    ASSERT_TRUE(report.accepted);
    if (i == 0) continue;
    EXPECT_EQ(after - before > 0, report.factorizations > 0);
    quiet += report.factorizations == 0;
  }
  EXPECT_GT(quiet, 5);
}

/// Contacts that last, rigid and compliant, once places and islands have been seen.
TEST_F(NoAllocation, InAStepWithContacts) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"rolling", {}},
      {"rolling", {"contacts={floor: {between: [ball, floor], stiffness: 1e6, friction: 0.2}}"}},
      {"incline", {}}};
  for (const auto& [model, changes] : cases) {
    Simulation simulation(load(HOOKE_ROOT "/models/contact/" + model + ".yaml", changes));
    for (int i = 0; i < 5; ++i) simulation.step();
    const long before = allocations;
    for (int i = 0; i < 20; ++i) simulation.step();
    EXPECT_EQ(allocations - before, 0) << model << (changes.empty() ? "" : ", compliant");
  }
}

/// Contacts that come and go, once there were as many as there will be; impacts, too, after which the integrator begins afresh.
TEST_F(NoAllocation, InAStepWithNewContacts) {
  for (const char* model : {"rocking_block", "woodpecker", "stack"}) {
    Simulation simulation(load(HOOKE_ROOT "/models/contact/" + std::string(model) + ".yaml"));
    const double end = simulation.problem().run.end;
    while (simulation.time() < 0.5 * end) simulation.step();
    long most = 0;
    while (simulation.time() < end) {
      const long before = allocations;
      simulation.step();
      most = std::max(most, allocations - before);
    }
    EXPECT_EQ(most, 0) << model;
  }
}

/// Rods that touch each other, by either law, nodes on the faces of a solid, and a heap that has come to lie.
TEST_F(NoAllocation, InAStepWithRodsFacesAndHeaps) {
  const std::string rods =
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  a: {cosserat: &rod {section: {circle: 0.01}, material: {young: 1e8, poisson: 0.3, density: 1000}, "
      "length: 0.4, elements: 4, damping: 1e-2}, at: [-0.2, 0, 0.0302], axes: {z: x}}\n"
      "  b: {cosserat: *rod, at: [-0.1, -0.2, 0.0101], axes: {z: y}}\n"
      "  c: {cosserat: *rod, at: [0.1, -0.2, 0.0101], axes: {z: y}}\n"
      "surfaces: {a: {rod: {radius: 0.01}, body: a}, b: {rod: {radius: 0.01}, body: b}, c: {rod: {radius: "
      "0.01}, body: c}, floor: {half-space: [0, 0, 1]}}\nrun: {step: 1e-3, end: 0.4}\ncontacts: ";
  std::string balls = "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n", surfaces = "surfaces:\n", names;
  for (int k = 0; k < 10; ++k) {
    balls += formatted("  b{}: {{rigid: {{mass: 1, inertia: 0.001}}, at: [{}, {}, {}]}}\n", k,
                       k < 9 ? 0.101 * (k % 3) : 0.05, k < 9 ? 0.101 * (k / 3) : 0.05, k < 9 ? 0.0501 : 0.15);
    surfaces += formatted("  b{}: {{sphere: 0.05, body: b{}}}\n", k, k);
    names += formatted("{}b{}", k ? ", " : "", k);
  }
  const std::string
      heap = balls + surfaces + "  floor: {half-space: [0, 0, 1]}\ncontacts: {all: {among: [" + names +
             ", floor], law: rigid, friction: 0.5, restitution: 0}}\nrun: {step: 1e-3, end: 0.6}\n",
      compliant = "stiffness: 1e4, exponent: 1, damping: 5, friction: {coefficient: 0.3, bristle: 1e-5}",
      rigid = "law: rigid, restitution: 0, friction: 0.3";
  const auto all_rods = [&](const std::string& law) {
    return rods + "{rods: {between: [a, [b, c]], " + law + "}, floor: {between: [[a, b, c], floor], " + law +
           "}}\n";
  };
  const std::string path =
      (std::filesystem::temp_directory_path() / formatted("hooke_allocation_{}.yaml", ::getpid())).string();
  for (const std::string& text : {all_rods(compliant), all_rods(rigid), heap, std::string()}) {
    std::ofstream(path) << text;
    Simulation simulation(
        load(text.empty() ? HOOKE_ROOT "/models/contact/solid_on_solid.yaml" : path, {"run.threads=1"}));
    const double end = std::min(0.6, simulation.problem().run.end);
    while (simulation.time() < 0.6 * end) simulation.step();
    long most = 0;
    while (simulation.time() < end) {
      const long before = allocations;
      simulation.step();
      most = std::max(most, allocations - before);
    }
    EXPECT_EQ(most, 0) << (text.empty() ? "solids" : text.substr(text.find("contacts"), 200));
  }
}

/// A macro step of a force-displacement coupling: extrapolation, both sides, the exchange.
TEST_F(NoAllocation, InAMacroStep) {
  for (const char* forces : {"exact", "approximate"})
    for (const char* order : {"jacobi", "gauss-seidel"}) {
      const std::string path = "coupling.force-displacement.";
      const Simulation simulation(
          load(HOOKE_ROOT "/models/coupled/cable.yaml",
               {path + "forces=" + forces, path + "order=" + order, path + "motion_degree=2",
                "subsystems.manipulator={bodies: [carriage, arm, hand], integrator: linearly-implicit, "
                "steps: 2}"}));
      const auto coupled = make_force_displacement(simulation.problem(), simulation.built());
      const std::vector<long> counts = count_by_step(*coupled, simulation.start().state);
      for (std::size_t i = 1; i < counts.size(); ++i) EXPECT_EQ(counts[i], 0) << forces << ", step " << i;
    }
}

}  // namespace
}  // namespace hooke::test
