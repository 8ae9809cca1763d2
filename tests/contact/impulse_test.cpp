// Impulses of contacts: what a body's momentum says they are, also of blows that no output shows.
#include "control/support.h"

namespace hooke::test {
namespace {

constexpr double g_impulse = 9.81;

/// The momentum of body 0, with mass 1, and the impulse on the second surface, at each output.
struct Blows {
  std::vector<double> t;
  std::vector<Vec3> v, impulse;
  std::vector<int> points;
};

Blows blows(const std::string& text, const std::vector<std::string>& set = {}) {
  Simulation simulation(problem(text, set));
  Blows all;
  const Summary summary =
      simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
        const auto sum = contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace);
        all.t.push_back(state.t);
        all.v.push_back(simulation.system().motion(0, state).twist.head<3>());
        all.impulse.push_back(sum.impulse);
        all.points.push_back(sum.points);
      }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return all;
}

/// A ball with a velocity along the floor bounces and rubs; seldom an output sees it touch.
TEST(ContactImpulse, IsTheChangeOfMomentum) {
  const auto model = [](const std::string& law, const std::string& order, const std::string& run) {
    return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {ball: {rigid: {mass: 1, inertia: 0.004}, at: [0, 0, "
           "0.3], velocity: [1, 0.5, 0]}}\n"
           "surfaces: {ball: {sphere: 0.1, body: ball}, floor: {half-space: [0, 0, 1]}}\n"
           "contacts: {touch: {between: " +
           order + ", friction: 0.2, restitution: 0.8, " + law + "}}\nrun: {end: 2, " + run +
           "}\noutputs: {every: 0.1}\n";
  };
  const std::string rigid = "law: rigid", compliant = "stiffness: 1e6";
  for (const auto& [law, run, error] : {std::tuple{rigid, std::string("step: 1e-3"), 1e-9},
                                        {rigid, std::string("step: 1e-2, integrator: dormand-prince"), 1e-9},
                                        {compliant, std::string("step: 1e-5"), 2e-4}})
    for (const bool ball_first : {true, false}) {
      const Blows all = blows(model(law, ball_first ? "[ball, floor]" : "[floor, ball]", run));
      const double on_ball = ball_first ? -1 : 1;
      int unseen = 0;
      for (std::size_t k = 1; k < all.t.size(); ++k) {
        const Vec3 change = all.v[k] - all.v[0] + Vec3(0, 0, g_impulse * all.t[k]);
        EXPECT_LT((on_ball * all.impulse[k] - change).norm(), error * (1 + change.norm()))
            << law << ", " << run << " at " << all.t[k];
        unseen += (all.impulse[k] - all.impulse[k - 1]).norm() > 0.1 && all.points[k] == 0 &&
                  all.points[k - 1] == 0;
      }
      EXPECT_GE(unseen, 3) << law;
    }
}

/// What has come to rest has been given all that its weight took.
TEST(ContactImpulse, OfSolidsAndRods) {
  const std::string
      solid =
          "{solid: {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}, material: {young: 1e6, "
          "poisson: 0.3, density: 1000}, stiffness_damping: 1e-3}, at: [0, 0, 0.06]}",
      rod =
          "{cosserat: {section: {circle: 0.02}, material: {young: 1e7, poisson: 0.3, density: 1000}, "
          "length: 0.5, elements: 4, damping: 1e-2}, at: [0, 0, 0.03], axes: {z: x}}";
  for (const auto& [body, surface, mass] :
       {std::tuple{solid, "nodes: z_min", 1.0}, {rod, "rod: {radius: 0.02}", 1000 * 3.14159265 * 4e-4 * 0.5}})
    for (const auto& [law, error] :
         {std::pair{"stiffness: 1e5, exponent: 1, damping: 5", 2e-3}, {"law: rigid, restitution: 0", 2e-3}}) {
      const Blows all = blows(fmt::format(
          "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{body: {}}}\nsurfaces: {{body: {{{}, body: body}}, "
          "floor: {{half-space: [0, 0, 1]}}}}\ncontacts: {{touch: {{between: [floor, body], {}}}}}\n"
          "run: {{end: 1, step: 5e-4}}\noutputs: {{every: 0.5}}\n",
          body, surface, law));
      EXPECT_NEAR(all.impulse.back().z(), mass * g_impulse, error * mass * g_impulse) << surface << law;
    }
}

}  // namespace
}  // namespace hooke::test
