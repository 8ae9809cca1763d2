// Machine elements made of contacts, as models: against what their geometry and closed forms say.
#include "control/support.h"
#include "support/contact_references.h"

namespace hooke::test {
namespace {

constexpr double gravity = 9.81;

/// What a body of a model does at the outputs of a run.
struct Course {
  std::vector<double> t;
  std::vector<Vec3> place, velocity, force;
  std::vector<double> gap;
  Summary summary;
};

Course course(const std::string& model, const std::string& body, const std::vector<std::string>& set = {}) {
  Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/contact/" + model, set));
  Course all;
  const auto& bodies = simulation.built().model->bodies;
  int number = 0;
  while (bodies[static_cast<std::size_t>(number)].first != body) ++number;
  all.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
    const BodyMotion now = simulation.system().motion(number, state);
    all.t.push_back(state.t);
    all.place.push_back(now.pose.p);
    all.velocity.push_back(now.twist.head<3>());
    const auto sum = contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace);
    all.force.push_back(sum.force);
    all.gap.push_back(sum.gap);
  }});
  EXPECT_EQ(all.summary.status, RunStatus::finished) << all.summary.failure;
  return all;
}

TEST(ContactModels, ABallSwingsOnItsRaceway) {
  const double R = 0.45, phi = 1;  // of its centre
  const Course ball = course("raceway.yaml", "ball");
  double fastest = 0, largest = 0;
  for (std::size_t i = 0; i < ball.t.size(); ++i) {
    EXPECT_NEAR(ball.place[i].norm(), R, 1e-6) << ball.t[i];
    const double fall = -R * std::cos(phi) - ball.place[i].z();
    EXPECT_NEAR(ball.velocity[i].squaredNorm(), 10.0 / 7 * gravity * fall, 2e-3) << ball.t[i];
    fastest = std::max(fastest, ball.velocity[i].norm());
    largest = std::max(largest, ball.force[i].norm());
  }
  EXPECT_NEAR(fastest, std::sqrt(10.0 / 7 * gravity * R * (1 - std::cos(phi))), 2e-3);
  EXPECT_NEAR(largest, gravity * (17 - 10 * std::cos(phi)) / 7, 0.05);
}

TEST(ContactModels, APinLeadsItsSlot) {
  const Course yoke = course("slot.yaml", "yoke");
  double most = 0;
  for (std::size_t i = 0; i < yoke.t.size(); ++i)
    most = std::max(most, std::abs(yoke.place[i].x() - 0.05 * std::cos(10 * yoke.t[i])));
  EXPECT_LT(most, 2e-4 + 1e-8);
  EXPECT_GT(most, 1.9e-4);  // it lies on either side
}

TEST(ContactModels, ACamLiftsItsFollower) {
  const double e = 0.01, sum = 0.038, speed = 30;
  const Course follower = course("cam.yaml", "follower", {"run.end=0.3"});
  for (std::size_t i = 0; i < follower.t.size(); ++i) {
    const double c = e * std::cos(speed * follower.t[i]), s = e * std::sin(speed * follower.t[i]);
    const double apart = sum + follower.gap[i];  // which is negative while they touch
    EXPECT_NEAR(follower.place[i].z(), std::sqrt(apart * apart - c * c) - s, 1e-7) << follower.t[i];
    EXPECT_LT(std::abs(follower.gap[i]), 3e-4) << follower.t[i];
  }
}

