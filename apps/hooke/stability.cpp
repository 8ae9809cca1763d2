#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/statics.h"
#include "hooke/commands.h"
#include "hooke/example_models.h"
#include "hooke/terminal.h"
#include "io/linear_model_file.h"
#include "simulation/coupling_stability.h"
#include "simulation/simulation.h"
#include "simulation/subsystems.h"
#include "view/chart.h"
#include "view/output_file.h"

namespace hooke::program {
namespace {

struct StabilityArguments {
  std::string model, drawing;
  std::vector<std::string> set;
  std::vector<double> steps;
  int count = 13;
  bool at_equilibrium = false;
};

/// What the analysis says with one subsystem displaced.
struct Orientation {
  std::string displaced;
  std::vector<CouplingVerdict> verdicts;
};

/// The macro steps to look at, rising, and which of them is that of the run.
std::pair<std::vector<double>, std::size_t> steps_of(const StabilityArguments& arguments, double run_step) {
  const double low = arguments.steps.empty() ? run_step / 30 : arguments.steps[0],
               high = arguments.steps.empty() ? run_step * 30 : arguments.steps[1];
  if (!(low > 0 && high > low))
    throw Error(ExitCode::usage, "--steps: give the smallest and the largest macro step");
  std::vector<double> steps;
  for (int k = 0; k < arguments.count; ++k)
    steps.push_back(low * std::pow(high / low, k / (arguments.count - 1.0)));
  const auto next = std::lower_bound(steps.begin(), steps.end(), run_step * (1 - 1e-9));
  const auto at = static_cast<std::size_t>(next - steps.begin());
  if (at == steps.size() || std::abs(*next - run_step) > 1e-9 * run_step) steps.insert(next, run_step);
  return {steps, at};
}

/// How accurate a setting is.
int order_of(const ForceDisplacementSettings& s) { return std::min(s.force_degree + 1, s.motion_degree); }

/// Stable with the step, of the highest order that helps, with forces as cheap as possible.
const CouplingVerdict* best_of(const std::vector<Orientation>& all, std::size_t step, int useful_order) {
  const CouplingVerdict* best = nullptr;
  const auto merit = [&](const CouplingVerdict& v) {
    return 10 * std::min(order_of(v.settings), useful_order) - v.settings.motion_degree -
           v.settings.force_degree + 0.1 * static_cast<int>(v.settings.forces);
  };
  for (const Orientation& each : all)
    for (const CouplingVerdict& v : each.verdicts)
      if (v.zero < 0.95 && v.radii[step] < 1 + 1e-9 && (!best || merit(v) > merit(*best))) best = &v;
  return best;
}

std::string in_words(const ForceDisplacementSettings& s) {
  std::string text = fmt::format("displaced: {}, forces: {}, force_degree: {}, motion_degree: {}",
                                 s.displaced, to_word(s.forces), s.force_degree, s.motion_degree);
  if (s.exchange != CouplingExchange::side_by_side) text += ", exchange: " + to_word(s.exchange);
  if (s.order != CouplingOrder::jacobi) text += ", order: " + to_word(s.order);
  return text;
}

std::string table(const Orientation& all, const std::vector<double>& steps, std::size_t run_step,
                  const Style& style) {
  std::vector<std::vector<std::string>> rows{{"forces", "exchange", "degrees", "exchange alone",
                                              "stable up to (s)",
                                              fmt::format("radius at {:g} s", steps[run_step])}};
  for (const CouplingVerdict& v : all.verdicts)
    rows.push_back({to_word(v.settings.forces),
                    v.settings.forces == CouplingForces::exact ? "" : to_word(v.settings.exchange),
                    fmt::format("{}, {}", v.settings.force_degree, v.settings.motion_degree),
                    fmt::format("{:.4f}", v.zero),
                    v.zero >= 1                      ? "never"
                    : v.largest_step == 0            ? fmt::format("below {:.2g}", steps[0])
                    : v.largest_step == steps.back() ? fmt::format("{:.2g} and more", steps.back())
                                                     : fmt::format("{:.2g}", v.largest_step),
                    fmt::format("{:.5f}", v.radii[run_step])});
  return columns(rows, true, style);
}

std::string draw(const std::vector<Orientation>& all, const std::vector<double>& steps) {
  constexpr double most = 2;
  std::vector<Curve> curves;
  for (const Orientation& each : all) {
    int colour = 0;
    for (const CouplingVerdict& v : each.verdicts) {
      if (v.settings.exchange == CouplingExchange::in_turn) continue;
      Curve curve{fmt::format("degrees {}, {}", v.settings.force_degree, v.settings.motion_degree),
                  fmt::format("radius, {} displaced, {} forces", each.displaced, to_word(v.settings.forces)),
                  {},
                  {},
                  colour++ % 5};
      for (std::size_t k = 0; k < steps.size(); ++k) {
        curve.x.push_back(std::log10(steps[k]));
        curve.y.push_back(std::min(v.radii[k], most));
      }
      curves.push_back(std::move(curve));
    }
  }
  return draw_chart(curves, {.title = "Spectral radius of a macro step (stable below 1; cut off at 2)",
                             .x_label = "log10 of the macro step in s"});
}

/// What is looked at: a model of bodies, or matrices from a file.
struct Case {
  std::string title;
  double step = 1e-3;
  ForceDisplacementSettings settings;
  std::vector<std::string> subsystems;  ///< that may be displaced, the one of the file first
  std::function<LinearSides(const std::string& displaced)> sides;
  std::function<LinearPart::Advance(const std::string& displaced)> advance;
};

Case linear_case(LinearModel model) {
  Case result{model.title, model.step, model.settings, {model.settings.displaced}};
  for (const LinearSubsystem& each : model.subsystems)
    if (each.name != model.settings.displaced) result.subsystems.push_back(each.name);
  result.sides = [model = std::move(model)](const std::string& displaced) { return model.sides(displaced); };
  result.advance = [](const std::string&) { return LinearPart::Advance::exactly; };
  return result;
}

Case model_case(const StabilityArguments& arguments) {
  const auto simulation = std::make_shared<Simulation>(load(arguments.model, arguments.set));
  const ModelFile& file = simulation->file();
  if (!file.coupling.force_displacement)
    throw Error(ExitCode::bad_model,
                "the model has no force-displacement coupling to look at; name one, for instance\n"
                "  subsystems: {flexible: [rod]}\n"
                "  coupling: {force-displacement: {displaced: flexible}}");
  State state = simulation->start().state;
  if (arguments.at_equilibrium) {
    const StaticResult result = find_equilibrium(simulation->system(), state, newton_settings(file.run));
    if (!result.converged) throw Error(ExitCode::step_failed, result.failure);
  }
  Case result{file.model.title, file.run.step, *file.coupling.force_displacement};
  result.subsystems.push_back(result.settings.displaced);
  if (const auto all = subsystems_of(file, simulation->built()); all.size() == 2)
    result.subsystems.push_back(all[all[0].name == result.settings.displaced ? 1 : 0].name);
  result.sides = [simulation, state](const std::string& displaced) {
    return linearise_sides(simulation->file(), simulation->built(), state, displaced);
  };
  result.advance = [simulation](const std::string& displaced) {
    return advance_of(simulation->file(), displaced);
  };
  return result;
}

ExitCode stability(const StabilityArguments& arguments) {
  check_model_exists(arguments.model);
  std::optional<LinearModel> linear = read_linear_model(arguments.model, arguments.set);
  const Case it = linear ? linear_case(std::move(*linear)) : model_case(arguments);
  const auto [steps, run_step] = steps_of(arguments, it.step);
  const Style style(stdout);
  fmt::print("{}\n\n", style.bold(it.title.empty() ? arguments.model : it.title));
  std::vector<Orientation> all;
  for (const std::string& displaced : it.subsystems) try {
      const bool is_chosen = displaced == it.settings.displaced;
      all.push_back({displaced, survey(it.sides(displaced), displaced, it.settings.order,
                                       it.advance(displaced), steps)});
      fmt::print("'{}' displaced{}\n{}\n", displaced, is_chosen ? ", as in the file" : "",
                 table(all.back(), steps, run_step, style));
    } catch (const Error& error) {
      if (displaced == it.settings.displaced) throw;
      fmt::print("'{}' displaced: not possible. {}\n\n", displaced, error.what());
    }
  const bool is_first_order = it.advance(it.settings.displaced) == LinearPart::Advance::linearly_implicit;
  if (const CouplingVerdict* best = best_of(all, run_step, is_first_order ? 1 : 2))
    fmt::print("{} with the step {:g} s:\n  coupling: {{force-displacement: {{{}}}}}\n",
               style.green("Recommended"), it.step, in_words(best->settings));
  else
    fmt::print("{} with the step {:g} s.\n", style.red("No setting is stable"), it.step);
  if (!arguments.drawing.empty()) {
    write_file(arguments.drawing, draw(all, steps));
    fmt::print("wrote {}\n", arguments.drawing);
  }
  return ExitCode::ok;
}

const char* const examples =
    "Examples:\n"
    "  hooke stability models/coupled/cable.yaml\n"
    "  hooke stability cable.yaml --steps 1e-4 1e-2 --draw radius.svg\n"
    "  hooke stability cable.yaml --set parameters.ratio=3 --equilibrium\n"
    "\n"
    "Both sides of a force-displacement coupling are linearised where they start, at rest; a file may also "
    "hold\n"
    "two linear subsystems (docs/command-line.md). 'degrees' are those of the polynomials that reactions "
    "and\n"
    "positions follow over a macro step. 'exchange alone' is the spectral radius for steps that go to zero: "
    "with\n"
    "1 or more no step is stable. 'radius' is that of a whole macro step: errors grow when it exceeds 1.";

}  // namespace

void add_stability(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("stability", "Say which settings of a force-displacement coupling are stable");
  auto arguments = std::make_shared<StabilityArguments>();
  add_model_argument(*command, arguments->model);
  command
      ->add_option("--steps", arguments->steps, "Smallest and largest macro step (default: about run.step)")
      ->expected(2)
      ->type_name("S");
  command->add_option("--count", arguments->count, "How many macro steps between them (13)")
      ->type_name("N")
      ->check(CLI::Range(2, 200));
  command->add_flag("--equilibrium", arguments->at_equilibrium,
                    "Linearise at the static equilibrium instead of the start");
  command->add_option("--draw", arguments->drawing, "Draw the radii over the macro step")
      ->type_name("FILE.svg");
  add_set_option(*command, arguments->set);
  command->footer(examples);
  command->callback([arguments, &chosen] { chosen.run = [arguments] { return stability(*arguments); }; });
}

}  // namespace hooke::program
