#pragma once
#include "hooke/bodies/rigid.h"
#include "hooke/system/system.h"

namespace hooke {

/// Poses and twists of a few frames on rigid bodies or the ground, in every bit as System::update finds them along with all
/// else: what a joint's coordinate needs.
class SomeFrames {
 public:
  SomeFrames(const System& system, const std::vector<int>& frames);
  /// False: one of them is of another kind, and everything must be brought up to date.
  bool is_enough() const { return is_enough_; }
  void update(const State& state, FrameTable& table) const;

 private:
  struct OnRigid {
    const RigidBody::Frame* local;
    int frame, q, v;
    bool in_pack;  ///< System::update takes it with three others
  };
  std::vector<OnRigid> frames_;
  bool is_enough_ = true;
};

}  // namespace hooke
