#include "hooke/contact/faceted_surface.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "hooke/contact/dual.h"

namespace hooke {
namespace {

/// By a point and the three nodes of a triangle.
using Jet12 = Dual<12>;

/// x and the three nodes.
template <class T>
using Points = std::array<VecOf<T>, 4>;

/// Shares of the three nodes in the foot of x on the plane of a triangle.
template <class T>
std::array<T, 3> foot(const Points<T>& p) {
  const VecOf<T> a = p[2] - p[1], b = p[3] - p[1], to = p[0] - p[1], area = a.cross(b);
  const T size = area.squaredNorm(), of_2 = to.cross(b).dot(area) / size, of_3 = a.cross(to).dot(area) / size;
  return {T(1.0 - of_2 - of_3), of_2, of_3};
}

/// Shares of the nodes in the place of the triangle that is nearest to x: its foot, or on a side, or a corner.
template <class T>
std::array<T, 3> nearest_shares(const Points<T>& p) {
  const Points<double> at{plain(p[0]), plain(p[1]), plain(p[2]), plain(p[3])};
  const auto inside = foot(at);
  if (*std::min_element(inside.begin(), inside.end()) >= 0) return foot(p);
  std::array<T, 3> best{T(0.0), T(0.0), T(0.0)};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    if (inside[(k + 2) % 3] >= 0) continue;  // it is not beyond this side
    const std::size_t i = k, j = (k + 1) % 3;
    const Vec3 way = at[1 + j] - at[1 + i], to = at[0] - at[1 + i];
    const double s = to.dot(way) / way.squaredNorm(), on = std::clamp(s, 0.0, 1.0);
    const double square = (to - on * way).squaredNorm();
    if (square >= least) continue;
    least = square;
    const VecOf<T> along = p[1 + j] - p[1 + i], from = p[0] - p[1 + i];
    const T share = s == on ? T(from.dot(along) / along.squaredNorm()) : T(on);
    best.fill(T(0.0));
    best[i] = T(1.0 - share), best[j] = share;
  }
  return best;
}

/// Of one triangle the weight, the distance from its plane, and their derivatives by x and the nodes.
template <class T>
struct Term {
  T w, g;
  Eigen::Matrix<T, 12, 1> dw, dg;

  Term(const Points<T>& p, double blend) {
    const VecOf<T> area = (p[2] - p[1]).cross(p[3] - p[1]), n = area / T(area.norm());
    g = n.dot(VecOf<T>(p[0] - p[1]));
    const auto below = foot(p), nearest = nearest_shares(p);
    const VecOf<T> beside = p[0] - nearest[0] * p[1] - nearest[1] * p[2] - nearest[2] * p[3];
    const T rest = T(1.0 - T(beside.squaredNorm() - g * g) / (blend * blend));
    const bool counts = plain(rest) > 0;
    w = counts ? T(rest * rest * rest) : T(0.0);
    const T by_square = counts ? T(-3.0 / (blend * blend) * rest * rest) : T(0.0);
    dg.template head<3>() = n;
    dw.template head<3>() = by_square * T(2.0) * (beside - g * n);
    for (int k = 0; k < 3; ++k) {
      const auto node = static_cast<std::size_t>(k);
      dg.template segment<3>(3 + 3 * k) = -below[node] * n;
      dw.template segment<3>(3 + 3 * k) = by_square * T(2.0) * (g * below[node] * n - nearest[node] * beside);
    }
  }
  /// Of the only one that counts.
  void stand_alone() { w = T(1.0), dw.setZero(); }
};

Points<Jet12> with_derivatives(const Points<double>& p) {
  Points<Jet12> lifted;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      lifted[static_cast<std::size_t>(k)][i] = Jet12(p[static_cast<std::size_t>(k)][i], 12, 3 * k + i);
  return lifted;
}

}  // namespace

