#include "coupling/linear_coupling.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <unsupported/Eigen/MatrixFunctions>

namespace hooke {
namespace {

/// Coefficients of the polynomials that are 1 at one of 0, -1, ..., -degree and 0 at the others: row i,
/// column j for tau^j.
MatrixX lagrange_coefficients(int degree) {
  MatrixX powers(degree + 1, degree + 1);
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; j <= degree; ++j) powers(i, j) = j == 0 ? 1.0 : std::pow(-i, j);
  return powers.inverse().transpose();
}

/// u(t_k + tau h) = sum over i, j of weights[i][j] u_{k-i} tau^j.
using Weights = std::vector<std::vector<MatrixX>>;

Weights extrapolation_weights(const LinearCoupling& coupling, double h, int degree_limit) {
  const int m = coupling.signals(), n = coupling.history();
  Weights weights(n, std::vector<MatrixX>(n, MatrixX::Zero(m, m)));
  for (int s = 0; s < m; ++s) {
    const bool is_rate = coupling.inputs[s].rate_of >= 0;
    const int from = is_rate ? coupling.inputs[s].rate_of : s;
    const int degree = std::min(coupling.inputs[from].degree, degree_limit);
    const MatrixX c = lagrange_coefficients(degree);
    for (int i = 0; i <= degree; ++i)
      for (int j = is_rate; j <= degree; ++j)
        weights[i][j - is_rate](s, from) = is_rate ? j / h * c(i, j) : c(i, j);
  }
  return weights;
}

/// Values at the end of the macro step.
MatrixX at_end(const std::vector<MatrixX>& weights) {
  MatrixX sum = weights[0];
  for (std::size_t j = 1; j < weights.size(); ++j) sum += weights[j];
  return sum;
}

/// x(h) = E x + sum of inputs[j] u_j for u = sum of u_j tau^j.
struct Advanced {
  MatrixX E;
  std::vector<MatrixX> inputs;
};

/// The exponential of [hA hB 0; 0 0 I; 0 0 0], the lower rows of which are the powers of time.
Advanced advance(const LinearPart& part, double h, int powers) {
  const Eigen::Index n = part.A.rows(), m = part.B.cols();
  if (part.advance == LinearPart::Advance::linearly_implicit) {
    const MatrixX W = (MatrixX::Identity(n, n) - h * part.A).inverse();
    return {MatrixX::Identity(n, n) + h * W * part.A, std::vector<MatrixX>(powers, h * W * part.B)};
  }
  MatrixX all = MatrixX::Zero(n + m * powers, n + m * powers);
  all.topLeftCorner(n, n) = h * part.A;
  all.block(0, n, n, m) = h * part.B;
  for (int j = 1; j < powers; ++j) all.block(n + m * (j - 1), n + m * j, m, m).setIdentity();
  const MatrixX e = all.exp();
  Advanced result{e.topLeftCorner(n, n), {}};
  double factorial = 1;
  for (int j = 0; j < powers; ++j) {
    if (j > 0) factorial *= j;
    result.inputs.push_back(factorial * e.block(0, n + m * j, n, m));
  }
  return result;
}

/// u = U_x x + sum of U[i] u_{k-i}: the inputs after an exchange, from states x and extrapolated inputs.
struct Exchange {
  MatrixX states;
  std::vector<MatrixX> inputs;
};

Exchange exchange_outputs(const LinearCoupling& coupling, const Weights& weights) {
  const int n = coupling.states(), m = coupling.signals();
  // y = Y_x x + Y_u u~ with u~ extrapolated; where parts take turns, u~ is replaced by L y as far as known.
  const auto outputs = coupling.L.cols();
  MatrixX Y_x = MatrixX::Zero(outputs, n), Y_u = MatrixX::Zero(outputs, m);
  std::vector<char> is_known(static_cast<std::size_t>(outputs), 0);
  Eigen::Index x = 0, u = 0, y = 0;
  for (const LinearPart& part : coupling.parts) {
    MatrixX U_x = MatrixX::Zero(part.B.cols(), n), U_u = MatrixX::Zero(part.B.cols(), m);
    U_u.middleCols(u, part.B.cols()).setIdentity();
    for (Eigen::Index s = 0; s < part.B.cols(); ++s) {
      const auto row = coupling.L.row(u + s);
      bool is_fresh = coupling.outputs == LinearCoupling::Outputs::in_turn;
      for (Eigen::Index k = 0; k < outputs; ++k) is_fresh = is_fresh && (row[k] == 0 || is_known[k]);
      if (!is_fresh) continue;
      U_x.row(s) = row * Y_x;
      U_u.row(s) = row * Y_u;
    }
    const Eigen::Index rows = part.C.rows();
    Y_x.middleRows(y, rows) = part.D * U_x;
    Y_x.block(y, x, rows, part.A.cols()) += part.C;
    Y_u.middleRows(y, rows) = part.D * U_u;
    std::fill_n(is_known.begin() + y, rows, 1);
    x += part.A.rows(), u += part.B.cols(), y += rows;
  }
  Exchange result{coupling.L * Y_x, {}};
  for (const auto& of_age : weights) result.inputs.push_back(coupling.L * Y_u * at_end(of_age));
  return result;
}

}  // namespace

