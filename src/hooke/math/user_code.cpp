#include "hooke/math/user_code.h"

#include "hooke/base/error.h"
#include "hooke/base/format.h"
#include "hooke/base/text.h"

namespace hooke {

double Measured::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return values_[i];
  throw Error(ExitCode::usage, formatted("'{}' is not among the inputs of this code{}", name,
                                         suggest(name, {names_.begin(), names_.end()})));
}

UserCode code_of_names(std::vector<std::string> names, std::function<double(const Measured&)> code) {
  return {[names = std::move(names), code = std::move(code)](std::span<const double> in, std::span<double>) {
    return code(Measured(names, in));
  }};
}

Function function_of(std::shared_ptr<const UserCode> code) {
  if (!code->has_derivatives)
    return Function::by_differences(
        [code](double x) { return code->function(std::span<const double>(&x, 1), {}); });
  return Function::of([code](double x) {
    std::array<double, 2> slopes{};
    const double value = code->function(std::span<const double>(&x, 1), slopes);
    return Sample{value, slopes[0], slopes[1]};
  });
}

Law law_of(std::shared_ptr<const UserCode> code) {
  if (!code->has_derivatives)
    return Law::by_differences([code](const LawInput& in) {
      return code->function(std::array{in.x, in.v, in.t}, {});
    });
  return Law::of([code](const LawInput& in) {
    std::array<double, 2> slopes{};
    const double force = code->function(std::array{in.x, in.v, in.t}, slopes);
    return LawSample{force, slopes[0], slopes[1]};
  });
}

}  // namespace hooke
