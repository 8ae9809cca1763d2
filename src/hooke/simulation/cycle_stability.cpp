#include "hooke/simulation/cycle_stability.h"

#include <algorithm>
#include <numbers>

#include "hooke/math/dense.h"

namespace hooke {
namespace {

constexpr double small_change = 1e-5;  ///< in dof units: well above Newton's tolerance, well below the motion
constexpr double dependent = 1e-9;     ///< share of the largest pivot below which a row of G adds nothing

/// Motions that constraints leave free, orthonormal in dof units.
MatrixX free_motions(const System& system, const State& state) {
  const MatrixX G = tangents(system, state).G * system.dof_scale().asDiagonal();
  return G.rows() == 0 ? MatrixX(MatrixX::Identity(G.cols(), G.cols())) : null_space(G, dependent);
}

}  // namespace

CycleStability cycle_stability(const Problem& problem, double period) {
  Simulation simulation(problem);
  const System& system = simulation.system();
  const State start = simulation.start().state;
  const VectorX& unit = system.dof_scale();
  const double rate = 2 * std::numbers::pi / period;  // what makes a velocity a position
  Projector projector(system, newton_settings(simulation.run_settings()));
  const auto after = [&](const State& from) {
    simulation.set_state(from);
    simulation.advance(start.t + period);
    return simulation.state();
  };
  VectorX x;
  const auto apart = [&](const State& a, const State& b) {  // positions, then velocities
    VectorX d(2 * system.nv());
    system.minus(a.q, b.q, x);
    d << x.cwiseQuotient(unit), (a.v - b.v).cwiseQuotient(unit) / rate;
    return d;
  };
  const auto changed = [&](const VectorX& by, bool velocity) {
    State state = start;
    if (velocity)
      state.v += rate * by;
    else
      system.plus(start.q, by, state.q);
    projector.forget();
    projector.positions(state);
    projector.velocities(state);
    projector.accelerations(state);
    state.history.resize(0);
    return state;
  };
  const MatrixX N = free_motions(system, start);
  const auto f = N.cols();
  const State end = after(start);
  CycleStability result;
  result.open = apart(end, start).lpNorm<Eigen::Infinity>();
  if (f == 0) return result;  // drives leave nothing free
  MatrixX before(2 * f, 2 * f), behind(2 * f, 2 * f);
  const auto coordinates = [&](const VectorX& d) {
    VectorX c(2 * f);
    c << N.transpose() * d.head(system.nv()), N.transpose() * d.tail(system.nv());
    return c;
  };
  for (Eigen::Index k = 0; k < 2 * f; ++k) {
    const VectorX by = small_change * unit.cwiseProduct(N.col(k % f));
    const State from = changed(by, k >= f);
    before.col(k) = coordinates(apart(from, start)) / small_change;
    behind.col(k) = coordinates(apart(after(from), end)) / small_change;
  }
  // behind = monodromy before
  const Eigen::VectorXcd values =
      general_eigenvalues(solve_general(before.transpose(), behind.transpose()).transpose());
  result.multipliers.assign(values.begin(), values.end());
  std::sort(result.multipliers.begin(), result.multipliers.end(),
            [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return result;
}

}  // namespace hooke