int LinearCoupling::states() const {
  Eigen::Index sum = 0;
  for (const LinearPart& part : parts) sum += part.A.rows();
  return static_cast<int>(sum);
}

int LinearCoupling::history() const {
  int most = 0;
  for (const Extrapolation& input : inputs) most = std::max(most, input.degree);
  return most + 1;
}

MatrixX macro_step(const LinearCoupling& coupling, double h, int degree_limit) {
  const int n = coupling.states(), m = coupling.signals(), history = coupling.history();
  const Weights weights = extrapolation_weights(coupling, h, degree_limit);
  MatrixX S = MatrixX::Zero(n + m * history, n + m * history);
  Eigen::Index x = 0, u = 0;
  for (const LinearPart& part : coupling.parts) {
    const Eigen::Index rows = part.A.rows(), columns = part.B.cols();
    const Advanced step = advance(part, h, history);
    S.block(x, x, rows, rows) = step.E;
    for (int i = 0; i < history; ++i)
      for (int j = 0; j < history; ++j)
        S.block(x, n + m * i, rows, m) += step.inputs[j] * weights[i][j].middleRows(u, columns);
    x += rows, u += columns;
  }
  const Exchange exchanged = exchange_outputs(coupling, weights);
  S.middleRows(n, m) = exchanged.states * S.topRows(n);
  for (int i = 0; i < history; ++i) S.block(n, n + m * i, m, m) += exchanged.inputs[i];
  S.block(n + m, n, m * (history - 1), m * (history - 1)).setIdentity();
  return S;
}

MatrixX exchange(const LinearCoupling& coupling) {
  const int m = coupling.signals(), history = coupling.history();
  // Rates settle with the states; what remains in the loop is what parts pass on directly.
  LinearCoupling direct = coupling;
  for (Extrapolation& input : direct.inputs)
    if (input.rate_of >= 0) input = {coupling.inputs[input.rate_of].degree, -1};
  const Exchange exchanged = exchange_outputs(direct, extrapolation_weights(direct, 1, 99));
  MatrixX Z = MatrixX::Zero(m * history, m * history);
  for (int i = 0; i < history; ++i) Z.block(0, m * i, m, m) = exchanged.inputs[i];
  Z.block(m, 0, m * (history - 1), m * (history - 1)).setIdentity();
  return Z;
}

double spectral_radius(const MatrixX& matrix) {
  return Eigen::EigenSolver<MatrixX>(matrix, false).eigenvalues().cwiseAbs().maxCoeff();
}

MatrixX simulate(const LinearCoupling& coupling, double h, int steps, const VectorX& x, const VectorX& u) {
  const int n = coupling.states(), m = coupling.signals(), history = coupling.history();
  VectorX z(n + m * history);
  z << x, u.replicate(history, 1);
  MatrixX states(n, steps + 1), S;
  states.col(0) = x;
  for (int k = 0; k < steps; ++k) {
    if (k < history) S = macro_step(coupling, h, k);
    z = (S * z).eval();
    states.col(k + 1) = z.head(n);
  }
  return states;
}

}  // namespace hooke
