// 6.1: the cuboid pendulum on three meshes.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "hooke/solvers/schur.h"
#include "papers/kan/cases.h"

namespace hooke::kan {
namespace {

struct Pendulum {
  CorotationalSolid body;
  System system;
  int tip, middle, corner;

  Pendulum(int along, int across, const Way& way)
      : body(solid(plain_model(box_mesh(Vec3(4, 4, 40), {across, across, along})), way)) {
    const SolidMesh& mesh = body.model->mesh;
    const auto node = [&](double x, double y, double z) {
      return mesh.nearest_node(Vec3(x - 2, y - 2, z - 20));
    };
    corner = node(0, 0, 0), tip = node(0, 0, 40), middle = node(0, 0, 20);
    body.start.p = Vec3(2, 2, 20);
    body.three_nodes = {corner, tip, node(4, 0, 0)};
    pin(system, system.add_body(body, "cuboid"), body, corner, "pivot");
    system.finish(Vec3(0, -9.81, 0));
  }
  Vec3 displacement(const State& state, int node) const {
    return state.q.segment<3>(3 * node) - (body.start.p + body.model->mesh.nodes[node]);
  }
  /// Of the mid-span point in the frame of three corners, whichever frame the run used.
  Vec3 local(const State& state) const {
    CorotationalSolid seen = body;
    seen.fit = FrameFit::three_nodes;
    const Mat3 R = seen.rotation(state.q.data());
    return R.transpose() * (state.q.segment<3>(3 * middle) - state.q.segment<3>(3 * corner)) -
           (body.model->mesh.nodes[middle] - body.model->mesh.nodes[corner]);
  }
};

struct History {
  std::vector<double> t, iterations;
  std::vector<Vec3> tip, velocity, acceleration, local;  ///< the first three of the free end
  Cost cost;
};

History history(const Way& way) {
  Pendulum pendulum(20, 2, way);
  State state = pendulum.system.initial_state();
  History h;
  h.cost = run(pendulum.system, state, 0.01, 1000, paper_settings(), [&](const State& s, int iterations) {
    h.t.push_back(s.t);
    h.iterations.push_back(iterations);
    h.tip.push_back(pendulum.displacement(s, pendulum.tip));
    h.velocity.push_back(s.v.segment<3>(3 * pendulum.tip));
    h.acceleration.push_back(s.a.segment<3>(3 * pendulum.tip));
    h.local.push_back(pendulum.local(s));
  });
  return h;
}

double largest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double worst = 0;  // the first state has no accelerations yet
  for (std::size_t i = 1; i < a.size(); ++i) worst = std::max(worst, (a[i] - b[i]).norm());
  return worst;
}

/// Of the tip, from the file of CalculiX: every tenth output.
std::vector<Vec3> reference() {
  std::ifstream file(HOOKE_ROOT "/tests/data/reference/cuboid_A.csv");
  std::vector<Vec3> tip;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream row(line);
    double t;
    Vec3 u;
    row >> t >> u.x() >> u.y() >> u.z();
    tip.push_back(u);
  }
  return tip;
}

void add_columns(std::vector<std::string>& names, std::vector<std::vector<double>>& columns,
                 const std::string& prefix, const std::vector<Vec3>& values) {
  for (int d = 0; d < 3; ++d) {
    names.push_back(prefix + "_" + "xyz"[d]);
    auto& column = columns.emplace_back();
    for (const Vec3& v : values) column.push_back(v[d]);
  }
}

}  // namespace

