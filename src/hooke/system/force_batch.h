#pragma once
#include <algorithm>
#include <optional>

#include "hooke/base/format.h"
#include "hooke/frames/force.h"
#include "hooke/math/function.h"
#include "hooke/system/constraint_batch.h"
#include "hooke/system/dae.h"

namespace hooke {

/// All forces of one type (see body_batch.h for why).
class ForceBatchBase {
 public:
  virtual ~ForceBatchBase() = default;
  virtual int count() const = 0;
  virtual int memory() const = 0;
  virtual int frames(int i) const = 0;
  virtual int frame(int i, int k) const = 0;
  virtual void place(int i, ItemPlace at) = 0;
  virtual void set_switch(int i, int entry) = 0;
  virtual void describe(int i, const FrameMap& map, KktStructure& structure) const = 0;
  virtual void connect(const FrameMap& map, const KktMatrix& kkt) = 0;

  /// wrenches -= w: a force stands on the right of  M a + G^T lambda = f.
  virtual void subtract_wrenches(const State& state, FrameTable& table) const = 0;
  virtual void add_tangent(const State& state, const Weights& weights, const FrameMap& map,
                           const FrameTable& table, BlockMatrix& matrix) const = 0;
  virtual double energy(const State& state, const FrameTable& table) const = 0;
  virtual Power power(const State& state, const FrameTable& table) const = 0;
  virtual void track(const FrameTable& table, State& state) const = 0;
  /// The wrench of item i on its frame k, for output.
  virtual Vec6 wrench(int i, int k, const State& state, const FrameTable& table) const = 0;
  /// What of item i is not finite, in case something is, and its frames are not to blame.
  virtual std::optional<NotFinite> not_finite(int i, const State& state, const FrameTable& table,
                                              bool with_derivatives) const = 0;
  /// As ConstraintBatchBase::copy.
  virtual int copy(int i, std::span<const int> frames, const std::string& name, System& to) const = 0;
};

template <Force F>
class ForceBatch final : public ForceBatchBase {
 public:
  static constexpr int N = F::frames;
  using Wrenches = Eigen::Matrix<double, 6 * N, 1>;
  using Square = Eigen::Matrix<double, 6 * N, 6 * N>;
  struct Item {
    F force;
    std::array<int, N> frames;
  };
  std::vector<Item> items;

  int count() const override { return static_cast<int>(items.size()); }
  int memory() const override { return memory_size<F>(); }
  int frames(int) const override { return N; }
  int frame(int i, int k) const override { return items[i].frames[k]; }
  void place(int i, ItemPlace at) override {
    places_.resize(items.size());
    places_[i] = at;
  }
  void set_switch(int i, int entry) override { places_[i].on = entry; }
  void describe(int i, const FrameMap& map, KktStructure& structure) const override {
    const auto entries = entries_of(map, items[i].frames);
    describe_couplings(entries, structure.couplings);
    if constexpr (N == 2) {
      const auto [A, B] = items[i].frames;
      if (map.frames[A].rigid && map.frames[B].rigid && map.frames[A].body != map.frames[B].body)
        structure.springs.push_back(std::minmax(entries[0].block, entries[1].block));
    }
    if constexpr (N > 1)
      structure.has_springs_on_turned |= std::any_of(
          entries.begin(), entries.end(),
          [&](const FrameEntry& e) { return structure.kind_of_block(e.block) == BodyKind::turned; });
  }
  void connect(const FrameMap& map, const KktMatrix& kkt) override {
    handles_.resize(items.size());
    for (int i = 0; i < count(); ++i) {
      const auto entries = entries_of(map, items[i].frames);
      for (const FrameEntry& row : entries)
        for (const FrameEntry& column : entries) handles_[i].C.push_back(kkt.C(row.block, column.block));
    }
  }

  void subtract_wrenches(const State& state, FrameTable& table) const override {
    Wrenches w;
    for (int i = 0; i < count(); ++i) {
      if (places_[i].is_off(state)) continue;
      items[i].force.evaluate(inputs_of(i, state, table), w);
      for (int f = 0; f < N; ++f) table.wrench[items[i].frames[f]] -= w.template segment<6>(6 * f);
    }
  }
  void add_tangent(const State& state, const Weights& weights, const FrameMap& map, const FrameTable& table,
                   BlockMatrix& matrix) const override {
    if (weights.k == 0 && weights.d == 0) return;
    Square K, D;
    for (int i = 0; i < count(); ++i) {
      if (places_[i].is_off(state)) continue;
      tangent_of(items[i].force, inputs_of(i, state, table), K, D);
      K *= -weights.k;
      D *= -1;
      if (weights.k != 0)
        add_stiffness<N>(map, table, items[i].frames, K, table.jacobians, handles_[i], matrix);
      add_stiffness<N>(map, table, items[i].frames, D, table.twist_changes, handles_[i], matrix);
    }
  }
  double energy(const State& state, const FrameTable& table) const override {
    double sum = 0;
    if constexpr (Conservative<F>)
      for (int i = 0; i < count(); ++i)
        if (!places_[i].is_off(state)) sum += items[i].force.energy(inputs_of(i, state, table));
    return sum;
  }
  Power power(const State& state, const FrameTable& table) const override {
    Power sum;
    for (int i = 0; i < count(); ++i)
      if (!places_[i].is_off(state)) sum += power_of(items[i].force, inputs_of(i, state, table));
    return sum;
  }
  void track(const FrameTable& table, State& state) const override {
    if constexpr (Tracking<F>)
      for (int i = 0; i < count(); ++i)
        items[i].force.track(inputs_of(i, state, table), state.memory.data() + places_[i].memory);
  }
  Vec6 wrench(int i, int k, const State& state, const FrameTable& table) const override {
    if (places_[i].is_off(state)) return Vec6::Zero();
    Wrenches w;
    items[i].force.evaluate(inputs_of(i, state, table), w);
    return w.template segment<6>(6 * k);
  }
  std::optional<NotFinite> not_finite(int i, const State& state, const FrameTable& table,
                                      bool with_derivatives) const override {
    const auto in = inputs_of(i, state, table);
    for (int f = 0; f < N; ++f)
      if (!in.pose[f]->p.allFinite() || !in.pose[f]->R.allFinite() || !in.twist[f]->allFinite()) return {};
    if constexpr (requires { items[i].force.not_finite(in, true); })
      if (auto found = items[i].force.not_finite(in, with_derivatives)) return found;
    Wrenches w;
    items[i].force.evaluate(in, w);
    if (!w.allFinite()) return NotFinite{"", formatted("the force is not finite at t = {:.6g} s", state.t)};
    if (!with_derivatives) return {};
    Square K, D;
    tangent_of(items[i].force, in, K, D);
    if (K.allFinite() && D.allFinite()) return {};
    return NotFinite{"", formatted("the derivatives of the force are not finite at t = {:.6g} s", state.t)};
  }
  int copy(int i, std::span<const int> frames, const std::string& name, System& to) const override;

 private:
  auto inputs_of(int i, const State& state, const FrameTable& table) const {
    return inputs<N>(table, items[i].frames, state.memory.data() + places_[i].memory, state.t);
  }

  std::vector<ItemPlace> places_;
  std::vector<ItemHandles> handles_;
};

}  // namespace hooke
