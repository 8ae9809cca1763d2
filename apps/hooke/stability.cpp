#include "hooke/base/format.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>

#include "commands.h"
#include "example_models.h"
#include "hooke/analysis/statics.h"
#include "hooke/base/text.h"
#include "hooke/fmi/cosimulation.h"
#include "hooke/io/model/linear_model_file.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/cycle_stability.h"
#include "hooke/simulation/simulation.h"
#include "hooke/simulation/subsystems.h"
#include "hooke/view/chart.h"
#include "hooke/view/output_file.h"
#include "stability_map.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct StabilityArguments {
  const Catalog* catalog;
  std::string model, drawing, map;
  std::vector<std::string> set;
  std::vector<double> steps;
  int count = 13;
  bool at_equilibrium = false;
  double cycle = 0;  // s
};

/// What the analysis says with one subsystem displaced.
struct Orientation {
  std::vector<std::string> displaced;
  std::vector<CouplingVerdict> verdicts;
  double growth = 0;  ///< of the system itself, 1/s, where it is unstable

  /// Where the system itself grows, so does every coupling of it: up to twice as fast is not the coupling's fault.
  bool is_stable(const CouplingVerdict& verdict, const std::vector<double>& steps, std::size_t k) const {
    return verdict.zero < 1 && verdict.radii[k] < std::exp(2 * growth * steps[k]) + 1e-9;
  }
  double largest_step(const CouplingVerdict& verdict, const std::vector<double>& steps) const {
    std::size_t k = 0;
    while (k < steps.size() && is_stable(verdict, steps, k)) ++k;
    return k > 0 ? steps[k - 1] : 0;
  }
};

/// Of both sides joined for good, from the equations that hold at every moment.
double growth_of(const LinearPair& pair) {
  const StateSpace &R = pair.forced, &F = pair.displaced;
  const Eigen::Index n = R.A.rows(), m = F.A.rows();
  MatrixX from_states(F.C.rows(), n + m);  // w = D_F (C_R x_R + D_R w) + C_F x_F
  from_states << F.D * R.C, F.C;
  const MatrixX w = (MatrixX::Identity(F.C.rows(), F.C.rows()) - F.D * R.D).fullPivLu().solve(from_states);
  MatrixX u = R.D * w;
  u.leftCols(n) += R.C;
  MatrixX whole = MatrixX::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = R.A;
  whole.bottomRightCorner(m, m) = F.A;
  whole.topRows(n) += R.B * w;
  whole.bottomRows(m) += F.B * u;
  return std::max(0.0, Eigen::EigenSolver<MatrixX>(whole, false).eigenvalues().real().maxCoeff());
}

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
const CouplingVerdict* best_of(const std::vector<Orientation>& all, const std::vector<double>& steps,
                               std::size_t step, int useful_order) {
  const CouplingVerdict* best = nullptr;
  const auto merit = [&](const CouplingVerdict& v) {
    return 10 * std::min(order_of(v.settings), useful_order) - v.settings.motion_degree -
           v.settings.force_degree + 0.1 * static_cast<int>(v.settings.forces);
  };
  for (const Orientation& each : all)
    for (const CouplingVerdict& v : each.verdicts)
      if (v.zero < 0.95 && each.is_stable(v, steps, step) && (!best || merit(v) > merit(*best))) best = &v;
  return best;
}

/// As a model file has it: a name, or several in brackets.
std::string listed(const std::vector<std::string>& names) {
  return names.size() == 1 ? names[0] : formatted("[{}]", join(names, ", "));
}

std::string in_words(const ForceDisplacementSettings& s) {
  std::string text = formatted("displaced: {}, forces: {}, force_degree: {}, motion_degree: {}",
                               listed(s.displaced), to_word(s.forces), s.force_degree, s.motion_degree);
  if (s.exchange != CouplingExchange::side_by_side) text += ", exchange: " + to_word(s.exchange);
  if (s.order != CouplingOrder::jacobi) text += ", order: " + to_word(s.order);
  return text;
}

