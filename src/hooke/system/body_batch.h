#pragma once
#include <numeric>
#include <span>

#include "hooke/base/team.h"
#include "hooke/frames/body.h"
#include "hooke/math/pack.h"
#include "hooke/system/chain_rule.h"
#include "hooke/system/dae.h"

namespace hooke {

class System;

/// Offsets of one body in the vectors of the system.
struct BodyPlace {
  int q = 0, v = 0, block = 0, number = 0;
};

/// Bodies of one type (contract: frames/body.h) sit in one vector; the system makes one virtual call per
/// batch and phase, never one per body.
class BodyBatchBase {
 public:
  virtual ~BodyBatchBase() = default;
  virtual int count() const = 0;
  virtual BodyPlace sizes(int i) const = 0;  ///< nq, nv, number of blocks
  virtual void describe(int i, KktStructure& structure) const = 0;
  virtual void place(int i, BodyPlace at) = 0;
  virtual void connect(const FrameMap& map, const KktMatrix& kkt) = 0;
  virtual int frame_count() const = 0;
  virtual void describe_frame(int k, FrameMap& map) const = 0;

  virtual void initial(State& state) const = 0;
  virtual void plus(const VectorX& q, const VectorX& x, VectorX& result, Share share) const = 0;
  virtual void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const = 0;
  virtual void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result, Share share) const = 0;
  virtual bool carry(const VectorX& q, VectorX& x) const = 0;
  virtual void update_frames(const State& state, FrameTable& table, Share share) const = 0;
  virtual void update_twist_changes(const State& state, const Weights& weights, const FrameMap& map,
                                    FrameTable& table) const = 0;
  /// M a - f of the bodies and J^T w of their frames.
  /// The bodies of this share; those that can have their own forces computed by the team.
  virtual void add_residual(const State& state, const Vec3& gravity, const FrameTable& table, VectorX& r,
                            Share share, Team* team) const = 0;
  /// J a + J' v of the frames.
  virtual void accelerations(const VectorX& a, const FrameTable& table, std::vector<Vec6>& acceleration,
                             Share share) const = 0;
  virtual void add_tangent(const State& state, const Vec3& gravity, const Weights& weights,
                           const FrameTable& table, KktMatrix& kkt, Share share) const = 0;
  virtual Energy energy(const State& state, const Vec3& gravity) const = 0;
  virtual bool rigid_motion(const VectorX& q, const Vec6& twist, double* v) const = 0;
  virtual bool add_momentum(const VectorX& q, const VectorX& v, VectorX& r) const = 0;
  virtual Power power(const State& state) const = 0;
  virtual BodyMotion motion(int i, const State& state) const = 0;
  virtual void place(int i, const FramePose& pose, const Vec6& twist, State& state) const = 0;
  virtual int node_count(int i) const = 0;
  virtual void nodes(int i, const State& state, std::vector<FramePose>& poses) const = 0;
  virtual int section_count(int i) const = 0;
  virtual SectionValues section(int i, int k, const State& state) const = 0;
  virtual MassProperties mass_properties(int i) const = 0;
  virtual void scale(int i, double length, VectorX& dof_scale) const = 0;
  virtual std::string dof_name(int i, int dof) const = 0;
  /// Adds a copy of body i, or of the frame with this number, to a system that is being built.
  virtual int copy_body(int i, const std::string& name, System& to) const = 0;
  virtual int copy_frame(int frame, bool oriented, int body_there, System& to) const = 0;
};

/// Columns of a frame's Jacobian, or at most so many where frames differ: what is kept on the stack for one.
template <class B>
constexpr int most_frame_dofs() {
  if constexpr (B::frame_dofs != Eigen::Dynamic)
    return B::frame_dofs;
  else
    return B::most_frame_dofs;
}

template <class B>
class BodyBatch final : public BodyBatchBase {
 public:
  std::vector<B> bodies;
  struct Attachment {
    int body, frame;  ///< index in this batch, number in the frame table
    typename B::Frame local;
  };
  std::vector<Attachment> frames;

