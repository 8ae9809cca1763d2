#include "hooke/contact/contact_law.h"

namespace hooke {

double NormalLaw::loss_of(double restitution) {
  if (restitution >= 1) return 0;
  const double e = restitution;
  const auto excess = [&](double D) { return (1 + e) * D - std::log1p(D) + std::log1p(-e * D); };
  // excess(0) = 0 and rises at first; it falls to minus infinity at 1/e.
  double low = 0, high = 1 / e;
  for (int pass = 0; pass < 200; ++pass) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0 ? low : high) = middle;
  }
  return low;
}

/// To the time t, with the force there: the integral goes on by the trapezoidal rule. Returns the time that passed.
double TouchMemory::pass(double t, const Vec3& force) const {
  if (m[1] == 0) std::fill(m + 3, m + size, 0.0);
  const double passed = std::max(0.0, t - m[2]);
  Eigen::Map<Vec3> impulse{m + 9}, last{m + 12};
  impulse += 0.5 * passed * (last + force);
  last = force;
  m[2] = t;
  return passed;
}

/// Bristles that are not in contact stand upright.
void TouchMemory::leave(double approach, double t) const {
  pass(t, Vec3::Zero());
  m[0] = std::max(0.0, approach), m[1] = -1;
  std::fill(m + 3, m + 9, 0.0);
}

void TouchMemory::touch(const FrictionLaw& friction, const Mat3& R, const Vec3& n, const Vec3& v_t,
                        double rate, const Vec3& force, double t) const {
  const double passed = pass(t, force);
  if (m[0] == 0 && m[1] <= 0) m[0] = std::max(0.0, rate);  // it began within this step, or with the run
  m[1] = 1;
  if (friction.bristle == 0) return std::fill(m + 3, m + 9, 0.0), void();
  const Vec3 old(m[3], m[4], m[5]), slid(m[6], m[7], m[8]), v = R.transpose() * v_t, up = R.transpose() * n;
  Vec3 z = old + 0.5 * passed / friction.bristle * (slid + v);
  z -= up * up.dot(z);
  const double pull = (z + friction.settling / friction.bristle * v).norm();
  if (pull > 1) z /= std::max(pull, z.norm());  // it slips: the bristles stay bent as far as they go
  Eigen::Map<Vec3>{m + 3} = z;
  Eigen::Map<Vec3>{m + 6} = v;
}

}  // namespace hooke
