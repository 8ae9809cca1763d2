#pragma once
#include <string>
#include <vector>

#include "hooke/math/types.h"

/// Which of many flat pieces hides which, for pictures of lines and areas (SVG) that are painted one over the
/// other. Sorting by the distance of centres fails where a large face is close to a small one. Instead pieces
/// are cut by planes: of two sides of a plane the one away from the viewer is painted first. Fuchs, Kedem,
/// Naylor: On visible surface generation by a priori tree structures (1980).
namespace hooke {

struct Piece {
  std::vector<Vec3> corners;  ///< of a flat convex polygon, in turn; one: a mark at a point
  std::vector<char> is_edge;  ///< whether the side from a corner to the next is an edge to be seen
  std::string paint;          ///< colour #rrggbb; of a mark: what is drawn
};

/// The pieces, some cut in two, such that none hides a later one. The viewer is infinitely far away.
std::vector<Piece> back_to_front(std::vector<Piece> pieces, const Vec3& towards_viewer);

}  // namespace hooke
