#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "hooke/integrators/integrator.h"
#include "hooke/system/dae.h"

/// Orders of convergence, measured: the error against an accurate solution while the step is halved.
namespace hooke::test {

/// From the start to the end in n steps: entry k is t_k.
using Grid = std::vector<double>;

inline Grid uniform_grid(double start, double end, int n) {
  Grid t(n + 1);
  for (int k = 0; k <= n; ++k) t[k] = start + (end - start) * k / n;
  return t;
}

/// Steps that vary smoothly by 30 % up and down, three times over the whole.
inline Grid waving_grid(double start, double end, int n) {
  Grid t(n + 1);
  const double w = 6 * std::numbers::pi;
  for (int k = 0; k <= n; ++k) {
    const double s = static_cast<double>(k) / n;
    t[k] = start + (end - start) * (s + 0.3 / w * std::sin(w * s));
  }
  return t;
}

/// Every second step is 30 % longer, the others 30 % shorter: no method sees two equal steps.
inline Grid jumping_grid(double start, double end, int n) {
  Grid t = uniform_grid(start, end, n);
  for (int k = 1; k < n; k += 2) t[k] += 0.3 * (end - start) / n;
  return t;
}

/// The states at every (n / points)-th time of the grid, the start left out.
inline std::vector<State> integrate(Integrator& integrator, State state, const Grid& grid, int points = 1) {
  std::vector<State> states;
  const int n = static_cast<int>(grid.size()) - 1;
  for (int k = 1; k <= n; ++k) {
    const StepReport report = integrator.step(state, grid[k] - state.t);
    if (!report.accepted) throw std::runtime_error("step refused: " + report.failure);
    state.t = grid[k];
    if (k * points % n == 0) states.push_back(state);
  }
  return states;
}

/// Largest errors over the points compared: q in dof units, v and lambda relative to their largest entry.
struct Errors {
  double q = 0, v = 0, lambda = 0;
};

inline Errors compare(const Dae& dae, const std::vector<State>& states, const std::vector<State>& exact) {
  Errors e;
  double v = 0, lambda = 0;
  VectorX x;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    dae.minus(states.at(i).q, exact[i].q, x);
    e.q = std::max(e.q, x.cwiseQuotient(dae.dof_scale()).lpNorm<Eigen::Infinity>());
    e.v = std::max(e.v, (states[i].v - exact[i].v).lpNorm<Eigen::Infinity>());
    v = std::max(v, exact[i].v.lpNorm<Eigen::Infinity>());
    if (dae.nc() == 0) continue;
    e.lambda = std::max(e.lambda, (states[i].lambda - exact[i].lambda).lpNorm<Eigen::Infinity>());
    lambda = std::max(lambda, exact[i].lambda.lpNorm<Eigen::Infinity>());
  }
  e.v /= v;
  if (lambda > 0) e.lambda /= lambda;
  return e;
}

/// The slope of log(error) over log(step) by least squares, for steps that are halved from entry to entry.
inline double order(const std::vector<double>& errors) {
  const int n = static_cast<int>(errors.size());
  double sum = 0, weights = 0;
  for (int i = 0; i < n; ++i) {
    const double x = 0.5 * (n - 1) - i;  // log2 of the step, its mean taken off
    sum += x * std::log2(errors[i]);
    weights += x * x;
  }
  return sum / weights;
}

struct Orders {
  double q = 0, v = 0, lambda = 0;
  std::vector<Errors> errors;
};

inline std::string describe(const Orders& orders) {
  std::string text = fmt::format("orders {:.2f}, {:.2f}, {:.2f}; errors", orders.q, orders.v, orders.lambda);
  for (const Errors& e : orders.errors) text += fmt::format("  {:.2e} {:.2e} {:.2e}", e.q, e.v, e.lambda);
  return text;
}

using MakeIntegrator = std::function<std::unique_ptr<Integrator>()>;
using MakeGrid = std::function<Grid(double start, double end, int n)>;

/// Runs with n, 2n, 4n, ... steps (a multiple of `points` each) from the start to the end.
inline Orders measure_orders(const Dae& dae, const State& start, double end, const MakeIntegrator& make,
                             const MakeGrid& grid, int n, int halvings, int points,
                             const std::function<std::vector<State>(const Grid&)>& exact) {
  Orders result;
  std::vector<double> q, v, lambda;
  for (int i = 0; i <= halvings; ++i, n *= 2) {
    const auto integrator = make();
    const Grid times = grid(start.t, end, n);
    Grid compared;
    for (int k = 1; k <= points; ++k) compared.push_back(times[k * n / points]);
    const Errors e = compare(dae, integrate(*integrator, start, times, points), exact(compared));
    result.errors.push_back(e);
    q.push_back(e.q), v.push_back(e.v), lambda.push_back(e.lambda);
  }
  result.q = order(q), result.v = order(v), result.lambda = dae.nc() ? order(lambda) : 0;
  return result;
}

}  // namespace hooke::test
