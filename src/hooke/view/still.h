#pragma once
#include <string>
#include <vector>

#include "hooke/view/scene.h"

namespace hooke {

struct Still {
  std::size_t frame = 0;
  double width = 380, height = 250;  ///< pixels
  double largest = 0;                ///< displacement of a solid, in the lightest colour
};

/// A picture of the mechanism at one output as SVG: parallel light, no perspective. All pictures of a run
/// have the same scale and look the same way, as the page does at first.
std::string draw_still(const ResultsReader& results, const Scene& scene, const Still& still);

/// Of all nodes of solids, at some outputs.
double largest_displacement(const ResultsReader& results, const Scene& scene,
                            const std::vector<std::size_t>& frames);

}  // namespace hooke
