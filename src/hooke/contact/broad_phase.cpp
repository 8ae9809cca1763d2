#include "hooke/contact/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hooke {

void BroadPhase::sort(std::span<const Ball> balls) {
  if (order_.size() + infinite_.size() != balls.size()) {
    order_.clear();
    infinite_.clear();
    for (int i = 0; i < static_cast<int>(balls.size()); ++i)
      (std::isfinite(balls[static_cast<std::size_t>(i)].radius) ? order_ : infinite_).push_back(i);
  }
  Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
  for (const int i : order_) {
    const Vec3& centre = balls[static_cast<std::size_t>(i)].centre;
    sum += centre;
    squares += centre.cwiseAbs2();
  }
  const double count = std::max<double>(1, static_cast<double>(order_.size()));
  const int before = std::exchange(axis_, 0);
  (squares / count - (sum / count).cwiseAbs2()).maxCoeff(&axis_);
  const auto low = [&](int i) {
    const Ball& ball = balls[static_cast<std::size_t>(i)];
    return ball.centre[axis_] - ball.radius;
  };
  if (axis_ != before) std::sort(order_.begin(), order_.end(), [&](int i, int j) { return low(i) < low(j); });
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const int moved = order_[k];
    const double key = low(moved);
    std::size_t l = k;
    for (; l > 0 && low(order_[l - 1]) > key; --l) order_[l] = order_[l - 1];
    order_[l] = moved;
  }
}

}  // namespace hooke
