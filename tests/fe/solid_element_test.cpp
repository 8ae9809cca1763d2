// Solid elements: shape functions, constant strain, rigid motions, frequencies, bending, materials.
#include "hooke/fe/solid_element.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <numbers>

#include "hooke/fe/modal_reduction.h"
#include "hooke/fe/shape_functions.h"
#include "hooke/fe/solid_model.h"
#include "hooke/math/so3.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

const Material steel{2e11, 0.3, 7850};
const std::vector all_types{ElementType::hex8, ElementType::hex20, ElementType::tet4, ElementType::tet10};

/// A box whose inner nodes are moved about, so that no element is a parallelepiped.
SolidMesh distorted_box(ElementType type, Random& random) {
  SolidMesh mesh = box_mesh(Vec3(3, 2, 2), {3, 2, 2});
  for (Vec3& x : mesh.nodes) {
    const Vec3 inside = Vec3(1.5, 1, 1) - x.cwiseAbs();
    const Vec3 shift = 0.2 * random_vector(3, random);
    for (int d = 0; d < 3; ++d)
      if (inside[d] > 1e-9) x[d] += shift[d];
  }
  if (type == ElementType::tet4 || type == ElementType::tet10) mesh = cut_into_tets(mesh);
  return type == ElementType::hex20 || type == ElementType::tet10 ? with_middle_nodes(mesh) : mesh;
}

struct Case {
  ElementType type;
  SolidOptions options;
};
const std::vector<Case> cases{{ElementType::hex8, {.incompatible_modes = false}},
                              {ElementType::hex8, {.incompatible_modes = true}},
                              {ElementType::hex20, {}},
                              {ElementType::tet4, {}},
                              {ElementType::tet10, {}}};

/// The nodes' displacements with those of `held` given and nothing acting on the others.
VectorX solve_held(const SparseMatrix& K, const std::vector<char>& held, const VectorX& given,
                   const VectorX& force) {
  std::vector<Eigen::Triplet<double>> free_part;
  VectorX right = force - K * given;
  for (int j = 0; j < K.cols(); ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it)
      if (!held[j] && !held[it.row()]) free_part.emplace_back(it.row(), j, it.value());
  for (int j = 0; j < K.cols(); ++j)
    if (held[j]) free_part.emplace_back(j, j, 1), right[j] = 0;
  SparseMatrix A(K.rows(), K.cols());
  A.setFromTriplets(free_part.begin(), free_part.end());
  return given + Eigen::SimplicialLDLT<SparseMatrix>(A).solve(right);
}

TEST(ShapeFunctions, AreOneAtTheirNodeAndSumToOne) {
  Random random(1);
  for (ElementType type : all_types) {
    for (int a = 0; a < node_count(type); ++a)
      EXPECT_MATRIX_NEAR(shape_values(type, unit_position(type, a)).value, VectorX::Unit(node_count(type), a),
                         1e-14);
    const Vec3 xi = 0.3 * random_vector(3, random);
    const ShapeValues s = shape_values(type, xi);
    EXPECT_NEAR(s.value.sum(), 1, 1e-14);
    const MatrixX differences =
        finite_difference([&](const VectorX& d) { return shape_values(type, xi + Vec3(d)).value; }, 3, 1e-3);
    EXPECT_MATRIX_NEAR(s.gradient.transpose(), differences, 1e-10);
  }
}

