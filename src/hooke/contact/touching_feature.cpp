#include "hooke/contact/touching_feature.h"

#include <numbers>

namespace hooke {

FeaturePlace place_of(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                      const FramePose& B) {
  FeaturePlace place{A.p + A.R * feature.centre};
  if (feature.kind == TouchingFeature::Kind::point) return place;
  const Vec3 axis = A.R * feature.axis;
  const auto sample = [&](const Vec3& c) { return field.at(B.R.transpose() * (c - B.p)); };
  if (feature.kind == TouchingFeature::Kind::rim) {
    const Vec3 centre = place.c;
    const auto at_rim = [&](const Vec3& out) { return sample(centre + feature.rim_radius * out); };
    const auto slope_along = [&](const Vec3& out) { return axis.cross(out).dot(B.R * at_rim(out).normal); };
    Vec3 out;
    if (field.round() == 0) {  // a plane: against its normal
      const Vec3 n = B.R.col(2);
      out = axis * axis.dot(n) - n;
      out =
          out.norm() < 1e-12 ? axis.unitOrthogonal() : Vec3(out.normalized());  // flat: all of it is as deep
    } else {  // the nearest of some, then where the slope changes its sign on the way to its neighbours
      constexpr int around = 16;
      const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
      const auto at = [&](double angle) -> Vec3 { return std::cos(angle) * x + std::sin(angle) * y; };
      const double part = 2 * std::numbers::pi / around;
      double best = 0, least = std::numeric_limits<double>::infinity();
      for (int k = 0; k < around; ++k)
        if (const double d = at_rim(at(part * k)).distance; d < least) least = d, best = part * k;
      double low = best - part, high = best + part;
      for (int pass = 0; pass < 55; ++pass) {
        const double middle = 0.5 * (low + high);
        (slope_along(at(middle)) < 0 ? low : high) = middle;
      }
      out = at(0.5 * (low + high));
    }
    place.moves = feature.turn == 0;
    if (feature.turn != 0) out = std::cos(feature.turn) * out + std::sin(feature.turn) * axis.cross(out);
    place.c = centre + feature.rim_radius * out;
    place.slope = feature.rim_radius * axis.cross(out);
    place.bend = -feature.rim_radius * out;
    return place;
  }
  // The least distance along a segment: by bisection of its slope, which rises along a convex surface.
  const auto slope = [&](double s) { return axis.dot(B.R * sample(place.c + s * axis).normal); };
  double low = -1, high = 1;
  const double flat = 0.02 * axis.norm();  // along what is nearly parallel to it the ends are met
  place.exists = slope(low) < -flat && slope(high) > flat;
  if (!place.exists) return place;
  for (int pass = 0; pass < 60; ++pass) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  place.c += 0.5 * (low + high) * axis;
  place.slope = axis;
  place.moves = true;
  return place;
}

ContactGap gap_between(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                       const FramePose& B, double share) {
  const FeaturePlace at = place_of(feature, field, A, B);
  if (!at.exists) return {std::numeric_limits<double>::infinity(), A.p};
  const DistanceSample s = field.at(B.R.transpose() * (at.c - B.p));
  const double gap = s.distance - feature.radius;
  const Vec3 n = B.R * s.normal;
  return {gap, at.c - (feature.radius + share * gap) * n, n};
}

}  // namespace hooke
