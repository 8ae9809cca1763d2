#include "hooke/fe/solid_element.h"

#include <Eigen/LU>

#include "hooke/fe/shape_functions.h"
#include "hooke/math/dense.h"

namespace hooke {
namespace {

/// d(strain)/d(displacement) from the gradients of functions in space, a column each.
Mat6X strain_of(const Mat3X& gradient) {
  Mat6X B = Mat6X::Zero(6, 3 * gradient.cols());
  for (int a = 0; a < gradient.cols(); ++a) {
    const Vec3 g = gradient.col(a);
    // clang-format off
    B.middleCols<3>(3 * a) << g.x(), 0,     0,
                              0,     g.y(), 0,
                              0,     0,     g.z(),
                              g.y(), g.x(), 0,
                              0,     g.z(), g.y(),
                              g.z(), 0,     g.x();
    // clang-format on
  }
  return B;
}

/// Gradients in space of the modes 1 - x^2, 1 - y^2, 1 - z^2. Taken with the Jacobian of the middle and
/// scaled so that their integrals vanish, so that they leave constant strain alone (Taylor, Beresford,
/// Wilson, IJNME 10, 1976).
Mat6X inner_strain(const Vec3& xi, const Mat3& J_middle, double det) {
  const Mat3 gradient = -2 * J_middle.inverse().transpose() * xi.asDiagonal().toDenseMatrix();
  return J_middle.determinant() / det * strain_of(gradient);
}

Mat3 jacobian(const Mat3X& nodes, const ShapeValues& s) { return nodes * s.gradient.transpose(); }

}  // namespace

SolidMaterial SolidMaterial::isotropic(const Material& m) {
  return orthotropic(Vec3::Constant(m.young), Vec3::Constant(m.poisson), Vec3::Constant(m.shear()),
                     m.density);
}

SolidMaterial SolidMaterial::orthotropic(const Vec3& E, const Vec3& nu, const Vec3& G, double density,
                                         const Mat3& axes) {
  Mat6 compliance = Mat6::Zero();
  compliance.diagonal() << E.cwiseInverse(), G.cwiseInverse();
  for (int k = 0; k < 3; ++k) {
    const int i = k, j = (k + 1) % 3;  // xy, yz, zx
    compliance(i, j) = compliance(j, i) = -nu[k] / E[i];
  }
  // T takes strains in the axes of the mesh to those in the axes of the material. Column k is what it makes
  // of unit strain k.
  Mat6 T;
  constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  for (int c = 0; c < 6; ++c) {
    Mat3 strain = Mat3::Zero();
    strain(pair[c][0], pair[c][1]) = strain(pair[c][1], pair[c][0]) = c < 3 ? 1 : 0.5;
    const Mat3 turned = axes.transpose() * strain * axes;
    for (int r = 0; r < 6; ++r) T(r, c) = (r < 3 ? 1 : 2) * turned(pair[r][0], pair[r][1]);
  }
  const Mat6 D = compliance.inverse();
  return {T.transpose() * (0.5 * (D + D.transpose())) * T, density};
}

std::vector<StrainPoint> element_strains(ElementType type, const Mat3X& nodes, const Mat6& elasticity,
                                         const SolidOptions& options) {
  std::vector<StrainPoint> points;
  for (const VolumePoint& p : stiffness_points(type)) {
    const ShapeValues s = shape_values(type, p.xi);
    const Mat3 J = jacobian(nodes, s);
    points.push_back({strain_of(J.inverse().transpose() * s.gradient), p.weight * J.determinant()});
  }
  if (type != ElementType::hex8 || !options.incompatible_modes) return points;

  const Mat3 J_middle = jacobian(nodes, shape_values(type, zero3));
  std::vector<Mat6X> inner;
  MatrixX K_aa = MatrixX::Zero(9, 9), K_au = MatrixX::Zero(9, 24);
  for (std::size_t g = 0; g < points.size(); ++g) {
    const VolumePoint& p = stiffness_points(type)[g];
    inner.push_back(inner_strain(p.xi, J_middle, points[g].volume / p.weight));
    const MatrixX stress = points[g].volume * inner[g].transpose() * elasticity;
    K_aa += stress * inner[g];
    K_au += stress * points[g].strain;
  }
  const MatrixX amplitudes = -solve_positive(K_aa, K_au);  // of the modes, for which nothing holds
  for (std::size_t g = 0; g < points.size(); ++g) points[g].strain += inner[g] * amplitudes;
  return points;
}

MatrixX element_stiffness(ElementType type, const Mat3X& nodes, const Mat6& elasticity,
                          const SolidOptions& options) {
  MatrixX K = MatrixX::Zero(3 * nodes.cols(), 3 * nodes.cols());
  for (const StrainPoint& p : element_strains(type, nodes, elasticity, options))
    K.noalias() += p.strain.transpose() * (p.volume * elasticity) * p.strain;
  return K;
}

MatrixX element_mass(ElementType type, const Mat3X& nodes, double density, const SolidOptions& options) {
  MatrixX M = MatrixX::Zero(nodes.cols(), nodes.cols());
  for (const VolumePoint& p : mass_points(type)) {
    const ShapeValues s = shape_values(type, p.xi);
    M.noalias() += density * p.weight * jacobian(nodes, s).determinant() * s.value * s.value.transpose();
  }
  if (!options.lumped_mass) return M;
  const VectorX diagonal = M.diagonal();
  return (M.sum() / diagonal.sum() * diagonal).asDiagonal();
}

VectorX element_volumes(ElementType type, const Mat3X& nodes) {
  VectorX v = VectorX::Zero(nodes.cols());
  for (const VolumePoint& p : mass_points(type)) {
    const ShapeValues s = shape_values(type, p.xi);
    v += p.weight * jacobian(nodes, s).determinant() * s.value;
  }
  return v;
}

/// The corners' functions (linear or trilinear) fitted to the points, taken at the nodes.
const MatrixX& extrapolation_to_nodes(ElementType type) {
  const auto make = [](ElementType t) {
    const ElementType linear = corner_count(t) == 8 ? ElementType::hex8 : ElementType::tet4;
    const auto& points = stiffness_points(t);
    if (points.size() == 1) return MatrixX(MatrixX::Ones(node_count(t), 1));
    MatrixX at_points(points.size(), corner_count(t)), at_nodes(node_count(t), corner_count(t));
    for (std::size_t g = 0; g < points.size(); ++g)
      at_points.row(static_cast<int>(g)) = shape_values(linear, points[g].xi).value;
    for (int a = 0; a < node_count(t); ++a) at_nodes.row(a) = shape_values(linear, unit_position(t, a)).value;
    return MatrixX(at_nodes * pseudo_inverse(at_points));
  };
  static const MatrixX of_type[] = {make(ElementType::hex8), make(ElementType::hex20),
                                    make(ElementType::tet4), make(ElementType::tet10)};
  return of_type[static_cast<int>(type)];
}

SolidMatrices assemble(const SolidMesh& mesh, const std::vector<SolidMaterial>& materials,
                       const SolidOptions& options) {
  const int n = static_cast<int>(mesh.nodes.size());
  std::vector<Eigen::Triplet<double>> stiffness, mass;
  SolidMatrices result{SparseMatrix(3 * n, 3 * n), SparseMatrix(n, n), VectorX::Zero(n)};
  for (const SolidMesh::Element& element : mesh.elements) {
    const Mat3X x = mesh.positions_of(element);
    const SolidMaterial& material = materials.at(element.material);
    const MatrixX K = element_stiffness(element.type, x, material.elasticity, options);
    const MatrixX M = element_mass(element.type, x, material.density, options);
    const VectorX volumes = element_volumes(element.type, x);
    const auto nodes = mesh.nodes_of(element);
    for (int a = 0; a < x.cols(); ++a) {
      result.volumes[nodes[a]] += volumes[a];
      for (int b = 0; b < x.cols(); ++b) {
        if (M(a, b) != 0) mass.emplace_back(nodes[a], nodes[b], M(a, b));
        for (int c = 0; c < 3; ++c)
          for (int d = 0; d < 3; ++d)
            stiffness.emplace_back(3 * nodes[a] + c, 3 * nodes[b] + d, K(3 * a + c, 3 * b + d));
      }
    }
  }
  result.stiffness.setFromTriplets(stiffness.begin(), stiffness.end());
  result.mass.setFromTriplets(mass.begin(), mass.end());
  return result;
}

SparseMatrix of_all_coordinates(const SparseMatrix& mass) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < mass.cols(); ++column)
    for (SparseMatrix::InnerIterator it(mass, column); it; ++it)
      for (int d = 0; d < 3; ++d)
        entries.emplace_back(3 * static_cast<int>(it.row()) + d, 3 * column + d, it.value());
  SparseMatrix all(3 * mass.rows(), 3 * mass.cols());
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

}  // namespace hooke
