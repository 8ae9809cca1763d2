#pragma once
#include "hooke/linalg/kkt.h"
#include "support/finite_difference.h"

/// Newton's linear problem with random numbers on given graphs of bodies and joints.
namespace hooke::test {

/// One constraint: how many rows, on which dof blocks.
struct Link {
  int rows;
  std::vector<int> blocks;
};

struct Graph {
  std::string name;
  std::vector<int> dof_sizes, body_blocks;
  std::vector<std::pair<int, int>> couplings;
  std::vector<Link> links;

  KktStructure structure() const {
    KktStructure s{.dof_sizes = dof_sizes, .body_blocks = body_blocks, .couplings = couplings};
    for (const Link& link : links) {
      s.row_sizes.push_back(link.rows);
      s.constraint_blocks.push_back(link.blocks);
    }
    return s;
  }
};

inline Graph rigid_bodies(std::string name, int n, std::vector<Link> links) {
  Graph graph{.name = std::move(name), .dof_sizes = std::vector<int>(n, 6), .links = std::move(links)};
  for (int b = 0; b <= n; ++b) graph.body_blocks.push_back(b);
  return graph;
}

inline std::vector<Graph> graphs() {
  std::vector<Graph> all{
      rigid_bodies("free", 2, {}),
      rigid_bodies("pendulum", 1, {{5, {0}}}),
      rigid_bodies("chain", 5, {{3, {0}}, {3, {0, 1}}, {5, {1, 2}}, {1, {2, 3}}, {4, {3, 4}}}),
      rigid_bodies("tree", 6, {{5, {0}}, {3, {0, 1}}, {3, {0, 2}}, {4, {1, 3}}, {2, {1, 4}}, {5, {2, 5}}}),
      rigid_bodies("loop", 3, {{5, {0}}, {3, {0, 1}}, {4, {1, 2}}, {5, {2}}}),
      rigid_bodies(
          "ladder", 6,
          {{3, {0}}, {3, {3}}, {2, {0, 1}}, {3, {1, 2}}, {3, {3, 4}}, {2, {4, 5}}, {3, {1, 4}}, {1, {2, 5}}}),
      rigid_bodies("gear", 3, {{5, {0}}, {5, {0, 1}}, {5, {2}}, {1, {0, 1, 2}}}),
      rigid_bodies("island", 4, {{3, {0, 1}}, {5, {2, 3}}}),
  };
  Graph springs = all[2];
  springs.name = "springs";
  springs.couplings = {{0, 2}, {1, 4}};
  all.push_back(springs);
  // a rod of three nodes between two rigid bodies, and a body with one dof
  all.push_back({"mixed",
                 {6, 3, 3, 3, 6, 1},
                 {0, 1, 4, 5, 6},
                 {{1, 2}, {2, 3}},
                 {{5, {0}}, {3, {0, 1}}, {3, {3, 4}}, {1, {4, 5}}}});
  return all;
}

/// C is positive definite with an unsymmetric part, G is full; values of order one.
inline void fill_random(KktMatrix& kkt, Random& random) {
  const KktStructure& s = kkt.structure();
  const auto block = [&random](int rows, int cols) -> MatrixX {
    return random_vector(rows * cols, random).reshaped(rows, cols);
  };
  kkt.set_zero();
  for (std::size_t b = 0; b < s.dof_sizes.size(); ++b) {
    const int i = static_cast<int>(b), n = s.dof_sizes[b];
    const MatrixX root = block(n, n);
    kkt.matrix.block(kkt.C(i, i)) = root * root.transpose() + 3 * MatrixX::Identity(n, n) + 0.1 * block(n, n);
  }
  for (const auto& [i, j] : s.couplings) {
    kkt.matrix.block(kkt.C(i, j)) = 0.2 * block(s.dof_sizes[i], s.dof_sizes[j]);
    kkt.matrix.block(kkt.C(j, i)) = 0.2 * block(s.dof_sizes[j], s.dof_sizes[i]);
  }
  for (std::size_t c = 0; c < s.row_sizes.size(); ++c)
    for (int b : s.constraint_blocks[c]) {
      const MatrixX G = block(s.row_sizes[c], s.dof_sizes[b]);
      kkt.matrix.block(kkt.G(static_cast<int>(c), b)) = G;
      kkt.matrix.block(kkt.Gt(static_cast<int>(c), b)) = G.transpose();
    }
  kkt.set_regularisation(VectorX::Zero(kkt.rows()));
}

}  // namespace hooke::test
