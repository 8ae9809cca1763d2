#pragma once
#include "hooke/base/fields.h"

namespace hooke {

struct MaterialSettings {
  double young = 0, poisson = 0.3, density = 0;
  static void describe(auto& field) {
    field("young", &MaterialSettings::young,
          Doc{.text = "Young's modulus", .unit = "Pa", .required = true, .check = positive});
    field("poisson", &MaterialSettings::poisson, Doc{.text = "Poisson's ratio", .check = between(-1, 0.5)});
    field("density", &MaterialSettings::density,
          Doc{.text = "density", .unit = "kg/m3", .required = true, .check = positive});
  }
};

}  // namespace hooke
