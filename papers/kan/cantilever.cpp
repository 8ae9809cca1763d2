// 6.3: a cantilever of large deflection, as one body with a frame for each element and as components tied
// together.
#include "analysis/statics.h"
#include "forces/point_load.h"
#include "papers/kan/cases.h"

namespace hooke::kan {
namespace {

constexpr double length = 2, width = 0.04, thickness = 0.006;

/// 200 x 4 x 1 elements along x, clamped at x = 0, two forces on the corners of the other end. 0 components:
/// full CR.
struct Cantilever {
  System system;
  int last = 0, tip_dof = 0;

  Cantilever(int components, double force) {
    const int pieces = std::max(components, 1);
    const auto model = plain_model(box_mesh(Vec3(length / pieces, width, thickness), {200 / pieces, 4, 1}));
    const SolidMesh& mesh = model->mesh;
    CorotationalSolid piece = solid(model, components ? component : full_cr);
    for (int k = 0; k < pieces; ++k) {
      piece.start.p.x() = (k + 0.5) * length / pieces;
      last = system.add_body(piece, fmt::format("piece {}", k + 1));
      for (int node : mesh.set("x_min")) {
        const Vec3 there = mesh.nodes[node] + Vec3(length / pieces, 0, 0);
        if (k == 0)
          pin(system, last, piece, node, "clamp");
        else
          system.add_constraint(
              joints::Spherical{},
              std::array{system.add_frame<CorotationalSolid>(
                             last - 1, piece.attach_node(mesh.nearest_node(there)), false),
                         system.add_frame<CorotationalSolid>(last, piece.attach_node(node), false)},
              "tie");
      }
    }
    for (double side : {-0.5, 0.5}) {
      const int node = mesh.nearest_node(Vec3(length / pieces / 2, side * width, thickness / 2));
      system.add_force(PointLoad{TimeVector(0.0, 0.0, -force)},
                       std::array{system.add_frame<CorotationalSolid>(last, piece.attach_node(node), false)},
                       "load");
      tip_dof = (pieces - 1) * piece.nv() + 3 * node + 2;
    }
    system.finish(zero3);
  }
  double deflection(const State& state) const { return thickness / 2 - state.q[tip_dof]; }
};

}  // namespace

void cantilever(Report& report) {
  report.heading("Cantilever in components (6.3)");
  report.text(
      "200 x 4 x 1 plain hex8 elements; 2 m long, 40 mm wide, 6 mm thick (the paper gives no measures; these "
      "bend by about "
      "half the length, as it says), 30 N on each of the two upper corners of the end. Components are tied "
      "at every node of "
      "their interfaces. Statics by the relaxation of [theory](../theory.md) section 3.");
  const auto statics = [&](int components) {
    Cantilever beam(components, 30);
    State state = beam.system.initial_state();
    NewtonSettings newton;
    newton.solver = "umfpack";
    const StaticResult result = find_equilibrium(beam.system, state, newton);
    if (!result.converged)
      throw std::runtime_error(fmt::format("{} components: {}", components, result.failure));
    return beam.deflection(state);
  };
  const double full = statics(0);
  std::vector<std::vector<std::string>> rows{{"full CR", fmt::format("{:.4f} m", full), ""}};
  std::vector<double> counts, errors;
  double last = 1;
  for (int components : {2, 5, 10, 20}) {
    const double w = statics(components);
    last = std::abs(w / full - 1);
    counts.push_back(components);
    errors.push_back(last);
    rows.push_back({fmt::format("{} components", components), fmt::format("{:.4f} m", w),
                    fmt::format("{:.3f} %", 100 * last)});
  }
  report.table({"", "deflection of the end", "from full CR"}, rows);
  report.expect("20 components within 0.15 % of full CR", last, 0.0015);
  report.expect("full CR deflects by about half the length (m from 1)", std::abs(full - 1), 0.05);
  report.data("cantilever_statics", {"components", "error"}, {counts, errors});

  report.text("Dynamics: the load at once, h = 2 ms for 0.4 s, 20 components.");
  std::vector<double> t, of_full, of_components;
  const auto dynamics = [&](int components, std::vector<double>& w) {
    Cantilever beam(components, 30);
    State state = beam.system.initial_state();
    return run(beam.system, state, 2e-3, 200, paper_settings(), [&](const State& s, int) {
      if (components == 0) t.push_back(s.t);
      w.push_back(beam.deflection(s));
    });
  };
  const Cost slow = dynamics(0, of_full), fast = dynamics(20, of_components);
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    difference = std::max(difference, std::abs(of_full[i] - of_components[i]));
    largest = std::max(largest, std::abs(of_full[i]));
  }
  report.table({"", "time a step", "iterations a step"},
               {{"full CR, tangent kept", fmt::format("{:.1f} ms", 1e3 * slow.per_step()),
                 fmt::format("{:.1f}", slow.mean_iterations())},
                {"20 components", fmt::format("{:.1f} ms", 1e3 * fast.per_step()),
                 fmt::format("{:.1f}", fast.mean_iterations())}});
  report.text(
      fmt::format("Largest deflection {:.3f} m, {:.2f} of the static one. The paper: 54.64 s against 3.53 s, "
                  "15 times; here {:.1f} times.",
                  largest, largest / full, slow.per_step() / fast.per_step()));
  report.expect("curves within 2 % of the largest deflection", difference / largest, 0.02);
  report.data("cantilever", {"t", "full", "components"}, {t, of_full, of_components});
  report.figure("kan_cantilever",
                "Deflection of the end over time, and how far the static one of N components is from full "
                "CR's (the paper's Figs. 13 and 14).");
}

}  // namespace hooke::kan
