#include "hooke/integrators/contact_solver.h"

#include <numeric>
#include <utility>

#include "hooke/base/format.h"
#include "hooke/solvers/dense_lu.h"

namespace hooke {
namespace {

/// Things that belong together by pairs.
class Sets {
 public:
  Sets(std::vector<int>& storage, std::size_t n) : to_(storage) {
    to_.resize(n);
    std::iota(to_.begin(), to_.end(), 0);
  }
  int of(int i) {
    int& to = to_[static_cast<std::size_t>(i)];
    return to == i ? i : to = of(to);
  }
  void join(int i, int j) { to_[static_cast<std::size_t>(of(i))] = of(j); }

 private:
  std::vector<int>& to_;
};

auto block_at(auto& row, int other) {
  return std::lower_bound(row.begin(), row.end(), other, [](const auto& b, int o) { return b.other < o; });
}

constexpr int both_sides = 2;

/// b <- A^-1 b where A has nothing farther than `band` from its diagonal: elimination with rows exchanged, in place.
void solve_in_band(Eigen::Ref<MatrixX> A, Eigen::Index band, Eigen::Ref<VectorX> b) {
  const Eigen::Index n = A.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index below = std::min(band, n - 1 - k), beside = std::min(2 * band, n - 1 - k);
    Eigen::Index pivot;
    A.col(k).segment(k, below + 1).cwiseAbs().maxCoeff(&pivot);
    if (pivot > 0) {
      A.row(k).segment(k, beside + 1).swap(A.row(k + pivot).segment(k, beside + 1));
      std::swap(b[k], b[k + pivot]);
    }
    auto parts = A.col(k).segment(k + 1, below);
    parts /= A(k, k);
    for (Eigen::Index c = k + 1; c <= k + beside; ++c)
      if (A(k, c) != 0) A.col(c).segment(k + 1, below) -= A(k, c) * parts;
    b.segment(k + 1, below) -= b[k] * parts;
  }
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    b[k] /= A(k, k);
    const Eigen::Index above = std::min(2 * band, k);
    b.segment(k - above, above) -= b[k] * A.col(k).segment(k - above, above);
  }
}

}  // namespace

/// Places of an island or of a body that take no memory in a step.
static constexpr std::size_t most_reserved = 32;

ContactSolver::ContactSolver(const Dae& dae, const RigidContactsBase& contacts)
    : dae_(dae), contacts_(contacts), search_(contacts.search()) {
  find_mechanisms();
  members_.resize(mechanism_.size());
  for (auto& members : members_) members.reserve(most_reserved);
  way_.setZero(dae.nv());
  kept_q_.setZero(dae.nq());
}

/// Bodies that joints or springs connect; of these, such that deform: bodies of several blocks that stiffness couples.
void ContactSolver::find_mechanisms() {
  const KktStructure& structure = dae_.structure();
  Sets sets(sets_, structure.dof_sizes.size());
  for (const auto& [i, j] : structure.couplings) sets.join(i, j);
  for (const auto& blocks : structure.constraint_blocks)
    for (const int block : blocks) sets.join(block, blocks.front());
  for (int block = 0; block < static_cast<int>(structure.dof_sizes.size()); ++block)
    mechanism_.push_back(sets.of(block));

  const auto mechanism = [&](int block) {
    return static_cast<std::size_t>(mechanism_[static_cast<std::size_t>(block)]);
  };
  const auto body_of = [&](int block) {
    return std::upper_bound(structure.body_blocks.begin(), structure.body_blocks.end(), block);
  };
  is_soft_.assign(mechanism_.size(), 0);
  for (const auto& [i, j] : structure.couplings)
    if (i != j && body_of(i) == body_of(j)) is_soft_[mechanism(i)] = 1;
  soft_.setZero(dae_.nv());
  Index at = 0;
  for (int block = 0; block < static_cast<int>(mechanism_.size()); ++block) {
    const int size = structure.dof_sizes[static_cast<std::size_t>(block)];
    if (is_soft_[mechanism(block)]) soft_.segment(at, size).setOnes();
    at += size;
  }
}

