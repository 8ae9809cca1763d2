// The chain of n links: how the time of a step grows with the number of bodies. Prints a section of
// docs/benchmarks/chain.md.
//
//   bench_chain            n = 8, 128, 1024, best of 3 rounds
//   bench_chain 1 8 128    one round, these n
#include <fmt/format.h>

#include <cstdlib>

#include "hooke/base/timer.h"
#include "hooke/integrators/runge_kutta.h"
#include "hooke/math/pack.h"
#include "hooke/simulation/simulation.h"
#include "hooke/solvers/joint_tree.h"

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
std::pair<double, double> time_solver(const Dae& dae, const State& state, const RunSettings& run,
                                      int columns) {
  KktMatrix kkt(dae.structure());
  const auto workspace = dae.workspace();
  dae.update(state, *workspace);
  dae.tangent(state, {.m = 1, .d = 0.5 * step, .k = 0.25 * step * step}, *workspace, kkt);
  kkt.set_regularisation(newton_settings(run).regularisation * dae.row_compliance());
  const auto solver = make_solver(newton_settings(run), dae);
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

/// Floating point operations of divide and conquer, counted from the tree: a factorisation and one solution.
std::pair<double, double> count_operations(const JointTree& tree) {
  double factor = 0, solution = 0;
  for (const JointTree::Leaf& leaf : tree.leaves) {
    const double n = leaf.dofs(), m = leaf.rows;
    factor += 2 * n * n * n + 2 * n * n * m + 2 * n * m * m;  // C^-1, X, Phi
    solution += 2 * n * n + 4 * n * m;
  }
  for (const JointTree::Node& node : tree.nodes) {
    const double r = node.rows, u = node.size() - r;
    factor += 2 * r * r * r + 2 * u * r * r + 2 * u * u * r;
    solution += 4 * u * r + 2 * r * r;
  }
  return {factor, solution};
}

/// What one core can do: multiply-add on registers, without waiting for memory.
double peak_rate() {
  constexpr int registers = 10, turns = 20000000;
  Pack sum[registers];
  for (int k = 0; k < registers; ++k) sum[k] = Pack(1 + k);
  const Pack factor(0.999999), addend(1e-9);
  const Timer timer;
  for (int i = 0; i < turns; ++i)
    for (int k = 0; k < registers; ++k) sum[k] = sum[k] * factor + addend;
  const double seconds = timer.seconds();
  for (int k = 1; k < registers; ++k) sum[0] += sum[k];
  return sum[0][0] > 0 ? 2.0 * Pack::lanes * registers * turns / seconds : 0;
}

/// One integrator and solver on one chain, and the least times of all rounds so far.
struct Case {
  Case(const std::string& integrator, const std::string& with_solver, int links)
      : name((integrator == "trapezoidal" ? integrator : "generalized-alpha, rho 0.8") + ", " + with_solver),
        solver(with_solver),
        n(links) {
    const Timer timer;
    simulation = std::make_unique<Simulation>(
        load(std::string(HOOKE_ROOT) + "/models/chain.yaml",
             {fmt::format("parameters.n={}", n), "run.integrator=" + integrator, "run.solver=" + solver}));
    set_up = timer.seconds();
  }

  void measure() {
    const System& system = simulation->system();
    const RunSettings run = simulation->run_settings();
    if (Measured plain = march(system, simulation->start().state, run);
        best.wall == 0 || plain.wall < best.wall)
      best = std::move(plain);

    const TimedDae timed(system);
    const Measured run_watched = march(timed, simulation->start().state, run);
    if (watched > 0 && run_watched.wall > watched) return;
    watched = run_watched.wall, evaluate = timed.evaluating, tangent = timed.differentiating;
    const auto [factor, solution] = time_solver(system, best.last, run, 2);
    if (solver == "dca") {
      const auto [operations, more] = count_operations(JointTree(system.structure()));
      factor_rate = operations / factor, solution_rate = 2 * more / solution;
      per_body = {operations / n, more / n};
    }
    factorise = factor * static_cast<double>(best.totals.factorizations);
    solve = solution * static_cast<double>(best.totals.iterations);
  }

  double cost() const { return best.wall / static_cast<double>(best.totals.steps) / n; }
  double per_step(long count) const {
    return static_cast<double>(count) / static_cast<double>(best.totals.steps);
  }
  std::string share(double time) const { return fmt::format("{:.0f} %", 100 * time / watched); }

  std::string name, solver;
  int n;
  double factor_rate = 0, solution_rate = 0;  // operations a second
  std::pair<double, double> per_body;         // operations of a factorisation and of a solution
  std::unique_ptr<Simulation> simulation;
  double set_up = 0, watched = 0, evaluate = 0, tangent = 0, factorise = 0, solve = 0;
  Measured best;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {8, 128, 1024};

  std::vector<Case> cases;
  for (const char* integrator : {"{generalized-alpha: 0.8}", "trapezoidal"})
    for (const char* solver : {"sparse", "dca"})
      for (int n : sizes) cases.emplace_back(integrator, solver, n);
  // All cases in every round, so that a busy spell of the machine does not favour one of them.
  for (int round = 0; round < rounds; ++round)
    for (Case& c : cases) {
      c.measure();
      fmt::print(stderr, "round {}, {}, n = {}: {:.3g} s\n", round + 1, c.name, c.n, c.best.wall);
    }

  std::string costs, shares, ratios, rates;
  const double peak = peak_rate();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    costs += fmt::format(
        "| {} | {} | {:.3g} s | {:.2f} us | {:.3g} | {:.1e} | {:.2f} | {:.2f} | {:.2g} s |\n", c.name, c.n,
        c.best.wall, 1e6 * c.cost(), end / c.best.wall, c.best.drift / c.best.largest_kinetic,
        c.per_step(c.best.totals.iterations), c.per_step(c.best.totals.factorizations), c.set_up);
    shares += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", c.name, c.n, c.share(c.evaluate),
                          c.share(c.tangent), c.share(c.factorise), c.share(c.solve),
                          c.share(c.watched - c.evaluate - c.tangent - c.factorise - c.solve));
    if (c.solver == "dca")
      rates += fmt::format("| {} | {} | {:.0f} | {:.1f} | {:.0f} % | {:.0f} | {:.1f} | {:.0f} % |\n", c.name,
                           c.n, c.per_body.first, 1e-9 * c.factor_rate, 100 * c.factor_rate / peak,
                           c.per_body.second, 1e-9 * c.solution_rate, 100 * c.solution_rate / peak);
    if (i > 0 && cases[i - 1].name == c.name)
      ratios += fmt::format(
          "- {}: cost per body and step, n = {} over n = {}: **{:.2f}** (per iteration {:.2f})\n", c.name,
          c.n, cases[i - 1].n, c.cost() / cases[i - 1].cost(),
          c.cost() / cases[i - 1].cost() * cases[i - 1].per_step(cases[i - 1].best.totals.iterations) /
              c.per_step(c.best.totals.iterations));
  }
  fmt::print(
      "## Chain of n links\n\n"
      "Links of 1 m, 1 kg and 1 kg m2 on spherical joints, straight along x, falling from rest "
      "(`models/chain.yaml`); steps of 0.01 s for 10 s, one "
      "thread, best of {} rounds; reading, assembly and rank analysis are the set-up, not counted in the "
      "wall time. Energy drift is the largest "
      "|E - E(0)| over outputs every 0.05 s, as a fraction of the largest kinetic energy.\n\n"
      "    build/release/bench/bench_chain\n"
      "    hooke run models/chain.yaml --set parameters.n=128 --solver dca\n\n"
      "| integrator | n | wall time | per body and step | real-time factor | energy drift | iterations a "
      "step | factorisations a step | set-up |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n{}\n{}\n"
      "Where the time goes: residuals, constraints and kinematics; tangents; factorisations and solutions "
      "(their number times the time of one, "
      "measured alone at the last state); and the rest, which is the integrator's own algebra, time stepping "
      "and error in these.\n\n"
      "| integrator | n | evaluate | tangent | factorise | solve | rest |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n{}\n"
      "Divide and conquer in floating point operations, counted from the tree (multiply and add are two; "
      "gathering and "
      "storing are none), and the share of what one core reaches with multiply-add on registers, {:.1f} "
      "Gflop/s here:\n\n"
      "| integrator | n | factorisation, per body | Gflop/s | of peak | solution, per body and right-hand "
      "side | Gflop/s | "
      "of peak |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n{}",
      rounds, costs, ratios, shares, 1e-9 * peak, rates);
}
