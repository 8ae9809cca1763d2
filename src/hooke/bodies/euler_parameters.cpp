#include "hooke/bodies/euler_parameters.h"

namespace hooke {
namespace {

Vec3 head(const double* q) { return Eigen::Map<const Vec3>(q); }
Vec4 tail(const double* q) { return Eigen::Map<const Vec4>(q + 3); }

// Both are linear in p, and G(a) b = -G(b) a, E(a) b = -E(b) a.
Mat34 G_of(const Vec4& p) {
  Mat34 G;
  G << -p.tail<3>(), p[0] * identity3 - hat(p.tail<3>());
  return G;
}
Mat34 E_of(const Vec4& p) {
  Mat34 E;
  E << -p.tail<3>(), p[0] * identity3 + hat(p.tail<3>());
  return E;
}
/// d(G(p)^T y)/dp (sign = -1) and d(E(p)^T y)/dp (sign = 1)
Mat4 transposed_change(const Vec3& y, double sign) {
  Mat4 change;
  change << 0, -y.transpose(), y, sign * hat(y);
  return change;
}

/// A(p) s = (e0^2 - e.e) s + 2 e (e.s) + 2 e0 e x s, its derivative B(p, s), which is linear in p, and d(B^T f)/dp
Vec3 arm(const Vec4& p, const Vec3& s) {
  const Vec3 e = p.tail<3>();
  return (p[0] * p[0] - e.squaredNorm()) * s + 2 * e.dot(s) * e + 2 * p[0] * e.cross(s);
}
Mat34 B_of(const Vec4& p, const Vec3& s) {
  const Vec3 e = p.tail<3>();
  Mat34 B;
  B << p[0] * s + e.cross(s), e.dot(s) * identity3 + e * s.transpose() - s * e.transpose() - p[0] * hat(s);
  return 2 * B;
}
Mat4 arm_stiffness(const Vec3& s, const Vec3& f) {
  const Vec3 m = s.cross(f);
  Mat4 K;
  K << s.dot(f), m.transpose(), m, f * s.transpose() + s * f.transpose() - s.dot(f) * identity3;
  return 2 * K;
}

Mat3 rotation(const Vec4& p) { return Quat(p[0], p[1], p[2], p[3]).normalized().toRotationMatrix(); }
/// omega_W = W p'
Mat34 turning(const Vec4& p) { return 2 / p.squaredNorm() * E_of(p); }

}  // namespace

void EulerParameterBody::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  const Quat turn = Quat(pose.R).normalized();
  const Vec4 p(turn.w(), turn.x(), turn.y(), turn.z());
  const Vec3 omega = twist.tail<3>();
  Eigen::Map<Vec3>{q} = pose.p + pose.R * centre;
  Eigen::Map<Vec4>{q + 3} = p;
  Eigen::Map<Vec3>{v} = twist.head<3>() + pose.R * omega.cross(centre);
  Eigen::Map<Vec4>{v + 3} = 0.5 * G_of(p).transpose() * omega;
}

void EulerParameterBody::plus(const double* q, const double* x, double* result) {
  for (int i = 0; i < 7; ++i) result[i] = q[i] + x[i];
}
void EulerParameterBody::minus(const double* q1, const double* q0, double* x) {
  for (int i = 0; i < 7; ++i) x[i] = q1[i] - q0[i];
}
void EulerParameterBody::inverse_tangent(const double*, const double* v, double* result) {
  std::copy(v, v + 7, result);
}

/// J = [I B; 0 W]; of omega_W = W p' what is left with p'' = 0 is -2 (p.p'/p.p) omega_W.
void EulerParameterBody::frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                               Vec6& bias, Eigen::Ref<Mat6X> J) {
  const Vec4 p = tail(q), dp = tail(v);
  J.setZero();
  J.topLeftCorner<3, 3>().setIdentity();
  if (f.shows_length) {
    pose = {identity3, head(q) + (p.squaredNorm() - 1) * unit_x};
    twist << head(v) + 2 * p.dot(dp) * unit_x, zero3;
    bias << 2 * dp.squaredNorm() * unit_x, zero3;
    J.topRightCorner<1, 4>() = 2 * p.transpose();
    return;
  }
  const Mat34 B = B_of(p, f.s), W = turning(p);
  const Vec3 omega = W * dp;
  pose = {rotation(p) * f.R, head(q) + arm(p, f.s)};
  twist << head(v) + B * dp, omega;
  bias << B_of(dp, f.s) * dp, -2 * p.dot(dp) / p.squaredNorm() * omega;
  J.topRightCorner<3, 4>() = B;
  J.bottomRightCorner<3, 4>() = W;
}

