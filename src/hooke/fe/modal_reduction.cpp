#include "hooke/fe/modal_reduction.h"

#include <random>
#include <stdexcept>

#include "hooke/base/format.h"
#include "hooke/linalg/supernodal_cholesky.h"
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

[[noreturn]] void fail_mass() {
  throw std::invalid_argument("the mass of the mesh is not a positive number: look at its density and size");
}

/// Vectors that are mass-orthonormal, and their products with M.
struct Orthonormal {
  const SparseMatrix& M;
  MatrixX Q, MQ;
  int size = 0;

  Orthonormal(const SparseMatrix& mass, int most) : M(mass), Q(M.rows(), most), MQ(M.rows(), most) {}
  auto vectors() const { return Q.leftCols(size); }
  void remove_from(Eigen::Ref<VectorX> x) const {
    for (int twice = 0; twice < 2; ++twice) x -= Q.leftCols(size) * (MQ.leftCols(size).transpose() * x);
  }
  /// Adds x unless it is a combination of those that are there.
  void add(VectorX x) {
    const double before = std::sqrt(x.dot(M * x));
    remove_from(x);
    const VectorX Mx = M * x;
    const double norm = std::sqrt(x.dot(Mx));
    if (!(norm > 1e-10 * before)) return;
    Q.col(size) = x / norm;
    MQ.col(size) = Mx / norm;
    ++size;
  }
};

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

/// The largest eigenvalues theta of A = (K + sigma M)^-1 M, given the factor of K + sigma M.
Modes largest_of_inverse(const SparseMatrix& M, const SupernodalCholesky& factor, int count,
                         const MatrixX& rigid, double sigma) {
  constexpr int block = 8;
  const int n = static_cast<int>(M.rows()), known = static_cast<int>(rigid.cols());
  if (count > n - known)
    throw std::invalid_argument("only " + std::to_string(n - known) + " modes are there, " +
                                std::to_string(count) + " are asked for");
  const int most = std::min(n, known + 20 * count + 20 * block);
  Orthonormal basis(M, most);
  for (int i = 0; i < known; ++i) basis.add(rigid.col(i));
  if (basis.size < known) fail_mass();
  MatrixX AQ(n, most);
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  MatrixX next = MatrixX::NullaryExpr(n, block, [&] { return normal(engine); });
  for (;;) {
    const int first = basis.size;
    for (int i = 0; i < next.cols() && basis.size < most; ++i) basis.add(next.col(i));
    const int added = basis.size - first, size = basis.size - known;
    if (size == 0) fail_mass();
    AQ.middleCols(first, added) = basis.MQ.middleCols(first, added);
    factor.solve(AQ.middleCols(first, added));
    const MatrixX T = basis.MQ.middleCols(known, size).transpose() * AQ.middleCols(known, size);
    const SymmetricEigen ritz = symmetric_eigen(0.5 * (T + T.transpose()));

    // A x - theta x of a Ritz vector x = Q s lies in what A made of the newest vectors beyond the space.
    next = AQ.middleCols(first, added);
    for (int i = 0; i < added; ++i) basis.remove_from(next.col(i));
    const int found = std::min(count, size);
    const MatrixX s = ritz.vectors.rowwise().reverse().leftCols(found);
    const MatrixX rest = next * s.bottomRows(added);
    const VectorX theta = ritz.values.reverse().head(found);
    const VectorX residual = rest.cwiseProduct(M * rest).colwise().sum().cwiseMax(0).cwiseSqrt();
    const bool is_whole = basis.size == n || added == 0;
    if (found == count && (is_whole || (residual.array() <= 1e-9 * theta.array()).all()))
      return {basis.Q.middleCols(known, size) * s, theta.cwiseInverse().array() - sigma};
    if (is_whole || basis.size == most) throw std::runtime_error("the modes did not converge");
  }
}

}  // namespace

Modes lowest_modes(const SparseMatrix& M, const SparseMatrix& K, int count, const MatrixX& rigid) {
  if (rigid.cols() == 0) return largest_of_inverse(M, factorise(K), count, MatrixX(M.rows(), 0), 0);
  const double sigma = 1e-10 * VectorX(K.diagonal()).cwiseQuotient(VectorX(M.diagonal())).maxCoeff();
  return largest_of_inverse(M, factorise(K + sigma * M), count, rigid, sigma);
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
        part.pick_free *
        largest_of_inverse(part.of(M), factor, inner, MatrixX(part.free.size(), 0), 0).shapes;
  const Modes reduced = lowest_of_few(T.transpose() * (M * T), T.transpose() * (K * T), count, known);
  return {T * reduced.shapes, reduced.omega2};
}

void refer_to(const MatrixX& where, const MatrixX& rigid, MatrixX& shapes) {
  shapes -= rigid * solve_general(where * rigid, where * shapes);
}

}  // namespace hooke
