#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/io/document/value.h"
#include "hooke/io/document/yaml.h"
#include "hooke/math/expression.h"

namespace hooke {

/// Computes `${...}` and unrolls `for` and `if` (document.h tells the rules).
class Resolver {
 public:
  Resolver(Budget& budget, Diagnostics& diagnostics) : budget_(budget), diagnostics_(diagnostics) {}

  /// The values of all parameters, which may use one another in any order; they become names for what
  /// follows. Returns them as a mapping of numbers.
  Value define_parameters(const std::vector<Value>& parameters);

  /// The plain tree of `raw`. `path` is where it will stand, for messages.
  Value resolve(const Value& raw, const std::string& path = "");

 private:
  struct Entries;
  struct Pending;

  Value tree(const Value& raw);
  void entries(const Value& raw, Entries& out);
  void entry(const Value& raw, Entries& out);
  void items(const Value& raw, Value& out);
  bool expand(const Value& entry, std::optional<bool>& taken, const std::function<void()>& emit);
  bool loop(const Value& entry, const std::function<void()>& emit);
  bool require(const Value& entry, Value::Kind kind);

  void parameter(Pending& pending, size_t index);
  std::optional<double> parameter_value(const Value& raw);

  /// Each returns nothing after it has reported what is wrong.
  std::optional<std::string> substitute(const std::string& text, const Location& at);
  std::optional<double> number(std::string_view expression, const Location& at);
  std::optional<int> whole_number(std::string_view expression, const Location& at);

  template <class... Args>
  void complain(const Location& at, Format<Args...> text, const Args&... args) {
    ++complaints_;
    diagnostics_.error<Args...>(at, path_, text, args...);
    if (diagnostics_.is_full()) diagnostics_.throw_if_errors();
  }

  Budget& budget_;
  Diagnostics& diagnostics_;
  Parameters names_;
  std::set<std::string, std::less<>> failed_;  // parameters whose own error is reported already
  std::string path_;
  int complaints_ = 0;
};

}  // namespace hooke