double ContactSolver::least_gap(const State& before, const State& state, Projector& projector) {
  projector.update(state);
  return contacts_.least_gap(before, projector.workspace(), *search_);
}

Vec3 ContactSolver::rates(std::size_t touch, const VectorX& u, Projector& projector) const {
  Vec3 v = Vec3::Zero();
  for (const int side : {0, 1})
    if (mechanisms_[touch][static_cast<std::size_t>(side)] >= 0)
      v += contacts_.rates(touches_[touch], side, projector.workspace(), u);
  return v;
}

void ContactSolver::find(const State& state, Projector& projector, double reach) {
  projector.update(state);
  contacts_.find(state, projector.workspace(), *search_, touches_, reach);
  const std::size_t n = touches_.size();
  if (n > room_) make_room(std::max(n, room_ + room_ / 2));
  for (VectorX* each : {&impulse_, &rates_, &free_, &wanted_}) each->setZero();
  results_.assign(n, {});
  mechanisms_.resize(n);
  for (auto& members : members_) members.clear();
  deforms_ = false;
  for (std::size_t i = 0; i < n; ++i) {
    for (const int side : {0, 1}) {
      const int block = contacts_.block_of(touches_[i], side);
      mechanisms_[i][static_cast<std::size_t>(side)] =
          block < 0 ? -1 : mechanism_[static_cast<std::size_t>(block)];
    }
    const auto [a, b] = mechanisms_[i];
    if (a >= 0) members_[static_cast<std::size_t>(a)].emplace_back(i, a == b ? both_sides : 0);
    if (b >= 0 && a != b) members_[static_cast<std::size_t>(b)].emplace_back(i, 1);
    for (const int mechanism : {a, b})
      deforms_ |= mechanism >= 0 && is_soft_[static_cast<std::size_t>(mechanism)];
  }
  find_islands();
}

/// For so many places. What is beyond those there are is zero.
void ContactSolver::make_room(std::size_t places) {
  room_ = places;
  const auto size = static_cast<Index>(3 * places);
  for (VectorX* each : {&impulse_, &kept_, &rates_, &free_, &nu_, &speeds_, &left_, &start_, &dx_, &right_})
    each->setZero(size);
  wanted_.setZero(static_cast<Index>(places));
  number_.resize(places);
  is_closed_.resize(places);
  touches_.reserve(places);
  now_.reserve(places);
  results_.reserve(places);
  mechanisms_.reserve(places);
  at_.reserve(places);
  island_of_.reserve(places);
  order_.reserve(places);
  rows_.reserve(places);
  row_ends_.reserve(places);
  constexpr std::size_t neighbours = 10;  // of a place in a heap, itself included
  blocks_.reserve(neighbours * places);
  islands_.resize(places);
  for (auto& island : islands_) island.reserve(std::min(places, most_reserved));
}

void ContactSolver::find_islands() {
  Sets sets(sets_, touches_.size());
  for (const auto& members : members_)
    for (const auto& [touch, side] : members) sets.join(touch, members.front().first);
  for (auto& island : islands_) island.clear();
  islands_.resize(std::max(islands_.size(), touches_.size()));
  at_.resize(touches_.size());
  // By where they are, from below, whatever order the bodies are in.
  const double unit = 1e-6 * dae_.dof_scale().maxCoeff();
  order_.resize(touches_.size());
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Vec3& p = touches_[i].place;
    order_[i] = {std::llround(p.z() / unit), std::llround(p.x() / unit), std::llround(p.y() / unit),
                 static_cast<long long>(i)};
  }
  std::sort(order_.begin(), order_.end());
  island_of_.assign(touches_.size(), -1);
  int count = 0;
  for (const auto& [z, x, y, number] : order_) {
    const int i = static_cast<int>(number);
    int& k = island_of_[static_cast<std::size_t>(sets.of(i))];
    if (k < 0) k = count++;
    auto& island = islands_[static_cast<std::size_t>(k)];
    at_[static_cast<std::size_t>(i)] = static_cast<int>(island.size());
    island.push_back(i);
  }
}