void cuboid(Report& report) {
  report.heading("Cuboid pendulum (6.1)");
  report.text(
      "40 x 4 x 4 m of aluminium, 20 x 2 x 2 plain hex8 elements (mesh A, 567 dofs), one corner pinned, "
      "gravity along -y, "
      "from rest; Newmark 0.26, 0.5 with h = 0.01 s for 10 s.");
  const History full = history(full_cr), constant = history(element_forces), best = history(component),
                paper = history(paper_component),
                simplified = history({"", Corotation::component, FrameFit::best, false}),
                three_nodes = history({"", Corotation::component, FrameFit::three_nodes, true});
  const auto size = [](const std::vector<Vec3>& of) {
    return largest(of, std::vector<Vec3>(of.size(), zero3));
  };
  const double span = size(full.local);
  std::vector<Vec3> sampled;
  for (std::size_t i = 0; i < full.tip.size(); i += 10) sampled.push_back(full.tip[i]);
  const std::vector<Vec3> calculix = reference();

  const auto first = [](std::vector<Vec3> of) { return of.resize(301), of; };  // 3 s
  const auto row = [&](const char* name, const History& h) {
    return std::vector<std::string>{
        name,
        fmt::format("{:.2f} mm", 1e3 * largest(h.tip, full.tip)),
        fmt::format("{:.2f} %", 100 * largest(h.velocity, full.velocity) / size(full.velocity)),
        fmt::format("{:.2f} %", 100 * largest(h.acceleration, full.acceleration) / size(full.acceleration)),
        fmt::format("{:.2f} %", 100 * largest(first(h.local), first(full.local)) / span),
        fmt::format("{:.2f} %", 100 * largest(h.local, full.local) / span),
        fmt::format("{:.2f}", h.cost.mean_iterations())};
  };
  report.table({"", "tip from full CR", "its velocity", "its acceleration", "mid-span deflection, 3 s",
                "10 s", "iterations a step"},
               {row(full_cr.name, full), row(element_forces.name, constant), row(component.name, best),
                row("best fit, force (11)", simplified), row("three nodes, force (10)", three_nodes),
                row("three nodes, force (11): the paper's", paper)});
  report.text(
      "Velocities, accelerations and deflections are compared point by point, as parts of the largest one. "
      "What separates them is nearly "
      "all phase: a pure delay of "
      "the component, 5 ms after 9 s, explains more than nine tenths of the difference. A frame for the "
      "whole body does not see how the pull of "
      "the swinging body stiffens it, which raises the frequency of bending by about that much. Forces of "
      "every "
      "element's own frame see it, and need no other matrix (`corotation: element, tangent: constant`, the "
      "second row): "
      "what Hooke offers where the deflection matters.");
  report.expect("tip of the component within 0.1 % of the length of full CR's (m)",
                largest(best.tip, full.tip), 0.04);
  report.expect("its velocity as full CR's, of the largest",
                largest(best.velocity, full.velocity) / size(full.velocity), 0.01);
  report.expect("its acceleration as full CR's, of the largest",
                largest(best.acceleration, full.acceleration) / size(full.acceleration), 0.1);
  report.expect(
      "mid-span deflection within 1 % of its largest for 10 s, forces of full CR and constant matrix",
      largest(constant.local, full.local) / span, 0.01);
  report.expect("with one frame for the body within 2 %", largest(best.local, full.local) / span, 0.02);
  report.expect("and with the paper's frame and force", largest(paper.local, full.local) / span, 0.02);
  report.expect("at most 4 iterations a step on average", best.cost.mean_iterations(), 4);
  report.expect("full CR's tip beside CalculiX's, whose own error is 6 mm (m)", largest(sampled, calculix),
                0.02);

  std::vector<std::string> names{"t"};
  std::vector<std::vector<double>> columns{full.t};
  add_columns(names, columns, "full_tip", full.tip);
  add_columns(names, columns, "best_tip", best.tip);
  for (const auto& [name, h] : {std::pair{"full", &full}, {"best", &best}}) {
    add_columns(names, columns, std::string(name) + "_velocity", h->velocity);
    add_columns(names, columns, std::string(name) + "_acceleration", h->acceleration);
  }
  add_columns(names, columns, "full_local", full.local);
  add_columns(names, columns, "best_local", best.local);
  add_columns(names, columns, "paper_local", paper.local);
  names.push_back("iterations");
  columns.push_back(best.iterations);
  report.data("cuboid", names, columns);
  report.figure("kan_cuboid",
                "Mesh A: displacement, velocity and acceleration of the free end, local displacement of the "
                "mid-span point, iterations "
                "(the paper's Figs. 6 to 8).");
}

namespace {

/// Of one call each, in seconds.
struct Parts {
  double residual = 0, tangent = 0, factor = 0, solve = 0;
};

Parts parts(const Pendulum& pendulum, const State& state, double h, int repeats) {
  const System& system = pendulum.system;
  const auto workspace = system.workspace();
  KktMatrix kkt(system.structure());
  SchurSolver solver;
  kkt.accept_turned(true);
  VectorX r, x = VectorX::Zero(system.nv() + system.nc());
  Parts p;
  for (int k = 0; k <= repeats; ++k) {
    const double begin = cpu();
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    const double evaluated = cpu();
    system.tangent(state, {.m = 1, .d = 0.5 * h, .k = 0.26 * h * h}, *workspace, kkt);
    kkt.regularise(1e-8, system.row_compliance());
    const double written = cpu();
    solver.factorize(kkt);
    const double factored = cpu();
    x.head(system.nv()) = r;
    solver.solve(x);
    if (k == 0) continue;  // symbolic work, and what stays
    p.residual += (evaluated - begin) / repeats;
    p.tangent += (written - evaluated) / repeats;
    p.factor += (factored - written) / repeats;
    p.solve += (cpu() - factored) / repeats;
  }
  return p;
}

std::string time_of(double s) {
  return s < 1e-3 ? fmt::format("{:.0f} us", 1e6 * s)
         : s < 1  ? fmt::format("{:.2f} ms", 1e3 * s)
                  : fmt::format("{:.2f} s", s);
}

}  // namespace