/// A linear displacement of the surface must be met inside, with the same stress everywhere.
TEST(SolidElement, PassesThePatchTest) {
  Random random(2);
  Mat3 gradient;
  for (int c = 0; c < 3; ++c) gradient.col(c) = 1e-3 * random_vector(3, random);
  const SolidMaterial material = SolidMaterial::isotropic(steel);
  for (const Case& c : cases) {
    const SolidMesh mesh = distorted_box(c.type, random);
    ASSERT_THAT(mesh_faults(mesh), ::testing::IsEmpty());
    const int n = static_cast<int>(mesh.nodes.size());
    VectorX exact(3 * n);
    std::vector<char> held(3 * n, 0);
    for (int i = 0; i < n; ++i) exact.segment<3>(3 * i) = gradient * mesh.nodes[i];
    int inner = n;
    for (const auto& [name, set] : mesh.node_sets)
      for (int node : set)
        inner -= !held[3 * node], held[3 * node] = held[3 * node + 1] = held[3 * node + 2] = 1;
    ASSERT_GT(inner, 0);
    VectorX given = exact;
    for (int i = 0; i < 3 * n; ++i)
      if (!held[i]) given[i] = 0;
    const VectorX u =
        solve_held(assemble(mesh, {material}, c.options).stiffness, held, given, VectorX::Zero(3 * n));
    EXPECT_MATRIX_NEAR(1e3 * u, 1e3 * exact, 1e-10);

    Vec6 strain;
    const Mat3 both = gradient + gradient.transpose();
    strain << gradient.diagonal(), both(0, 1), both(1, 2), both(2, 0);
    for (const SolidMesh::Element& e : mesh.elements) {
      VectorX u_e(3 * node_count(e.type));
      for (int a = 0; int node : mesh.nodes_of(e)) u_e.segment<3>(3 * a++) = u.segment<3>(3 * node);
      for (const StrainPoint& p :
           element_strains(e.type, mesh.positions_of(e), material.elasticity, c.options))
        EXPECT_MATRIX_NEAR(1e3 * p.strain * u_e, 1e3 * strain, 1e-9);
    }
  }
}

TEST(SolidElement, HasSixRigidMotionsAndNoOther) {
  Random random(3);
  for (const Case& c : cases) {
    const SolidMesh mesh = distorted_box(c.type, random);
    const MatrixX K = element_stiffness(c.type, mesh.positions_of(mesh.elements[3]),
                                        SolidMaterial::isotropic(steel).elasticity, c.options);
    const VectorX values = Eigen::SelfAdjointEigenSolver<MatrixX>(K).eigenvalues();
    EXPECT_LT(values.head<6>().cwiseAbs().maxCoeff(), 1e-12 * values.maxCoeff());
    EXPECT_GT(values[6], 1e-4 * values.maxCoeff());
  }
}

TEST(SolidElement, MassIsThatOfItsVolume) {
  Random random(4);
  for (ElementType type : all_types)
    for (bool lumped : {false, true}) {
      const SolidMesh mesh = distorted_box(type, random);
      const SolidMatrices m = assemble(mesh, {SolidMaterial::isotropic(steel)}, {.lumped_mass = lumped});
      EXPECT_NEAR(m.volumes.sum(), 12, 1e-12);
      EXPECT_NEAR(m.mass.sum(), 12 * steel.density, 1e-8);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX>(MatrixX(m.mass)).eigenvalues()[0], 0);
      if (lumped) {
        EXPECT_EQ(m.mass.nonZeros(), m.mass.rows());
      }
    }
}

/// Longitudinal vibration of a free bar, across which nothing moves (Poisson's ratio 0): omega = pi c / l.
/// The error of linear elements falls like h^2, that of quadratic ones like h^4.
TEST(SolidElement, FrequenciesOfABarConverge) {
  const Material cork{1e6, 0, 200};
  const double exact = std::numbers::pi * std::sqrt(cork.young / cork.density);
  for (const Case& c : cases) {
    std::vector<double> errors;
    for (int n : {3, 6, 12}) {
      const SolidMesh mesh = box_mesh(Vec3(1, 0.1, 0.1), {n, 1, 1}, c.type);
      const SolidMatrices m = assemble(mesh, {SolidMaterial::isotropic(cork)}, c.options);
      std::vector<int> along;
      for (int i = 0; i < m.mass.rows(); ++i) along.push_back(3 * i);
      const SparseMatrix K = MatrixX(MatrixX(m.stiffness)(along, along)).sparseView();
      const Modes modes = lowest_modes(m.mass, K, 1, MatrixX::Ones(m.mass.rows(), 1));
      errors.push_back(std::abs(std::sqrt(modes.omega2[0]) / exact - 1));
    }
    const bool quadratic = c.type == ElementType::hex20 || c.type == ElementType::tet10;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), quadratic ? 4 : 2, 0.3);
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), quadratic ? 4 : 2, 0.3);
  }
}

