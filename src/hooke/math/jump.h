#pragma once
#include <optional>

#include "hooke/math/function.h"

namespace hooke {

struct ValueJump {
  double x, size;
};

/// The first place in [from, to], looked at in pieces of a length, where the value jumps by more than `least`.
std::optional<ValueJump> first_jump(const Function& function, double from, double to, double piece,
                                    double least);

}  // namespace hooke
