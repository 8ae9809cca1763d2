// The chain of n links: how the time of a step grows with the number of bodies. Prints a section of docs/benchmarks.md.
//
//   bench_chain            n = 8, 128, 1024, best of 3
//   bench_chain 1 8 128    best of 1, these n
#include <fmt/format.h>

#include <cstdlib>

#include "base/timer.h"
#include "integrators/runge_kutta.h"
#include "simulation/simulation.h"

namespace {

using namespace hooke;

constexpr double step = 0.01, end = 10;

/// A Dae that passes everything on and adds up the time it takes.
class TimedDae final : public Dae {
 public:
  explicit TimedDae(const Dae& dae) : dae_(dae) {}
  mutable double evaluating = 0, differentiating = 0;

  const KktStructure& structure() const override { return dae_.structure(); }
  int nq() const override { return dae_.nq(); }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override {
    timed(evaluating, [&] { dae_.plus(q, x, result); });
  }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override {
    timed(evaluating, [&] { dae_.minus(q1, q0, x); });
  }
  void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result) const override {
    timed(evaluating, [&] { dae_.inverse_tangent(x, v, result); });
  }
  std::unique_ptr<Workspace> workspace() const override { return dae_.workspace(); }
  void update(const State& s, Workspace& w) const override {
    timed(evaluating, [&] { dae_.update(s, w); });
  }
  void residual(const State& s, Workspace& w, VectorX& r) const override {
    timed(evaluating, [&] { dae_.residual(s, w, r); });
  }
  void position_constraints(const State& s, Workspace& w, VectorX& g) const override {
    timed(evaluating, [&] { dae_.position_constraints(s, w, g); });
  }
  void velocity_constraints(const State& s, Workspace& w, VectorX& g) const override {
    timed(evaluating, [&] { dae_.velocity_constraints(s, w, g); });
  }
  void acceleration_constraints(const State& s, Workspace& w, VectorX& g) const override {
    timed(evaluating, [&] { dae_.acceleration_constraints(s, w, g); });
  }
  void tangent(const State& s, const Weights& weights, Workspace& w, KktMatrix& kkt) const override {
    timed(differentiating, [&] { dae_.tangent(s, weights, w, kkt); });
  }
  Energy energy(const State& s, Workspace& w) const override { return dae_.energy(s, w); }
  void accept(State& s, Workspace& w) const override {
    timed(evaluating, [&] { dae_.accept(s, w); });
  }
  const VectorX& dof_scale() const override { return dae_.dof_scale(); }
  const VectorX& row_compliance() const override { return dae_.row_compliance(); }
  std::string dof_name(int dof) const override { return dae_.dof_name(dof); }
  std::string row_name(int row) const override { return dae_.row_name(row); }

 private:
  static void timed(double& sum, const auto& call) {
    const Timer timer;
    call();
    sum += timer.seconds();
  }
  const Dae& dae_;
};

struct Measured {
  double wall = 0, drift = 0, largest_kinetic = 0;
  MarchTotals totals;
  State last;
};

Measured march(const Dae& dae, const State& start, const RunSettings& run) {
  Measured m;
  const auto integrator = make_integrator(dae, run);
  const auto workspace = dae.workspace();
  double first = 0;
  bool is_first = true;
  March march(dae, *integrator, {.end = end, .step = step, .output_every = 0.05});
  march.on_output = [&](const State& state) {
    dae.update(state, *workspace);
    const Energy energy = dae.energy(state, *workspace);
    if (std::exchange(is_first, false)) first = energy.total();
    m.drift = std::max(m.drift, std::abs(energy.total() - first));
    m.largest_kinetic = std::max(m.largest_kinetic, energy.kinetic);
  };
  m.last = start;
  const Timer timer;
  march.run(m.last);
  m.wall = timer.seconds();
  m.totals = march.totals();
  return m;
}

