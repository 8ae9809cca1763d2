#pragma once
#include <array>

#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

namespace hooke {

/// B bends against A without twisting about the bisector of z_A and z_B:
///   g = x_A . y_B - y_A . x_B                                          (1 row, no unit)
/// With R_AB = exp(r) this is -2 r_z sin|r| / |r|: the axis of the relative rotation lies in the xy planes of
/// A and B. A shaft on A then turns as fast as one on B at every bend: the constant velocity joint.
struct NoTwist {
  static constexpr int rows = 1;
  static constexpr bool flat = false;
  static constexpr std::array needs_orientation{true, true};
  static constexpr std::array labels{"moment about the bisector of the shafts"};

  void evaluate(const FrameInputs<2>& in, auto&& g, auto&& G) const {
    const Mat3 &A = in.pose[0]->R, &B = in.pose[1]->R;
    g[0] = A.col(0).dot(B.col(1)) - A.col(1).dot(B.col(0));
    const Vec3 n_W = A.col(0).cross(B.col(1)) - A.col(1).cross(B.col(0));
    G << zero3.transpose(), n_W.transpose(), zero3.transpose(), -n_W.transpose();
  }

  void add_stiffness(const FrameInputs<2>& in, const auto& lambda, Mat12& H) const {
    const Mat3 &A = in.pose[0]->R, &B = in.pose[1]->R;
    add_dot_hessian(A.col(0), B.col(1), lambda[0], H);
    add_dot_hessian(A.col(1), B.col(0), -lambda[0], H);
  }
};

}  // namespace hooke
