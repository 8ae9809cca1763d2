#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace hooke {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Vec12 = Eigen::Matrix<double, 12, 1>;
using VectorX = Eigen::VectorXd;

using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using Mat34 = Eigen::Matrix<double, 3, 4>;
using Mat36 = Eigen::Matrix<double, 3, 6>;
using Mat63 = Eigen::Matrix<double, 6, 3>;
using Mat3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using Mat6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using MatrixX = Eigen::MatrixXd;

using Quat = Eigen::Quaterniond;

inline const Vec3 zero3 = Vec3::Zero();
inline const Vec3 unit_x = Vec3::UnitX();
inline const Vec3 unit_y = Vec3::UnitY();
inline const Vec3 unit_z = Vec3::UnitZ();
inline const Vec6 zero6 = Vec6::Zero();
inline const Mat3 identity3 = Mat3::Identity();
inline const Mat3 zero33 = Mat3::Zero();
inline const Mat6 identity6 = Mat6::Identity();

/// The skew matrix of a vector:  hat(a) b = a x b.
inline Mat3 hat(const Vec3& a) {
  Mat3 m;
  // clang-format off
  m << 0, -a.z(), a.y(),
       a.z(), 0, -a.x(),
      -a.y(), a.x(), 0;
  // clang-format on
  return m;
}

/// Inverse of hat; of a general matrix, the vector of its skew part.
inline Vec3 unhat(const Mat3& m) {
  return 0.5 * Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

}  // namespace hooke
