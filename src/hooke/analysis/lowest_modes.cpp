#include "hooke/analysis/lowest_modes.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>

#include "hooke/analysis/constrained_inverse.h"
#include "hooke/analysis/eliminated_ties.h"
#include "hooke/analysis/reduced_modes.h"
#include "hooke/analysis/steady_motion.h"
#include "hooke/analysis/turning_stiffness.h"
#include "hooke/math/dense.h"

namespace hooke {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// each(j, take) gives take(row, value) the entries of column j, rows rising; it is run twice.
template <class Each>
Sparse from_columns(int rows, int columns, Each&& each) {
  Sparse A(rows, columns);
  int* outer = A.outerIndexPtr();
  for (int j = 0, count = 0; j < columns; ++j) {
    each(j, [&](int, double) { ++count; });
    outer[j + 1] = count;
  }
  A.resizeNonZeros(outer[columns]);
  for (int j = 0; j < columns; ++j) {
    int k = outer[j];
    each(j, [&](int i, double value) { A.innerIndexPtr()[k] = i, A.valuePtr()[k++] = value; });
  }
  return A;
}

/// Entries of the matrix in these rows and columns that are not zero.
Sparse part_of(const BlockMatrix& A, int row, int rows, int column, int columns) {
  const auto each = [&](int j, auto&& take) {
    for (int k = A.outer()[column + j]; k < A.outer()[column + j + 1]; ++k)
      if (const int i = A.inner()[k] - row; i >= 0 && i < rows && A.values()[k] != 0) take(i, A.values()[k]);
  };
  return from_columns(rows, columns, each);
}

/// T^T A T
Sparse on_motions(const Sparse& A, const Sparse& T) {
  std::vector<int> number(static_cast<std::size_t>(T.rows()), -1);  // of a dof that T picks
  int last = -1;
  for (int j = 0; j < T.cols(); ++j) {
    const Sparse::InnerIterator entry(T, j);
    const bool is_pick = T.outerIndexPtr()[j + 1] == T.outerIndexPtr()[j] + 1 && entry.value() == 1;
    if (!is_pick || entry.row() <= last) return T.transpose() * A * T;
    last = static_cast<int>(entry.row());
    number[last] = j;
  }
  const auto each = [&](int j, auto&& take) {
    for (Sparse::InnerIterator entry(A, T.innerIndexPtr()[j]); entry; ++entry)
      if (const int i = number[entry.row()]; i >= 0) take(i, entry.value());
  };
  return from_columns(static_cast<int>(T.cols()), static_cast<int>(T.cols()), each);
}

/// |K_ij - K_ji| beside the diagonal. For entries below it in column after column, those of its row come one after the other, too.
bool has_symmetry(const Sparse& K) {
  const VectorX scale = VectorX(K.diagonal()).cwiseAbs().cwiseSqrt();
  const int *outer = K.outerIndexPtr(), *inner = K.innerIndexPtr();
  const double* value = K.valuePtr();
  std::vector<int> next(outer, outer + K.cols());  // in each column, above the diagonal
  const auto is_small = [&](double difference, int i, int j) {
    return std::abs(difference) <= 1e-10 * scale[i] * scale[j];
  };
  for (int j = 0; j < K.cols(); ++j) {
    for (int& k = next[j]; k < outer[j + 1] && inner[k] < j; ++k)  // they have nothing opposite
      if (!is_small(value[k], inner[k], j)) return false;
    for (int k = outer[j]; k < outer[j + 1]; ++k) {
      const int i = inner[k];
      if (i <= j) continue;
      int& opposite = next[i];
      for (; opposite < outer[i + 1] && inner[opposite] < j; ++opposite)
        if (!is_small(value[opposite], inner[opposite], i)) return false;
      const bool is_there = opposite < outer[i + 1] && inner[opposite] == j;
      if (!is_small(value[k] - (is_there ? value[opposite++] : 0), i, j)) return false;
    }
  }
  return true;
}

/// On the motions that ties leave, x = T y, with the states z beside them.
struct SparseSystem {
  Sparse T, M, D, K, G;
  Sparse D_z, K_y, D_y;
  MatrixX D_zz;
  std::vector<TurningStiffness> turning;  ///< to be added to K, on x
  int block = 1;                          ///< rows of M come in blocks of so many
  bool is_symmetric = true;               ///< K, as `linearise` asks it of a dense one