/// With w = psi'^2 of the angle psi from the lowest place, dw/dpsi - 2 mu w = -2 g/(c + d) (sin psi - mu cos psi), and w = 0 at the start.
TEST(ContactModels, AShaftClimbsInItsBore) {
  const double mu = 0.2, phi = std::atan(mu), d = std::pow(gravity / 2e10, 2.0 / 3), r = 5e-4 + d;
  const double B = 2 * gravity / r * std::hypot(1, mu) / (1 + 4 * mu * mu);
  const auto square = [&](double psi) {
    return B * (2 * mu * std::sin(psi - phi) + std::cos(psi - phi) -
                (std::cos(phi) - 2 * mu * std::sin(phi)) * std::exp(2 * mu * psi));
  };
  const auto angle = [](const Vec3& p) { return std::atan2(p.x(), -p.z()); };
  const Course shaft = course("journal.yaml", "shaft");
  double farthest = 0;
  for (std::size_t i = 0; i < shaft.t.size(); ++i) {
    const double psi = angle(shaft.place[i]);
    const double rate = shaft.velocity[i].dot(Vec3(std::cos(psi), 0, std::sin(psi))) / shaft.place[i].norm();
    EXPECT_NEAR(rate * rate, square(psi), 1e-3 * square(phi)) << shaft.t[i];
    EXPECT_NEAR(-shaft.gap[i], std::pow(shaft.force[i].norm() / std::hypot(1, mu) / 2e10, 2.0 / 3), 2e-8);
    farthest = std::max(farthest, psi);
  }
  EXPECT_NEAR(square(farthest), 0, 2e-3 * square(phi));
  EXPECT_GT(farthest, 2 * phi);

  const Course resting = course("journal.yaml", "shaft", {fmt::format("parameters.psi0={:.17g}", phi)});
  const double N = gravity * std::cos(phi), depth = std::pow(N / 2e10, 2.0 / 3);
  for (std::size_t i = 0; i < resting.t.size(); ++i) {
    EXPECT_NEAR(angle(resting.place[i]), phi, 1e-6) << resting.t[i];
    EXPECT_NEAR(resting.gap[i], -depth, 1e-4 * depth) << resting.t[i];
  }
}

/// The other solution lands on every touch and parting of the pin; both run through a dozen of them.
TEST(ContactModels, ACrankWithPlayMovesAsByOtherEquations) {
  const auto reference = runge_kutta(SliderCrank{}, 1e-6, 5e-4, 0.1);
  const auto error = [&](double h) {
    const Course slider = course("clearance.yaml", "slider",
                                 {"run.integrator=generalized-alpha", "run.tolerance=null",
                                  fmt::format("run.step={}", h), "run.end=0.1"});
    double most = 0;
    for (std::size_t i = 0; i < slider.t.size(); ++i)
      most = std::max(most, std::abs(slider.place[i].x() - reference[i][1]));
    return most;
  };
  const double coarse = error(4e-5), fine = error(1e-5);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(coarse, 8 * fine);  // second order: 16
}

/// The load is more than friction around the small pulley carries: what its inertia does not take is Euler's torque.
TEST(ContactModels, ABeltSlipsAtTheTorqueOfEuler) {
  const double R = 0.08, r = 0.001, beta = std::asin(0.02 / 0.4), J = 5e-3, load = 4;
  const double ratio = std::exp(0.3 * (std::numbers::pi - 2 * beta) * R / (R + r));
  const double most = 100 / std::cos(beta) * (ratio - 1) / (ratio + 1) * (R + r);
  Simulation simulation(
      ::hooke::load(std::string(HOOKE_ROOT) + "/models/contact/belt.yaml",
                    {"forces.torque.active={smooth_step: {from: [0.2, 0], to: [0.3, 4]}}", "run.end=0.42"}));
  const auto& bodies = simulation.built().model->bodies;
  int driven = 0;
  while (bodies[static_cast<std::size_t>(driven)].first != "driven") ++driven;
  std::vector<double> t, speed;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    t.push_back(state.t), speed.push_back(simulation.system().motion(driven, state).twist[4]);
  }});
  ASSERT_EQ(summary.status, RunStatus::finished) << summary.failure;
  const std::size_t first = 66;
  ASSERT_NEAR(t[first], 0.33, 1e-9);
  EXPECT_NEAR(load + J * (speed.back() - speed[first]) / (t.back() - t[first]), most, 0.015 * most);
}

}  // namespace
}  // namespace hooke::test
