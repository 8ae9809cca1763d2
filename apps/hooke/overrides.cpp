#include "overrides.h"

#include "hooke/base/format.h"

#include <sstream>

#include "hooke/base/error.h"
#include "hooke/base/text.h"

namespace hooke::program {

std::string integrator_value(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name(trim(text.substr(0, colon)));
  if (name.empty()) throw Error(ExitCode::usage, formatted("--integrator '{}' has no name", text));
  if (colon == text.npos) return name;

  const std::string settings = text.substr(colon + 1);
  if (settings.find('=') == settings.npos) return formatted("{{{}: {}}}", name, settings);
  std::string entries;
  std::istringstream list(settings);
  for (std::string entry; std::getline(list, entry, ',');) {
    const auto equals = entry.find('=');
    if (equals == entry.npos || equals == 0)
      throw Error(
          ExitCode::usage,
          formatted("--integrator: settings are written {}:key=value,key=value, not '{}'", name, entry));
    entries += formatted("{}{}: {}", entries.empty() ? "" : ", ", trim(entry.substr(0, equals)),
                         trim(entry.substr(equals + 1)));
  }
  return formatted("{{{}: {{{}}}}}", name, entries);
}

std::vector<std::string> overrides(const RunChanges& changes) {
  std::vector<std::string> result = changes.set;
  const auto add = [&](const char* key, const std::optional<std::string>& value) {
    if (value) result.push_back(formatted("run.{}={}", key, *value));
  };
  if (changes.integrator) add("integrator", integrator_value(*changes.integrator));
  add("solver", changes.solver);
  add("step", changes.step);
  add("end", changes.end);
  add("tolerance", changes.tolerance);
  add("analysis", changes.analysis);
  add("threads", changes.threads);
  add("realtime", changes.realtime);
  add("device", changes.device);
  return result;
}

}  // namespace hooke::program