  SparseSystem(const Dae& dae, const State& state);
  int size() const { return static_cast<int>(M.rows()); }
  int states() const { return static_cast<int>(D_zz.rows()); }
  bool is_undamped() const { return states() == 0 && D.nonZeros() == 0 && turning.empty() && is_symmetric; }
  /// K y with all that belongs to it.
  MatrixX stiffness_times(const MatrixX& y) const;
};

MatrixX SparseSystem::stiffness_times(const MatrixX& y) const {
  MatrixX product = K * y;
  if (turning.empty()) return product;
  const MatrixX x = T * y;
  MatrixX added = MatrixX::Zero(x.rows(), x.cols());
  for (const TurningStiffness& of : turning)
    added.middleRows(of.first, of.U.rows()).noalias() +=
        of.U * (of.B * (of.V.transpose() * x.middleRows(of.first, of.V.rows())));
  return product + T.transpose() * added;
}

SparseSystem::SparseSystem(const Dae& dae, const State& state) {
  auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  VectorX r;
  dae.update(state, *workspace);
  dae.residual(state, *workspace, r);
  const int n = dae.nv(), states = dae.first_order_states(), m = n - states;
  const auto of_dofs = [&] { return part_of(kkt.matrix, 0, m, 0, m); };
  std::optional<SteadyMotion> motion;
  if (!is_at_rest(dae, state)) motion = steady_motion(dae, state);

  dae.tangent(state, {.m = 1}, *workspace, kkt);
  EliminatedTies ties(kkt, m);
  T = std::move(ties.T), G = std::move(ties.G), block = ties.block;
  const Sparse all_M = of_dofs();
  M = on_motions(all_M, T);
  turning = turning_stiffness(dae, state, *workspace, kkt);
  dae.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
  Sparse all_K = of_dofs();
  dae.tangent(state, {.m = 0, .d = 1}, *workspace, kkt);
  Sparse all_D = of_dofs();
  if (motion) all_K = motion->stiffness(all_M, all_D, all_K), all_D = motion->damping(all_M, all_D);
  K = on_motions(all_K, T);
  D = on_motions(all_D, T);
  is_symmetric = has_symmetry(K);
  const double round_off = 1e-15 * VectorX(K.diagonal()).cwiseAbs().maxCoeff() * dae.dof_scale().maxCoeff();
  std::erase_if(turning,
                [&](const TurningStiffness& of) {  // of a body without load: forces are all that counts
                  return of.U.rightCols<3>().cwiseAbs().maxCoeff() <= round_off;
                });
  if (states == 0) return;
  D_z = T.transpose() * part_of(kkt.matrix, 0, m, m, states);
  D_y = part_of(kkt.matrix, m, states, 0, m) * T;
  D_zz = part_of(kkt.matrix, m, states, m, states);
  dae.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
  K_y = part_of(kkt.matrix, m, states, 0, m) * T;
}

Replace projection(const SparseSystem& system, const ConstrainedInverse& inverse) {
  if (system.G.rows() == 0) return {};
  return [&](Eigen::Ref<MatrixX> x) { inverse.project(x); };
}

/// The space that the whole problem is solved on.
class Davidson {
 public:
  Davidson(const SparseSystem& system, const ConstrainedInverse& inverse, double sigma, int count)
      : system_(system),
        inverse_(inverse),
        sigma_(sigma),
        count_(count),
        basis_(system.M, projection(system, inverse)) {}

  void widen(const MatrixX& x) {
    const int added = basis_.add(x);
    const MatrixX fresh = basis_.vectors().rightCols(added);
    const auto append = [&](MatrixX& to, const MatrixX& products) {
      to.conservativeResize(system_.size(), basis_.size());
      to.rightCols(added) = products;
    };
    append(KQ_, system_.stiffness_times(fresh));
    append(DQ_, system_.D * fresh);
  }

