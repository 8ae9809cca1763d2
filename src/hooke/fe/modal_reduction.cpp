#include "hooke/fe/modal_reduction.h"

#include <stdexcept>

#include "hooke/base/format.h"
#include "hooke/linalg/block_lanczos.h"
#include "hooke/math/dense.h"

namespace hooke {
namespace {

SupernodalCholesky factorise(const SparseMatrix& K) {
  SupernodalCholesky factor;
  if (!factor.factorize(K))
    throw std::invalid_argument(
        "the stiffness of what is held is singular: the mesh hangs together nowhere near an interface");
  return factor;
}

/// Lowest of a dense pencil, beyond the first `skip`. Solved as M x = theta (K + sigma M) x, which keeps the
/// digits of low frequencies beside high ones.
Modes lowest_of_few(const MatrixX& M, const MatrixX& K, int count, int skip) {
  const double sigma = 1e-10 * K.diagonal().cwiseQuotient(M.diagonal()).maxCoeff();
  const SymmetricEigen solved = symmetric_eigen(M, K + sigma * M);
  const VectorX theta = solved.values.reverse().segment(skip, count);
  return {solved.vectors.rowwise().reverse().middleCols(skip, count) *
              theta.cwiseSqrt().cwiseInverse().asDiagonal(),
          theta.cwiseInverse().array() - sigma};
}

/// The dofs that a boundary does not move.
struct Inner {
  std::vector<int> free;
  SparseMatrix pick_free;  ///< columns of the identity

  explicit Inner(const SparseMatrix& boundary) {
    std::vector<char> is_held(boundary.rows(), 0);
    for (int c = 0; c < boundary.outerSize(); ++c)
      for (SparseMatrix::InnerIterator entry(boundary, c); entry; ++entry) is_held[entry.row()] = 1;
    for (int i = 0; i < boundary.rows(); ++i)
      if (!is_held[i]) free.push_back(i);
    pick_free.resize(boundary.rows(), static_cast<int>(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) pick_free.insert(free[k], static_cast<int>(k)) = 1;
    pick_free.makeCompressed();
  }
  SparseMatrix of(const SparseMatrix& A) const { return pick_free.transpose() * A * pick_free; }
};

void check_inner(const Inner& part, int count) {
  if (static_cast<int>(part.free.size()) < count)
    throw std::invalid_argument(
        formatted("the interfaces leave only {} dofs of the mesh free, {} are needed: take fewer "
                  "modes, smaller interfaces or a finer mesh",
                  part.free.size(), count));
}

/// Given the factor of K + sigma M.
Modes lowest_by(const SupernodalCholesky& factor, const SparseMatrix& M, int count, const MatrixX& rigid,
                double sigma) {
  if (const auto there = M.rows() - rigid.cols(); count > there)
    throw std::invalid_argument(formatted("only {} modes are there, {} are asked for", there, count));
  EigenPairs pairs = largest_of_inverse(
      M, [&](Eigen::Ref<MatrixX> x) { factor.solve(x); }, count, rigid);
  if (pairs.values.size() < count) throw std::runtime_error("the modes did not converge");
  return {std::move(pairs.vectors), pairs.values.cwiseInverse().array() - sigma};
}

}  // namespace

Modes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count, const MatrixX& rigid) {
  if (rigid.cols() == 0) return lowest_by(factorise(K), M, count, MatrixX(M.rows(), 0), 0);
  const double sigma = 1e-10 * VectorX(K.diagonal()).cwiseQuotient(VectorX(M.diagonal())).maxCoeff();
  return lowest_by(factorise(K + sigma * M), M, count, rigid, sigma);
}

Modes clamped_modes(const SparseMatrix& M, const SparseMatrix& K, const SparseMatrix& boundary, int count) {
  const Inner part(boundary);
  check_inner(part, count);
  Modes modes = lowest_modes(part.of(M), part.of(K), count);
  modes.shapes = part.pick_free * modes.shapes;
  return modes;
}

Modes craig_bampton(const SparseMatrix& M, const SparseMatrix& K, const SparseMatrix& boundary, int count,
                    const MatrixX& rigid) {
  const int statics = static_cast<int>(boundary.cols()), known = static_cast<int>(rigid.cols());
  const int inner = count + known - statics;
  if (inner < 0)
    throw std::invalid_argument("Craig and Bampton's basis for these interfaces has at least " +
                                std::to_string(statics - known) + " modes");
  const Inner part(boundary);
  check_inner(part, std::max(inner, 1));
  const SupernodalCholesky factor = factorise(part.of(K));
  MatrixX T(M.rows(), statics + inner);
  MatrixX inside = part.pick_free.transpose() * (K * boundary);
  factor.solve(inside);
  T.leftCols(statics) = MatrixX(boundary) - part.pick_free * inside;
  if (inner)
    T.rightCols(inner) =
        part.pick_free * lowest_by(factor, part.of(M), inner, MatrixX(part.free.size(), 0), 0).shapes;
  const Modes reduced = lowest_of_few(T.transpose() * (M * T), T.transpose() * (K * T), count, known);
  return {T * reduced.shapes, reduced.omega2};
}

void refer_to(const MatrixX& where, const MatrixX& rigid, MatrixX& shapes) {
  shapes -= rigid * solve_general(where * rigid, where * shapes);
}

namespace {

/// Unit columns of six dofs that no rigid motion leaves alone: each time the one that moves most.
SparseMatrix support(MatrixX rigid) {
  SparseMatrix held(rigid.rows(), rigid.cols());
  for (int k = 0; k < rigid.cols(); ++k) rigid.col(k).normalize();
  for (int k = 0; k < rigid.cols(); ++k) {
    Eigen::Index dof = 0;
    rigid.rowwise().squaredNorm().maxCoeff(&dof);
    held.insert(static_cast<int>(dof), k) = 1;
    const VectorX motion = rigid.row(dof).normalized();
    rigid -= (rigid * motion).eval() * motion.transpose();
  }
  held.makeCompressed();
  return held;
}

}  // namespace

StaticResponse::StaticResponse(const SparseMatrix& K, MatrixX where, MatrixX rigid)
    : where_(std::move(where)),
      rigid_(std::move(rigid)),
      pick_free_(Inner(support(rigid_)).pick_free),
      factor_(factorise(pick_free_.transpose() * K * pick_free_)) {}

MatrixX StaticResponse::operator()(MatrixX loads) const {
  const MatrixX balance = (where_ * rigid_).transpose();
  loads -= where_.transpose() * solve_general(balance, rigid_.transpose() * loads);
  MatrixX x = pick_free_.transpose() * loads;
  factor_.solve(x);
  loads = pick_free_ * x;
  refer_to(where_, rigid_, loads);
  return loads;
}

}  // namespace hooke