  int count() const override { return static_cast<int>(bodies.size()); }
  BodyPlace sizes(int i) const override {
    return {bodies[i].nq(), bodies[i].nv(), static_cast<int>(bodies[i].block_sizes().size())};
  }
  void describe(int i, KktStructure& structure) const override {
    const int first = static_cast<int>(structure.dof_sizes.size());
    for (int size : bodies[i].block_sizes()) structure.dof_sizes.push_back(size);
    for (auto [a, b] : bodies[i].couplings()) structure.couplings.emplace_back(first + a, first + b);
    structure.body_blocks.push_back(static_cast<int>(structure.dof_sizes.size()));
    structure.body_kinds.push_back(BodyKind::plain);
    if constexpr (requires { bodies[i].kind(); }) structure.body_kinds.back() = bodies[i].kind();
    if constexpr (requires { B::frames_couple; })  // blocks that nothing but a frame holds together
      for (const Attachment& f : frames)
        if (f.body == i) {
          const auto entries = bodies[i].frame_entries(f.local);
          for (const FrameEntry& a : entries)
            for (const FrameEntry& b : entries)
              if (a.block < b.block) structure.weak_couplings.emplace_back(first + a.block, first + b.block);
        }
  }
  void place(int i, BodyPlace at) override {
    places_.resize(bodies.size());
    places_[i] = at;
  }

  void describe_frame(int k, FrameMap& map) const override {
    const Attachment& attachment = frames[k];
    FrameLayout& layout = map.frames[attachment.frame];
    const B& body = bodies[attachment.body];
    const BodyPlace& at = places_[attachment.body];
    layout.first_entry = static_cast<int>(map.entries.size());
    for (FrameEntry entry : body.frame_entries(attachment.local)) {  // local numbers
      entry.block += at.block;
      entry.dof += at.v;
      layout.columns += entry.size;
      map.entries.push_back(entry);
    }
    layout.last_entry = static_cast<int>(map.entries.size());
    if constexpr (requires { B::rigid_frames; }) layout.rigid = B::rigid_frames;
    layout.jacobian = map.jacobian_size;
    map.jacobian_size += 6 * layout.columns;
  }
  int frame_count() const override { return static_cast<int>(frames.size()); }

  void connect(const FrameMap& map, const KktMatrix& kkt) override {
    blocks_.resize(bodies.size());
    for (int i = 0; i < count(); ++i) {
      const int first = places_[i].block, n = static_cast<int>(bodies[i].block_sizes().size());
      for (int b = 0; b < n; ++b) blocks_[i].push_back(kkt.C(first + b, first + b));
      for (auto [a, b] : bodies[i].couplings()) {
        blocks_[i].push_back(kkt.C(first + a, first + b));
        blocks_[i].push_back(kkt.C(first + b, first + a));
      }
    }
    frame_blocks_.resize(frames.size());
    for (int k = 0; k < frame_count(); ++k)
      for (const FrameEntry& row : map.entries_of(frames[k].frame))
        for (const FrameEntry& column : map.entries_of(frames[k].frame))
          frame_blocks_[k].push_back(kkt.C(row.block, column.block));
    map_ = &map;
    first_frame_.assign(bodies.size() + 1, 0);
    for (const Attachment& f : frames) ++first_frame_[f.body + 1];
    std::partial_sum(first_frame_.begin(), first_frame_.end(), first_frame_.begin());
    frames_by_body_.resize(frames.size());
    std::vector<int> next = first_frame_;
    for (int k = 0; k < frame_count(); ++k) frames_by_body_[next[frames[k].body]++] = k;
  }

