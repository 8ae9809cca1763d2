// What comes to lie on a floor: discs, rods that jam, chains. Nothing may be deep in another at the end of any step.
#include <numbers>

#include "control/support.h"

namespace hooke::test {
namespace {

constexpr double weight = 9.81;

struct Fall {
  std::vector<double> t, energy;
  std::vector<std::vector<FramePose>> pose;  ///< by output and body
  std::vector<Vec6> twist;                   ///< of the first body
  Summary summary;
};

Fall fall_of(const Problem& of) {
  Simulation simulation(of);
  Fall fall;
  fall.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
    const System& system = simulation.system();
    fall.t.push_back(state.t);
    fall.twist.push_back(system.motion(0, state).twist);
    const Energy energy = system.energy(state, workspace);
    fall.energy.push_back(energy.kinetic + energy.potential);
    auto& now = fall.pose.emplace_back();
    for (int b = 0; b < system.bodies(); ++b) now.push_back(system.motion(b, state).pose);
  }});
  EXPECT_EQ(fall.summary.status, RunStatus::finished) << fall.summary.failure;
  return fall;
}

double most_gained(const Fall& fall) {
  double most = 0;
  for (std::size_t k = 1; k < fall.energy.size(); ++k)
    most = std::max(most, fall.energy[k] - fall.energy[k - 1]);
  return most;
}

// --- discs

constexpr double disc_radius = 0.1, disc_height = 0.02;

