#pragma once
#include "hooke/contact/surface_pairs.h"
#include "hooke/system/rigid_contacts.h"

namespace hooke {

/// Surfaces that are rigid where they touch: Signorini's condition and Coulomb's friction in velocities. Which of them touch is
/// found anew each time; what is remembered of those that do lies in slots of State::memory, sorted by their keys.
class RigidContacts final : public RigidContactsBase {
 public:
  /// What happens where they meet, in the order of SurfacePairs::contacts.
  struct Law {
    std::string name;
    double restitution = 0, friction = 0, rest_speed = 0;
    bool locates = false;
  };
  SurfacePairs pairs;
  std::vector<Law> laws;

  /// After all surfaces and contacts are there.
  void finish();

  // --- ForceBatchBase: the forces carried over, all of them one item
  int count() const override { return 1; }
  int memory() const override { return impulses() + 3 * static_cast<int>(laws.size()); }
  int frames(int) const override { return 0; }
  int frame(int, int) const override { return -1; }
  void place(int, ItemPlace at) override { place_ = at; }
  void set_switch(int, int entry) override { place_.on = entry; }
  void describe(int, const FrameMap&, KktStructure&) const override {}
  void connect(const FrameMap& map, const KktMatrix&) override { map_ = &map; }
  void subtract_wrenches(const State& state, FrameTable& table) const override;
  void add_tangent(const State&, const Weights&, const FrameMap&, const FrameTable&,
                   BlockMatrix&) const override {}
  double energy(const State&, const FrameTable&) const override { return 0; }
  Power power(const State& state, const FrameTable& table) const override;
  void track(const FrameTable&, State&) const override {}
  Vec6 wrench(int, int, const State&, const FrameTable&) const override { return Vec6::Zero(); }
  std::optional<NotFinite> not_finite(int, const State&, const FrameTable&, bool) const override {
    return {};
  }
  int copy(int i, std::span<const int> frames, const std::string& name, System& to) const override;

  // --- RigidContactsBase
  std::unique_ptr<Search> search() const override;
  void find(const State& state, const Workspace& workspace, Search& search, std::vector<Touch>& to,
            double reach = 0) const override;
  void start(State& state, const Workspace& workspace) const override;
  bool is_unsettled(const State& state) const override;
  double least_gap(const State& before, const Workspace& workspace, Search& search) const override;
  Vec3 rates(const Touch& touch, int side, const Workspace& workspace, const VectorX& u) const override;
  void add_impulse(const Touch& touch, int side, const Workspace& workspace, const Vec3& p,
                   VectorX& r) const override;
  int block_of(const Touch& touch, int side) const override;
  void remember(std::span<const Touch> found, std::span<const Outcome> outcomes, State& state) const override;
  Sum sum(int contact, const State& state, const FrameTable& table) const override;
  void subtract_shown(const State& state, FrameTable& table) const override;

  /// How deep the surfaces of a contact are in each other.
  double depth(int contact, std::span<const FramePose> pose) const;

 private:
  /// key, closed or not, force carried and force shown, on A, world axes; where on a segment or a rim
  static constexpr int slot_size = 11;
  struct Found;
  Found& scratch() const;
  void for_each_near(std::span<const FramePose> pose, double wider, double reach, Search& search,
                     auto&& f) const;
  void for_each_frame(const Touch& touch, int side, std::span<const FramePose> pose, auto&& f) const;
  void merge(std::vector<Touch>& touches) const;
  void for_each_frame(const SurfacePairs::Place& place, int side, const Vec3& at,
                      std::span<const FramePose> pose, auto&& f) const;

  /// In the memory, where the impulses of contacts since the start are: on the second surface, world axes.
  int impulses() const { return (1 + slots_ * slot_size + 2) / 3 * 3; }
  int used(const State& state) const { return static_cast<int>(state.memory[place_.memory]); }
  const double* slot(const State& state, int s) const {
    return &state.memory[place_.memory + 1 + s * slot_size];
  }
  const double* slot_of(double key, const State& state) const;  ///< null: it is not closed
  void for_each_force(int kind, const State& state, const FrameTable& table, auto&& f) const;

  SurfacePairs::Balls balls_;
  int slots_ = 0;
  ItemPlace place_;
  const FrameMap* map_ = nullptr;
};

}  // namespace hooke
