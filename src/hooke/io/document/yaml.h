#pragma once
#include <cstddef>
#include <string>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/io/document/value.h"

namespace hooke {

/// Hostile or careless input must end in an error, not in a full memory or a hang. Everything that is read or
/// generated is paid from one budget: nodes one each, text and expressions by their length, an alias what a
/// copy of its target costs, each turn of a loop one.
class Budget {
 public:
  void spend(std::size_t amount, const Location& at);
  static std::size_t cost_of_text(std::size_t bytes) { return 1 + bytes / 32; }

 private:
  std::size_t left_ = static_cast<std::size_t>(limits::values.value());
};

/// The tree of a YAML (or JSON) text as it is written, with `${...}`, loops and includes still in place.
/// `name` is what messages call the file. Throws ModelError when it is not YAML or more than the limits
/// allow.
Value parse_yaml(const std::string& text, const std::string& name, Budget& budget);

}  // namespace hooke
