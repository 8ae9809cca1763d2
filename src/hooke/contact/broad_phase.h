#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// Which of many balls overlap: they are sorted along the axis they spread most on, and swept. The order of the last time is
/// nearly that of this one, so that sorting takes one pass.
class BroadPhase {
 public:
  struct Ball {
    Vec3 centre = Vec3::Zero();
    double radius = 0;
  };
  /// f(i, j) for every two that overlap, and for each infinite one with every other; i < j.
  template <class Function>
  void for_each_pair(std::span<const Ball> balls, Function&& f) {
    sort(balls);
    const auto meet = [&](int a, int b) { a < b ? f(a, b) : f(b, a); };
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const int i = order_[k];
      const Ball& ball = balls[static_cast<std::size_t>(i)];
      const double end = ball.centre[axis_] + ball.radius;
      for (std::size_t l = k + 1; l < order_.size(); ++l) {
        const Ball& other = balls[static_cast<std::size_t>(order_[l])];
        if (other.centre[axis_] - other.radius > end) break;
        const double reach = ball.radius + other.radius;
        if ((ball.centre - other.centre).squaredNorm() <= reach * reach) meet(i, order_[l]);
      }
    }
    for (const int i : infinite_)
      for (int j = 0; j < static_cast<int>(balls.size()); ++j)
        if (std::isfinite(balls[static_cast<std::size_t>(j)].radius)) meet(i, j);
  }

 private:
  void sort(std::span<const Ball> balls);

  int axis_ = -1;
  std::vector<int> order_, infinite_;  ///< of finite ones by their lower ends; the others
};

}  // namespace hooke