/// What a unit of impulse at each place does to all places of the same mechanism; along the first of its `directions`.
void ContactSolver::respond(const State& state, double h, Projector& projector, int directions) {
  std::size_t most = 0;
  blocks_.clear();
  row_ends_.clear();
  const auto by_other = [](const Block& a, const Block& b) { return a.other < b.other; };
  const auto same = [](const Block& a, const Block& b) { return a.other == b.other; };
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const auto first = static_cast<std::ptrdiff_t>(blocks_.size());
    for (const int side : {0, 1}) {
      const int mechanism = mechanisms_[i][static_cast<std::size_t>(side)];
      if (mechanism < 0) continue;
      for (const auto& [other, s] : members_[static_cast<std::size_t>(mechanism)])
        blocks_.push_back({other, Mat3::Zero()});
      most = std::max(most, members_[static_cast<std::size_t>(mechanism)].size());
    }
    std::sort(blocks_.begin() + first, blocks_.end(), by_other);
    blocks_.erase(std::unique(blocks_.begin() + first, blocks_.end(), same), blocks_.end());
    row_ends_.push_back(blocks_.size());
  }
  rows_.clear();
  for (std::size_t i = 0, first = 0; i < touches_.size(); first = row_ends_[i++])
    rows_.emplace_back(blocks_.data() + first, blocks_.data() + row_ends_[i]);
  const auto on_sides = [](int side, auto&& f) {
    for (const int s : {0, 1})
      if (side == both_sides || side == s) f(s);
  };
  for (std::size_t round = 0; round < most; ++round)
    for (int direction = 0; direction < directions; ++direction) {
      r_.setZero(dae_.nv());
      for (const auto& members : members_) {
        if (round >= members.size()) continue;
        const auto [touch, side] = members[round];
        on_sides(side, [&](int s) {
          contacts_.add_impulse(touches_[static_cast<std::size_t>(touch)], s, projector.workspace(),
                                Vec3::Unit(direction), r_);
        });
      }
      projector.respond(state, r_, u_, deforms_ ? h : 0);
      for (const auto& members : members_) {
        if (round >= members.size()) continue;
        const int column = members[round].first;
        for (const auto& [touch, side] : members) {
          const auto i = static_cast<std::size_t>(touch);
          on_sides(side, [&](int s) {
            block_at(rows_[i], column)->W.col(direction) +=
                contacts_.rates(touches_[i], s, projector.workspace(), u_);
          });
        }
      }
    }
}

/// M^-1 J^T x on the constraints.
VectorX& ContactSolver::motion_of(const VectorX& impulses, const State& state, double h,
                                  Projector& projector) {
  r_.setZero(dae_.nv());
  for (std::size_t i = 0; i < touches_.size(); ++i)
    for (const int side : {0, 1})
      contacts_.add_impulse(touches_[i], side, projector.workspace(),
                            impulses.segment<3>(3 * static_cast<Index>(i)), r_);
  projector.respond(state, r_, u_, deforms_ ? h : 0);
  return u_;
}

Vec3 ContactSolver::rates_with(std::size_t touch, const VectorX& x) const {
  Vec3 v = free_.segment<3>(3 * static_cast<Index>(touch));
  for (const Block& block : rows_[touch]) v += block.W * x.segment<3>(3 * block.other);
  return v;
}