void table(Report& report) {
  constexpr int before = 150, timed = 50;
  report.heading("What a step costs: Table 1");
  report.text(fmt::format(
      "Processor time of one core, of the same program in one run, a mean over {} steps after {:g} s, when "
      "the "
      "body swings fastest. Full CR solves with a new tangent and "
      "factor (sparse "
      "Cholesky, METIS) in every iteration, as the paper does, or keeps them while the iteration converges; "
      "the component has "
      "one factor for all steps. The paper's times are for 1000 steps in MATLAB.",
      timed, 0.01 * before));
  struct Mesh {
    const char* name;
    int along, across;
    double paper_full, paper_component;
  };
  std::vector<std::vector<std::string>> rows, shares;
  double ratio_C = 0, most_constant = 0;
  for (const Mesh& mesh : {Mesh{"A", 20, 2, 27.46, 0.71}, Mesh{"B", 50, 5, 467.52, 11.45},
                           Mesh{"C", 100, 10, 5206.83, 149.97}}) {
    const auto steps = [&](const Way& way, State& state, int number, bool full_newton) {
      Pendulum pendulum(mesh.along, mesh.across, way);
      if (state.q.size() == 0) state = pendulum.system.initial_state();
      return run(pendulum.system, state, 0.01, number, paper_settings(full_newton), [](const State&, int) {});
    };
    State at_speed;
    steps(component, at_speed, before, false);
    const auto cost = [&](const Way& way, bool full_newton) {
      State state = at_speed;
      return steps(way, state, timed + 1, full_newton);  // the first one is not timed
    };
    const Cost full = cost(full_cr, true), reuse = cost(full_cr, false), one = cost(component, false),
               constant = cost(element_forces, false);
    most_constant = std::max(most_constant, constant.per_step() / one.per_step());
    const double ratio = full.per_step() / one.per_step();
    if (*mesh.name == 'C') ratio_C = ratio;
    rows.push_back(
        {mesh.name, fmt::format("{} ({:.1f} it.)", time_of(full.per_step()), full.mean_iterations()),
         fmt::format("{} ({:.1f} it., {:.2f} factors)", time_of(reuse.per_step()), reuse.mean_iterations(),
                     static_cast<double>(reuse.factorizations) / reuse.steps),
         fmt::format("{} ({:.1f} it.)", time_of(one.per_step()), one.mean_iterations()),
         fmt::format("{} ({:.1f} it.)", time_of(constant.per_step()), constant.mean_iterations()),
         fmt::format("{:.1f}", ratio), fmt::format("{:.1f}", reuse.per_step() / one.per_step()),
         fmt::format("{:.3g} ms, {:.3g} ms", mesh.paper_full, mesh.paper_component),
         fmt::format("{:.1f}", mesh.paper_full / mesh.paper_component)});
    for (const Way& way : {full_cr, element_forces, component}) {
      Pendulum pendulum(mesh.along, mesh.across, way);
      const Parts p = parts(pendulum, at_speed, 0.01, *mesh.name == 'C' ? 2 : 10);
      shares.push_back({fmt::format("{}, {}", mesh.name, way.name), time_of(p.residual), time_of(p.tangent),
                        time_of(p.factor), time_of(p.solve)});
    }
  }
  report.table({"mesh", "full CR, full Newton", "full CR, tangent kept", "component", element_forces.name,
                "ratio", "ratio, tangent kept", "paper, a step: full, proposed", "paper's ratio"},
               rows);
  report.text("One call of each part of an iteration:");
  report.table({"", "forces", "tangent", "factor", "substitution"}, shares);
  report.expect("forces of full CR with the component's matrix: at most 1.5 times the time of the component",
                most_constant, 1.5);
  report.expect(
      fmt::format("component at least 40 times faster than full CR with full Newton on mesh C: {:.2g} times",
                  ratio_C),
      ratio_C >= 40);
}

}  // namespace hooke::kan
