#pragma once

// Second derivatives of the tangent operator T(x) of so3.h, for elements that interpolate rotations.
//
//   T(x) w = w - b (x x w) + c (x (x.w) - s w),     s = |x|^2
//
// b and c depend on s alone: grad b = db x, grad db = ddb x, and likewise for c.

#include "hooke/math/types.h"

namespace hooke {

/// The Hessian of  m . T(x) w  with respect to x.
Mat3 tangent_so3_hessian(const Vec3& x, const Vec3& w, const Vec3& m);
/// d/dx of the derivative of T(x) w along d, at constant w and d.
Mat3 tangent_so3_second(const Vec3& x, const Vec3& w, const Vec3& d);

}  // namespace hooke
