#pragma once
#include <optional>
#include <span>
#include <string>

#include "hooke/base/team.h"
#include "hooke/frames/constraint.h"
#include "hooke/math/function.h"
#include "hooke/system/chain_rule.h"
#include "hooke/system/state.h"

namespace hooke {

class System;

/// Offsets of one constraint or force in the vectors of the system.
struct ItemPlace {
  int row = 0;          ///< first row of lambda and g
  int constraint = 0;   ///< its number in KktStructure
  int rows_buffer = 0;  ///< where its G is kept between update and use
  int memory = 0;       ///< first entry of State::memory
  int on = -1;          ///< entry of State::memory that switches it (0: it does not act); -1: it always acts

  bool is_off(const State& state) const { return on >= 0 && state.memory[on] == 0; }
};

/// Adds the pairs of dof blocks an item with stiffness couples.
inline void describe_couplings(const std::vector<FrameEntry>& entries,
                               std::vector<std::pair<int, int>>& couplings) {
  for (const FrameEntry& i : entries)
    for (const FrameEntry& j : entries)
      if (i.block < j.block) couplings.emplace_back(i.block, j.block);
}

template <int N>
inline FrameInputs<N> inputs(const FrameTable& table, const std::array<int, N>& frames, const double* memory,
                             double t) {
  FrameInputs<N> in;
  for (int i = 0; i < N; ++i) {
    in.pose[i] = &table.pose[frames[i]];
    in.twist[i] = &table.twist[frames[i]];
  }
  in.memory = memory;
  in.t = t;
  return in;
}

/// All constraints of one type (see body_batch.h for why).
class ConstraintBatchBase {
 public:
  virtual ~ConstraintBatchBase() = default;
  virtual int count() const = 0;
  virtual int rows() const = 0;
  virtual int frames() const = 0;
  virtual int memory() const = 0;
  virtual int frame(int i, int k) const = 0;
  virtual void place(int i, ItemPlace at) = 0;
  virtual void set_switch(int i, int entry) = 0;
  virtual void describe(int i, const FrameMap& map, KktStructure& structure) const = 0;
  virtual void connect(const FrameMap& map, const KktMatrix& kkt) = 0;

  /// G of every item into the buffer.
  virtual void evaluate(const State& state, const FrameTable& table, VectorX& g, std::vector<double>& G,
                        Share share) const = 0;
  /// wrenches += G^T lambda
  virtual void add_wrenches(const VectorX& lambda, const std::vector<double>& G, FrameTable& table,
                            Share share) const = 0;
  virtual void velocity(const State& state, const FrameTable& table, const std::vector<double>& G,
                        VectorX& out, Share share) const = 0;
  virtual void acceleration(const State& state, const FrameTable& table,
                            const std::vector<Vec6>& frame_acceleration, const std::vector<double>& G,
                            VectorX& out, Share share) const = 0;
  /// The rows G J, and their transposes.
  virtual void add_rows(const FrameMap& map, const FrameTable& table, const std::vector<double>& G,
                        BlockMatrix& matrix, Share share) const = 0;
  /// The stiffness of the multipliers.
  virtual void add_tangent(const State& state, double k, const FrameMap& map, const FrameTable& table,
                           BlockMatrix& matrix) const = 0;
  /// What drives supply: -v^T G^T lambda = g_t^T lambda.
  virtual double power(const State& state) const = 0;
  virtual void track(const FrameTable& table, State& state) const = 0;
  /// What of the function of time that item i follows is not finite, in case something is.
  virtual std::optional<NotFinite> not_finite(int i, double t) const = 0;
  /// Adds a copy of item i, on frames of a system that is being built.
  virtual int copy(int i, std::span<const int> frames, const std::string& name,
                   const std::vector<std::string>& labels, System& to) const = 0;
};

template <Constraint C>
class ConstraintBatch final : public ConstraintBatchBase {
 public:
  static constexpr int R = C::rows, N = C::frames;
  using RowMatrix = Eigen::Matrix<double, R, 6 * N>;
  struct Item {
    C constraint;
    std::array<int, N> frames;
  };
  std::vector<Item> items;

  int count() const override { return static_cast<int>(items.size()); }
  int rows() const override { return R; }
  int frames() const override { return N; }
  int memory() const override { return memory_size<C>(); }
  int frame(int i, int k) const override { return items[i].frames[k]; }
  void place(int i, ItemPlace at) override {
    places_.resize(items.size());
    places_[i] = at;
  }
  void set_switch(int i, int entry) override { places_[i].on = entry; }

  void describe(int i, const FrameMap& map, KktStructure& structure) const override {
    const auto entries = entries_of(map, items[i].frames);
    structure.row_sizes.push_back(R);
    auto& blocks = structure.constraint_blocks.emplace_back();
    for (const FrameEntry& entry : entries)
      if (std::find(blocks.begin(), blocks.end(), entry.block) == blocks.end()) blocks.push_back(entry.block);
    if (!is_flat<C>()) describe_couplings(entries, structure.weak_couplings);
  }
  void connect(const FrameMap& map, const KktMatrix& kkt) override {
    handles_.resize(items.size());
    for (int i = 0; i < count(); ++i) {
      const auto entries = entries_of(map, items[i].frames);
      for (const FrameEntry& entry : entries) {
        handles_[i].G.push_back(kkt.G(places_[i].constraint, entry.block));
        handles_[i].Gt.push_back(kkt.Gt(places_[i].constraint, entry.block));
        if (!is_flat<C>())
          for (const FrameEntry& column : entries) handles_[i].C.push_back(kkt.C(entry.block, column.block));
      }
    }
  }

