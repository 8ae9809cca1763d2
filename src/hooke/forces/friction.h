#pragma once
#include <cmath>

#include "hooke/forces/coordinate_force.h"

namespace hooke {

/// Friction in a joint, a law of the rate v of its coordinate: viscous drag and a dry part whose level falls
/// from breakaway to kinetic as sliding begins (Stribeck), smoothed through v = 0:
///
///   f = viscous v + level(v) tanh(v / stick_rate)
///   level(v) = kinetic + (breakaway - kinetic) exp(-(v / stribeck_rate)^2)
///
/// Andersson, Soderberg, Bjorklund, "Friction models for sliding dry, boundary and mixed lubricated
/// contacts", Tribology International 40 (2007) 580-587. It never feeds energy: f v >= 0.
///
/// What should stick creeps: a load F below the limit moves on at v = stick_rate atanh(F / level), so
/// stick_rate is the speed one is ready to call rest. It also makes the equations stiff there, df/dv being
/// level / stick_rate. Breakaway is only reached where stick_rate is well below stribeck_rate.
struct Friction {
  double viscous = 0;          ///< N s/m    or N m s
  double kinetic = 0;          ///< N        or N m: the limit while sliding
  double breakaway = kinetic;  ///< N        or N m: the limit at rest
  double stick_rate = 1e-3;    ///< m/s      or rad/s
  double stribeck_rate = 10 * stick_rate;

  LawSample operator()(double /*x*/, double v, double /*t*/) const {
    const double slip = v / stribeck_rate, drop = (breakaway - kinetic) * std::exp(-slip * slip);
    const double level = kinetic + drop, direction = std::tanh(v / stick_rate);
    return {.force = viscous * v + level * direction,
            .d_v = viscous + level * (1 - direction * direction) / stick_rate -
                   2 * slip / stribeck_rate * drop * direction};
  }
};

template <Coordinate C>
using JointFriction = CoordinateForce<C, Friction>;

static_assert(Force<JointFriction<Angle>> && !Conservative<JointFriction<Angle>>);

}  // namespace hooke
