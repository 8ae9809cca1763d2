#include "hooke/analysis/diagnosis.h"

#include <cmath>

#include "hooke/base/format.h"

namespace hooke {

std::optional<Diagnostic> find_not_finite(const System& system, const State& state, double h) {
  constexpr int halvings = 20;  // a step that fails is halved about as often before March gives up
  const auto workspace = system.workspace();
  State at = state;
  const auto look = [&](double ahead, bool with_derivatives) -> std::optional<Diagnostic> {
    at.t = state.t + ahead;
    if (auto drive = system.not_finite_drive(at.t)) return drive;
    system.plus(state.q, ahead * (state.v + 0.5 * ahead * state.a), at.q);
    at.v = state.v + ahead * state.a;
    system.update(at, *workspace);
    return system.not_finite_force(at, static_cast<const SystemWorkspace&>(*workspace), with_derivatives);
  };
  for (const bool with_derivatives : {false, true}) {
    if (auto found = look(0, with_derivatives)) return found;
    for (int k = halvings; k >= 0 && h > 0; --k)
      if (auto found = look(std::ldexp(h, -k), with_derivatives)) return found;
  }
  return {};
}

std::string gone_astray(const System& system, const State& start, const State& state) {
  constexpr double farthest = 1e8;  // a machine of 1 m is then a quarter of the way to the moon
  if (state.q.size() == 0) return {};
  const double far = state.q.lpNorm<Eigen::Infinity>();
  if (far <= farthest * system.extent() || far <= farthest * start.q.lpNorm<Eigen::Infinity>()) return {};
  Eigen::Index at = 0;
  state.q.cwiseAbs().maxCoeff(&at);
  int body = 0;  // whose coordinate that is
  while (body + 1 < system.bodies() &&
         !(at >= system.place_of(body).q && at < system.place_of(body).q + system.size_of(body).q))
    ++body;
  return formatted(
      "the motion grows without bound: at t = {:.6g} s body '{}' is {:.3g} m away in a mechanism of {:.3g} m."
      "\nLook for a force that feeds energy in (the sign of a law: tension is positive; negative damping or "
      "stiffness), or a missing joint.",
      state.t, system.body_name(body), far, system.extent());
}

}  // namespace hooke
