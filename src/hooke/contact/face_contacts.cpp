#include "hooke/contact/face_contacts.h"

#include <utility>

#include "hooke/system/chain_rule.h"
#include "hooke/system/system.h"

namespace hooke {

/// What one evaluation needs room for; each thread has one.
struct FaceContacts::Work {
  FacetedSurface::Posed surface;
  Eigen::AlignedBox3d around;  ///< all of it
  bool is_enclosed = false;
  FacetedSurface::Patch patch;
  VectorX speeds;  ///< of the point and the nodes of the patch
  /// What is exerted on the point and the nodes, and at last the moment on the ball, by their motion and by their speeds, and at
  /// last by those of the ball about its centre.
  MatrixX K, D;
  VectorX dF, dF_speed, ds;

  static Work& of_thread() {
    thread_local Work work;
    return work;
  }
  void gather(const FaceContacts& contacts, auto&& place_of) {
    surface.at.resize(contacts.nodes.size());
    for (std::size_t k = 0; k < surface.at.size(); ++k) surface.at[k] = place_of(contacts.nodes[k]);
    around.setEmpty();
    for (const Vec3& p : surface.at) around.extend(p);
    is_enclosed = false;
  }
  /// The boxes, once one of the balls is near enough.
  const FacetedSurface::Posed& posed(const FaceContacts& contacts) {
    if (!std::exchange(is_enclosed, true)) contacts.surface->enclose(surface);
    return surface;
  }
  bool is_far(const Vec3& x, double reach) const { return around.squaredExteriorDistance(x) > reach * reach; }
  void make_room() {
    const Eigen::Index n = patch.dofs();
    if (speeds.size() >= n) return;
    for (VectorX* each : {&speeds, &dF, &dF_speed, &ds}) each->resize(2 * n);
    for (MatrixX* each : {&K, &D}) each->resize(2 * n + 3, 2 * n + 3);
  }
};

struct FaceContacts::Touching {
  double gap, rate;
  NormalLaw::Sample law;
  Vec3 arm,
      spin;  ///< of a ball, from its centre to what its nodes' shares say is the place of the surface; how it turns
  Vec3 v, v_t, carried,
      y;             ///< velocity past the surface, along it, bristles carried over; friction is -mu F y
  double bend_by_v;  ///< how much bristles bend with v_t
};

/// The frame of the ball (0, and after the last node: as what turns) or of a node of the patch.
int FaceContacts::frame_of(int i, std::size_t k, const Work& work) const {
  return k == 0 || k > work.patch.nodes.size() ? balls[static_cast<std::size_t>(i)].frame
                                               : nodes[static_cast<std::size_t>(work.patch.nodes[k - 1])];
}

bool FaceContacts::touch(int i, const State& state, const FrameTable& table, bool with_bend, Work& work,
                         Touching& at) const {
  const Ball& ball = balls[static_cast<std::size_t>(i)];
  const Vec3& x = table.pose[static_cast<std::size_t>(ball.frame)].p;
  const FacetedSurface::Patch& patch = work.patch;
  if (work.is_far(x, std::max(ball.radius, surface->deepest())) ||
      !surface->meet(x, ball.radius, work.posed(*this), ball.radius, with_bend, work.patch))
    return false;
  at.gap = patch.distance - ball.radius;
  if (at.gap >= 0) return false;
  work.make_room();
  const Eigen::Index n = patch.dofs();
  for (std::size_t k = 0; k <= patch.nodes.size(); ++k)
    work.speeds.segment<3>(3 * static_cast<Eigen::Index>(k)) =
        table.twist[static_cast<std::size_t>(frame_of(i, k, work))].head<3>();
  const double* m = state.memory.data() + places_[static_cast<std::size_t>(i)].memory;
  at.rate = -patch.slope.head(n).dot(work.speeds.head(n));
  at.law = normal(-at.gap, at.rate, m[0]);
  at.v = work.speeds.head<3>();
  for (std::size_t k = 0; k < patch.nodes.size(); ++k)
    at.v -= patch.share(k) * work.speeds.segment<3>(3 + 3 * static_cast<Eigen::Index>(k));
  at.arm.setZero(), at.spin.setZero();
  if (ball.radius > 0) {
    at.arm = -x;
    for (std::size_t k = 0; k < patch.nodes.size(); ++k)
      at.arm += patch.share(k) * work.surface.at[static_cast<std::size_t>(patch.nodes[k])];
    at.spin = table.twist[static_cast<std::size_t>(ball.frame)].tail<3>();
    at.v += at.spin.cross(at.arm);
  }
  at.v_t = at.v - patch.normal.dot(at.v) * patch.normal;
  at.y.setZero(), at.carried.setZero(), at.bend_by_v = 0;
  if (friction.coefficient > 0 && friction.bristle == 0) {
    at.y = at.v_t / std::hypot(at.v_t.norm(), friction.stick_speed);
  } else if (friction.coefficient > 0) {
    const double passed = std::max(0.0, state.t - m[2]);
    at.carried = Vec3(m[3], m[4], m[5]) + 0.5 * passed / friction.bristle * Vec3(m[6], m[7], m[8]);
    at.bend_by_v = (0.5 * passed + friction.settling) / friction.bristle;
    at.y = at.carried - patch.normal.dot(at.carried) * patch.normal + at.bend_by_v * at.v_t;
    if (const double length = at.y.norm(); length > 1) at.y /= length;
  }
  return true;
}

void FaceContacts::for_each_touching(const State& state, const FrameTable& table, bool with_bend,
                                     auto&& f) const {
  Work& work = Work::of_thread();
  work.gather(*this, [&](int frame) { return table.pose[static_cast<std::size_t>(frame)].p; });
  Touching at;
  for (int i = 0; i < count(); ++i)
    if (!places_[static_cast<std::size_t>(i)].is_off(state) && touch(i, state, table, with_bend, work, at))
      f(i, at, work);
}

/// F dg on all, and -mu F |dg/dx| y on the ball at the end of its arm, its opposite on the nodes by their shares.
Vec6 FaceContacts::wrench_on(std::size_t k, const Touching& at, const Work& work) const {
  const FacetedSurface::Patch& patch = work.patch;
  const double F = at.law.force;
  const Vec3 rub = friction.coefficient * F * patch.steep * at.y;
  Vec6 w = Vec6::Zero();
  if (k == 0)
    w << F * patch.slope.head<3>() - rub, -at.arm.cross(rub);
  else
    w.head<3>() = F * patch.slope_of(k - 1) + patch.share(k - 1) * rub;
  return w;
}

void FaceContacts::subtract_wrenches(const State& state, FrameTable& table) const {
  for_each_touching(state, table, false, [&](int i, const Touching& at, const Work& work) {
    for (std::size_t k = 0; k <= work.patch.nodes.size(); ++k)
      table.wrench[static_cast<std::size_t>(frame_of(i, k, work))] -= wrench_on(k, at, work);
  });
}

/// Derivatives by the motions and speeds of the point and the nodes; with dg = G and H = dG, and r = |G_x|, n = G_x/r:
///
///   dF = -F_d G dq - F_r (G dv + v'H dq),    dn = (1 - n n') H_x dq/r,    dr = n'H_x dq
///   s_k = -G_x.G_k/r^2,    ds_k = -(G_k'H_x + G_x'H_k + 2 s_k G_x'H_x) dq/r^2
///
/// and the arm of a ball a = sum s_k p_k - x, at the end of which friction -Y acts with the moment -a x Y.
void FaceContacts::find_tangent(const Touching& at, Work& work) const {
  const FacetedSurface::Patch& patch = work.patch;
  const Eigen::Index n = patch.dofs();
  const auto G = patch.slope.head(n);
  const auto H = patch.bend.topLeftCorner(n, n);
  auto K = work.K.topLeftCorner(n, n), D = work.D.topLeftCorner(n, n);
  for (MatrixX* each : {&work.K, &work.D}) {
    each->middleRows<3>(n).setZero();
    each->middleCols<3>(n).setZero();
  }
  auto dF = work.dF.head(n), dF_speed = work.dF_speed.head(n);
  const double F = at.law.force;
  dF.noalias() = -at.law.by_rate * (H * work.speeds.head(n));  // H is symmetric
  dF -= at.law.by_depth * G;
  dF_speed = -at.law.by_rate * G;
  K.noalias() = G * dF.transpose();
  K += F * H;
  D.noalias() = G * dF_speed.transpose();
  if (friction.coefficient == 0) return;

  const Vec3& up = patch.normal;
  const double r = patch.steep, mu = friction.coefficient;
  const bool turns = !at.arm.isZero(0);
  const Vec3 Y = mu * F * r * at.y;
  const Mat3 across = Mat3::Identity() - up * up.transpose();
  Mat3 by_v_t = at.bend_by_v * Mat3::Identity(),
       limited = Mat3::Identity();  // dy by v_t, and by what is limited to 1
  if (friction.bristle == 0) {
    by_v_t = (Mat3::Identity() - at.y * at.y.transpose()) / std::hypot(at.v_t.norm(), friction.stick_speed);
  } else if (const double length = (across * at.carried + at.bend_by_v * at.v_t).norm(); length > 1) {
    limited = (Mat3::Identity() - at.y * at.y.transpose()) / length;
    by_v_t = limited * by_v_t;
  }
  const std::size_t count = patch.nodes.size();
  auto ds = work.ds.head(static_cast<Eigen::Index>(count));
  for (Eigen::Index c = 0; c < n; ++c) {
    const Vec3 bend = H.col(c).head<3>();
    const double dr = up.dot(bend);
    const Vec3 dn = across * bend / r;
    Vec3 dv = zero3, d_arm = zero3;
    for (std::size_t k = 0; k < count; ++k) {
      const Eigen::Index at_k = 3 + 3 * static_cast<Eigen::Index>(k);
      ds[static_cast<Eigen::Index>(k)] = -patch.slope_of(k).dot(bend) / (r * r) -
                                         up.dot(H.col(c).segment<3>(at_k)) / r - 2 * patch.share(k) * dr / r;
      dv -= ds[static_cast<Eigen::Index>(k)] * work.speeds.segment<3>(at_k);
      d_arm += ds[static_cast<Eigen::Index>(k)] * work.surface.at[static_cast<std::size_t>(patch.nodes[k])];
    }
    const double part = c < 3 ? 1 : -patch.share(static_cast<std::size_t>(c / 3 - 1));
    d_arm -= part * Vec3::Unit(c % 3);
    if (turns) dv += at.spin.cross(d_arm);
    const Vec3 dv_t = across * dv - up.dot(at.v) * dn - up * dn.dot(at.v);
    const Vec3 dy = by_v_t * dv_t - limited * (up.dot(at.carried) * dn + up * dn.dot(at.carried));
    const Vec3 dY = mu * (F * r * dy + (r * dF[c] + F * dr) * at.y);
    const Vec3 dY_speed = mu * r * (F * part * by_v_t * across.col(c % 3) + dF_speed[c] * at.y);
    K.col(c).head<3>() -= dY;
    D.col(c).head<3>() -= dY_speed;
    for (std::size_t k = 0; k < count; ++k) {
      const Eigen::Index at_k = 3 + 3 * static_cast<Eigen::Index>(k);
      K.col(c).segment<3>(at_k) += patch.share(k) * dY + ds[static_cast<Eigen::Index>(k)] * Y;
      D.col(c).segment<3>(at_k) += patch.share(k) * dY_speed;
    }
    if (!turns) continue;
    work.K.col(c).segment<3>(n) = -d_arm.cross(Y) - at.arm.cross(dY);
    work.D.col(c).segment<3>(n) = -at.arm.cross(dY_speed);
  }
  for (Eigen::Index c = 0; turns && c < 3; ++c) {
    const Vec3 dY = mu * r * F * by_v_t * across * Vec3::Unit(c).cross(at.arm);
    auto column = work.D.col(n + c);
    column.head<3>() = -dY;
    for (std::size_t k = 0; k < count; ++k)
      column.segment<3>(3 + 3 * static_cast<Eigen::Index>(k)) = patch.share(k) * dY;
    column.segment<3>(n) = -at.arm.cross(dY);
  }
}

void FaceContacts::add_tangent(const State& state, const Weights& weights, const FrameMap& map,
                               const FrameTable& table, BlockMatrix& matrix) const {
  if (weights.k == 0 && weights.d == 0) return;
  for_each_touching(state, table, true, [&](int i, const Touching& at, Work& work) {
    find_tangent(at, work);
    const std::size_t turning = 1 + work.patch.nodes.size(), last = at.arm.isZero(0) ? turning - 1 : turning;
    for (std::size_t a = 0; a <= last; ++a)
      for_each_entry(
          map, table.jacobians, frame_of(i, a, work), [&](const auto& J, const FrameEntry& row, int) {
            const auto rows = full(J).template middleRows<3>(a == turning ? 3 : 0);
            for (std::size_t b = 0; b <= last; ++b) {
              const auto add = [&](const MatrixX& by, double weight, const std::vector<double>& V) {
                const Mat3 block = -weight * by.block<3, 3>(3 * static_cast<Eigen::Index>(a),
                                                            3 * static_cast<Eigen::Index>(b));
                for_each_entry(map, V, frame_of(i, b, work),
                               [&](const auto& V_b, const FrameEntry& column, int) {
                                 constexpr int columns = std::decay_t<decltype(V_b)>::ColsAtCompileTime;
                                 const BlockTemporary<3, columns> moved =
                                     block * full(V_b).template middleRows<3>(b == turning ? 3 : 0);
                                 matrix.block(matrix.handle(row.block, column.block)).noalias() +=
                                     rows.transpose().lazyProduct(moved);
                               });
              };
              if (weights.k != 0) add(work.K, weights.k, table.jacobians);
              add(work.D, 1, table.twist_changes);
            }
          });
  });
}

double FaceContacts::energy(const State& state, const FrameTable& table) const {
  double sum = 0;
  for_each_touching(state, table, false, [&](int, const Touching& at, const Work&) { sum += at.law.energy; });
  return sum;
}

Power FaceContacts::power(const State& state, const FrameTable& table) const {
  Power sum;
  for_each_touching(state, table, false, [&](int, const Touching& at, const Work& work) {
    sum.dissipated += (at.law.force - at.law.elastic) * at.rate +
                      friction.coefficient * at.law.force * work.patch.steep * at.y.dot(at.v_t);
  });
  return sum;
}

/// While they are apart, the speed at which they approach, if they are as near as the next step may bring them.
void FaceContacts::track(const FrameTable& table, State& state) const {
  Work& work = Work::of_thread();
  work.gather(*this, [&](int frame) { return table.pose[static_cast<std::size_t>(frame)].p; });
  Touching at;
  for (int i = 0; i < count(); ++i) {
    const TouchMemory kept{state.memory.data() + places_[static_cast<std::size_t>(i)].memory};
    const Ball& ball = balls[static_cast<std::size_t>(i)];
    const auto frame = static_cast<std::size_t>(ball.frame);
    if (touch(i, state, table, false, work, at)) {
      kept.touch(friction, Mat3::Identity(), work.patch.normal, at.v_t, at.rate,
                 wrench_on(0, at, work).head<3>(), state.t);
      continue;
    }
    const double near = ball.radius + surface->largest();
    const bool is_near =
        !work.is_far(table.pose[frame].p, std::max(near, surface->deepest())) &&
        surface->meet(table.pose[frame].p, ball.radius, work.posed(*this), near, false, work.patch);
    double approach = 0;
    for (std::size_t k = 0; is_near && k <= work.patch.nodes.size(); ++k)
      approach -= work.patch.slope.segment<3>(3 * static_cast<Eigen::Index>(k))
                      .dot(table.twist[static_cast<std::size_t>(frame_of(i, k, work))].head<3>());
    kept.leave(approach, state.t);
  }
}

Vec6 FaceContacts::wrench(int i, int k, const State& state, const FrameTable& table) const {
  Vec6 w = Vec6::Zero();
  Work& work = Work::of_thread();
  work.gather(*this, [&](int frame) { return table.pose[static_cast<std::size_t>(frame)].p; });
  Touching at;
  if (places_[static_cast<std::size_t>(i)].is_off(state) || !touch(i, state, table, false, work, at))
    return w;
  for (std::size_t a = 0; a <= work.patch.nodes.size(); ++a)
    if (a == 0 ? k == 0 : work.patch.nodes[a - 1] == k - 1) w = wrench_on(a, at, work);
  return w;
}

std::optional<NotFinite> FaceContacts::not_finite(int i, const State& state, const FrameTable& table,
                                                  bool) const {
  for (int k = 0; k < frames(i); ++k) {
    const auto f = static_cast<std::size_t>(frame(i, k));
    if (!table.pose[f].p.allFinite() || !table.twist[f].allFinite()) return {};
  }
  if (wrench(i, 0, state, table).allFinite()) return {};
  return NotFinite{"", formatted("the force is not finite at t = {:.6g} s", state.t)};
}

void FaceContacts::describe(int i, const FrameMap& map, KktStructure& structure) const {
  const auto couple = [&](int frame, int other) {
    for (const FrameEntry& a : map.entries_of(frame))
      for (const FrameEntry& b : map.entries_of(other))
        if (a.block != b.block) structure.couplings.push_back(std::minmax(a.block, b.block));
  };
  const int ball = frame(i, 0);
  couple(ball, ball);
  for (const int node : nodes) couple(ball, node);
  if (i == 0)
    surface->for_each_pair([&](int a, int b) {
      couple(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)]);
    });
  for (int k = 0; k < frames(i); ++k)
    for (const FrameEntry& e : map.entries_of(frame(i, k)))
      structure.has_springs_on_turned |= structure.kind_of_block(e.block) == BodyKind::turned;
}

int FaceContacts::copy(int i, std::span<const int> there, const std::string& name, System& to) const {
  auto one = std::make_unique<FaceContacts>();
  one->balls = {{there.front(), balls[static_cast<std::size_t>(i)].radius}};
  one->surface = surface;
  one->nodes.assign(there.begin() + 1, there.end());
  one->normal = normal;
  one->friction = friction;
  return to.add_forces(std::move(one), {name});
}

void FaceContacts::for_each_gap(const std::function<FramePose(int)>& pose,
                                const std::function<void(int, const ContactGap&)>& f) const {
  Work& work = Work::of_thread();
  work.gather(*this, [&](int frame) { return pose(frame).p; });
  constexpr double anywhere = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count(); ++i) {
    const Ball& ball = balls[static_cast<std::size_t>(i)];
    const Vec3 x = pose(ball.frame).p;
    ContactGap at{anywhere, x};
    if (surface->meet(x, ball.radius, work.posed(*this), anywhere, false, work.patch))
      at = {work.patch.distance - ball.radius, x - ball.radius * work.patch.normal, work.patch.normal};
    f(i, at);
  }
}

}  // namespace hooke
