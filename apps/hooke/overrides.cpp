#include "hooke/overrides.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "base/text.h"

namespace hooke::program {

std::string integrator_value(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name(trim(text.substr(0, colon)));
  if (name.empty()) throw Error(ExitCode::usage, fmt::format("--integrator '{}' has no name", text));
  if (colon == text.npos) return name;

  const std::string settings = text.substr(colon + 1);
  if (settings.find('=') == settings.npos) return fmt::format("{{{}: {}}}", name, settings);
  std::string entries;
  std::istringstream list(settings);
  for (std::string entry; std::getline(list, entry, ',');) {
    const auto equals = entry.find('=');
    if (equals == entry.npos || equals == 0)
      throw Error(
          ExitCode::usage,
          fmt::format("--integrator: settings are written {}:key=value,key=value, not '{}'", name, entry));
    entries += fmt::format("{}{}: {}", entries.empty() ? "" : ", ", trim(entry.substr(0, equals)),
                           trim(entry.substr(equals + 1)));
  }
  return fmt::format("{{{}: {{{}}}}}", name, entries);
}

std::vector<std::string> overrides(const RunChanges& changes) {
  std::vector<std::string> result = changes.set;
  const auto add = [&](const char* key, const std::optional<std::string>& value) {
    if (value) result.push_back(fmt::format("run.{}={}", key, *value));
  };
  if (changes.integrator) add("integrator", integrator_value(*changes.integrator));
  add("solver", changes.solver);
  add("step", changes.step);
  add("end", changes.end);
  add("tolerance", changes.tolerance);
  add("analysis", changes.analysis);
  add("threads", changes.threads);
  add("realtime", changes.realtime);
  return result;
}

}  // namespace hooke::program
