#include "hooke/math/jump.h"

#include <algorithm>
#include <cmath>

namespace hooke {

/// What the slopes at its ends do not explain of a piece is less and less as the piece is halved; of a jump all is left.
std::optional<ValueJump> first_jump(const Function& function, double from, double to, double piece,
                                    double least) {
  constexpr int halvings = 40, most_pieces = 20000;
  const auto unexplained = [&](double a, double b) {
    const Sample left = function(a), right = function(b);
    return std::abs(right.value - left.value - 0.5 * (b - a) * (left.d1 + right.d1));
  };
  piece = std::max(piece, (to - from) / most_pieces);
  for (double start = from; start < to; start += piece) {
    double a = start, b = std::min(a + piece, to);
    if (!(unexplained(a, b) > least)) continue;
    for (int halving = 0; halving < halvings; ++halving) {
      const double middle = 0.5 * (a + b);
      (unexplained(a, middle) > unexplained(middle, b) ? b : a) = middle;
    }
    if (const double size = unexplained(a, b); size > least) return ValueJump{b, size};
  }
  return {};
}

}  // namespace hooke
