#include "hooke/integrators/runge_kutta.h"
#include "support/convergence.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

struct Row {
  std::string name, setting;
  test::MakeIntegrator make;
  int steps;     ///< of the coarsest run
  double order;  ///< expected
};

}  // namespace

void orders(Report& report) {
  report.heading("Orders of convergence");
  const double end = 0.5;
  const int points = 10, halvings = 3;
  report.text(fmt::format(
      "The spatial slider crank again, {} s (one turn). Errors are the largest at {} times, against "
      "dormand-prince with steps of 0.1 ms: q in "
      "units of the mechanism's size and rad, v and lambda relative to their largest entry. The order is the "
      "slope of the error over {} "
      "halvings of the step, by least squares. Steps are *equal*; *waving*: they vary smoothly by 30 % up "
      "and down, three times; *jumping*: every "
      "second step is 30 % longer and the next one as much shorter, so that no two neighbours are equal. "
      "Where rho is 1 nothing damps what "
      "Newton's iteration leaves in lambda, nor what a jump of the step puts there: those runs have a Newton "
      "tolerance of 1e-14 (1e-10 "
      "otherwise), and their lambda loses an order when steps jump, unless accelerations are projected.",
      end, points, halvings));

  const Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/slider_crank.yaml"));
  const System& system = simulation.system();
  const State start = simulation.start().state;
  const auto alpha = [&](AlphaParameters parameters, ConstraintForm form = ConstraintForm::stabilised,
                         Projection projection = Projection::none) {
    const bool is_undamped = parameters.gamma == 0.5;
    const NewtonSettings newton{.tolerance = is_undamped ? 1e-14 : 1e-10};
    return [&system, parameters, form, projection, newton]() -> std::unique_ptr<Integrator> {
      return std::make_unique<GeneralizedAlpha>(
          system, GeneralizedAlphaSettings{parameters, form, projection, newton});
    };
  };
  const auto explicit_rule = [&]() -> std::unique_ptr<Integrator> {
    return std::make_unique<DormandPrince>(system, NewtonSettings{});
  };
  std::vector<std::pair<test::Grid, std::vector<State>>> known;  // the same few times come again and again
  const auto exact = [&](const test::Grid& times) {
    const auto is_known = [&](const auto& solution) {
      for (std::size_t i = 0; i < times.size(); ++i)
        if (std::abs(solution.first[i] - times[i]) > 1e-13) return false;
      return true;
    };
    if (const auto found = std::find_if(known.begin(), known.end(), is_known); found != known.end())
      return found->second;
    std::vector<State> states;
    const auto rule = explicit_rule();
    State state = start;
    for (double t : times) {
      const int n = std::max(1, static_cast<int>(std::ceil((t - state.t) / 1e-4)));
      state = test::integrate(*rule, state, test::uniform_grid(state.t, t, n)).back();
      states.push_back(state);
    }
    known.emplace_back(times, states);
    return states;
  };

  using P = AlphaParameters;
  const ConstraintForm index3 = ConstraintForm::index3, stabilised = ConstraintForm::stabilised;
  const std::vector<Row> rows{
      {"generalized-alpha, rho 0", "stabilised", alpha(P::generalized_alpha(0)), 800, 2},
      {"generalized-alpha, rho 0.5", "stabilised", alpha(P::generalized_alpha(0.5)), 400, 2},
      {"generalized-alpha, rho 0.8", "stabilised", alpha(P::generalized_alpha(0.8)), 400, 2},
      {"generalized-alpha, rho 1", "stabilised", alpha(P::generalized_alpha(1)), 400, 2},
      {"hht, alpha -0.1", "stabilised", alpha(P::hht(-0.1)), 400, 2},
      {"trapezoidal", "stabilised", alpha(P::trapezoidal()), 400, 2},
      {"generalized-alpha, rho 1", "stabilised, projected",
       alpha(P::generalized_alpha(1), stabilised, Projection::acceleration), 400, 2},
      {"generalized-alpha, rho 0.8", "index3", alpha(P::generalized_alpha(0.8), index3), 400, 2},
      {"generalized-alpha, rho 0.8", "index3, projected",
       alpha(P::generalized_alpha(0.8), index3, Projection::acceleration), 400, 2},
      {"newmark, beta 0.3025, gamma 0.6", "stabilised", alpha(P::newmark(0.3025, 0.6)), 400, 1},
      {"dormand-prince", "", explicit_rule, 160, 5},
  };

  std::vector<std::vector<std::string>> table;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> data;
  double worst = 0, worst_explicit = 0;
  for (const Row& row : rows) {
    const auto measure = [&](const test::MakeGrid& grid) {
      return test::measure_orders(system, start, end, row.make, grid, row.steps, halvings, points, exact);
    };
    const test::Orders equal = measure(test::uniform_grid), waving = measure(test::waving_grid),
                       jumping = measure(test::jumping_grid);
    const test::Errors& fine = equal.errors.back();
    const auto all = [](const test::Orders& o) {
      return fmt::format("{:.2f} {:.2f} {:.2f}", o.q, o.v, o.lambda);
    };
    table.push_back(
        {row.name, row.setting,
         fmt::format("{:.3g} ... {:.3g} ms", 1e3 * end / row.steps, 1e3 * end / row.steps / (1 << halvings)),
         all(equal), all(waving), all(jumping), scientific(fine.q), scientific(fine.v),
         scientific(fine.lambda)});
    for (const auto& o : {equal, waving})
      for (double order : {o.q, o.v, o.lambda}) {
        if (row.setting.starts_with("stabilised") && row.order == 2)
          worst = std::max(worst, std::abs(order - 2));
        if (row.order == 5) worst_explicit = std::max(worst_explicit, 5 - order);
      }
    std::vector<double> steps, lambda;
    for (std::size_t i = 0; i < equal.errors.size(); ++i) {
      steps.push_back(end / row.steps / (1 << i));
      lambda.push_back(equal.errors[i].lambda);
    }
    columns.insert(columns.end(), {"step " + row.name + "; " + row.setting, row.name + "; " + row.setting});
    data.push_back(steps), data.push_back(lambda);
  }
  report.table({"integrator", "form", "steps", "equal: q v lambda", "waving: q v lambda",
                "jumping: q v lambda", "finest error of q", "of v", "of lambda"},
               table);
  report.data("orders", columns, data);
  report.figure("orders", "Errors of the multipliers over the step");
  report.expect(
      "the stabilised family has order 2 in q, v and lambda, with equal and with waving steps: largest "
      "deviation",
      worst, 0.1);
  report.expect("dormand-prince has order 5 at least: how much less", worst_explicit, 0.1);
}

}  // namespace hooke::validation
