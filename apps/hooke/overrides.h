#pragma once
#include <optional>
#include <string>
#include <vector>

/// Options of the command line as changes of the model file, key.path=value (io/document/document.h).
namespace hooke::program {

struct RunChanges {
  std::vector<std::string> set;
  std::optional<std::string> integrator, solver, step, end, tolerance, analysis, threads, realtime, device;
};

/// In the order in which they apply: what an option says wins over --set.
std::vector<std::string> overrides(const RunChanges& changes);

/// "generalized-alpha" or "generalized-alpha:0.5" or "generalized-alpha:rho=0.5,form=index3" as the value of
/// run.integrator.
std::string integrator_value(const std::string& text);

}  // namespace hooke::program
