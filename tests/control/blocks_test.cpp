// Every block against its closed form.
#include <numbers>

#include "control/support.h"

namespace hooke::test {
namespace {

constexpr double pi = std::numbers::pi;
const std::string run = "run: {step: 1e-3, end: 2}\noutputs: {every: 0.1}\n";

void expect(const std::string& control, const std::function<double(double)>& exact, double tolerance,
            const std::string& integrator = "dormand-prince") {
  Simulation simulation(
      problem(disc("control: {y: " + control + "}\n" + run), {"run.integrator=" + integrator}));
  const auto found = history(simulation, "y");
  ASSERT_EQ(found.size(), 21u);
  for (const auto& [t, y] : found) EXPECT_NEAR(y, exact(t), tolerance) << control << " at " << t;
}

TEST(Blocks, Integrator) {
  expect(
      "{integrator: \"cos(3*t)\", gain: 2, start: 1}", [](double t) { return 1 + 2 * std::sin(3 * t) / 3; },
      1e-10);
  expect(
      "{integrator: 1, limits: [-1, 0.75]}", [](double t) { return std::min(t, 0.75); }, 2e-3);
}

TEST(Blocks, LowPass) {
  expect(
      "{low-pass: 1, time: 0.3, start: -1}", [](double t) { return 1 - 2 * std::exp(-t / 0.3); }, 1e-10);
}

/// 1 / (s^2 + 0.8 s + 4) to a step.
TEST(Blocks, TransferFunction) {
  const double w = std::sqrt(4 - 0.16);
  expect(
      "{transfer-function: 1, numerator: [1], denominator: [1, 0.8, 4]}",
      [&](double t) {
        return 0.25 * (1 - std::exp(-0.4 * t) * (std::cos(w * t) + 0.4 / w * std::sin(w * t)));
      },
      1e-10);
  // (2 s + 1)/(s + 3) = 2 - 5/(s + 3)
  expect(
      "{transfer-function: 1, numerator: [2, 1], denominator: [1, 3]}",
      [](double t) { return 2 - 5 * (1 - std::exp(-3 * t)) / 3; }, 1e-10);
}

TEST(Blocks, StateSpace) {
  const std::string rotation = "A: [[0, 2], [-2, 0]], B: [[0], [0]], start: [0, 1]";
  expect(
      "{state-space: [0], " + rotation + ", C: [[1, 0]]}", [](double t) { return std::sin(2 * t); }, 1e-10);
  Simulation two(problem(disc("control: {y: {state-space: [t], " + rotation +
                              ", C: [[1, 0], [0, 1]], D: [[0], [1]]}}\n" + run)));
  two.advance(0.7);
  EXPECT_NEAR(two.signal("y.1"), std::sin(1.4), 1e-5);
  EXPECT_NEAR(two.signal("y.2"), std::cos(1.4) + 0.7, 1e-5);
}

TEST(Blocks, WithoutStates) {
  expect(
      "{saturation: \"3*t\", limits: [-1, 2]}", [](double t) { return std::min(3 * t, 2.0); }, 1e-14);
  expect(
      "{dead-zone: \"t - 1\", limits: [-0.3, 0.5]}",
      [](double t) { return t < 0.7   ? t - 0.7
                            : t > 1.5 ? t - 1.5
                                      : 0; }, 1e-14);
  expect(
      "{look-up: \"2*t\", function: {table: {points: [[0, 0], [1, 1], [2, 4], [3, 9], [4, 16]], slopes: [0, "
      "8]}}}",
      [](double t) { return 4 * t * t; }, 1e-12);
  expect(
      "{look-up-2d: [t, \"2 - t\"], x: [0, 1, 4], y: [0, 2], values: [[0, 2], [1, 3], [4, 6]]}",
      [](double t) { return t + 2 - t; }, 1e-14);
}

TEST(Blocks, RateLimiter) {
  expect(
      "{rate-limiter: 1, rate: 0.5, time: 1e-3}", [](double t) { return std::min(0.5 * t, 1.0); }, 1e-3);
  expect(
      "{rate-limiter: -1, rate: 0.5, falling: 2, time: 1e-3}",
      [](double t) { return std::max(-2 * t, -1.0); }, 4e-3);
}

/// Samples are held, and taken at exact times although no step ends there by itself.
TEST(Blocks, Sample) {
  const auto exact = [](double t) {
    return 0.3 * std::max(0.0, std::floor(t / 0.3 - 1e-9));
  };  // an output shows what was before
  expect("{sample: t, every: 0.3}", exact, 1e-12);
  expect("{sample: t, every: 0.3}", exact, 1e-12, "generalized-alpha");
  expect(
      "{sample: t, every: 0.3, offset: 0.1, start: -5}",
      [](double t) { return t < 0.1 + 1e-9 ? -5 : 0.1 + 0.3 * std::floor((t - 0.1) / 0.3 - 1e-9); }, 1e-12);
}

TEST(Blocks, Delay) {
  expect(
      "{delay: \"sin(4*t)\", time: 0.4, start: 0}",
      [](double t) { return t < 0.4 ? 0 : std::sin(4 * (t - 0.4)); }, 1e-7);
}

/// Continuous: against the same made of other blocks.
TEST(Blocks, Pid) {
  const std::string e = "sin(5*t) + 1";
  Simulation simulation(
      problem(disc("control:\n"
                   "  y: {pid: \"" +
                   e +
                   "\", kp: 2, ki: 3, kd: 0.4, filter: 0.05, start: 0.1}\n"
                   "  i: {integrator: \"" +
                   e +
                   "\", gain: 3, start: 0.1}\n"
                   "  f: {low-pass: \"" +
                   e +
                   "\", time: 0.05, start: 1}\n"
                   "signals: {other: \"2*(" +
                   e + ") + i + 0.4*((" + e + ") - f)/0.05\"}\n" + run)));
  for (double t : {0.1, 0.5, 1.3}) {
    simulation.advance(t);
    EXPECT_NEAR(simulation.signal("y"), simulation.signal("other"), 1e-12);
  }
}

/// With limits the integral does not run away: it is back within the tracking time.
TEST(Blocks, PidDoesNotWindUp) {
  const std::string with =
      "control: {y: {pid: \"t < 5 ? 1 : -0.1\", kp: 1, ki: 1, limits: [-1.5, 1.5]}}\n"
      "run: {step: 1e-3, end: 7}\n";
  Simulation simulation(problem(disc(with)));
  simulation.advance(5.5);
  EXPECT_LT(simulation.signal("y"), 0.7);
}

/// The recursion of a digital PID, by hand.
TEST(Blocks, SampledPid) {
  const double T = 0.1, kp = 2, ki = 3, kd = 0.4;
  Simulation simulation(problem(disc(
      "control: {y: {pid: \"sin(5*t) + 1\", kp: 2, ki: 3, kd: 0.4, every: 0.1, limits: [-1, 4]}}\n" + run)));
  double integral = 0, before = 0;
  for (int k = 0; k < 15; ++k) {
    simulation.advance(T * k + 0.5 * T);
    const double e = std::sin(5 * T * k) + 1,
                 unlimited = kp * e + integral + ki * T * e + (k ? kd * (e - before) / T : 0);
    const double u = std::clamp(unlimited, -1.0, 4.0);
    EXPECT_NEAR(simulation.signal("y"), u, 1e-12) << k;
    integral += ki * T * e + (u - unlimited) * T / 0.1;
    before = e;
  }
}

/// A relay is switched where its input crosses the levels, not at the end of the step.
TEST(Blocks, Hysteresis) {
  expect(
      "{hysteresis: \"sin(pi*t)\", on: 0.5, off: -0.5, values: [-1, 3]}",
      [](double t) { return t > 1.0 / 6 && t < 7.0 / 6 + 1e-9 ? 3 : -1; }, 1e-14);
  Simulation simulation(
      problem(disc("control:\n  r: {hysteresis: \"sin(pi*t)\", on: 0.5, off: -0.5}\n"
                   "  y: {integrator: r}\nrun: {step: 0.03, end: 2}")));
  simulation.advance(2);
  EXPECT_NEAR(simulation.signal("y"), 1.0, 1e-9);
}

}  // namespace
}  // namespace hooke::test
