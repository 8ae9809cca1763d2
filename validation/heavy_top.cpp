#include "validation/cases.h"

namespace hooke::validation {
namespace {

struct Point {
  double t;
  Vec3 centre;
};
const Point reference[] = {{0.5, {-0.702468297, -0.021165185, -0.711400258}},
                           {1, {0.173343964, 0.640088592, -0.748490791}},
                           {2, {-0.150416823, -0.724165592, -0.673022270}}};

struct Result {
  double errors[3];
  std::string steps;
  double cpu_time;
};

/// Each time is the end of a run of its own, so that nothing is interpolated.
Result errors_of(const Method& method) {
  Result result{};
  for (int i = 0; i < 3; ++i) {
    const std::string end = fmt::format("{}", reference[i].t);
    const Run top = run("benchmarks/heavy_top.yaml", method, {"run.end=" + end, "outputs.every=" + end});
    const Trajectory& trajectory = top.trajectory;
    result.errors[i] = (trajectory.position(trajectory.last(), "top") - reference[i].centre).norm();
    result.steps = steps(trajectory.summary());
    result.cpu_time = top.cpu_time;
  }
  return result;
}

}  // namespace

void heavy_top(Report& report) {
  report.heading("Heavy top");
  report.text(
      "A top of 15 kg spins at 150 rad/s about its axis, 24 turns a second, while its tip is held: the "
      "standard test of "
      "integrators for rotations. The reference gives its mass centre with nine digits. Errors are distances "
      "from it, each at the end "
      "of a run of its own; steps and CPU time are those of the run of 2 s.");
  report.command("hooke run models/benchmarks/heavy_top.yaml --integrator dormand-prince --tolerance 1e-10");

  std::vector<std::vector<std::string>> rows;
  double best = 0, last_order = 0;
  for (double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    const Method method = dormand_prince(tolerance, 1e-4);
    const Result r = errors_of(method);
    rows.push_back({method.name, method.setting, scientific(r.errors[0]), scientific(r.errors[1]),
                    scientific(r.errors[2]), "", r.steps, seconds(r.cpu_time)});
    best = *std::max_element(r.errors, r.errors + 3);
  }
  std::vector<double> steps_used;
  std::vector<std::vector<double>> curves;
  for (double rho : {0.8, 1.0}) {
    std::vector<double> curve;
    steps_used.clear();
    for (double h = 1e-3; h > 2e-5; h /= 2) {
      const Method method = generalized_alpha(rho, h);
      const Result r = errors_of(method);
      const double coarser = curve.empty() ? 0 : curve.back();
      rows.push_back({method.name, method.setting, scientific(r.errors[0]), scientific(r.errors[1]),
                      scientific(r.errors[2]), order_of(coarser, r.errors[2]), r.steps, seconds(r.cpu_time)});
      last_order = std::log2(coarser / r.errors[2]);
      curve.push_back(r.errors[2]);
      steps_used.push_back(h);
    }
    curves.push_back(curve);
  }
  report.table({"integrator", "setting", "error at 0.5 s", "error at 1 s", "error at 2 s", "order", "steps",
                "CPU time"},
               rows);
  report.data("heavy_top", {"step", "rho 0.8", "rho 1"}, {steps_used, curves[0], curves[1]});
  report.figure("heavy_top", "Error of the heavy top at 2 s over the step");
  report.expect("dormand-prince at 1e-12 reproduces all the digits of the reference: largest error in m",
                best, 2e-9);
  report.expect("generalized-alpha converges with order 2: deviation of the last order measured",
                std::abs(last_order - 2), 0.1);
}

}  // namespace hooke::validation
