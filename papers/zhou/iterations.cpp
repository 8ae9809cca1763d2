// How many iterations a step takes, by scheme and acceleration.
#include "hooke/simulation/split.h"
#include "papers/zhou/cases.h"

namespace hooke::zhou {

namespace {

/// A steel rod, horizontal at first, on the end of a double pendulum.
Model hanging_rod() {
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {test::rigid("upper", 1, {0.02, 0.02, 0.001}, {0.25, 0, 0}),
                  test::rigid("lower", 0.5, {0.02, 0.02, 0.001}, {0.75, 0, 0})};
  model.bodies.push_back(
      test::along_x(test::cosserat(2).make(test::rod(CircleSection{5e-3}, 2.07e11, 0.3, 7850, 1), 4), 1));
  model.bodies["rod"].place.at = Vec3(1.5, 0, 0);
  model.joints = {test::joint("A", "revolute", "ground", "upper", zero3, unit_y),
                  test::joint("B", "revolute", "upper", "lower", Vec3(0.5, 0, 0), unit_y),
                  test::joint("C", "spherical", "lower", "rod.start", Vec3(1, 0, 0))};
  return model;
}

/// Case 2 with a Cosserat rod.
Model flexible_crank() {
  Model model = test::slider_crank();
  model.bodies["rod"].formulation =
      test::cosserat(2).make(test::rod(CircleSection{8.21036e-3}, 2.07e11, 0.29, 7870, 0.3), 4);
  return model;
}

struct Case {
  std::string name;
  Model model;
  std::vector<std::vector<int>> split;
  double step;
  int steps;
  double beta_h = 1;
};

/// Where the gain is less than two: how it depends on what is asked for.
void gains_by_tolerance(const std::vector<Case>& cases, Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Case& c : cases) {
    if (c.name != "rod on a double pendulum" && c.name != "64 links in 2") continue;
    const Machine machine(c.model);
    for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi}) {
      std::vector<std::string> row{c.name, to_word(scheme)};
      for (const double tolerance : {1e-8, 1e-10, 1e-12, 1e-14}) {
        const auto count = [&](Response response, Acceleration acceleration) {
          return run(machine, c.split,
                     {.scheme = scheme,
                      .acceleration = acceleration,
                      .response = response,
                      .tolerance = tolerance,
                      .iterations = 200},
                     c.step, c.steps, nullptr, 0.01 * tolerance, c.beta_h / c.step)
              .iterations;
        };
        const double plain = count(Response::inertia, Acceleration::none),
                     last = count(Response::step, Acceleration::iqn_ils);
        row.push_back(fmt::format("{:.2f}, {:.2f}: {:.1f}", plain, last, plain / last));
      }
      rows.push_back(row);
    }
  }
  report.text(
      "Where the gain is less than 2, by tolerance: iterations of the plain one, of the last column, and the "
      "gain. Two subsystems of a chain know each other's answer so well that the plain iteration is done "
      "after two or three, and less than two there cannot be.");
  report.table({"model", "scheme", "1e-8", "1e-10", "1e-12", "1e-14"}, rows);
}

}  // namespace

void iterations(Report& report) {
  report.heading("Iterations a step");
  report.text(
      "Coupling tolerance 1e-10 of the mechanism's size, beta = 1/h but for one row, the first guess "
      "extrapolated as in a "
      "monolithic run, "
      "long steps. `whole` is the paper's iteration (39), `response: whole` without acceleration; `none` the "
      "plain one of "
      "`response: inertia`.");
  std::vector<Case> cases{{"slider crank, case 1", test::slider_crank(), {{0, 1}, {2}}, 5e-3, 200},
                          {"the same, beta = 20/h", test::slider_crank(), {{0, 1}, {2}}, 5e-3, 200, 20},
                          {"case 2, Cosserat rod", flexible_crank(), {{0, 2}, {1}}, 5e-4, 100},
                          {"rod on a double pendulum", hanging_rod(), {{0, 1}, {2}}, 2e-3, 200}};
  for (const int parts : {2, 4, 8})
    cases.push_back({fmt::format("64 links in {}", parts), test::chain(64),
                     propose_split(*build(test::chain(64)).system, parts), 0.02, 25});
  std::vector<std::vector<std::string>> rows;
  bool never_more = true;
  double least = 1e9;
  std::string least_of;
  for (const Case& c : cases) {
    const Machine machine(c.model);
    for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi}) {
      std::vector<std::string> row{c.name, fmt::format("{:g}", c.step), to_word(scheme)};
      double plain = 0, last = 0;
      for (const auto& [response, acceleration] :
           {std::pair{Response::whole, Acceleration::none}, std::pair{Response::inertia, Acceleration::none},
            std::pair{Response::inertia, Acceleration::aitken},
            std::pair{Response::inertia, Acceleration::iqn_ils},
            std::pair{Response::step, Acceleration::none},
            std::pair{Response::step, Acceleration::iqn_ils}}) {
        const CoupledRun result =
            run(machine, c.split,
                {.scheme = scheme, .acceleration = acceleration, .response = response, .iterations = 200},
                c.step, c.steps, nullptr, 1e-12, c.beta_h / c.step);
        row.push_back(result.failure.empty() ? fmt::format("{:.2f} ({})", result.iterations, result.most)
                                             : "fails");
        last = result.failure.empty() ? result.iterations : 1e9;
        if (response == Response::inertia && plain == 0) plain = last;
      }
      row.push_back(plain < 1e9 ? fmt::format("{:.1f}", plain / last) : "");
      never_more = never_more && last < 1e9 && last <= plain;
      if (plain < 1e9 && plain / last < least)
        least = plain / last, least_of = fmt::format("{}, {}", c.name, to_word(scheme));
      rows.push_back(row);
    }
  }
  report.table(
      {"model", "h, s", "scheme", "whole", "none", "aitken", "iqn-ils", "step", "step, iqn-ils", "gain"},
      rows);
  report.text(
      "In brackets the most of any step. The three columns after `whole` are with `response: inertia`, the "
      "others with `response: step`; the gain is that of the last column over `none`. No iteration "
      "that sees by itself that it is done can need fewer than two. Both responses know of a neighbour "
      "what its frames tell. In the paper's iteration every subsystem evaluates the whole system: it "
      "knows all forces at once, which pays where there are many subsystems, but each iteration costs as "
      "much as the whole.");
  gains_by_tolerance(cases, report);
  report.expect(
      "response step with iqn-ils converges everywhere and never needs more than the plain iteration",
      never_more);
  report.expect(fmt::format("and halves the iterations in every case: least gain {:.2f} ({}), at least 2",
                            least, least_of),
                least >= 2);
}

}  // namespace hooke::zhou
