#include "hooke/linalg/column_rank.h"

#include <Eigen/Householder>
#include <algorithm>
#include <set>

#include "hooke/linalg/graph.h"
#include "hooke/math/types.h"

namespace hooke {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// The dense matrix of some rows that are not yet eliminated, and what became of it: `live` rows of R, and
/// rows that are left for a later front.
struct Front {
  std::vector<int> columns;   ///< of A: those of its group first, then others in the order of elimination
  std::vector<int> live;      ///< of its own, by their place in `columns`: one for each row of R
  std::vector<int> dead;      ///< the others of its own
  MatrixX R, left;            ///< columns of both as above; of `left` its own are zero
  std::vector<int> rows;      ///< of A that begin here
  std::vector<int> children;  ///< fronts whose rows that are left come here
};

/// Positions of the groups in an order of elimination. Groups and the rows they share make a graph, so that a
/// row in many groups adds no more than it has entries.
std::vector<int> positions_of(const RowMatrix& A, const std::vector<int>& group_of, int groups) {
  std::vector<std::set<int>> neighbours(groups);
  for (int row = 0; row < A.rows(); ++row) {
    std::set<int> in;
    for (RowMatrix::InnerIterator it(A, row); it; ++it) in.insert(group_of[it.col()]);
    if (in.size() < 2) continue;
    for (int g : in) neighbours[g].insert(static_cast<int>(neighbours.size()));
    neighbours.push_back(std::move(in));
  }
  Graph graph;
  for (const auto& of : neighbours) {
    graph.adjacent.insert(graph.adjacent.end(), of.begin(), of.end());
    graph.start.push_back(static_cast<int>(graph.adjacent.size()));
  }
  std::vector<int> position(groups);
  for (int k = 0; int vertex : nested_dissection(graph))
    if (vertex < groups) position[vertex] = k++;
  return position;
}

/// Householder's reflections, column by column; `own` of them are eliminated for good.
void eliminate(MatrixX& F, int own, double tolerance, Front& front) {
  const int rows = static_cast<int>(F.rows()), columns = static_cast<int>(F.cols());
  VectorX scratch(columns);
  int r = 0, k = 0;
  for (; k < columns; ++k) {
    const bool is_own = k < own;
    if (!is_own && rows - r <= columns - k) break;  // few enough to be handed on as they are
    auto below = F.col(k).tail(rows - r);
    if (const double norm = below.norm(); is_own ? norm <= tolerance : norm == 0) {
      if (is_own) front.dead.push_back(k);
      below.setZero();
      continue;
    }
    double tau, beta;
    below.makeHouseholderInPlace(tau, beta);
    const VectorX essential = below.tail(rows - r - 1);
    F.block(r, k + 1, rows - r, columns - k - 1).applyHouseholderOnTheLeft(essential, tau, scratch.data());
    below.setZero();
    below[0] = beta;
    if (is_own) front.live.push_back(k);
    ++r;
  }
  const auto done = static_cast<int>(front.live.size());
  front.R = F.topRows(done);
  front.left = F.middleRows(done, (k < columns ? rows : r) - done);
}

/// Coefficients of R x = (column `dead` of R), by the fronts up to `at`. `x` comes and goes as zero; the
/// column itself stands in it with -1.
ColumnRank::Dependence express(const std::vector<Front>& fronts, int at, int dead, VectorX& x) {
  ColumnRank::Dependence result{fronts[at].columns[dead], {}};
  x[result.column] = -1;
  for (int f = at; f >= 0; --f) {
    const Front& front = fronts[f];
    if (std::none_of(front.columns.begin(), front.columns.end(), [&](int c) { return x[c] != 0; })) continue;
    for (int i = static_cast<int>(front.live.size()); i-- > 0;) {
      const int pivot = front.live[i];
      double sum = 0;
      for (int k = pivot + 1; k < static_cast<int>(front.columns.size()); ++k)
        sum -= front.R(i, k) * x[front.columns[k]];
      x[front.columns[pivot]] = sum / front.R(i, pivot);
    }
  }
  x[result.column] = 0;
  for (int column = 0; column < x.size(); ++column)
    if (x[column] != 0) {
      result.on.emplace_back(column, x[column]);
      x[column] = 0;
    }
  return result;
}

}  // namespace

ColumnRank column_rank(const Eigen::SparseMatrix<double>& A, const std::vector<int>& groups,
                       double tolerance) {
  const RowMatrix by_rows = A;
  const int count = static_cast<int>(groups.size()) - 1;
  std::vector<int> group_of(A.cols()), place(A.cols());
  for (int g = 0; g < count; ++g)
    std::fill(group_of.begin() + groups[g], group_of.begin() + groups[g + 1], g);
  const std::vector<int> position = positions_of(by_rows, group_of, count);
  const auto front_of = [&](int column) { return position[group_of[column]]; };

  std::vector<Front> fronts(count);
  for (int g = 0; g < count; ++g)
    for (int column = groups[g]; column < groups[g + 1]; ++column)
      fronts[position[g]].columns.push_back(column);
  for (int row = 0; row < A.rows(); ++row) {
    int first = count;
    for (RowMatrix::InnerIterator it(by_rows, row); it; ++it)
      first = std::min(first, front_of(static_cast<int>(it.col())));
    if (first < count) fronts[first].rows.push_back(row);
  }

  ColumnRank result;
  VectorX x = VectorX::Zero(A.cols());
  for (int f = 0; f < count; ++f) {
    Front& front = fronts[f];
    const int own = static_cast<int>(front.columns.size());
    const auto is_earlier = [&](int a, int b) {
      return std::pair(front_of(a), a) < std::pair(front_of(b), b);
    };
    std::set<int, decltype(is_earlier)> others(is_earlier);
    const auto add_others = [&](int column) {
      if (front_of(column) != f) others.insert(column);
    };
    Eigen::Index rows = static_cast<Eigen::Index>(front.rows.size());
    for (int row : front.rows)
      for (RowMatrix::InnerIterator it(by_rows, row); it; ++it) add_others(static_cast<int>(it.col()));
    for (int child : front.children) {
      rows += fronts[child].left.rows();
      for (int column : fronts[child].columns)
        if (front_of(column) > f) add_others(column);
    }
    front.columns.insert(front.columns.end(), others.begin(), others.end());
    for (std::size_t k = 0; k < front.columns.size(); ++k) place[front.columns[k]] = static_cast<int>(k);

    MatrixX F = MatrixX::Zero(rows, static_cast<Eigen::Index>(front.columns.size()));
    int at = 0;
    for (int row : front.rows) {
      for (RowMatrix::InnerIterator it(by_rows, row); it; ++it) F(at, place[it.col()]) = it.value();
      ++at;
    }
    for (int child : front.children) {
      MatrixX& left = fronts[child].left;
      for (int k = 0; k < left.cols(); ++k)
        if (const int column = fronts[child].columns[k]; front_of(column) >= f)
          F.col(place[column]).segment(at, left.rows()) = left.col(k);
      at += static_cast<int>(left.rows());
      left.resize(0, 0);
    }
    eliminate(F, own, tolerance, front);
    if (front.left.rows() > 0 && !others.empty()) fronts[front_of(*others.begin())].children.push_back(f);
    result.rank += static_cast<int>(front.live.size());
  }
  for (int f = 0; f < count; ++f)
    for (int dead : fronts[f].dead) result.dependent.push_back(express(fronts, f, dead, x));
  std::sort(result.dependent.begin(), result.dependent.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
  return result;
}

}  // namespace hooke
