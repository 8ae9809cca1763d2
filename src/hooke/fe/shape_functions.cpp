#include "hooke/fe/shape_functions.h"

#include <Eigen/LU>
#include <cmath>

#include "hooke/math/quadrature.h"

namespace hooke {
namespace {

constexpr double hex_corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
constexpr double tet_corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// Product of three factors with their slopes.
void set_product(ShapeValues& s, int node, const Vec3& factor, const Vec3& slope, double scale) {
  s.value[node] = scale * factor.prod();
  s.gradient.col(node) =
      scale * Vec3(slope.x() * factor.y() * factor.z(), factor.x() * slope.y() * factor.z(),
                   factor.x() * factor.y() * slope.z());
}

/// N_a = (1 + x_a x)(1 + y_a y)(1 + z_a z)/8
void hex8(const Vec3& xi, ShapeValues& s) {
  for (int a = 0; a < 8; ++a) {
    const Eigen::Map<const Vec3> corner(hex_corners[a]);
    set_product(s, a, Vec3::Ones() + corner.cwiseProduct(xi), corner, 0.125);
  }
}

/// Serendipity: the middle of an edge along x is (1 - x^2)(1 + y_a y)(1 + z_a z)/4; a corner is its trilinear
/// function less half of those of the three middles next to it.
void hex20(const Vec3& xi, ShapeValues& s) {
  hex8(xi, s);
  for (int k = 0; const auto& edge : edges(ElementType::hex20)) {
    const int node = 8 + k++;
    const Eigen::Map<const Vec3> a(hex_corners[edge[0]]), b(hex_corners[edge[1]]);
    const Vec3 at = 0.5 * (a + b);
    Vec3 factor = Vec3::Ones() + at.cwiseProduct(xi), slope = at;
    for (int d = 0; d < 3; ++d)
      if (at[d] == 0) factor[d] = 1 - xi[d] * xi[d], slope[d] = -2 * xi[d];
    set_product(s, node, factor, slope, 0.25);
    for (int corner : edge) {
      s.value[corner] -= 0.5 * s.value[node];
      s.gradient.col(corner) -= 0.5 * s.gradient.col(node);
    }
  }
}

Vec4 barycentric(const Vec3& xi) { return {1 - xi.sum(), xi.x(), xi.y(), xi.z()}; }
Eigen::Matrix<double, 3, 4> barycentric_gradient() {
  Eigen::Matrix<double, 3, 4> g;
  g << Vec3::Constant(-1), identity3;
  return g;
}

/// Corners l (2 l - 1), middles 4 l_a l_b.
void tet10(const Vec3& xi, ShapeValues& s) {
  const Vec4 l = barycentric(xi);
  const auto g = barycentric_gradient();
  for (int a = 0; a < 4; ++a) {
    s.value[a] = l[a] * (2 * l[a] - 1);
    s.gradient.col(a) = (4 * l[a] - 1) * g.col(a);
  }
  for (int k = 0; const auto& [a, b] : edges(ElementType::tet10)) {
    s.value[4 + k] = 4 * l[a] * l[b];
    s.gradient.col(4 + k) = 4 * (l[a] * g.col(b) + l[b] * g.col(a));
    ++k;
  }
}

std::vector<VolumePoint> hex_points(int n) {
  const QuadratureView rule = gauss_legendre_rule(n);
  std::vector<VolumePoint> points;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        points.push_back({{rule.points[i], rule.points[j], rule.points[k]},
                          rule.weights[i] * rule.weights[j] * rule.weights[k]});
  return points;
}

/// The cube drawn to a tetrahedron, x = u, y = v (1 - u), z = w (1 - u)(1 - v): n points each way are exact
/// up to degree 2n - 3.
std::vector<VolumePoint> tet_points(int n) {
  std::vector<VolumePoint> points = hex_points(n);
  for (VolumePoint& p : points) {
    const Vec3 u = 0.5 * (p.xi + Vec3::Ones());
    p.xi = {u.x(), u.y() * (1 - u.x()), u.z() * (1 - u.x()) * (1 - u.y())};
    p.weight *= 0.125 * (1 - u.x()) * (1 - u.x()) * (1 - u.y());
  }
  return points;
}

/// Exact to degree two: Hammer and Stroud, Math. Tables Aids Comput. 12 (1958).
std::vector<VolumePoint> four_points() {
  const double a = (5 - std::sqrt(5.0)) / 20, b = (5 + 3 * std::sqrt(5.0)) / 20;
  std::vector<VolumePoint> points(4, {Vec3::Constant(a), 1.0 / 24});
  for (int k = 0; k < 3; ++k) points[k + 1].xi[k] = b;
  return points;
}

}  // namespace

ShapeValues shape_values(ElementType type, const Vec3& xi) {
  ShapeValues s{VectorX(node_count(type)), Mat3X(3, node_count(type))};
  switch (type) {
    case ElementType::hex8:
      hex8(xi, s);
      break;
    case ElementType::hex20:
      hex20(xi, s);
      break;
    case ElementType::tet4:
      s = {barycentric(xi), barycentric_gradient()};
      break;
    case ElementType::tet10:
      tet10(xi, s);
      break;
  }
  return s;
}

Vec3 unit_position(ElementType type, int node) {
  const auto corner = [&](int k) { return Vec3(corner_count(type) == 8 ? hex_corners[k] : tet_corners[k]); };
  if (node < corner_count(type)) return corner(node);
  const auto [a, b] = edges(type)[node - corner_count(type)];
  return 0.5 * (corner(a) + corner(b));
}

const std::vector<VolumePoint>& stiffness_points(ElementType type) {
  static const std::vector<VolumePoint> rules[] = {
      hex_points(2), hex_points(3), {{Vec3::Constant(0.25), 1.0 / 6}}, four_points()};
  return rules[static_cast<int>(type)];
}

const std::vector<VolumePoint>& mass_points(ElementType type) {
  static const std::vector<VolumePoint> rules[] = {hex_points(2), hex_points(3), tet_points(3),
                                                   tet_points(4)};
  return rules[static_cast<int>(type)];
}

double smallest_jacobian(ElementType type, const Mat3X& nodes) {
  double smallest = INFINITY;
  const auto look_at = [&](const Vec3& xi) {
    const Mat3 J = nodes * shape_values(type, xi).gradient.transpose();
    smallest = std::min(smallest, J.determinant());
  };
  for (const VolumePoint& p : stiffness_points(type)) look_at(p.xi);
  for (int k = 0; k < corner_count(type); ++k) look_at(unit_position(type, k));
  return smallest;
}

}  // namespace hooke
