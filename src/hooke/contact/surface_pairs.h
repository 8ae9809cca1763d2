#pragma once
#include <set>

#include "hooke/contact/broad_phase.h"
#include "hooke/contact/surface.h"
#include "hooke/system/passages.h"

namespace hooke {

/// Many surfaces, who of them meets whom, and where those that are near may touch.
class SurfacePairs {
 public:
  struct Contact {
    /// each of the first list against each other; otherwise against each of the second
    bool is_among = false;
    bool with_neighbours = false;             ///< of a list: also bodies that are joined
    std::array<std::vector<int>, 2> lists{};  ///< of surfaces
    std::set<std::pair<int, int>> except;     ///< that do not meet, the lower number first
  };
  std::vector<Surface> surfaces;
  std::vector<Contact> contacts;
  std::set<std::pair<int, int>> joined;  ///< bodies, the lower number first

  /// After all surfaces and contacts are there.
  void finish();

  /// The features of one surface against the field of another, or against a piece of a rod. Its key is a number that a double
  /// holds.
  struct Place {
    int first, second, side, feature, piece = -1;
  };
  bool has_pieces() const { return most_pieces_ > 0; }
  double key_of(const Place& place) const;
  Place place_of(double key) const;
  const Surface& featured(const Place& place) const {
    return surfaces[static_cast<std::size_t>(place.side == 0 ? place.first : place.second)];
  }
  const Surface& other(const Place& place) const {
    return surfaces[static_cast<std::size_t>(place.side == 0 ? place.second : place.first)];
  }
  const Surface::Feature& feature(const Place& place) const {
    return featured(place).features[static_cast<std::size_t>(place.feature)];
  }
  /// The frame that has the feature, and the one that has the field or that the piece begins at.
  std::array<int, 2> frames_of(const Place& place) const {
    return {feature(place).frame, place.piece < 0 ? other(place).frame : piece_frame(place, 0)};
  }
  int piece_frame(const Place& place, int end) const {
    return other(place).features[static_cast<std::size_t>(place.piece + end)].frame;
  }
  /// A section against a piece of a rod, and the frames of both.
  PieceContact<RodPiece> on_piece(const Place& place) const;
  std::array<int, 3> piece_frames(const Place& place) const;
  int own_neighbours(int surface) const {
    return surfaces[static_cast<std::size_t>(surface)].own_neighbours();
  }
  /// The nearest place of a piece of a rod; where that is none of the piece, its end.
  PiecePlace<2, double> piece_place(const Place& place, std::span<const FramePose> pose) const;
  ContactGap gap_of(const Place& place, std::span<const FramePose> pose) const;
  /// The same of a place that was closed. The deepest of a rim is another one where it has gone far round it. A place that is none
  /// any more is open, and stays where it was.
  ContactGap gap_since(const Place& place, const Vec3& on_curve, std::span<const FramePose> pose) const;
  ContactGap gap_held(const Place& place, const Vec3& on_curve, std::span<const FramePose> pose) const;
  /// Where they meet while the place stays where it is along its segment.
  Vec3 held_place(const Place& place, const Vec3& on_curve, std::span<const FramePose> pose) const;
  int contact_between(const Place& place) const;
  /// Surfaces whose features meet the faces of another's, by their numbers.
  std::vector<std::pair<int, int>> pairs_on_faces() const;

  /// Around each surface, or around each feature of one whose features move on their own. It keeps what helps the next search.
  struct Balls {
    struct Of {
      int surface, feature, frame;
      double bound;
    };
    std::vector<Of> of;
    std::vector<BroadPhase::Ball> balls;
    BroadPhase phase;
  };
  Balls balls() const;
  /// f(place, contact) for all that may touch: their bounding balls, times `wider` and with a `reach` around them, overlap.
  void for_each_near(std::span<const FramePose> pose, double wider, double reach, Balls& balls,
                     auto&& f) const {
    for (std::size_t b = 0; b < balls.of.size(); ++b)
      balls.balls[b] = {pose[static_cast<std::size_t>(balls.of[b].frame)].p,
                        wider * balls.of[b].bound + reach};
    for_each_place(balls, f);
  }
  /// The same for balls that have been set.
  void for_each_place(Balls& balls, auto&& f) const;

 private:
  int contact_of(int first, int second) const;

  double most_features_ = 1, most_pieces_ = 0;
  struct Membership {
    int contact, list;
  };
  std::vector<std::vector<Membership>> memberships_;  ///< of each surface
};

void SurfacePairs::for_each_place(Balls& balls, auto&& f) const {
  balls.phase.for_each_pair(balls.balls, [&](int i, int j) {
    const Balls::Of *a = &balls.of[static_cast<std::size_t>(i)], *b = &balls.of[static_cast<std::size_t>(j)];
    if (a->surface == b->surface && b->feature - a->feature < own_neighbours(a->surface)) return;
    int contact = contact_of(a->surface, b->surface);
    if (contact == -1) return;
    if (contact < 0) std::swap(a, b), contact = -2 - contact;
    const Surface &first = surfaces[static_cast<std::size_t>(a->surface)],
                  &second = surfaces[static_cast<std::size_t>(b->surface)];
    const Meeting meeting(first, second);
    for (int side = 0; side < 2; ++side) {
      if (!meeting.by(side)) continue;
      const Surface &featured = side == 0 ? first : second, &other = side == 0 ? second : first;
      const int only = (side == 0 ? a : b)->feature, piece = (side == 0 ? b : a)->feature;
      if (!other.field) {
        if (piece < static_cast<int>(other.pieces.size()))
          f(Place{a->surface, b->surface, side, only, piece}, contact);
        continue;
      }
      const int begin = std::max(0, only),
                end = only >= 0 ? only + 1 : static_cast<int>(featured.features.size());
      for (int k = begin; k < end; ++k)
        if (const TouchingFeature& feature = featured.features[static_cast<std::size_t>(k)].feature;
            meeting.counts(side, feature, *other.field) && !feature.is_compliant())
          f(Place{a->surface, b->surface, side, k}, contact);
    }
  });
}

/// Whether surfaces went through each other within a step, so that neither its start nor its end shows that they touched.
class SurfacePassages final : public PassagesBase {
 public:
  explicit SurfacePassages(SurfacePairs pairs);
  bool is_slow(const Workspace& after, double h) const override;
  std::unique_ptr<Search> search() const override;
  bool passed(const Workspace& before, const Workspace& after, Search& search) const override;

 private:
  struct Swept;
  bool passed(const SurfacePairs::Place& place, const FrameTable& before, const FrameTable& after) const;
  bool passed_rod(SurfacePairs::Place place, const FrameTable& before, const FrameTable& after) const;
  bool passed_faces(const Surface& featured, const Surface& solid, const FrameTable& before,
                    const FrameTable& after, Swept& swept) const;

  SurfacePairs pairs_;
  SurfacePairs::Balls balls_;
  std::vector<std::pair<int, int>> on_faces_;
  std::vector<double> depth_;  ///< of each surface: how far a point may be inside
};

}  // namespace hooke
