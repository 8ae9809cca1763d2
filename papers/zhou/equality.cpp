// The coupled solution is the monolithic one, wherever the cuts are.
#include "papers/zhou/cases.h"

namespace hooke::zhou {

namespace {

std::string in_words(const std::vector<std::vector<int>>& split, const Machine& machine) {
  std::string text;
  for (const auto& bodies : split) {
    text += text.empty() ? "" : " / ";
    for (std::size_t k = 0; k < bodies.size(); ++k) text += (k ? " " : "") + machine.built.bodies[bodies[k]];
  }
  return text;
}

/// The same with explicit subsystems, which exchange the values at all stages.
void explicit_steps(Report& report) {
  report.text(
      "Explicit subsystems: the slider crank by Dormand-Prince (beta = 1/h) and by Runge-Kutta-Chebyshev "
      "(beta = "
      "20/h), h = 1e-3 s, 200 steps, against the explicit run of the whole.");
  const Machine machine(test::slider_crank());
  constexpr int steps = 200;
  constexpr double h = 1e-3, tolerance = 1e-10;
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const std::vector<std::vector<int>>& split :
       {std::vector<std::vector<int>>{{0, 1}, {2}}, {{0, 2}, {1}}, {{0}, {1}, {2}}}) {
    std::vector<std::string> row{in_words(split, machine)};
    for (const auto& [method, beta_h] :
         {std::pair{OdeMethod::explicit_runge_kutta, 1.0}, std::pair{OdeMethod::chebyshev, 20.0}}) {
      StabilisedExplicit whole(*machine.built.system, {}, stage_table(method, beta_h), beta_h);
      State end = machine.start, together = machine.start;
      std::vector<Subsystem> parts = parts_of(machine, split);
      for (Subsystem& part : parts) part.method = method;
      CoupledIntegrator coupled(*machine.built.system, parts, {}, {.tolerance = tolerance}, nullptr, beta_h);
      for (int k = 0; k < steps; ++k)
        if (!whole.step(end, h).accepted || !coupled.step(together, h).accepted)
          throw std::runtime_error("an explicit run fails");
      VectorX x;
      machine.built.system->minus(together.q, end.q, x);
      const double apart = size_of(x, *machine.built.system);
      row.push_back(fmt::format("{} ({:.2f})", scientific(apart), coupled.relaxation().iterations()));
      worst = std::max(worst, apart / (steps * tolerance * steps));
    }
    rows.push_back(row);
  }
  report.table({"subsystems", "explicit", "chebyshev"}, rows);
  report.text("In brackets the iterations a step, at a coupling tolerance of 1e-10.");
  report.expect("explicit: largest ratio of a difference to n^2 times the tolerance", worst, 1);
}

}  // namespace

void equality(Report& report) {
  report.heading("Coupled equals monolithic");
  report.text(
      "Largest difference of q at the end (units of the mechanism's size or rad) between the coupled run and "
      "the same "
      "discretisation solved as a whole (`stabilised-ode`), by coupling tolerance. An error e that the "
      "iteration leaves "
      "of x is e/h in v, in every step anew, so n steps may add up to n e/h times the duration.");
  struct Case {
    Model model;
    double step;
    int steps;
    std::vector<std::vector<std::vector<int>>> splits;
  };
  const Case cases[] = {
      {test::slider_crank(), 1e-3, 200, {{{0, 1}, {2}}, {{0}, {1, 2}}, {{0, 2}, {1}}, {{0}, {1}, {2}}}},
      {test::floating_ring(), 1e-2, 50, {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0}, {1}, {2}, {3}}}}};
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const Case& c : cases) {
    Machine machine(c.model);
    if (machine.start.v.isZero()) {  // the ring is set turning
      for (int i = 0; i < machine.start.v.size(); ++i) machine.start.v[i] = std::sin(1.0 + i);
      Projector(*machine.built.system, {}).velocities(machine.start);
    }
    StabilisedAlpha whole(*machine.built.system,
                          {AlphaParameters::generalized_alpha(0.8), {}, {.tolerance = 1e-14}});
    State end = machine.start;
    for (int k = 0; k < c.steps; ++k)
      if (!whole.step(end, c.step).accepted) throw std::runtime_error("the monolithic run fails");
    for (const auto& split : c.splits) {
      std::vector<std::string> row{in_words(split, machine)};
      for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
        const CoupledRun result =
            run(machine, split, {.tolerance = tolerance}, c.step, c.steps, nullptr, 1e-14);
        VectorX x;
        machine.built.system->minus(result.end.q, end.q, x);
        const double apart = size_of(x, *machine.built.system);
        row.push_back(result.failure.empty() ? scientific(apart) : "fails");
        worst = std::max(worst, apart / (c.steps * tolerance * c.steps));
      }
      rows.push_back(row);
    }
  }
  report.table({"subsystems", "1e-8", "1e-10", "1e-12"}, rows);
  report.expect("no difference exceeds what the tolerance allows: largest ratio to n^2 times it", worst, 1);
  explicit_steps(report);
}

}  // namespace hooke::zhou
