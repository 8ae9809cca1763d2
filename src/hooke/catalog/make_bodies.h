#pragma once
#include "hooke/catalog/settings.h"

namespace hooke {

MassProperties mass_properties(const RigidSettings& settings);

}  // namespace hooke
