#include <fmt/format.h>

#include <cmath>

#include "analysis/statics.h"
#include "base/text.h"
#include "hooke/commands.h"
#include "hooke/example_models.h"
#include "hooke/terminal.h"
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

/// One subsystem displaced: what the analysis says, and what it was made from.
struct Orientation {
  std::string displaced;
  std::vector<CouplingVerdict> verdicts;
};

std::vector<double> steps_of(const StabilityArguments& arguments, double run_step) {
  const double low = arguments.steps.empty() ? run_step / 30 : arguments.steps[0],
               high = arguments.steps.empty() ? run_step * 30 : arguments.steps[1];
  if (!(low > 0 && high > low))
    throw Error(ExitCode::usage, "--steps: give the smallest and the largest macro step");
  std::vector<double> steps;
  for (int k = 0; k < arguments.count; ++k)
    steps.push_back(low * std::pow(high / low, k / (arguments.count - 1.0)));
  return steps;
}

/// How accurate a setting is: the order, and on which side errors are smaller.
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

void check_is_coupled(const ModelFile& file) {
  if (file.coupling.force_displacement) return;
  throw Error(ExitCode::bad_model,
              "the model has no force-displacement coupling to look at; name one, for instance\n"
              "  subsystems: {flexible: [rod]}\n"
              "  coupling: {force-displacement: {displaced: flexible}}");
}

ExitCode stability(const StabilityArguments& arguments) {
  check_model_exists(arguments.model);
  const ModelFile file = load(arguments.model, arguments.set);
  check_is_coupled(file);
  const Simulation simulation(file);
  State state = simulation.start().state;
  state.v.setZero();
  if (arguments.at_equilibrium) {
    const StaticResult result = find_equilibrium(simulation.system(), state, newton_settings(file.run));
    if (!result.converged) throw Error(ExitCode::step_failed, result.failure);
  }
  std::vector<double> steps = steps_of(arguments, file.run.step);
  const auto run_step = static_cast<std::size_t>(
      std::lower_bound(steps.begin(), steps.end(), file.run.step * (1 - 1e-9)) - steps.begin());
  if (run_step == steps.size() || std::abs(steps[run_step] - file.run.step) > 1e-9 * file.run.step)
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(run_step), file.run.step);

  const ForceDisplacementSettings& chosen = *file.coupling.force_displacement;
  const Style style(stdout);
  const std::string& title = file.model.title;
  fmt::print("{}\n\n", style.bold(title.empty() ? arguments.model : title));
  std::vector<Orientation> all;
  std::vector<std::string> names{chosen.displaced};
  if (const auto subsystems = subsystems_of(file, simulation.built()); subsystems.size() == 2)
    names.push_back(subsystems[0].name == chosen.displaced ? subsystems[1].name : subsystems[0].name);
  for (const std::string& displaced : names) try {
      const LinearSides sides = linearise_sides(file, simulation.built(), state, displaced);
      all.push_back({displaced, survey(sides, displaced, chosen.order, advance_of(file, displaced), steps)});
      fmt::print("'{}' displaced{}\n{}\n", displaced, displaced == chosen.displaced ? ", as in the file" : "",
                 table(all.back(), steps, run_step, style));
    } catch (const Error& error) {
      if (displaced == chosen.displaced) throw;
      fmt::print("'{}' displaced: not possible ({})\n\n", displaced, error.what());
    }
  const bool is_first_order = advance_of(file, chosen.displaced) == LinearPart::Advance::linearly_implicit;
  if (const CouplingVerdict* best = best_of(all, run_step, is_first_order ? 1 : 2))
    fmt::print("{} with the step {:g} s:\n  coupling: {{force-displacement: {{{}}}}}\n",
               style.green("Recommended"), file.run.step, in_words(best->settings));
  else
    fmt::print("{} with the step {:g} s.\n", style.red("No setting is stable"), file.run.step);
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
    "Both sides of a force-displacement coupling are linearised where they start, at rest. 'degrees' are "
    "those of\n"
    "the polynomials that reactions and positions follow over a macro step. 'exchange alone' is the "
    "spectral\n"
    "radius for steps that go to zero: with 1 or more no step is stable. 'radius' is that of a whole macro\n"
    "step: errors grow when it exceeds 1.";

}  // namespace

void add_stability(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("stability", "Say which settings of a force-displacement coupling are stable");
  auto arguments = std::make_shared<StabilityArguments>();
  command->add_option("model", arguments->model, "Model file (YAML or JSON)")->required()->type_name("FILE");
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
  command->add_option("--set", arguments->set, "Change a value of the model file; may be repeated")
      ->type_name("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  command->footer(examples);
  command->callback([arguments, &chosen] { chosen.run = [arguments] { return stability(*arguments); }; });
}

}  // namespace hooke::program
