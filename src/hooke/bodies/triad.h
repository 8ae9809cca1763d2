#pragma once
#include <array>

#include "hooke/math/types.h"

namespace hooke {

/// The orientation of a section spanned by two vectors b and c that need be neither of unit length nor
/// perpendicular: z along b x c, and x along b, or x and y evenly between b and c. It turns with
///
///   omega = Omega (b', c') = (b (e3.c') - c (e3.b'))/D + e3 (s_b (e3 x b).b'/b^2 + s_c (e3 x c).c'/c^2)
///
/// where D = |b x c|. s_b and s_c are the shares of a moment about z that b and c carry: 1 and 0 for x along
/// b, 1/2 each for x and y between them.
struct Triad {
  enum class X { along_b, between };
  Mat3 R;
  Mat36 Omega;

  Triad(const Vec3& b, const Vec3& c, X x);

  /// d(Omega^T mu)/d(b, c) at constant mu.
  Mat6 moment_gradient(const Vec3& mu) const;
  /// d(Omega rates)/d(b, c) at constant rates.
  Mat36 spin_gradient(const Vec6& rates) const;

 private:
  Vec3 b_, c_;
  double D_, share_b_;
};

/// Along three of some points (columns): x along the first to the second.
Triad triad(const Eigen::Ref<const Mat3X>& points, const std::array<int, 3>& of);

}  // namespace hooke
