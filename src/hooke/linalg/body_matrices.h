#pragma once
#include <Eigen/SparseCore>

namespace hooke {

/// What a body of nodes in three coordinates each is made of, in axes that turn with it. The mass is that of
/// one coordinate: it is the same in all directions.
struct BodyMatrices {
  Eigen::SparseMatrix<double> M;  ///< nodes x nodes
  Eigen::SparseMatrix<double> K;  ///< 3 nodes x 3 nodes, symmetric
};

}  // namespace hooke