FacetedSurface::FacetedSurface(std::span<const Triangle> triangles, std::span<const Vec3> rest,
                               std::span<const double> depths) {
  std::map<std::pair<int, int>, std::size_t> side;  // from one node to another, of which triangle
  std::vector<std::vector<std::size_t>> around(rest.size());
  std::vector<Vec3> normals;
  std::vector<double> heights;
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    const Triangle& t = triangles[f];
    const auto at = [&](std::size_t k) -> const Vec3& { return rest[static_cast<std::size_t>(t[k % 3])]; };
    const Vec3 area = (at(1) - at(0)).cross(at(2) - at(0));
    Facet facet{.nodes = t, .depth = depths[f]};
    for (std::size_t k = 0; k < 3; ++k) {
      facet.size = std::max(facet.size, (at(k + 1) - at(k)).norm());
      side[{t[k], t[(k + 1) % 3]}] = f;
      around[static_cast<std::size_t>(t[k])].push_back(f);
    }
    least_depth_ = std::min(least_depth_, facet.depth);
    deepest_ = std::max(deepest_, facet.depth);
    largest_ = std::max(largest_, facet.size);
    normals.push_back(area.normalized());
    heights.push_back(area.norm() / facet.size);
    facets_.push_back(facet);
  }
  // Parts end at sharp edges.
  std::vector<std::size_t> part(triangles.size());
  std::iota(part.begin(), part.end(), 0);
  const auto of = [&](std::size_t f) {
    while (part[f] != f) f = part[f] = part[part[f]];
    return f;
  };
  for (std::size_t f = 0; f < triangles.size(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const Triangle& t = triangles[f];
      const auto beyond = side.find({t[(k + 2) % 3], t[(k + 1) % 3]});
      facets_[f].is_border[k] = beyond == side.end();
      if (beyond == side.end()) continue;
      const double turn = std::acos(std::clamp(normals[f].dot(normals[beyond->second]), -1.0, 1.0));
      if (turn < sharp) part[of(f)] = of(beyond->second);
    }
  std::set<std::pair<int, int>> pairs;
  std::set<int> nodes;
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    // Of the least height around: one that shares no node with the nearest does not count.
    constexpr double wide = 0.5;
    std::set<std::size_t> near;
    for (const int node : triangles[f])
      for (const std::size_t g : around[static_cast<std::size_t>(node)])
        if (of(g) == of(f)) near.insert(g);
    facets_[f].first_near = static_cast<int>(near_.size());
    facets_[f].blend = std::numeric_limits<double>::infinity();
    nodes.clear();
    for (const std::size_t g : near) {
      near_.push_back(static_cast<int>(g));
      nodes.insert(triangles[g].begin(), triangles[g].end());
      facets_[f].blend = std::min(facets_[f].blend, wide * heights[g]);
      facets_[f].turn =
          std::max(facets_[f].turn, std::acos(std::clamp(normals[f].dot(normals[g]), -1.0, 1.0)));
    }
    facets_[f].last_near = static_cast<int>(near_.size());
    for (const int i : nodes)
      for (const int j : nodes)
        if (i < j) pairs.insert({i, j});
  }
  pairs_.assign(pairs.begin(), pairs.end());
  std::vector<Vec3> centres;
  for (const Triangle& t : triangles) {
    const auto at = [&](std::size_t k) -> const Vec3& { return rest[static_cast<std::size_t>(t[k])]; };
    centres.push_back((at(0) + at(1) + at(2)) / 3);
  }
  order_.resize(triangles.size());
  std::iota(order_.begin(), order_.end(), 0);
  grow(0, size(), centres);
}

/// Halves, along the axis that they spread most on. Returns the branch.
int FacetedSurface::grow(int first, int last, std::span<const Vec3> centres) {
  constexpr int few = 4;
  const int branch = static_cast<int>(tree_.size());
  tree_.push_back({first, last});
  if (last - first <= few) return branch;
  const auto centre = [&](int f) -> const Vec3& { return centres[static_cast<std::size_t>(f)]; };
  Eigen::AlignedBox3d box;
  for (int k = first; k < last; ++k) box.extend(centre(order_[static_cast<std::size_t>(k)]));
  Eigen::Index axis;
  box.sizes().maxCoeff(&axis);
  const int middle = (first + last) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](int f, int g) { return centre(f)[axis] < centre(g)[axis]; });
  const int left = grow(first, middle, centres), right = grow(middle, last, centres);
  tree_[static_cast<std::size_t>(branch)].left = left;
  tree_[static_cast<std::size_t>(branch)].right = right;
  return branch;
}