/// What is left of the conditions at the impulses, each in the unit of an impulse. After Alart and Curnier, Comput. Methods Appl.
/// Mech. Engrg. 92 (1991) 353-375: with v = free + W x, a normal impulse is zero where x_n - v_n/W_n is not positive, otherwise the
/// place opens as wanted; a tangential one ends the motion where x_t - v_t/W_t is within the cone, otherwise it is on the cone,
/// that way. With a `hold`, W is W + hold diag(W_n) and x is drawn to where it began.
double ContactSolver::conditions(std::span<const int> island, double hold) {
  double most = 0;
  for (const int i : island) {
    const auto touch = static_cast<std::size_t>(i);
    const Index at = 3 * at_[touch];
    const Mat3& W = block_at(rows_[touch], i)->W;
    const double W_n = W(0, 0), W_t = W(1, 1) + W(2, 2), mu = touches_[touch].friction;
    const Vec3 x = impulse_.segment<3>(3 * i);
    Vec3 v = rates_with(touch, impulse_), here = x;
    if (hold > 0) v += hold * W_n * (x - start_.segment<3>(at));
    is_closed_[touch] =
        W_n > 0 && x[0] - (v[0] - wanted_[i]) / W_n > 0;  // otherwise nothing moves there, or it opens
    if (is_closed_[touch]) {
      here[0] = (v[0] - wanted_[i]) / W_n;
      const Vec2 y = x.tail<2>() - v.tail<2>() / W_t;
      const double length = y.norm(), limit = mu * std::max(0.0, x[0]);
      if (mu > 0 && W_t > 0 && length <= limit)
        here.tail<2>() = v.tail<2>() / W_t;
      else if (mu > 0 && W_t > 0)
        here.tail<2>() -= limit / length * y;
    }
    speeds_.segment<3>(at) = v;
    left_.segment<3>(at) = here;
    most = std::max(most, here.lpNorm<Eigen::Infinity>());
  }
  return most;
}

/// Newton's correction dx_ of what is left: x_open goes, and A dx_closed = left - A_open x_open. A row of A is slope_W W + slope_x.
bool ContactSolver::find_correction(std::span<const int> island, double hold) {
  Index size = 0;
  for (const int i : island) {
    const auto touch = static_cast<std::size_t>(i);
    number_[touch] = is_closed_[touch] ? static_cast<int>(size) : -1;
    if (is_closed_[touch]) size += 3;
  }
  if (slopes_.rows() < size) slopes_.resize(size + size / 2, size + size / 2);
  auto A = slopes_.topLeftCorner(size, size);
  auto b = right_.head(size);
  A.setZero();
  Index band = 0;
  for (const int i : island) {
    const auto touch = static_cast<std::size_t>(i);
    const Index row = number_[touch], at = 3 * at_[touch];
    if (row < 0) continue;
    const Mat3& W = block_at(rows_[touch], i)->W;
    const double W_n = W(0, 0), W_t = W(1, 1) + W(2, 2), mu = touches_[touch].friction;
    const Vec3 x = impulse_.segment<3>(3 * i);
    Mat3 slope_W = Mat3::Zero(), slope_x = Mat3::Zero();
    slope_W(0, 0) = 1 / W_n;
    const Vec2 y = x.tail<2>() - speeds_.segment<2>(at + 1) / W_t;
    const double length = y.norm(), limit = mu * std::max(0.0, x[0]);
    if (!(mu > 0 && W_t > 0)) {
      slope_x.bottomRightCorner<2, 2>().setIdentity();
    } else if (length <= limit) {
      slope_W.bottomRightCorner<2, 2>() = Eigen::Matrix2d::Identity() / W_t;
    } else {
      const Vec2 u = y / length;
      const Eigen::Matrix2d across = limit / length * (Eigen::Matrix2d::Identity() - u * u.transpose());
      slope_W.bottomRightCorner<2, 2>() = across / W_t;
      slope_x.bottomRightCorner<2, 2>() = Eigen::Matrix2d::Identity() - across;
      slope_x.bottomLeftCorner<2, 1>() = -mu * u;
    }
    slope_x += hold * W_n * slope_W;
    A.block<3, 3>(row, row) = slope_x;
    b.segment<3>(row) = left_.segment<3>(at);
    for (const auto& [other, W_other] : rows_[touch]) {
      const Index column = number_[static_cast<std::size_t>(other)];
      if (column < 0) {
        b.segment<3>(row) -= slope_W * (W_other * impulse_.segment<3>(3 * other));
      } else {
        A.block<3, 3>(row, column) += slope_W * W_other;
        band = std::max(band, std::abs(row - column) + 2);
      }
    }
  }
  if (3 * band < size)
    solve_in_band(A, band, b);
  else
    solve_in_place(A, b, pivots_);
  for (const int i : island) {
    const auto touch = static_cast<std::size_t>(i);
    const Index at = 3 * at_[touch];
    dx_.segment<3>(at) = number_[touch] < 0 ? Vec3(left_.segment<3>(at)) : Vec3(b.segment<3>(number_[touch]));
  }
  return dx_.head(3 * static_cast<Index>(island.size())).allFinite();
}

