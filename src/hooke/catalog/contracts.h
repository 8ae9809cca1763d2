#pragma once
// What settings of a body, joint, drive or force must be able to do, so that a model can hold them: see base/any.h.
// A user's own settings fit as soon as they have a `name`, a `describe` and the member named here.
#include "hooke/base/any.h"
#include "hooke/catalog/make_bodies.h"

namespace hooke {

class Builder;

/// Start value and rate of a joint coordinate, held while the start is assembled.
struct CoordinateStart {
  static constexpr const char* shorthand = "value";
  std::optional<double> value, rate;
  static void describe(auto& field) {
    field("value", &CoordinateStart::value, Doc{.text = "initial value", .unit = "m or rad"});
    field("rate", &CoordinateStart::rate, Doc{.text = "initial rate", .unit = "m/s or rad/s"});
  }
};

/// Whether energy only moves between motion and springs; settings that do not say so are taken not to.
template <class T>
bool conserves_energy(const T& settings) {
  if constexpr (requires { settings.is_conservative(); }) return settings.is_conservative();
  return false;
}

template <class T>
concept SaysItIsRigid = requires {
  T::is_rigid;
};
template <class T>
concept SaysItJoinsJoints = requires {
  T::joins_joints;
};

/// MadeBody make_body(System&, const std::string& name, const BodyStart&, Flexibility) const
struct BodyContract {
  static constexpr const char* group = "body";
  static constexpr const char* example = "";
  struct Operations {
    MadeBody (*make)(const void*, System&, const std::string& name, const BodyStart&, Flexibility);
    bool (*is_conservative)(const void*);
    bool is_rigid;
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, System& system, const BodyStart& start) {
    s.make_body(system, std::string(), start, Flexibility::frozen);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, System& system, const std::string& name, const BodyStart& start,
               Flexibility f) { return static_cast<const T*>(s)->make_body(system, name, start, f); },
            [](const void* s) { return conserves_energy(*static_cast<const T*>(s)); }, SaysItIsRigid<T>};
  }
};
using AnyBody = Any<BodyContract>;

/// void add_joint(const std::string& name, Builder& to) const
struct JointContract {
  static constexpr const char* group = "joint";
  static constexpr const char* example = "{revolute: [A, B], at: [...], axis: z}";
  struct Operations {
    void (*add)(const void*, const std::string& name, Builder& to);
    std::optional<Vec3> (*place)(const void*);            ///< where it is at the start, if it says so
    const Named<CoordinateStart>* (*start)(const void*);  ///< of its coordinates; null: it has none
    bool (*is_conservative)(const void*);
    bool joins_joints;  ///< a gear: made after the joints whose coordinates it couples
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, Builder& to) {
    s.add_joint(std::string(), to);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const std::string& name, Builder& to) {
              static_cast<const T*>(s)->add_joint(name, to);
            },
            []([[maybe_unused]] const void* s) -> std::optional<Vec3> {
              if constexpr (requires(const T& t) { t.at; }) return static_cast<const T*>(s)->at;
              return {};
            },
            []([[maybe_unused]] const void* s) -> const Named<CoordinateStart>* {
              if constexpr (requires(const T& t) { t.start; }) return &static_cast<const T*>(s)->start;
              return nullptr;
            },
            [](const void* s) { return conserves_energy(*static_cast<const T*>(s)); }, SaysItJoinsJoints<T>};
  }
};
using AnyJoint = Any<JointContract>;

/// void add_drive(const std::string& name, Builder& to) const
struct DriveContract {
  static constexpr const char* group = "drive";
  static constexpr const char* example = "{joint: A, function: \"2*pi*t\"}";
  struct Operations {
    void (*add)(const void*, const std::string& name, Builder& to);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, Builder& to) {
    s.add_drive(std::string(), to);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const std::string& name, Builder& to) {
      static_cast<const T*>(s)->add_drive(name, to);
    }};
  }
};
using AnyDrive = Any<DriveContract>;

/// void add_force(const std::string& name, Builder& to) const
struct ForceContract {
  static constexpr const char* group = "force";
  static constexpr const char* example = "{spring: [A, B], stiffness: 100}";
  struct Operations {
    void (*add)(const void*, const std::string& name, Builder& to);
    bool (*is_conservative)(const void*);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, Builder& to) {
    s.add_force(std::string(), to);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const std::string& name, Builder& to) {
              static_cast<const T*>(s)->add_force(name, to);
            },
            [](const void* s) { return conserves_energy(*static_cast<const T*>(s)); }};
  }
};
using AnyForce = Any<ForceContract>;

class ControlBuilder;

/// void add_signal(const std::string& name, ControlBuilder& to) const
struct SignalContract {
  static constexpr const char* group = "signal";
  static constexpr const char* example = "{distance: [A, B]}";
  static constexpr const char* alone = "formula";
  struct Operations {
    void (*add)(const void*, const std::string& name, ControlBuilder& to);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, ControlBuilder& to) {
    s.add_signal(std::string(), to);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const std::string& name, ControlBuilder& to) {
      static_cast<const T*>(s)->add_signal(name, to);
    }};
  }
};
using AnySignal = Any<SignalContract>;

/// void add_block(const std::string& name, ControlBuilder& to) const
struct BlockContract {
  static constexpr const char* group = "block";
  static constexpr const char* example = "{low-pass: force, time: 0.01}";
  struct Operations {
    void (*add)(const void*, const std::string& name, ControlBuilder& to);
    std::string (*unit)(const void*);  ///< of its output, where `of.unit` says it
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, ControlBuilder& to) {
    s.add_block(std::string(), to);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const std::string& name, ControlBuilder& to) {
              static_cast<const T*>(s)->add_block(name, to);
            },
            []([[maybe_unused]] const void* s) -> std::string {
              if constexpr (requires(const T& block) { block.of.unit; })
                return static_cast<const T*>(s)->of.unit;
              else
                return "";
            }};
  }
};
using AnyBlock = Any<BlockContract>;

}  // namespace hooke
