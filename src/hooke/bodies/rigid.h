#pragma once
#include <string>
#include <vector>

#include "hooke/frames/body.h"
#include "hooke/math/pack.h"
#include "hooke/math/so3.h"

namespace hooke {

/// A rigid body on R^3 x SO(3).
///
///   q = (p, quaternion w x y z) of the mass centre,  v = (p' in the world, omega in the body frame)
///   m (p'' - gravity) = force_W,     J omega' + omega x J omega = moment_B
///
/// The mass centre is the origin of the coordinates because that makes the mass matrix constant and block
/// diagonal; the frame the user gave (its reference frame) sits at -centre from it, with the same axes.
struct RigidBody {
  static constexpr int frame_dofs = 6;
  static constexpr bool rigid_frames = true;  ///< J = [I arm; 0 R], see FrameLayout::rigid

  double mass = 1;
  Mat3 inertia = Mat3::Identity();  ///< about the mass centre, in the axes of the reference frame
  Vec3 centre = Vec3::Zero();       ///< mass centre in the reference frame
  FramePose start;                  ///< reference frame in the world
  /// Velocity of the reference frame's origin (world axes), angular velocity (body axes).
  Vec6 start_twist = Vec6::Zero();

  struct Frame {
    Mat3 R = Mat3::Identity();  ///< R_BF
    Vec3 s = Vec3::Zero();      ///< from the mass centre, in body axes
  };
  /// A frame given in the reference frame.
  Frame attach(const FramePose& X_BF) const { return {X_BF.R, X_BF.p - centre}; }

  int nq() const { return 7; }
  int nv() const { return 6; }
  std::vector<int> block_sizes() const { return {6}; }
  std::vector<std::pair<int, int>> couplings() const { return {}; }
  std::vector<FrameEntry> frame_entries(const Frame&) const { return {{0, 0, 6, 0}}; }

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;

  // What follows, down to apply_inverse_tangent, holds for anything that moves as a rigid body, so also for a
  // node of a rod.

  static void plus(const double* q, const double* x, double* result) {
    position(result) = position(q) + velocity(x);
    set_orientation(result, orientation(q) * exp_quaternion(spin(x)));
  }
  /// Both of four bodies at once; false: a rotation is too far for the series.
  static bool plus_pack(const PackSource& q, const PackSource& x, const PackTarget& result);
  static bool inverse_tangent_pack(const PackSource& x, const PackSource& v, const PackTarget& result);
  static void minus(const double* q1, const double* q0, double* x);
  static void inverse_tangent(const double* x, const double* v, double* result) {
    const Vec3 rate = inverse_tangent_so3(spin(x)) * spin(v);
    velocity(result) = velocity(v);
    spin(result) = rate;
  }

  ///   v_F = p' + R (omega x s),  omega_F = R omega
  ///   J = [I -R hat(s); 0 R],    J' v = (R (omega x (omega x s)), 0)
  template <class S>
  struct FrameValues {
    using V = Eigen::Matrix<S, 3, 1>;
    using M = Eigen::Matrix<S, 3, 3>;
    M body, R, arm;
    V p, velocity, omega, bias;

    FrameValues(const M& R_BF, const V& s, const V& position, const Eigen::Matrix<S, 4, 1>& quaternion,
                const V& v, const V& spin) {
      body = rotation(quaternion);
      const V s_dot = spin.cross(s);
      R = body.lazyProduct(R_BF);
      p = position + body * s;
      velocity = v + body * s_dot;
      omega = body * spin;
      bias = body * spin.cross(s_dot);
      for (int i = 0; i < 3; ++i) {
        arm(i, 0) = body(i, 2) * s[1] - body(i, 1) * s[2];
        arm(i, 1) = body(i, 0) * s[2] - body(i, 2) * s[0];
        arm(i, 2) = body(i, 1) * s[0] - body(i, 0) * s[1];
      }
    }
    static M rotation(const Eigen::Matrix<S, 4, 1>& q) {  // w x y z
      const S x = q[1] + q[1], y = q[2] + q[2], z = q[3] + q[3];
      const S wx = q[0] * x, wy = q[0] * y, wz = q[0] * z, xx = q[1] * x, xy = q[1] * y, xz = q[1] * z;
      const S yy = q[2] * y, yz = q[2] * z, zz = q[3] * z, one = 1;
      M R;
      R << one - (yy + zz), xy - wz, xz + wy, xy + wz, one - (xx + zz), yz - wx, xz - wy, yz + wx,
          one - (xx + yy);
      return R;
    }
  };