/// Place by place, each time with what all others are now (Gauss and Seidel): the normal impulse that opens the place as wanted
/// or none, then the tangential one, cut to the cone.
void ContactSolver::relax(std::span<const int> island, int passes) {
  for (int pass = 0; pass < passes; ++pass)
    for (const int i : island) {
      const auto touch = static_cast<std::size_t>(i);
      const Mat3& W = block_at(rows_[touch], i)->W;
      const double W_n = W(0, 0), W_t = W(1, 1) + W(2, 2);
      if (!(W_n > 0)) continue;
      auto x = impulse_.segment<3>(3 * i);
      Vec3 v = rates_with(touch, impulse_);
      const double before = x[0];
      x[0] = std::max(0.0, x[0] - (v[0] - wanted_[i]) / W_n);
      v += W.col(0) * (x[0] - before);
      const double limit = touches_[touch].friction * x[0];
      Vec2 x_t = Vec2::Zero();
      if (limit > 0 && W_t > 0) {
        x_t = x.tail<2>() - v.tail<2>() / W_t;
        if (x_t.norm() > limit) x_t *= limit / x_t.norm();
      }
      x.tail<2>() = x_t;
    }
}

/// How far from its diagonal the slopes of an island reach: places are in it from below, so that those of a stack are near
/// what they act on.
Eigen::Index ContactSolver::band_of(std::span<const int> island) const {
  int most = 0;
  for (const int i : island)
    for (const Block& block : rows_[static_cast<std::size_t>(i)])
      most = std::max(
          most, std::abs(at_[static_cast<std::size_t>(block.other)] - at_[static_cast<std::size_t>(i)]));
  return 3 * most + 2;
}

/// Newton's method on the conditions. Places that hold the same twice leave W singular, and its steps would jump between the many
/// solutions: so impulses are held where they are by a little, and that is repeated from where they come to (the proximal point
/// method).
double ContactSolver::solve_exactly(std::span<const int> island, double enough) {
  constexpr double hold = 1e-4;
  const auto size = static_cast<Index>(3 * island.size());
  double ratio = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 8; ++round) {
    for (const int i : island) {
      impulse_[3 * i] = std::max(0.0, impulse_[3 * i]);
      start_.segment<3>(3 * at_[static_cast<std::size_t>(i)]) = impulse_.segment<3>(3 * i);
    }
    const double scale = std::max(1e-300, start_.head(size).lpNorm<Eigen::Infinity>());
    const double before = std::exchange(ratio, conditions(island, 0) / scale);
    if (ratio <= enough || (round > 1 && ratio > 0.5 * before)) return ratio;
    double left = conditions(island, hold) / scale;
    for (int pass = 0; pass < 8 && left > std::max(1e-3 * ratio, 0.1 * enough); ++pass) {
      const double norm = left_.head(size).squaredNorm();
      if (!find_correction(island, hold)) return ratio;
      double gone = 0;  // of dx
      for (double part = 1; part > 0.05; part *= 0.5) {
        for (const int i : island)
          impulse_.segment<3>(3 * i) -= (part - gone) * dx_.segment<3>(3 * at_[static_cast<std::size_t>(i)]);
        gone = part;
        left = conditions(island, hold) / scale;
        if (left_.head(size).squaredNorm() < norm) break;
      }
    }
  }
  return ratio;
}

/// Of the conditions, what is left as a part of the largest impulse, or as a part of the speed that counts as rest, whichever
/// is less.
double ContactSolver::unsettled(std::span<const int> island) {
  conditions(island, 0);
  double impulse = 1e-300, left = 0, speed = 0;
  for (const int i : island) {
    const auto touch = static_cast<std::size_t>(i);
    const double here = left_.segment<3>(3 * at_[touch]).lpNorm<Eigen::Infinity>();
    impulse = std::max(impulse, impulse_.segment<3>(3 * i).lpNorm<Eigen::Infinity>());
    left = std::max(left, here);
    speed = std::max(speed, here * block_at(rows_[touch], i)->W(0, 0) / touches_[touch].rest_speed);
  }
  return std::min(left / impulse, speed);
}

