#pragma once
#include <cmath>
#include <limits>

#include "hooke/math/types.h"

namespace hooke {

/// Everything that changes in time. A value: copying it is a checkpoint, a rollback, a rejected step.
struct State {
  double t = 0;
  VectorX q;       ///< configuration (a rigid body: position, quaternion w x y z)
  VectorX v;       ///< velocities (a rigid body: p', omega in the body frame)
  VectorX a;       ///< v'
  VectorX lambda;  ///< multipliers:  M v' + G^T lambda = f
  VectorX memory;  ///< what is remembered: angles over full turns (frames/coordinates.h), samples, events
  /// counts how often constraints and forces were switched: what was factored before is of another system
  int mode = 0;
  VectorX history;  ///< what the integrator carries from step to step

  /// The integrator starts afresh. The history keeps its size, so that this and what follows take no memory.
  void forget_history() {
    if (history.size() > 0) history[0] = std::numeric_limits<double>::quiet_NaN();
  }
  bool has_history() const { return history.size() > 0 && !std::isnan(history[0]); }

  void archive(auto& to) { to(t, q, v, a, lambda, memory, mode, history); }
};

}  // namespace hooke
