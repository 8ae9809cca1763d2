#include "hooke/contact/touching_feature.h"

#include <numbers>

namespace hooke {

namespace {

/// Of two numbers one at which `is_there` holds and one at which it does not, the place between where that changes.
double border(double inside, double outside, auto&& is_there) {
  for (int pass = 0; pass < 60; ++pass) {
    const double middle = 0.5 * (inside + outside);
    (is_there(middle) ? inside : outside) = middle;
  }
  return inside;
}

/// Along a segment over a convex surface the slope of the distance, axis . n, rises from one end to the other. Where it is zero
/// the distance is least. An edge (turn = -1 or 1) may lie flat on a face, along which the normal is the same: it is met where it
/// leaves the face at its lower or at its upper end; where it leaves at neither, its corners are met.
FeaturePlace place_on_segment(const TouchingFeature& feature, const Vec3& centre, const Vec3& axis,
                              auto&& normal) {
  constexpr double tilted = 0.02, parallel = 1e-3, same = 1e-9, least_part = 1e-3, beside = 1e-6;
  const double length = axis.norm();
  const auto slope = [&](double s) { return axis.dot(normal(centre + s * axis)) / length; };
  FeaturePlace place{centre};
  place.exists = false;
  const double low = slope(-1), high = slope(1);
  if (low > tilted || high < -tilted) return place;  // an end is the least
  const double least = low >= 0 ? -1 : high <= 0 ? 1 : border(-1, 1, [&](double s) { return slope(s) < 0; });
  const bool is_crossed = low < -parallel && high > parallel;
  if (feature.turn != 0) {
    double on = 2;  // a place of the flat part
    for (const double s : {least + beside, least - beside})
      if (on > 1 && std::abs(s) <= 1 && std::abs(slope(s)) <= tilted) on = s;
    if (on <= 1) {
      const Vec3 n = normal(centre + on * axis);
      const auto is_same = [&](double s) { return (normal(centre + s * axis) - n).norm() <= same; };
      const bool leaves_below = !is_same(-1), leaves_above = !is_same(1);
      const double begin = leaves_below ? border(on, -1, is_same) : -1,
                   end = leaves_above ? border(on, 1, is_same) : 1;
      if (end - begin >= least_part) {
        place.exists = feature.turn < 0 ? leaves_below : leaves_above;
        place.c += (feature.turn < 0 ? begin : end) * axis;
        return place;
      }
    }
    if (feature.turn > 0) return place;  // an edge that crosses another is met once
  }
  if (!is_crossed) return place;
  place.exists = place.moves = true;
  place.c += least * axis;
  place.slope = axis;
  return place;
}

}  // namespace

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
  return place_on_segment(feature, place.c, axis,
                          [&](const Vec3& c) -> Vec3 { return B.R * sample(c).normal; });
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
