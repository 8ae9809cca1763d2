#pragma once
#include <array>

#include "hooke/math/quadrature.h"
#include "hooke/math/so3.h"
#include "hooke/math/so3_second.h"

/// Strains of a geometrically exact rod (Simo, Comput. Methods Appl. Mech. Eng. 49 (1985)), interpolated from
/// nodes with positions p_i and rotations R_i. The centreline is p(s), the section turns with R(s), its z
/// axis is the normal:
///
///     Gamma = R^T p' - e_z       shear x, shear y, extension
///     kappa = vect(R^T R')       bending x, bending y, torsion
///
/// All is seen from one node r of the element. The others are at
///
///     x_i = R_r^T (p_i - p_r),   psi_i = log(R_r^T R_i)
///
/// which no rigid motion changes. Between them  psi = sum N_i psi_i,  R = R_r exp(psi),  and p' seen from r
/// is  a = sum N_i' x_i,  so
///
///     Gamma = exp(psi)^T a - e_z,     kappa = T(psi) psi'
///
/// (Crisfield, Jelenic, Proc. R. Soc. A 455 (1999)): objective, and a function of the configuration alone.
/// N nodes have N - 1 Gauss points: there an element can bend without shear, so it does not lock.
namespace hooke {

/// Local coordinates of an element seen from its node r: (x_i, psi_i) of each other node.
template <int N>
struct RodLocal {
  static constexpr int others = N - 1, size = 6 * others, points = N - 1;
  static constexpr int reference = N == 2 ? 0 : 1;
  static constexpr int node(int i) { return i < reference ? i : i + 1; }  ///< number of the i-th other node
  using Vector = Eigen::Matrix<double, size, 1>;
  using Matrix = Eigen::Matrix<double, size, size>;
  using Strains = Eigen::Matrix<double, 6, size>;
};

/// Lagrange's polynomials on N equidistant nodes of [0, 1] and their derivatives, at u.
template <int N>
struct Lagrange {
  std::array<double, N> value, slope;

  constexpr explicit Lagrange(double u) : value{}, slope{} {
    if constexpr (N == 2) {
      value = {1 - u, u};
      slope = {-1, 1};
    } else {
      value = {(1 - u) * (1 - 2 * u), 4 * u * (1 - u), u * (2 * u - 1)};
      slope = {4 * u - 3, 4 - 8 * u, 4 * u - 1};
    }
  }
};

/// At one place of an element of length L, for given local coordinates y.
template <int N>
class RodStrain {
 public:
  using Local = RodLocal<N>;

  RodStrain(const Lagrange<N>& shape, double length, const typename Local::Vector& y) {
    a_.setZero(), psi_.setZero(), psi_s_.setZero();
    for (int i = 0; i < Local::others; ++i) {
      n_[i] = shape.value[Local::node(i)];
      dn_[i] = shape.slope[Local::node(i)] / length;
      a_ += dn_[i] * y.template segment<3>(6 * i);
      psi_ += n_[i] * y.template segment<3>(6 * i + 3);
      psi_s_ += dn_[i] * y.template segment<3>(6 * i + 3);
    }
    E_ = exp_so3(psi_);
    T_ = tangent_so3(psi_);
    gamma_ = E_.transpose() * a_;
  }

  /// (R^T p', kappa): the strain without the constant e_z, which drops out with that of the rest shape.
  Vec6 strain() const {
    Vec6 e;
    e << gamma_, T_ * psi_s_;
    return e;
  }

  /// d(strain)/dy
  typename Local::Strains gradient() const {
    const Mat3 gamma_T = hat(gamma_) * T_, D = tangent_so3_derivative(psi_, psi_s_);
    typename Local::Strains B;
    for (int i = 0; i < Local::others; ++i)
      B.template middleCols<6>(6 * i) << dn_[i] * E_.transpose(), n_[i] * gamma_T, zero33,
          dn_[i] * T_ + n_[i] * D;
    return B;
  }

  /// Adds weight times the Hessian of  stress . strain  with respect to y, at constant stress.
  void add_hessian(const Vec6& stress, double weight, typename Local::Matrix& H) const {
    const Vec3 n = weight * stress.head<3>(), m = weight * stress.tail<3>();
    const Mat3 a_psi = -E_ * hat(n) * T_;
    const Mat3 psi_psi = left_tangent_so3_derivative(psi_, n.cross(gamma_)) +
                         T_.transpose() * hat(n) * hat(gamma_) * T_ + tangent_so3_hessian(psi_, psi_s_, m);
    const Mat3 s_psi = left_tangent_so3_derivative(psi_, m);
    for (int i = 0; i < Local::others; ++i)
      for (int j = 0; j < Local::others; ++j) {
        H.template block<3, 3>(6 * i, 6 * j + 3) += dn_[i] * n_[j] * a_psi;
        H.template block<3, 3>(6 * i + 3, 6 * j) += n_[i] * dn_[j] * a_psi.transpose();
        H.template block<3, 3>(6 * i + 3, 6 * j + 3) +=
            n_[i] * n_[j] * psi_psi + dn_[i] * n_[j] * s_psi + n_[i] * dn_[j] * s_psi.transpose();
      }
  }

  /// d(strain rate)/dy at constant y' = rate.
  typename Local::Strains rate_gradient(const typename Local::Vector& rate) const {
    Vec3 a = zero3, psi = zero3, psi_s = zero3;
    for (int i = 0; i < Local::others; ++i) {
      a += dn_[i] * rate.template segment<3>(6 * i);
      psi += n_[i] * rate.template segment<3>(6 * i + 3);
      psi_s += dn_[i] * rate.template segment<3>(6 * i + 3);
    }
    const Mat3 spin = hat(T_ * psi);
    const Mat3 gamma_a = -spin * E_.transpose();
    const Mat3 gamma_psi = hat(E_.transpose() * a) * T_ - spin * hat(gamma_) * T_ +
                           hat(gamma_) * tangent_so3_derivative(psi_, psi);
    const Mat3 kappa_psi = tangent_so3_derivative(psi_, psi_s) + tangent_so3_second(psi_, psi_s_, psi);
    const Mat3 kappa_s = tangent_so3_along(psi_, psi);
    typename Local::Strains S;
    for (int i = 0; i < Local::others; ++i)
      S.template middleCols<6>(6 * i) << dn_[i] * gamma_a, n_[i] * gamma_psi, zero33,
          n_[i] * kappa_psi + dn_[i] * kappa_s;
    return S;
  }

 private:
  std::array<double, Local::others> n_, dn_;
  Vec3 a_, psi_, psi_s_, gamma_;
  Mat3 E_, T_;
};

}  // namespace hooke
