#include "hooke/contact/contact_point.h"

#include <algorithm>

#include "hooke/math/so3.h"

namespace hooke {

using Mat3x12 = Eigen::Matrix<double, 3, 12>;

struct ContactPoint::Geometry {
  FeaturePlace at;
  double gap;
  Vec3 n;
  Mat3 curvature;  ///< world axes
  Vec3 P, v, v_t;
  double v_n;
};

bool ContactPoint::is_far(const FrameInputs<2>& in, double times) const {
  const double reach = times * (feature.bound() + field->bound());
  return (in.pose[0]->p - in.pose[1]->p).squaredNorm() > reach * reach;
}

ContactPoint::Geometry ContactPoint::geometry_of(const FrameInputs<2>& in) const {
  const FramePose& B = *in.pose[1];
  Geometry g{place_of(feature, *field, *in.pose[0], B), 0, {}, {}, {}, {}, {}, 0};
  if (!g.at.exists) {
    g.gap = std::numeric_limits<double>::infinity();
    return g;
  }
  const DistanceSample s = field->at(B.R.transpose() * (g.at.c - B.p));
  g.gap = s.distance - feature.radius;
  g.n = B.R * s.normal;
  if (g.gap >= 0) {
    g.P = g.at.c - feature.radius * g.n;
    return g;
  }
  g.curvature = B.R * s.curvature * B.R.transpose();
  g.P = g.at.c - (feature.radius + share * g.gap) * g.n;
  const auto velocity = [&](int k) -> Vec3 {
    return in.twist[k]->head<3>() + in.twist[k]->tail<3>().cross(g.P - in.pose[k]->p);
  };
  g.v = velocity(0) - velocity(1);
  g.v_n = g.n.dot(g.v);
  g.v_t = g.v - g.v_n * g.n;
  return g;
}

/// The force along the surface, f = -mu F y with |y| <= 1, and y's derivatives by the sliding velocity.
struct ContactPoint::Slip {
  Vec3 y = Vec3::Zero();
  Mat3 by_v = Mat3::Zero();
  Mat3 by_carried = Mat3::Zero();  ///< by the bristles that are carried over
  Vec3 carried = Vec3::Zero();     ///< world axes
  Vec3 moment = Vec3::Zero();      ///< per normal force, on A
  Mat3 moment_by_spin = Mat3::Zero(), moment_by_n = Mat3::Zero();
};

ContactPoint::Slip ContactPoint::slip_of(const FrameInputs<2>& in, const Geometry& g, double force) const {
  Slip slip;
  if (force <= 0) return slip;
  if (friction.coefficient > 0 && friction.bristle == 0) {
    const double s = std::sqrt(g.v_t.squaredNorm() + friction.stick_speed * friction.stick_speed);
    slip.y = g.v_t / s;
    slip.by_v = (Mat3::Identity() - slip.y * slip.y.transpose()) / s;
  } else if (friction.coefficient > 0) {
    // Of what is remembered, turned with B and put into the present tangent plane.
    const Mat3 tangential = Mat3::Identity() - g.n * g.n.transpose();
    const double* m = in.memory;
    const double passed = std::max(0.0, in.t - m[2]);
    const Vec3 bristles(m[3], m[4], m[5]), slid(m[6], m[7], m[8]);
    slip.carried = in.pose[1]->R * (bristles + 0.5 * passed / friction.bristle * slid);
    const double by_v = (0.5 * passed + friction.settling) / friction.bristle;
    slip.y = tangential * slip.carried + by_v * g.v_t;
    slip.by_v = by_v * Mat3::Identity();
    slip.by_carried = tangential;
    if (const double length = slip.y.norm(); length > 1) {
      const Vec3 u = slip.y / length;
      const Mat3 limited = (Mat3::Identity() - u * u.transpose()) / length;
      slip.y = u;
      slip.by_v = limited * slip.by_v;
      slip.by_carried = limited * slip.by_carried;
    }
  }
  if (friction.rolling > 0 || friction.spinning > 0) {
    const Vec3 spin = in.twist[0]->tail<3>() - in.twist[1]->tail<3>();
    const Vec3 about = g.n * g.n.dot(spin), roll = spin - about;
    const auto resist = [&](double length, const Vec3& part, const Mat3& by_spin, const Mat3& by_n) {
      if (length == 0) return;
      const double s = std::sqrt(part.squaredNorm() + friction.stick_spin * friction.stick_spin);
      const Mat3 slope = (Mat3::Identity() - part * part.transpose() / (s * s)) / s;
      slip.moment -= length * part / s;
      slip.moment_by_spin -= length * slope * by_spin;
      slip.moment_by_n -= length * slope * by_n;
    };
    const Mat3 along = g.n * g.n.transpose();
    const Mat3 turn = g.n.dot(spin) * Mat3::Identity() + g.n * spin.transpose();  // d(n n.spin)/dn
    resist(friction.spinning, about, along, turn);
    resist(friction.rolling, roll, Mat3::Identity() - along, -turn);
  }
  return slip;
}

void ContactPoint::evaluate(const FrameInputs<2>& in, Vec12& w) const {
  w.setZero();
  if (is_far(in)) return;
  const Geometry g = geometry_of(in);
  if (g.gap >= 0) return;
  const double F = normal(-g.gap, -g.v_n, in.memory[0]).force;
  const Slip slip = slip_of(in, g, F);
  const Vec3 f = F * (g.n - friction.coefficient * slip.y), M = F * slip.moment;
  w << f, (g.P - in.pose[0]->p).cross(f) + M, -f, -(g.P - in.pose[1]->p).cross(f) - M;
}

/// Each change is a matrix of 12 columns: on the motions (dp_A, dtheta_A, dp_B, dtheta_B), or on the twists.
void ContactPoint::tangent(const FrameInputs<2>& in, Mat12& K, Mat12& D) const {
  K.setZero();
  D.setZero();
  if (is_far(in)) return;
  const Geometry g = geometry_of(in);
  if (g.gap >= 0) return;
  const FramePose &A = *in.pose[0], &B = *in.pose[1];
  const Vec3 omega_A = in.twist[0]->tail<3>(), omega_B = in.twist[1]->tail<3>();

  using Row = Eigen::Matrix<double, 1, 12>;
  Mat3x12 dp_A = Mat3x12::Zero(), turn_A = dp_A, dp_B = dp_A, turn_B = dp_A;
  dp_A.leftCols<3>().setIdentity();
  turn_A.middleCols<3>(3).setIdentity();
  dp_B.middleCols<3>(6).setIdentity();
  turn_B.rightCols<3>().setIdentity();

  Mat3x12 dc = dp_A - hat(g.at.c - A.p) * turn_A;  // with the feature's place in A
  const auto seen = [&] { return Mat3x12(dc - dp_B + hat(g.at.c - B.p) * turn_B); };  // R_B dx
  Mat3x12 dn = g.curvature * seen() - hat(g.n) * turn_B;
  if (const double goes = g.at.across.dot(g.at.slope); goes != 0) {  // along the border of a face of B
    dc -= g.at.slope * (g.at.across.transpose() * seen()) / goes;
    dn = g.curvature * seen() - hat(g.n) * turn_B;
  } else if (g.at.moves) {
    const double stiff = g.at.slope.dot(g.curvature * g.at.slope) + g.n.dot(g.at.bend);
    if (stiff > 0) {
      const Row ds = -(g.at.slope.transpose() * dn - g.n.transpose() * hat(g.at.slope) * turn_A) / stiff;
      dc += g.at.slope * ds;
      dn = g.curvature * seen() - hat(g.n) * turn_B;
    }
  }
  const Row dgap = g.n.transpose() * seen();
  const Mat3x12 dP = dc - (feature.radius + share * g.gap) * dn - share * g.n * dgap;
  const Vec3 arm_A = g.P - A.p, arm_B = g.P - B.p;

  const Mat3x12 dv = hat(Vec3(omega_A - omega_B)) * dP - hat(omega_A) * dp_A + hat(omega_B) * dp_B;
  Mat3x12 dv_twist;
  dv_twist << Mat3::Identity(), -hat(arm_A), -Mat3::Identity(), hat(arm_B);
  const Row dv_n = g.n.transpose() * dv + g.v.transpose() * dn, dv_n_twist = g.n.transpose() * dv_twist;

  const NormalLaw::Sample law = normal(-g.gap, -g.v_n, in.memory[0]);
  const Row dF = -law.by_depth * dgap - law.by_rate * dv_n, dF_twist = -law.by_rate * dv_n_twist;
  const Slip slip = slip_of(in, g, law.force);
  const double mu = friction.coefficient;

  const Mat3x12 dv_t = dv - g.n * dv_n - g.v_n * dn, dv_t_twist = dv_twist - g.n * dv_n_twist;
  Mat3x12 dy = slip.by_v * dv_t;
  if (mu > 0 && friction.bristle > 0) {
    // y holds (I - n n^T) carried before it is limited; carried turns with B.
    const double along = g.n.dot(slip.carried);
    const Mat3x12 held = -hat(slip.carried) * turn_B;
    const Mat3x12 flattened = -along * dn - g.n * (slip.carried.transpose() * dn);
    const double by_v = (0.5 * std::max(0.0, in.t - in.memory[2]) + friction.settling) / friction.bristle;
    dy += slip.by_carried * held + slip.by_v / by_v * flattened;
  }
  const Vec3 direction = g.n - mu * slip.y;
  const Mat3x12 df = direction * dF + law.force * (dn - mu * dy);
  const Mat3x12 df_twist = direction * dF_twist - law.force * mu * slip.by_v * dv_t_twist;
  const Vec3 f = law.force * direction;
  const Mat3x12 dM = slip.moment * dF + law.force * slip.moment_by_n * dn;
  const Mat3x12 dM_twist = slip.moment * dF_twist + law.force * slip.moment_by_spin * (turn_A - turn_B);

  const auto arm = [&](const Vec3& r, const Mat3x12& dr) -> Mat3x12 { return hat(r) * df - hat(f) * dr; };
  K << df, arm(arm_A, dP - dp_A) + dM, -df, -arm(arm_B, dP - dp_B) - dM;
  D << df_twist, hat(arm_A) * df_twist + dM_twist, -df_twist, -hat(arm_B) * df_twist - dM_twist;
}

double ContactPoint::energy(const FrameInputs<2>& in) const {
  if (is_far(in)) return 0;
  const Geometry g = geometry_of(in);
  return g.gap < 0 ? normal(-g.gap, 0, in.memory[0]).energy : 0.0;
}

Power ContactPoint::power(const FrameInputs<2>& in) const {
  Power sum;
  if (is_far(in)) return sum;
  const Geometry g = geometry_of(in);
  if (g.gap >= 0) return sum;
  const NormalLaw::Sample law = normal(-g.gap, -g.v_n, in.memory[0]);
  const Slip slip = slip_of(in, g, law.force);
  const Vec3 spin = in.twist[0]->tail<3>() - in.twist[1]->tail<3>();
  sum.dissipated = -(law.force - law.elastic) * g.v_n +
                   law.force * (friction.coefficient * slip.y.dot(g.v_t) - slip.moment.dot(spin));
  return sum;
}

/// While the surfaces are apart, the speed at which they approach.
void ContactPoint::track(const FrameInputs<2>& in, double* remembered) const {
  const TouchMemory kept{remembered};
  if (is_far(in, 3)) return kept.leave(0, in.t);  // a fast one may touch within a step
  const Geometry g = geometry_of(in);
  if (g.gap < 0) {
    const double F = normal(-g.gap, -g.v_n, in.memory[0]).force;
    const Vec3 f = F * (g.n - friction.coefficient * slip_of(in, g, F).y);
    return kept.touch(friction, in.pose[1]->R, g.n, g.v_t, -g.v_n, f, in.t);
  }
  const auto velocity = [&](int k) -> Vec3 {
    return in.twist[k]->head<3>() + in.twist[k]->tail<3>().cross(g.P - in.pose[k]->p);
  };
  kept.leave(g.at.exists ? g.n.dot(velocity(1) - velocity(0)) : 0, in.t);
}

}  // namespace hooke
