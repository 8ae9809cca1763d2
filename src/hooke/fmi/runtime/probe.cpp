#include "hooke/fmi/runtime/probe.h"

namespace hooke {

FmuInstance::Probe::Probe(const Simulation& simulation)
    : system(simulation.system()),
      controls(dynamic_cast<const Controls*>(system.controls())),
      regularisation_(newton_settings(simulation.run_settings()).regularisation),
      solver_(make_solver(newton_settings(simulation.run_settings()), system, Purpose::general)),
      workspace_(system.workspace()),
      mass_(system.structure()),
      moved_mass_(system.structure()),
      stiffness_(system.structure()),
      damping_(system.structure()) {
  if (regularisation_ <= 1e-8) regularisation_ *= 1e-4;
}

SystemWorkspace& FmuInstance::Probe::at(const State& of) {
  system.update(of, *workspace_);
  return static_cast<SystemWorkspace&>(*workspace_);
}

void FmuInstance::Probe::begin(const State& now) {
  state = now;
  has_tangents_ = false;
  mass_.accept_turned(solver_->wants_turned());
  system.tangent(state, {.m = 1}, at(state), mass_);
  mass_.set_regularisation(regularisation_ * system.row_compliance());
  if (!solver_->factorize(mass_))
    throw Error(ExitCode::step_failed, "the equations of motion cannot be solved in this state");
}

void FmuInstance::Probe::find_tangents() {
  if (std::exchange(has_tangents_, true)) return;
  VectorX r;
  system.residual(state, at(state), r);
  turning_ = turning_stiffness(system, state, *workspace_, stiffness_);
  system.tangent(state, {.m = 0, .k = 1}, *workspace_, stiffness_);
  system.tangent(state, {.m = 0, .d = 1}, *workspace_, damping_);
}

VectorX FmuInstance::Probe::with_rows(const VectorX& dofs) const {
  return (VectorX(system.nv() + system.nc()) << dofs, VectorX::Zero(system.nc())).finished();
}

/// K dq + D dv - f_u du
VectorX FmuInstance::Probe::residual(const Change& change) {
  VectorX r = VectorX::Zero(system.nv()), product;
  if (!change.q.isZero(0) || !change.v.isZero(0)) {
    find_tangents();
    stiffness_.matrix.multiply(with_rows(change.q), product);
    r += product.head(system.nv());
    for (const TurningStiffness& of : turning_)
      r.segment(of.first, of.U.rows()) +=
          of.U * (of.B * (of.V.transpose() * change.q.segment(of.first, of.V.rows())));
    damping_.matrix.multiply(with_rows(change.v), product);
    r += product.head(system.nv());
  }
  if (controls && !change.memory.isZero(0)) {
    FrameTable& table = at(state).frames;
    std::fill(table.wrench.begin(), table.wrench.end(), Vec6::Zero());
    controls->subtract_changes(state, change.memory, table);
    for (std::size_t f = 0; f < table.wrench.size(); ++f)
      if (!table.wrench[f].isZero(0))
        add_generalised_force(system.frame_map(), table, static_cast<int>(f), table.wrench[f], r);
  }
  return r;
}

/// G a + bias + beta (G v + g_t) with the a of the state
VectorX FmuInstance::Probe::acceleration_rows(const State& of, double beta) {
  VectorX s, rate;
  SystemWorkspace& w = at(of);
  system.acceleration_constraints(of, w, s);
  if (beta == 0) return s;
  system.velocity_constraints(of, w, rate);
  return s + beta * rate;
}

/// G v + g_t + beta g
VectorX FmuInstance::Probe::drift_rows(const State& of, double beta) {
  VectorX s, g;
  SystemWorkspace& w = at(of);
  system.velocity_constraints(of, w, s);
  system.position_constraints(of, w, g);
  return s + beta * g;
}

/// M u + G^T mu + r = 0, G u + s = 0. Repeated, so that nothing is left of the regularisation.
void FmuInstance::Probe::solve(const VectorX& r, const VectorX& s, VectorX& u, VectorX& mu) {
  u.setZero(system.nv());
  mu.setZero(system.nc());
  MatrixX z(system.nv() + system.nc(), 1);
  z << -r, -s;
  for (int pass = 0; pass < 10; ++pass) {
    solver_->solve(z);
    u += z.col(0).head(system.nv());
    mu += z.col(0).tail(system.nc());
    const VectorX left = mass_.regularisation().cwiseProduct(z.col(0).tail(system.nc()));
    if (system.nc() == 0 || left.lpNorm<Eigen::Infinity>() <= 1e-15 * u.lpNorm<Eigen::Infinity>()) break;
    z << VectorX::Zero(system.nv()), -left;
  }
}

void FmuInstance::Probe::find_accelerations(Change& change, double beta) {
  change.a = VectorX::Zero(system.nv());
  change.lambda = VectorX::Zero(system.nc());
  const bool moves = !change.q.isZero(0) || !change.v.isZero(0);
  VectorX s = VectorX::Zero(system.nc());
  if (moves && system.nc() > 0)
    s = slope(change.step,
              [&](double by) { return acceleration_rows(change.moved(system, state, by), beta); });
  VectorX a, lambda;
  solve(residual(change), s, a, lambda);
  change.a = a, change.lambda = lambda;
}

/// x' = T^-1(x) (v + u), with M u + G^T mu = 0 and G u + G v + g_t + beta g = 0.
void FmuInstance::Probe::find_positions(Change& change, const VectorX& x, double beta) {
  VectorX u, mu, du, dmu, turned;
  const VectorX none = VectorX::Zero(system.nv());
  solve(none, drift_rows(state, beta), u, mu);
  const VectorX known = (VectorX(u.size() + mu.size()) << u, mu).finished();
  const VectorX left = slope(change.step, [&](double by) -> VectorX {
    const State there = change.moved(system, state, by);
    VectorX product;
    system.tangent(there, {.m = 1}, at(there), moved_mass_);
    moved_mass_.matrix.multiply(known, product);
    product.tail(system.nc()) += drift_rows(there, beta);
    return product;
  });
  solve(left.head(system.nv()), left.tail(system.nc()), du, dmu);
  change.positions = slope(change.step, [&](double by) {
    system.inverse_tangent(x + by * change.x, state.v + u + by * (change.v + du), turned);
    return turned;
  });
}

}  // namespace hooke