  void initial(State& state) const override {
    for (int i = 0; i < count(); ++i) bodies[i].initial(&state.q[places_[i].q], &state.v[places_[i].v]);
  }
  void plus(const VectorX& q, const VectorX& x, VectorX& result, Share share) const override {
    const auto four = [&](int i) {
      if constexpr (requires { &B::plus_pack; })
        return B::plus_pack(sources(q, &BodyPlace::q, i), sources(x, &BodyPlace::v, i),
                            targets(result, &BodyPlace::q, i));
      return false;
    };
    in_packs(share, four,
             [&](int i) { bodies[i].plus(&q[places_[i].q], &x[places_[i].v], &result[places_[i].q]); });
  }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override {
    for (int i = 0; i < count(); ++i) bodies[i].minus(&q1[places_[i].q], &q0[places_[i].q], &x[places_[i].v]);
  }
  bool carry([[maybe_unused]] const VectorX& q, [[maybe_unused]] VectorX& x) const override {
    if constexpr (requires(const B& b, const double* at, double* step) { b.carry(at, step); }) {
      for (int i = 0; i < count(); ++i) bodies[i].carry(&q[places_[i].q], &x[places_[i].v]);
      return count() > 0;
    }
    return false;
  }
  void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result, Share share) const override {
    const auto four = [&](int i) {
      if constexpr (requires { &B::inverse_tangent_pack; })
        return B::inverse_tangent_pack(sources(x, &BodyPlace::v, i), sources(v, &BodyPlace::v, i),
                                       targets(result, &BodyPlace::v, i));
      return false;
    };
    in_packs(share, four, [&](int i) {
      bodies[i].inverse_tangent(&x[places_[i].v], &v[places_[i].v], &result[places_[i].v]);
    });
  }
  void update_frames(const State& state, FrameTable& table, Share share) const override {
    auto [k, end] = share.of_loop(frame_count(), Pack::lanes);
    if constexpr (requires { &B::frame_pack; })
      for (; k + Pack::lanes <= end; k += Pack::lanes) update_pack(&frames[k], state, table);
    for (; k < end; ++k) {
      const Attachment& f = frames[k];
      const BodyPlace& at = places_[f.body];
      bodies[f.body].frame(f.local, &state.q[at.q], &state.v[at.v], table.pose[f.frame], table.twist[f.frame],
                           table.bias[f.frame], table.jacobian(map_->frames[f.frame]));
    }
  }
  void update_twist_changes(const State& state, const Weights& w, const FrameMap& map,
                            FrameTable& table) const override {
    using Jacobian = Eigen::Matrix<double, 6, B::frame_dofs, Eigen::ColMajor, 6, most_frame_dofs<B>()>;
    Jacobian J;
    for (const Attachment& f : frames) {
      const BodyPlace& at = places_[f.body];
      const FrameLayout& layout = map.frames[f.frame];
      Eigen::Map<Jacobian> change(table.twist_changes.data() + layout.jacobian, 6, layout.columns);
      bodies[f.body].velocity_gradient(f.local, &state.q[at.q], &state.v[at.v], change);
      J = table.jacobian(layout);
      if (w.increment) bodies[f.body].apply_inverse_tangent(f.local, &(*w.increment)[at.v], J);
      change = w.k * change + w.d * J;
    }
  }
  void add_residual(const State& state, const Vec3& gravity, const FrameTable& table, VectorX& r, Share share,
                    [[maybe_unused]] Team* team) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      const BodyPlace& at = places_[i];
      const double *q = &state.q[at.q], *v = &state.v[at.v], *a = &state.a[at.v];
      if constexpr (requires { bodies[i].add_residual(q, v, a, gravity, &r[at.v], team); })
        bodies[i].add_residual(q, v, a, gravity, &r[at.v], team);
      else
        bodies[i].add_residual(q, v, a, gravity, &r[at.v]);
      for (int k : frames_of(i))
        add_generalised_force(*map_, table, frames[k].frame, table.wrench[frames[k].frame], r);
    }
  }
  void accelerations(const VectorX& a, const FrameTable& table, std::vector<Vec6>& acceleration,
                     Share share) const override {
    for (auto [k, end] = share.of_loop(frame_count()); k < end; ++k)
      acceleration[frames[k].frame] = frame_acceleration(*map_, table, frames[k].frame, a);
  }
  void add_tangent(const State& state, const Vec3& gravity, const Weights& w, const FrameTable& table,
                   KktMatrix& kkt, Share share) const override {
    for (auto [i, end] = share.of_loop(count()); i < end; ++i) {
      const BodyPlace& at = places_[i];
      TurnedBody* turned = kkt.turned.empty() ? nullptr : &kkt.turned[at.number];
      bodies[i].add_tangent(&state.q[at.q], &state.v[at.v], &state.a[at.v], gravity, w,
                            w.increment ? &(*w.increment)[at.v] : nullptr,
                            BodyBlocks{kkt.matrix, blocks_[i].data(), turned});
      if constexpr (requires { bodies[i].block_poses(&state.q[0], kkt.poses.data()); })
        if (!kkt.poses.empty()) bodies[i].block_poses(&state.q[at.q], &kkt.poses[at.block]);
      if (w.k != 0 && w.geometric && !(turned && turned->matrices))
        for (int k : frames_of(i)) add_frame_stiffness(k, state, w.k, table, kkt.matrix);
    }
  }
  Energy energy(const State& state, const Vec3& gravity) const override {
    Energy sum;
    for (int i = 0; i < count(); ++i) {
      const Energy e = bodies[i].energy(&state.q[places_[i].q], &state.v[places_[i].v], gravity);
      sum.kinetic += e.kinetic;
      sum.potential += e.potential;
    }
    return sum;
  }
  bool rigid_motion([[maybe_unused]] const VectorX& q, [[maybe_unused]] const Vec6& twist,
                    [[maybe_unused]] double* v) const override {
    if constexpr (requires(const B& b, const double* at, double* to) { b.rigid_motion(at, twist, to); }) {
      bool undamped = true;
      for (int i = 0; i < count(); ++i)
        undamped &= bodies[i].rigid_motion(&q[places_[i].q], twist, v + places_[i].v);
      return undamped;
    }
    return count() == 0;
  }
  bool add_momentum([[maybe_unused]] const VectorX& q, [[maybe_unused]] const VectorX& v,
                    [[maybe_unused]] VectorX& r) const override {
    if constexpr (requires(const B& b, const double* at, double* to) { b.add_momentum(at, at, to); }) {
      for (int i = 0; i < count(); ++i)
        bodies[i].add_momentum(&q[places_[i].q], &v[places_[i].v], &r[places_[i].v]);
      return true;
    }
    return count() == 0;
  }
  Power power([[maybe_unused]] const State& state) const override {
    Power sum;
    if constexpr (requires(const B& b, const double* at) { b.power(at, at); })
      for (int i = 0; i < count(); ++i)
        sum += bodies[i].power(&state.q[places_[i].q], &state.v[places_[i].v]);
    return sum;
  }
  BodyMotion motion(int i, const State& state) const override {
    const BodyPlace& at = places_[i];
    return bodies[i].motion(&state.q[at.q], &state.v[at.v], &state.a[at.v]);
  }
  void place(int i, const FramePose& pose, const Vec6& twist, State& state) const override {
    bodies[i].place(pose, twist, &state.q[places_[i].q], &state.v[places_[i].v]);
  }
  int node_count(int i) const override { return bodies[i].nodes(); }
  void nodes(int i, const State& state, std::vector<FramePose>& poses) const override {
    for (int n = 0; n < bodies[i].nodes(); ++n) poses.push_back(bodies[i].node(n, &state.q[places_[i].q]));
  }
  int section_count([[maybe_unused]] int i) const override {
    if constexpr (requires { bodies[i].sections(); }) return bodies[i].sections();
    return 0;
  }
  SectionValues section([[maybe_unused]] int i, [[maybe_unused]] int k,
                        [[maybe_unused]] const State& state) const override {
    if constexpr (requires { bodies[i].sections(); })
      return bodies[i].section(k, &state.q[places_[i].q], &state.v[places_[i].v]);
    return {};
  }
  MassProperties mass_properties(int i) const override { return bodies[i].mass_properties(); }
  void scale(int i, double length, VectorX& dof_scale) const override {
    bodies[i].scale(length, &dof_scale[places_[i].v]);
  }
  std::string dof_name(int i, int dof) const override { return bodies[i].dof_name(dof); }
  int copy_body(int i, const std::string& name, System& to) const override;
  int copy_frame(int frame, bool oriented, int body_there, System& to) const override;

 private:
  /// Bodies i to i + 3 by four(i), and those that it refuses or that are left over by one(i).
  void in_packs(Share share, auto&& four, auto&& one) const {
    auto [i, end] = share.of_loop(count(), Pack::lanes);
    for (; i < end; i += Pack::lanes)
      if (i + Pack::lanes > end || !four(i))
        for (int k = i; k < std::min(end, i + Pack::lanes); ++k) one(k);
  }
  PackSource sources(const VectorX& x, int BodyPlace::*at, int i) const {
    return {&x[places_[i].*at], &x[places_[i + 1].*at], &x[places_[i + 2].*at], &x[places_[i + 3].*at]};
  }
  PackTarget targets(VectorX& x, int BodyPlace::*at, int i) const {
    return {&x[places_[i].*at], &x[places_[i + 1].*at], &x[places_[i + 2].*at], &x[places_[i + 3].*at]};
  }
  void update_pack(const Attachment* f, const State& state, FrameTable& table) const {
    std::array<const typename B::Frame*, 4> local;
    std::array<FramePose*, 4> pose;
    PackSource q, v;
    PackTarget twist, bias, J;
    for (int k = 0; k < Pack::lanes; ++k) {
      const BodyPlace& at = places_[f[k].body];
      const int frame = f[k].frame;
      local[k] = &f[k].local, pose[k] = &table.pose[frame];
      q[k] = &state.q[at.q], v[k] = &state.v[at.v];
      twist[k] = table.twist[frame].data(), bias[k] = table.bias[frame].data();
      J[k] = table.jacobians.data() + map_->frames[frame].jacobian;
    }
    B::frame_pack(local, q, v, pose, twist, bias, J);
  }

  std::span<const int> frames_of(int body) const {
    return {frames_by_body_.data() + first_frame_[body], frames_by_body_.data() + first_frame_[body + 1]};
  }

  /// d(J^T w)/dq with the sum of all wrenches on frame number n of the batch.
  void add_frame_stiffness(int n, const State& state, double k, const FrameTable& table,
                           BlockMatrix& matrix) const {
    constexpr int most = most_frame_dofs<B>();
    Eigen::Matrix<double, B::frame_dofs, B::frame_dofs, Eigen::ColMajor, most, most> K;
    const Attachment& f = frames[n];
    const int columns = map_->frames[f.frame].columns;
    K.setZero(columns, columns);
    bodies[f.body].frame_stiffness(f.local, &state.q[places_[f.body].q], table.wrench[f.frame], K);
    if constexpr (B::frame_dofs != Eigen::Dynamic) {
      matrix.block<B::frame_dofs, B::frame_dofs>(frame_blocks_[n][0]) += k * K;
    } else {
      int block = 0;
      for (const FrameEntry& row : map_->entries_of(f.frame))
        for (const FrameEntry& column : map_->entries_of(f.frame))
          matrix.block(frame_blocks_[n][block++]) +=
              k * K.block(row.column, column.column, row.size, column.size);
    }
  }

  std::vector<BodyPlace> places_;
  std::vector<std::vector<BlockHandle>> blocks_, frame_blocks_;
  std::vector<int> first_frame_, frames_by_body_;  ///< the frames of each body
  const FrameMap* map_ = nullptr;
};

}  // namespace hooke