/// By Newton's method; where that does not lead on, or there are too many places, by relaxation.
bool ContactSolver::find_impulses(std::span<const int> island) {
  constexpr double enough = 1e-9, good = 1e-5, good_of_many = 1e-3, bearable = 0.1, work = 2e6;
  constexpr double most_exact = 3e7;  // multiplications for one step of Newton's method
  const auto size = static_cast<double>(3 * island.size());
  const double band = std::min(size, static_cast<double>(band_of(island)));
  const bool are_few = size * band * std::min(size, 2 * band) <= most_exact;
  double blocks = 0;
  for (const int i : island) blocks += static_cast<double>(rows_[static_cast<std::size_t>(i)].size());
  double ratio = 0;
  relax(island, 5);
  if (are_few) ratio = solve_exactly(island, enough);
  if (are_few && ratio <= good) return true;
  for (double done = 0; done < work; done += 10 * blocks) {
    relax(island, 10);
    ratio = unsettled(island);
    if (ratio <= (are_few ? good : good_of_many)) return true;
  }
  return ratio <= bearable;
}

bool ContactSolver::find_impulses() {
  bool all = true;
  for (const auto& island : islands_)
    if (!island.empty()) all = find_impulses(island) && all;
  return all;
}

/// Of the places there are, where their bodies are now; of those that touch no more it is infinite. Returns the depth of the deepest place, also of those that were none.
double ContactSolver::find_gaps(const State& state, Projector& projector, double reach) {
  projector.update(state);
  contacts_.find(state, projector.workspace(), *search_, now_, reach);
  std::size_t k = 0;
  for (Touch& touch : touches_) {
    while (k < now_.size() && now_[k].key < touch.key) ++k;
    touch.gap =
        k < now_.size() && now_[k].key == touch.key ? now_[k].gap : std::numeric_limits<double>::infinity();
  }
  double deepest = 0;
  for (const Touch& touch : now_) deepest = std::max(deepest, -touch.gap);
  return deepest;
}

/// A part of a step. What a force does not need less of over the shorter time is an impulse.
static constexpr double shorter = 1e-3;

/// Whether `impulse_`, found over that part of the step, is one; `whole`: over all of it.
bool ContactSolver::is_impulse(const VectorX& whole) const {
  constexpr double not_less = 0.3;
  return impulse_.norm() > not_less * whole.norm();
}

/// Of a step without new contacts. The short time begins with the velocities before the step, none of them into a surface, and has its share of what the step does without contacts.
bool ContactSolver::jams(const State& before, Projector& projector) {
  constexpr double more = 3;
  bool may_jam = false;
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const auto at = 3 * static_cast<Index>(i);
    if (!touches_[i].was_closed) return false;  // it jumps anyway
    may_jam |= touches_[i].friction > 0 && impulse_[at] > more * std::max(0.0, carried_[at]);
  }
  if (!may_jam) return false;
  kept_.swap(impulse_);
  impulse_.setZero(kept_.size());
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    Vec3 begin = rates(i, before.v, projector);
    begin[0] = 0;
    auto v = free_.segment<3>(3 * static_cast<Index>(i));
    v = begin + shorter * (v - begin);
  }
  find_impulses();
  const bool has_jammed = is_impulse(kept_);
  impulse_.swap(kept_);
  return has_jammed;
}

/// Where bodies deform, positions follow the change of velocities `next_`, as if the step had been taken with these impulses.
void ContactSolver::move(State& state, double h, Projector& projector) {
  q_ = state.q;
  u_ = 0.5 * h * next_.cwiseProduct(soft_);
  dae_.plus(q_, u_, state.q);
  if (dae_.nc() > 0) projector.positions(state);
  find_gaps(state, projector);
}