/// From the last branch to the first: those below one come after it.
void FacetedSurface::enclose(Posed& posed) const {
  posed.boxes.resize(tree_.size());
  for (std::size_t b = tree_.size(); b-- > 0;) {
    const Branch& branch = tree_[b];
    Eigen::AlignedBox3d& box = posed.boxes[b];
    if (branch.left > 0) {
      box = posed.boxes[static_cast<std::size_t>(branch.left)].merged(
          posed.boxes[static_cast<std::size_t>(branch.right)]);
      continue;
    }
    box.setEmpty();
    for (int k = branch.first; k < branch.last; ++k)
      for (const int node : nodes(order_[static_cast<std::size_t>(k)]))
        box.extend(posed.at[static_cast<std::size_t>(node)]);
  }
}

/// The triangle that x is nearest to, of several the one with the least number; -1: it is farther away than `reach`, below the solid or
/// beside the surface.
int FacetedSurface::nearest(const Vec3& x, const Posed& posed, double reach, int& looked_at) const {
  constexpr double beside = 0.01, rounding = 1 + 1e-12;
  const std::vector<Vec3>& at = posed.at;
  const double limit = std::max(reach, deepest_);
  int found = -1;
  double least = limit * limit;
  Vec3 shares = zero3;
  looked_at = 0;
  const auto look_at = [&](int f) {
    const Triangle& t = nodes(f);
    const auto node = [&](std::size_t k) -> const Vec3& { return at[static_cast<std::size_t>(t[k])]; };
    const Points<double> p{x, node(0), node(1), node(2)};
    const auto share = nearest_shares(p);
    const double square = (x - share[0] * p[1] - share[1] * p[2] - share[2] * p[3]).squaredNorm();
    ++looked_at;
    if (square < least || (square == least && f < found))
      least = square, found = f, shares = Vec3(share[0], share[1], share[2]);
  };
  const auto apart = [&](int branch) {
    return posed.boxes[static_cast<std::size_t>(branch)].squaredExteriorDistance(x);
  };
  constexpr std::size_t deep = 64;  // more than halves of anything
  std::array<std::pair<double, int>, deep> waiting;
  std::size_t count = 0;
  waiting[count++] = {apart(0), 0};
  while (count > 0) {
    const auto [square, number] = waiting[--count];
    if (square > rounding * least) continue;
    const Branch& branch = tree_[static_cast<std::size_t>(number)];
    if (branch.left > 0) {
      std::pair near{apart(branch.left), branch.left}, far{apart(branch.right), branch.right};
      if (far.first < near.first) std::swap(near, far);
      waiting[count++] = far, waiting[count++] = near;
      continue;
    }
    for (int k = branch.first; k < branch.last; ++k) look_at(order_[static_cast<std::size_t>(k)]);
  }
  if (found < 0) return found;
  const Facet& facet = facets_[static_cast<std::size_t>(found)];
  const auto node = [&](std::size_t k) -> const Vec3& {
    return at[static_cast<std::size_t>(facet.nodes[k])];
  };
  const auto below = foot<double>({x, node(0), node(1), node(2)});
  for (std::size_t k = 0; k < 3; ++k)
    if (facet.is_border[k] && shares[static_cast<int>(k)] == 0 && below[k] < -beside) return -1;
  return found;
}

