#include "hooke/base/limits.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/base/text.h"

namespace hooke {
namespace {

constexpr std::string_view prefix = "HOOKE_LIMIT_";

std::string variable(const Limit& limit) { return std::string(prefix) + limit.name; }

}  // namespace

double Limit::value() const {
  const char* const given = is_fixed ? nullptr : std::getenv(variable(*this).c_str());
  if (!given) return most;
  const auto number = parse_number(given);
  if (!number || !(*number > 0))
    throw Error(ExitCode::usage,
                formatted("{}: expected a positive number, got '{}'", variable(*this), given));
  return *number;
}

std::string Limit::advice() const {
  const std::string number = format_number(value());
  if (is_fixed) return formatted("the limit is {}", number);
  return formatted("the limit is {}, the environment variable {} raises it", number, variable(*this));
}

std::string Limit::excess(double amount) const {
  if (holds(amount)) return "";
  return formatted("{} {}: {}", format_number(amount), text, advice());
}

void check_limits() {
  std::vector<std::string> known;
  for (const Limit& limit : limits::all) {
    limit.value();
    if (!limit.is_fixed) known.push_back(variable(limit));
  }
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with(prefix) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ExitCode::usage,
                formatted("there is no limit {}{}: docs/limits.md lists those that can be raised", name,
                          suggest(name, known)));
  }
}

}  // namespace hooke
