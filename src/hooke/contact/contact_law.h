#pragma once
#include <algorithm>
#include <cmath>

#include "hooke/math/types.h"

namespace hooke {

/// The normal force of a compliant contact over depth d and its rate, and its derivatives. Hunt and Crossley:
///
///   F = k d^n (1 + c d'),    potential k d^(n+1) / (n+1)
///
/// Nothing pulls, and the force begins from zero. Hunt, Crossley, "Coefficient of restitution interpreted as damping in
/// vibroimpact", J. Applied Mechanics 42 (1975) 440-445.
///
/// An impact at the speed v leaves with e v. From  v dv / (1 + c v) = -(k/m) d^n dd  over compression and restitution
///
///   (1 + e) D = ln((1 + D) / (1 - e D)),     D = c v,
///
/// whatever k, n and the masses are. So the damping of each impact follows from its own speed, c = D(e)/v, and the
/// restitution comes out as asked for, exactly. (The usual c = 3 (1 - e) / (2 v) is the limit of e near 1.)
struct NormalLaw {
  double stiffness = 0;      ///< k, N/m^n
  double exponent = 1.5;     ///< n
  double loss = 0;           ///< D
  double rest_speed = 1e-2;  ///< m/s, slower impacts are damped as one at this speed
  double damping = 0;        ///< c, s/m, where it is given itself

  struct Sample {
    double force = 0, by_depth = 0, by_rate = 0, elastic = 0, energy = 0;
  };
  /// `speed`: of the impact that the contact began with.
  Sample operator()(double depth, double rate, double speed) const {
    Sample s;
    if (depth <= 0) return s;
    const double c = damping > 0 ? damping : loss / std::max(speed, rest_speed);
    const double power = stiffness * std::pow(depth, exponent - 1);
    s.elastic = power * depth;
    s.energy = s.elastic * depth / (exponent + 1);
    const double factor = 1 + c * rate;
    if (factor <= 0) return s;  // it never pulls
    s.force = s.elastic * factor;
    s.by_depth = exponent * power * factor;
    s.by_rate = s.elastic * c;
    return s;
  }

  /// D of a coefficient of restitution 0 < e <= 1, by bisection: the left side less the right one changes sign once
  /// between 0 and 1/e.
  static double loss_of(double restitution);
  /// Of others, which are right near e = 1: Hunt and Crossley; Lankarani, Nikravesh, J. Mechanical Design 112 (1990) 369-376.
  static double loss_of_hunt_crossley(double restitution) { return 1.5 * (1 - restitution); }
  static double loss_of_lankarani_nikravesh(double restitution) {
    return 0.75 * (1 - restitution * restitution);
  }
};

/// Along the surface.
///
///   coulomb   f = -mu F v / sqrt(v^2 + s^2)              s: the speed that is called rest; it creeps there
///   bristle   f = -mu F (z + tau v/l), no longer than mu F;  z' = v/l while it sticks
///
/// Bristles bend by z times their length l before they slip, so that what sticks stays where it is. tau damps them.
/// Rolling and spinning are resisted by moments of the normal force times a length.
struct FrictionLaw {
  double coefficient = 0;
  double stick_speed = 1e-3;         ///< m/s, of coulomb
  double bristle = 0;                ///< m; 0: coulomb
  double settling = 1e-3;            ///< s, tau
  double rolling = 0, spinning = 0;  ///< m
  double stick_spin = 1e-2;          ///< rad/s
};

/// What a place of a compliant contact remembers: the speed at which the surfaces approached, whether they touch (0: the run
/// begins, -1: they do not), the time; bristles and sliding velocity in the axes of the second surface; the integral of the force
/// since the start and the last force, on the first surface, world axes.
struct TouchMemory {
  static constexpr int size = 15;
  double* m;
  void leave(double approach, double t) const;
  void touch(const FrictionLaw& friction, const Mat3& R, const Vec3& n, const Vec3& v_t, double rate,
             const Vec3& force, double t) const;
  static Vec3 impulse(const double* m) { return {m[9], m[10], m[11]}; }

 private:
  double pass(double t, const Vec3& force) const;
};

}  // namespace hooke