/// J^T w = (force, B^T force + W^T moment)
void EulerParameterBody::frame_stiffness(const Frame& f, const double* q, const Vec6& wrench,
                                         Eigen::Ref<MatrixX> K) {
  const Vec3 force = wrench.head<3>(), moment = wrench.tail<3>();
  K.setZero();
  if (f.shows_length) {
    K.bottomRightCorner<4, 4>().diagonal().setConstant(2 * force[0]);
    return;
  }
  const Vec4 p = tail(q);
  K.bottomRightCorner<4, 4>() =
      arm_stiffness(f.s, force) +
      2 / p.squaredNorm() * (transposed_change(moment, 1) - turning(p).transpose() * moment * p.transpose());
}

void EulerParameterBody::velocity_gradient(const Frame& f, const double* q, const double* v,
                                           Eigen::Ref<Mat6X> gradient) {
  const Vec4 p = tail(q), dp = tail(v);
  gradient.setZero();
  if (f.shows_length) {
    gradient.topRightCorner<1, 4>() = 2 * dp.transpose();
    return;
  }
  const Vec3 omega = turning(p) * dp;
  gradient.topRightCorner<3, 4>() = B_of(dp, f.s);
  gradient.bottomRightCorner<3, 4>() = -2 / p.squaredNorm() * (E_of(dp) + omega * p.transpose());
}

Mat4 EulerParameterBody::turning_mass(const Vec4& p) const {
  const Mat34 G = G_of(p);
  return 4 * G.transpose() * inertia * G + along_p() * p * p.transpose();
}

/// M v' + 8 G(p')^T J G(p) p' + c p (p'.p'): Lagrange's equations of the kinetic energy.
void EulerParameterBody::add_residual(const double* q, const double* v, const double* a, const Vec3& gravity,
                                      double* r) const {
  const Vec4 p = tail(q), dp = tail(v);
  Eigen::Map<Vec3>{r} += mass * (head(a) - gravity);
  Eigen::Map<Vec4>{r + 3} += turning_mass(p) * tail(a) + 8 * G_of(dp).transpose() * inertia * (G_of(p) * dp) +
                             along_p() * dp.squaredNorm() * p;
}

void EulerParameterBody::add_tangent(const double* q, const double* v, const double* a, const Vec3&,
                                     const Weights& w, const double*, const BodyBlocks& blocks) const {
  const Vec4 p = tail(q), dp = tail(v), ddp = tail(a);
  auto C = blocks.fixed<7, 7>(0);
  C.diagonal().head<3>().array() += w.m * mass;
  C.bottomRightCorner<4, 4>() += w.m * turning_mass(p);
  if (w.d == 0 && w.k == 0) return;
  const Mat34 JG = inertia * G_of(p), dG = G_of(dp), JdG = inertia * dG;
  const double c = along_p();
  C.bottomRightCorner<4, 4>() +=
      w.d * (8 * (transposed_change(JG * dp, -1) + dG.transpose() * JG) + 2 * c * p * dp.transpose());
  C.bottomRightCorner<4, 4>() += w.k * (4 * (transposed_change(JG * ddp, -1) - JG.transpose() * G_of(ddp)) -
                                        8 * dG.transpose() * JdG + c * p * ddp.transpose());
  C.diagonal().tail<4>().array() += w.k * c * (p.dot(ddp) + dp.squaredNorm());
}

Energy EulerParameterBody::energy(const double* q, const double* v, const Vec3& gravity) const {
  const Vec4 dp = tail(v);
  return {0.5 * mass * head(v).squaredNorm() + 0.5 * dp.dot(turning_mass(tail(q)) * dp),
          -mass * gravity.dot(head(q))};
}

bool EulerParameterBody::rigid_motion(const double* q, const Vec6& twist, double* v) {
  Eigen::Map<Vec3>{v} = twist.head<3>() + twist.tail<3>().cross(head(q));
  Eigen::Map<Vec4>{v + 3} = 0.5 * E_of(tail(q)).transpose() * twist.tail<3>();
  return true;
}

void EulerParameterBody::add_momentum(const double* q, const double* v, double* r) const {
  Eigen::Map<Vec3>{r} += mass * head(v);
  Eigen::Map<Vec4>{r + 3} += turning_mass(tail(q)) * tail(v);
}

BodyMotion EulerParameterBody::motion(const double* q, const double* v, const double* a) const {
  Eigen::Matrix<double, 6, 7> J;
  BodyMotion m;
  Vec6 bias;
  frame({.s = -centre}, q, v, m.pose, m.twist, bias, J);
  m.acceleration = J * Eigen::Map<const Eigen::Matrix<double, 7, 1>>(a) + bias;
  return m;
}

void EulerParameterBody::scale(double length, double* dof_scale) {
  Eigen::Map<Vec3>{dof_scale}.setConstant(length);
  Eigen::Map<Vec4>{dof_scale + 3}.setConstant(0.5);  // a turn by 1 rad
}

std::string EulerParameterBody::dof_name(int i) {
  static const char* const names[] = {"motion along x",    "motion along y",    "motion along z",
                                      "Euler parameter 0", "Euler parameter 1", "Euler parameter 2",
                                      "Euler parameter 3"};
  return names[i];
}

}  // namespace hooke