/// A slender cantilever, one element through its height. The plain trilinear element is far too stiff; the
/// others are not.
TEST(SolidElement, BendsWithoutLocking) {
  const double l = 1, b = 0.02, h = 0.02, force = 10;
  const double beam = force * std::pow(l, 3) / (3 * steel.young * b * std::pow(h, 3) / 12);
  const auto deflection = [&](ElementType type, SolidOptions options) {
    const SolidMesh mesh = box_mesh(Vec3(l, b, h), {10, 1, 1}, type);
    const SparseMatrix K = assemble(mesh, {SolidMaterial::isotropic(steel)}, options).stiffness;
    std::vector<char> held(K.rows(), 0);
    VectorX load = VectorX::Zero(K.rows());
    for (int node : mesh.set("x_min")) held[3 * node] = held[3 * node + 1] = held[3 * node + 2] = 1;
    const auto& tip = mesh.set("x_max");
    for (int node : tip) load[3 * node + 2] = force / static_cast<double>(tip.size());
    const VectorX u = solve_held(K, held, VectorX::Zero(K.rows()), load);
    double mean = 0;
    for (int node : tip) mean += u[3 * node + 2] / static_cast<double>(tip.size());
    return mean / beam;
  };
  EXPECT_LT(deflection(ElementType::hex8, {.incompatible_modes = false}), 0.1);
  EXPECT_NEAR(deflection(ElementType::hex8, {.incompatible_modes = true}), 1, 0.02);
  EXPECT_NEAR(deflection(ElementType::hex20, {}), 1, 0.02);
  EXPECT_NEAR(deflection(ElementType::tet10, {}), 1, 0.05);
}

TEST(SolidMaterial, IsotropicLooksTheSameFromAllSides) {
  Random random(5);
  const Mat3 R = exp_so3(random_vector(3, random));
  const Vec3 E = Vec3::Constant(7e10), nu = Vec3::Constant(0.3), G = E / 2.6;
  EXPECT_MATRIX_NEAR(SolidMaterial::orthotropic(E, nu, G, 1, R).elasticity,
                     SolidMaterial::isotropic({7e10, 0.3, 1}).elasticity, 1e-13);
}

/// Pulled along its second axis, wood strains as its moduli say, also when it lies across the axes of the
/// mesh.
TEST(SolidMaterial, OrthotropicStrainsAsItsModuliSay) {
  const Vec3 E(12e9, 0.9e9, 0.5e9), nu(0.4, 0.6, 0.02), G(0.7e9, 0.05e9, 0.6e9);
  Vec6 stress = zero6, strain = zero6;
  stress[1] = 1e6;
  strain << -nu[0] / E[0] * 1e6, 1e6 / E[1], -nu[1] / E[1] * 1e6, 0, 0, 0;
  EXPECT_MATRIX_NEAR(1e3 * SolidMaterial::orthotropic(E, nu, G, 1).elasticity.inverse() * stress,
                     1e3 * strain, 1e-12);
  Mat3 axes;  // the material's second axis along z of the mesh, its first along y, its third along x
  axes << unit_y, unit_z, unit_x;
  Vec6 stress_z = zero6, strain_z = zero6;
  stress_z[2] = 1e6;
  strain_z << strain[2], strain[0], strain[1], 0, 0, 0;
  EXPECT_MATRIX_NEAR(1e3 * SolidMaterial::orthotropic(E, nu, G, 1, axes).elasticity.inverse() * stress_z,
                     1e3 * strain_z, 1e-12);
}

