#include "hooke/view/painter.h"

#include <algorithm>
#include <cmath>

namespace hooke {
namespace {

struct Plane {
  Vec3 normal;
  double offset = 0;
  double distance(const Vec3& point) const { return normal.dot(point) - offset; }
};

struct Halves {
  std::vector<Piece> front, back, within;
};

/// The part of a piece on one side (sign 1 or -1); the cut itself is no edge.
Piece part_of(const Piece& piece, const std::vector<double>& distance, double sign) {
  Piece part{{}, {}, piece.paint};
  const std::size_t count = piece.corners.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = (k + 1) % count;
    const double from = sign * distance[k], to = sign * distance[next];
    if (from >= 0) {
      part.corners.push_back(piece.corners[k]);
      part.is_edge.push_back(piece.is_edge[k] && !(from == 0 && to < 0));
    }
    if ((from > 0 && to < 0) || (from < 0 && to > 0)) {
      part.corners.push_back(piece.corners[k] +
                             from / (from - to) * (piece.corners[next] - piece.corners[k]));
      part.is_edge.push_back(to > 0 && piece.is_edge[k]);
    }
  }
  return part;
}

void sort_in(Piece piece, const Plane& plane, double tolerance, Halves& halves) {
  std::vector<double> distance;
  double low = 0, high = 0;
  for (const Vec3& corner : piece.corners) {
    const double d = plane.distance(corner);
    distance.push_back(std::abs(d) < tolerance ? 0 : d);
    low = std::min(low, distance.back());
    high = std::max(high, distance.back());
  }
  if (low < 0 && high > 0) {
    halves.front.push_back(part_of(piece, distance, 1));
    halves.back.push_back(part_of(piece, distance, -1));
  } else {
    auto& side = high > 0 ? halves.front : low < 0 ? halves.back : halves.within;
    side.push_back(std::move(piece));
  }
}

Halves split(std::vector<Piece> pieces, const Plane& plane, double tolerance) {
  Halves halves;
  for (Piece& piece : pieces) sort_in(std::move(piece), plane, tolerance, halves);
  return halves;
}

/// Across the longest side of the box around all corners, through the middle one of the pieces.
Plane middle_plane(const std::vector<Piece>& pieces) {
  Vec3 low = pieces[0].corners[0], high = low;
  for (const Piece& piece : pieces)
    for (const Vec3& corner : piece.corners) {
      low = low.cwiseMin(corner);
      high = high.cwiseMax(corner);
    }
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  std::vector<double> places;
  for (const Piece& piece : pieces) places.push_back(piece.corners[0][axis]);
  const auto half = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  std::nth_element(places.begin(), half, places.end());
  return {Vec3::Unit(axis), *half};
}

class Painter {
 public:
  Painter(const Vec3& towards_viewer, double tolerance) : towards_(towards_viewer), tolerance_(tolerance) {}

  void paint(std::vector<Piece> pieces) {
    if (pieces.empty()) return;
    if (pieces.size() > few) {  // planes in space keep the tree shallow
      const std::size_t count = pieces.size();
      const Plane plane = middle_plane(pieces);
      Halves halves = split(std::move(pieces), plane, tolerance_);
      if (std::max(halves.front.size(), halves.back.size()) < 0.9 * static_cast<double>(count))
        return paint(std::move(halves), plane);
      pieces = std::move(halves.front);
      for (auto* rest : {&halves.back, &halves.within})
        pieces.insert(pieces.end(), std::move_iterator(rest->begin()), std::move_iterator(rest->end()));
    }
    const auto flat = std::find_if(pieces.begin(), pieces.end(),
                                   [](const Piece& piece) { return piece.corners.size() > 2; });
    if (flat == pieces.end()) return put(std::move(pieces));
    const Piece& one = *flat;
    const Vec3 normal = (one.corners[1] - one.corners[0]).cross(one.corners[2] - one.corners[0]);
    if (!(normal.norm() > 0)) {  // nothing to be seen of it
      pieces.erase(flat);
      return paint(std::move(pieces));
    }
    const Plane plane{normal.normalized(), normal.normalized().dot(one.corners[0])};
    Piece first = one;
    pieces.erase(flat);
    Halves halves = split(std::move(pieces), plane, tolerance_);
    halves.within.insert(halves.within.begin(), std::move(first));
    paint(std::move(halves), plane);
  }

  std::vector<Piece> painted;

 private:
  static constexpr std::size_t few = 30;

  void paint(Halves halves, const Plane& plane) {
    const bool is_front_near = plane.normal.dot(towards_) > 0;
    paint(std::move(is_front_near ? halves.back : halves.front));
    put(std::move(halves.within));
    paint(std::move(is_front_near ? halves.front : halves.back));
  }

  /// Those in one plane, or marks: the nearest last.
  void put(std::vector<Piece> pieces) {
    std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
      return (a.corners.size() == 1) < (b.corners.size() == 1) ||
             (a.corners.size() == 1 && b.corners.size() == 1 &&
              a.corners[0].dot(towards_) < b.corners[0].dot(towards_));
    });
    painted.insert(painted.end(), std::move_iterator(pieces.begin()), std::move_iterator(pieces.end()));
  }

  Vec3 towards_;
  double tolerance_;
};

}  // namespace

std::vector<Piece> back_to_front(std::vector<Piece> pieces, const Vec3& towards_viewer) {
  double size = 0;
  std::erase_if(pieces, [](const Piece& piece) {
    return piece.corners.empty() || !std::all_of(piece.corners.begin(), piece.corners.end(),
                                                 [](const Vec3& corner) { return corner.allFinite(); });
  });
  for (const Piece& piece : pieces)
    for (const Vec3& corner : piece.corners)
      size = std::max(size, (corner - pieces[0].corners[0]).cwiseAbs().maxCoeff());
  constexpr double round_off = 1e-9;  // of what is in the plane
  Painter painter(towards_viewer, round_off * size);
  painter.paint(std::move(pieces));
  return std::move(painter.painted);
}

}  // namespace hooke
