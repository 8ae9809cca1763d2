#include "hooke/coupling/linear_coupling.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <unsupported/Eigen/MatrixFunctions>

namespace hooke {
namespace {

/// Coefficients of the polynomials that are 1 at one of newest, newest - 1, ..., newest - degree and 0 at the
/// others: row i, column j for tau^j.
MatrixX lagrange_coefficients(int degree, int newest = 0) {
  MatrixX powers(degree + 1, degree + 1);
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; j <= degree; ++j) powers(i, j) = j == 0 ? 1.0 : std::pow(newest - i, j);
  return powers.inverse().transpose();
}

/// All that a macro step computes is linear in z = (x_k, u_k, u_{k-1}, ...); here as matrices that z is
/// multiplied by. Inputs over the step, u(t_k + tau h): one for each power of tau.
using Polynomial = std::vector<MatrixX>;

struct Layout {
  Eigen::Index states, signals, history;
  Eigen::Index size() const { return states + signals * history; }
  /// Where u_{k-age} begins.
  Eigen::Index past(Eigen::Index age) const { return states + signals * age; }
};

/// Row s of the polynomial, or its derivative for a rate, through values that are rows of z.
void set_polynomial(Polynomial& polynomial, Eigen::Index s, const MatrixX& values, int newest, double h,
                    bool is_rate) {
  const int degree = static_cast<int>(values.rows()) - 1;
  const MatrixX c = lagrange_coefficients(degree, newest);
  for (MatrixX& power : polynomial) power.row(s).setZero();
  for (int j = is_rate; j <= degree; ++j)
    polynomial[j - is_rate].row(s) = (is_rate ? j / h : 1.0) * c.col(j).transpose() * values;
}

Polynomial extrapolated(const LinearCoupling& coupling, const Layout& at, double h, int degree_limit) {
  Polynomial result(at.history, MatrixX::Zero(at.signals, at.size()));
  for (Eigen::Index s = 0; s < at.signals; ++s) {
    const bool is_rate = coupling.inputs[s].rate_of >= 0;
    const Eigen::Index from = is_rate ? coupling.inputs[s].rate_of : s;
    const int degree = std::min(coupling.inputs[from].degree, degree_limit);
    MatrixX values = MatrixX::Zero(degree + 1, at.size());
    for (int i = 0; i <= degree; ++i) values(i, at.past(i) + from) = 1;
    set_polynomial(result, s, values, 0, h, is_rate);
  }
  return result;
}

/// Values at the end of the macro step.
MatrixX at_end(const Polynomial& polynomial) {
  MatrixX sum = polynomial[0];
  for (std::size_t j = 1; j < polynomial.size(); ++j) sum += polynomial[j];
  return sum;
}

/// Outputs, system by system as they are found, and which of them are known.
class Outputs {
 public:
  Outputs(const LinearCoupling& coupling, Eigen::Index size)
      : coupling_(coupling),
        y_(MatrixX::Zero(coupling.L.cols(), size)),
        known_(static_cast<std::size_t>(coupling.L.cols()), 0),
        are_states_(known_) {}

  /// Those of the next system, from its states and from inputs extrapolated to the end of the step.
  void add(const StateSpace& system, const MatrixX& states, const MatrixX& extrapolated) {
    MatrixX u = extrapolated.middleRows(input_, system.B.cols());
    for (Eigen::Index s = 0; s < u.rows(); ++s)
      if (is_fresh(input_ + s)) u.row(s) = coupling_.L.row(input_ + s) * y_;
    y_.middleRows(output_, system.C.rows()) = system.C * states + system.D * u;
    for (Eigen::Index k = 0; k < system.C.rows(); ++k) {
      known_[output_ + k] = 1;
      are_states_[output_ + k] = system.D.row(k).isZero(0);
    }
    input_ += system.B.cols(), output_ += system.C.rows();
  }
  /// Whether all that an input is made of is known.
  bool is_known(Eigen::Index input) const { return all_of(input, known_); }
  MatrixX inputs() const { return coupling_.L * y_; }

 private:
  bool all_of(Eigen::Index input, const std::vector<char>& flags) const {
    for (Eigen::Index k = 0; k < coupling_.L.cols(); ++k)
      if (coupling_.L(input, k) != 0 && !flags[k]) return false;
    return true;
  }
  bool is_fresh(Eigen::Index input) const {
    if (coupling_.outputs == LinearCoupling::Outputs::side_by_side || !is_known(input)) return false;
    return coupling_.outputs == LinearCoupling::Outputs::in_turn || all_of(input, are_states_);
  }

  const LinearCoupling& coupling_;
  MatrixX y_;
  std::vector<char> known_, are_states_;
  Eigen::Index input_ = 0, output_ = 0;
};

/// Replaces what is known at the end of the step already by the polynomial through that value.
void interpolate(const LinearCoupling& coupling, const Layout& at, const Outputs& outputs, Eigen::Index first,
                 Eigen::Index count, double h, int degree_limit, Polynomial& polynomial) {
  const MatrixX newest = outputs.inputs();
  for (Eigen::Index s = first; s < first + count; ++s) {
    const bool is_rate = coupling.inputs[s].rate_of >= 0;
    const Eigen::Index from = is_rate ? coupling.inputs[s].rate_of : s;
    if (!outputs.is_known(from)) continue;
    const int degree = std::min(coupling.inputs[from].degree, degree_limit + 1);
    MatrixX values = MatrixX::Zero(degree + 1, at.size());
    values.row(0) = newest.row(from);
    for (int i = 1; i <= degree; ++i) values(i, at.past(i - 1) + from) = 1;
    set_polynomial(polynomial, s, values, 1, h, is_rate);
  }
}

}  // namespace

