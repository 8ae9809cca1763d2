#pragma once
#include <unsupported/Eigen/AutoDiff>

#include "hooke/math/types.h"

namespace hooke {

template <class T>
using VecOf = Eigen::Matrix<T, 3, 1>;

/// Numbers that carry their derivatives by n others.
template <int n>
using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, n, 1>>;

inline double plain(double x) { return x; }
template <class Derivatives>
double plain(const Eigen::AutoDiffScalar<Derivatives>& x) {
  return x.value();
}
template <class T>
Vec3 plain(const VecOf<T>& x) {
  return {plain(x[0]), plain(x[1]), plain(x[2])};
}

}  // namespace hooke