  /// Until nothing is left of the equations, or `most` vectors span the space.
  std::vector<ReducedMode> operator()(int most, const GoOn& go_on) {
    for (double last = std::numeric_limits<double>::infinity();;) {
      std::vector<ReducedMode> modes = modes_of(reduced(), 0);
      modes.resize(std::min<std::size_t>(modes.size(), count_));
      const int size = basis_.size();
      const MatrixX corrections = remainders(modes);
      const auto done = count_ - corrections.cols() / 2;
      report(go_on, static_cast<double>(std::max<Eigen::Index>(done, 0)) / count_);
      const bool is_round_off = error_ < LowestModes::told_error && error_ > 0.5 * last;
      if (corrections.cols() == 0 || size >= most || is_round_off) return modes;
      last = error_;
      widen(corrections);
      if (basis_.size() == size) return modes;
    }
  }
  Eigen::VectorXcd motion(const ReducedMode& mode) const { return basis_.vectors() * mode.y; }
  double error() const { return error_; }

 private:
  ReducedSystem reduced() const {
    const auto Q = basis_.vectors();
    ReducedSystem r{Q.transpose() * basis_.products(), Q.transpose() * DQ_, Q.transpose() * KQ_};
    if (system_.states() > 0) {
      r.D_z = Q.transpose() * system_.D_z;
      r.K_y = system_.K_y * Q;
      r.D_y = system_.D_y * Q;
      r.D_zz = system_.D_zz;
    }
    return r;
  }

  /// (K + sigma M)^-1 of what is left of the equations of those modes where it is not small, real and imaginary.
  MatrixX remainders(const std::vector<ReducedMode>& modes) {
    constexpr double small = LowestModes::wanted_error;
    MatrixX left(system_.size(), 2 * static_cast<Eigen::Index>(modes.size()));
    VectorX length(modes.size());
    for (Eigen::Index k = 0; const ReducedMode& mode : modes) {
      const std::complex<double> s = mode.eigenvalue;
      Eigen::VectorXcd r = basis_.products() * (s * s * mode.y) + DQ_ * (s * mode.y) + KQ_ * mode.y;
      if (mode.z.size()) r += system_.D_z * mode.z;
      left.col(2 * k) = r.real(), left.col(2 * k + 1) = r.imag();
      length[k++] = mode.y.norm();
    }
    inverse_.solve(left);
    const VectorX squares = squares_of(left, modes);
    error_ = 0;
    int wanted = 0;
    for (Eigen::Index k = 0; k < length.size(); ++k) {
      const double error = std::sqrt(squares[2 * k] + squares[2 * k + 1]) / std::max(length[k], 1e-300);
      if (length[k] < 1e-6 * modes[k].z.norm()) continue;  // a state alone
      error_ = std::max(error_, error);
      if (error <= small) continue;
      left.col(wanted++) = left.col(2 * k) / error;
      left.col(wanted++) = left.col(2 * k + 1) / error;
    }
    return left.leftCols(wanted);
  }

  /// Squared lengths, in the metric of M, of what these corrections y = (K + sigma M)^-1 r are in the shapes. Along a mode of
  /// frequency omega_j the shape changes by r_j/(omega_j^2 - omega^2), not by r_j/(omega_j^2 + sigma): round-off in the equations of a
  /// high mode would look large along low ones.
  VectorX squares_of(const MatrixX& y, const std::vector<ReducedMode>& modes) const {
    const auto Q = basis_.vectors();
    const MatrixX K = Q.transpose() * KQ_;
    const SymmetricEigen known =
        symmetric_eigen(0.5 * (K + K.transpose()), Q.transpose() * basis_.products());
    const MatrixX along = known.vectors.transpose() * (basis_.products().transpose() * y);
    VectorX squares = y.cwiseProduct(system_.M * y).colwise().sum();
    for (Eigen::Index k = 0; k < y.cols(); ++k) {
      const auto shifted = known.values.array() + sigma_;
      const auto part = shifted / (shifted + std::norm(modes[k / 2].eigenvalue));
      squares[k] += (along.col(k).array().square() * (part.square() - 1)).sum();
    }
    return squares.cwiseMax(0);
  }

