#pragma once
#include "hooke/catalog/builder.h"

namespace hooke {

/// Puts the signals and control blocks of a model together, once everything they measure is there. Settings add
/// themselves through what stands here (signal_settings.cpp, block_settings.cpp; a user's own in the same way).
///
/// All names are known from the beginning, since signals refer to each other in any order: a block defines the slot of
/// its name with `define`, and what it needs besides with `formula`, `state` and `sampled`.
class ControlBuilder {
 public:
  using Slot = Network::Slot;
  using Slots = std::vector<std::pair<std::string, Slot>>;

  ControlBuilder(Builder& builder, Controls& controls) : builder_(builder), controls_(controls) {}
  void run();

  Builder& model() { return builder_; }
  Controls& controls() { return controls_; }
  Slot time() const { return {Network::Kind::time, 0}; }
  /// The number that a formula of signals gives; `own` are names that go before all others.
  Slot formula(const std::string& text, const std::string& path, const Slots& own = {});
  /// Of slots alone, with numbers for the other names; `name` for messages.
  Slot formula(const std::string& name, const std::string& text, const Slots& slots,
               const Parameters& numbers);
  Slot signal(const std::string& name, std::vector<Slot> arguments, SignalFunction function);
  /// z' = rate; the rate may be set later.
  Slot state(const std::string& name, double start, double size = 1) {
    return controls_.add_state(name, start, size);
  }
  /// One that begins with the value of a signal.
  Slot state_from(const std::string& name, Slot from, double size) {
    const Slot made = controls_.add_state(name, 0, size);
    controls_.begin_with(made, from);
    return made;
  }
  void set_rate(Slot state, Slot rate) { controls_.set_rate(state, rate); }
  /// A value that takes that of `from` at every sample. Outputs are updated before states.
  Slot held(double start) { return controls_.network.add_held(start); }
  void sample(Slot held, Slot from, double every, double offset, bool is_output);

  /// A block of a plugin, or nothing after a complaint.
  const hooke_block* find_code(const std::string& name, const std::string& path);
  /// Lets events set a state or held value, under the name of its block.
  void let_set(const std::string& block, Slot slot) { settable_.emplace(block, slot); }

  /// What the signal or block of this name is.
  void define(const std::string& name, Slot is, std::string unit = {});
  /// A coordinate of two frames, or its rate.
  Slot measure(const FoundCoordinate& found, bool rate);
  /// Its second derivative, once a state is solved for.
  Slot acceleration_of(const FoundCoordinate& found);
  /// A body by its name, or all components of a solid; none after a complaint.
  std::vector<int> bodies_of(const std::string& name, const std::string& path);
  /// Frames at a place and at what it is measured from, or nothing after a complaint.
  std::optional<std::array<int, 2>> frames(const std::string& of, const std::string& from,
                                           const std::string& path, bool oriented);

 private:
  std::optional<Slot> find(const std::string& name, const std::string& path);
  std::optional<Slot> measured(const std::string& name, const std::string& path);
  std::optional<Slot> of_contact(const std::string& name, const std::string& rest, const std::string& path);
  std::optional<Slot> of_joint(const std::string& name, const std::string& rest, const std::string& path);
  std::optional<Slot> of_body(const std::string& name, const std::string& rest, const std::string& path,
                              const std::string& whole);
  std::optional<Slot> of_force(const std::string& name, const std::string& rest, const std::string& path,
                               const std::string& whole);
  std::optional<Slot> energy(const std::string& which, const std::string& path);
  std::vector<std::string> known_names() const;
  void add_event(const std::string& name, const EventSettings& event);
  void add_actions(const ActionSettings& action, const std::string& path, std::vector<Controls::Action>& to);
  const std::vector<Controls::Action>& locks_of(const std::string& joint, const std::string& path);
  /// Switches of all that makes an item, and the constraints among them (or -1).
  std::vector<std::pair<int, int>> switches_of(const std::string& item, const std::string& path);
  void add_limit(const std::string& name, const LimitSettings& limit);
  void add_rigid_stop(const std::string& name, const LimitSettings& limit, const FoundCoordinate& along,
                      double place, int side);

  Builder& builder_;
  Controls& controls_;
  std::string unit_;                                ///< of the block that adds itself
  std::map<std::string, Slot, std::less<>> known_;  ///< signals and blocks by name
  std::map<std::string, int, std::less<>> observed_frames_;
  std::map<std::string, Slot, std::less<>> settable_;
  std::map<std::string, std::vector<Controls::Action>> locks_;  ///< that lock a joint, by its name
};

}  // namespace hooke
