#include "hooke/io/model/model_file.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

/// A body that turns about its middle axis, which it cannot keep (it tumbles over every few seconds), and
/// flies.
const char* const tumbling_body = R"(
hooke: 1
bodies:
  body: {rigid: {mass: 2, inertia: [1, 2, 3]}, velocity: [1, -2, 0.5], angular_velocity: [0.01, 3, 0.02]}
run: {step: 1e-3, end: 10}
outputs: {every: 0.1}
)";

/// Four bodies in a closed loop that hangs on nothing: a revolute, a universal and two spherical joints leave
/// 3 inner motions.
const char* const floating_loop = R"(
hooke: 1
bodies:
  a: {rigid: {mass: 1, inertia: [0.02, 0.1, 0.1]}, at: [0.5, 0, 0], velocity: [1, 0.5, -1], angular_velocity: [0.3, 1, 2]}
  b: {rigid: {mass: 2, inertia: [0.2, 0.03, 0.2]}, at: [1, 0.5, 0], velocity: [-1, 0, 2], angular_velocity: [1, 0, -1]}
  c: {rigid: {mass: 1.5, inertia: [0.02, 0.15, 0.15]}, at: [0.5, 1, 0], velocity: [0, 1, 1], angular_velocity: [-1, 1, 0]}
  d: {rigid: {mass: 0.5, inertia: [0.05, 0.01, 0.05]}, at: [0, 0.5, 0], velocity: [2, 0, 0], angular_velocity: [0, -2, 1]}
joints:
  ab: {revolute: [a, b], at: [1, 0, 0], axis: z}
  bc: {spherical: [b, c], at: [1, 1, 0]}
  cd: {universal: [c, d], at: [0, 1, 0], axis: x, axis2: y}
  da: {spherical: [d, a], at: [0, 0, 0]}
run: {step: 1e-3, end: 10}
outputs: {every: 0.1}
)";

struct Inertia {
  std::string body;
  double mass;
  Vec3 inertia;
};

/// Largest changes from the start.
struct Drift {
  double momentum = 0, angular_momentum = 0, energy = 0;
};

Drift drift_of(const Trajectory& path, const std::vector<Inertia>& bodies) {
  const auto momenta = [&](std::size_t i) {
    Vec6 sum = Vec6::Zero();
    for (const Inertia& b : bodies) {
      const Record::Body& body = path.body(i, b.body);
      const Vec3 p = b.mass * body.twist.head<3>();
      const Vec3 spin =
          body.pose.R * (b.inertia.asDiagonal() * (body.pose.R.transpose() * body.twist.tail<3>()));
      sum.head<3>() += p;
      sum.tail<3>() += body.pose.p.cross(p) + spin;
    }
    return sum;
  };
  Drift drift;
  const Vec6 first = momenta(0);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Vec6 change = momenta(i) - first;
    drift.momentum = std::max(drift.momentum, change.head<3>().norm() / first.head<3>().norm());
    drift.angular_momentum =
        std::max(drift.angular_momentum, change.tail<3>().norm() / first.tail<3>().norm());
    drift.energy = std::max(drift.energy, std::abs(path.energy(i) / path.energy(0) - 1));
  }
  return drift;
}

Trajectory run_text(const char* text, const Method& method) {
  Diagnostics diagnostics;
  Problem file = parse_model(text, "validation", method.overrides, diagnostics);
  diagnostics.throw_if_errors();
  return Trajectory(std::move(file));
}

}  // namespace

void conservation(Report& report) {
  report.heading("Momentum and energy");
  report.text(
      "Nothing acts on these from outside, so linear momentum, angular momentum about the origin and energy "
      "must stay. *Tumbling body*: it "
      "spins about its middle axis and turns over every few seconds. *Floating loop*: four bodies in a "
      "closed chain (revolute, spherical, "
      "universal, spherical) that hangs on nothing. 10 s each; the largest changes over the outputs, "
      "relative to the start.");
  const std::tuple<std::string, const char*, std::vector<Inertia>> models[] = {
      {"tumbling body", tumbling_body, {{"body", 2, {1, 2, 3}}}},
      {"floating loop",
       floating_loop,
       {{"a", 1, {0.02, 0.1, 0.1}},
        {"b", 2, {0.2, 0.03, 0.2}},
        {"c", 1.5, {0.02, 0.15, 0.15}},
        {"d", 0.5, {0.05, 0.01, 0.05}}}}};

  std::vector<std::vector<std::string>> rows;
  double momentum = 0, order_off = 0, tight = 0;
  for (const auto& [name, text, bodies] : models) {
    for (const auto& family :
         {std::vector<Method>{generalized_alpha(0.8, 1e-2), generalized_alpha(0.8, 5e-3),
                              generalized_alpha(0.8, 2.5e-3)},
          std::vector<Method>{fixed("trapezoidal", 1e-2), fixed("trapezoidal", 5e-3),
                              fixed("trapezoidal", 2.5e-3)},
          std::vector<Method>{fixed("dormand-prince", 1e-2), fixed("dormand-prince", 5e-3),
                              fixed("dormand-prince", 2.5e-3)}}) {
      Drift last;
      for (const Method& method : family) {
        const Drift drift = drift_of(run_text(text, method), bodies);
        rows.push_back({name, method.name, method.setting, scientific(drift.momentum),
                        scientific(drift.angular_momentum),
                        order_of(last.angular_momentum, drift.angular_momentum), scientific(drift.energy),
                        order_of(last.energy, drift.energy)});
        momentum = std::max(momentum, drift.momentum);
        if (&method == &family.back()) {
          if (method.name == "dormand-prince")
            tight = std::max({tight, drift.angular_momentum, drift.energy});
          else
            order_off = std::max(order_off, 2 - std::log2(last.angular_momentum / drift.angular_momentum));
        }
        last = drift;
      }
    }
  }
  report.table(
      {"model", "integrator", "setting", "linear momentum", "angular momentum", "order", "energy", "order"},
      rows);
  report.expect("linear momentum stays to round-off: largest relative change", momentum, 1e-10);
  report.expect("angular momentum of the implicit methods improves with order 2 at least: how much less",
                order_off, 0.1);
  report.expect("dormand-prince with 2.5 ms: largest relative change of angular momentum and energy", tight,
                1e-8);
}

}  // namespace hooke::validation
