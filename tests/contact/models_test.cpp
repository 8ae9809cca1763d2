// Machine elements made of contacts, as models: against what their geometry and closed forms say.
#include "control/support.h"

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

}  // namespace
}  // namespace hooke::test
