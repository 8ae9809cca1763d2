#pragma once
#include <string>
#include <vector>

#include "hooke/record/drawing.h"

namespace hooke {

/// A typical length of this model, for pictures: from mass centres to joints, the size of shapes, or, where
/// there is neither, three radii of gyration.
double typical_size(const Drawing& drawing);

/// Gives every body without shapes some that fit its inertia and joints: bars from joint to joint, and where
/// there are not two of them a box, cylinder or ball with the inertia of the body. `is_drawn` tells the
/// bodies that need none. `joint_types` in the order of the joints.
void add_default_shapes(Drawing& drawing, const std::vector<std::string>& joint_types,
                        const std::vector<char>& is_drawn);

}  // namespace hooke
