#include "hooke/contact/distance_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hooke {
namespace {

/// Of the distance |x| itself; at the origin any direction will do.
DistanceSample from_point(const Vec3& x) {
  const double distance = x.norm();
  if (distance == 0) return {};
  const Vec3 n = x / distance;
  return {distance, n, (Mat3::Identity() - n * n.transpose()) / distance};
}

/// Of the distance from the z axis.
DistanceSample from_axis(const Vec3& x) {
  const double r = std::sqrt(x.x() * x.x() + x.y() * x.y());
  if (r == 0) return {0, Vec3::UnitX(), Mat3::Zero()};
  const Vec3 n(x.x() / r, x.y() / r, 0), around(-n.y(), n.x(), 0);
  return {r, n, around * around.transpose() / r};
}

DistanceSample inside_out(DistanceSample s) {
  s.distance = -s.distance;
  s.normal = -s.normal;
  s.curvature = -s.curvature;
  return s;
}

}  // namespace

DistanceSample SphereField::at(const Vec3& x) const {
  DistanceSample s = from_point(x);
  s.distance -= radius_;
  return s;
}

DistanceSample HollowSphereField::at(const Vec3& x) const {
  DistanceSample s = from_point(x);
  s.distance -= radius_;
  return inside_out(s);
}

DistanceSample BoreField::at(const Vec3& x) const {
  DistanceSample s = from_axis(x);
  s.distance -= radius_;
  return inside_out(s);
}

/// Outside, the vector from the nearest point of the box; inside, the nearest face.
DistanceSample BoxField::at(const Vec3& x) const {
  const Vec3 beyond = x.cwiseAbs() - half_, n = normal(x);
  const double inside = beyond.maxCoeff();
  if (inside <= 0) return {inside - rounding_, n, Mat3::Zero()};
  const Vec3 from = beyond.cwiseMax(0), free = (from.array() > 0).cast<double>();
  const double distance = from.norm();
  Mat3 curvature = -n * n.transpose() / distance;
  curvature.diagonal() += free / distance;
  return {distance - rounding_, n, curvature};
}

Vec3 BoxField::normal(const Vec3& x) const {
  const Vec3 beyond = x.cwiseAbs() - half_;
  Vec3 n = beyond.cwiseMax(0);
  int face;
  if (beyond.maxCoeff(&face) <= 0)
    n = Vec3::Unit(face);
  else
    n /= n.norm();
  for (int k = 0; k < 3; ++k) n[k] = std::copysign(n[k], x[k]);
  return n;
}

DistanceSample CapsuleField::at(const Vec3& x) const {
  const double beyond = std::abs(x.z()) - half_;
  DistanceSample s = beyond > 0 ? from_point({x.x(), x.y(), std::copysign(beyond, x.z())}) : from_axis(x);
  s.distance -= radius_;
  return s;
}

RevolvedField::RevolvedField(std::vector<Vec2> profile, double rounding)
    : profile_(std::move(profile)), rounding_(rounding) {
  for (const Vec2& corner : profile_) bound_ = std::max(bound_, corner.norm());
}

std::vector<Vec2> RevolvedField::cylinder(double radius, double length) {
  return cone(radius, radius, length);
}

std::vector<Vec2> RevolvedField::cone(double bottom, double top, double length) {
  std::vector<Vec2> profile{{0, -0.5 * length}};
  if (bottom > 0) profile.emplace_back(bottom, -0.5 * length);
  if (top > 0) profile.emplace_back(top, 0.5 * length);
  profile.emplace_back(0, 0.5 * length);
  return profile;
}

/// In the half-plane: the nearest edge (inside: that of the largest signed distance, since it is convex) or corner.
DistanceSample RevolvedField::at(const Vec3& x) const {
  const DistanceSample axis = from_axis(x);
  const double r = axis.distance;
  const Vec2 at(r, x.z());
  double inside = -std::numeric_limits<double>::infinity(), outside = std::numeric_limits<double>::infinity();
  Vec2 normal_inside(1, 0), nearest(0, 0);
  bool on_edge = false;
  for (std::size_t k = 0; k + 1 < profile_.size(); ++k) {
    const Vec2 edge = profile_[k + 1] - profile_[k], from = at - profile_[k];
    const Vec2 n = Vec2(edge.y(), -edge.x()).normalized();
    if (n.dot(from) > inside) inside = n.dot(from), normal_inside = n;
    const double along = std::clamp(from.dot(edge) / edge.squaredNorm(), 0.0, 1.0);
    const Vec2 place = profile_[k] + along * edge;
    if (const double distance = (at - place).norm(); distance < outside)
      outside = distance, nearest = place, on_edge = along > 0 && along < 1;
  }
  Vec2 n = normal_inside;
  double distance = inside;
  Eigen::Matrix2d bend = Eigen::Matrix2d::Zero();
  if (inside > 0 && !on_edge) {
    distance = outside;
    n = (at - nearest) / distance;
    bend = (Eigen::Matrix2d::Identity() - n * n.transpose()) / distance;
  }
  DistanceSample s;
  s.distance = distance - rounding_;
  s.normal = n.x() * axis.normal + n.y() * Vec3::UnitZ();
  Eigen::Matrix<double, 3, 2> plane;
  plane << axis.normal, Vec3::UnitZ();
  s.curvature = plane * bend * plane.transpose() + n.x() * axis.curvature;
  return s;
}

}  // namespace hooke
