#include "hooke/math/user_code.h"

namespace hooke {

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
