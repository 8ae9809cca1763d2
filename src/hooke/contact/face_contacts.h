#pragma once
#include <functional>
#include <memory>

#include "hooke/contact/contact_law.h"
#include "hooke/contact/faceted_surface.h"
#include "hooke/contact/touching_feature.h"
#include "hooke/system/force_batch.h"

namespace hooke {

/// Balls about the origins of frames (spheres, sections of a rod, or nodes: radius 0) against the faces of a solid: each is one force,
/// whichever faces it is over. The gap g - radius (FacetedSurface) makes the force F dg on all that g depends on; friction acts along the
/// surface, on the ball at the place of the surface and, by their shares, on the nodes. Laws as those of ContactPoint, but for rolling and
/// spinning.
class FaceContacts final : public ForceBatchBase {
 public:
  static constexpr int remembered = TouchMemory::size;  ///< bristles in world axes
  struct Ball {
    int frame;
    double radius;
  };
  std::vector<Ball> balls;
  std::shared_ptr<const FacetedSurface> surface;
  std::vector<int> nodes;  ///< frames of the surface
  NormalLaw normal;
  FrictionLaw friction;

  int count() const override { return static_cast<int>(balls.size()); }
  int memory() const override { return remembered; }
  int frames(int) const override { return 1 + static_cast<int>(nodes.size()); }
  int frame(int i, int k) const override {
    return k == 0 ? balls[static_cast<std::size_t>(i)].frame : nodes[static_cast<std::size_t>(k - 1)];
  }
  void place(int i, ItemPlace at) override {
    places_.resize(balls.size());
    places_[static_cast<std::size_t>(i)] = at;
  }
  void set_switch(int i, int entry) override { places_[static_cast<std::size_t>(i)].on = entry; }
  void describe(int i, const FrameMap& map, KktStructure& structure) const override;
  void connect(const FrameMap&, const KktMatrix&) override {}
  void subtract_wrenches(const State& state, FrameTable& table) const override;
  void add_tangent(const State& state, const Weights& weights, const FrameMap& map, const FrameTable& table,
                   BlockMatrix& matrix) const override;
  double energy(const State& state, const FrameTable& table) const override;
  Power power(const State& state, const FrameTable& table) const override;
  void track(const FrameTable& table, State& state) const override;
  Vec6 wrench(int i, int k, const State& state, const FrameTable& table) const override;
  std::optional<NotFinite> not_finite(int i, const State& state, const FrameTable& table,
                                      bool with_derivatives) const override;
  int copy(int i, std::span<const int> frames, const std::string& name, System& to) const override;

  /// f(i, gap) of all balls, with the pose of each frame.
  void for_each_gap(const std::function<FramePose(int)>& pose,
                    const std::function<void(int, const ContactGap&)>& f) const;

 private:
  struct Work;
  struct Touching;
  bool touch(int i, const State& state, const FrameTable& table, bool with_bend, Work& work,
             Touching& at) const;
  void for_each_touching(const State& state, const FrameTable& table, bool with_bend, auto&& f) const;
  int frame_of(int i, std::size_t k, const Work& work) const;
  Vec6 wrench_on(std::size_t k, const Touching& at, const Work& work) const;
  void find_tangent(const Touching& at, Work& work) const;

  std::vector<ItemPlace> places_;
};

}  // namespace hooke
