#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <numbers>

#include "hooke/frames/frame.h"

/// Scalar functions of two frames A and B: the coordinates that joints report, drives prescribe, gears couple
/// and springs act on. Each gives its value and the two derivatives with respect to the motion (dp_W,
/// dtheta_W) of A, then of B (see frame.h):
///
///   value(A, B)                      c
///   gradient(A, B)                   c_i  = dc / d(motion_i)                              12
///   add_hessian(A, B, weight, H)     H_ij += weight * d(c_i) / d(motion_j)                12 x 12
///
/// so that a generalised force F on c is the wrench F * gradient on the two frames, and its derivative at
/// constant F is what add_hessian(A, B, F, K) adds. Motions are left increments R <- exp(hat(dtheta_W)) R,
/// hence H is not symmetric: its skew part is the commutator of rotations. All formulas hold for any pair of
/// poses.
///
/// An angle is known up to full turns. Whoever needs it over many turns keeps what it was when the last step was
/// accepted, with its rate and the time (the `memory` of constraint.h), and takes the branch nearest to where
/// that leads. So it may turn any number of times in a step, as long as its rate foretells them to half a turn.
namespace hooke {

/// Frame axes by name; z is the axis of a joint.
enum class Axis { x, y, z };

inline Vec3 axis_W(const FramePose& F, Axis a) { return F.R.col(static_cast<int>(a)); }

template <class C>
concept Coordinate = requires(const C c, const FramePose& F, double number, Mat12& H) {
  { c.value(F, F) } -> std::convertible_to<double>;
  { c.gradient(F, F) } -> std::convertible_to<Vec12>;
  c.add_hessian(F, F, number, H);
  { C::nearest(number, number) } -> std::convertible_to<double>;
  { C::periodic } -> std::convertible_to<bool>;
};

/// The Hessian of a function whose gradient is (0, n, 0, -n), with dn = D_A dtheta_A - D_B dtheta_B.
inline void add_turn_hessian(const auto& D_A, const auto& D_B, auto&& H) {
  H.template block<3, 3>(3, 3) += D_A;
  H.template block<3, 3>(3, 9) -= D_B;
  H.template block<3, 3>(9, 3) -= D_A;
  H.template block<3, 3>(9, 9) += D_B;
}

/// The dot product a_W . b_W of an axis of A and an axis of B. With n = a x b (all in W)
///   d(a.b) = n . (dtheta_A - dtheta_B)
///   dn     = b x (a x dtheta_A) - a x (b x dtheta_B),   b x (a x .) = a b^T - (a.b) I
/// Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989), 9.4: the dot-1 primitive.
inline void add_dot_hessian(const Vec3& a_W, const Vec3& b_W, double weight, auto&& H) {
  Mat3 D = weight * a_W * b_W.transpose();
  D.diagonal().array() -= weight * a_W.dot(b_W);
  add_turn_hessian(D, D.transpose(), H);
}

/// The angle phi with  sin phi ~ s = a1_A . b1_B,  cos phi ~ c = a2_A . b2_B, so  phi = atan2(s, c).
///   n   = (c n_s - s n_c) / (s^2 + c^2),   n_s = a1 x b1,  n_c = a2 x b2        gradient (0, n, 0, -n)
///   dn  = (c dn_s - s dn_c + n_s dc - n_c ds - 2 n (s ds + c dc)) / (s^2 + c^2)
/// Undefined only where s = c = 0.
struct Angle {
  static constexpr bool periodic = true;
  static constexpr std::array needs_orientation{true, true};
  static constexpr const char* unit = "rad";
  Axis sine_A, sine_B, cosine_A, cosine_B;

  /// B turned about the z axis of A: x_B = cos phi x_A + sin phi y_A.
  static constexpr Angle about_z() { return {Axis::y, Axis::x, Axis::x, Axis::x}; }
  /// The angles of Hooke's joint, R_AB = exp(alpha x) exp(beta y): the cross turns about its arm x_A by
  /// alpha, then B about the arm y_B by beta.
  static constexpr Angle universal_about_x() { return {Axis::z, Axis::y, Axis::y, Axis::y}; }
  static constexpr Angle universal_about_y() { return {Axis::x, Axis::z, Axis::x, Axis::x}; }

  /// The branch of the angle nearest to a remembered, continuous one.
  static double nearest(double value, double memory) {
    constexpr double turn = 2 * std::numbers::pi;
    return value + turn * std::round((memory - value) / turn);
  }

  double value(const FramePose& A, const FramePose& B) const {
    const Axes e = axes(A, B);
    return std::atan2(e.s, e.c);
  }

  Vec12 gradient(const FramePose& A, const FramePose& B) const {
    const Vec3 n = axes(A, B).normal();
    Vec12 row;
    row << zero3, n, zero3, -n;
    return row;
  }

