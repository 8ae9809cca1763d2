// Modes about a steady motion: rotors that whirl, beams that spin.
#include <gmock/gmock.h>

#include <numbers>

#include "hooke/analysis/lowest_modes.h"
#include "hooke/analysis/steady_motion.h"
#include "hooke/base/error.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;
constexpr double to_hz = 1 / (2 * std::numbers::pi);

struct Turning {
  Simulation simulation;
  State state;
  SteadyMotion motion;

  explicit Turning(const std::string& text)
      : simulation(parse_model("hooke: 1\n" + text)), state(simulation.start().state) {
    motion = settle(simulation.system(), state, {});
  }
  /// Frequencies that are not zero, in rad/s, rising.
  std::vector<double> dense() const { return listed(linearise(simulation.system(), state).modes); }
  std::vector<double> sparse(int count) const {
    return listed(lowest_modes(simulation.system(), state, count).modes);
  }

 private:
  static std::vector<double> listed(const std::vector<Mode>& modes) {
    std::vector<double> found;
    for (const Mode& mode : modes) {
      EXPECT_LT(std::abs(mode.eigenvalue.real()), 1e-6 * std::abs(mode.eigenvalue) + 1e-2);
      if (mode.frequency > 0.01) found.push_back(mode.frequency / to_hz);
    }
    return found;
  }
};

std::string rotor_on_bearings(double speed, double k_y, double k_z, double I_y, double I_z) {
  const std::string stiffness = fmt::format("[4e4, {}, {}, 0, 0, 0]", k_y, k_z);
  return fmt::format(R"(
ground: {{frames: {{a: {{at: [-0.3, 0, 0]}}, b: {{at: [0.3, 0, 0]}}}}}}
bodies:
  rotor:
    rigid: {{mass: 2, inertia: [0.08, {}, {}]}}
    at: [0, 0, 0]
    angular_velocity: [{}, 0, 0]
    frames: {{a: {{at: [-0.3, 0, 0]}}, b: {{at: [0.3, 0, 0]}}}}
forces:
  left: {{bushing: [ground.a, rotor.a], stiffness: {}}}
  right: {{bushing: [ground.b, rotor.b], stiffness: {}}}
)",
                     I_y, I_z, speed, stiffness, stiffness);
}

/// Both roots s^2 of (a - m s^2)(b - n s^2) = (c s)^2, as frequencies.
std::array<double, 2> of_pair(double a, double m, double b, double n, double c) {
  const double p = m * n, half = 0.5 * (a * n + b * m + c * c), root = std::sqrt(half * half - p * a * b);
  return {std::sqrt((half - root) / p), std::sqrt((half + root) / p)};
}

void expect_frequencies(const std::vector<double>& found, std::vector<double> expected, double accuracy) {
  std::sort(expected.begin(), expected.end());
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k] / expected[k], 1, accuracy) << k;
}

/// Translations, and the two conical modes that gyroscopic moments split into a backward and a forward one, on bearings that
/// are round and not.
TEST(Whirl, ARigidRotorOnBearings) {
  const double speed = 400, I = 0.05, polar = 0.08, a = 0.3, k_x = 4e4;
  for (const double k_z : {3e4, 5e4}) {
    const double k_y = 3e4;
    const Turning rotor(rotor_on_bearings(speed, k_y, k_z, I, I));
    EXPECT_TRUE(rotor.motion.turning.isZero(0));
    const auto cone = of_pair(2 * k_z * a * a, I, 2 * k_y * a * a, I, polar * speed);
    const std::vector<double> expected{cone[0], cone[1], std::sqrt(k_x), std::sqrt(k_y), std::sqrt(k_z)};
    expect_frequencies(rotor.dense(), expected, 1e-8);
    expect_frequencies(rotor.sparse(8), expected, 1e-8);
    if (k_z == k_y) {
      EXPECT_NEAR(cone[1] - cone[0], polar * speed / I, 1e-9);
    }
  }
}

