// What splitting costs, and what threads give back.
#include "papers/zhou/cases.h"

namespace hooke::zhou {

namespace {

/// Two rubber rods in a row.
Model two_rods(int elements) {
  Model model;
  model.gravity = {0, 0, -9.81};
  for (const int i : {0, 1}) {
    BodyEntry rod =
        test::along_x(test::cosserat(2).make(test::rod(CircleSection{0.02}, 5e6, 0.3, 1100, 1), elements), 1);
    rod.name = fmt::format("rod{}", i + 1);
    rod.place.at = Vec3(i + 0.5, 0, 0);
    model.bodies.push_back(rod);
  }
  model.joints = {test::joint("A", "spherical", "ground", "rod1.start", zero3),
                  test::joint("B", "spherical", "rod1.end", "rod2.start", Vec3(1, 0, 0))};
  return model;
}

}  // namespace

void speed(Report& report) {
  report.heading("Speed");
  report.text(
      "Two rubber Cosserat rods joined by one spherical joint, h = 1e-3 s, 100 steps. Wall times relative to "
      "the "
      "monolithic run of the same discretisation.");
  std::vector<std::vector<std::string>> rows;
  double gain = 0;
  for (const int elements : {10, 40}) {
    const Machine machine(two_rods(elements));
    const double h = 1e-3;
    const int steps = 100;
    StabilisedAlpha whole(*machine.built.system, {});
    State end = machine.start;
    const Timer timer;
    for (int k = 0; k < steps; ++k)
      if (!whole.step(end, h).accepted) throw std::runtime_error("the monolithic run fails");
    const double one = timer.seconds();
    std::vector<std::string> row{fmt::format("{}", machine.built.system->nv()), "1"};
    double jacobi = 0;
    for (const auto& [scheme, threads] :
         {std::pair{CouplingScheme::gauss_seidel, 1}, std::pair{CouplingScheme::jacobi, 1},
          std::pair{CouplingScheme::jacobi, 2}}) {
      const CoupledRun result = run(machine, {{0}, {1}}, {.scheme = scheme}, h, steps,
                                    threads > 1 ? std::make_shared<Team>(threads) : nullptr, 1e-10);
      row.push_back(fmt::format("{:.2f} ({:.2f})", result.seconds / one, result.iterations));
      if (scheme == CouplingScheme::jacobi && threads == 1) jacobi = result.seconds;
      if (threads == 2) gain = jacobi / result.seconds;
    }
    row.push_back(fmt::format("{:.2f}", gain));
    rows.push_back(row);
  }
  report.table({"coordinates", "whole", "gauss-seidel", "jacobi", "jacobi, 2 threads", "gain of 2 threads"},
               rows);
  report.text(
      "In brackets the iterations a step. **Splitting does not pay by itself**: the multipliers of (35) "
      "depend on all "
      "bodies (Delta is over the whole system), so each subsystem evaluates the whole system and solves with "
      "its mass "
      "matrix, though it integrates only its own part. What threads gain in an iteration is less than what "
      "the "
      "iterations cost.");
  report.text(
      "These times were taken while other work ran on the same two cores, so the gain of two threads is not "
      "measured here.");
}

}  // namespace hooke::zhou
