#include "hooke/contact/mesh_field.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hooke {
namespace {

using Corners = std::array<int, 3>;

Vec3 area_of(const TriangleMesh& mesh, const Corners& t) {
  const auto p = [&](int k) -> const Vec3& {
    return mesh.points[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
  };
  return 0.5 * (p(1) - p(0)).cross(p(2) - p(0));
}

double extent_of(const std::vector<Vec3>& points) {
  double extent = 0;
  for (const Vec3& p : points) extent = std::max(extent, (p - points.front()).norm());
  return extent;
}

/// The triangle on the left of each edge from one point to another.
using Edges = std::map<std::pair<int, int>, int>;
Edges edges_of(const TriangleMesh& mesh) {
  Edges edges;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Corners& c = mesh.triangles[static_cast<std::size_t>(t)];
      edges[{c[k], c[(k + 1) % 3]}] = t;
    }
  return edges;
}

}  // namespace

TriangleMesh welded(const TriangleMesh& mesh) {
  TriangleMesh result;
  if (mesh.points.empty()) return result;
  const double unit = 1e-9 * extent_of(mesh.points);
  std::map<std::array<std::int64_t, 3>, int> known;
  std::vector<int> numbers;
  for (const Vec3& p : mesh.points) {
    std::array<std::int64_t, 3> cell;
    for (int k = 0; k < 3; ++k) cell[static_cast<std::size_t>(k)] = std::llround(p[k] / unit);
    const auto [at, is_new] = known.try_emplace(cell, static_cast<int>(result.points.size()));
    if (is_new) result.points.push_back(p);
    numbers.push_back(at->second);
  }
  for (Corners t : mesh.triangles) {
    for (int& corner : t) corner = numbers[static_cast<std::size_t>(corner)];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) result.triangles.push_back(t);
  }
  return result;
}

std::string problem_of(const TriangleMesh& mesh) {
  if (mesh.triangles.size() < 4) return "has fewer than four triangles";
  const Edges edges = edges_of(mesh);
  if (edges.size() != 3 * mesh.triangles.size())
    return "has edges that more than two triangles share, or triangles that disagree on which side is out";
  for (const auto& [edge, t] : edges)
    if (!edges.contains({edge.second, edge.first}))
      return "is open: there are edges with a triangle on one side only";
  double volume = 0;
  for (const Corners& t : mesh.triangles)
    volume += area_of(mesh, t).dot(mesh.points[static_cast<std::size_t>(t[0])]);
  return volume > 0 ? "" : "is inside out: the corners of its triangles go round clockwise seen from outside";
}

/// From a tetrahedron, point by point: what a point sees of the hull is replaced by triangles to the point.
TriangleMesh convex_hull(const std::vector<Vec3>& given) {
  TriangleMesh hull;
  const std::vector<Vec3> points = welded({given, {}}).points;
  const double flat = 1e-9 * (points.empty() ? 0 : extent_of(points));
  const auto farthest = [&](auto&& distance) {
    int best = -1;
    double most = flat;
    for (int i = 0; i < static_cast<int>(points.size()); ++i)
      if (const double d = distance(points[static_cast<std::size_t>(i)]); d > most) most = d, best = i;
    return best;
  };
  if (points.size() < 4) return hull;
  const Vec3& a = points[0];
  const int b = farthest([&](const Vec3& p) { return (p - a).norm(); });
  if (b < 0) return hull;
  const Vec3 along = (points[static_cast<std::size_t>(b)] - a).normalized();
  const int c = farthest([&](const Vec3& p) { return along.cross(p - a).norm(); });
  if (c < 0) return hull;
  const Vec3 normal = along.cross(points[static_cast<std::size_t>(c)] - a).normalized();
  const int d = farthest([&](const Vec3& p) { return std::abs(normal.dot(p - a)); });
  if (d < 0) return hull;

  hull.points = points;
  const bool is_above = normal.dot(points[static_cast<std::size_t>(d)] - a) > 0;
  hull.triangles = is_above ? std::vector<Corners>{{0, c, b}, {0, b, d}, {b, c, d}, {c, 0, d}}
                            : std::vector<Corners>{{0, b, c}, {b, 0, d}, {c, b, d}, {0, c, d}};
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const auto sees = [&](const Corners& t) {
      const Vec3 n = area_of(hull, t).normalized();
      return n.dot(points[static_cast<std::size_t>(i)] - points[static_cast<std::size_t>(t[0])]) > flat;
    };
    std::map<std::pair<int, int>, bool> horizon;
    const auto seen = std::partition(hull.triangles.begin(), hull.triangles.end(),
                                     [&](const Corners& t) { return !sees(t); });
    for (auto t = seen; t != hull.triangles.end(); ++t)
      for (std::size_t k = 0; k < 3; ++k) horizon[{(*t)[k], (*t)[(k + 1) % 3]}] = true;
    hull.triangles.erase(seen, hull.triangles.end());
    for (const auto& [edge, is_there] : horizon)
      if (!horizon.contains({edge.second, edge.first}))
        hull.triangles.push_back({edge.first, edge.second, i});
  }
  std::vector<int> numbers(points.size(), -1);  // points of no triangle go
  hull.points.clear();
  for (Corners& t : hull.triangles)
    for (int& corner : t) {
      int& number = numbers[static_cast<std::size_t>(corner)];
      if (number < 0) {
        number = static_cast<int>(hull.points.size());
        hull.points.push_back(points[static_cast<std::size_t>(corner)]);
      }
      corner = number;
    }
  return hull;
}

