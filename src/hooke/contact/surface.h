#pragma once
#include <memory>
#include <optional>

#include "hooke/contact/touching_feature.h"

namespace hooke {

/// A surface as contact sees it: features on frames and a distance field on one of them, either of which it may lack.
struct Surface {
  struct Feature {
    int frame;
    TouchingFeature feature;
  };
  std::vector<Feature> features;
  std::shared_ptr<const DistanceField> field;
  int frame = -1;         ///< of the field
  bool is_round = false;  ///< its features tell all of it: the features of the other need not meet its field
  bool is_of_points = false;  ///< its frames have no axes
  int body = -1;
  std::optional<double> young;
  double poisson = 0;

  /// Where on the way from one surface to the other its contact acts.
  double share() const { return is_of_points ? 0 : 0.5; }
};

/// Whose features meet the field of the other, when two surfaces touch. Edges meet edges once, from one side.
struct Meeting {
  bool by_first = false, by_second = false;
  Meeting(const Surface& first, const Surface& second)
      : by_first(second.field && !first.features.empty() && !(second.is_round && !first.is_round)),
        by_second(first.field && !second.features.empty() && !(first.is_round && !second.is_round) &&
                  !(by_first && first.is_round)) {}
  bool is_possible() const { return by_first || by_second; }
  bool by(int side) const { return side == 0 ? by_first : by_second; }
  /// Whether the feature of that side (0: first) meets the field of the other.
  bool counts(int side, const TouchingFeature& feature, const DistanceField& other) const {
    const bool with_edges = (side == 0 || !by_first) && other.round() != 0;
    return with_edges || feature.kind != TouchingFeature::Kind::segment;
  }
};

}  // namespace hooke
