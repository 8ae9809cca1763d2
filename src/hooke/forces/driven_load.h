#pragma once
#include <functional>

#include "hooke/frames/force.h"

namespace hooke {

/// A wrench in world components at the origin of a frame that something outside the system gives: the
/// reaction of a joint whose other side is simulated elsewhere.
struct DrivenLoad {
  static constexpr int frames = 1;
  std::function<Vec6(double t)> wrench;

  void evaluate(const FrameInputs<1>& in, Vec6& w) const { w = wrench(in.t); }
  void tangent(const FrameInputs<1>&, Mat6& K, Mat6& D) const {
    K.setZero();
    D.setZero();
  }
};

static_assert(Force<DrivenLoad> && !Conservative<DrivenLoad>);

}  // namespace hooke
