// Springs between bodies as joints that give way: each body stays a leaf of its own, and nothing of the solution changes.
#include "hooke/solvers/compliant_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hooke/integrators/integrator.h"
#include "hooke/math/so3.h"
#include "hooke/simulation/simulation.h"
#include "hooke/solvers/choice.h"
#include "hooke/solvers/dca.h"
#include "hooke/solvers/direct.h"

namespace hooke {
namespace {

/// Rigid bodies somewhere, joints between some, springs of any rank and stiffness between others.
struct SpringProblem {
  std::mt19937 random;
  KktStructure structure;
  KktMatrix kkt;

  SpringProblem(int seed, int bodies, int joints, int springs) : random(seed) {
    structure.dof_sizes.assign(bodies, 6);
    for (int b = 0; b <= bodies; ++b) structure.body_blocks.push_back(b);
    for (int k = 0; k < joints; ++k) {
      structure.row_sizes.push_back(pick(1, 5));
      structure.constraint_blocks.push_back(k == 0 ? std::vector{0} : some_pair());
    }
    std::set<std::pair<int, int>> pairs;
    for (int k = 0; k < springs; ++k) {
      const auto pair = some_pair();
      pairs.emplace(pair[0], pair[1]);
    }
    structure.springs.assign(pairs.begin(), pairs.end());
    structure.couplings = structure.springs;
    kkt = KktMatrix(structure);
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  std::vector<int> some_pair() {
    const int a = pick(0, static_cast<int>(structure.dof_sizes.size()) - 2);
    return {a, pick(a + 1, static_cast<int>(structure.dof_sizes.size()) - 1)};
  }
  MatrixX noise(int rows, int columns) {
    std::normal_distribution<double> normal;
    return MatrixX::NullaryExpr(rows, columns, [&] { return normal(random); });
  }

  /// `stiffest` beside masses of order one; `unsymmetric`: what is added to the couplings, beside their size.
  void fill(double stiffest, double unsymmetric) {
    kkt.set_zero();
    for (std::size_t b = 0; b < structure.dof_sizes.size(); ++b) {
      const int i = static_cast<int>(b);
      kkt.poses[b] = {exp_so3(noise(3, 1)), 3 * noise(3, 1)};
      kkt.matrix.block(kkt.C(i, i)) = MatrixX(VectorX::LinSpaced(6, 1, 2).asDiagonal()) + 0.1 * noise(6, 6);
    }
    for (const auto& [a, b] : structure.springs) {
      // how the point p between them moves with the dofs of either
      const Vec3 p = 0.5 * (kkt.poses[a].p + kkt.poses[b].p);
      MatrixX B(6, 12);
      for (const auto& [sign, body] : {std::pair{-1.0, a}, std::pair{1.0, b}}) {
        const BlockPose& at = kkt.poses[body];
        Mat6 J = Mat6::Zero();
        J << identity3, -hat(p - at.p) * at.R, zero33, at.R;
        B.middleCols(body == a ? 0 : 6, 6) = sign * J;
      }
      const MatrixX root = noise(6, pick(1, 6));
      const double size = std::pow(stiffest, std::uniform_real_distribution<double>(0, 1)(random));
      const MatrixX T = size * (B.transpose() * root * root.transpose() * B + unsymmetric * noise(12, 12));
      kkt.matrix.block(kkt.C(a, a)) += T.topLeftCorner(6, 6);
      kkt.matrix.block(kkt.C(a, b)) += T.topRightCorner(6, 6);
      kkt.matrix.block(kkt.C(b, a)) += T.bottomLeftCorner(6, 6);
      kkt.matrix.block(kkt.C(b, b)) += T.bottomRightCorner(6, 6);
    }
    for (std::size_t c = 0; c < structure.row_sizes.size(); ++c)
      for (int b : structure.constraint_blocks[c]) {
        const MatrixX G = noise(structure.row_sizes[c], 6);
        kkt.matrix.block(kkt.G(static_cast<int>(c), b)) = G;
        kkt.matrix.block(kkt.Gt(static_cast<int>(c), b)) = G.transpose();
      }
    kkt.set_regularisation(VectorX::Constant(kkt.rows(), 1e-3));
  }

  struct Errors {
    double at_once, repeated;
  };
  /// The difference to the dense solution, relative; and what of the equations is left, beside |A| |x|, when they are
  /// solved again for what was left before, as Newton's iteration does.
  Errors errors(NewtonSolver& solver) {
    const MatrixX b = noise(kkt.matrix.size(), 2), A = kkt.matrix.dense();
    const Eigen::FullPivLU<MatrixX> dense(A);
    const MatrixX exact = dense.solve(b);
    MatrixX x = b;
    EXPECT_TRUE(solver.factorize(kkt));
    solver.solve(x);
    Errors result{(x - exact).norm() / exact.norm(), 0};
    for (int k = 0; k < 5; ++k) {
      MatrixX rest = b - A * x;
      solver.solve(rest);
      x += rest;
    }
    result.repeated = (A * x - b).norm() / (A.norm() * x.norm());
    return result;
  }
};

TEST(CompliantRows, EqualTheDenseSolutionWhateverTheSprings) {
  for (int seed = 0; seed < 100; ++seed) {
    SpringProblem problem(seed, 2 + seed % 19, seed % 12, 1 + seed % 17);
    DcaSolver solver;
    for (const double stiffest : {1.0, 1e3})
      for (const double unsymmetric : {0.0, 0.01}) {
        problem.fill(stiffest, unsymmetric / stiffest);
        const auto [at_once, repeated] = problem.errors(solver);
        ASSERT_LT(at_once, stiffest == 1 ? 1e-8 : 1e-5) << "seed " << seed << ", stiffness " << stiffest;
        ASSERT_LT(repeated, 1e-15) << "seed " << seed << ", stiffness " << stiffest;
      }
    EXPECT_EQ(solver.tree().leaves.size(), problem.structure.dof_sizes.size());
  }
}

/// What is between two bodies need not obey any law: X is there for the condition alone.
TEST(CompliantRows, HoldForCouplingsOfAnyKind) {
  for (int seed = 0; seed < 50; ++seed) {
    SpringProblem problem(seed, 2 + seed % 9, seed % 5, 1 + seed % 7);
    problem.fill(1, 0);
    for (const auto& [a, b] : problem.structure.springs) {
      problem.kkt.matrix.block(problem.kkt.C(a, b)) = 0.02 * problem.noise(6, 6);
      problem.kkt.matrix.block(problem.kkt.C(b, a)).setZero();
    }
    DcaSolver solver;
    ASSERT_LT(problem.errors(solver).at_once, 1e-8) << "seed " << seed;
  }
}

TEST(CompliantRows, ThreadsChangeNoBit) {
  SpringProblem problem(4, 150, 60, 120);
  problem.fill(1e4, 1e-6);
  const MatrixX b = problem.noise(problem.kkt.matrix.size(), 2);
  MatrixX alone = b;
  DcaSolver solver;
  ASSERT_TRUE(solver.factorize(problem.kkt));
  solver.solve(alone);
  for (int threads : {2, 3}) {
    DcaSolver shared(std::make_shared<Team>(threads));
    MatrixX x = b;
    ASSERT_TRUE(shared.factorize(problem.kkt));
    shared.solve(x);
    EXPECT_EQ(x, alone) << threads << " threads";
  }
}

/// Newton's matrix of a model as it moves, with the weights of a step of a millisecond.
struct Moving {
  Simulation simulation;
  KktMatrix kkt;

