#pragma once
#include <map>

#include "hooke/analysis/assembly.h"
#include "hooke/integrators/runge_kutta.h"
#include "support/convergence.h"
#include "support/mechanisms.h"

namespace hooke::test {

/// A model ready to run, with an accurate solution of it at any times asked for.
class Ready {
 public:
  explicit Ready(Model model, double accurate_step = 1e-4)
      : built_(build(model)), start_(assemble_start(model, built_, {}, 0)), accurate_step_(accurate_step) {}

  const System& system() const { return *built_.system; }
  const BuiltModel& built() const { return built_; }
  const Start& assembled() const { return start_; }
  const State& start() const { return start_.state; }

  /// By Dormand-Prince with small steps.
  std::vector<State> exact(const std::vector<double>& times) const {
    auto& known = known_[times];
    if (!known.empty()) return known;
    DormandPrince integrator(system(), {.tolerance = 1e-13});
    State state = start();
    for (double t : times) {
      const int n = std::max(1, static_cast<int>(std::ceil((t - state.t) / accurate_step_)));
      state = integrate(integrator, state, uniform_grid(state.t, t, n)).back();
      known.push_back(state);
    }
    return known;
  }

 private:
  BuiltModel built_;
  Start start_;
  double accurate_step_;
  mutable std::map<std::vector<double>, std::vector<State>> known_;
};

/// The spatial slider crank, made once.
class Crank : public Ready {
 public:
  static const Crank& instance() {
    static const Crank crank;
    return crank;
  }

 private:
  Crank() : Ready(slider_crank(), 4e-4) {}
};

}  // namespace hooke::test
