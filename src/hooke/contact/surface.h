#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "hooke/contact/faceted_surface.h"
#include "hooke/contact/piece_contact.h"

namespace hooke {

/// A surface as contact sees it: features on frames and a distance field on one of them, either of which it may lack. One that
/// deforms has pieces in place of a field, which the features of others that deform meet.
struct Surface {
  struct Feature {
    int frame;
    TouchingFeature feature;
  };
  std::vector<Feature> features;
  std::shared_ptr<const DistanceField> field;
  int frame = -1;                               ///< of the field
  std::vector<RodPiece> pieces;                 ///< of a rod, between each two of its features
  std::shared_ptr<const FacetedSurface> faces;  ///< of a solid, between the nodes that are its features
  bool is_round = false;   ///< its features tell all of it: the features of the other need not meet its field
  bool has_edges = false;  ///< some of its features are segments
  bool has_rims = false;   ///< some are circles
  bool is_of_points = false;  ///< its frames have no axes
  int body = -1;
  std::optional<double> young;
  double poisson = 0;

  /// Of a rod that meets itself: so many pieces behind a feature do not count. Bent to its own radius, a rod touches itself half a
  /// circle further on. Other surfaces do not meet themselves.
  int own_neighbours() const {
    if (pieces.empty()) return std::numeric_limits<int>::max();
    return static_cast<int>(std::ceil(std::numbers::pi * pieces.front().radius / pieces.front().length));
  }

  /// Where on the way from one surface to the other its contact acts.
  double share() const { return is_of_points ? 0 : 0.5; }
};

/// Whose features meet the field of the other, when two surfaces touch. Edges meet edges once, from one side; of two capsules
/// the ends of both are met. Where a disc sticks out over an edge, the edge leaves its face and is met there; over another disc, the rim
/// of one of them is. Of two that deform the features of the first meet the pieces of the second. A sphere meets the faces between nodes,
/// where there are any, since it may be smaller than they are; the nodes meet a capsule.
struct Meeting {
  bool by_first = false, by_second = false, are_capsules = false, edges_of_first = false;
  bool are_discs = false, arcs_of_first = false;
  Meeting(const Surface& first, const Surface& second) {
    const bool both_deform = !first.field && !second.field;
    const auto is_ball = [](const Surface& s) { return s.field && s.is_round && !s.has_edges; };
    const auto meets = [&](const Surface& s, const Surface& other) {
      if (s.features.empty()) return false;
      if (is_ball(s) && !other.field && other.faces) return true;
      if (s.is_of_points && other.field && other.is_round) return !(s.faces && is_ball(other));
      if (other.is_round && !s.is_round) return false;
      return other.field || (both_deform && (!other.pieces.empty() || other.faces));
    };
    are_capsules = first.field && second.field && first.is_round && second.is_round && first.has_edges &&
                   second.has_edges;
    by_first = meets(first, second);
    by_second = meets(second, first) && !(by_first && (both_deform || (first.is_round && !are_capsules)));
    edges_of_first = by_first && first.has_edges;
    are_discs = !first.has_edges && !second.has_edges;
    arcs_of_first = by_first && first.has_rims;
  }
  bool is_possible() const { return by_first || by_second; }
  bool by(int side) const { return side == 0 ? by_first : by_second; }
  /// Whether the feature of that side (0: first) meets the field of the other.
  bool counts(int side, const TouchingFeature& feature, const DistanceField& other) const {
    if (feature.kind == TouchingFeature::Kind::arc_end)
      return are_discs && (side == 0) == arcs_of_first && other.round() < 0;
    if (feature.kind != TouchingFeature::Kind::segment) return true;
    return (side == 0) == edges_of_first && other.round() != 0 && !(are_capsules && feature.turn > 0);
  }
  /// As that side meets the other with it. Capsules cross each other once, and of two ends that meet, one does.
  TouchingFeature as_met(int side, TouchingFeature feature) const {
    if (are_capsules) feature.turn = 0, feature.is_beside = side == 1;
    return feature;
  }
};

}  // namespace hooke
