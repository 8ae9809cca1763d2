#pragma once
#include "hooke/contact/contact_point.h"
#include "hooke/system/rigid_contacts.h"

namespace hooke {

/// Places where rigid surfaces may touch: Signorini's condition and Coulomb's friction in velocities.
class RigidContacts final : public RigidContactsBase {
 public:
  struct Item {
    ContactPoint place;  ///< its geometry; laws of compliance are not looked at
    std::array<int, 2> frames;
    double restitution = 0, friction = 0, rest_speed = 0;
    bool locates = false;
    std::string name = {};
  };
  std::vector<Item> items;

  // --- ForceBatchBase: the forces carried over
  int count() const override { return static_cast<int>(items.size()); }
  int memory() const override { return size; }
  int frames(int) const override { return 2; }
  int frame(int i, int k) const override { return items[i].frames[k]; }
  void place(int i, ItemPlace at) override {
    places_.resize(items.size());
    places_[i] = at;
  }
  void set_switch(int i, int entry) override { places_[i].on = entry; }
  void describe(int, const FrameMap&, KktStructure&) const override {}
  void connect(const FrameMap& map, const KktMatrix&) override { map_ = &map; }
  void subtract_wrenches(const State& state, FrameTable& table) const override;
  void add_tangent(const State&, const Weights&, const FrameMap&, const FrameTable&,
                   BlockMatrix&) const override {}
  double energy(const State&, const FrameTable&) const override { return 0; }
  Power power(const State& state, const FrameTable& table) const override;
  void track(const FrameTable&, State&) const override {}
  Vec6 wrench(int i, int k, const State& state, const FrameTable& table) const override;
  std::optional<NotFinite> not_finite(int, const State&, const FrameTable&, bool) const override {
    return {};
  }
  int copy(int i, std::span<const int> frames, const std::string& name, System& to) const override;

  // --- RigidContactsBase
  void find(const State& state, const Workspace& workspace, std::vector<Touch>& to) const override;
  void start(State& state, const Workspace& workspace) const override;
  bool is_unsettled(const State& state) const override;
  double least_gap(const State& before, const Workspace& workspace) const override;
  Vec3 rates(const Touch& touch, const Workspace& workspace, const VectorX& u) const override;
  void add_impulse(const Touch& touch, const Workspace& workspace, const Vec3& p, VectorX& r) const override;
  void remember(std::span<const Touch> found, std::span<const Outcome> outcomes, State& state) const override;

 private:
  static constexpr int size = 12;  ///< closed or not; force carried and force shown, on A, world axes
  const double* memory_of(int i, const State& state) const { return &state.memory[places_[i].memory]; }
  ContactPoint::Gap gap_of(int i, const FrameTable& table) const {
    return items[i].place.gap_at(table.pose[items[i].frames[0]], table.pose[items[i].frames[1]]);
  }
  bool is_far(int i, const FrameTable& table) const;
  void for_each_carried(const State& state, const FrameTable& table, auto&& f) const;

  std::vector<ItemPlace> places_;
  const FrameMap* map_ = nullptr;
};

}  // namespace hooke