TEST(SolidElement, ExtrapolatesLinearFieldsToTheNodes) {
  const Vec3 slope(1, -2, 3);
  for (ElementType type : {ElementType::hex8, ElementType::hex20, ElementType::tet10}) {
    VectorX at_points(stiffness_points(type).size()), at_nodes(node_count(type));
    for (int g = 0; g < at_points.size(); ++g) at_points[g] = 5 + slope.dot(stiffness_points(type)[g].xi);
    for (int a = 0; a < at_nodes.size(); ++a) at_nodes[a] = 5 + slope.dot(unit_position(type, a));
    EXPECT_MATRIX_NEAR(extrapolation_to_nodes(type) * at_points, at_nodes, 1e-13);
  }
}

/// As the sparse matrices say, whoever takes part.
TEST(SolidModel, MultipliesByItsMatrices) {
  Random random(31);
  for (const ElementType type : all_types) {
    const SolidModel model(box_mesh(Vec3(1, 2, 3), {9, 10, 11}, type), {SolidMaterial::isotropic(steel)}, {});
    const int n = model.nodes();
    EXPECT_GT(model.sums_of_couplings.shares(), 1);
    Team two(2), three(3);
    for (const int columns : {1, 2, 4}) {
      Eigen::Matrix<double, 4, Eigen::Dynamic> u(4, n * columns), f(4, model.places() * columns), first;
      for (Team* team : {static_cast<Team*>(nullptr), &two, &three}) {
        if (!team) u = random_vector(4 * n * columns, random).reshaped(4, n * columns);
        u.row(3).setZero();
        model.multiply_stiffness(u.data(), f.data(), columns, team);
        if (!team) first = f.leftCols(n * columns);
        EXPECT_EQ((first - f.leftCols(n * columns)).cwiseAbs().maxCoeff(), 0);
      }
      for (int c = 0; c < columns; ++c) {
        VectorX x(3 * n), y(3 * n);
        for (int i = 0; i < n; ++i)
          x.segment<3>(3 * i) = u.col(i * columns + c).head<3>(),
                           y.segment<3>(3 * i) = first.col(i * columns + c).head<3>();
        EXPECT_MATRIX_NEAR(y, model.matrices.K * x, 1e-13 * y.cwiseAbs().maxCoeff());
      }
    }
    const VectorX a = random_vector(3 * n, random);
    VectorX alone = VectorX::Ones(3 * n), shared = alone;
    model.add_mass_product(a.data(), 0.7, alone.data());
    model.add_mass_product(a.data(), 0.7, shared.data(), &two);
    EXPECT_EQ((alone - shared).cwiseAbs().maxCoeff(), 0);
    EXPECT_MATRIX_NEAR(alone, VectorX::Ones(3 * n) + 0.7 * (of_all_coordinates(model.matrices.M) * a), 1e-12);
  }
}

TEST(SolidModel, KnowsHowFarItsElementsTurn) {
  Random random(4);
  for (ElementType type : all_types) {
    const SolidModel model(distorted_box(type, random), {SolidMaterial::isotropic(steel)}, {});
    const Mat3 R = exp_so3(0.3 * Vec3(1, 2, -2) / 3);
    Mat3X u(3, model.nodes());
    for (int n = 0; n < model.nodes(); ++n) u.col(n) = (R - identity3) * model.mesh.nodes[n] + Vec3(1, 2, 3);
    EXPECT_NEAR(model.largest_turn(u), std::sin(0.3), 1e-12);
    for (int n = 0; n < model.nodes(); ++n) u.col(n) = 0.1 * Vec3(1, 2, 3).cwiseProduct(model.mesh.nodes[n]);
    EXPECT_NEAR(model.largest_turn(u), 0, 1e-12);
  }
}

}  // namespace
}  // namespace hooke::test
