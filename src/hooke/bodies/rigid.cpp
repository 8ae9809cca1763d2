#include "hooke/bodies/rigid.h"

namespace hooke {

void RigidBody::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  position(q) = pose.p + pose.R * centre;
  set_orientation(q, Quat(pose.R));
  velocity(v) = twist.head<3>() + pose.R * Vec3(twist.tail<3>()).cross(centre);
  spin(v) = twist.tail<3>();
}

bool RigidBody::plus_pack(const PackSource& q, const PackSource& x, const PackTarget& result) {
  using V = FrameValues<Pack>::V;
  const V turn = gather_matrix<V>(x, 3);
  const Pack s = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
  if (!all_below(s, so3::series_below)) return false;
  scatter_matrix(V(gather_matrix<V>(q) + gather_matrix<V>(x)), result);
  scatter_matrix(so3::turned_by_series(gather_matrix<Eigen::Matrix<Pack, 4, 1>>(q, 3), turn, s), result, 3);
  return true;
}
bool RigidBody::inverse_tangent_pack(const PackSource& x, const PackSource& v, const PackTarget& result) {
  using V = FrameValues<Pack>::V;
  const V turn = gather_matrix<V>(x, 3);
  const Pack s = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
  if (!all_below(s, so3::series_below)) return false;
  const V rate = so3::inverse_tangent_by_series(turn, gather_matrix<V>(v, 3), s);
  scatter_matrix(gather_matrix<V>(v), result);
  scatter_matrix(rate, result, 3);
  return true;
}

void RigidBody::minus(const double* q1, const double* q0, double* x) {
  velocity(x) = position(q1) - position(q0);
  spin(x) = log_so3(Quat(orientation(q0).conjugate() * orientation(q1)));
}

void RigidBody::frame_pack(const std::array<const Frame*, 4>& f, const PackSource& q, const PackSource& v,
                           const std::array<FramePose*, 4>& pose, const PackTarget& twist,
                           const PackTarget& bias, const PackTarget& J) {
  using V = FrameValues<Pack>::V;
  using M = FrameValues<Pack>::M;
  const PackSource R{f[0]->R.data(), f[1]->R.data(), f[2]->R.data(), f[3]->R.data()};
  const PackSource s{f[0]->s.data(), f[1]->s.data(), f[2]->s.data(), f[3]->s.data()};
  const FrameValues<Pack> x(gather_matrix<M>(R), gather_matrix<V>(s), gather_matrix<V>(q),
                            gather_matrix<Eigen::Matrix<Pack, 4, 1>>(q, 3), gather_matrix<V>(v),
                            gather_matrix<V>(v, 3));
  scatter_matrix(x.R, {pose[0]->R.data(), pose[1]->R.data(), pose[2]->R.data(), pose[3]->R.data()});
  scatter_matrix(x.p, {pose[0]->p.data(), pose[1]->p.data(), pose[2]->p.data(), pose[3]->p.data()});
  scatter_matrix(x.velocity, twist);
  scatter_matrix(x.omega, twist, 3);
  scatter_matrix(x.bias, bias);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) {
      scatter(x.arm(r, c), J, 18 + 6 * c + r);
      scatter(x.body(r, c), J, 21 + 6 * c + r);
    }
}

Energy RigidBody::energy(const double* q, const double* v, const Vec3& gravity) const {
  const Vec3 omega = spin(v);
  return {0.5 * mass * velocity(v).squaredNorm() + 0.5 * omega.dot(inertia * omega),
          -mass * gravity.dot(position(q))};
}

BodyMotion RigidBody::motion(const double* q, const double* v, const double* a) const {
  const Mat3 R = rotation(q);
  const Vec3 omega = spin(v), alpha = spin(a);
  BodyMotion m{{R, position(q) - R * centre}};
  m.twist << velocity(v) - R * omega.cross(centre), R * omega;
  m.acceleration << velocity(a) - R * (alpha.cross(centre) + omega.cross(omega.cross(centre))), R * alpha;
  return m;
}

std::string RigidBody::dof_name(int i) {
  static const char* const names[] = {"motion along x",       "motion along y",       "motion along z",
                                      "rotation about its x", "rotation about its y", "rotation about its z"};
  return names[i];
}

}  // namespace hooke
