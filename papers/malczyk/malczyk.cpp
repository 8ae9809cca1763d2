// The runs of Malczyk et al. (2019), section 4 and 5, and what the issues raised there come from. Writes
// tables (CSV) into the folder given; papers/malczyk/page.py draws them and writes docs/papers/malczyk.md.
//
//   paper_malczyk FOLDER            everything
//   paper_malczyk FOLDER PART...    of pendulum, forces, four_bar, chain, variants, norms, long, cost, shares, tree
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "hooke/base/timer.h"
#include "hooke/integrators/march.h"
#include "hooke/integrators/projector.h"
#include "hooke/simulation/simulation.h"
#include "hooke/solvers/joint_tree.h"

namespace {

using namespace hooke;

std::filesystem::path folder;

/// One way to run the paper's scheme: index 3, trapezoidal rule, augmented Lagrangian, projections.
struct Scheme {
  std::optional<double> penalty = 1e6;  ///< none: Hooke's own, from the masses and the step
  std::optional<int> iterations = 3;    ///< none: to convergence
  bool geometric = false;
  Projection projection = Projection::kinematic;
  InertiaTangent tangent = InertiaTangent::masses;

  GeneralizedAlphaSettings settings(std::shared_ptr<Team> team = nullptr) const {
    GeneralizedAlphaSettings s{
        AlphaParameters::trapezoidal(), ConstraintForm::index3, projection, {}, tangent};
    s.newton = {.penalty = penalty, .geometric_stiffness = geometric, .fixed_iterations = iterations};
    s.newton.solver = "dca";
    if (penalty) s.newton.regularisation = 1e-6;  // of the start, where the four-bar has redundant rows
    s.newton.team = std::move(team);
    if (!iterations) s.newton.max_iterations = 50;
    return s;
  }
};

/// A mechanism of the paper in either coordinates, and what the figures show of it.
struct Mechanism {
  std::string coordinates;  ///< "SO(3)" or "Euler parameters"
  const Dae* dae = nullptr;
  State start;
  std::function<Vec3(const State&, int body)> position, velocity, acceleration;
  std::function<Vec3(const State&)> first_force;  ///< of joint 1
  std::shared_ptr<void> owner;
  int bodies = 0;
};

/// A model of the repository, or the same in Euler parameters.
Mechanism from_model(const std::string& model, bool euler, std::vector<std::string> changes = {}) {
  const std::string file = euler ? "papers/malczyk_" + model + "_euler.yaml" : model + ".yaml";
  auto simulation =
      std::make_shared<Simulation>(load(std::string(HOOKE_ROOT) + "/models/" + file, std::move(changes)));
  Mechanism m{.coordinates = euler ? "Euler parameters" : "SO(3)",
              .dae = &simulation->system(),
              .start = simulation->start().state};
  const Simulation* s = simulation.get();
  m.position = [s](const State& state, int b) { return s->system().motion(b, state).pose.p; };
  m.velocity = [s](const State& state, int b) -> Vec3 {
    return s->system().motion(b, state).twist.head<3>();
  };
  // The first three of a body's generalized accelerations are those of its origin.
  m.acceleration = [s](const State& state, int b) -> Vec3 {
    return state.a.segment<3>(s->system().place_of(b).v);
  };
  std::shared_ptr<Workspace> w = s->system().workspace();
  m.first_force = [s, w](const State& state) -> Vec3 {
    auto& workspace = static_cast<SystemWorkspace&>(*w);
    s->system().update(state, workspace);
    const int joint1 = s->built().joints[0].constraint;
    return s->system().reaction(joint1, 1, state, workspace).head<3>();  // of the ground on the first body
  };
  m.bodies = s->system().bodies();
  m.owner = simulation;
  return m;
}

Mechanism double_pendulum(bool euler) { return from_model("double_pendulum", euler); }
Mechanism four_bar(bool euler) { return from_model("four_bar", euler, {"run.regularisation=1e-6"}); }
Mechanism chain(int n, bool euler) {
  return from_model("chain", euler, {fmt::format("parameters.n={}", n), "run.solver=dca"});
}

/// What the paper plots against time.
struct Look {
  double t = 0, kinetic = 0, potential = 0;
  std::array<double, 3> violation{};  ///< Euclidean norms at position, velocity and acceleration level
};

struct Outcome {
  bool finished = false;
  double wall = 0, largest_kinetic = 0, lowest = 0, lowest_at = 0, last = 0, drift = 0, largest_violation = 0;
};

Outcome run(const Mechanism& m, const Scheme& scheme, double end, double every,
            const std::function<void(const State&, const Look&)>& look = {}, double step = 0.01,
            std::shared_ptr<Team> team = nullptr) {
  GeneralizedAlpha integrator(*m.dae, scheme.settings(std::move(team)));
  // A step that fails has failed: the paper's scheme knows no smaller ones.
  March march(*m.dae, integrator, {.end = end, .step = step, .smallest_step = 0.75, .output_every = every});
  const auto w = m.dae->workspace();
  Outcome outcome;
  double first = 0;
  bool is_first = true;
  VectorX g;
  march.on_output = [&](const State& state) {
    Look l{.t = state.t};
    m.dae->update(state, *w);
    const Energy energy = m.dae->energy(state, *w);
    l.kinetic = energy.kinetic, l.potential = energy.potential;
    m.dae->position_constraints(state, *w, g), l.violation[0] = g.norm();
    m.dae->velocity_constraints(state, *w, g), l.violation[1] = g.norm();
    m.dae->acceleration_constraints(state, *w, g), l.violation[2] = g.norm();
    if (std::exchange(is_first, false)) first = energy.total();
    const double change = energy.total() - first;
    if (change < outcome.lowest) outcome.lowest = change, outcome.lowest_at = state.t;
    outcome.last = change;
    outcome.drift = std::max(outcome.drift, std::abs(change));
    outcome.largest_kinetic = std::max(outcome.largest_kinetic, energy.kinetic);
    outcome.largest_violation = std::max(outcome.largest_violation, l.violation[0]);
    if (look) look(state, l);
  };
  State state = m.start;
  const Timer timer;
  try {
    march.run(state);
    outcome.finished = true;
  } catch (const Error&) {
    outcome.lowest_at = state.t;
  }
  outcome.wall = timer.seconds();
  return outcome;
}

std::ofstream table(const std::string& name, const std::string& head) {
  std::ofstream out(folder / (name + ".csv"));
  fmt::print(out, "{}\n", head);
  return out;
}

std::string short_name(const Mechanism& m) { return m.coordinates == "SO(3)" ? "so3" : "euler"; }

/// Time histories of one body: Figs. 4-7, 10, 11.
void history(const std::string& name, const Mechanism& m, const Scheme& scheme, double end, double every,
             int body) {
  auto out =
      table(name + "_" + short_name(m), "t,x,y,z,vx,vy,vz,ax,ay,az,Fx,Fy,Fz,g,gv,ga,kinetic,potential");
  const Outcome o = run(m, scheme, end, every, [&](const State& s, const Look& l) {
    fmt::print(out, "{:.6g}", l.t);
    for (const Vec3& x :
         {m.position(s, body), m.velocity(s, body), m.acceleration(s, body), m.first_force(s)})
      fmt::print(out, ",{:.9g},{:.9g},{:.9g}", x[0], x[1], x[2]);
    fmt::print(out, ",{:.4g},{:.4g},{:.4g},{:.10g},{:.10g}\n", l.violation[0], l.violation[1], l.violation[2],
               l.kinetic, l.potential);
  });
  fmt::print("{} {}: {}, lowest energy {:.4g} J, {:.2g} s\n", name, m.coordinates,
             o.finished ? "finished" : "failed", o.lowest, o.wall);
}

void pendulum() {
  for (bool euler : {false, true}) history("double_pendulum", double_pendulum(euler), {}, 10, 0.05, 0);
}

/// The force in joint 1 by projection and step: what the multipliers of the last iteration lack.
void forces() {
  auto out = table("forces", "projection,alpha,step,t,Fx,Fy,Fz");
  const Mechanism m = double_pendulum(false);
  const auto one = [&](const char* name, double alpha, Projection projection, double step) {
    run(
        m, {.penalty = alpha, .projection = projection}, 10, 0.05,
        [&](const State& s, const Look& l) {
          const Vec3 force = m.first_force(s);
          fmt::print(out, "{},{:.0e},{:g},{:.6g},{:.9g},{:.9g},{:.9g}\n", name, alpha, step, l.t, force[0],
                     force[1], force[2]);
        },
        step);
  };
  for (const double step : {0.01, 0.005, 0.0025}) {
    one("none", 1e6, Projection::none, step);
    one("velocity", 1e6, Projection::velocity, step);
    one("kinematic", 1e6, Projection::kinematic, step);
    one("acceleration", 1e6, Projection::acceleration, step);
  }
  one("kinematic", 1e9, Projection::kinematic, 0.01);
}

void four_bars() {
  for (bool euler : {false, true}) {
    history("four_bar", four_bar(euler), {.iterations = 4}, 30, 0.05, 0);
    history("four_bar_long", four_bar(euler), {.iterations = 4}, 1000, 0.5, 0);
  }
}

void chain128() {
  for (bool euler : {false, true}) {
    const Mechanism m = chain(128, euler);
    history("chain", m, {.penalty = 1e9}, 10, 0.01, 127);
    if (euler) history("chain_geometric", m, {.penalty = 1e9, .geometric = true}, 10, 0.01, 127);
    auto out = table("snapshots_" + short_name(m), "t,body,x,y");
    run(m, {.penalty = 1e9}, 10, 0.5, [&](const State& s, const Look& l) {
      for (int b = 0; b < m.bodies; ++b)
        fmt::print(out, "{:.4g},{},{:.5g},{:.5g}\n", l.t, b, m.position(s, b)[0], m.position(s, b)[1]);
    });
  }
}

/// The paper's scheme, and one change of it at a time.
void variants() {
  auto out =
      table("variants",
            "coordinates,tangent,alpha,iterations,geometric,projection,finished,until,lowest,lowest_at,"
            "last,largest_kinetic,violation");
  for (const bool euler : {true, false}) {
    const Mechanism m = chain(128, euler);
    const auto one = [&](const Scheme& scheme) {
      const Outcome o = run(m, scheme, 10, 0.01);
      const char* projections[] = {"none", "velocity", "acceleration", "kinematic"};
      fmt::print(out, "{},{},{:.0e},{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.5g},{:.2g}\n", m.coordinates,
                 scheme.tangent == InertiaTangent::masses ? "masses" : "exact", *scheme.penalty,
                 scheme.iterations ? std::to_string(*scheme.iterations) : "to 1e-10",
                 scheme.geometric ? "yes" : "no", projections[static_cast<int>(scheme.projection)],
                 o.finished ? "yes" : "no", o.finished ? 10.0 : o.lowest_at, o.lowest,
                 o.finished ? o.lowest_at : 0, o.last, o.largest_kinetic, o.largest_violation);
      fmt::print("variants: {} alpha {:.0e}: {}\n", m.coordinates, *scheme.penalty,
                 o.finished ? o.lowest : NAN);
      out.flush();
    };
    for (double alpha : {1e6, 1e7, 1e8, 1e9, 1e10}) one({.penalty = alpha});
    one({.penalty = 1e9, .tangent = InertiaTangent::exact});
    for (Projection projection : {Projection::acceleration, Projection::velocity, Projection::none})
      one({.penalty = 1e9, .projection = projection});
    one({.penalty = 1e9, .projection = Projection::acceleration, .tangent = InertiaTangent::exact});
    for (int iterations : {2, 5, 10}) one({.penalty = 1e9, .iterations = iterations});
    one({.penalty = 1e7, .iterations = 10});
    one({.penalty = 1e9, .iterations = {}});
    for (double alpha : {1e7, 1e8, 1e9, 1e10}) one({.penalty = alpha, .geometric = true});
    for (int iterations : {2, 5, 10}) one({.penalty = 1e9, .iterations = iterations, .geometric = true});
  }
}

/// The largest norm of the third increment of q in 10 s. All three have the same tangent, so that it is what a step
/// of two iterations lacks.
void norms() {
  auto out = table("norms", "n,coordinates,alpha,until,norm");
  for (const bool euler : {true, false})
    for (const auto& [n, alpha] : {std::pair{2, 1e6}, {2, 1e9}, {128, 1e9}, {1024, 1e9}, {1024, 1e12}}) {
      const Mechanism m = chain(n, euler);
      GeneralizedAlpha two(*m.dae, Scheme{.penalty = alpha, .iterations = 2}.settings()),
          three(*m.dae, Scheme{.penalty = alpha}.settings());
      State state = m.start;
      VectorX third;
      double largest = 0;
      for (int k = 0; k < 1000; ++k) {
        State shorter = state;
        if (!two.step(shorter, 0.01).accepted || !three.step(state, 0.01).accepted) break;
        m.dae->minus(state.q, shorter.q, third);
        largest = std::max(largest, third.norm());
      }
      fmt::print(out, "{},{},{:.0e},{:.4g},{:.4g}\n", n, m.coordinates, alpha, state.t, largest);
      fmt::print("norms: {} links, {}, alpha {:.0e}: {:.2g} until {:.2f} s\n", n, m.coordinates, alpha,
                 largest, state.t);
    }
}

void long_chains() {
  auto out = table("long", "n,steps,wall,lowest,largest_kinetic,violation,finished");
  for (auto [n, end] : {std::pair{1024, 10.0}, {10000, 2.0}}) {
    const Outcome o = run(chain(n, false), {.penalty = {}}, end, 0.1);
    fmt::print(out, "{},{},{:.3g},{:.4g},{:.5g},{:.2g},{}\n", n, static_cast<int>(std::lround(end / 0.01)),
               o.wall, o.lowest, o.largest_kinetic, o.largest_violation, o.finished ? "yes" : "no");
    fmt::print("long: {} links, {:.3g} s\n", n, o.wall);
  }
}

/// Wall time of a step of the paper's scheme, three iterations and both projections: the mean of a run. Every 50 steps it
/// begins anew, since without projections it blows up, and numbers that are none cost another time.
double step_time(const Mechanism& m, std::shared_ptr<Team> team, int steps,
                 Projection projection = Projection::kinematic) {
  GeneralizedAlpha integrator(*m.dae, Scheme{.penalty = {}, .projection = projection}.settings(team));
  State state = m.start;
  for (int i = 0; i < 3; ++i) integrator.step(state, 0.01);
  const Timer timer;
  for (int i = 0; i < steps; ++i) {
    if (i % 50 == 0) state = m.start;
    integrator.step(state, 0.01);
  }
  return timer.seconds() / steps;
}

void cost() {
  auto out = table("cost", "n,step,per_body,threads");
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int n = 2; n <= 8192; n *= 2) {
    const Mechanism m = chain(n, false);
    auto* simulation = static_cast<Simulation*>(m.owner.get());
    for (int threads = 1; threads <= cores; ++threads) {
      const auto team = threads > 1 ? std::make_shared<Team>(threads) : nullptr;
      simulation->use(team);
      double time = INFINITY;
      for (int round = 0; round < 5; ++round)
        time = std::min(time, step_time(m, team, std::max(5, 20000 / n)));
      fmt::print(out, "{},{:.5g},{:.5g},{}\n", n, time, time / n, threads);
      fmt::print("cost: n = {}, {} threads: {:.3g} us per body and step\n", n, threads, 1e6 * time / n);
      simulation->use(nullptr);
    }
  }
}

