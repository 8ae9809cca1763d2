#include "hooke/contact/touching_feature.h"

#include <array>
#include <numbers>

namespace hooke {
namespace {

/// Of two numbers, at one of which `is_there` holds and at the other it does not: where that changes, on either side of it.
std::array<double, 2> border(double inside, double outside, auto&& is_there) {
  for (int pass = 0; pass < 48; ++pass) {
    const double middle = 0.5 * (inside + outside);
    (is_there(middle) ? inside : outside) = middle;
  }
  return {inside, outside};
}

/// Where f, which is negative at `low` and positive at `high`, is zero or jumps: along the chord and in the middle, in
/// turn.
double root_between(double low, double high, double at_low, double at_high, auto&& f) {
  constexpr double nothing = 1e-15;
  double s = 0;
  for (int pass = 0; pass < 150 && high - low > nothing; ++pass) {
    s = pass % 2 == 1 ? 0.5 * (low + high) : (low * at_high - high * at_low) / (at_high - at_low);
    const double here = f(s);
    if (std::abs(here) <= nothing) return s;
    if (here < 0)
      low = s, at_low = here;
    else
      high = s, at_high = here;
  }
  return s;
}

/// Along a segment over a convex surface the slope of the distance, axis . n, rises from one end to the other. Where it changes
/// its sign the segment crosses an edge or what is round. An edge (turn = -1 or 1) may lie on a face, along which the normal is
/// the same: it is met where it leaves the face, at its lower or at its upper end. Where it ends on the face its corners are
/// met. None of this depends on rounding: what is called tilted, curved and beyond the face is far above it.
FeaturePlace place_on_segment(const TouchingFeature& feature, const DistanceField& field, const Vec3& centre,
                              const Vec3& axis, const FramePose& B) {
  constexpr double tilted = 0.02, beside = 1e-4, curved = 1e-7;
  constexpr double same = 1e-9, beyond = 1e-3;  // changes of the normal: on the face, and well off it
  const double length = axis.norm();
  const Vec3 x = B.R.transpose() * (centre - B.p), way = B.R.transpose() * axis;  // in the axes of B
  const auto normal = [&](double s) -> Vec3 { return field.normal(x + s * way); };
  const auto slope = [&](double s) { return way.dot(normal(s)) / length; };
  FeaturePlace place{centre};
  place.exists = false;
  const double low = slope(-1), high = slope(1);
  if (low > tilted || high < -tilted) return place;  // an end is the least
  const double least = low >= 0 ? -1 : high <= 0 ? 1 : root_between(-1, 1, low, high, slope);
  if (feature.turn != 0) {
    const double end = feature.turn;
    for (const int to : {-1, 1})  // to that side of the least place there may be a face, beyond what is round
      for (double step = beside; step < 0.1; step *= 2) {
        const double on = least + to * step, further = on + to * beside;
        if (std::abs(further) > 1 || std::abs(slope(on)) > tilted) break;
        const Vec3 n = normal(on);
        const auto is_same = [&](double s) { return (normal(s) - n).norm() <= same; };
        if (!is_same(further)) continue;
        if ((normal(end) - n).norm() <= beyond) return place;
        const auto [inside, outside] = border(on, end, is_same);
        place.exists = true;
        place.moves = (least - inside) * end > same;  // the face slopes down to what is round beyond it
        place.on_curve[0] = place.moves ? least : inside;
        place.c += place.on_curve[0] * axis;
        place.slope = axis;
        if (!place.moves) place.across = B.R * (field.at(x + outside * way).curvature * way);
        return place;
      }
    if (feature.turn > 0) return place;  // an edge that crosses another is met once
  }
  if (!(low < 0 && high > 0)) return place;
  const double rise = slope(std::min(1.0, least + beside)) - slope(std::max(-1.0, least - beside));
  if (rise < curved * beside) return place;  // parallel: the ends are met
  place.exists = place.moves = true;
  place.on_curve[0] = least;
  place.c += least * axis;
  place.slope = axis;
  return place;
}

/// A circle in world axes; angles go round its axis.
struct Circle {
  Vec3 centre, axis, x, y;
  double radius;
  Vec3 out(double angle) const { return std::cos(angle) * x + std::sin(angle) * y; }
  Vec3 at(double angle) const { return centre + radius * out(angle); }
};

Circle circle_of(const TouchingFeature& feature, const FramePose& A) {
  const Vec3 x = feature.axis.unitOrthogonal();  // fixed to A
  return {A.p + A.R * feature.centre, A.R * feature.axis, A.R * x, A.R * feature.axis.cross(x),
          feature.rim_radius};
}

/// Angles begin where an axis of B is nearest to the plane of the rim.
Vec3 place_of_rim_point(const TouchingFeature& feature, const FramePose& A, const FramePose& B) {
  constexpr double clearly = 0.5;
  const Vec3 axis = A.R * feature.axis;
  int nearest = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(axis.dot(B.R.col(k))) < std::abs(axis.dot(B.R.col(nearest))) - clearly) nearest = k;
  const Vec3 y = axis.cross(B.R.col(nearest)).normalized();
  return A.p + A.R * feature.centre +
         feature.rim_radius * (std::cos(feature.turn) * y.cross(axis) + std::sin(feature.turn) * y);
}

/// On a face normals are the same. From the first place where the rim lies on one, along it to where that ends.
FeaturePlace place_of_arc_end(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                              const FramePose& B) {
  constexpr int around = 32;
  constexpr double same = 1e-9, flat = 0.02;  // rad, of the rim to the face
  constexpr double part = 2 * std::numbers::pi / around;
  const Circle circle = circle_of(feature, A);
  const auto inside_B = [&](double angle) -> Vec3 { return B.R.transpose() * (circle.at(angle) - B.p); };
  const auto normal = [&](double angle) { return field.normal(inside_B(angle)); };
  FeaturePlace place{circle.centre};
  place.exists = false;
  for (int k = 0; k < around && !place.exists; ++k) {
    const Vec3 n = normal(part * k);
    if ((B.R * n).cross(circle.axis).norm() > flat || (normal(part * (k + 1)) - n).norm() > same) continue;
    const auto is_on = [&](double angle) { return (normal(angle) - n).norm() <= same; };
    int steps = 1;
    while (steps < around && is_on(part * (k + feature.turn * steps))) ++steps;
    if (steps == around) break;  // all of the rim lies on it
    const auto [inside, outside] =
        border(part * (k + feature.turn * (steps - 1)), part * (k + feature.turn * steps), is_on);
    place.exists = true;
    place.on_curve = circle.out(inside);
    place.c = circle.at(inside);
    place.slope = circle.radius * circle.axis.cross(place.on_curve);
    place.across = B.R * (field.at(inside_B(outside)).curvature * (B.R.transpose() * place.slope));
  }
  return place;
}

}  // namespace

