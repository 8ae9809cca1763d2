#pragma once
#include <hooke/hooke.h>

namespace own {

/// A sensor of our own: how far above the horizon one frame is seen from another.
struct ElevationSignal {
  static constexpr const char* name = "elevation";
  hooke::Ends between;  ///< who looks, and at what
  static void describe(auto& field) {
    field("elevation", &ElevationSignal::between,
          hooke::Doc{.text = "frame that is looked from, and frame that is looked at", .required = true});
  }
  void add_signal(const std::string& signal, hooke::ControlBuilder& to) const {
    const auto frames = to.frames(between[1], between[0], "signals." + signal, false);
    if (!frames) return;
    std::vector<hooke::ControlBuilder::Slot> d;
    for (const hooke::Axis axis : {hooke::Axis::x, hooke::Axis::y, hooke::Axis::z})
      d.push_back(to.measure({hooke::Displacement{axis}, *frames}, false));
    to.define(signal, to.signal(signal, d, hooke::by_differences([](std::span<const double> x) {
                                  return std::atan2(x[2], std::hypot(x[0], x[1]));
                                })),
              "rad");
  }
};

}  // namespace own
