#pragma once
#include <string>
#include <vector>

#include "frames/body.h"
#include "math/so3.h"

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

  double mass = 1;
  Mat3 inertia = Mat3::Identity();  ///< about the mass centre, in the axes of the reference frame
  Vec3 centre = Vec3::Zero();       ///< mass centre in the reference frame
  FramePose start;                  ///< reference frame in the world
  Vec6 start_twist =
      Vec6::Zero();  ///< velocity of the reference frame's origin (world), angular velocity (body)

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
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
    position(q) = pose.p + pose.R * centre;
    set_orientation(q, Quat(pose.R));
    velocity(v) = twist.head<3>() + pose.R * Vec3(twist.tail<3>()).cross(centre);
    spin(v) = twist.tail<3>();
  }

  // What follows, down to apply_inverse_tangent, holds for anything that moves as a rigid body: a node of a
  // rod, too.

  static void plus(const double* q, const double* x, double* result) {
    position(result) = position(q) + velocity(x);
    set_orientation(result, orientation(q) * exp_quaternion(spin(x)));
  }
  static void minus(const double* q1, const double* q0, double* x) {
    velocity(x) = position(q1) - position(q0);
    spin(x) = log_so3(Quat(orientation(q0).conjugate() * orientation(q1)));
  }
  static void inverse_tangent(const double* x, const double* v, double* result) {
    const Vec3 rate = inverse_tangent_so3(spin(x)) * spin(v);
    velocity(result) = velocity(v);
    spin(result) = rate;
  }

  /// v_F = p' + R (omega x s),  omega_F = R omega;  J' v = (R omega x (omega x s), 0)
  template <class Jacobian>
  static void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                    Vec6& bias, Jacobian&& J) {
    const Mat3 R = orientation(q).toRotationMatrix();
    const Vec3 omega = spin(v), s_dot = omega.cross(f.s);
    pose.R.noalias() = R * f.R;
    pose.p = position(q) + R * f.s;
    twist << velocity(v) + R * s_dot, R * omega;
    bias << R * omega.cross(s_dot), zero3;
    J.template block<3, 3>(0, 0).setIdentity();
    J.template block<3, 3>(3, 0).setZero();
    J.template block<3, 3>(0, 3).noalias() = -R * hat(f.s);
    J.template block<3, 3>(3, 3) = R;
  }

  /// J^T w = (f, s x R^T f + R^T m);  turning the body by phi changes R^T f by (R^T f) x phi.
  template <class Matrix>
  static void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Matrix& K) {
    const Mat3 R_t = orientation(q).toRotationMatrix().transpose();
    K.template block<3, 3>(3, 3) = hat(f.s) * hat(R_t * wrench.head<3>()) + hat(R_t * wrench.tail<3>());
  }

  template <class Matrix>
  static void velocity_gradient(const Frame& f, const double* q, const double* v, Matrix&& gradient) {
    const Mat3 R = orientation(q).toRotationMatrix();
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

  Energy energy(const double* q, const double* v, const Vec3& gravity) const {
    const Vec3 omega = spin(v);
    return {0.5 * mass * velocity(v).squaredNorm() + 0.5 * omega.dot(inertia * omega),
            -mass * gravity.dot(position(q))};
  }

  BodyMotion motion(const double* q, const double* v, const double* a) const {
    const Mat3 R = orientation(q).toRotationMatrix();
    const Vec3 omega = spin(v), alpha = spin(a);
    BodyMotion m{{R, position(q) - R * centre}};
    m.twist << velocity(v) - R * omega.cross(centre), R * omega;
    m.acceleration << velocity(a) - R * (alpha.cross(centre) + omega.cross(omega.cross(centre))), R * alpha;
    return m;
  }

  int nodes() const { return 0; }
  FramePose node(int, const double*) const { return {}; }
  MassProperties mass_properties() const { return {mass, centre, inertia}; }

  static void scale(double length, double* dof_scale) {
    velocity(dof_scale).setConstant(length);
    spin(dof_scale).setOnes();
  }
  static std::string dof_name(int i) {
    static const char* const names[] = {"motion along x",       "motion along y",
                                        "motion along z",       "rotation about its x",
                                        "rotation about its y", "rotation about its z"};
    return names[i];
  }

  static Eigen::Map<const Vec3> position(const double* q) { return Eigen::Map<const Vec3>(q); }
  static Eigen::Map<Vec3> position(double* q) { return Eigen::Map<Vec3>(q); }
  static Eigen::Map<const Vec3> velocity(const double* v) { return Eigen::Map<const Vec3>(v); }
  static Eigen::Map<Vec3> velocity(double* v) { return Eigen::Map<Vec3>(v); }
  static Eigen::Map<const Vec3> spin(const double* v) { return Eigen::Map<const Vec3>(v + 3); }
  static Eigen::Map<Vec3> spin(double* v) { return Eigen::Map<Vec3>(v + 3); }
  static Quat orientation(const double* q) { return Quat(q[3], q[4], q[5], q[6]); }
  static void set_orientation(double* q, const Quat& turn) {
    const Quat unit = turn.normalized();
    q[3] = unit.w(), q[4] = unit.x(), q[5] = unit.y(), q[6] = unit.z();
  }
};

}  // namespace hooke