  void evaluate(const State& state, const FrameTable& table, VectorX& g, std::vector<double>& G,
                Share share) const override {
    Rows<R, N> rows;
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      if (places_[i].is_off(state)) {  // rows 0 = 0, with a multiplier that stays zero
        g.segment<R>(places_[i].row).setZero();
        Eigen::Map<RowMatrix>(G.data() + places_[i].rows_buffer).setZero();
        continue;
      }
      items[i].constraint.evaluate(inputs_of(i, state, table), rows);
      if constexpr (Rheonomic<C>) {
        TimeRows<R> time;
        time_rows(items[i].constraint, state.t, state.memory.data() + places_[i].memory, time);
        rows.g += time.value;
      }
      g.segment<R>(places_[i].row) = rows.g;
      Eigen::Map<RowMatrix>(G.data() + places_[i].rows_buffer) = rows.G;
    }
  }
  void add_wrenches(const VectorX& lambda, const std::vector<double>& G, FrameTable& table,
                    Share share) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      const auto G_i = rows_of(i, G);
      const auto lambda_i = lambda.segment<R>(places_[i].row);
      for (int f = 0; f < N; ++f)
        table.wrench[items[i].frames[f]].noalias() +=
            G_i.template middleCols<6>(6 * f).transpose() * lambda_i;
    }
  }
  void velocity(const State& state, const FrameTable& table, const std::vector<double>& G, VectorX& out,
                Share share) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      auto row = out.segment<R>(places_[i].row);
      row.setZero();
      for (int f = 0; f < N; ++f)
        row.noalias() += rows_of(i, G).template middleCols<6>(6 * f) * table.twist[items[i].frames[f]];
      if constexpr (Rheonomic<C>) {
        if (places_[i].is_off(state)) continue;
        TimeRows<R> time;
        time_rows(items[i].constraint, state.t, state.memory.data() + places_[i].memory, time);
        row += time.d1;
      }
    }
  }
  void acceleration(const State& state, const FrameTable& table, const std::vector<Vec6>& frame_acceleration,
                    const std::vector<double>& G, VectorX& out, Share share) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      auto row = out.segment<R>(places_[i].row);
      row.setZero();
      if (places_[i].is_off(state)) continue;
      Eigen::Matrix<double, 6 * N, 1> u;
      for (int f = 0; f < N; ++f) {
        row.noalias() += rows_of(i, G).template middleCols<6>(6 * f) * frame_acceleration[items[i].frames[f]];
        u.template segment<6>(6 * f) = table.twist[items[i].frames[f]];
      }
      if constexpr (!is_flat<C>()) {
        Eigen::Matrix<double, 6 * N, 6 * N> H;
        for (int k = 0; k < R; ++k) {  // bias u^T H_k u, see frames/constraint.h
          H.setZero();
          items[i].constraint.add_stiffness(inputs_of(i, state, table), Eigen::Matrix<double, R, 1>::Unit(k),
                                            H);
          row[k] += u.dot(H * u);
        }
      }
      if constexpr (Rheonomic<C>) {
        TimeRows<R> time;
        time_rows(items[i].constraint, state.t, state.memory.data() + places_[i].memory, time);
        row += time.d2;
      }
    }
  }
  void add_rows(const FrameMap& map, const FrameTable& table, const std::vector<double>& G,
                BlockMatrix& matrix, Share share) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i)
      hooke::add_rows<R, N>(map, table, items[i].frames, rows_of(i, G), handles_[i], matrix);
  }
  void add_tangent(const State& state, double k, const FrameMap& map, const FrameTable& table,
                   BlockMatrix& matrix) const override {
    if constexpr (!is_flat<C>())
      for (int i = 0; i < count(); ++i) {
        if (places_[i].is_off(state)) continue;
        Eigen::Matrix<double, 6 * N, 6 * N> H;
        H.setZero();
        items[i].constraint.add_stiffness(
            inputs_of(i, state, table),
            Eigen::Matrix<double, R, 1>(k * state.lambda.segment<R>(places_[i].row)), H);
        add_stiffness<N>(map, table, items[i].frames, H, table.jacobians, handles_[i], matrix);
      }
  }
  double power([[maybe_unused]] const State& state) const override {
    double sum = 0;
    if constexpr (Rheonomic<C>)
      for (int i = 0; i < count(); ++i) {
        if (places_[i].is_off(state)) continue;
        TimeRows<R> time;
        time_rows(items[i].constraint, state.t, state.memory.data() + places_[i].memory, time);
        sum += time.d1.dot(state.lambda.segment<R>(places_[i].row));
      }
    return sum;
  }
  void track(const FrameTable& table, State& state) const override {
    if constexpr (Tracking<C>)
      for (int i = 0; i < count(); ++i) {
        if constexpr (requires { C::holds_memory; })
          if (!places_[i].is_off(state)) continue;
        items[i].constraint.track(inputs_of(i, state, table), state.memory.data() + places_[i].memory);
      }
  }
  std::optional<NotFinite> not_finite(int i, double t) const override {
    if constexpr (requires(const C& c) { c.not_finite(t); }) return items[i].constraint.not_finite(t);
    return {};
  }
  int copy(int i, std::span<const int> frames, const std::string& name,
           const std::vector<std::string>& labels, System& to) const override;

 private:
  auto inputs_of(int i, const State& state, const FrameTable& table) const {
    return inputs<N>(table, items[i].frames, state.memory.data() + places_[i].memory, state.t);
  }
  auto rows_of(int i, const std::vector<double>& G) const {
    return Eigen::Map<const RowMatrix>(G.data() + places_[i].rows_buffer);
  }

  std::vector<ItemPlace> places_;
  std::vector<ItemHandles> handles_;
};

}  // namespace hooke
