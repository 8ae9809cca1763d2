// What splitting costs, and what threads give back.
#include "papers/zhou/cases.h"

namespace hooke::zhou {

namespace {

double best(const auto& time) { return std::min({time(), time(), time()}); }

std::shared_ptr<Team> team_of(int threads) { return threads > 1 ? std::make_shared<Team>(threads) : nullptr; }

double time_of_whole(const Machine& machine, const std::string& solver, int steps, int threads) {
  machine.built.system->use(team_of(threads));
  StabilisedAlpha whole(*machine.built.system, {.newton = {.solver = solver, .team = team_of(threads)}});
  State end = machine.start;
  const Timer timer;
  for (int k = 0; k < steps; ++k)
    if (!whole.step(end, 1e-3).accepted) throw std::runtime_error("the monolithic run fails");
  return timer.seconds();
}

/// Two rubber rods in a row.
Model two_rods(int elements) {
  Model model;
  model.gravity = {0, 0, -9.81};
  for (const int i : {0, 1}) {
    test::NamedBody rod =
        test::along_x(test::cosserat(2).make(test::rod(CircleSection{0.02}, 5e6, 0.3, 1100, 1), elements), 1);
    rod.first = fmt::format("rod{}", i + 1);
    rod.second.place.at = Vec3(i + 0.5, 0, 0);
    model.bodies.push_back(rod);
  }
  model.joints = {test::joint("A", "spherical", "ground", "rod1.start", zero3),
                  test::joint("B", "spherical", "rod1.end", "rod2.start", Vec3(1, 0, 0))};
  return model;
}

/// Two rubber bars of finite elements on a hinge.
Model two_solids(int divisions, Corotation corotation) {
  SolidSettings bar;
  bar.corotation = corotation;
  bar.mesh = BoxMesh{Vec3(1, 0.1, 0.1), {10 * divisions, divisions, divisions}};
  bar.material = MaterialSettings{1e7, 0.3, 1000};
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies["bar1"] = {bar, {.at = Vec3(0.5, 0, 0)}};
  model.bodies["bar2"] = {bar, {.at = Vec3(1.5, 0, 0)}};
  model.joints = {test::joint("A", "revolute", "ground", "bar1.x_min", zero3, unit_y),
                  test::joint("B", "revolute", "bar1.x_max", "bar2.x_min", Vec3(1, 0, 0), unit_y)};
  return model;
}

}  // namespace

void speed(Report& report) {
  report.heading("Speed");
  report.text(
      "Two rubber Cosserat rods joined by one spherical joint, and two rubber bars of finite elements on a "
      "hinge (solver schur), with one frame each (100 steps) or with one for every element (20 steps); h = "
      "1e-3 s. Wall times relative to the monolithic run of the same discretisation on one thread; each the "
      "best of three.");
  struct Case {
    std::string name, solver;
    Model model;
    int steps;
  };
  std::vector<Case> cases;
  for (const int elements : {10, 40})
    cases.push_back({fmt::format("rods of {} elements", elements), "auto", two_rods(elements), 100});
  for (const auto& [divisions, corotation, steps] :
       {std::tuple{2, Corotation::component, 100}, std::tuple{3, Corotation::element, 20}})
    cases.push_back({fmt::format("solids, {0} x {0} x {1} hexahedra, {2} frames", divisions, 10 * divisions,
                                 to_word(corotation)),
                     "schur", two_solids(divisions, corotation), steps});
  std::vector<std::vector<std::string>> rows;
  double most_alone = 0, least_gain = INFINITY;
  for (const Case& c : cases) {
    const Machine machine(c.model);
    std::vector<std::string> row{c.name, fmt::format("{}", machine.built.system->nv()), "1"};
    const double whole = best([&] { return time_of_whole(machine, c.solver, c.steps, 1); });
    row.push_back(
        fmt::format("{:.2f}", best([&] { return time_of_whole(machine, c.solver, c.steps, 2); }) / whole));
    machine.built.system->use(nullptr);
    double alone = 0;
    for (const auto& [scheme, threads] :
         {std::pair{CouplingScheme::gauss_seidel, 1}, std::pair{CouplingScheme::jacobi, 1},
          std::pair{CouplingScheme::jacobi, 2}}) {
      double iterations = 0;
      const double taken = best([&] {
        const CoupledRun result = run(machine, {{0}, {1}}, {.scheme = scheme}, 1e-3, c.steps,
                                      team_of(threads), 1e-10, {}, c.solver);
        if (!result.failure.empty()) throw std::runtime_error(result.failure);
        iterations = result.iterations;
        return result.seconds;
      });
      row.push_back(fmt::format("{:.2f} ({:.2f})", taken / whole, iterations));
      if (threads == 1) most_alone = std::max(most_alone, taken / whole);
      if (threads == 2) {
        least_gain = std::min(least_gain, alone / taken);
        row.push_back(fmt::format("{:.2f}", alone / taken));
      }
      alone = taken;
    }
    rows.push_back(row);
  }
  report.table({"model", "coordinates", "whole", "whole, 2 threads", "gauss-seidel", "jacobi",
                "jacobi, 2 threads", "gain of 2 threads"},
               rows);
  report.text(
      "In brackets the iterations a step. In each of them a subsystem takes one or two Newton iterations,"
      " where the whole takes two a step, so that splitting costs on one thread. What it saves, the "
      "coupling of the parts in one factor, is little where the matrix is sparse. Two threads give back a"
      " part of that, but in none of these models all of it: the whole remains the fastest, on two "
      "threads, too, where solver schur shares the bodies among them.");
  report.expect("splitting costs at most twice the whole on one thread: largest ratio", most_alone, 2);
  report.expect("two threads give some of it back, in each model: least gain above 1 (1 over it)",
                1 / least_gain, 1);
}

}  // namespace hooke::zhou
