#include "hooke/view/units.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "hooke/base/error.h"
#include "hooke/base/format.h"

namespace hooke {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

const UnitChoice& choice_of(std::string_view word) {
  std::string known;
  for (const UnitChoice& choice : unit_choices) {
    if (word == choice.name) return choice;
    known += formatted("{}{}", known.empty() ? "" : ", ", choice.name);
  }
  throw Error(ExitCode::usage, formatted("'{}' is no unit to show numbers in; there are {}", word, known));
}

}  // namespace

Units::Units(std::string_view words) {
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    const UnitChoice& choice = choice_of(words.substr(0, comma));
    if (const UnitChoice* other = instead_of(choice.instead_of))
      throw Error(ExitCode::usage, formatted("'{}' and '{}' both stand for {}; choose one", other->name,
                                             choice.name, choice.instead_of));
    chosen_.push_back(&choice);
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
}

const UnitChoice* Units::instead_of(std::string_view unit) const {
  const auto found = std::find_if(chosen_.begin(), chosen_.end(),
                                  [&](const UnitChoice* choice) { return unit == choice->instead_of; });
  return found == chosen_.end() ? nullptr : *found;
}

Units::Shown Units::show(std::string_view unit) const {
  if (const UnitChoice* whole = instead_of(unit)) return {whole->factor, whole->name};
  Shown shown{1, std::string(unit)};
  if (unit.find(" or ") != unit.npos || unit.find(',') != unit.npos) return shown;
  shown.unit.clear();
  int sign = 1;
  for (std::size_t k = 0; k < unit.size();) {
    std::size_t end = k;
    while (end < unit.size() && is_letter(unit[end])) ++end;
    if (end == k) {  // between words
      sign = unit[k] == '/' ? -1 : 1;
      shown.unit += unit[k++];
      continue;
    }
    const std::string_view word = unit.substr(k, end - k);
    const bool has_power = end + 1 < unit.size() && unit[end] == '^' && std::isdigit(unit[end + 1]);
    const int power = sign * (has_power ? unit[end + 1] - '0' : 1);
    const UnitChoice* choice = instead_of(word);
    shown.unit += choice ? choice->name : word;
    if (choice) shown.factor *= std::pow(choice->factor, power);
    k = end;
  }
  return shown;
}

}  // namespace hooke