/// A rotor that is not round, on round bearings: seen from axes that turn with it.
TEST(Whirl, ARotorThatIsNotRound) {
  const double speed = 150, k = 3e4, a = 0.3, I_x = 0.08, I_y = 0.05, I_z = 0.06;
  const Turning rotor(rotor_on_bearings(speed, k, k, I_y, I_z));
  EXPECT_NEAR(rotor.motion.turning.norm(), speed, 1e-9);
  const double stiffness = 2 * k * a * a;
  const auto cone = of_pair(stiffness + (I_x - I_z) * speed * speed, I_y,
                            stiffness + (I_x - I_y) * speed * speed, I_z, (I_y + I_z - I_x) * speed);
  const double bounce = std::sqrt(k);
  const std::vector<double> expected{cone[0], cone[1], std::sqrt(4e4), bounce - speed, bounce + speed};
  expect_frequencies(rotor.dense(), expected, 1e-8);
  expect_frequencies(rotor.sparse(8), expected, 1e-8);
}

/// Stodola's rotor: a disc on the free end of a shaft, which is clamped in a bearing. Signed frequencies w, forward ones positive, of
/// (k_11 - m w^2)(k_22 - I w^2 + I_p speed w) = k_12^2.
TEST(Whirl, ADiscOnTheEndOfAShaft) {
  const double speed = 600, m = 3, I = 0.01, polar = 0.02, L = 0.4, r = 0.01;
  const Turning rotor(fmt::format(R"(
bodies:
  shaft:
    cosserat:
      section: {{circle: {}}}
      material: {{young: 2.1e11, poisson: 0.3, density: 1e-2}}
      elements: 8
    between: [[0, 0, 0], [{}, 0, 0]]
    angular_velocity_world: [{}, 0, 0]
  disc:
    rigid: {{mass: {}, inertia: [{}, {}, {}]}}
    at: [{}, 0, 0]
    angular_velocity: [{}, 0, 0]
joints:
  bearing: {{revolute: [ground, shaft.start], at: [0, 0, 0], axis: x}}
  hub: {{fixed: [shaft.end, disc]}}
)",
                                  r, L, speed, m, polar, I, I, L, speed));
  EXPECT_TRUE(rotor.motion.turning.isZero(0));
  const double EI = 2.1e11 * std::numbers::pi * std::pow(r, 4) / 4;
  const double GA =
      2.1e11 / 2.6 * std::numbers::pi * r * r * 6 * 1.3 / (7 + 6 * 0.3);  // by Cowper, for shear
  Eigen::Matrix2d give;
  give << L * L * L / (3 * EI) + L / GA, L * L / (2 * EI), L * L / (2 * EI), L / EI;
  const Eigen::Matrix2d k = give.inverse();
  const double k_11 = k(0, 0), k_12 = k(0, 1), k_22 = k(1, 1);
  const auto f = [&](double w) {
    return (k_11 - m * w * w) * (k_22 - I * w * w + polar * speed * w) - k_12 * k_12;
  };
  std::vector<double> expected;
  for (double w = -3e4, step = 1; w < 3e4; w += step)
    if (f(w) * f(w + step) < 0) {
      double low = w, high = w + step;
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (f(low) * f(middle) > 0 ? low : high) = middle;
      }
      expected.push_back(std::abs(low));
    }
  ASSERT_EQ(expected.size(), 4u);
  std::sort(expected.begin(), expected.end());
  const std::vector<double> found = rotor.dense();
  for (const double w : expected) {  // beside them there are stretching and the shaft's own vibrations
    double nearest = 1e300;
    for (const double w_found : found) nearest = std::min(nearest, std::abs(w_found / w - 1));
    EXPECT_LT(nearest, 1e-3) << w;
  }
}

/// A beam driven about an axis at its end: Wright, Smith, Thresher and Wang (J. Appl. Mech. 49 (1982)) have frequencies across the plane of
/// turning of 7.36037 at 6 times the unit, in the plane w^2 less by that of the speed.
std::string spinning_beam(const std::string& formulation, double speed) {
  return fmt::format(R"(
bodies:
  beam: {{{}, angular_velocity_world: [0, 0, {}], velocity: [0, {}, 0]}}
joints:
  hinge: {{revolute: [ground, beam.start], at: [0, 0, 0], axis: z}}
drives:
  motor: {{joint: hinge, function: "{}*t"}}
)",
                     formulation, speed, 0.5 * speed, speed);
}