/// Seconds for one factorisation and for one solution with `columns` right-hand sides, at a state.
std::pair<double, double> time_solver(const Dae& dae, const State& state, const RunSettings& run, int columns) {
  KktMatrix kkt(dae.structure());
  const auto workspace = dae.workspace();
  dae.update(state, *workspace);
  dae.tangent(state, {.m = 1, .d = 0.5 * step, .k = 0.25 * step * step}, *workspace, kkt);
  kkt.set_regularisation(newton_settings(run).regularisation * dae.row_compliance());
  const auto solver = make_solver(run.solver, dae.nv() + dae.nc());
  solver->factorize(kkt);  // symbolic work
  MatrixX z = MatrixX::Ones(dae.nv() + dae.nc(), columns);
  const int n = std::max(3, 20000 / dae.nv());
  Timer timer;
  for (int i = 0; i < n; ++i) solver->factorize(kkt);
  const double factor = timer.seconds() / n;
  timer.restart();
  for (int i = 0; i < n; ++i) solver->solve(z);
  return {factor, timer.seconds() / n};
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {8, 128, 1024};

  std::string costs, shares, ratios;
  for (const std::string integrator : {"{generalized-alpha: 0.8}", "trapezoidal"}) {
    const std::string name = integrator == "trapezoidal" ? integrator : "generalized-alpha, rho 0.8";
    double previous = 0;
    int previous_n = 0;
    for (int n : sizes) {
      const Timer set_up;
      const Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/chain.yaml",
                                       {fmt::format("parameters.n={}", n), "run.integrator=" + integrator, "run.solver=sparse"}));
      const double set_up_time = set_up.seconds();
      const System& system = simulation.system();
      const RunSettings& run = simulation.file().run;

      Measured best = march(system, simulation.start().state, run);
      for (int i = 1; i < repeats; ++i) best.wall = std::min(best.wall, march(system, simulation.start().state, run).wall);
      const double steps = static_cast<double>(best.totals.steps);
      const double cost = best.wall / steps / n;
      costs += fmt::format("| {} | {} | {:.3g} s | {:.2f} us | {:.3g} | {:.1e} | {:.2f} | {:.2f} | {:.2g} s |\n", name, n, best.wall, 1e6 * cost,
                           end / best.wall, best.drift / best.largest_kinetic, static_cast<double>(best.totals.iterations) / steps,
                           static_cast<double>(best.totals.factorizations) / steps, set_up_time);
      if (previous > 0) ratios += fmt::format("- {}: cost per body and step, n = {} over n = {}: **{:.2f}**\n", name, n, previous_n, cost / previous);
      previous = cost, previous_n = n;

      const TimedDae timed(system);
      const Measured watched = march(timed, simulation.start().state, run);
      const auto [factor, solve] = time_solver(system, best.last, run, 2);
      const double factors = factor * static_cast<double>(watched.totals.factorizations);
      const double solves = solve * static_cast<double>(watched.totals.iterations);
      const auto share = [&](double time) { return fmt::format("{:.0f} %", 100 * time / watched.wall); };
      shares += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name, n, share(timed.evaluating), share(timed.differentiating), share(factors),
                            share(solves), share(watched.wall - timed.evaluating - timed.differentiating - factors - solves));
      fmt::print(stderr, "{}, n = {}: {:.3g} s\n", name, n, best.wall);
    }
  }
  fmt::print(
      "## Chain of n links, sparse solver\n\n"
      "Links of 1 m, 1 kg and 1 kg m2 on spherical joints, straight along x, falling from rest (`models/chain.yaml`); steps of 0.01 s for 10 s, one "
      "thread, best of {} runs; reading, assembly and rank analysis are the set-up, not counted in the wall time. Energy drift is the largest "
      "|E - E(0)| over outputs every 0.05 s, as a fraction of the largest kinetic energy.\n\n"
      "    build/release/bench/bench_chain\n"
      "    hooke run models/chain.yaml --set parameters.n=128 --solver sparse\n\n"
      "| integrator | n | wall time | per body and step | real-time factor | energy drift | iterations a step | factorisations a step | set-up |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n{}\n{}\n"
      "Where the time goes: residuals, constraints and kinematics; tangents; factorisations and solutions (their number times the time of one, "
      "measured alone at the last state); and the rest, which is the integrator's own algebra, time stepping and error in these.\n\n"
      "| integrator | n | evaluate | tangent | factorise | solve | rest |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n{}",
      repeats, costs, ratios, shares);
}
