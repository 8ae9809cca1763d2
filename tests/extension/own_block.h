#pragma once
#include <hooke/hooke.h>

namespace own {

/// A control block of our own: the square of its input, smoothed.  z' = (u^2 - z)/time
struct SmoothSquareSettings {
  static constexpr const char* name = "smooth-square";
  hooke::Formula input;
  double time = 0.1;
  static void describe(auto& field) {
    field("smooth-square", &SmoothSquareSettings::input,
          hooke::Doc{.text = "what is squared", .required = true});
    field("time", &SmoothSquareSettings::time,
          hooke::Doc{.text = "time constant", .unit = "s", .check = hooke::positive});
  }
  void add_block(const std::string& block, hooke::ControlBuilder& to) const {
    const auto u = to.formula(input.text, "control." + block), z = to.state(block, 0);
    to.set_rate(z, to.formula(block, "(u^2 - z)/time", {{"u", u}, {"z", z}}, {{"time", time}}));
    to.define(block, z);
  }
};

}  // namespace own