/// The exponential of [hA hB 0; 0 0 I; 0 0 0], the lower rows of which are the powers of time; inputs that do
/// not act on the states are left out of it.
LinearStep linear_step(const StateSpace& system, double h, int powers) {
  const Eigen::Index n = system.A.rows();
  if (n == 0)  // all of it moves as it is told
    return {MatrixX(0, 0), std::vector<MatrixX>(powers, MatrixX(0, system.B.cols()))};
  if (system.advance == StateSpace::Advance::linearly_implicit) {
    const Eigen::PartialPivLU<MatrixX> W(MatrixX::Identity(n, n) - h * system.A);
    return {MatrixX::Identity(n, n) + h * W.solve(system.A),
            std::vector<MatrixX>(powers, h * W.solve(system.B))};
  }
  std::vector<Eigen::Index> acting;
  for (Eigen::Index j = 0; j < system.B.cols(); ++j)
    if (!system.B.col(j).isZero(0)) acting.push_back(j);
  const auto m = static_cast<Eigen::Index>(acting.size());
  MatrixX all = MatrixX::Zero(n + m * powers, n + m * powers);
  all.topLeftCorner(n, n) = h * system.A;
  all.block(0, n, n, m) = h * system.B(Eigen::all, acting);
  for (int j = 1; j < powers; ++j) all.block(n + m * (j - 1), n + m * j, m, m).setIdentity();
  const MatrixX e = all.exp();
  LinearStep result{e.topLeftCorner(n, n), std::vector<MatrixX>(powers, MatrixX::Zero(n, system.B.cols()))};
  double factorial = 1;
  for (int j = 0; j < powers; ++j) {
    if (j > 0) factorial *= j;
    result.inputs[j](Eigen::all, acting) = factorial * e.block(0, n + m * j, n, m);
  }
  return result;
}

int LinearCoupling::states() const {
  Eigen::Index sum = 0;
  for (const StateSpace& system : systems) sum += system.A.rows();
  return static_cast<int>(sum);
}

int LinearCoupling::history() const {
  int most = 0;
  for (const Extrapolation& input : inputs) most = std::max(most, input.degree);
  return most + 1;
}

MatrixX macro_step(const LinearCoupling& coupling, double h, int degree_limit) {
  const Layout at{coupling.states(), coupling.signals(), coupling.history()};
  Polynomial inputs = extrapolated(coupling, at, h, degree_limit);
  const MatrixX last = at_end(inputs);
  MatrixX S = MatrixX::Zero(at.size(), at.size());
  Outputs outputs(coupling, at.size());
  Eigen::Index x = 0, u = 0;
  for (const StateSpace& system : coupling.systems) {
    const Eigen::Index rows = system.A.rows(), columns = system.B.cols();
    if (coupling.order == LinearCoupling::Order::gauss_seidel)
      interpolate(coupling, at, outputs, u, columns, h, degree_limit, inputs);
    const LinearStep step = linear_step(system, h, static_cast<int>(at.history));
    S.block(x, x, rows, rows) = step.E;
    for (Eigen::Index j = 0; j < at.history; ++j)
      S.middleRows(x, rows) += step.inputs[j] * inputs[j].middleRows(u, columns);
    outputs.add(system, S.middleRows(x, rows), last);
    x += rows, u += columns;
  }
  S.middleRows(at.states, at.signals) = outputs.inputs();
  S.bottomLeftCorner(at.signals * (at.history - 1), at.past(at.history - 1))
      .rightCols(at.signals * (at.history - 1))
      .setIdentity();
  return S;
}

MatrixX exchange(const LinearCoupling& coupling) {
  // Rates settle with the states; what remains in the loop is what systems pass on directly.
  LinearCoupling direct = coupling;
  for (Extrapolation& input : direct.inputs)
    if (input.rate_of >= 0) input = {coupling.inputs[input.rate_of].degree, -1};
  const Layout at{0, coupling.signals(), coupling.history()};
  const MatrixX last = at_end(extrapolated(direct, at, 1, 99));
  Outputs outputs(direct, at.size());
  for (const StateSpace& system : direct.systems)
    outputs.add(system, MatrixX::Zero(system.A.rows(), at.size()), last);
  MatrixX Z = MatrixX::Zero(at.size(), at.size());
  Z.topRows(at.signals) = outputs.inputs();
  Z.bottomLeftCorner(at.signals * (at.history - 1), at.signals * (at.history - 1)).setIdentity();
  return Z;
}

/// What nothing depends on (a column of zeros) has no part in it and is left out: of signals, most of the
/// past.
double spectral_radius(const MatrixX& matrix) {
  std::vector<Eigen::Index> used(static_cast<std::size_t>(matrix.cols()));
  std::iota(used.begin(), used.end(), Eigen::Index{0});
  for (std::size_t before = 0; before != used.size();) {
    before = used.size();
    const std::vector<Eigen::Index> rows = used;
    std::erase_if(used, [&](Eigen::Index j) { return matrix(rows, j).isZero(0); });
  }
  if (used.empty()) return 0;
  return Eigen::EigenSolver<MatrixX>(matrix(used, used), false).eigenvalues().cwiseAbs().maxCoeff();
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