std::string dropped_disc(double height, double tilt, double spin, const std::string& law) {
  return fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{disc: {{rigid: {{mass: 1, shape: {{cylinder: {{radius: "
      "{}, length: {}}}}}}}, at: [0, 0, {}], rotate: {{axis: [1, 0.3, 0], angle: {}}}, angular_velocity: "
      "[0, 0, {}]}}}}\nsurfaces: {{disc: {{cylinder: {{radius: {}, length: {}}}, body: disc}}, floor: "
      "{{half-space: [0, 0, 1]}}}}\ncontacts: {{touch: {{between: [disc, floor], law: rigid, {}}}}}\n"
      "run: {{step: 1e-3, end: 1}}\noutputs: {{every: 1e-3}}\n",
      disc_radius, disc_height, height, tilt, spin, disc_radius, disc_height, law);
}

/// The lowest point of its rims.
double lowest(const FramePose& X) {
  const double cosine = std::abs(X.R(2, 2)), sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
  return X.p.z() - 0.5 * disc_height * cosine - disc_radius * sine;
}

/// Steps do not end at impacts: in one the disc may enter the floor by v h, and is lifted again by as much.
void expect_settled(const Fall& fall, const std::string& what, double speed) {
  constexpr double h = 1e-3, bound = 1e-3;  // of depths: a thousandth of the size
  double deepest = 0;
  for (const auto& pose : fall.pose) deepest = std::max(deepest, -lowest(pose[0]));
  EXPECT_LT(deepest, bound * disc_radius) << what;
  EXPECT_LE(most_gained(fall), weight * speed * h + 1e-9) << what;
  const FramePose& last = fall.pose.back()[0];
  EXPECT_NEAR(last.p.z(), 0.5 * disc_height, 1e-9) << what;
  EXPECT_NEAR(last.R(2, 2), 1, 1e-12) << what;
  EXPECT_LT(fall.twist.back().norm(), 1e-8) << what;
}

/// As the closed form says: a fall of 0.05 m, then rest.
TEST(Settling, ADiscDroppedFlatLiesAtOnce) {
  const Fall fall = fall_of(problem(dropped_disc(0.06, 0, 0, "friction: 0.3, restitution: 0")));
  const double lands = std::sqrt(2 * 0.05 / weight);
  for (std::size_t k = 0; k < fall.t.size(); ++k)
    if (fall.t[k] > lands + 2e-3) {
      EXPECT_NEAR(fall.pose[k][0].p.z(), 0.5 * disc_height, 1e-9) << fall.t[k];
      EXPECT_LT(fall.twist[k].norm(), 1e-8) << fall.t[k];
    }
  expect_settled(fall, "flat", 1);
}

TEST(Settling, ADiscDroppedTiltedComesToLie) {
  for (const double tilt : {1e-6, 1e-3, 0.05})
    expect_settled(fall_of(problem(dropped_disc(0.06, tilt, 0, "friction: 0.3, restitution: 0"))),
                   fmt::format("tilted by {}", tilt), 1);
}

/// Flat on its rim it is braked by mu m g R: it stops after omega J / (mu m g R), J = m R^2/2. Tilted, it first falls by R tilt, and what
/// the floor takes of that speed brakes it, too: by at most 2 mu v/R.
TEST(Settling, ADiscThatSpinsSettlesAndStops) {
  const double spin = 10, mu = 0.3, h = 1e-3;
  for (const double tilt : {0.0, 1e-3}) {
    const Fall fall = fall_of(problem(
        dropped_disc(0.5 * disc_height + disc_radius * tilt, tilt, spin, "friction: 0.3, restitution: 0")));
    const double stops = 0.5 * disc_radius * spin / (mu * weight),
                 v = std::sqrt(2 * weight * disc_radius * tilt);
    for (std::size_t k = 0; k < fall.t.size(); ++k)
      EXPECT_NEAR(fall.twist[k][5], std::max(0.0, spin * (1 - fall.t[k] / stops)),
                  2 * mu * v / disc_radius + spin * h / stops)
          << tilt << " at " << fall.t[k];
    expect_settled(fall, fmt::format("spinning, tilted by {}", tilt), v);
  }
}

// --- rods that jam

/// Painleve's rod slides from a smooth plate onto a rough one: there p = 1 + 3 cos a (cos a - mu sin a) < 0 and no force can hold the
/// tip. An impulse ends the sliding at once: with the tip's velocity v along the floor before, and none after it,
///   (x_t, x_n) = -W^-1 (v, 0),   W of the tip: 1/m + l^2/J (sin^2, sin cos; sin cos, cos^2)
TEST(Settling, ARodThatSlidesOntoARoughPlateJams) {
  const double l = 0.5, a = std::numbers::pi / 3, m = 1, J = m * l * l / 3, v = 1, h = 1e-3;
  const Fall fall = fall_of(problem(fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{rod: {{rigid: {{mass: {}, inertia: [{}, {}, "
      "1e-6]}}, at: [{}, 0, {}], rotate: {{axis: [0, 1, 0], angle: {}}}, velocity: [{}, 0, "
      "0]}}}}\njoints: {{plane: {{planar: [ground, rod], axis: y}}}}\n"
      "surfaces: {{tip: {{sphere: 1e-9, body: rod, at: [0, 0, {}]}}, ice: {{box: [1, 1, 1], edge_radius: "
      "1e-12, at: "
      "[-0.4995, 0, -0.5]}}, rough: {{box: [1, 1, 1], edge_radius: 1e-12, at: [0.5005, 0, -0.5]}}}}\n"
      "contacts: {{ice: {{between: [tip, ice], law: rigid, restitution: 0}}, rough: {{between: "
      "[tip, rough], law: rigid, restitution: 0, friction: 2.5}}}}\n"
      "run: {{step: {}, end: 0.02}}\noutputs: {{every: {}}}\n",
      m, J, J, -l * std::cos(a), l * std::sin(a), a - std::numbers::pi / 2, v, -l, h, h)));
  const double s = std::sin(a), c = std::cos(a);
  Eigen::Matrix2d W;  // along x and z, of the tip at l (c, -s) from the centre
  W << 1 / m + l * l / J * s * s, l * l / J * s * c, l * l / J * s * c, 1 / m + l * l / J * c * c;
  const Vec2 x = W.inverse() * Vec2(-v, 0);
  bool has_jammed = false;
  for (std::size_t k = 1; k < fall.t.size(); ++k) {
    const Vec6& twist = fall.twist[k];
    if (!has_jammed && twist[0] > 0.9 * v) continue;
    if (!has_jammed) {
      EXPECT_NEAR(twist[0], v + x[0] / m, 0.02 * v) << "the centre after the impulse";
      EXPECT_NEAR(twist[2], x[1] / m, 0.02 * v);
      EXPECT_GT(x[1], 0);
      EXPECT_LT(std::abs(x[0]), 2.5 * x[1]);
    }
    has_jammed = true;
  }
  EXPECT_TRUE(has_jammed);
  EXPECT_LT(most_gained(fall), weight * m * v * h);
}

/// A contact that lasts jams, with no new one: the rod slides with a wheel on it, J m^-1 of which is so large that the tip is held by a force.
/// Then the wheel comes off, p < 0 for the rod alone, and the impulse is that of above.
TEST(Settling, ALastingContactJams) {
  const double l = 0.5, a = std::numbers::pi / 3, m = 1, J = m * l * l / 3, v = 1, h = 1e-3, mu = 2.5;
  for (const double release : {0.01, 0.0104}) {  // between two outputs, too
    const Fall fall = fall_of(problem(fmt::format(
        "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{rod: {{rigid: {{mass: {}, inertia: [{}, {}, "
        "1e-6]}}, at: &at [{}, 0, {}], rotate: {{axis: [0, 1, 0], angle: {}}}, velocity: [{}, 0, "
        "0]}}, wheel: {{rigid: {{mass: 1, inertia: 1}}, at: *at, velocity: [{}, 0, 0]}}}}\n"
        "joints: {{plane: {{planar: [ground, rod], axis: y}}, weld: {{fixed: [rod, wheel], at: *at}}}}\n"
        "surfaces: {{tip: {{sphere: 1e-9, body: rod, at: [0, 0, {}]}}, floor: {{half-space: [0, 0, 1]}}}}\n"
        "contacts: {{tip: {{between: [tip, floor], law: rigid, restitution: 0, friction: {}}}}}\n"
        "events: {{off: {{at: {}, do: {{switch-off: weld}}}}}}\n"
        "run: {{step: {}, end: 0.02}}\noutputs: {{every: {}}}\n",
        m, J, J, -l * std::cos(a), l * std::sin(a), a - std::numbers::pi / 2, v, v, -l, mu, release, h, h)));
    bool has_jammed = false;
    for (std::size_t k = 1; k < fall.t.size() && !has_jammed; ++k) {
      const Vec6 &before = fall.twist[k - 1], &after = fall.twist[k];
      const FramePose& pose = fall.pose[k - 1][0];
      const Vec3 arm = pose.R * Vec3(0, 0, -l);
      const auto tip = [&](const Vec6& twist) -> Vec3 {
        return twist.head<3>() + twist.tail<3>().cross(arm);
      };
      if (fall.t[k] < release + 1e-9) {
        EXPECT_GT(tip(after).x(), 0.4 * v) << "it slides at " << fall.t[k];
        EXPECT_NEAR(tip(after).z(), 0, 1e-3);
        continue;
      }
      has_jammed = true;
      const double x_arm = arm.x(), z_arm = arm.z();
      Eigen::Matrix2d W;  // along x and z
      W << 1 / m + z_arm * z_arm / J, -x_arm * z_arm / J, -x_arm * z_arm / J, 1 / m + x_arm * x_arm / J;
      const Vec2 x = W.inverse() * Vec2(-tip(before).x(), -tip(before).z());
      EXPECT_NEAR(after[0] - before[0], x[0] / m, 0.02 * v) << release;
      EXPECT_NEAR(after[2] - before[2], x[1] / m, 0.02 * v) << release;
      EXPECT_LT(std::abs(x[0]), mu * x[1]) << "a jam sticks";
      EXPECT_LT(tip(after).norm(), 0.02 * v) << release;
    }
    EXPECT_TRUE(has_jammed);
  }
}

// --- chains

/// 60 capsules on spherical joints, as a coil above the floor: its turns fall on each other, nearly parallel.
std::string coil() {
  const int links = 60;
  const double length = 0.1, radius = 0.3, pitch = 0.07;
  const double turn = 2 * std::asin(0.5 * length / std::hypot(radius, pitch / (2 * std::numbers::pi)));
  const double rise = std::sqrt(length * length - std::pow(2 * radius * std::sin(0.5 * turn), 2));
  std::string bodies, joints, surfaces, names;
  const auto point = [&](int i) {
    return Vec3(radius * std::cos(turn * i), radius * std::sin(turn * i), 0.1 + rise * i);
  };
  for (int i = 0; i < links; ++i) {
    const Vec3 a = point(i), b = point(i + 1), at = 0.5 * (a + b), z = (b - a) / length;
    const double norm = std::sqrt(2 + 2 * z.z());
    bodies += fmt::format(
        "  b{}: {{rigid: {{mass: 0.1, inertia: [9.3e-5, 9.3e-5, 2e-5]}}, at: [{}, {}, {}], quaternion: [{}, "
        "{}, {}, 0]}}\n",
        i, at.x(), at.y(), at.z(), (1 + z.z()) / norm, -z.y() / norm, z.x() / norm);
    if (i > 0)
      joints += fmt::format("  j{}: {{spherical: [b{}, b{}], at: [{}, {}, {}]}}\n", i, i - 1, i, a.x(), a.y(),
                            a.z());
    surfaces += fmt::format("  b{}: {{capsule: {{radius: 0.02, length: 0.1}}, body: b{}}}\n", i, i);
    names += fmt::format("{}b{}", i ? ", " : "", i);
  }
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "joints:\n" + joints + "surfaces:\n" +
         surfaces + "  floor: {half-space: [0, 0, 1]}\ncontacts: {all: {among: [" + names +
         ", floor], law: rigid, friction: 0.3, restitution: 0.2}}\nrun: {step: 1e-3, end: 0.25}\noutputs: "
         "{every: 1e-3}\n";
}

/// Of two links, each from -1 to 1 along its axis: by projections in turn, since the distance is convex.
double distance_of_links(const FramePose& A, const FramePose& B) {
  const Vec3 a = 0.05 * A.R.col(2), b = 0.05 * B.R.col(2), r = A.p - B.p;
  double s = 0, t = 0;
  for (int pass = 0; pass < 300; ++pass) {
    t = std::clamp((r + s * a).dot(b) / b.squaredNorm(), -1.0, 1.0);
    s = std::clamp((t * b - r).dot(a) / a.squaredNorm(), -1.0, 1.0);
  }
  return (r + s * a - t * b).norm();
}

/// The stated bound: no accepted step ends with anything deeper than a thousandth of the mechanism's size, here less than a metre.
TEST(Settling, LinksOfAChainStayOutOfEachOther) {
  const Fall fall = fall_of(problem(coil()));
  double deepest = 0;
  for (const auto& pose : fall.pose)
    for (std::size_t i = 0; i < pose.size(); ++i) {
      deepest = std::max(deepest, 0.02 - pose[i].p.z() + 0.05 * std::abs(pose[i].R(2, 2)));
      for (std::size_t j = i + 2; j < pose.size(); ++j)
        if ((pose[i].p - pose[j].p).norm() < 0.14)
          deepest = std::max(deepest, 0.04 - distance_of_links(pose[i], pose[j]));
    }
  EXPECT_LT(deepest, 1e-3);
}

}  // namespace
}  // namespace hooke::test