  Moving(const std::string& model, const std::vector<std::string>& set, double end)
      : simulation(load(std::string(HOOKE_ROOT) + "/models/" + model + ".yaml", set)) {
    State state = simulation.start().state;
    const System& system = simulation.system();
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    VectorX x = VectorX::NullaryExpr(system.nv(), [&] { return 0.01 * normal(random); });
    const VectorX q = state.q;
    system.plus(q, x, state.q);
    state.v += end * x;
    const auto workspace = system.workspace();
    VectorX r;
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    kkt = KktMatrix(system.structure());
    system.tangent(state, {.m = 1, .d = 5e-4, .k = 2.5e-7}, *workspace, kkt);
    kkt.regularise(1e-8, system.row_compliance());
  }
};

TEST(CompliantRows, AVehicleOnBushingsKeepsItsTree) {
  Moving train("vehicles/road_train", {"parameters.n=2", "run.from=null"}, 10);
  const KktStructure& structure = train.kkt.structure();
  EXPECT_EQ(structure.dof_sizes.size(), 32u);
  EXPECT_EQ(JointTree(structure).leaves.size(), 13u);  // twelve wheels, and all else in one
  DcaSolver dca;
  DenseSolver dense(structure.size());
  ASSERT_TRUE(dca.factorize(train.kkt));
  ASSERT_TRUE(dense.factorize(train.kkt));
  EXPECT_EQ(dca.tree().leaves.size(), 32u);
  VectorX x = VectorX::LinSpaced(structure.size(), -1, 1), y = x;
  dca.solve(x);
  dense.solve(y);
  const int n = structure.dofs();
  EXPECT_LT((x - y).head(n).norm(), 1e-10 * y.head(n).norm());
}

TEST(CompliantRows, AChainOfBushingsIsAsDeepAsAChainOfJoints) {
  for (const int n : {64, 256}) {
    Moving bushed("bushed_chain", {"parameters.n=" + std::to_string(n)}, 1),
        joined("chain", {"parameters.n=" + std::to_string(n)}, 1);
    const JointTree tree(with_compliant_rows(bushed.kkt.structure()));
    EXPECT_EQ(static_cast<int>(tree.leaves.size()), n);
    EXPECT_LE(tree.depth, JointTree(joined.kkt.structure()).depth + 1);
    for (const JointTree::Node& node : tree.nodes) EXPECT_LE(node.handles.size(), 2u);
  }
}

/// Springs cost more rows than most joints, and sparse LU loses no digits where they are stiff.
TEST(CompliantRows, AutoTakesDivideAndConquerWhereThereAreNoSprings) {
  KktStructure chain;
  chain.dof_sizes.assign(40, 6);
  for (int b = 0; b <= 40; ++b) chain.body_blocks.push_back(b);
  for (int b = 0; b < 40; ++b) {
    chain.row_sizes.push_back(3);
    chain.constraint_blocks.push_back(b == 0 ? std::vector{0} : std::vector{b - 1, b});
  }
  EXPECT_EQ(choose_solver(chain), "dca");
  chain.springs.emplace_back(20, 22);
  chain.couplings = chain.springs;
  EXPECT_EQ(choose_solver(chain), "sparse");
}

}  // namespace
}  // namespace hooke
