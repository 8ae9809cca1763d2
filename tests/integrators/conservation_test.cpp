// Momentum and energy of systems that nothing acts on from outside.
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/runge_kutta.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double energy = 0;
};

/// A free-floating model of rigid bodies in motion.
class Floating {
 public:
  explicit Floating(Model model)
      : model_(std::move(model)),
        built_(build(model_)),
        state_(assemble_start(model_, built_, {}, 0).state) {}

  const System& system() const { return *built_.system; }
  const State& start() const { return state_; }

  /// Random velocities, brought onto the constraints.
  void stir(unsigned seed) {
    Random random(seed);
    state_.v = 2 * random_vector(system().nv(), random);
    Projector projector(system(), {});
    ASSERT_TRUE(projector.velocities(state_).converged);
    ASSERT_TRUE(projector.accelerations(state_).converged);
  }

  /// About the origin, from what the settings of the model say of mass and inertia.
  Momenta momenta(const State& state) const {
    Momenta sum;
    for (int b = 0; b < system().bodies(); ++b) {
      const RigidSettings& rigid = *model_.bodies[b].second.formulation.get_if<RigidSettings>();
      const BodyMotion motion = system().motion(b, state);  // of the mass centre here
      const Vec3 p = *rigid.mass * motion.twist.head<3>(), w = motion.twist.tail<3>();
      const Vec3 spin = motion.pose.R * (rigid.inertia.matrix * (motion.pose.R.transpose() * w));
      sum.linear += p;
      sum.angular += motion.pose.p.cross(p) + spin;
      sum.energy += 0.5 * motion.twist.head<3>().dot(p) + 0.5 * w.dot(spin);
    }
    return sum;
  }

 private:
  Model model_;
  BuiltModel built_;
  State state_;
};

Model tumbling_body() {
  Model model;
  model.bodies = {rigid("body", 2, {1, 2, 2.6}, {0.3, -0.2, 0.5})};
  model.bodies["body"].velocity = Vec3(1, -2, 0.5);
  model.bodies["body"].angular_velocity = Vec3(0.1, 4, 0.1);  // next to the unstable axis
  return model;
}

struct Drift {
  std::vector<double> angular, energy;
};

/// Largest drift over two seconds with h, h/2, h/4; the linear momentum must not drift at all.
Drift drifts(const Floating& floating, const std::function<std::unique_ptr<Integrator>()>& make, int steps) {
  Drift drift;
  const Momenta first = floating.momenta(floating.start());
  for (int n = steps; drift.energy.size() < 3; n *= 2) {
    const auto integrator = make();
    double angular = 0, energy = 0;
    for (const State& state : integrate(*integrator, floating.start(), uniform_grid(0, 2, n), 20)) {
      const Momenta now = floating.momenta(state);
      EXPECT_LT((now.linear - first.linear).norm(), 1e-12 * (1 + first.linear.norm()));
      angular = std::max(angular, (now.angular - first.angular).norm() / first.angular.norm());
      energy = std::max(energy, std::abs(now.energy / first.energy - 1));
    }
    drift.angular.push_back(angular), drift.energy.push_back(energy);
  }
  return drift;
}

std::string describe(const std::vector<double>& errors) {
  return fmt::format("order {:.3f}: {:.2e}", order(errors), fmt::join(errors, " "));
}

void expect_order(const Drift& drift, double expected) {
  EXPECT_GT(order(drift.angular), expected - 0.1) << describe(drift.angular);
  EXPECT_GT(order(drift.energy), expected - 0.1) << describe(drift.energy);
}

TEST(FreeBody, KeepsItsMomentumAtTheMethodsOrder) {
  const Floating body(tumbling_body());
  for (const double rho : {0.5, 0.8, 1.0})
    expect_order(drifts(
                     body,
                     [&] {
                       return std::make_unique<GeneralizedAlpha>(
                           body.system(), GeneralizedAlphaSettings{AlphaParameters::generalized_alpha(rho)});
                     },
                     400),
                 2);
  expect_order(
      drifts(
          body, [&] { return std::make_unique<DormandPrince>(body.system(), NewtonSettings{}); }, 40),
      5);
}

TEST(FreeBody, FallsOnAParabola) {
  Model model = tumbling_body();
  model.gravity = {0, 0.3, -9.81};
  const Floating body(model);
  GeneralizedAlpha integrator(body.system(), {});
  const State end = integrate(integrator, body.start(), uniform_grid(0, 2, 200)).back();
  const BodyEntry& start = model.bodies["body"];
  const Vec3 expected = *start.place.at + 2 * *start.velocity + 2 * model.gravity;
  EXPECT_LT((body.system().motion(0, end).pose.p - expected).norm(), 1e-12);
}

TEST(FloatingRing, KeepsItsMomentumAtTheMethodsOrder) {
  Floating ring(floating_ring());
  ASSERT_EQ(ring.system().nv() - ring.system().nc(), 10);
  ring.stir(4);
  for (const ConstraintForm form : {ConstraintForm::index3, ConstraintForm::stabilised})
    for (const double rho : {0.5, 0.8})
      expect_order(drifts(
                       ring,
                       [&] {
                         return std::make_unique<GeneralizedAlpha>(
                             ring.system(),
                             GeneralizedAlphaSettings{AlphaParameters::generalized_alpha(rho), form});
                       },
                       400),
                   2);
  expect_order(
      drifts(
          ring,
          [&] { return std::make_unique<DormandPrince>(ring.system(), NewtonSettings{.tolerance = 1e-13}); },
          100),
      5);
}

}  // namespace
}  // namespace hooke::test
