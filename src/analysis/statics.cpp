#include "analysis/statics.h"

#include <fmt/format.h>

#include "integrators/projector.h"

namespace hooke {

StaticResult find_equilibrium(const Dae& dae, State& state, const NewtonSettings& settings) {
  StaticResult result;
  const int n = dae.nv(), m = dae.nc();
  Projector projector(dae, settings);
  state.v.setZero();
  projector.accelerations(state);
  const auto size = [&](const VectorX& x) {
    return x.cwiseQuotient(dae.dof_scale()).lpNorm<Eigen::Infinity>();
  };
  const double first = std::max(size(state.a), 1e-12);
  double tau2 = 0.1 / first, imbalance = first;
  state.a.setZero();

  auto workspace = dae.workspace();
  auto solver = make_solver(settings.solver, n + m);
  KktMatrix kkt(dae.structure());
  VectorX r, g, z(n + m), dq, q, eps;
  for (; result.iterations < 500; ++result.iterations) {
    dae.update(state, *workspace);
    dae.residual(state, *workspace, r);
    dae.position_constraints(state, *workspace, g);
    dae.tangent(state, {.m = 1, .d = 0, .k = tau2}, *workspace, kkt);
    eps = settings.regularisation * dae.row_compliance();
    kkt.set_regularisation(eps);
    if (!solver->factorize(kkt)) {
      tau2 *= 0.5;
      continue;
    }
    z << -tau2 * r, -g;
    solver->solve(z);
    dq = z.head(n);
    const double change = size(dq);
    result.residual = r.size() ? r.lpNorm<Eigen::Infinity>() : 0;
    const double part = std::min(1.0, 0.3 / std::max(change, 1e-300));
    dq *= part;
    q = state.q;
    dae.plus(q, dq, state.q);
    state.lambda += part * z.tail(m) / tau2;
    // What moves by change in the time tau is out of balance by change / tau^2.
    const double now = change / tau2;
    if (change <= settings.tolerance && now <= 1e-6 * first + 1e-12) {
      result.converged = true;
      break;
    }
    if (change <= 1e-14) {
      result.converged = true;
      break;
    }
    tau2 *= part < 1 ? 0.7 : std::clamp(imbalance / std::max(now, 1e-300), 0.5, 10.0);
    tau2 = std::max(tau2, 1e-3 / first);
    imbalance = now;
  }
  dae.update(state, *workspace);
  dae.accept(state, *workspace);
  if (!result.converged) {
    int dof = 0;
    if (n) r.cwiseAbs().maxCoeff(&dof);
    result.failure = fmt::format(
        "no static equilibrium found: {:.3g} N or N m is out of balance at {}. Is something free to "
        "fall or turn without a spring or joint that stops it?",
        result.residual, dae.dof_name(dof));
  }
  return result;
}

}  // namespace hooke
