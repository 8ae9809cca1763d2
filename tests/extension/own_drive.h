#pragma once
#include <hooke/hooke.h>

namespace own {

/// A joint is turned up to a rate without a jerk:  w(t) = rate (1 - cos(pi t/T))/2 until T, then rate.
struct RunUpSettings {
  static constexpr const char* name = "run-up";
  std::string joint;
  double rate = 1, time = 1;

  static void describe(auto& field) {
    field("run-up", &RunUpSettings::joint, hooke::Doc{.text = "joint that turns", .required = true});
    field("rate", &RunUpSettings::rate, hooke::Doc{.text = "how fast it turns in the end", .unit = "rad/s"});
    field("time", &RunUpSettings::time,
          hooke::Doc{.text = "how long it takes to get there", .unit = "s", .check = hooke::positive});
  }
  hooke::Sample angle(double t) const {
    if (t > time) return {rate * (t - time / 2), rate, 0};
    const double k = std::numbers::pi / time;
    return {rate / 2 * (t - std::sin(k * t) / k), rate / 2 * (1 - std::cos(k * t)),
            rate / 2 * k * std::sin(k * t)};
  }
  void add_drive(const std::string& drive, hooke::Builder& to) const {
    const auto follow = [settings = *this](double t) { return settings.angle(t); };
    hooke::JointDriveSettings{joint, hooke::Function::of(follow)}.add_drive(drive, to);
  }
};

}  // namespace own
