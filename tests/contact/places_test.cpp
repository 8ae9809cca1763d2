// Places of rigid contacts from one step to the next: on what turns below them, and where they end.
#include <numbers>

#include "control/support.h"
#include "hooke/contact/rigid_contacts.h"
#include "hooke/math/so3.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

constexpr double earth = 9.81;

struct Ride {
  std::vector<FramePose> pose;
  std::vector<Vec6> twist;
  std::vector<RigidContactsBase::Sum> contact;
};

Ride ride_of(const std::string& text) {
  Simulation simulation(problem(text));
  Ride ride;
  const Summary summary =
      simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
        const BodyMotion now = simulation.system().motion(0, state);
        ride.pose.push_back(now.pose);
        ride.twist.push_back(now.twist);
        ride.contact.push_back(
            contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace));
      }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return ride;
}

/// A wheel stands on the same place below its axle however far it turns in a step: here by 0.5 and by 2 rad.
TEST(ContactPlaces, AFastWheelStaysOnTheFloor) {
  for (const double omega : {100.0, 400.0}) {
    const Ride ride = ride_of(fmt::format(
        "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{wheel: {{rigid: {{mass: 2, shape: {{cylinder: {{radius: "
        "0.1, length: 0.04}}}}}}, at: [0, 0, 0.1], axes: {{z: y}}, velocity: [{}, 0, 0], angular_velocity: "
        "[0, 0, {}]}}}}\nsurfaces: {{wheel: {{cylinder: {{radius: 0.1, length: 0.04}}, body: wheel}}, floor: "
        "{{half-space: [0, 0, 1]}}}}\n"
        "contacts: {{touch: {{between: [wheel, floor], law: rigid, restitution: 0, friction: 0.5}}}}\n"
        "run: {{step: 5e-3, end: 0.5}}\noutputs: {{every: 5e-3}}\n",
        0.1 * omega, omega));
    for (std::size_t k = 1; k < ride.pose.size(); ++k) {
      ASSERT_NEAR(ride.pose[k].p.z(), 0.1, 1e-9) << omega << " rad/s, output " << k;
      ASSERT_MATRIX_NEAR(ride.contact[k].force, Vec3(0, 0, -2 * earth), 1e-6);
      ASSERT_NEAR(ride.contact[k].place.x(), ride.pose[k].p.x(), 1e-6);
      EXPECT_EQ(ride.contact[k].points, 2);
    }
    EXPECT_NEAR(ride.twist.back()[0], 0.1 * omega, 1e-9 * omega);
  }
}

