#pragma once
#include <limits>
#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// The signed distance of a point from a surface, in the axes of the surface: negative inside. The gradient is the outward
/// normal; the Hessian holds the curvature of the surface at that distance. Everything contact needs to know of a shape.
struct DistanceSample {
  double distance = 0;
  Vec3 normal = Vec3::UnitZ();
  Mat3 curvature = Mat3::Zero();
};

class DistanceField {
 public:
  virtual ~DistanceField() = default;
  virtual DistanceSample at(const Vec3& x) const = 0;
  virtual Vec3 normal(const Vec3& x) const { return at(x).normal; }
  /// The matter is: then the distance is, too, and no tangent of it lies above it.
  virtual bool is_convex() const { return false; }
  /// No point of the surface is farther from the origin; infinite for a half-space.
  virtual double bound() const = 0;
  /// How deep a point can be inside.
  virtual double depth() const { return std::numeric_limits<double>::infinity(); }
  /// Of a surface that is round everywhere alike: 1/radius, 0 for a plane; negative: it is not.
  virtual double round() const { return -1; }
};

/// Matter below the plane z = 0.
class HalfSpaceField final : public DistanceField {
 public:
  DistanceSample at(const Vec3& x) const override { return {x.z(), Vec3::UnitZ(), Mat3::Zero()}; }
  double bound() const override { return std::numeric_limits<double>::infinity(); }
  bool is_convex() const override { return true; }
  double round() const override { return 0; }
};

class SphereField final : public DistanceField {
 public:
  explicit SphereField(double radius) : radius_(radius) {}
  DistanceSample at(const Vec3& x) const override;
  double bound() const override { return radius_; }
  bool is_convex() const override { return true; }
  double depth() const override { return radius_; }
  double round() const override { return 1 / radius_; }

 private:
  double radius_;
};

/// Inside of a sphere: the matter is all around it, as in a socket or an outer raceway.
class HollowSphereField final : public DistanceField {
 public:
  explicit HollowSphereField(double radius) : radius_(radius) {}
  DistanceSample at(const Vec3& x) const override;
  double bound() const override { return std::numeric_limits<double>::infinity(); }
  double round() const override { return -1 / radius_; }

 private:
  double radius_;
};

/// With rounded edges, so that normals are continuous: all points within `rounding` of a smaller box.
class BoxField final : public DistanceField {
 public:
  explicit BoxField(const Vec3& size, double rounding = 0)
      : half_(0.5 * size - Vec3::Constant(rounding)), rounding_(rounding) {}
  DistanceSample at(const Vec3& x) const override;
  Vec3 normal(const Vec3& x) const override;
  bool is_convex() const override { return true; }
  double bound() const override { return half_.norm() + rounding_; }
  double depth() const override { return half_.minCoeff() + rounding_; }

 private:
  Vec3 half_;
  double rounding_;
};

/// All points at a distance from a segment of the z axis about the origin.
class CapsuleField final : public DistanceField {
 public:
  CapsuleField(double radius, double length) : radius_(radius), half_(0.5 * length) {}
  DistanceSample at(const Vec3& x) const override;
  bool is_convex() const override { return true; }
  double bound() const override { return half_ + radius_; }
  double depth() const override { return radius_; }

 private:
  double radius_, half_;
};

/// A convex polygon in the half-plane (r, z), turned about the z axis: cylinders, cones, discs. Its corners go from the
/// lowest to the highest along the outside; the first and the last may lie on the axis. Rounded, it is all points near by.
class RevolvedField final : public DistanceField {
 public:
  explicit RevolvedField(std::vector<Vec2> profile, double rounding = 0);
  DistanceSample at(const Vec3& x) const override;
  bool is_convex() const override { return true; }
  double bound() const override { return bound_ + rounding_; }
  double depth() const override { return -at(Vec3::Zero()).distance; }
  static std::vector<Vec2> cylinder(double radius, double length);
  static std::vector<Vec2> cone(double bottom, double top, double length);

 private:
  std::vector<Vec2> profile_;
  double rounding_, bound_ = 0;
};

/// The inside of a cylinder about the z axis, without ends: a bore, the inner side of a journal.
class BoreField final : public DistanceField {
 public:
  explicit BoreField(double radius) : radius_(radius) {}
  DistanceSample at(const Vec3& x) const override;
  double bound() const override { return std::numeric_limits<double>::infinity(); }

 private:
  double radius_;
};

}  // namespace hooke