/// nu >= 0 along the normals with which no gap is below zero, to first order: the least motion in the metric of M.
void ContactSolver::find_way_out(double deepest, double apart) {
  constexpr double settled = 1e-12;  // of the depth
  double blocks = 0;
  for (const auto& row : rows_) blocks += static_cast<double>(row.size());
  nu_.setZero();
  for (int sweep = 0; sweep < std::clamp(5e5 / blocks, 10.0, 2000.0); ++sweep) {
    double change = 0;
    for (const auto& island : islands_)  // in the order of places, which is not that of bodies
      for (const int i : island) {
        const auto touch = static_cast<std::size_t>(i);
        const double W_n = block_at(rows_[touch], i)->W(0, 0);
        if (!(W_n > 0)) continue;
        double reached = touches_[touch].gap;
        for (const Block& block : rows_[touch]) reached += block.W(0, 0) * nu_[3 * block.other];
        const double next = std::max(0.0, nu_[3 * i] - reached / W_n);
        change = std::max(change, std::abs(next - nu_[3 * i]) * W_n);
        nu_[3 * i] = next;
      }
    if (change <= std::max(settled * deepest, 0.1 * apart)) break;
  }
}

/// Surfaces are brought out of each other, by as little as possible. Joints are closed again after each motion. Where two surfaces are nearly
/// parallel, the place where they meet moves far with a small motion: then places are found anew, with those that are nearly closed and
/// must stay open, and only so much of a motion is gone that nothing is deeper than before. Returns how deep the deepest place stays.
double ContactSolver::separate(State& state, double h, Projector& projector) {
  constexpr double slow = 0.1, least_part = 0.05;
  const double apart = (dae_.nc() > 0 ? 1e-12 : 1e-14) *
                       dae_.dof_scale().maxCoeff();  // rounding, or as well as joints are closed
  const bool did_deform = deforms_;
  bool moved = deforms_, is_fresh = true;
  double deepest = 0, reach = 0;
  for (const Touch& touch : touches_) deepest = std::max(deepest, -touch.gap);
  for (int pass = 0; pass < 30 && deepest > apart; ++pass) {
    moved = true;
    if (!is_fresh) {
      reach = deepest;
      find(state, projector, reach);
      deforms_ = did_deform;
      respond(state, h, projector, 1);
      is_fresh = true;
    }
    find_way_out(deepest, apart);
    way_ = motion_of(nu_, state, h, projector);
    kept_q_ = state.q;
    double now = deepest;
    for (double part = 1; part > least_part; part *= 0.5) {
      u_ = part * way_;
      dae_.plus(kept_q_, u_, state.q);
      const bool is_closed = dae_.nc() == 0 || projector.positions(state).converged;
      now = find_gaps(state, projector, reach);
      if (is_closed && now < deepest) break;
      state.q = kept_q_;
      now = deepest;
    }
    if (!(now < deepest)) break;
    is_fresh = now < slow * deepest;
    deepest = now;
  }
  if (moved && dae_.nc() > 0) projector.velocities(state);
  return deepest;
}

/// Accelerations, and those that a step h can follow where bodies deform: (M + h/2 D + h^2/4 K) a = f, `ahead` of now.
void ContactSolver::accelerate(State& state, double h, Projector& projector, double ahead) {
  projector.forget();
  projector.accelerations(state);
  followed_ = state.a;
  if (!deforms_) return;
  probe_ = state;
  u_ = ahead * state.v.cwiseProduct(soft_);
  dae_.plus(state.q, u_, probe_.q);
  projector.resolved_accelerations(probe_, h);
  followed_ += soft_.cwiseProduct(probe_.a - state.a);
  projector.update(state);
}

