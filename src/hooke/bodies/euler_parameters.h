#pragma once
#include <string>
#include <vector>

#include "hooke/frames/body.h"
#include "hooke/frames/constraint.h"

namespace hooke {

/// A rigid body in Euler parameters, as textbooks and many papers have it: q = (r, p), v = q', with p.p = 1 as a constraint.
/// RigidBody needs neither a seventh unknown nor the constraint; this is to compare with.
///
///   omega = 2 G(p) p' / p.p in the body,   G(p) = [-e, e0 I - hat(e)]
///   omega_W = 2 E(p) p' / p.p,             E(p) = [-e, e0 I + hat(e)]
///   kinetic energy  m r'.r'/2 + 2 (G p') . J G p' + c (p.p')^2 / 2
///
/// A point s of the body is at r + A(p) s with A quadratic in p, as in textbooks: where p is not of unit length, so is A(p) not
/// a rotation. Axes turn with p/|p|, so that they stay orthogonal. The last term of the energy vanishes where p.p = 1 and
/// p.p' = 0: what it exerts is along p, so the constraint's multiplier takes it up, and the mass matrix is regular. With
/// c = 4/3 tr J, a body of equal moments J has 4 J I.
struct EulerParameterBody {
  static constexpr int frame_dofs = 7;

  double mass = 1;
  Mat3 inertia = Mat3::Identity();  ///< about the mass centre, in the axes of the reference frame
  Vec3 centre = Vec3::Zero();       ///< mass centre in the reference frame
  FramePose start;
  Vec6 start_twist = Vec6::Zero();

  struct Frame {
    Mat3 R = Mat3::Identity();  ///< R_BF
    Vec3 s = Vec3::Zero();      ///< from the mass centre, in body axes
    /// Not on the body: beside the mass centre, p.p - 1 along x of the world, so that joints see how long p is.
    bool shows_length = false;
  };
  Frame attach(const FramePose& X_BF) const { return {X_BF.R, X_BF.p - centre}; }

  int nq() const { return 7; }
  int nv() const { return 7; }
  std::vector<int> block_sizes() const { return {7}; }
  std::vector<std::pair<int, int>> couplings() const { return {}; }
  std::vector<FrameEntry> frame_entries(const Frame&) const { return {{0, 0, 7, 0}}; }

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;
  static void plus(const double* q, const double* x, double* result);
  static void minus(const double* q1, const double* q0, double* x);
  static void inverse_tangent(const double* x, const double* v, double* result);

  static void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                    Vec6& bias, Eigen::Ref<Mat6X> J);
  static void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Eigen::Ref<MatrixX> K);
  static void velocity_gradient(const Frame& f, const double* q, const double* v, Eigen::Ref<Mat6X> gradient);
  static void apply_inverse_tangent(const Frame&, const double*, const auto&) {}

  void add_residual(const double* q, const double* v, const double* a, const Vec3& gravity, double* r) const;
  void add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const;
  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  static bool rigid_motion(const double* q, const Vec6& twist, double* v);
  void add_momentum(const double* q, const double* v, double* r) const;
  BodyMotion motion(const double* q, const double* v, const double* a) const;

  int nodes() const { return 0; }
  FramePose node(int, const double*) const { return {}; }
  MassProperties mass_properties() const { return {mass, centre, inertia}; }
  static void scale(double length, double* dof_scale);
  static std::string dof_name(int i);

 private:
  Mat4 turning_mass(const Vec4& p) const;
  double along_p() const { return 4.0 / 3 * inertia.trace(); }  ///< c
};

/// p.p - 1 = 0, between the mass centre and the frame that shows the length.
struct UnitEulerParameters {
  static constexpr int rows = 1, frames = 2;
  static constexpr bool flat = true;
  void evaluate(const FrameInputs<2>& in, Rows<1>& out) const {
    out.g[0] = in.pose[1]->p.x() - in.pose[0]->p.x();
    out.G << -Vec6::Unit(0).transpose(), Vec6::Unit(0).transpose();
  }
  void add_stiffness(const FrameInputs<2>&, const Eigen::Matrix<double, 1, 1>&, Mat12&) const {}
};

}  // namespace hooke
