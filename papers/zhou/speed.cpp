// What splitting costs, and what threads give back.
#include "papers/zhou/cases.h"

namespace hooke::zhou {

namespace {

constexpr int speed_steps = 100;

double best(const auto& time) { return std::min({time(), time(), time()}); }

double time_of_whole(const Machine& machine, const std::string& solver) {
  StabilisedAlpha whole(*machine.built.system, {.newton = {.solver = solver}});
  State end = machine.start;
  const Timer timer;
  for (int k = 0; k < speed_steps; ++k)
    if (!whole.step(end, 1e-3).accepted) throw std::runtime_error("the monolithic run fails");
  return timer.seconds();
}

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

/// Two rubber bars of finite elements on a hinge.
Model two_solids(int divisions) {
  SolidSettings bar;
  bar.mesh = BoxMesh{Vec3(1, 0.1, 0.1), {10 * divisions, divisions, divisions}};
  bar.material = MaterialSettings{1e7, 0.3, 1000};
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {{.name = "bar1", .formulation = bar}, {.name = "bar2", .formulation = bar}};
  model.bodies[0].place.at = Vec3(0.5, 0, 0);
  model.bodies[1].place.at = Vec3(1.5, 0, 0);
  model.joints = {test::joint("A", "revolute", "ground", "bar1.x_min", zero3, unit_y),
                  test::joint("B", "revolute", "bar1.x_max", "bar2.x_min", Vec3(1, 0, 0), unit_y)};
  return model;
}

}  // namespace

void speed(Report& report) {
  report.heading("Speed");
  report.text(fmt::format(
      "Two rubber Cosserat rods joined by one spherical joint, and two rubber bars of finite elements (one frame "
      "each, solver schur) on a hinge; h = 1e-3 s, {} steps. Wall times relative to the monolithic run of the same "
      "discretisation; each the best of three.",
      speed_steps));
  struct Case {
    std::string name, solver;
    Model model;
  };
  std::vector<Case> cases;
  for (const int elements : {10, 40, 160})
    cases.push_back({fmt::format("rods of {} elements", elements), "auto", two_rods(elements)});
  for (const int divisions : {2, 4})
    cases.push_back({fmt::format("solids, {0} x {0} x {1} hexahedra", divisions, 10 * divisions), "schur",
                     two_solids(divisions)});
  std::vector<std::vector<std::string>> rows;
  for (const Case& c : cases) {
    const Machine machine(c.model);
    std::vector<std::string> row{c.name, fmt::format("{}", machine.built.system->nv()), "1"};
    const double whole = best([&] { return time_of_whole(machine, c.solver); });
    double alone = 0;
    for (const auto& [scheme, threads] :
         {std::pair{CouplingScheme::gauss_seidel, 1}, std::pair{CouplingScheme::jacobi, 1},
          std::pair{CouplingScheme::jacobi, 2}}) {
      double iterations = 0;
      const double taken = best([&] {
        const CoupledRun result =
            run(machine, {{0}, {1}}, {.scheme = scheme}, 1e-3, speed_steps,
                threads > 1 ? std::make_shared<Team>(threads) : nullptr, 1e-10, {}, c.solver);
        if (!result.failure.empty()) throw std::runtime_error(result.failure);
        iterations = result.iterations;
        return result.seconds;
      });
      row.push_back(fmt::format("{:.2f} ({:.2f})", taken / whole, iterations));
      if (threads == 2) row.push_back(fmt::format("{:.2f}", alone / taken));
      alone = taken;
    }
    rows.push_back(row);
  }
  report.table({"model", "coordinates", "whole", "gauss-seidel", "jacobi", "jacobi, 2 threads", "gain of 2 threads"},
               rows);
  report.text("In brackets the iterations a step.");
}

}  // namespace hooke::zhou