  void add_hessian(const FramePose& A, const FramePose& B, double weight, auto&& H) const {
    const Axes e = axes(A, B);
    const double w = weight / e.r2;
    add_dot_hessian(e.a1, e.b1, w * e.c, H);
    add_dot_hessian(e.a2, e.b2, -w * e.s, H);
    const Mat3 D = w * (e.n_s * e.n_c.transpose() - e.n_c * e.n_s.transpose() -
                        2 * e.normal() * (e.s * e.n_s + e.c * e.n_c).transpose());
    add_turn_hessian(D, D, H);
  }

 private:
  struct Axes {
    Vec3 a1, b1, a2, b2, n_s, n_c;
    double s, c, r2;
    Vec3 normal() const { return (c * n_s - s * n_c) / r2; }
  };
  Axes axes(const FramePose& A, const FramePose& B) const {
    Axes e;
    e.a1 = axis_W(A, sine_A), e.b1 = axis_W(B, sine_B);
    e.a2 = axis_W(A, cosine_A), e.b2 = axis_W(B, cosine_B);
    e.n_s = e.a1.cross(e.b1), e.n_c = e.a2.cross(e.b2);
    e.s = e.a1.dot(e.b1), e.c = e.a2.dot(e.b2), e.r2 = e.s * e.s + e.c * e.c;
    return e;
  }
};

/// How far B is displaced along an axis of A:  c = a_W . d,  d = p_B - p_A.
///   dc = a . (dp_B - dp_A) + (a x d) . dtheta_A
///   da = -a x dtheta_A,   d(a x d) = d x (a x dtheta_A) + a x (dp_B - dp_A)
/// Haug (1989), 9.4: the dot-2 primitive.
struct Displacement {
  static constexpr bool periodic = false;
  static constexpr std::array needs_orientation{true, false};
  static constexpr const char* unit = "m";
  Axis along = Axis::z;

  static double nearest(double value, double /*memory*/) { return value; }

  double value(const FramePose& A, const FramePose& B) const { return axis_W(A, along).dot(B.p - A.p); }

  Vec12 gradient(const FramePose& A, const FramePose& B) const {
    const Vec3 a = axis_W(A, along);
    Vec12 row;
    row << -a, a.cross(B.p - A.p), a, zero3;
    return row;
  }

  void add_hessian(const FramePose& A, const FramePose& B, double weight, auto&& H) const {
    const Mat3 a = hat(weight * axis_W(A, along));
    H.template block<3, 3>(0, 3) += a;
    H.template block<3, 3>(3, 0) -= a;
    H.template block<3, 3>(3, 3) += hat(B.p - A.p) * a;
    H.template block<3, 3>(3, 6) += a;
    H.template block<3, 3>(6, 3) -= a;
  }
};

/// The distance c = |d|,  d = p_B - p_A,  u = d/|d|:
///   dc = u . (dp_B - dp_A),   du = (I - u u^T)/|d| (dp_B - dp_A)
/// Where the points coincide there is no direction: the gradient is taken as zero, so that nothing is pushed
/// anywhere (a spring of zero free length is better written as a bushing, which is smooth there).
struct Distance {
  static constexpr bool periodic = false;
  static constexpr std::array needs_orientation{false, false};
  static constexpr const char* unit = "m";

  static double nearest(double value, double /*memory*/) { return value; }

  double value(const FramePose& A, const FramePose& B) const { return (B.p - A.p).norm(); }

  Vec12 gradient(const FramePose& A, const FramePose& B) const {
    const Vec3 u = (B.p - A.p).stableNormalized();  // zero stays zero
    Vec12 row;
    row << -u, zero3, u, zero3;
    return row;
  }

  void add_hessian(const FramePose& A, const FramePose& B, double weight, auto&& H) const {
    const Vec3 d = B.p - A.p;
    const double length = d.stableNorm();
    if (!(length > 0)) return;
    const Vec3 u = d / length;
    const Mat3 D = (weight / length) * (identity3 - u * u.transpose());
    H.template block<3, 3>(0, 0) += D;
    H.template block<3, 3>(0, 6) -= D;
    H.template block<3, 3>(6, 0) -= D;
    H.template block<3, 3>(6, 6) += D;
  }
};

/// What is remembered of an angle: its value, its rate and the time of both.
inline constexpr int angle_memory = 3;

/// The value on the branch nearest to what is remembered (nearest to zero where nothing is).
template <Coordinate C>
double continuous_value(const C& c, const FramePose& A, const FramePose& B, const double* memory, double t) {
  return C::nearest(c.value(A, B), memory ? memory[0] + memory[1] * (t - memory[2]) : 0);
}

/// What is remembered moves on to the time t: the angle by the mean of its rates, then and now.
template <Coordinate C>
void follow(const C& c, const FramePose& A, const FramePose& B, const Vec6& twist_A, const Vec6& twist_B,
            double t, double* memory) {
  const Vec12 G = c.gradient(A, B);
  const double rate = G.head<6>().dot(twist_A) + G.tail<6>().dot(twist_B);
  memory[0] = C::nearest(c.value(A, B), memory[0] + 0.5 * (memory[1] + rate) * (t - memory[2]));
  memory[1] = rate;
  memory[2] = t;
}

}  // namespace hooke