bool FacetedSurface::meet(const Vec3& x, double radius, const Posed& posed, double reach, bool with_bend,
                          Patch& patch) const {
  const std::vector<Vec3>& at = posed.at;
  patch.distance = std::numeric_limits<double>::infinity();
  patch.nodes.clear();
  const int own = nearest(x, posed, reach, patch.looked_at);
  if (own < 0) return false;
  const auto points = [&](int f) -> Points<double> {
    const auto node = [&](std::size_t k) -> const Vec3& { return at[static_cast<std::size_t>(nodes(f)[k])]; };
    return {x, node(0), node(1), node(2)};
  };
  const auto place_of = [&](int node) {
    const auto known = std::find(patch.nodes.begin(), patch.nodes.end(), node);
    if (known != patch.nodes.end()) return 3 + 3 * (known - patch.nodes.begin());
    patch.nodes.push_back(node);
    return 3 * static_cast<std::ptrdiff_t>(patch.nodes.size());
  };
  const Facet& centre = facets_[static_cast<std::size_t>(own)];
  const auto size_of = [&](const Facet& facet) { return std::hypot(facet.blend, radius * facet.turn); };
  const bool is_alone = !(Term<double>(points(own), size_of(centre)).w > 1e-3);
  const auto for_each = [&]<class T>(const T&, auto&& f) {
    for (int k = centre.first_near; k < centre.last_near; ++k) {
      const int number = near_[static_cast<std::size_t>(k)];
      if (is_alone && number != own) continue;
      const Facet& facet = facets_[static_cast<std::size_t>(number)];
      const Points<double> p = points(number);
      if (!is_alone && !(Term<double>(p, size_of(facet)).w > 0)) continue;
      auto term = [&] {
        if constexpr (std::is_same_v<T, Jet12>)
          return Term<Jet12>(with_derivatives(p), size_of(facet));
        else
          return Term<double>(p, size_of(facet));
      }();
      if (is_alone) term.stand_alone();
      const std::array<std::ptrdiff_t, 4> to{0, place_of(facet.nodes[0]), place_of(facet.nodes[1]),
                                             place_of(facet.nodes[2])};
      f(term, to);
    }
  };
  double W = 0, N = 0;
  for_each(0.0, [&](const Term<double>& term, const auto&) { W += term.w, N += term.w * term.g; });
  const double g = N / W;
  const Eigen::Index n = patch.dofs();
  if (patch.slope.size() < n) patch.slope.resize(2 * n), patch.weighing.resize(2 * n);
  auto slope = patch.slope.head(n), weighing = patch.weighing.head(n);
  slope.setZero(), weighing.setZero();
  for_each(0.0, [&](const Term<double>& term, const auto& to) {
    for (int k = 0; k < 4; ++k) {
      const auto at_k = to[static_cast<std::size_t>(k)];
      const Vec3 dg = term.dg.template segment<3>(3 * k), dw = term.dw.template segment<3>(3 * k);
      slope.template segment<3>(at_k) += (term.w * dg + (term.g - g) * dw) / W;
      weighing.template segment<3>(at_k) += dw / W;
    }
  });
  patch.distance = g;
  patch.steep = slope.template head<3>().norm();
  patch.normal = slope.template head<3>() / patch.steep;
  if (!(g > -centre.depth)) return false;
  if (!with_bend) return true;

  // With v = sum dw / W:  H = sum d(w dg_f + (g_f - g) dw)/W - v dg' - dg v',  g held in the sum
  if (patch.bend.rows() < n) patch.bend.resize(2 * n, 2 * n);
  auto H = patch.bend.topLeftCorner(n, n);
  H.setZero();
  for_each(Jet12(), [&](const Term<Jet12>& term, const auto& to) {
    for (int a = 0; a < 4; ++a) {
      const auto row = to[static_cast<std::size_t>(a)];
      for (int i = 0; i < 3; ++i) {
        const Jet12 slope_i = (term.w * term.dg[3 * a + i] + (term.g - g) * term.dw[3 * a + i]) / W;
        for (int b = 0; b < 4; ++b)
          H.row(row + i).template segment<3>(to[static_cast<std::size_t>(b)]) +=
              slope_i.derivatives().template segment<3>(3 * b).transpose();
      }
    }
  });
  H.noalias() -= slope * weighing.transpose();
  H.noalias() -= weighing * slope.transpose();
  return true;
}

}  // namespace hooke
