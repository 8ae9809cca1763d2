#include "hooke/catalog/signal_settings.h"

#include "hooke/catalog/control_builder.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

void add_place(const std::string& signal, const std::string& of, const RelativeSettings& from, bool rate,
               ControlBuilder& to) {
  if (const auto frames = to.frames(of, from.relative_to, "signals." + signal, false))
    to.define(signal, to.measure({Displacement{static_cast<Axis>(from.axis)}, *frames}, rate),
              rate ? "m/s" : "m");
}

}  // namespace

void FormulaSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  to.define(signal, to.formula(formula.text, "signals." + signal), unit);
}

void PositionSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  add_place(signal, of, from, false, to);
}

void VelocitySignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  add_place(signal, of, from, true, to);
}

void AngularVelocitySignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  if (const auto frames = to.frames(of, from.relative_to, "signals." + signal, true))
    to.define(signal, to.controls().measure(SpinMeasure{static_cast<Axis>(from.axis), *frames}), "rad/s");
}

void AngleSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  Builder& model = to.model();
  const std::string path = "signals." + signal;
  auto B = model.attachment(of, path), A = model.attachment(from.relative_to, path);
  if (!A || !B) return;
  // Both frames have their z along the axis, and the angle between the bodies' own axes.
  const Mat3 to_axis = rotation_from_z(Vec3::Unit(static_cast<int>(from.axis)));
  A->X_WF.R = A->X_WF.R * to_axis;
  B->X_WF.R = B->X_WF.R * to_axis;
  const int first = model.add_frame(*A), second = model.add_frame(*B);
  to.define(signal, to.measure({Angle::about_z(), {first, second}}, rate), rate ? "rad/s" : "rad");
}

void DistanceSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  if (const auto frames = to.frames(between[1], between[0], "signals." + signal, false))
    to.define(signal, to.measure({Distance{}, *frames}, rate), rate ? "m/s" : "m");
}

}  // namespace hooke
