#pragma once
#include "hooke/contact/distance_field.h"
#include "hooke/frames/frame.h"

namespace hooke {

/// What touches: a place in the frame A, or the place of a curve in A that is deepest in the other surface, with all that is
/// within `radius` of it. Spheres, corners and nodes are points, capsules and edges segments, the rims of discs circles. Where a rim
/// that lies on a face leaves it is a feature of its own, an arc's end. Points of a rim keep their places round it while the disc spins.
struct TouchingFeature {
  enum class Kind { point, segment, rim, rim_point, arc_end } kind = Kind::point;
  Vec3 centre = Vec3::Zero();  ///< of the point, the segment or the circle
  Vec3 axis = Vec3::Zero();    ///< half the segment; unit normal of the circle's plane
  double rim_radius = 0;
  /// rad: not the deepest point of the rim but one turned by this from it; of a point of a rim, where it is
  /// on it; -1, 1: end of an edge or arc
  double turn = 0;
  bool is_beside = false;  ///< a point that meets a capsule along its length only, not at its ends
  double radius = 0;

  /// Of a rim that lies flat four points carry by the compliant law, which turn with the deepest: more would make it stiffer.
  /// By the rigid law all that keep their places do, and the deepest, where there is one.
  bool is_compliant() const { return kind == Kind::rim && turn != 0; }
  bool is_rigid() const { return kind == Kind::rim_point; }

  double bound() const { return centre.norm() + axis.norm() * (kind == Kind::segment) + rim_radius + radius; }
};

/// The feature's place c, and where it is one of a curve, c' and c'' there, all in world axes.
struct FeaturePlace {
  Vec3 c, slope = Vec3::Zero(), bend = Vec3::Zero();
  bool moves = false;  ///< along its curve, to stay where the distance is least
  /// normal to the border of a face, where the place is that the curve leaves it at
  Vec3 across = Vec3::Zero();
  Vec3 on_curve = Vec3::Zero();  ///< as ContactGap's
  bool exists = true;            ///< a segment has no place of its own where its ends tell all
};
FeaturePlace place_of(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                      const FramePose& B);

/// How far a feature of the frame A is from the field of B (negative: how deep), where, and along which normal.
struct ContactGap {
  double gap = 0;
  Vec3 place = Vec3::Zero(), normal = Vec3::UnitZ();
  /// Where on the feature's curve: of a segment (s, 0, 0), s from -1 to 1; of a circle the way out of its centre, world axes, since a
  /// wheel turns below the place where it stands.
  Vec3 on_curve = Vec3::Zero();
};
ContactGap gap_between(const TouchingFeature& feature, const DistanceField& field, const FramePose& A,
                       const FramePose& B, double share);
/// The same of a point, or of that place on a segment or a rim.
ContactGap gap_held(const TouchingFeature& feature, const Vec3& on_curve, const DistanceField& field,
                    const FramePose& A, const FramePose& B, double share);

}  // namespace hooke
