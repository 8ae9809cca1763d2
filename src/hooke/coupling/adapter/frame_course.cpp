#include "hooke/coupling/adapter/frame_course.h"

namespace hooke {
namespace {

/// Vector part of p times the conjugate of q, both w x y z.
Vec3 turn(const Vec4& p, const Vec4& q) {
  const Vec3 u = p.tail<3>(), v = q.tail<3>();
  return q[0] * u - p[0] * v - u.cross(v);
}

}  // namespace

void write_motion(const FrameMotion& motion, Eigen::Ref<VectorX> numbers) {
  const Quat turned(motion.pose.R);
  Vec4 quaternion(turned.w(), turned.x(), turned.y(), turned.z());
  if (quaternion.dot(numbers.segment<4>(3)) < 0) quaternion = -quaternion;
  numbers << motion.pose.p, quaternion, motion.twist, motion.acceleration;
}

FrameMotion read_motion(const Eigen::Ref<const VectorX>& numbers) {
  const Vec4 q = numbers.segment<4>(3).normalized();
  return {{Quat(q[0], q[1], q[2], q[3]).toRotationMatrix(), numbers.head<3>()},
          numbers.segment<6>(7),
          numbers.segment<6>(13)};
}

/// With q of any length, q' = (s + omega/2) q for a number s that changes the length alone; s = q.q'/q.q.
void FrameCourse::motion(double t, FramePose& pose, Vec6& twist, Vec6& acceleration) const {
  if (held) {
    pose = held->pose, twist = held->twist, acceleration = held->acceleration;
    return;
  }
  const double tau = (t - start) / h;
  using Numbers = Eigen::Matrix<double, frame_positions, 1>;
  const auto& c = coefficients;
  const Numbers x = c.col(0) + tau * (c.col(1) + tau * (c.col(2) + tau * c.col(3)));
  const Numbers rate = (c.col(1) + tau * (2 * c.col(2) + tau * 3 * c.col(3))) / h;
  const Numbers second = (2 * c.col(2) + tau * 6 * c.col(3)) / (h * h);
  const Vec4 q = x.tail<4>(), dq = rate.tail<4>(), ddq = second.tail<4>();
  const double square = q.squaredNorm(), stretch = q.dot(dq) / square;
  const Vec4 unit = q / std::sqrt(square);
  const Vec3 omega = 2 / square * turn(dq, q);
  pose = {Quat(unit[0], unit[1], unit[2], unit[3]).toRotationMatrix(), x.head<3>()};
  twist << rate.head<3>(), omega;
  acceleration << second.head<3>(), 2 / square * turn(ddq, q) - 2 * stretch * omega;
}

Vec6 WrenchCourse::wrench(double t) const {
  const double tau = (t - start) / h;
  const auto& c = coefficients;
  return c.col(0) + tau * (c.col(1) + tau * (c.col(2) + tau * c.col(3)));
}

}  // namespace hooke
