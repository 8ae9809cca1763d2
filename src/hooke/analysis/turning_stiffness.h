#pragma once
#include <Eigen/SparseCore>

#include "hooke/system/dae.h"

namespace hooke {

/// The part U B V^T of K that the turning of a component's frame adds to its constant matrix (TurnedBody): the matrix
/// of a solver may do without, but a solid that hangs swings by nothing else.
struct TurningStiffness {
  int first = 0;  ///< dof of the system
  Eigen::Matrix<double, Eigen::Dynamic, 6> U, V;
  Mat6 B;
};

/// Of the bodies that are under load. The workspace is up to date; `kkt` is overwritten.
std::vector<TurningStiffness> turning_stiffness(const Dae& dae, const State& state, Workspace& workspace,
                                                KktMatrix& kkt);

/// The part of D that damps deformation as seen from components that turn: of the rate R^T (v - omega x x) their K has only
/// what comes by v. Likewise.
Eigen::SparseMatrix<double> damping_in_components(const Dae& dae, const State& state, Workspace& workspace,
                                                  KktMatrix& kkt);

}  // namespace hooke
