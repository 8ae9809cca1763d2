#include "validation/cases.h"

namespace hooke::validation {
namespace {

using test::Pendulum;

const std::vector<std::string> last_columns{"energy drift, J",   "of largest T",   "steps",
                                            "iterations a step", "factors a step", "CPU time"};

/// The columns all benchmarks share.
std::vector<std::string> costs(const Run& run) {
  const Summary& s = run.trajectory.summary();
  const auto per_step = [&](long n) {
    return fmt::format("{:.2f}", static_cast<double>(n) / static_cast<double>(std::max(1L, s.totals.steps)));
  };
  return {scientific(s.energy_drift),
          scientific(s.energy_drift / s.largest_kinetic_energy),
          steps(s),
          per_step(s.totals.iterations),
          per_step(s.totals.factorizations),
          seconds(run.cpu_time)};
}

std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Of the same outputs of two runs.
double largest_distance(const Trajectory& a, const Trajectory& b, const std::string& body) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    distance = std::max(distance, (a.position(i, body) - b.position(i, body)).norm());
  return distance;
}

void pendulum(Report& report) {
  report.subheading("A01 planar pendulum");
  report.text(
      "A mass point on a massless rod, let go from the horizontal, 10 s. The benchmark accepts |dE| < 5e-5 J "
      "(the largest kinetic "
      "energy is 9.81 J). Errors are distances from the reference at 1, 5 and 10 s.");
  report.command("hooke run models/benchmarks/a01_pendulum.yaml");
  const std::pair<double, Vec3> reference[] = {{1, {-0.986291751132, -0.165010853125, 0}},
                                               {5, {0.942305435044, -0.334754338414, 0}},
                                               {10, {0.275087462576, -0.961419205099, 0}}};
  std::vector<std::vector<std::string>> rows;
  std::vector<double> drifts, at_end;
  for (const Method& method : {generalized_alpha(0.9, 2e-3), generalized_alpha(0.9, 1e-3),
                               generalized_alpha(0.9, 5e-4), generalized_alpha(0.9, 2.5e-4),
                               fixed("trapezoidal", 1e-3), generalized_alpha_varying(0.9, 1e-8, 1e-3),
                               fixed("dormand-prince", 1e-2), fixed("dormand-prince", 5e-3)}) {
    const Run r = run("benchmarks/a01_pendulum.yaml", method);
    std::vector<std::string> row{method.name, method.setting};
    for (const auto& [t, place] : reference) {
      const double error = (r.trajectory.position(static_cast<std::size_t>(100 * t), "mass") - place).norm();
      row.push_back(scientific(error));
      if (t == 10) at_end.push_back(error);
    }
    rows.push_back(join(row, costs(r)));
    drifts.push_back(r.trajectory.summary().energy_drift);
  }
  report.table(join({"integrator", "setting", "at 1 s, m", "at 5 s, m", "at 10 s, m"}, last_columns), rows);
  report.expect("generalized-alpha with steps of 0.5 ms: |dE| in J", drifts[2], 5e-5);
  report.expect("trapezoidal rule with steps of 1 ms: |dE| in J", drifts[4], 5e-5);
  report.expect("dormand-prince with steps of 5 ms reproduces the reference: error at 10 s, m", at_end[7],
                1e-8);
}

/// phi'' = g ((N + 1)/2 + N)/((N + 1)/3 + N) sin(phi): all links but the top ones turn, the top ones move in
/// parallel.
std::vector<Pendulum> n_four_bar_solution(int N, const std::vector<double>& times) {
  const double k = 9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
  return test::solve_pendulum([k](double phi) { return k * std::sin(phi); }, {0, 1}, times);
}

void n_four_bar(Report& report) {
  report.subheading("A02 N-four-bar");
  report.text(
      "N windows in a row fall over and turn around their joints. Twice in every turn all links lie flat: "
      "for a moment there are "
      "N + 1 degrees of freedom instead of one, and the Newton matrix of a plain method is singular. Within "
      "10 s the mechanism passes "
      "such a position 10 times (N = 2, 31.75 rad), within 20 s 20 times (N = 40, 83 bodies, 63.25 rad). As "
      "a single degree of freedom it "
      "can be solved exactly. *Angle*: largest error of phi over 0.01 s outputs.");
  report.command("hooke run models/benchmarks/a02_n_four_bar.yaml --set parameters.N=40 --end 20");
  std::vector<std::vector<std::string>> rows;
  double finest[2] = {}, coarser[2] = {}, drift[2] = {}, explicit_error = 0;
  for (int which : {0, 1}) {
    const int N = which ? 40 : 2;
    const double end = which ? 20 : 10;
    std::vector<Method> methods{generalized_alpha(0.8, 1e-2), generalized_alpha(0.8, 2e-3),
                                generalized_alpha(0.8, 1e-3)};
    if (N == 2)
      methods.insert(methods.end(),
                     {generalized_alpha(0.8, 5e-4), fixed("trapezoidal", 1e-3),
                      generalized_alpha_varying(0.8, 1e-6, 1e-3), dormand_prince(1e-10, 1e-3)});
    else
      methods.insert(methods.end(), {fixed("trapezoidal", 2e-3), dormand_prince(1e-8, 1e-3)});
    std::vector<std::string> columns{"t", "phi"};
    std::vector<std::vector<double>> data;
    for (const Method& method : methods) {
      const Run r =
          run("benchmarks/a02_n_four_bar.yaml", method,
              {fmt::format("parameters.N={}", N), fmt::format("run.end={}", end), "outputs.every=0.01"});
      const Trajectory& path = r.trajectory;
      const std::vector<Pendulum> exact = n_four_bar_solution(N, path.times());
      std::vector<double> errors, angles;
      for (std::size_t i = 0; i < path.size(); ++i) {
        angles.push_back(exact[i][0]);
        errors.push_back(std::abs(-path.coordinate(i, "A0") - exact[i][0]));
      }
      if (data.empty()) data = {path.times(), angles};
      columns.push_back(method.name + "; " + method.setting);
      data.push_back(errors);
      const double error = *std::max_element(errors.begin(), errors.end());
      rows.push_back(join({std::to_string(N), method.name, method.setting, scientific(error)}, costs(r)));
      if (method.name.starts_with("generalized") && method.setting == "h = 0.002 s") coarser[which] = error;
      if (method.setting == "h = 0.001 s" && method.name.starts_with("generalized")) {
        finest[which] = error;
        drift[which] = path.summary().energy_drift / path.summary().largest_kinetic_energy;
      }
      if (method.name == "dormand-prince" && N == 2) explicit_error = error;
    }
    report.data(fmt::format("n_four_bar_{}", N), columns, data);
  }
  report.table(join({"N", "integrator", "setting", "angle, rad"}, last_columns), rows);
  report.figure("n_four_bar", "N-four-bar: angle and its errors, through 10 and 20 singular positions");
  report.expect("the singular positions cost no order, N = 2: 2 less the order from 2 to 1 ms",
                2 - std::log2(coarser[0] / finest[0]), 0.2);
  report.expect("the singular positions cost no order, N = 40: 2 less the order from 2 to 1 ms",
                2 - std::log2(coarser[1] / finest[1]), 0.2);
  report.expect("energy drift as a fraction of the largest kinetic energy at h = 1 ms, the worse of both",
                std::max(drift[0], drift[1]), 5e-5);
  report.expect("dormand-prince at 1e-10 passes them as if they were not there: largest error, N = 2, rad",
                explicit_error, 1e-6);
}

void bricard(Report& report) {
  report.subheading("A04 Bricard's mechanism");
  report.text(
      "Five rods on six hinges, each perpendicular to its neighbours: 30 equations of rank 29 for 30 "
      "coordinates, and yet one degree of "
      "freedom. Falls from rest, 10 s. The reference is dormand-prince with steps of 1 ms; *P3*: largest "
      "distance of rod 3 from it.");
  report.command("hooke run models/benchmarks/a04_bricard.yaml");
  const Run reference = run("benchmarks/a04_bricard.yaml", fixed("dormand-prince", 1e-3));
  std::vector<std::vector<std::string>> rows;
  std::vector<double> errors;
  for (const Method& method :
       {generalized_alpha(0.8, 1e-2), generalized_alpha(0.8, 2e-3), generalized_alpha(0.8, 1e-3),
        generalized_alpha(0.8, 5e-4), fixed("trapezoidal", 1e-3), generalized_alpha_varying(0.8, 1e-6, 1e-3),
        dormand_prince(1e-8, 1e-3)}) {
    const Run r = run("benchmarks/a04_bricard.yaml", method);
    errors.push_back(largest_distance(r.trajectory, reference.trajectory, "rod3"));
    rows.push_back(join({method.name, method.setting, scientific(errors.back())}, costs(r)));
  }
  rows.push_back(join({"dormand-prince (reference)", "h = 0.001 s", ""}, costs(reference)));
  report.table(join({"integrator", "setting", "P3, m"}, last_columns), rows);
  const Summary& s = reference.trajectory.summary();
  std::vector<double> t, y, z;
  for (std::size_t i = 0; i < reference.trajectory.size(); ++i) {
    const FramePose& pose = reference.trajectory.body(i, "rod3").pose;
    const Vec3 P3 = pose.p + pose.R * Vec3(0, 0, 0.5);
    t.push_back(reference.trajectory.time(i)), y.push_back(P3.y()), z.push_back(P3.z());
  }
  report.data("bricard", {"t", "y", "z"}, {t, y, z});
  report.figure("bricard", "Bricard's mechanism: path of P3");
  report.text("What the program says before the first step: " +
              (s.warnings.empty() ? "nothing"
                                  : "*" + s.warnings.front().substr(0, s.warnings.front().find('\n')) + "*") +
              ".");
  report.expect(
      fmt::format("one of 30 rows is found to be redundant, one degree of freedom is left ({} of {}, {})",
                  s.redundant_rows, s.constraint_rows, s.degrees_of_freedom),
      s.redundant_rows == 1 && s.constraint_rows == 30 && s.degrees_of_freedom == 1);
  report.expect("the reference keeps its energy: drift, J", s.energy_drift, 1e-11);
  report.expect("generalized-alpha converges to it with order 2: deviation",
                std::abs(std::log2(errors[2] / errors[3]) - 2), 0.1);
}

void governor(Report& report) {
  report.subheading("A05 stiff flyball governor");
  report.text(
      "Two balls of 5 kg on rods, hinged at a turning shaft, and a slider held by springs of 8e5 N/m with "
      "dampers of 4e4 N s/m: the "
      "springs settle within a millisecond, the motion one looks at takes a second. An explicit method must "
      "follow the springs all the "
      "time, an implicit one only its accuracy. Nothing drives it, and the dampers take 3 mJ in 10 s. The "
      "reference is dormand-prince at a "
      "tolerance of 1e-10. *Slider*: largest error of its place over the outputs from 0.01 s on; *shaft*: of "
      "its angle (56 rad at the end).");
  report.command("hooke run models/benchmarks/a05_flyball_governor.yaml");
  const std::string model = "benchmarks/a05_flyball_governor.yaml";
  const Run reference = run(model, dormand_prince(1e-10, 1e-4));
  const Trajectory& exact = reference.trajectory;
  std::vector<std::vector<std::string>> rows;
  std::vector<double> slider_errors;
  long explicit_steps = 0, implicit_steps = 0;
  for (const Method& method :
       {generalized_alpha(0.5, 1e-2), generalized_alpha(0.5, 5e-3), generalized_alpha(0.5, 2e-3),
        generalized_alpha(0.5, 1e-3), generalized_alpha(0.5, 5e-4), generalized_alpha(0.5, 2.5e-4),
        generalized_alpha_varying(0.5, 1e-6, 1e-3), fixed("trapezoidal", 1e-3), dormand_prince(1e-5, 1e-4),
        dormand_prince(1e-8, 1e-4)}) {
    const Run r = run(model, method);
    const Trajectory& path = r.trajectory;
    double slider = 0, shaft = 0;
    for (std::size_t i = 1; i < exact.size(); ++i) {
      slider = std::max(slider, std::abs(path.coordinate(i, "slide") - exact.coordinate(i, "slide")));
      shaft = std::max(shaft, std::abs(path.coordinate(i, "spin") - exact.coordinate(i, "spin")));
    }
    slider_errors.push_back(slider);
    const Summary& s = path.summary();
    rows.push_back({method.name, method.setting, scientific(slider), scientific(shaft),
                    fmt::format("{:.5f}", s.first_energy - s.last_energy), steps(s),
                    fmt::format("{:.2f}", static_cast<double>(s.totals.iterations) /
                                              static_cast<double>(s.totals.steps)),
                    seconds(r.cpu_time)});
    if (method.name == "dormand-prince" && explicit_steps == 0) explicit_steps = s.totals.steps;
    if (implicit_steps == 0) implicit_steps = s.totals.steps;
  }
  const Summary& s = exact.summary();
  rows.push_back({"dormand-prince (reference)", "tolerance 1e-10", "", "",
                  fmt::format("{:.5f}", s.first_energy - s.last_energy), steps(s), "",
                  seconds(reference.cpu_time)});
  report.table({"integrator", "setting", "slider, m", "shaft, rad", "energy lost, J", "steps",
                "iterations a step", "CPU time"},
               rows);
  std::vector<double> t, height, speed;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    t.push_back(exact.time(i)), height.push_back(0.5 + exact.coordinate(i, "slide")),
        speed.push_back(exact.rate(i, "spin"));
  }
  report.data("governor", {"t", "height", "speed"}, {t, height, speed});
  report.figure("governor", "Flyball governor: height of the slider, speed of the shaft");
  report.expect(
      "the springs are stiff: steps of dormand-prince at the loosest tolerance over those of the coarsest "
      "implicit run",
      static_cast<double>(explicit_steps) >= 10.0 * static_cast<double>(implicit_steps));
  report.expect("generalized-alpha with 1 ms: slider within, m", slider_errors[3], 2e-3);
  report.expect("and its order is 2: deviation", std::abs(std::log2(slider_errors[4] / slider_errors[5]) - 2),
                0.2);
}

}  // namespace

void iftomm(Report& report) {
  report.heading("IFToMM benchmarks A01, A02, A04, A05");
  report.text(
      "The library of computational benchmark problems of the IFToMM technical committee for multibody "
      "dynamics (A03 is Andrews' mechanism "
      "above). *Energy drift* is the largest |E - E(0)| over the outputs, and the same as a fraction of the "
      "largest kinetic energy T.");
  report.attempt({pendulum, n_four_bar, bricard, governor});
}

}  // namespace hooke::validation