/// What of a step the iterations take, and what each projection adds.
void shares() {
  auto out = table("shares", "n,iterations,velocities,accelerations");
  for (int n : {8, 128, 1024}) {
    const Mechanism m = chain(n, false);
    double none = INFINITY, velocity = INFINITY, both = INFINITY;
    const auto time = [&](double& least, Projection projection) {
      least = std::min(least, step_time(m, nullptr, std::max(5, 20000 / n), projection));
    };
    for (int round = 0; round < 15; ++round) {  // in turn, so that what disturbs one disturbs all
      time(none, Projection::none);
      time(velocity, Projection::velocity);
      time(both, Projection::kinematic);
    }
    fmt::print(out, "{},{:.4g},{:.4g},{:.4g}\n", n, none / both, (velocity - none) / both,
               (both - velocity) / both);
  }
}

/// Levels of the tree, and how many joints must be eliminated one after the other when p processors share
/// them.
void tree() {
  auto out = table("tree", "n,levels,processors,path");
  for (int n : {8, 128, 1024, 8192}) {
    const JointTree t(chain(n, false).dae->structure());
    std::vector<int> width(t.depth, 0);
    for (const JointTree::Node& node : t.nodes) ++width[node.level];
    for (int p = 1; p <= 1024; p *= 2) {
      int path = 0;
      for (int joints : width) path += (joints + p - 1) / p;
      fmt::print(out, "{},{},{},{}\n", n, t.depth, p, path);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: paper_malczyk FOLDER [PART...]\n");
    return 2;
  }
  folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::vector<std::pair<std::string, void (*)()>> parts{
      {"pendulum", pendulum}, {"forces", forces}, {"four_bar", four_bars}, {"chain", chain128},
      {"variants", variants}, {"norms", norms},   {"long", long_chains},   {"cost", cost},
      {"shares", shares},     {"tree", tree}};
  const std::set<std::string> wanted(argv + 2, argv + argc);
  for (const auto& [name, part] : parts)
    if (wanted.empty() || wanted.contains(name)) part();
}
