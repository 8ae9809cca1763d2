#include "hooke/base/fields.h"

#include <cmath>

#include "hooke/base/format.h"
#include "hooke/base/text.h"

namespace hooke {

std::string to_string(const Range& range) {
  const std::string low = format_number(range.low), high = format_number(range.high);
  if (range.has_low() && range.has_high()) {
    if (!range.without_low && !range.without_high) return formatted("between {} and {}", low, high);
    return formatted("{} {} and {} {}", range.without_low ? "above" : "at least", low,
                     range.without_high ? "below" : "at most", high);
  }
  if (range.has_low() && range.low == 0) return range.without_low ? "positive" : "zero or positive";
  if (range.has_low()) return formatted("{} {}", range.without_low ? "above" : "at least", low);
  if (range.has_high()) return formatted("{} {}", range.without_high ? "below" : "at most", high);
  return "";
}

std::string range_fault(const Doc& doc, double number) {
  if (!std::isfinite(number)) return "expected a finite number";
  if (!limits::number.holds(std::abs(number)))
    return formatted("{} is too large: {}", format_number(number), limits::number.advice());
  if (doc.check.holds(number)) return "";
  const bool is_tiny = doc.check.without_low && number > doc.check.low && number < smallest_positive;
  return formatted("must be {}{}, got {}{}{}", to_string(doc.check),
                   is_tiny ? formatted(", at least {:g}", smallest_positive) : "", format_number(number),
                   *doc.unit ? " " : "", doc.unit);
}

}  // namespace hooke