std::string table(const Orientation& all, const std::vector<double>& steps, std::size_t run_step,
                  const Style& style) {
  std::vector<std::vector<std::string>> rows{{"forces", "exchange", "degrees", "exchange alone",
                                              "stable up to (s)",
                                              formatted("radius at {:g} s", steps[run_step])}};
  for (const CouplingVerdict& v : all.verdicts) {
    const double largest = all.largest_step(v, steps);
    rows.push_back({to_word(v.settings.forces),
                    v.settings.forces == CouplingForces::exact ? "" : to_word(v.settings.exchange),
                    formatted("{}, {}", v.settings.force_degree, v.settings.motion_degree),
                    formatted("{:.4f}", v.zero),
                    v.zero >= 1               ? "never"
                    : largest == 0            ? formatted("below {:.2g}", steps[0])
                    : largest == steps.back() ? formatted("{:.2g} and more", steps.back())
                                              : formatted("{:.2g}", largest),
                    formatted("{:.5f}", v.radii[run_step])});
  }
  return columns(rows, true, style);
}

std::string draw(const std::vector<Orientation>& all, const std::vector<double>& steps) {
  constexpr double most = 2;
  std::vector<Curve> curves;
  for (const Orientation& each : all) {
    int colour = 0;
    for (const CouplingVerdict& v : each.verdicts) {
      if (v.settings.exchange == CouplingExchange::in_turn) continue;
      Curve curve{
          formatted("degrees {}, {}", v.settings.force_degree, v.settings.motion_degree),
          formatted("radius, {} displaced, {} forces", listed(each.displaced), to_word(v.settings.forces)),
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
  std::vector<std::vector<std::string>> orientations;  ///< which may be displaced, that of the file first
  std::function<LinearPair(const std::vector<std::string>& displaced)> pair;

  void add_orientations(const std::vector<std::string>& names) {
    std::vector<std::string> others;
    for (const std::string& name : names)
      if (std::find(settings.displaced.begin(), settings.displaced.end(), name) == settings.displaced.end())
        others.push_back(name);
    orientations = {settings.displaced, others};
  }
};

Case linear_case(LinearModel model) {
  Case result{model.title, model.step, model.settings};
  std::vector<std::string> names;
  for (const LinearSubsystem& each : model.subsystems) names.push_back(each.name);
  result.add_orientations(names);
  result.pair = [model = std::move(model)](const auto& displaced) { return model.pair(displaced); };
  return result;
}

/// Of FMUs; who is displaced is given by their variables.
Case participants_case(Cosimulation file) {
  if (!file.coupling.force_displacement)
    throw Error(ExitCode::bad_model,
                "the participants have no force-displacement coupling to look at: see "
                "models/fmi/forced_displaced.yaml");
  Case result{file.title, file.run.step, *file.coupling.force_displacement};
  result.orientations = {result.settings.displaced};
  result.pair = [pair = linearise(file)](const auto&) { return pair; };
  return result;
}

Case model_case(const StabilityArguments& arguments) {
  const auto simulation =
      std::make_shared<Simulation>(load(arguments.model, arguments.set, *arguments.catalog));
  const Problem& file = simulation->problem();
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
  std::vector<std::string> names;
  for (const Subsystem& each : subsystems_of(file, simulation->built())) names.push_back(each.name);
  result.add_orientations(names);
  result.pair = [simulation, state](const auto& displaced) {
    return checked_pair(linearise_sides(simulation->problem(), simulation->built(), state, displaced),
                        displaced, advance_of(simulation->problem(), displaced));
  };
  return result;
}

Case case_of(const StabilityArguments& arguments) {
  if (auto coupled = read_cosimulation(arguments.model, arguments.set))
    return participants_case(std::move(*coupled));
  std::optional<LinearModel> linear = read_linear_model(arguments.model, arguments.set);
  return linear ? linear_case(std::move(*linear)) : model_case(arguments);
}

void save_drawing(const std::string& path, const std::string& svg) {
  if (path.empty()) return;
  write_file(path, svg);
  print("wrote {}\n", path);
}

/// Over a value of the file, with the orientation and forces it has.
ExitCode map(const StabilityArguments& arguments) {
  StabilityMap map;
  read_map_range(arguments.map, map);
  const std::vector<std::pair<int, int>> degrees{{0, 1}, {1, 1}, {2, 2}};
  Case first;
  for (const double value : map.values) {
    StabilityArguments changed = arguments;
    changed.set.push_back(formatted("{}={:.17g}", map.key, value));
    const Case it = case_of(changed);
    if (map.layers.empty()) {
      first = it;
      map.steps = steps_of(arguments, it.step).first;
      for (const auto& [force, motion] : degrees)
        map.layers.push_back(
            {formatted("{} forces, degrees {}, {}", to_word(it.settings.forces), force, motion)});
    }
    const LinearPair pair = it.pair(it.settings.displaced);
    for (std::size_t k = 0; k < degrees.size(); ++k) {
      ForceDisplacementSettings settings = it.settings;
      std::tie(settings.force_degree, settings.motion_degree) = degrees[k];
      const CouplingVerdict verdict = judge(pair, settings, map.steps);
      map.layers[k].zero.push_back(verdict.zero);
      map.layers[k].radii.push_back(verdict.radii);
    }
  }
  const Style style(stdout);
  print("{}\n\n{} displaced, {} forces: the exchange alone, and the step up to which it is stable (s)\n",
        style.bold(first.title.empty() ? arguments.model : first.title), listed(first.settings.displaced),
        to_word(first.settings.forces));
  std::vector<std::vector<std::string>> rows{{map.key}};
  for (const auto& [force, motion] : degrees) {
    rows[0].push_back(formatted("degrees {}, {}", force, motion));
    rows[0].push_back("step");
  }
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{formatted("{:.4g}", map.values[i])});
    for (const StabilityMap::Layer& layer : map.layers) {
      const double step = layer.stable_up_to(i, map.steps);
      row.push_back(formatted("{:.4f}", layer.zero[i]));
      row.push_back(layer.zero[i] >= 1         ? "never"
                    : step == 0                ? formatted("below {:.2g}", map.steps[0])
                    : step == map.steps.back() ? formatted("{:.2g} and more", step)
                                               : formatted("{:.2g}", step));
    }
  }
  print("{}\n", columns(rows, true, style));
  save_drawing(arguments.drawing, draw(map));
  return ExitCode::ok;
}

/// Of a motion that repeats itself: coupled as in the file, and as one system.
ExitCode cycle(const StabilityArguments& arguments) {
  const Problem file = load(arguments.model, arguments.set, *arguments.catalog);
  Problem whole = file;
  whole.subsystems = {};
  const CycleStability alone = cycle_stability(whole, arguments.cycle);
  if (alone.multipliers.empty())
    throw Error(ExitCode::usage, "--cycle: joints and drives leave nothing free that could grow");
  const Style style(stdout);
  print("{}\n\nAfter one cycle of {:g} s small changes of the motion have grown by\n",
        style.bold(file.model.title.empty() ? arguments.model : file.model.title), arguments.cycle);
  const auto report = [](const char* what, const CycleStability& found) {
    std::string all;
    for (std::size_t k = 0; k < std::min<std::size_t>(found.multipliers.size(), 6); ++k)
      all += formatted(
          "{}{:.5g}{}", k > 0 ? ", " : "", found.multipliers[k].real(),
          found.multipliers[k].imag() == 0 ? "" : formatted(" {:+.5g} i", found.multipliers[k].imag()));
    print("  {:<20}{:.6g}   (multipliers {}{})\n", what, found.radius(), all,
          found.multipliers.size() > 6 ? ", ..." : "");
  };
  report("the whole", alone);
  if (!file.subsystems.empty()) {
    const CycleStability coupled = cycle_stability(file, arguments.cycle);
    report("coupled", coupled);
    constexpr double noticeable = 1e-3;
    print("\n{}\n", coupled.radius() > std::max(1.0, alone.radius()) + noticeable
                        ? style.red("The coupling makes the motion unstable.")
                        : style.green("The coupling adds no instability."));
  }
  constexpr double closed = 1e-3;
  if (alone.open > closed)
    print(
        "\nThe motion is not where it began after the cycle, but {:.3g} (of the mechanism's size) away: "
        "these are growths over "
        "that time, not multipliers of a cycle.\n",
        alone.open);
  return ExitCode::ok;
}

ExitCode stability(const StabilityArguments& arguments) {
  check_model_exists(arguments.model);
  if (arguments.cycle > 0) return cycle(arguments);
  if (!arguments.map.empty()) return map(arguments);
  const Case it = case_of(arguments);
  const auto [steps, run_step] = steps_of(arguments, it.step);
  const Style style(stdout);
  print("{}\n\n", style.bold(it.title.empty() ? arguments.model : it.title));
  std::vector<Orientation> all;
  int useful_order = 2;
  for (const std::vector<std::string>& displaced : it.orientations) try {
      const bool is_chosen = displaced == it.settings.displaced;
      const LinearPair pair = it.pair(displaced);
      if (is_chosen && pair.displaced.advance == StateSpace::Advance::linearly_implicit) useful_order = 1;
      all.push_back({displaced, survey(pair, displaced, it.settings.order, steps), growth_of(pair)});
      print("{} displaced{}\n{}\n", listed(displaced), is_chosen ? ", as in the file" : "",
            table(all.back(), steps, run_step, style));
    } catch (const Error& error) {
      if (displaced == it.settings.displaced) throw;
      print("{} displaced: not possible. {}\n\n", listed(displaced), error.what());
    }
  if (!all.empty() && all[0].growth * it.step > 1e-6)
    print(
        "Where it starts the system itself grows at {:.3g} 1/s: of the radius at {:g} s, {:.5f} is its "
        "own.\n\n",
        all[0].growth, it.step, std::exp(all[0].growth * it.step));
  if (const CouplingVerdict* best = best_of(all, steps, run_step, useful_order))
    print("{} with the step {:g} s:\n  coupling: {{force-displacement: {{{}}}}}\n",
          style.green("Recommended"), it.step, in_words(best->settings));
  else
    print("{} with the step {:g} s; try `corrections: 8` (docs/theory/coupling.md).\n",
          style.red("No setting is stable"), it.step);
  if (it.settings.corrections > 0) print("All this is of macro steps without the file's `corrections`.\n");
  if (!arguments.drawing.empty()) save_drawing(arguments.drawing, draw(all, steps));
  return ExitCode::ok;
}

const char* const stability_examples =
    "Examples:\n"
    "  hooke stability models/coupled/cable.yaml\n"
    "  hooke stability cable.yaml --steps 1e-4 1e-2 --draw radius.svg\n"
    "  hooke stability cable.yaml --set parameters.ratio=3 --equilibrium\n"
    "  hooke stability cable.yaml --map parameters.ratio=0.1:20:30 --steps 2e-4 0.02 --draw map.svg\n"
    "  hooke stability crank.yaml --cycle 0.5\n"
    "\n"
    "Both sides of a force-displacement coupling are linearised where they start, at rest; a file may also "
    "hold\n"
    "two linear subsystems (docs/command-line.md). 'degrees' are those of the polynomials that reactions "
    "and\n"
    "positions follow over a macro step. 'exchange alone' is the spectral radius for steps that go to zero: "
    "with\n"
    "1 or more no step is stable. 'radius' is that of a whole macro step: errors grow when it exceeds 1.";

}  // namespace

