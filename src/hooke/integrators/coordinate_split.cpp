#include "hooke/integrators/coordinate_split.h"

#include <Eigen/Cholesky>
#include <cmath>

namespace hooke {

namespace {
constexpr double redundant = 1e-9;   ///< of a row, what is left when it follows from the others
constexpr double acceptable = 1e-2;  ///< a kept pivot in units of the largest possible
}  // namespace

CoordinateSplit::CoordinateSplit(const KktStructure& structure, const VectorX& dof_scale,
                                 const VectorX& row_weight)
    : dofs_(structure.dofs()),
      rows_(structure.rows()),
      scale_(dof_scale),
      weight_(row_weight),
      pivots_(rows_, -1),
      taken_(dofs_, 0),
      marked_(dofs_, 0) {
  work_.setZero(dofs_);
  touched_.reserve(dofs_);
  for (VectorX* v : {&diagonal_, &y_}) v->setZero(rows_);
}

bool CoordinateSplit::factorize(const KktMatrix& kkt) {
  const bool kept = choices_ > 0 && eliminate(kkt, true);
  if (!kept) {
    eliminate(kkt, false);
    ++choices_;
  }
  if (rank() < rows_) find_dependencies();
  return !kept;
}

/// Column j of G^T is reduced by the columns of L so far; what is left at free coordinates gives its pivot
/// and its own column of L. With `keep` it uses the pivots of the last choice; false: they have become too
/// small.
bool CoordinateSplit::eliminate(const KktMatrix& kkt, bool keep) {
  const BlockMatrix& A = kkt.matrix;
  std::fill(taken_.begin(), taken_.end(), 0);
  basic_.clear(), lower_.clear(), upper_.clear();
  lower_start_.assign(1, 0), upper_start_.assign(1, 0);
  for (int j = 0; j < rows_; ++j) {
    for (const int i : touched_) work_[i] = 0, marked_[i] = 0;
    touched_.clear();
    double before = 0;
    for (int k = A.outer()[dofs_ + j]; k < A.outer()[dofs_ + j + 1]; ++k)
      if (const int i = A.inner()[k]; i < dofs_ && A.values()[k] != 0) {
        add(i, A.values()[k]);
        before = std::max(before, std::abs(work_[i]) * scale_[i]);
      }
    for (int k = 0; k < rank(); ++k) {
      const double u = work_[pivots_[basic_[k]]];
      if (u == 0) continue;
      upper_.push_back({k, u});
      for (int l = lower_start_[k]; l < lower_start_[k + 1]; ++l) add(lower_[l].row, -lower_[l].value * u);
    }
    upper_start_.push_back(static_cast<int>(upper_.size()));

    int best = -1;
    double largest = 0;
    for (const int i : touched_)
      if (const double size = std::abs(work_[i]) * scale_[i]; !taken_[i] && size > largest)
        best = i, largest = size;
    const bool dropped = largest <= redundant * before;
    if (keep) {
      if (dropped != (pivots_[j] < 0)) return false;
      if (!dropped && std::abs(work_[pivots_[j]]) * scale_[pivots_[j]] < acceptable * largest) return false;
    } else {
      pivots_[j] = dropped ? -1 : best;
    }
    if (dropped) continue;

    const double pivot = work_[pivots_[j]];
    diagonal_[rank()] = pivot;
    taken_[pivots_[j]] = 1;
    basic_.push_back(j);
    for (const int i : touched_)
      if (!taken_[i] && work_[i] != 0) lower_.push_back({i, work_[i] / pivot});
    lower_start_.push_back(static_cast<int>(lower_.size()));
  }
  return true;
}

/// To an entry of the column in work, which is remembered.
void CoordinateSplit::add(int row, double value) {
  if (!marked_[row]) touched_.push_back(row);
  marked_[row] = 1;
  work_[row] += value;
}

/// U x = y in place, both in the order of the pivots.
void CoordinateSplit::back_substitute(VectorX& y) const {
  for (int k = rank() - 1; k >= 0; --k) {
    y[k] /= diagonal_[k];
    const int j = basic_[k];
    for (int l = upper_start_[j]; l < upper_start_[j + 1]; ++l) y[upper_[l].row] -= upper_[l].value * y[k];
  }
}

/// Dropped row j is sum_k c_k (basic row k) with U c = its column of U, so that e_j - c is a combination of
/// rows that vanishes.
void CoordinateSplit::find_dependencies() {
  dependencies_.setZero(rows_, rows_ - rank());
  int column = 0;
  for (int j = 0; j < rows_; ++j) {
    if (pivots_[j] >= 0) continue;
    y_.setZero();
    for (int l = upper_start_[j]; l < upper_start_[j + 1]; ++l) y_[upper_[l].row] = upper_[l].value;
    back_substitute(y_);
    dependencies_(j, column) = 1;
    for (int k = 0; k < rank(); ++k) dependencies_(basic_[k], column) = -y_[k];
    ++column;
  }
  weighted_ = weight_.asDiagonal() * dependencies_;
  gram_.resize(column, column);
  gram_.noalias() = dependencies_.transpose() * weighted_;
  Eigen::LLT<Eigen::Ref<MatrixX>> in_place(gram_);
  share_.resize(column);
}

void CoordinateSplit::split(VectorX& r, VectorX& s) {
  s.setZero(rows_);
  for (int k = 0; k < rank(); ++k) {  // forward: y = -L_Y^-1 r_Y; what it leaves of r_X is P r
    y_[k] = -r[pivots_[basic_[k]]];
    r[pivots_[basic_[k]]] = 0;
    for (int l = lower_start_[k]; l < lower_start_[k + 1]; ++l) r[lower_[l].row] += lower_[l].value * y_[k];
  }
  back_substitute(y_);
  for (int k = 0; k < rank(); ++k) s[basic_[k]] = y_[k];
  if (rank() == rows_) return;
  share_.noalias() = weighted_.transpose() * s;
  gram_.triangularView<Eigen::Lower>().solveInPlace(share_);
  gram_.triangularView<Eigen::Lower>().adjoint().solveInPlace(share_);
  s.noalias() -= dependencies_ * share_;
}

}  // namespace hooke