/// The state at the end of a run, and one near it.
struct Held {
  Simulation simulation;
  State state;
  explicit Held(const std::string& text) : simulation(problem(text)) {
    const Summary summary =
        simulation.run({.on_output = [&](const State& now, const SystemWorkspace&) { state = now; }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  }
  /// Of places that carry, by their keys: the gap, and the place in the axes of body 0.
  std::map<double, std::pair<double, Vec3>> places() const {
    const System& system = simulation.system();
    const auto workspace = system.workspace();
    system.update(state, *workspace);
    auto search = system.rigid_contacts()->search();
    std::vector<Touch> touches;
    system.rigid_contacts()->find(state, *workspace, *search, touches);
    const FramePose body = system.motion(0, state).pose;
    std::map<double, std::pair<double, Vec3>> all;
    for (const Touch& touch : touches)
      if (!touch.carried.isZero(0)) all[touch.key] = {touch.gap, body.R.transpose() * (touch.place - body.p)};
    return all;
  }
  /// What the step was taken with is what is taken off after it, at the same places, and action is reaction: the forces that are carried
  /// over have no resultant, and their power is that of the places found, at any velocities.
  void expect_consistent(const char* what) {
    const System& system = simulation.system();
    const RigidContactsBase& contacts = *system.rigid_contacts();
    const auto workspace = system.workspace();
    auto& frames = static_cast<SystemWorkspace&>(*workspace).frames;
    Random random{3};
    for (int trial = 0; trial < 3; ++trial) {
      state.v = random_vector(static_cast<int>(state.v.size()), random);
      system.update(state, *workspace);
      for (FrameWrench& w : frames.wrench) w.setZero();
      contacts.subtract_wrenches(state, frames);
      Vec3 force = zero3, moment = zero3;
      double most = 0;
      for (std::size_t f = 0; f < frames.wrench.size(); ++f) {
        const FrameWrench& w = frames.wrench[f];
        force += w.head<3>();
        moment += w.tail<3>() + frames.pose[f].p.cross(w.head<3>());
        most = std::max(most, w.norm());
      }
      EXPECT_GT(most, 0.1) << what;
      EXPECT_MATRIX_NEAR(force, zero3, 1e-9);
      EXPECT_MATRIX_NEAR(moment, zero3, 1e-9);
      std::vector<Touch> touches;
      auto search = contacts.search();
      contacts.find(state, *workspace, *search, touches);
      double power = 0;
      for (const Touch& touch : touches)
        for (const int side : {0, 1})
          power += touch.carried.dot(contacts.rates(touch, side, *workspace, state.v));
      EXPECT_NEAR(power, -contacts.power(state, frames).dissipated, 1e-9 * (1 + std::abs(power))) << what;
    }
  }
};

/// The edges of a plank lie on a beam; tilted, they meet it nowhere on their length.
TEST(ContactPlaces, ForcesOfPlacesThatEndAreTakenOffWhereTheyActed) {
  Held plank(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {plank: {rigid: {shape: {box: [1, 0.1, 0.02]}, mass: 1}, "
      "at: [0.02, 0.01, 0.11]}}\nsurfaces: {plank: {box: [1, 0.1, 0.02], body: plank}, beam: {box: [0.1, 1, "
      "0.1], at: [0, 0, 0.05]}}\ncontacts: {touch: {between: [plank, beam], law: rigid, friction: 0.5}}\n"
      "run: {step: 5e-3, end: 0.05}\noutputs: {every: 0.05}\n");
  plank.expect_consistent("at rest");
  const auto before = plank.places();
  VectorX motion = VectorX::Zero(6);
  motion[4] = 0.1;  // about y, along which the beam lies
  const VectorX q = plank.state.q;
  plank.simulation.system().plus(q, motion, plank.state.q);
  const auto after = plank.places();
  int ended = 0;
  for (const auto& [key, at] : before) {
    ASSERT_TRUE(after.contains(key));
    if (std::isfinite(after.at(key).first)) continue;
    ++ended;
    EXPECT_LT((after.at(key).second - at.second).norm(), 5e-3) << at.second.transpose();
  }
  EXPECT_GE(ended, 2);
}

/// Sections of a rod that go on from one piece of another to the next.
TEST(ContactPlaces, ForcesOnPiecesThatEndHaveNoMoment) {
  const std::string material = "material: {young: 1e8, poisson: 0.3, density: 1000}";
  Held rods(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n  across: {cosserat: {section: {circle: 0.01}, " +
      material +
      ", elements: 8, damping: 1e-2}, between: [[-0.5, 0, 0.03], [0.5, 0, 0.03]], axes: {z: x}}\n"
      "  left: {cosserat: &below {section: {circle: 0.02}, " +
      material +
      ", elements: 4, damping: 1e-2}, between: [[-0.25, -0.2, 0], [-0.25, 0.2, 0]], axes: {z: y}}\n"
      "  right: {cosserat: *below, between: [[0.25, -0.2, 0], [0.25, 0.2, 0]], axes: {z: y}}\n"
      "joints: {l: {fixed: [ground, left.start]}, r: {fixed: [ground, right.start]}, l2: {fixed: [ground, "
      "left.end]}, r2: {fixed: [ground, right.end]}}\n"
      "surfaces: {across: {rod: {radius: 0.01}, body: across}, left: {rod: {radius: 0.02}, body: left}, "
      "right: {rod: {radius: 0.02}, body: right}}\n"
      "contacts: {touch: {between: [across, [left, right]], law: rigid, friction: 0.4}}\n"
      "run: {step: 1e-3, end: 0.02}\noutputs: {every: 0.02}\n");
  rods.expect_consistent("at rest");
  const System& system = rods.simulation.system();
  const auto section = [&] { return system.nodes(0, rods.state)[8].p; };
  const Vec3 before = section();
  VectorX motion = VectorX::Zero(system.nv());
  for (int k = 0; k < 17; ++k) motion[6 * k + 1] = 0.06;  // along the rods below, by more than a piece
  const VectorX q = rods.state.q;
  system.plus(q, motion, rods.state.q);
  ASSERT_MATRIX_NEAR(Vec3(section() - before), Vec3(0, 0.06, 0), 1e-9);
  rods.expect_consistent("on other pieces");
}

// --- what opens within a step

Surface rod_on_frames(int sections, double radius, double spacing) {
  Surface rod{.is_round = true, .body = 0};
  for (int k = 0; k < sections; ++k) {
    if (k > 0) rod.pieces.push_back({radius, spacing, k == 1, k == sections - 1});
    rod.features.push_back({k, {.radius = radius}});
  }
  return rod;
}

bool has_passed(SurfacePairs pairs, const std::vector<FramePose>& before,
                const std::vector<FramePose>& after) {
  pairs.finish();
  const SurfacePassages passages(std::move(pairs));
  SystemWorkspace from, to;
  from.frames.pose = before;
  to.frames.pose = after;
  return passages.passed(from, to, *passages.search());
}

/// A rod that lies on itself as a hairpin, whichever way it is turned, is open by 120 degrees after a step: nothing of it is opposite to the
/// rest any more.
TEST(ContactPlaces, ARodThatOpensFastPassesNothing) {
  constexpr int n = 9;
  constexpr double radius = 0.02, spacing = 0.05, apart = 0.039;
  SurfacePairs pairs;
  pairs.surfaces = {rod_on_frames(n, radius, spacing)};
  pairs.contacts = {{.lists = {std::vector{0}, std::vector{0}}}};
  for (const double turn : {0.0, 0.5 * std::numbers::pi, std::numbers::pi, -0.5 * std::numbers::pi}) {
    const FramePose whole{exp_so3(Vec3(turn, 0, 0)), zero3};
    std::vector<FramePose> bent, open, through;
    const Vec3 outwards(0.5, 0, 0.5 * std::numbers::sqrt3);
    for (int k = 0; k < n; ++k) {
      const double x = spacing * k, back = spacing * (n - 1 - k);
      const Vec3 on = Vec3(spacing * (n / 2), 0, 0.5 * apart) + spacing * (k - n / 2) * outwards;
      open.push_back(whole * FramePose{rotation_from_z(k < n / 2 ? Vec3(unit_x) : outwards),
                                       k < n / 2 ? Vec3(x, 0, 0) : on});
      const bool is_below = k < n / 2;
      const Vec3 p =
          k == n / 2 ? Vec3(x, 0, 0.5 * apart) : Vec3(is_below ? x : back, 0, is_below ? 0 : apart);
      const Vec3 way = k == n / 2 ? unit_z : Vec3((is_below ? 1 : -1) * unit_x);
      bent.push_back(whole * FramePose{rotation_from_z(way), p});
      through.push_back(whole * FramePose{rotation_from_z(way), Vec3(p.x(), 0, -p.z())});
    }
    EXPECT_FALSE(has_passed(pairs, bent, open)) << turn;
    EXPECT_TRUE(has_passed(pairs, bent, through)) << turn;
  }
}

}  // namespace
}  // namespace hooke::test
