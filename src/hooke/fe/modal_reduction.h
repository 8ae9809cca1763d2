#pragma once
#include <Eigen/SparseCore>

#include "hooke/linalg/supernodal_cholesky.h"

/// Few shapes for a linear model M x'' + K x = 0 of many dofs.
namespace hooke {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Which space of deformations the modes span: that of the lowest free ones, of the lowest with an interface
/// clamped, or of Craig and Bampton.
enum class ModalBasis { free, clamped, craig_bampton };

/// What the reference frame of a rod follows: the mean of the body, or its first end.
enum class RodReference { mean, start };

/// Mass-orthonormal shapes with their squared frequencies, lowest first.
struct Modes {
  MatrixX shapes;
  VectorX omega2;
};

/// The lowest `count` modes of M, K that are mass-orthogonal to the motions `rigid` (columns, on which K does
/// nothing; none where K is positive). Block Lanczos on (K + sigma M)^-1 M with a sparse Cholesky factor, all
/// vectors orthogonal to each other; blocks find frequencies that are there several times.
Modes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count, const MatrixX& rigid = {});

/// Modes with the dofs held in which a column of `boundary` is not zero.
Modes clamped_modes(const SparseMatrix& M, const SparseMatrix& K, const SparseMatrix& boundary, int count);

/// Craig and Bampton (AIAA J. 6, 1968): the static shapes of the motions `boundary` (columns) of the dofs in
/// which one of them is not zero, and as many modes with these dofs held as are missing to `count`; then made
/// orthonormal, the rigid motions left out.
Modes craig_bampton(const SparseMatrix& M, const SparseMatrix& K, const SparseMatrix& boundary, int count,
                    const MatrixX& rigid);

/// The reference condition: adds to each shape the rigid motion that makes `where` (rows, as many as rigid
/// motions) of it vanish. rigid^T M: the frame follows the mean of the body (Buckens); the motion of an
/// interface: the frame is fixed in that.
void refer_to(const MatrixX& where, const MatrixX& rigid, MatrixX& shapes);

/// How a free body with stiffness K deforms under loads: K x = load, with the reference condition `where` x = 0. What is out of
/// balance of a load is held by reactions along `where`.
class StaticResponse {
 public:
  StaticResponse(const SparseMatrix& K, MatrixX where, MatrixX rigid);
  MatrixX operator()(MatrixX loads) const;

 private:
  MatrixX where_, rigid_;
  SparseMatrix pick_free_;  ///< columns of the identity: all dofs but six that hold the body
  SupernodalCholesky factor_;
};

}  // namespace hooke
