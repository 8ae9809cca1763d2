// Discs on their faces: what carries them is the region that two faces share, whatever bounds it.
#include <numbers>

#include "control/support.h"

namespace hooke::test {
namespace {

constexpr double weight = 9.81, radius = 0.1, height = 0.04;
constexpr double rounding = 1e-3, flat = radius - rounding;  // the face ends where it is rounded

struct Rest {
  FramePose first, last;
  std::vector<double> t, tilt;
  Summary summary;
  double moved() const { return (last.p - first.p).norm() + radius * (last.R - first.R).norm(); }
};

/// A disc of 1 kg at (x, 0) on what lies below, with `rest` in the model.
Rest disc_on(const std::string& below, double x, const std::string& rest, const std::string& run) {
  Simulation simulation(problem(fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{disc: {{rigid: {{mass: 1, shape: {{cylinder: {{radius: "
      "{0}, "
      "length: {1}}}}}}}, at: [{2}, 0, {3}]}}}}\nsurfaces: {{disc: {{cylinder: {{radius: {0}, length: {1}}}, "
      "edge_radius: 1e-3, body: disc}}, below: {{{4}}}}}\n"
      "contacts: {{touch: {{between: [disc, below], law: rigid, restitution: 0, friction: 1}}}}\n{5}\nrun: "
      "{{{6}}}\n",
      radius, height, x, 0.5 * height, below, rest, run)));
  Rest found;
  found.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    found.last = simulation.system().motion(0, state).pose;
    if (found.t.empty()) found.first = found.last;
    found.t.push_back(state.t);
    found.tilt.push_back(std::acos(std::min(1.0, found.last.R(2, 2))));
  }});
  EXPECT_EQ(found.summary.status, RunStatus::finished) << found.summary.failure;
  return found;
}

const std::string table = "box: [1, 1, 0.2], at: [-0.5, 0, -0.1], edge_radius: 1e-9";  // its edge is x = 0
const std::string post = "cylinder: {radius: 0.1, length: 0.2}, at: [0, 0, -0.1], edge_radius: 1e-3";
const std::string plane = "half-space: [0, 0, 1]";

/// As long as its centre is above the table, even by little. The edge and the arc of the rim on the table hold it.
TEST(Disc, StandsAtAnEdge) {
  for (const double x : {-0.2, -0.05, -0.01, -0.001, -0.0001}) {
    const Rest disc = disc_on(table, x, "", "step: 5e-3, end: 1");
    EXPECT_LT(disc.moved(), 1e-8) << x;
  }
}

/// Beyond the edge it turns about it:  J tilt'' = m g (x cos + height/2 sin),  J = m (R^2/4 + h^2/12 + x^2 + h^2/4).
TEST(Disc, TiltsOverAnEdge) {
  for (const double x : {0.005, 0.03}) {
    const double J = radius * radius / 4 + height * height / 3 + x * x;
    std::vector<double> errors;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const Rest disc = disc_on(table, x, "", fmt::format("step: {}, end: 0.2", h));
      double tilt = 0, rate = 0, error = 0;
      std::size_t k = 0;
      for (double t = 0, dt = 1e-5; k < disc.t.size() && tilt < 0.3; t += dt) {
        if (t >= disc.t[k] - 0.5 * dt) error = std::max(error, std::abs(disc.tilt[k] - tilt)), ++k;
        const auto bend = [&](double at) {
          return weight * (x * std::cos(at) + 0.5 * height * std::sin(at)) / J;
        };
        rate += 0.5 * dt * bend(tilt);
        tilt += dt * rate;
        rate += 0.5 * dt * bend(tilt);
      }
      errors.push_back(error);
    }
    EXPECT_LT(errors.back(), 1e-3) << x;
    EXPECT_LT(errors.back(), 0.7 * errors.front()) << x;
  }
}

/// On another of its like the region is a lens: it carries what is above it, up to its corners.
TEST(Disc, StandsOnAnotherAside) {
  for (const double x : {0.0, 0.03, 0.07, 0.09, flat - 1e-3}) {
    const Rest disc = disc_on(post, x, "", "step: 5e-3, end: 1");
    EXPECT_LT(disc.moved(), 1e-8) << x;
  }
  EXPECT_GT(disc_on(post, flat + 1e-3, "", "step: 5e-3, end: 1").moved(), 0.1);
}

/// A weight near the rim, at any angle: within the polygon of the points that carry it stands, beyond the rim it tips. (Between the two,
/// 2 % of the radius, it should stand.)
TEST(Disc, BearsALoadAnywhereOnItsFace) {
  const double push = 100;
  const auto loaded = [&](const std::string& below, double part, double angle) {
    const double at = part * flat * (1 + weight / push);
    return disc_on(below, 0,
                   fmt::format("forces: {{weight: {{load: disc, at: [{}, {}, {}], force: [0, 0, -{}]}}}}",
                               at * std::cos(angle), at * std::sin(angle), height, push),
                   "step: 5e-3, end: 0.5");
  };
  for (const std::string& below : {plane, std::string("box: [0.5, 0.5, 0.2], at: [0, 0, -0.1]")})
    for (const double angle : {0.0, 0.2, 0.4, std::numbers::pi / 4, 1.0, 2.5}) {
      EXPECT_LT(loaded(below, 0.97, angle).moved(), 1e-8) << below << " at " << angle;
      EXPECT_GT(loaded(below, 1.03, angle).moved(), 0.02) << below << " at " << angle;
    }
}

}  // namespace
}  // namespace hooke::test
