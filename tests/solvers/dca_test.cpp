#include "hooke/solvers/dca.h"

#include <gtest/gtest.h>

#include <random>

/// Divide and conquer is an exact solver of the KKT problem, whatever the topology.
namespace hooke {
namespace {

struct Problem {
  KktStructure structure;
  KktMatrix kkt;

  /// `bodies` of six dofs in a random tree hanging from the ground (or floating), `loops` further joints,
  /// each of 1 to 6 rows; `springs` pairs coupled in C.
  Problem(std::mt19937& random, int bodies, int loops, int springs, bool chain) {
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int b = 0; b < bodies; ++b) structure.dof_sizes.push_back(6);
    for (int b = 0; b <= bodies; ++b) structure.body_blocks.push_back(b);
    const auto join = [&](std::vector<int> blocks) {
      structure.row_sizes.push_back(chain ? 3 : pick(1, 6));
      structure.constraint_blocks.push_back(std::move(blocks));
    };
    if (chain || pick(0, 3) > 0) join({0});
    for (int b = 1; b < bodies; ++b) join({chain ? b - 1 : pick(0, b - 1), b});
    for (int k = 0; k < loops && bodies > 1; ++k) {
      const int a = pick(0, bodies - 1), b = pick(0, bodies - 1);
      if (a != b)
        join({a, b});
      else
        join({a});
    }
    for (int k = 0; k < springs && bodies > 1; ++k)
      if (const int a = pick(0, bodies - 2); true)
        structure.couplings.emplace_back(a, pick(a + 1, bodies - 1));
    kkt = KktMatrix(structure);
    fill(random);
  }

  void fill(std::mt19937& random) {
    std::normal_distribution<double> normal;
    const auto noise = [&](BlockMatrix::Block block, double size) {
      for (int c = 0; c < block.cols(); ++c)
        for (int r = 0; r < block.rows(); ++r) block(r, c) += size * normal(random);
    };
    kkt.set_zero();
    const int bodies = static_cast<int>(structure.dof_sizes.size());
    for (int b = 0; b < bodies; ++b) {
      auto block = kkt.matrix.block(kkt.C(b, b));
      noise(block, 0.1);  // not symmetric: gyroscopic and geometric terms
      block.diagonal().array() += 2 + std::abs(normal(random));
    }
    for (auto [a, b] : structure.couplings) {
      noise(kkt.matrix.block(kkt.C(a, b)), 0.05);
      noise(kkt.matrix.block(kkt.C(b, a)), 0.05);
    }
    for (std::size_t c = 0; c < structure.row_sizes.size(); ++c)
      for (int b : structure.constraint_blocks[c]) {
        auto G = kkt.matrix.block(kkt.G(static_cast<int>(c), b));
        noise(G, 1);
        kkt.matrix.block(kkt.Gt(static_cast<int>(c), b)) = G.transpose();
      }
    kkt.set_regularisation(VectorX::Constant(kkt.rows(), 1e-3));
  }

  /// Largest difference of the solutions of both columns to the dense ones, relative. No solver knows a
  /// solution better than to round-off times the condition: where 20 of that exceed 1e-10, it is divided by
  /// as much.
  double error(NewtonSolver& solver, std::mt19937& random) const {
    std::normal_distribution<double> normal;
    MatrixX x = MatrixX::NullaryExpr(kkt.matrix.size(), 2, [&] { return normal(random); });
    const Eigen::FullPivLU<MatrixX> dense(kkt.matrix.dense());
    const MatrixX exact = dense.solve(x);
    EXPECT_TRUE(solver.factorize(kkt));
    solver.solve(x);
    const double round_off = std::numeric_limits<double>::epsilon() / dense.rcond();
    return (x - exact).norm() / exact.norm() / std::max(1.0, 20 * round_off / 1e-10);
  }
};

TEST(DcaSolver, EqualsTheDenseSolutionOnRandomTopologies) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const int bodies = std::uniform_int_distribution<int>(1, 20)(random), kind = trial % 4;
    Problem problem(random, bodies, kind == 0 ? 0 : kind * 2, kind == 3 ? 2 : 0, false);
    DcaSolver solver;
    ASSERT_LT(problem.error(solver, random), 1e-10) << "trial " << trial;
    problem.fill(random);  // new numbers, the same tree
    ASSERT_LT(problem.error(solver, random), 1e-10) << "trial " << trial;
  }
}

/// Whole subtrees to each thread: what is computed stays the same to the last bit.
TEST(DcaSolver, ThreadsChangeNoBit) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 8; ++trial) {
    Problem problem(random, 80 + 10 * trial, trial % 3 * 4, trial % 4 == 3 ? 3 : 0, trial % 2 == 0);
    const MatrixX b = MatrixX::Random(problem.kkt.matrix.size(), 2);
    MatrixX alone = b;
    DcaSolver solver;
    ASSERT_TRUE(solver.factorize(problem.kkt));
    solver.solve(alone);
    for (int threads : {1, 2, 3, 5}) {
      DcaSolver shared(std::make_shared<Team>(threads));
      MatrixX x = b;
      ASSERT_TRUE(shared.factorize(problem.kkt));
      shared.solve(x);
      EXPECT_EQ(x, alone) << threads << " threads, trial " << trial;
    }
  }
}

TEST(JointTree, PartsAreWholeSubtreesOfEvenWork) {
  std::mt19937 random(5);
  Problem problem(random, 256, 0, 0, true);
  const JointTree tree(problem.structure);
  for (int parts : {2, 3, 4, 8}) {
    const std::vector<int> part = tree.split(parts);
    std::vector<int> joints(parts, 0);
    int above = 0;
    for (std::size_t j = 0; j < part.size(); ++j) {
      if (part[j] < 0)
        ++above;
      else
        ++joints[part[j]];
      const int parent = tree.nodes[j].parent;
      if (part[j] >= 0 && parent >= 0) {
        EXPECT_TRUE(part[parent] == part[j] || part[parent] == -1);
      }
    }
    EXPECT_LE(above, 4 * parts);
    if (parts == 2) {  // thread 0 has the first half of the bodies everywhere else
      EXPECT_EQ(part.front(), 0);
      EXPECT_EQ(part.back(), 1);
    }
    for (int count : joints) EXPECT_NEAR(count, 256.0 / parts, 0.15 * 256 / parts) << parts << " parts";
  }
}

TEST(DcaSolver, CriticalPathOfAChainGrowsLikeTheLogarithm) {
  std::mt19937 random(7);
  int last = 0;
  for (int n : {8, 64, 512}) {
    Problem problem(random, n, 0, 0, true);
    const JointTree tree(problem.structure);
    EXPECT_LE(tree.depth, 3 * std::log2(n)) << n;
    EXPECT_GT(tree.depth, last);
    last = tree.depth;
    for (const JointTree::Node& node : tree.nodes) EXPECT_LE(node.handles.size(), 2u);
  }
}

}  // namespace
}  // namespace hooke
