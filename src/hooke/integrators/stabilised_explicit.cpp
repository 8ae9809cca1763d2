#include "hooke/integrators/stabilised_explicit.h"

#include <numeric>
#include <utility>

namespace hooke {

StageTable StageTable::dormand_prince() {
  const RungeKuttaPair& pair = DormandPrince::pair();
  StageTable table{.order = pair.order, .c = {}, .a = {}, .error = {}};
  for (int i = 0; i < pair.stages; ++i) {
    table.c.push_back(pair.c[i]);
    table.a.emplace_back(pair.a[i], pair.a[i] + i);
    table.error.push_back(pair.error[i]);
  }
  return table;
}

StageTable StageTable::chebyshev(double beta_h) {
  const int s = std::max(3, static_cast<int>(std::ceil(std::sqrt(1 + 1.54 * (beta_h + 2)))));
  const double w0 = 1 + 2.0 / 13 / (s * s);
  struct Polynomial {
    double T, first, second;  // Chebyshev's at w0, and its derivatives
  };
  std::vector<Polynomial> P{{1, 0, 0}, {w0, 1, 0}};
  for (int j = 2; j <= s; ++j) {
    const Polynomial &one = P[j - 1], &two = P[j - 2];
    P.push_back({2 * w0 * one.T - two.T, 2 * one.T + 2 * w0 * one.first - two.first,
                 4 * one.first + 2 * w0 * one.second - two.second});
  }
  const double w1 = P[s].first / P[s].second;
  const auto b = [&](int j) { return P[std::max(j, 2)].second / std::pow(P[std::max(j, 2)].first, 2); };

  // Y_j = (1 - mu - nu) Y_0 + mu Y_{j-1} + nu Y_{j-2} + h mu~ F_{j-1} + h gamma~ F_0, written out in the F.
  StageTable table{.order = 2, .c = {0}, .a = {{}, {b(1) * w1}}, .error = {}};
  for (int j = 2; j <= s; ++j) {
    const double mu = 2 * b(j) * w0 / b(j - 1), nu = -b(j) / b(j - 2), mu_rate = 2 * b(j) * w1 / b(j - 1);
    std::vector<double> row(static_cast<std::size_t>(j), 0.0);
    for (int k = 0; k < j - 1; ++k) row[k] += mu * table.a[j - 1][k];
    for (int k = 0; k < j - 2; ++k) row[k] += nu * table.a[j - 2][k];
    row[j - 1] += mu_rate;
    row[0] -= (1 - b(j - 1) * P[j - 1].T) * mu_rate;
    table.a.push_back(row);
  }
  for (int j = 1; j <= s; ++j) table.c.push_back(std::accumulate(table.a[j].begin(), table.a[j].end(), 0.0));
  // 0.8 (y_n - y_{n+1}) + 0.4 h (F_n + F_{n+1})
  for (const double weight : table.a[s]) table.error.push_back(-0.8 * weight);
  table.error.push_back(0.4);
  table.error[0] += 0.4;
  return table;
}

StabilisedExplicit::StabilisedExplicit(const Dae& dae, const NewtonSettings& settings, StageTable table,
                                       double beta_h, ExplicitOwnDofs own)
    : dae_(dae),
      team_(settings.team),
      table_(std::move(table)),
      beta_h_(beta_h),
      own_(std::move(own)),
      projector_(dae, settings, Purpose::mass),
      dx_(table_.c.size(), VectorX::Zero(dae.nv())),
      dv_(dx_) {
  for (VectorX* v : {&x_, &v_, &u_, &rate_}) v->setZero(dae.nv());
}

/// u_n and the rates of the state the step begins with: a is known from the end of the last one.
bool StabilisedExplicit::begin(const State& state, double h) {
  const double beta = beta_h_ / h;
  if (own_.drift)
    u_ = *own_.drift;
  else if (!projector_.drift(state, std::min(beta, 1 / h), u_))
    return false;
  trial_ = state;
  x_.setZero();
  const bool is_known = own_.place || (state.history.size() == 1 && state.history[0] == beta);
  if (!is_known) return evaluate(0, h);
  dx_[0] = state.v + u_;
  dv_[0] = state.a;
  return true;
}

bool StabilisedExplicit::evaluate(int stage, double h) {
  rate_ = trial_.v + u_;
  dae_.inverse_tangent(x_, rate_, dx_[stage]);
  if (!projector_.passing_accelerations(trial_, beta_h_ / h)) return false;
  dv_[stage] = trial_.a;
  return true;
}

void StabilisedExplicit::combine(double h, const std::vector<double>& weights) {
  x_.setZero();
  v_.setZero();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    x_ += (h * weights[j]) * dx_[j];
    v_ += (h * weights[j]) * dv_[j];
  }
}

StepReport StabilisedExplicit::step(State& state, double h) {
  const Team::Step timed(team_.get());
  StepReport report;
  if (!begin(state, h)) {
    report.failure = "no consistent accelerations at the start";
    return report;
  }
  for (int i = 1; i < table_.stages(); ++i) {
    combine(h, table_.a[i]);
    trial_.t = state.t + table_.c[i] * h;
    dae_.plus(state.q, x_, trial_.q);
    trial_.v = state.v + v_;
    if (own_.place) own_.place(i, trial_);
    if (!evaluate(i, h)) {
      report.failure = "the accelerations are not determined (singular or not finite)";
      return report;
    }
    if (own_.note) own_.note(i, trial_);
    ++report.iterations;
  }
  report.factorizations = report.iterations;
  combine(h, table_.error);
  report.error = std::max(size_of_own(x_), h * size_of_own(v_));
  dae_.accept(trial_, projector_.workspace());
  trial_.t = state.t + h;
  if (!own_.place) trial_.history.setConstant(1, beta_h_ / h);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

double StabilisedExplicit::size_of_own(const VectorX& x) const {
  double size = 0;
  for (int i = 0; i < x.size(); ++i)
    if (own_.own.empty() || own_.own[static_cast<std::size_t>(i)])
      size = std::max(size, std::abs(x[i]) / dae_.dof_scale()[i]);
  return size;
}

}  // namespace hooke