MeshField::MeshField(TriangleMesh mesh, double rounding, bool is_hull)
    : rounding_(rounding), is_hull_(is_hull) {
  const Edges edges = edges_of(mesh);
  std::vector<Vec3> corner_normals(mesh.points.size(), Vec3::Zero());
  for (const Corners& t : mesh.triangles) {
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k) triangle.corners[k] = mesh.points[static_cast<std::size_t>(t[k])];
    triangle.face = area_of(mesh, t).normalized();
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 to = triangle.corners[(k + 1) % 3] - triangle.corners[k],
                 from = triangle.corners[(k + 2) % 3] - triangle.corners[k];
      const double angle = std::atan2(to.cross(from).norm(), to.dot(from));
      corner_normals[static_cast<std::size_t>(t[k])] += angle * triangle.face;
      bound_ = std::max(bound_, triangle.corners[k].norm());
    }
    triangles_.push_back(triangle);
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Corners& t = mesh.triangles[i];
      const auto other = edges.find({t[(k + 1) % 3], t[k]});
      const Vec3& beyond = other == edges.end() ? triangles_[i].face
                                                : triangles_[static_cast<std::size_t>(other->second)].face;
      triangles_[i].edges[k] = triangles_[i].face + beyond;
      triangles_[i].points[k] = corner_normals[static_cast<std::size_t>(t[k])];
    }
  nodes_.reserve(2 * triangles_.size());
  nodes_.emplace_back();
  split(0, 0, static_cast<int>(triangles_.size()));
  for (const Triangle& triangle :
       triangles_) {  // straight down from the middle of each: half of the least way through
    const Vec3 middle = (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]) / 3;
    const double here = depth_below(middle, triangle.face);
    depth_ = depth_ == 0 ? here : std::min(depth_, here);
  }
}

/// How deep it gets on the way down from a point of the surface.
double MeshField::depth_below(const Vec3& from, const Vec3& normal) const {
  double deepest = rounding_;
  for (double way = 1e-3 * bound_; way < 2 * bound_; way *= 1.5) {
    const double here = -at(from - way * normal).distance;
    if (here < deepest) break;
    deepest = here;
  }
  return deepest;
}

void MeshField::split(int node, int first, int count) {
  constexpr int few = 4;
  const auto begin = triangles_.begin() + first, end = begin + count;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (auto t = begin; t != end; ++t)
    for (const Vec3& corner : t->corners) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
  nodes_[static_cast<std::size_t>(node)] = {low, high, first, count};
  if (count <= few) return;
  int axis;
  (high - low).maxCoeff(&axis);
  const auto middle = [&](const Triangle& t) {
    return t.corners[0][axis] + t.corners[1][axis] + t.corners[2][axis];
  };
  const int half = count / 2;
  std::nth_element(begin, begin + half, end,
                   [&](const Triangle& a, const Triangle& b) { return middle(a) < middle(b); });
  const int left = static_cast<int>(nodes_.size());
  nodes_[static_cast<std::size_t>(node)].first = left;
  nodes_[static_cast<std::size_t>(node)].count = 0;
  nodes_.resize(nodes_.size() + 2);
  split(left, first, half);
  split(left + 1, first + half, count - half);
}

