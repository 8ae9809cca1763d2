#pragma once
#include <string>
#include <vector>

#include "hooke/record/drawing.h"

namespace hooke {

/// The length that pictures of this model are about: how far joints are from the mass centres, or what the
/// inertia suggests.
double typical_size(const Drawing& drawing);

/// Gives every body without shapes some that fit its inertia and joints: bars from joint to joint, and where
/// there are not two of them a box, cylinder or ball with the inertia of the body. `is_drawn` tells the
/// bodies that need none. `joint_types` in the order of the joints.
void add_default_shapes(Drawing& drawing, const std::vector<std::string>& joint_types,
                        const std::vector<char>& is_drawn);

}  // namespace hooke