  template <class Jacobian>
  static void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                    Vec6& bias, Jacobian&& J) {
    const FrameValues<double> x(f.R, f.s, position(q), Eigen::Map<const Vec4>(q + 3), velocity(v), spin(v));
    pose.R = x.R;
    pose.p = x.p;
    twist << x.velocity, x.omega;
    bias << x.bias, zero3;
    J.template block<3, 3>(0, 0).setIdentity();
    J.template block<3, 3>(3, 0).setZero();
    J.template block<3, 3>(0, 3) = x.arm;
    J.template block<3, 3>(3, 3) = x.body;
  }

  /// Four frames at once; the columns of J that never change are left alone.
  static void frame_pack(const std::array<const Frame*, 4>& f, const PackSource& q, const PackSource& v,
                         const std::array<FramePose*, 4>& pose, const PackTarget& twist,
                         const PackTarget& bias, const PackTarget& J);

  /// J^T w = (f, s x R^T f + R^T m);  turning the body by phi changes R^T f by (R^T f) x phi.
  template <class Matrix>
  static void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Matrix& K) {
    const Mat3 R_t = rotation(q).transpose();
    K.template block<3, 3>(3, 3) = hat(f.s) * hat(R_t * wrench.head<3>()) + hat(R_t * wrench.tail<3>());
  }

  template <class Matrix>
  static void velocity_gradient(const Frame& f, const double* q, const double* v, Matrix&& gradient) {
    const Mat3 R = rotation(q);
    const Vec3 omega = spin(v);
    gradient.setZero();
    gradient.template block<3, 3>(0, 3) = -R * hat(omega.cross(f.s));
    gradient.template block<3, 3>(3, 3) = -R * hat(omega);
  }

  template <class Matrix>
  static void apply_inverse_tangent(const Frame&, const double* x, Matrix& J) {
    const Mat63 turning = J.template rightCols<3>() * inverse_tangent_so3(spin(x));
    J.template rightCols<3>() = turning;
  }

  void add_residual(const double*, const double* v, const double* a, const Vec3& gravity, double* r) const {
    const Vec3 omega = spin(v);
    velocity(r) += mass * (velocity(a) - gravity);
    spin(r) += inertia * spin(a) + omega.cross(inertia * omega);
  }

  void add_tangent(const double*, const double* v, const double*, const Vec3&, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const {
    auto C = blocks.fixed<6, 6>(0);
    const Vec3 omega = spin(v);
    Mat3 rotation = w.m * inertia + w.d * (hat(omega) * inertia - hat(inertia * omega));
    if (x) rotation *= inverse_tangent_so3(spin(x));
    C.diagonal().head<3>().array() += w.m * mass;
    C.block<3, 3>(3, 3) += rotation;
  }

  static void block_poses(const double* q, BlockPose* poses) { *poses = {rotation(q), position(q)}; }

  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  static bool rigid_motion(const double* q, const Vec6& twist, double* v) {
    velocity(v) = twist.head<3>() + twist.tail<3>().cross(position(q));
    spin(v) = rotation(q).transpose() * twist.tail<3>();
    return true;
  }
  void add_momentum(const double*, const double* v, double* r) const {
    velocity(r) += mass * velocity(v);
    spin(r) += inertia * spin(v);
  }
  BodyMotion motion(const double* q, const double* v, const double* a) const;

  int nodes() const { return 0; }
  FramePose node(int, const double*) const { return {}; }
  MassProperties mass_properties() const { return {mass, centre, inertia}; }

  static void scale(double length, double* dof_scale) {
    velocity(dof_scale).setConstant(length);
    spin(dof_scale).setOnes();
  }
  static std::string dof_name(int i);

  static Eigen::Map<const Vec3> position(const double* q) { return Eigen::Map<const Vec3>(q); }
  static Eigen::Map<Vec3> position(double* q) { return Eigen::Map<Vec3>(q); }
  static Eigen::Map<const Vec3> velocity(const double* v) { return Eigen::Map<const Vec3>(v); }
  static Eigen::Map<Vec3> velocity(double* v) { return Eigen::Map<Vec3>(v); }
  static Eigen::Map<const Vec3> spin(const double* v) { return Eigen::Map<const Vec3>(v + 3); }
  static Eigen::Map<Vec3> spin(double* v) { return Eigen::Map<Vec3>(v + 3); }
  static Quat orientation(const double* q) { return Quat(q[3], q[4], q[5], q[6]); }
  static Mat3 rotation(const double* q) { return orientation(q).toRotationMatrix(); }
  static void set_orientation(double* q, const Quat& turn) {
    const Quat unit = turn.normalized();
    q[3] = unit.w(), q[4] = unit.x(), q[5] = unit.y(), q[6] = unit.z();
  }
};

}  // namespace hooke