/// The nearest place of a triangle: within its face, on an edge, or a corner.
void MeshField::look_at(const Triangle& triangle, const Vec3& x, Nearest& nearest) {
  const auto take = [&](const Vec3& place, const Vec3& outward, const Vec3& along, Nearest::On on) {
    const double square = (x - place).squaredNorm();
    if (square < nearest.square) nearest = {square, place, outward, along, on};
  };
  bool is_within = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &from = triangle.corners[k], edge = triangle.corners[(k + 1) % 3] - from;
    if (triangle.face.cross(edge).dot(x - from) >= 0) continue;
    is_within = false;
    const double part = edge.dot(x - from) / edge.squaredNorm();
    if (part <= 0)
      take(from, triangle.points[k], zero3, Nearest::On::corner);
    else if (part < 1)
      take(from + part * edge, triangle.edges[k], edge.normalized(), Nearest::On::edge);
    else
      take(from + edge, triangle.points[(k + 1) % 3], zero3, Nearest::On::corner);
  }
  if (is_within)
    take(x - triangle.face * triangle.face.dot(x - triangle.corners[0]), triangle.face, zero3,
         Nearest::On::face);
}

DistanceSample MeshField::at(const Vec3& x) const {
  Nearest nearest;
  std::array<int, 64> stack;
  int depth = 0;
  stack[static_cast<std::size_t>(depth++)] = 0;
  const auto square_to = [&](int n) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    return (node.low - x).cwiseMax(x - node.high).cwiseMax(0).squaredNorm();
  };
  while (depth > 0) {
    const int n = stack[static_cast<std::size_t>(--depth)];
    if (square_to(n) >= nearest.square) continue;
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    if (node.count > 0) {
      for (int t = node.first; t < node.first + node.count; ++t)
        look_at(triangles_[static_cast<std::size_t>(t)], x, nearest);
      continue;
    }
    const bool left_first = square_to(node.first) < square_to(node.first + 1);
    stack[static_cast<std::size_t>(depth++)] = node.first + (left_first ? 1 : 0);
    stack[static_cast<std::size_t>(depth++)] = node.first + (left_first ? 0 : 1);
  }
  const Vec3 from = x - nearest.place;
  const double side = from.dot(nearest.outward) < 0 ? -1 : 1, length = from.norm();
  DistanceSample s;
  s.distance = side * length - rounding_;
  const bool is_on_face = nearest.on == Nearest::On::face || !(length > 1e-12 * bound_);
  s.normal = is_on_face ? Vec3(nearest.outward.normalized()) : Vec3(side * from / length);
  if (!is_on_face)
    s.curvature = (identity3 - s.normal * s.normal.transpose() - nearest.along * nearest.along.transpose()) /
                  (side * length);
  return s;
}

/// Two ridges that fall off by half their bend to either side, and cross in their middle, are in each other by a quarter of the bend times
/// the shorter one's length before the ends of that come into the other.
std::vector<TouchingFeature> features_of(const TriangleMesh& mesh, double rounding) {
  constexpr double bent = 0.02, sharp = 0.5;  // rad: an edge that counts for its corners, and for itself
  // So much of its size an edge may stick out between its corners and be met by these alone: edges of fine meshes do not count.
  constexpr double slight = 3e-3;
  const double size = extent_of(mesh.points);
  const Edges edges = edges_of(mesh);
  std::vector<char> is_corner(mesh.points.size(), 0);
  std::vector<TouchingFeature> all;
  for (const auto& [edge, t] : edges) {
    const auto other = edges.find({edge.second, edge.first});
    if (edge.first > edge.second || other == edges.end()) continue;
    const Vec3 n = area_of(mesh, mesh.triangles[static_cast<std::size_t>(t)]).normalized(),
               m = area_of(mesh, mesh.triangles[static_cast<std::size_t>(other->second)]).normalized();
    const Vec3 &a = mesh.points[static_cast<std::size_t>(edge.first)],
               &b = mesh.points[static_cast<std::size_t>(edge.second)];
    const double turn =
        std::atan2(n.cross(m).dot((b - a).normalized()), n.dot(m));  // positive: it sticks out
    if (turn < bent) continue;
    is_corner[static_cast<std::size_t>(edge.first)] = is_corner[static_cast<std::size_t>(edge.second)] = 1;
    if (turn > sharp || 0.25 * turn * (b - a).norm() > slight * size)
      for (const double end : {-1.0, 1.0})
        all.push_back({.kind = TouchingFeature::Kind::segment,
                       .centre = 0.5 * (a + b),
                       .axis = 0.5 * (b - a),
                       .turn = end,
                       .radius = rounding});
  }
  for (std::size_t p = 0; p < mesh.points.size(); ++p)
    if (is_corner[p]) all.push_back({.centre = mesh.points[p], .radius = rounding});
  return all;
}

}  // namespace hooke
