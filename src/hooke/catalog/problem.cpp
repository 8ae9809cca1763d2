#include "hooke/catalog/problem.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/format.h"

namespace hooke {

double Problem::step_count() const {
  const bool is_marched = !std::holds_alternative<StaticsSettings>(run.analysis) &&
                          !std::holds_alternative<ModesSettings>(run.analysis);
  return is_marched ? std::ceil((run.end - run.start) / run.step) : 0;
}

double Problem::output_count() const {
  const double steps = step_count();
  if (steps == 0 || outputs.every <= 0) return steps + 1;
  return std::ceil((run.end - run.start) / outputs.every) + 1;
}

/// What would never end, or fill the disk.
void Problem::check(const Complain& complain) const {
  const auto bound = [&](const Limit& limit, double amount, const char* key) {
    if (const std::string excess = limit.excess(amount); !excess.empty()) complain(key, excess);
  };
  int finest = 1;
  for (const auto& [name, subsystem] : subsystems) {
    const std::string path = "subsystems." + name + ".step";
    if (subsystem.step && subsystem.steps != 1) complain(path.c_str(), "give either 'step' or 'steps'");
    const double exact = subsystem.step ? run.step / *subsystem.step : subsystem.steps;
    if (!(exact < 1e9) || exact < 1 - 1e-6 || std::abs(std::round(exact) / exact - 1) > 1e-6)
      complain(path.c_str(),
               formatted("must be a whole fraction of the macro step, run.step = {:g} s", run.step));
    else
      finest = std::max(finest, subsystem.steps_in(run.step));
  }
  bound(limits::threads, run.threads, "run.threads");
  bound(limits::iterations, run.newton_iterations, "run.newton_iterations");
  bound(limits::iterations, run.realtime.value_or(1), "run.realtime");
  if (!run.tolerance) bound(limits::steps, finest * step_count(), finest > 1 ? "subsystems" : "run.step");
  if (outputs.every > 0 || !run.tolerance) bound(limits::outputs, output_count(), "outputs.every");
}

}  // namespace hooke
