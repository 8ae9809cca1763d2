#pragma once
#include <array>

#include "hooke/frames/force.h"
#include "hooke/math/so3.h"

namespace hooke {

/// A flexible connection, linear in the position and the rotation vector of frame B as seen from frame A:
///
///   x = (d, theta),   d = R_A^T r,   r = p_B - p_A,   theta = log(R_A^T R_B)
///   f = preload - K x - C x'                                     conjugate to x: it acts on B
///
/// The rates follow from the relative velocities in A's axes, with L the inverse left tangent of theta,
///
///   d' = R_A^T v,   v = v_B - v_A + r x omega_A;     theta' = L R_A^T omega,   omega = omega_B - omega_A
///
/// and equal virtual power turns f = (f_d, f_theta) into
///
///   F = R_A f_d,   M = R_A L^T f_theta;              B gets (F, M),   A gets (-F, -M - r x F)
///
/// L^T = I + hat(theta)/2 + ... is often left out. It makes the elastic part the exact gradient of the
/// potential 1/2 x^T K x - preload . x at any angle; a moment -K theta has no potential unless K is the same
/// about all axes. Compare Masarati, Morandini, "Intrinsic deformable joints", Multibody System Dynamics 23
/// (2010) 361-386.
///
/// The rotation vector is that of the smaller angle: theta jumps where B has turned by pi relative to A.
struct Bushing {
  static constexpr int frames = 2;
  static constexpr std::array needs_orientation{true, true};

  Mat6 stiffness = Mat6::Zero();  ///< K, symmetric
  Mat6 damping = Mat6::Zero();    ///< C
  Vec6 preload = Vec6::Zero();    ///< f at x = 0, x' = 0

  void evaluate(const FrameInputs<2>& in, Vec12& w) const {
    const Kinematics k(in);
    const Wrench on_B = wrench(k);
    w << -on_B.F, -on_B.M - k.r.cross(on_B.F), on_B.F, on_B.M;
  }

  /// Every change is a 12-column matrix on the motions (dp_A, dphi_A, dp_B, dphi_B), or on the twists for D.
  void tangent(const FrameInputs<2>& in, Mat12& K, Mat12& D) const {
    const Kinematics k(in);
    const Wrench on_B = wrench(k);
    const Mat3 Rt = k.R_A.transpose();
    const Vec3 omega_A = in.twist[0]->tail<3>();

    Mat3x12 dr, dphi_A, dphi;  // of r, of A's orientation, of B's orientation less A's
    dr << -identity3, zero33, identity3, zero33;
    dphi_A << zero33, identity3, zero33, zero33;
    dphi << zero33, -identity3, zero33, identity3;

    Mat6x12 dx;  // dx/d(motion), which is also dx'/d(twist)
    dx << Rt * (dr + hat(k.r) * dphi_A), k.L * Rt * dphi;
    Mat6x12 drate;  // dx'/d(motion):  d(R_A^T a) = R_A^T (da + a x dphi_A)
    drate << Rt * (hat(k.v) * dphi_A - hat(omega_A) * dr),
        k.L * Rt * hat(k.omega) * dphi_A +
            inverse_left_tangent_so3_derivative(k.theta(), Rt * k.omega) * dx.bottomRows<3>();

    const Mat6x12 df = -stiffness * dx - damping * drate;
    const Mat3x12 dF = k.R_A * df.topRows<3>() - hat(on_B.F) * dphi_A;
    const Mat3x12 dM =
        k.R_A * (k.L.transpose() * df.bottomRows<3>() +
                 inverse_tangent_so3_derivative(k.theta(), on_B.f.tail<3>()) * dx.bottomRows<3>()) -
        hat(on_B.M) * dphi_A;
    K << -dF, -dM - hat(k.r) * dF + hat(on_B.F) * dr, dF, dM;
    D.noalias() = -dx.transpose() * damping * dx;
  }

  double energy(const FrameInputs<2>& in) const {
    const Vec6 x = Kinematics(in).x;
    return x.dot(0.5 * stiffness * x - preload);
  }

  double power(const FrameInputs<2>& in) const {
    const Vec6 rate = Kinematics(in).rate;
    return -rate.dot(damping * rate);
  }

 private:
  using Mat3x12 = Eigen::Matrix<double, 3, 12>;
  using Mat6x12 = Eigen::Matrix<double, 6, 12>;

  struct Kinematics {
    Mat3 R_A, L;
    Vec3 r, v, omega;
    Vec6 x, rate;

    explicit Kinematics(const FrameInputs<2>& in) : R_A(in.pose[0]->R) {
      const auto& [A, B] = in.pose;
      const Vec6 &u_A = *in.twist[0], &u_B = *in.twist[1];
      r = B->p - A->p;
      v = u_B.head<3>() - u_A.head<3>() + r.cross(u_A.tail<3>());
      omega = u_B.tail<3>() - u_A.tail<3>();
      x << R_A.transpose() * r, log_so3(R_A.transpose() * B->R);
      L = inverse_left_tangent_so3(theta());
      rate << R_A.transpose() * v, L * (R_A.transpose() * omega);
    }
    Vec3 theta() const { return x.tail<3>(); }
  };

  struct Wrench {
    Vec6 f;
    Vec3 F, M;
  };

  Wrench wrench(const Kinematics& k) const {
    const Vec6 f = preload - stiffness * k.x - damping * k.rate;
    return {f, k.R_A * f.head<3>(), k.R_A * (k.L.transpose() * f.tail<3>())};
  }
};

static_assert(Force<Bushing> && Conservative<Bushing>);

}  // namespace hooke
