// The annihilator P of constraint rows by LU with row pivoting.
#include "hooke/integrators/coordinate_split.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include "hooke/analysis/assembly.h"
#include "support/crank.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

/// A KKT matrix with one block of dofs and the given rows.
struct Rows {
  KktStructure structure;
  KktMatrix kkt;
  explicit Rows(const MatrixX& G)
      : structure{.dof_sizes = {static_cast<int>(G.cols())},
                  .body_blocks = {0, 1},
                  .row_sizes = {static_cast<int>(G.rows())},
                  .constraint_blocks = {{0}}},
        kkt(structure) {
    set(G);
  }
  void set(const MatrixX& G) {
    kkt.matrix.block(kkt.G(0, 0)) = G;
    kkt.matrix.block(kkt.Gt(0, 0)) = G.transpose();
  }
  CoordinateSplit split() const {
    return {structure, VectorX::Ones(structure.dofs()), VectorX::Ones(structure.rows())};
  }
};

MatrixX random_matrix(int rows, int columns, unsigned seed) {
  Random random(seed);
  const VectorX entries = random_vector(rows * columns, random);
  return entries.reshaped(rows, columns);
}

TEST(CoordinateSplit, AnnihilatesConstraintForcesAndFindsTheirMultipliers) {
  Rows rows(random_matrix(4, 9, 1));
  CoordinateSplit split = rows.split();
  EXPECT_TRUE(split.factorize(rows.kkt));
  EXPECT_EQ(split.rank(), 4);
  const MatrixX G = random_matrix(4, 9, 1);
  Random random(2);
  const VectorX lambda = random_vector(4, random);
  VectorX r = G.transpose() * lambda, s;
  split.split(r, s);
  EXPECT_LT(r.norm(), 1e-14);
  EXPECT_LT((s + lambda).norm(), 1e-14);
}

TEST(CoordinateSplit, IsTheMatrixOfThePaper) {
  const MatrixX G = random_matrix(3, 7, 3);
  Rows rows(G);
  CoordinateSplit split = rows.split();
  split.factorize(rows.kkt);
  MatrixX Y = MatrixX::Zero(7, 3);
  for (int j = 0; j < 3; ++j) Y(split.dependent()[j], j) = 1;
  const MatrixX Q_T = G.transpose() * (G * Y).transpose().inverse();  // (3.7): I - G^T (G Y)^-T Y^T
  Random random(4);
  const VectorX r = random_vector(7, random);
  VectorX projected = r, s;
  split.split(projected, s);
  EXPECT_MATRIX_NEAR(projected, r - Q_T * Y.transpose() * r, 1e-14);
  EXPECT_MATRIX_NEAR(s, -(G * Y).transpose().inverse() * Y.transpose() * r, 1e-13);
}

TEST(CoordinateSplit, KeepsItsChoiceUntilAPivotGetsSmall) {
  const auto turned = [](double angle) {
    return (MatrixX(1, 2) << std::cos(angle), std::sin(angle)).finished();
  };
  Rows rows(turned(0));
  CoordinateSplit split = rows.split();
  EXPECT_TRUE(split.factorize(rows.kkt));
  EXPECT_EQ(split.dependent()[0], 0);
  rows.set(turned(1.4));  // x would no longer be the best choice, but it is good enough
  EXPECT_FALSE(split.factorize(rows.kkt));
  rows.set(turned(1.57));
  EXPECT_TRUE(split.factorize(rows.kkt));
  EXPECT_EQ(split.dependent()[0], 1);
  EXPECT_EQ(split.choices(), 2);
}

TEST(CoordinateSplit, DropsRedundantRowsAndSharesTheirMultipliersByWeight) {
  MatrixX G = random_matrix(4, 8, 5);
  G.row(2) = 2 * G.row(0) - G.row(1);
  Rows rows(G);
  const VectorX weight = VectorX::LinSpaced(4, 1, 3);
  CoordinateSplit split(rows.structure, VectorX::Ones(8), weight);
  split.factorize(rows.kkt);
  EXPECT_EQ(split.rank(), 3);
  EXPECT_EQ(split.dependent()[2], -1);

  Random random(6);
  VectorX r = G.transpose() * random_vector(4, random), s;
  const VectorX force = r;
  split.split(r, s);
  EXPECT_LT(r.norm(), 1e-13);
  EXPECT_MATRIX_NEAR(G.transpose() * s, -force, 1e-13);
  EXPECT_NEAR(weight.cwiseProduct(s).dot(Eigen::Vector4d(2, -1, -1, 0)), 0, 1e-13);  // nothing left to gain
}

/// The pivots are chosen in units of the coordinates: lengths in mm change nothing.
TEST(CoordinateSplit, DoesNotDependOnUnits) {
  const MatrixX G = random_matrix(3, 6, 7);
  const VectorX unit = (VectorX(6) << 1, 1000, 1, 1000, 1000, 1).finished();
  Rows metres(G), mixed(G * unit.cwiseInverse().asDiagonal());
  CoordinateSplit a = metres.split();
  CoordinateSplit b(mixed.structure, unit, VectorX::Ones(3));
  a.factorize(metres.kkt);
  b.factorize(mixed.kkt);
  EXPECT_EQ(a.dependent(), b.dependent());
}

}  // namespace
}  // namespace hooke::test