bool ContactSolver::settle(State& state, double h, Projector& projector, bool may_jam) {
  const bool did_deform = deforms_;
  find(state, projector);
  deforms_ |= did_deform;  // also where it has just come away
  for (Touch& touch : touches_) impulse_.segment<3>(3 * (&touch - touches_.data())) = h * touch.carried;
  contacts_.remember(touches_, results_, state);
  accelerate(state, h, projector, touches_.empty() ? 0 : 0.5 * h);
  if (touches_.empty()) return deforms_;
  respond(state, h, projector);
  const auto find_over = [&](double time) {
    next_ = state.v + time * followed_;
    for (std::size_t i = 0; i < touches_.size(); ++i)
      free_.segment<3>(3 * static_cast<Index>(i)) = rates(i, next_, projector);
    find_impulses();  // whatever is left is found after the step
  };
  find_over(h);
  if (may_jam) {
    carried_ = impulse_;
    find_over(shorter * h);
    if (is_impulse(carried_)) {
      for (std::size_t i = 0; i < touches_.size(); ++i)
        results_[i].impulse = impulse_.segment<3>(3 * static_cast<Index>(i));
      state.v += motion_of(impulse_, state, h, projector);
      accelerate(state, h, projector, 0.5 * h);
      impulse_.setZero(), find_over(h);
    } else {
      impulse_ = carried_;
    }
  }
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Vec3 f = impulse_.segment<3>(3 * static_cast<Index>(i)) / h;
    results_[i] = {f[0] > 0, f, f, results_[i].impulse};
  }
  contacts_.remember(touches_, results_, state);
  accelerate(state, h, projector);
  return deforms_;
}

ContactSolver::Outcome ContactSolver::solve(const State& before, State& state, double h,
                                            Projector& projector) {
  Outcome outcome;
  find(state, projector);
  outcome.touches = !touches_.empty();
  if (touches_.empty()) {
    contacts_.remember({}, {}, state);
    return outcome;
  }
  respond(state, h, projector);
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Touch& touch = touches_[i];
    const auto at = static_cast<Index>(i);
    const Vec3 v = rates(i, state.v, projector);
    rates_.segment<3>(3 * at) = v;
    impulse_.segment<3>(3 * at) = h * touch.carried;
    // What was on its way out when the step began bounces within the step: it is not followed, and comes to rest.
    const double coming = rates(i, before.v, projector)[0];
    const double rebound = -touch.restitution * (deforms_ ? coming : v[0]);
    if (!touch.was_closed && coming < 0 && rebound > touch.rest_speed)
      wanted_[at] = rebound;
    else if (touch.gap > 0)
      wanted_[at] = -touch.gap / h;    // it may close by as much
    if (deforms_ && wanted_[at] <= 0)  // or it went out in this step by as much as it may come back
      wanted_[at] = std::min(wanted_[at], -coming);
  }
  carried_ = impulse_;
  free_.setZero();
  for (std::size_t i = 0; i < touches_.size(); ++i)
    rates_.segment<3>(3 * static_cast<Index>(i)) -= rates_with(i, carried_);
  free_ = rates_;
  if (!find_impulses()) {
    outcome.failure = formatted("the impulses of {} contacts do not settle", touches_.size());
    return outcome;
  }
  const bool has_jammed = jams(before, projector);
  carried_ = impulse_ - carried_;  // what there is beyond it
  next_ = motion_of(carried_, state, h, projector);
  state.v += next_;
  if (deforms_) move(state, h, projector);

  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Vec3 x = impulse_.segment<3>(3 * static_cast<Index>(i)) / h;
    const bool is_new = !touches_[i].was_closed, lasts = x[0] > 0 && wanted_[static_cast<Index>(i)] <= 0;
    results_[i] = {lasts, lasts && !is_new && !has_jammed ? x : Vec3::Zero(), x, h * x};
    outcome.jumps |= is_new || has_jammed || lasts != touches_[i].was_closed;
  }
  contacts_.remember(touches_, results_, state);
  constexpr double bearable = 1e-3;  // of the size of the mechanism, or of a metre
  if (const double depth = separate(state, h, projector); depth > bearable * dae_.dof_scale().minCoeff()) {
    outcome.failure = formatted("rigid surfaces stay {:.2g} m inside each other", depth);
    return outcome;
  }
  // Forces that last have changed; accelerations with them.
  if (!outcome.jumps && !deforms_) state.a += next_ / h;
  if (!outcome.jumps && deforms_) {
    projector.forget();
    projector.accelerations(state);
  }
  return outcome;
}

}  // namespace hooke
