#pragma once
#include "hooke/contact/distance_field.h"

namespace hooke {

/// Matter below heights over a grid in the plane z = 0, centred at the origin: a track or terrain. Between the grid's points it
/// is a surface of third degree in x and y through the heights (Catmull, Rom), whose normal is continuous; beyond the grid it
/// goes on as at its edge.
class HeightField final : public DistanceField {
 public:
  /// Columns go along x, rows along y.
  HeightField(MatrixX heights, const Vec2& spacing) : heights_(std::move(heights)), spacing_(spacing) {}
  DistanceSample at(const Vec3& x) const override;
  double bound() const override { return std::numeric_limits<double>::infinity(); }

  struct Height {
    double z;
    Vec2 slope;
    Mat2 bend;
  };
  Height over(const Vec2& x) const;

 private:
  MatrixX heights_;
  Vec2 spacing_;
};

}  // namespace hooke
