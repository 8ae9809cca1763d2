#include "coupling/adapter/coupling_signal.h"

#include "math/so3.h"

namespace hooke {
namespace {

template <class T>
PolynomialWeights weights(const Past<T>& past, int n, double t) {
  std::array<double, Past<T>::most> times{};
  for (int i = 0; i < n; ++i) times[i] = past.time(i);
  return polynomial_weights(times.data(), n, t);
}

}  // namespace

/// Lagrange's polynomials, the product over j of (t - t_j)/(t_i - t_j), factor by factor with their
/// derivatives.
PolynomialWeights polynomial_weights(const double* times, int n, double t) {
  PolynomialWeights w;
  for (int i = 0; i < n; ++i) {
    double value = 1, rate = 0, second = 0;
    for (int j = 0; j < n; ++j) {
      if (j == i) continue;
      const double slope = 1 / (times[i] - times[j]), factor = slope * (t - times[j]);
      second = second * factor + 2 * rate * slope;
      rate = rate * factor + value * slope;
      value *= factor;
    }
    w.value[i] = value, w.rate[i] = rate, w.second[i] = second;
  }
  return w;
}

Vec6 CouplingSignal::value(const Past<Vec6>& past, int degree, double t) {
  const int n = past.points(degree);
  const PolynomialWeights w = weights(past, n, t);
  Vec6 sum = Vec6::Zero();
  for (int i = 0; i < n; ++i) sum += w.value[i] * past[i];
  return sum;
}

void CouplingSignal::motion(double t, FramePose& pose, Vec6& twist, Vec6& acceleration) const {
  if (held_motion) {
    pose = held_motion->pose, twist = held_motion->twist, acceleration = held_motion->acceleration;
    return;
  }
  const int n = poses.points(motion_degree);
  const PolynomialWeights w = weights(poses, n, t);
  Vec6 x = Vec6::Zero(), rate = Vec6::Zero(), second = Vec6::Zero();  // place and rotation vector
  for (int i = 0; i < n; ++i) {
    Vec6 at;
    at << poses[i].p, i == 0 ? zero3 : log_so3(Mat3(poses[0].R.transpose() * poses[i].R));
    x += w.value[i] * at, rate += w.rate[i] * at, second += w.second[i] * at;
  }
  const Vec3 theta = x.tail<3>(), spin = rate.tail<3>();
  const Mat3 T = tangent_so3(theta);
  pose = {poses[0].R * exp_so3(theta), x.head<3>()};
  twist << rate.head<3>(), pose.R * (T * spin);
  acceleration << second.head<3>(), pose.R * (T * second.tail<3>() + tangent_so3_along(theta, spin) * spin);
}

}  // namespace hooke
