#pragma once
#include <algorithm>
#include <functional>

#include "hooke/integrators/dae_alpha.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/projector.h"
#include "papers/yen/problems.h"
#include "validation/report.h"

/// The sections of docs/papers/yen.md, one file each, and what they share.
namespace hooke::yen {

using validation::Report;

void spring_pendulum(Report& report);
void bushing(Report& report);
void slider_crank(Report& report);
void variants(Report& report);
void orders(Report& report);
void dissipation(Report& report);
void models(Report& report);

constexpr DaeAlphaIteration newton = DaeAlphaIteration::newton, split = DaeAlphaIteration::split,
                            modified = DaeAlphaIteration::modified;

/// Two rules under which the iterations are compared: the one of every Hooke integrator, and one as thrifty
/// as codes of the paper's time, which evaluate a tangent once a step and give up soon.
struct Rule {
  std::string name;
  NewtonSettings newton;
  bool test_multipliers;  ///< of the index-2 form
};
inline Rule common_rule(double tolerance) { return {"common", {.tolerance = tolerance}, false}; }
inline Rule thrifty_rule(double tolerance) {
  return {
      "thrifty", {.tolerance = tolerance, .max_iterations = 10, .reuse_rate = 0, .renew_rate = 1e9}, true};
}

inline DaeAlphaSettings settings(double rho, DaeAlphaIteration iteration, const Rule& rule) {
  return {AlphaParameters::generalized_alpha(rho), iteration, rule.newton,
          rule.test_multipliers && iteration == newton};
}

/// Equal steps until the end or the first that fails.
struct Run {
  std::vector<State> states;
  std::vector<double> energy;
  bool finished = true;
  long iterations = 0;

  std::vector<double> times() const {
    std::vector<double> t;
    for (const State& s : states) t.push_back(s.t);
    return t;
  }
  std::vector<double> coordinate(int i) const {
    std::vector<double> q;
    for (const State& s : states) q.push_back(s.q[i]);
    return q;
  }
};

inline Run run(const Dae& dae, const State& start, Integrator& integrator, double end, int steps) {
  const auto workspace = dae.workspace();
  Run result;
  State state = start;
  const auto record = [&] {
    result.states.push_back(state);
    dae.update(state, *workspace);
    result.energy.push_back(dae.energy(state, *workspace).total());
  };
  record();
  for (int k = 1; k <= steps; ++k) {
    const StepReport report = integrator.step(state, end / steps);
    result.iterations += report.iterations;
    if (!report.accepted) {
      result.finished = false;
      return result;
    }
    state.t = end * k / steps;
    record();
  }
  return result;
}
inline Run run(const Dae& dae, const State& start, const DaeAlphaSettings& settings, double end, int steps) {
  DaeAlpha integrator(dae, settings);
  return run(dae, start, integrator, end, steps);
}

/// The paper's start: a_0 = phi_0, however far that carries in a step. (Hooke's own leaves out of a_0 what the step does
/// not resolve.)
inline State with_all_accelerations(const Dae& dae, State state, double h) {
  Projector(dae, {}).accelerations(state);
  state.history.setZero(2 * dae.nv() + 1);
  state.history.head(dae.nv()) = state.a;
  state.history[2 * dae.nv()] = h;
  return state;
}

/// The fewest steps in which the run succeeds, as it does with all larger numbers up to `most`: no iteration
/// fails, and none ends at a solution of the step's equations that is not `possible` for the mechanism.
template <class Method, class Settings>
int fewest_steps(const Dae& dae, const State& start, const Settings& settings, double end, int most,
                 const std::function<bool(const State&)>& possible, bool own_start = false) {
  for (int n = most; n >= 1; --n) {
    Method integrator(dae, settings);
    const Run result =
        run(dae, own_start ? start : with_all_accelerations(dae, start, end / n), integrator, end, n);
    if (!result.finished || !std::all_of(result.states.begin(), result.states.end(), possible)) return n + 1;
  }
  return 1;
}

/// At most so many points of a curve for a figure.
inline std::vector<double> thinned(const std::vector<double>& all, std::size_t most = 1500) {
  const std::size_t stride = std::max<std::size_t>(1, all.size() / most);
  std::vector<double> some;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

}  // namespace hooke::yen
