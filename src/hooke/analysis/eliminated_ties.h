#pragma once
#include <Eigen/SparseCore>

#include "hooke/linalg/kkt.h"

namespace hooke {

/// The motions x = T y that the ties of meshes leave: a node that is held does not move, one that is tied to another or to
/// a rigid body moves with it. A tie has three rows for each node of a face; multipliers for
/// all of them would cost more than everything else.
struct EliminatedTies {
  /// Of the first `dofs` dofs; the matrix holds G.
  EliminatedTies(const KktMatrix& kkt, int dofs);

  Eigen::SparseMatrix<double> T;
  Eigen::SparseMatrix<double> G;  ///< rows that are left, on y
  int block = 3;                  ///< y comes in blocks of so many
};

}  // namespace hooke