  const SparseSystem& system_;
  const ConstrainedInverse& inverse_;
  double sigma_;
  int count_;
  Orthonormal basis_;
  MatrixX KQ_, DQ_;
  double error_ = 0;
};

/// K + sigma M with the smallest sigma that makes it positive.
double factorize(const SparseSystem& system, const std::shared_ptr<Team>& team, double highest,
                 ConstrainedInverse& inverse) {
  Sparse symmetric_part;
  if (!system.is_symmetric) {
    const Sparse other = system.K.transpose();
    symmetric_part = 0.5 * (system.K + other);
  }
  const Sparse& S = system.is_symmetric ? system.K : symmetric_part;
  for (double sigma = std::max(1e-10 * highest, 1e-6);; sigma *= 100) {
    const Sparse shifted = S + sigma * system.M;
    if (inverse.factorize(shifted, system.G, system.block, team)) return sigma;
  }
}

}  // namespace

LowestModes lowest_modes(const Dae& dae, const State& state, int count, const GoOn& go_on,
                         std::shared_ptr<Team> team) {
  const SparseSystem system(dae, state);
  report(go_on, 0);
  LowestModes result;
  if (system.size() == 0) return result;
  const VectorX mass = system.M.diagonal();
  const double highest =
      VectorX(system.K.diagonal()).cwiseAbs().cwiseQuotient(mass.cwiseMax(1e-300)).maxCoeff();
  ConstrainedInverse inverse;
  result.sigma = factorize(system, team, highest, inverse);
  const double noise = relative_noise * highest;
  result.resolution = std::sqrt(noise) / (2 * std::numbers::pi);
  report(go_on, 0);

  const bool is_undamped = system.is_undamped();
  const int first = is_undamped ? count : count + count / 2 + 8;
  const EigenPairs pairs = largest_of_inverse(
      system.M, [&](Eigen::Ref<MatrixX> x) { inverse.solve(x); }, std::min(first, system.size()),
      MatrixX(system.size(), 0),
      [&](double part) { return !go_on || go_on(is_undamped ? part : 0.5 * part); },
      projection(system, inverse));
  const auto add = [&](std::complex<double> s, const Eigen::VectorXcd& y, const Eigen::VectorXcd& z) {
    Eigen::VectorXcd motion(system.T.rows() + z.size());
    motion << system.T * y, z;
    result.modes.push_back(make_mode(s, motion, dae.dof_scale()));
  };
  if (is_undamped) {  // again on the space they span: free motions among them have cost the others digits
    const MatrixX& Q = pairs.vectors;
    const MatrixX K = Q.transpose() * (system.K * Q);
    const SymmetricEigen solved = symmetric_eigen(0.5 * (K + K.transpose()), Q.transpose() * (system.M * Q));
    for (Eigen::Index k = 0; k < Q.cols(); ++k)
      for (const std::complex<double> s :
           eigenvalues_of(std::abs(solved.values[k]) < noise ? 0 : solved.values[k]))
        add(s, Q * solved.vectors.col(k), {});
    std::stable_sort(result.modes.begin(), result.modes.end(),
                     [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  } else {
    Davidson davidson(system, inverse, result.sigma, count);
    davidson.widen(pairs.vectors);
    const int most = 10 * count + 200;
    for (const ReducedMode& mode :
         davidson(most, [&](double part) { return !go_on || go_on(0.5 + 0.5 * part); }))
      add(mode.eigenvalue, davidson.motion(mode), mode.z);
    result.error = davidson.error();
  }
  if (static_cast<int>(result.modes.size()) > count) result.modes.resize(count);
  return result;
}

}  // namespace hooke
