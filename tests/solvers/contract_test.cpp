// What every Newton solver must do. Every solver of the catalog is met by all of it.
#include "hooke/solvers/catalog.h"

#include <Eigen/Dense>

#include "hooke/base/error.h"
#include "support/random_kkt.h"

namespace hooke::test {
namespace {

class SolverContract : public ::testing::TestWithParam<std::string> {
 protected:
  Random random{5};

  std::unique_ptr<NewtonSolver> solver_for(const KktMatrix& kkt) {
    return make_solver(GetParam(), kkt.structure(), Purpose::general);
  }

  void on_every_graph(const std::function<void(KktMatrix&)>& check) {
    for (const Graph& graph : graphs()) {
      SCOPED_TRACE(graph.name);
      const KktStructure structure = graph.structure();
      KktMatrix kkt(structure);
      fill_random(kkt, random);
      check(kkt);
    }
  }

  /// |A x - b| beside |A| |x|: what a solver is answerable for, however ill conditioned the matrix is.
  static double backward_error(const KktMatrix& kkt, const VectorX& x, const VectorX& b) {
    const MatrixX A = kkt.matrix.dense();
    return (A * x - b).cwiseAbs().maxCoeff() / (A.cwiseAbs() * x.cwiseAbs()).maxCoeff();
  }
  static MatrixX reference(const KktMatrix& kkt, const MatrixX& b) {
    return kkt.matrix.dense().fullPivLu().solve(b);
  }
};

INSTANTIATE_TEST_SUITE_P(Every, SolverContract, ::testing::ValuesIn(SolverCatalog().names()),
                         [](const auto& test) {
                           return test.param == "constant-mass" ? "constant_mass" : test.param;
                         });

TEST_P(SolverContract, SolvesOnEveryGraph) {
  on_every_graph([this](KktMatrix& kkt) {
    const auto solver = solver_for(kkt);
    ASSERT_TRUE(solver->factorize(kkt));
    for (int i = 0; i < 3; ++i) {
      const VectorX b = random_vector(kkt.matrix.size(), random);
      VectorX x = b;
      solver->solve(x);
      EXPECT_MATRIX_NEAR(x, reference(kkt, b), 1e-11);
    }
  });
}

TEST_P(SolverContract, SolvesAgainWithNewNumbersInTheSamePattern) {
  on_every_graph([this](KktMatrix& kkt) {
    const auto solver = solver_for(kkt);
    ASSERT_TRUE(solver->factorize(kkt));
    for (int i = 0; i < 4; ++i) {
      fill_random(kkt, random);
      // so different in size that the pivots of the first factorisation would not do
      for (int b = i % 2; b < static_cast<int>(kkt.structure().dof_sizes.size()); b += 2)
        kkt.matrix.block(kkt.C(b, b)) *= 1e4;
      ASSERT_TRUE(solver->factorize(kkt));
      const VectorX b = random_vector(kkt.matrix.size(), random);
      VectorX x = b;
      solver->solve(x);
      EXPECT_LT(backward_error(kkt, x, b),
                1e-11);  // KLU keeps old pivots while they cost no more than three digits
    }
  });
}

TEST_P(SolverContract, TakesSeveralSpringsBetweenTheSameBodies) {
  Graph graph = rigid_bodies("springs", 3, {{5, {0}}, {3, {0, 1}}, {3, {1, 2}}});
  graph.couplings = {{0, 1}, {1, 2}, {0, 1}, {0, 1}};
  const KktStructure structure = graph.structure();
  KktMatrix kkt(structure);
  fill_random(kkt, random);
  const auto solver = solver_for(kkt);
  ASSERT_TRUE(solver->factorize(kkt));
  const VectorX b = random_vector(kkt.matrix.size(), random);
  VectorX x = b;
  solver->solve(x);
  EXPECT_MATRIX_NEAR(x, reference(kkt, b), 1e-11);
}

TEST_P(SolverContract, TakesSeveralRightHandSidesAtOnce) {
  on_every_graph([this](KktMatrix& kkt) {
    const auto solver = solver_for(kkt);
    ASSERT_TRUE(solver->factorize(kkt));
    const int n = kkt.matrix.size();
    const MatrixX b = random_vector(3 * n, random).reshaped(n, 3);
    MatrixX together = b, one_by_one = b, inside = MatrixX::Constant(n + 5, 3, 7);
    solver->solve(together);
    for (int c = 0; c < 3; ++c) solver->solve(one_by_one.col(c));
    inside.topRows(n) = b;
    solver->solve(inside.topRows(n));
    EXPECT_MATRIX_NEAR(together, reference(kkt, b), 1e-11);
    EXPECT_MATRIX_NEAR(together, one_by_one, 1e-13);
    EXPECT_MATRIX_NEAR(inside.topRows(n), together, 1e-13);
    EXPECT_TRUE((inside.bottomRows(5).array() == 7).all()) << "wrote beyond its part";
  });
}

/// A joint given twice: with eps on the diagonal the motion is that of the joint once, and its load is shared
/// evenly.
TEST_P(SolverContract, RedundantRowsAreSharedWhenTheyAreRegularised) {
  const Graph once = rigid_bodies("once", 3, {{5, {0}}, {3, {0, 1}}, {3, {1, 2}}});
  Graph twice = once;
  twice.links.push_back(once.links[1]);
  const KktStructure structure_once = once.structure(), structure_twice = twice.structure();
  KktMatrix single(structure_once), redundant(structure_twice);
  fill_random(single, random);
  const auto copy = [&](const BlockHandle& from, const BlockHandle& to) {
    redundant.matrix.block(to) = single.matrix.block(from);
  };
  for (int b = 0; b < 3; ++b) copy(single.C(b, b), redundant.C(b, b));
  for (int c = 0; c < 4; ++c)
    for (int b : structure_twice.constraint_blocks[c]) {
      copy(single.G(c % 3 == 0 && c > 0 ? 1 : c, b), redundant.G(c, b));
      copy(single.Gt(c % 3 == 0 && c > 0 ? 1 : c, b), redundant.Gt(c, b));
    }
  const double eps = 1e-8;
  VectorX eps_once = VectorX::Constant(single.rows(), eps);
  eps_once.segment(5, 3) /= 2;  // two in parallel
  single.set_regularisation(eps_once);
  redundant.set_regularisation(VectorX::Constant(redundant.rows(), eps));

  const int n = single.dofs();
  VectorX b(redundant.matrix.size()), b_once = random_vector(single.matrix.size(), random);
  b << b_once, b_once.segment(n + 5, 3);
  const VectorX x_once = reference(single, b_once);
  const auto solver = solver_for(redundant);
  ASSERT_TRUE(solver->factorize(redundant));
  VectorX x = b;
  solver->solve(x);
  EXPECT_MATRIX_NEAR(x.head(n), x_once.head(n), 1e-10);
  EXPECT_MATRIX_NEAR(x.segment(n + 5, 3), x.tail(3), 1e-6);  // round-off times 1/eps
  EXPECT_MATRIX_NEAR(2 * x.tail(3), x_once.segment(n + 5, 3), 1e-6);
  VectorX Ax;
  redundant.matrix.multiply(x, Ax);
  EXPECT_MATRIX_NEAR(Ax, b, 1e-10);
}

TEST_P(SolverContract, SaysWhenTheMatrixIsSingularAndRecovers) {
  const Graph graph = rigid_bodies("pair", 2, {{3, {0, 1}}});
  const KktStructure structure = graph.structure();
  KktMatrix kkt(structure);
  fill_random(kkt, random);
  const auto solver = solver_for(kkt);
  kkt.matrix.block(kkt.G(0, 0)).row(1).setZero();
  kkt.matrix.block(kkt.G(0, 1)).row(1).setZero();
  EXPECT_FALSE(solver->factorize(kkt)) << "an empty row";
  fill_random(kkt, random);
  kkt.matrix.block(kkt.C(0, 0))(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->factorize(kkt)) << "not a number";
  fill_random(kkt, random);
  ASSERT_TRUE(solver->factorize(kkt));
  const VectorX b = random_vector(kkt.matrix.size(), random);
  VectorX x = b;
  solver->solve(x);
  EXPECT_MATRIX_NEAR(x, reference(kkt, b), 1e-11);
}

KktStructure two_bodies() {
  return {.dof_sizes = {6, 6}, .body_blocks = {0, 1, 2}, .row_sizes = {3}, .constraint_blocks = {{0, 1}}};
}

TEST(ChooseSolver, TakesWhatSuitsTheStructureAndThePurpose) {
  KktStructure s = two_bodies();
  EXPECT_EQ(choose_solver(s), "dca");
  EXPECT_EQ(choose_solver(s, Purpose::general), "dense") << "C may be singular";
  EXPECT_EQ(choose_solver(s, Purpose::mass), "constant-mass");
  s.couplings = {{0, 1}};
  EXPECT_EQ(choose_solver(s), "dense") << "a spring between them";
  s.dof_sizes.assign(2, 500);
  EXPECT_EQ(choose_solver(s), "sparse");
  for (const BodyKind kind : {BodyKind::mesh, BodyKind::turned})
    for (const Purpose purpose : {Purpose::motion, Purpose::mass, Purpose::general}) {
      s.body_kinds = {kind, BodyKind::plain};
      EXPECT_EQ(choose_solver(s, purpose), "schur");
    }
  s.has_springs_on_turned = true;
  EXPECT_EQ(choose_solver(s), "sparse");
}

TEST(SolverCatalog, MakesByNameAndSuggestsNames) {
  const KktStructure s = two_bodies();
  EXPECT_EQ(make_solver("auto", s)->name(), "dca");
  EXPECT_EQ(make_solver("klu", s)->name(), "klu");
  EXPECT_EQ(make_solver("sparse", s)->name(), "klu");
  EXPECT_EQ(make_solver("schur", s)->name(), "schur");
  try {
    make_solver("umfpak", s);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'umfpack'"));
  }
}

TEST(SolverCatalog, SaysHowToBuildWhatIsMissing) {
  const SolverCatalog catalog;
  for (const char* name : {"umfpack", "cholmod"})
    if (const std::string why = catalog.why_not(name); !why.empty()) {
      EXPECT_THAT(why, ::testing::HasSubstr("-DHOOKE_WITH_GPL=ON"));
      EXPECT_THROW(catalog.make(name, two_bodies()), Error);
    }
}

TEST(SolverCatalog, TakesAProgramsOwn) {
  SolverCatalog catalog;
  catalog.add({"mine", "a solver of the test", [](const KktStructure& structure, std::shared_ptr<Team>) {
                 return make_solver("dense", structure);
               }});
  EXPECT_EQ(catalog.why_not("mine"), "");
  EXPECT_EQ(catalog.make("mine", two_bodies())->name(), "dense");
  EXPECT_THAT(catalog.why_not("min"), ::testing::HasSubstr("did you mean 'mine'"));
}

}  // namespace
}  // namespace hooke::test
