#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/settings.h"

/// What a user can set of an event: when it happens, and what is done then, in order.
namespace hooke {

struct StopAction {
  static constexpr const char* name = "stop";
  static constexpr const char* shorthand = "message";
  std::string message;
  static void describe(auto& field) { field("message", &StopAction::message, Doc{.text = "why, in words"}); }
};

/// The state is recorded, whatever the interval of outputs.
struct OutputAction {
  static constexpr const char* name = "output";
  static constexpr const char* shorthand = "wanted";
  bool wanted = true;
  static void describe(auto& field) {
    field("wanted", &OutputAction::wanted,
          Doc{.text = "true: the state after the event is written to the results"});
  }
};

/// All coordinates of a joint are held where they are.
struct LockAction {
  static constexpr const char* name = "lock";
  static constexpr const char* shorthand = "joint";
  std::string joint;
  static void describe(auto& field) {
    field("joint", &LockAction::joint,
          Doc{.text = "joint whose coordinates are held as they are", .required = true});
  }
};
struct UnlockAction {
  static constexpr const char* name = "unlock";
  static constexpr const char* shorthand = "joint";
  std::string joint;
  static void describe(auto& field) {
    field("joint", &UnlockAction::joint, Doc{.text = "joint that was locked", .required = true});
  }
};

/// Joints, ties, drives and forces cease to act, or act again.
struct ReleaseAction {
  static constexpr const char* name = "switch-off";
  static constexpr const char* shorthand = "items";
  std::vector<std::string> items;
  static void describe(auto& field) {
    field("items", &ReleaseAction::items,
          Doc{.text = "joints, ties, drives or forces that cease to act", .required = true});
  }
};
struct EngageAction {
  static constexpr const char* name = "switch-on";
  static constexpr const char* shorthand = "items";
  std::vector<std::string> items;
  static void describe(auto& field) {
    field("items", &EngageAction::items,
          Doc{.text = "what was switched off, or starts off", .required = true});
  }
};

/// Of a `parameter` block, or of the state of an integrator, low-pass or rate limiter.
struct SetAction {
  static constexpr const char* name = "set";
  static constexpr const char* definition = "set-action";
  std::string block;
  Formula to;
  static void describe(auto& field) {
    field("set", &SetAction::block, Doc{.text = "block whose value is set", .required = true});
    field("to", &SetAction::to, Doc{.text = "formula of signals", .required = true});
  }
};

using ActionSettings =
    std::variant<StopAction, OutputAction, LockAction, UnlockAction, ReleaseAction, EngageAction, SetAction>;

enum class Crossing { rising, falling, both };
constexpr auto names(Crossing) { return std::array{"rising", "falling", "both"}; }

struct EventSettings {
  static constexpr const char* example = "{when: \"joint.A.angle - 1\", do: [{lock: A}]}";
  std::optional<Formula> when;
  std::optional<double> at;
  Crossing crosses = Crossing::both;
  int count = 1;
  bool repeats = true;
  std::vector<ActionSettings> actions;

  static void describe(auto& field) {
    field("when", &EventSettings::when,
          Doc{.text = "formula of signals; the event happens where it crosses zero"});
    field("at", &EventSettings::at, Doc{.text = "or a time", .unit = "s"});
    field("crosses", &EventSettings::crosses, Doc{.text = "which way"});
    field("count", &EventSettings::count,
          Doc{.text = "acts at every such crossing, the 1st, 2nd, ...", .check = at_least(1)});
    field("repeats", &EventSettings::repeats, Doc{.text = "false: it acts once only"});
    field("do", &EventSettings::actions, Doc{.text = "what is done, in order", .required = true});
  }
  void check(const Complain& complain) const {
    if (when.has_value() == at.has_value())
      complain("", "give 'when' (a formula) or 'at' (a time), one of them");
  }
};

/// Stops of a joint coordinate: elastic with a stiffness, rigid with a restitution.
struct LimitSettings {
  static constexpr const char* example = "{joint: A, low: 0, high: 1.5, restitution: 0.5}";
  std::string joint;
  std::optional<double> low, high, stiffness, restitution;
  double damping = 0, rest = 1e-3;

  static void describe(auto& field) {
    field("joint", &LimitSettings::joint,
          Doc{.text = "joint whose coordinate is limited: 'A' or, if it has several, 'A.angle'",
              .required = true});
    field("low", &LimitSettings::low, Doc{.text = "least value", .unit = "m or rad", .default_text = "none"});
    field("high", &LimitSettings::high,
          Doc{.text = "largest value", .unit = "m or rad", .default_text = "none"});
    field("stiffness", &LimitSettings::stiffness,
          Doc{.text = "of an elastic stop", .unit = "N/m or N m/rad", .check = positive});
    field("damping", &LimitSettings::damping,
          Doc{.text = "of an elastic stop: force = stiffness depth (1 + damping speed)",
              .unit = "s/m or s/rad",
              .check = non_negative});
    field("restitution", &LimitSettings::restitution,
          Doc{.text = "of a rigid stop: speed after an impact as a part of that before",
              .check = between(0, 1)});
    field("rest", &LimitSettings::rest,
          Doc{.text = "of a rigid stop: speed below which it stays in contact",
              .unit = "m/s or rad/s",
              .check = positive});
  }
  void check(const Complain& complain) const {
    if (!low && !high) complain("", "give 'low', 'high' or both");
    if (low && high && !(*low < *high)) complain("low", "must be smaller than 'high'");
    if (stiffness.has_value() == restitution.has_value())
      complain("", "give a 'stiffness' (elastic stop) or a 'restitution' (rigid stop), one of them");
  }
};

}  // namespace hooke