void add_stability(CommandLine& line) {
  Command command = line.add("stability", "Say which settings of a force-displacement coupling are stable");
  auto arguments = std::make_shared<StabilityArguments>();
  arguments->catalog = &line.catalog();
  command.model_argument(arguments->model);
  command.option({.name = "--steps",
                  .type = "S",
                  .help = "Smallest and largest macro step (default: about run.step)",
                  .count = 2},
                 &arguments->steps);
  command.option(
      {.name = "--count", .type = "N", .help = "How many macro steps between them (13)", .range = {{2, 200}}},
      &arguments->count);
  command.flag("--equilibrium", arguments->at_equilibrium,
               "Linearise at the static equilibrium instead of the start");
  command.option(
      {.name = "--cycle",
       .type = "T",
       .help = "Of a motion that repeats itself after T seconds, with any coupling: growth over a cycle"},
      &arguments->cycle);
  command.option({"--map", "KEY=LOW:HIGH:COUNT",
                  "Over a value of the model, too, with the forces and the orientation of the file"},
                 &arguments->map);
  command.option({"--draw", "FILE.svg", "Draw the radii over the macro step, or the map"},
                 &arguments->drawing);
  command.set_option(arguments->set);
  command.footer(stability_examples);
  command.action([arguments] { return stability(*arguments); });
}

}  // namespace hooke::program
