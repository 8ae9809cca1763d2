#pragma once
#include "hooke/base/fields.h"

namespace hooke {

/// Warns of numbers that no material has, in SI units: GPa, MPa, g/cm3 or t/mm3 were typed.
void doubt_material(double young, double density, const Complain& warn);

struct MaterialSettings {
  double young = 0, poisson = 0.3, density = 0;
  static void describe(auto& field) {
    field("young", &MaterialSettings::young,
          Doc{.text = "Young's modulus", .unit = "Pa", .required = true, .check = positive});
    field("poisson", &MaterialSettings::poisson, Doc{.text = "Poisson's ratio", .check = between(-1, 0.5)});
    field("density", &MaterialSettings::density,
          Doc{.text = "density", .unit = "kg/m3", .required = true, .check = positive});
  }
  void doubt(const Complain& warn) const { doubt_material(young, density, warn); }
};

}  // namespace hooke
