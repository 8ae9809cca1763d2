#include "hooke/fmi/runtime/some_frames.h"

namespace hooke {

SomeFrames::SomeFrames(const System& system, const std::vector<int>& frames)
    : is_enough_(!system.has_driven_frames()) {
  for (const int frame : frames) {
    const int body = system.frame_map().frames[static_cast<std::size_t>(frame)].body;
    if (body < 0) continue;  // the ground stays where it is
    const auto* rigid = dynamic_cast<const BodyBatch<RigidBody>*>(system.body_item(body).first);
    if (!rigid) {
      is_enough_ = false;
      return;
    }
    const auto found = std::find_if(rigid->frames.begin(), rigid->frames.end(),
                                    [&](const auto& attached) { return attached.frame == frame; });
    const auto place = found - rigid->frames.begin();
    const BodyPlace at = system.place_of(body);
    frames_.push_back(
        {&found->local, frame, at.q, at.v, place < rigid->frame_count() / Pack::lanes * Pack::lanes});
  }
}

void SomeFrames::update(const State& state, FrameTable& table) const {
  Mat6 J;
  Vec6 bias;
  for (const OnRigid& one : frames_) {
    const double *q = &state.q[one.q], *v = &state.v[one.v];
    FramePose& pose = table.pose[one.frame];
    Vec6& twist = table.twist[one.frame];
    if (one.in_pack)
      RigidBody::frame_pack(
          {one.local, one.local, one.local, one.local}, {q, q, q, q}, {v, v, v, v},
          {&pose, &pose, &pose, &pose}, {twist.data(), twist.data(), twist.data(), twist.data()},
          {bias.data(), bias.data(), bias.data(), bias.data()}, {J.data(), J.data(), J.data(), J.data()});
    else
      RigidBody::frame(*one.local, q, v, pose, twist, bias, J);
  }
}

}  // namespace hooke
