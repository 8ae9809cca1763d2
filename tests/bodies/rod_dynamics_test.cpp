// Rods that vibrate, fly and turn, the same for every formulation.
#include <numbers>

#include "hooke/analysis/assembly.h"
#include "hooke/integrators/settings.h"
#include "support/convergence.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

using std::numbers::pi;

struct RodCase {
  RodType type;
  int elements;
  double tolerance;  ///< of frequencies with twice as many
};
void PrintTo(const RodCase& rod, std::ostream* stream) { *stream << rod.type.name; }

class RodDynamics : public ::testing::TestWithParam<RodCase> {
 protected:
  NamedBody body(const RodSettings& settings) const {
    return along_x(GetParam().type.make(settings, GetParam().elements), *settings.length);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, RodDynamics,
                         ::testing::Values(RodCase{cosserat(1), 24, 3e-3}, RodCase{cosserat(2), 8, 2e-4},
                                           RodCase{ancf(), 4, 5e-4}),
                         [](const auto& test) { return test.param.type.name; });

/// Frequency of a slender beam in bending, Hz.
double euler_bernoulli(double beta_l, double EI, double mass, double length) {
  return beta_l * beta_l / (2 * pi * length * length) * std::sqrt(EI / mass);
}

TEST_P(RodDynamics, ClampedAndFreeFrequenciesAreThoseOfASlenderBeam) {
  const double radius = 2e-3, EI = 2e11 * pi * std::pow(radius, 4) / 4, mass = 7800 * pi * radius * radius;
  const RodSettings settings = rod(CircleSection{radius}, 2e11, 0.3, 7800, 1);
  Model model = cantilever(GetParam().type, settings, 2 * GetParam().elements);
  const BuiltModel clamped = build(model);
  const auto modes = linearise(*clamped.system, clamped.system->initial_state()).modes;
  EXPECT_NEAR(modes[0].frequency / euler_bernoulli(1.87510407, EI, mass, 1), 1, GetParam().tolerance);
  EXPECT_NEAR(modes[1].frequency / modes[0].frequency, 1, 1e-9);
  EXPECT_NEAR(modes[2].frequency / euler_bernoulli(4.69409113, EI, mass, 1), 1, GetParam().tolerance);

  model.joints.clear();
  const BuiltModel free = build(model);
  const auto free_modes = linearise(*free.system, free.system->initial_state()).modes;
  std::vector<double> frequencies;
  for (const Mode& mode : free_modes)
    if (mode.frequency > 1) frequencies.push_back(mode.frequency);
  EXPECT_NEAR(frequencies[0] / euler_bernoulli(4.73004074, EI, mass, 1), 1, GetParam().tolerance);
  EXPECT_NEAR(frequencies[2] / euler_bernoulli(7.85320462, EI, mass, 1), 1, GetParam().tolerance);
}

/// By generalized-alpha with rho 0.9; the states at the times asked for.
std::vector<State> run(const Model& model, const BuiltModel& built, double step,
                       const std::vector<double>& times) {
  RunSettings settings;
  settings.integrator = GeneralizedAlphaChoice{{}, 0.9};
  const auto integrator = make_integrator(*built.system, settings);
  State state = assemble_start(model, built, {}, 0).state;
  std::vector<State> states;
  for (double t : times) {
    const int n = static_cast<int>(std::round((t - state.t) / step));
    states.push_back(state = integrate(*integrator, state, uniform_grid(state.t, t, n)).back());
  }
  return states;
}

/// Simo and Vu-Quoc (1986): a free, very soft rod, pushed and turned at one end for 5 s.
Model flying_spaghetti(AnyBody rod) {
  Model model;
  model.bodies["rod"] = {.formulation = std::move(rod), .between = {{Vec3(6, 0, 0), Vec3(0, 8, 0)}}};
  const auto ramp = [](double peak) {
    return Function::expression(fmt::format("{} * max(0, 1 - abs(t - 2.5)/2.5)", peak));
  };
  model.forces["push"] =
      LoadSettings{.on = "rod.start", .force = {{ramp(8), 0, 0}}, .torque = {{0, 0, ramp(-80)}}};
  return model;
}

Vec3 mass_centre(const std::vector<FramePose>& nodes) {  // by Simpson's rule
  Vec3 sum = zero3;
  const std::size_t last = nodes.size() - 1;
  for (std::size_t i = 0; i <= last; ++i)
    sum += (i == 0 || i == last ? 1.0 : i % 2 ? 4.0 : 2.0) / (3.0 * static_cast<double>(last)) * nodes[i].p;
  return sum;
}

/// What the load gave stays: its impulse, and its energy.
TEST_P(RodDynamics, FlyingSpaghetti) {
  if (GetParam().type.name == "ancf") GTEST_SKIP() << "no solid has this section";
  GeneralSection section;
  section.stiffness.matrix = (Vec6() << 1e4, 1e4, 1e4, 500, 500, 500).finished().asDiagonal();
  section.mass = 1;
  section.inertia = {Vec3(10, 10, 20).asDiagonal(), true};
  RodSettings settings;
  settings.section = section;
  settings.length = 10;
  const Model model = flying_spaghetti(GetParam().type.make(settings, GetParam().elements));
  const BuiltModel built = build(model);
  const System& system = *built.system;
  const auto states = run(model, built, 0.02, {6, 8, 10, 12});
  const auto centre = [&](int i) { return mass_centre(system.nodes(0, states[i])); };
  EXPECT_MATRIX_NEAR((centre(3) - centre(0)) / 6, Vec3(2, 0, 0), 1e-3);
  auto workspace = system.workspace();
  std::vector<double> energy;
  for (const State& state : states) {
    system.update(state, *workspace);
    energy.push_back(system.energy(state, *workspace).total());
    EXPECT_NEAR(energy.back() / energy[0], 1, 2e-4);
  }
}

/// The same for a solid section of that stiffness: circular and thin, so that strains stay small. (That of
/// the original has a rotary inertia that no solid has: I/A is 0.05 m^2 by its stiffness, 10 m^2 by its
/// mass.)
TEST_P(RodDynamics, FlyingSpaghettiOfASolidSection) {
  const double radius = 0.1, area = pi * radius * radius;
  const RodSettings settings =
      rod(CircleSection{radius}, 500 / (area * radius * radius / 4), 0.3, 1 / area, 10);
  const Model model = flying_spaghetti(GetParam().type.make(settings, 2 * GetParam().elements)),
              other = flying_spaghetti(cosserat(2).make(settings, 16));
  const BuiltModel built = build(model), reference = build(other);
  const auto states = run(model, built, 0.01, {3, 6, 9}), right = run(other, reference, 0.01, {3, 6, 9});
  auto workspace = built.system->workspace();
  std::vector<double> energy;
  for (int i = 0; i < 3; ++i) {
    const auto a = built.system->nodes(0, states[i]), b = reference.system->nodes(0, right[i]);
    EXPECT_LT((a.front().p - b.front().p).norm(), 0.01);  // of 10 m that flew 16 m
    EXPECT_LT((a.back().p - b.back().p).norm(), 0.01);
    built.system->update(states[i], *workspace);
    energy.push_back(built.system->energy(states[i], *workspace).total());
  }
  const auto centre = [&](int i) { return mass_centre(built.system->nodes(0, states[i])); };
  EXPECT_MATRIX_NEAR((centre(2) - centre(1)) / 3, Vec3(2, 0, 0), 1e-3);
  EXPECT_GT(energy[1], 100);
  EXPECT_NEAR(energy[2] / energy[1], 1, 1e-4);
}

/// A free rod under a load per length that is the same everywhere moves with it and does not bend.
TEST_P(RodDynamics, ADistributedLoadThatVariesInTime) {
  const RodSettings settings = rod(CircleSection{0.01}, 1e9, 0.3, 1000, 1);
  const double mass = 1000 * pi * 1e-4;
  for (const RodType& type : {GetParam().type, ffrf(6)}) {
    Model model;
    model.bodies = {along_x(type.make(settings, 4), 1)};
    const Function push = Function::expression(fmt::format("{}*sin(t)", mass));
    model.forces["wind"] = DistributedLoadSettings{.on = "rod", .force = {{0, push, 0}}};
    const BuiltModel built = build(model);
    const State end = run(model, built, 0.01, {2})[0];
    const auto nodes = built.system->nodes(0, end);
    for (const FramePose& node : nodes) {
      EXPECT_NEAR(node.p.y(), 2 - std::sin(2.0), 1e-4);
      EXPECT_NEAR(node.p.y(), nodes[0].p.y(), 1e-11);
    }
  }
}

/// Tip of the double pendulum after 0.5 s and 1 s.
std::array<Vec3, 2> falling_tip(const RodType& type, int elements, double young, double step) {
  const Model model = double_pendulum(type, elements, young);
  const BuiltModel built = build(model);
  const auto states = run(model, built, step, {0.5, 1});
  return {built.system->nodes(1, states[0]).back().p, built.system->nodes(1, states[1]).back().p};
}

/// Steel rods are the same to all formulations. What bends by a third of its length is beyond a floating
/// frame, whatever the number of its modes.
TEST(Rods, DoublePendulum) {
  const double steel = 2e11, soft = 2e8, step = 1e-3;
  const auto apart = [](const std::array<Vec3, 2>& a, const std::array<Vec3, 2>& b) {
    return std::max((a[0] - b[0]).norm(), (a[1] - b[1]).norm());
  };
  const auto stiff_tip = falling_tip(cosserat(2), 8, steel, step),
             soft_tip = falling_tip(cosserat(2), 8, soft, step);
  EXPECT_GT(apart(stiff_tip, soft_tip), 0.1);
  EXPECT_LT(apart(stiff_tip, falling_tip(ancf(), 8, steel, step)), 1e-5);
  EXPECT_LT(apart(stiff_tip, falling_tip(ffrf(12), 8, steel, step)), 1e-4);
  EXPECT_LT(apart(soft_tip, falling_tip(ancf(), 8, soft, step)), 1e-3);
  EXPECT_GT(apart(soft_tip, falling_tip(ffrf(12), 8, soft, step)), 0.1);
  EXPECT_GT(apart(soft_tip, falling_tip(ffrf(24), 16, soft, step)), 0.1);
}

/// All modes come in pairs; of each number of waves the ones across the plane first, then those in it.
TEST(Rods, ARodJoinedToItselfIsARing) {
  const Model model = Ring::model(2, 16);
  const BuiltModel built = build(model);
  const State start = assemble_start(model, built, {}, 0).state;
  std::vector<double> frequencies;
  for (const Mode& mode : linearise(*built.system, start).modes)
    if (mode.frequency > 1) frequencies.push_back(mode.frequency);
  for (int n : {2, 3})
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(frequencies[4 * (n - 2) + k] / Ring::frequency(n, k < 2 ? Ring::poisson : 0), 1, 0.005)
          << n;
}

/// Simo and Vu-Quoc's rotating beam (1987): spun up in 15 s (to 6 rad/s) it lags behind, then straightens and
/// is stretched.
struct SpinUp {
  double lag = 0, stretch = 0;
};
SpinUp spin_up(const RodType& type, int elements, double speed, double step = 0.01) {
  const double radius = std::sqrt(4 * 5e-4), area = pi * radius * radius;
  const RodSettings settings = rod(CircleSection{radius}, 2.8e7 / area, 0.3, 1.2 / area, 10);
  Model model;
  model.bodies = {along_x(type.make(settings, elements), 10)};
  model.joints["axle"] = RevoluteSettings{.between = {"ground", "rod.start"}, .at = zero3, .axis = unit_z};
  const std::string angle = "(t < 15 ? (t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))/15 : t - 7.5)";
  model.drives["motor"] = JointDriveSettings{
      .joint = "axle", .function = Function::expression(fmt::format("{}*{}", speed, angle))};
  const BuiltModel built = build(model);
  std::vector<double> times;
  for (int i = 1; i <= 160; ++i) times.push_back(0.1 * i);
  SpinUp result;
  for (const State& state : run(model, built, step, times)) {
    const auto nodes = built.system->nodes(0, state);
    const Vec3 tip = nodes.front().R.transpose() * (nodes.back().p - nodes.front().p);
    result.lag = std::max(result.lag, tip.head<2>().norm());
    result.stretch = tip.z() - 10;
  }
  return result;
}

TEST_P(RodDynamics, RotatingBeamLagsBehindAndIsStretched) {
  // stiff sections in world coordinates must not turn by more than about 0.04 in a step
  const SpinUp result =
      spin_up(GetParam().type, GetParam().elements, 6, GetParam().type.name == "ancf" ? 0.005 : 0.01);
  // rho omega^2 (x + u) + E u'' = 0:  u(L) = tan(k L)/k - L,  k^2 = rho omega^2 / E
  const double k = 6 * std::sqrt(1.2 / 2.8e7);
  EXPECT_NEAR(result.stretch / (std::tan(k * 10) / k - 10), 1, 0.01);
  EXPECT_NEAR(result.lag, 0.574, 0.002);
}

/// Linear modes know no stiffness from the centrifugal force: right for a slow beam, and a fifth too soft when it turns faster
/// than its first frequency of 3.8 rad/s.
TEST(FfrfRod, IsRightForSmallDeformation) {
  EXPECT_NEAR(spin_up(ffrf(8), 8, 0.5).lag / spin_up(cosserat(2), 4, 0.5).lag, 1, 0.003);
  EXPECT_NEAR(spin_up(ffrf(8), 8, 6).lag / 0.574, 1.19, 0.01);
}

void expect_stiffening(ModalBasis basis, RodReference reference = RodReference::start,
                       ModalMass mass = ModalMass::exact) {
  const RodType stiffening{"ffrf", [=](const RodSettings& rod, int elements) {
                             FfrfSettings settings = rod_of<FfrfSettings>(rod, elements);
                             settings.modes = 8, settings.basis = basis, settings.stiffening = true;
                             settings.reference = reference, settings.mass = mass;
                             return settings;
                           }};
  EXPECT_NEAR(spin_up(stiffening, 8, 0.5).lag / spin_up(cosserat(2), 4, 0.5).lag, 1, 0.003);
  EXPECT_NEAR(spin_up(stiffening, 8, 6).lag / 0.574, 1, 0.01);
}
TEST(FfrfRod, StiffensWhileItSpinsUp) { expect_stiffening(ModalBasis::clamped); }
/// With a mode of stretching, which bending shortens; and in a frame in which the held end moves.
TEST(FfrfRod, StiffensWhileItSpinsUpWithShapesOfBothEnds) {
  expect_stiffening(ModalBasis::craig_bampton);
  for (const ModalMass mass : {ModalMass::exact, ModalMass::constant})
    expect_stiffening(ModalBasis::craig_bampton, RodReference::mean, mass);
}
/// Where the frame's origin, in the middle of the rod, has an acceleration that stiffens.
TEST(FfrfRod, StiffensWhileItSpinsUpWithAConstantMassAndAFrameAtItsEnd) {
  expect_stiffening(ModalBasis::clamped, RodReference::start, ModalMass::constant);
}

}  // namespace
}  // namespace hooke::test
