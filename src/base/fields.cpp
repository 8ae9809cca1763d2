#include "base/fields.h"

#include <fmt/format.h>

#include "base/text.h"

namespace hooke {

std::string to_string(const Range& range) {
  const std::string low = format_number(range.low), high = format_number(range.high);
  if (range.has_low() && range.has_high()) {
    if (!range.without_low && !range.without_high) return fmt::format("between {} and {}", low, high);
    return fmt::format("{} {} and {} {}", range.without_low ? "above" : "at least", low,
                       range.without_high ? "below" : "at most", high);
  }
  if (range.has_low() && range.low == 0) return range.without_low ? "positive" : "zero or positive";
  if (range.has_low()) return fmt::format("{} {}", range.without_low ? "above" : "at least", low);
  if (range.has_high()) return fmt::format("{} {}", range.without_high ? "below" : "at most", high);
  return "";
}

}  // namespace hooke