FeaturePlace place_of(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                      const FramePose& B) {
  FeaturePlace place{A.p + A.R * feature.centre};
  const auto sample = [&](const Vec3& c) { return field.at(B.R.transpose() * (c - B.p)); };
  if (feature.kind == TouchingFeature::Kind::point) {
    if (feature.is_beside)
      for (const double way : {-1e-6, 1e-6})
        place.exists &= sample(place.c + way * field.bound() * B.R.col(2)).normal.z() == 0;
    return place;
  }
  if (feature.kind == TouchingFeature::Kind::rim_point) return {place_of_rim_point(feature, A, B)};
  if (feature.kind == TouchingFeature::Kind::arc_end) return place_of_arc_end(feature, field, A, B);
  const Vec3 axis = A.R * feature.axis;
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
    place.on_curve = out;
    place.slope = feature.rim_radius * axis.cross(out);
    place.bend = -feature.rim_radius * out;
    return place;
  }
  return place_on_segment(feature, field, place.c, axis, B);
}

static ContactGap gap_at(const Vec3& c, const TouchingFeature& feature, const DistanceField& field,
                         const FramePose& B, double share) {
  const DistanceSample s = field.at(B.R.transpose() * (c - B.p));
  const double gap = s.distance - feature.radius;
  const Vec3 n = B.R * s.normal;
  return {gap, c - (feature.radius + share * gap) * n, n};
}

ContactGap gap_between(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                       const FramePose& B, double share) {
  const FeaturePlace at = place_of(feature, field, A, B);
  if (!at.exists) return {std::numeric_limits<double>::infinity(), A.p};
  ContactGap found = gap_at(at.c, feature, field, B, share);
  found.on_curve = at.on_curve;
  return found;
}

ContactGap gap_held(const TouchingFeature& feature, const Vec3& on_curve, const DistanceField& field,
                    const FramePose& A, const FramePose& B, double share) {
  const Vec3 axis = A.R * feature.axis, centre = A.p + A.R * feature.centre;
  const bool is_round = feature.rim_radius > 0;
  const Vec3 out = is_round ? Vec3(feature.rim_radius * (on_curve - axis * axis.dot(on_curve)).normalized())
                            : Vec3(on_curve[0] * axis);
  ContactGap at = gap_at(centre + out, feature, field, B, share);
  at.on_curve = on_curve;
  return at;
}

}  // namespace hooke