TEST(Whirl, ABeamThatSpins) {
  const double edge = 0.01, unit = std::sqrt(2e11 / 7800 / 12) * edge, speed = 6 * unit;
  const double across = 7.36037, in_plane = std::sqrt(across * across - 36);
  const std::string rod =
      "section: {rectangle: [0.01, 0.01]}, material: {young: 2e11, poisson: 0.3, density: 7800}";
  const std::string cosserat = "cosserat: {" + rod + ", elements: 8}, between: [[0, 0, 0], [1, 0, 0]]";
  const std::string ffrf = "ffrf: {" + rod +
                           ", elements: 12, modes: 16, basis: clamped, stiffening: true, reference: start}, "
                           "between: [[0, 0, 0], [1, 0, 0]]";
  for (const std::string& formulation : {cosserat, ffrf}) {
    const Turning beam(spinning_beam(formulation, speed));
    EXPECT_NEAR(beam.motion.turning.norm(), speed, 1e-6);
    expect_frequencies(beam.dense(), {in_plane * unit, across * unit}, 3e-3);
    expect_frequencies(beam.sparse(4), {in_plane * unit, across * unit}, 3e-3);
  }
}

std::string spinning_solid(const std::string& how, double speed) {
  std::string text =
      spinning_beam("solid: {mesh: {box: {size: [1, 0.01, 0.01], divisions: [24, 1, 1], element: hex20}}, " +
                        how + ", material: {young: 2e11, poisson: 0, density: 7800}}, at: [0.5, 0, 0]",
                    speed);
  return text.replace(text.find("beam.start"), 10, "beam.x_min");
}

TEST(Whirl, ASolidThatSpins) {
  const double edge = 0.01, unit = std::sqrt(2e11 / 7800 / 12) * edge, speed = 6 * unit;
  const double across = 7.36037, in_plane = std::sqrt(across * across - 36);
  const Turning beam(spinning_solid("corotation: element", speed));
  expect_frequencies(beam.sparse(4), {in_plane * unit, across * unit}, 0.01);
}

/// The pull stiffens it by nothing but the turning of the frames of its components. With one for each layer of elements it is the
/// solid with frames of elements.
TEST(Whirl, ASolidInComponentsThatSpins) {
  const double unit = std::sqrt(2e11 / 7800 / 12) * 0.01, speed = 6 * unit;
  const Turning of_elements(spinning_solid("corotation: element", speed)),
      in_components(spinning_solid("components: 24", speed));
  expect_frequencies(in_components.sparse(8), of_elements.sparse(6), 1e-6);
}

/// Damping sees deformation alone, not that the body turns: a mode is damped about as at rest, where its stiffness is all of the
/// material's, and none is fed by the turning. Components leave out what is of the order of the strain, 4e-4 by that pull.
TEST(Whirl, DampingOfASolidThatSpinsIsThatOfItsDeformation) {
  const double unit = std::sqrt(2e11 / 7800 / 12) * 0.01, speed = 6 * unit;
  const auto damping = [&](const std::string& how) {
    const Turning beam(spinning_solid(how + ", stiffness_damping: 1e-5", speed));
    std::vector<double> found;
    for (const Mode& mode : lowest_modes(beam.simulation.system(), beam.state, 2).modes)
      found.push_back(-mode.eigenvalue.real());
    return found;
  };
  const std::vector<double> of_elements = damping("corotation: element"),
                            in_components = damping("components: 24");
  const double at_rest = 0.5e-5 * std::pow(3.516 * unit, 2);
  for (std::size_t k : {0, 1}) {
    EXPECT_NEAR(of_elements[k] / at_rest, 1, 0.2) << k;
    EXPECT_NEAR(in_components[k] / of_elements[k], 1, 1e-3) << k;
  }
}

TEST(Whirl, WhatIsNotSteadyIsRefused) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      Turning{text};
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_model);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(why(rotor_on_bearings(150, 3e4, 5e4, 0.05, 0.06)), HasSubstr("after a turn"));
  EXPECT_THAT(
      why("bodies: {stone: {rigid: {mass: 1, inertia: [1, 1, 1]}, at: [0, 0, 0], velocity: [1, 0, 0]}}"),
      HasSubstr("this one moves otherwise"));
}

}  // namespace
}  // namespace hooke::test
