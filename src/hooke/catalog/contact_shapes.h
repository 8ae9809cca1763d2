#pragma once
#include "hooke/catalog/contact_settings.h"
#include "hooke/contact/surface.h"

namespace hooke {

/// Gives a surface the features and the field of a rigid shape, in the frame `to.frame`. Returns what is wrong with the shape.
template <class Shape>
std::string shape_surface(const Shape& shape, double rounding, Surface& to);
std::string shape_surface(const MeshShape& shape, double rounding, Surface& to);
std::string shape_surface(const HullSurface& shape, double rounding, Surface& to);

}  // namespace hooke
