#pragma once
#include <string>

#include "hooke/view/scene.h"

namespace hooke {

/// A picture of the mechanism at one output as SVG: parallel light, no perspective. All pictures of a run
/// have the same scale and look the same way, as the page does at first.
std::string draw_still(const ResultsReader& results, const Scene& scene, std::size_t frame, double width,
                       double height);

}  // namespace hooke
