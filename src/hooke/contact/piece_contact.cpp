#include "hooke/contact/piece_contact.h"

#include <utility>

#include "hooke/contact/dual.h"

namespace hooke {
namespace {

/// f(a, b) of which the value and the slopes are known.
double chained(double value, double, double, double, double) { return value; }
template <int n>
Dual<n> chained(double value, double by_a, const Dual<n>& a, double by_b, const Dual<n>& b) {
  return {value, by_a * a.derivatives() + by_b * b.derivatives()};
}

/// A point where two pieces meet belongs to one of them: the border is a little beside where points of meshes like to lie.
constexpr double aside = 1e-6;

}  // namespace

template <class T>
PiecePlace<2, T> RodPiece::nearest(const VecOf<T>& x, const PieceFrames<2, T>& at) const {
  const auto shares =
      [](const auto& w) {  // of both ends in the place, and of their tangents times the length
        using S = std::decay_t<decltype(w)>;
        const S square = w * w, cube = square * w;
        return std::array<S, 4>{S(1.0 - 3.0 * square + 2.0 * cube), S(3.0 * square - 2.0 * cube),
                                S(w - 2.0 * square + cube), S(cube - square)};
      };
  const auto place = [&](const auto& w, const auto& p, const auto& z) {
    const auto h = shares(w);
    return (h[0] * p[0] + h[1] * p[1] + h[2] * (length * z[0]) + h[3] * (length * z[1])).eval();
  };
  const auto slope = [&](double w, const auto& p, const auto& z) {
    return (6 * w * (w - 1) * (p[0] - p[1]) + (1 + w * (3 * w - 4)) * length * z[0] +
            w * (3 * w - 2) * length * z[1])
        .eval();
  };
  const auto bend = [&](double w, const auto& p, const auto& z) {
    return ((12 * w - 6) * (p[0] - p[1]) + (6 * w - 4) * length * z[0] + (6 * w - 2) * length * z[1]).eval();
  };
  PiecePlace<2, T> found;
  const Vec3 x0 = plain(x);
  const std::array<Vec3, 2> p{plain(at.p[0]), plain(at.p[1])}, z{plain(at.z[0]), plain(at.z[1])};
  // Where the tangent is at right angles to the way there.
  const Vec3 chord = p[1] - p[0];
  double w = std::clamp((x0 - p[0]).dot(chord) / chord.squaredNorm(), -1.0, 2.0), steep = 1;
  for (int pass = 0; pass < 30; ++pass) {
    const Vec3 from = x0 - place(w, p, z), along = slope(w, p, z);
    steep = std::max(along.squaredNorm() - from.dot(bend(w, p, z)), 0.1 * along.squaredNorm());
    const double next = std::clamp(w + from.dot(along) / steep, -1.0, 2.0);
    if (std::abs(std::exchange(w, next) - next) < 1e-14) break;
  }
  found.exists = (is_first || w >= -aside) && (is_last || w < 1 - aside);
  if (!found.exists) return found;
  T s = std::clamp(w, is_first ? 0.0 : -1.0, is_last ? 1.0 : 2.0);
  if (plain(s) == w) s += (x - place(w, at.p, at.z)).dot(slope(w, at.p, at.z)) / steep;  // its derivatives
  found.c = place(s, at.p, at.z);
  const auto h = shares(s);
  found.share = {h[0], h[1]};
  found.arm = {VecOf<T>(h[2] * (length * at.z[0])), VecOf<T>(h[3] * (length * at.z[1]))};
  const VecOf<T> from = x - found.c;
  const T distance = from.norm();
  found.n = from / distance;
  found.distance = distance - radius;
  return found;
}

template <class Piece>
template <class T>
struct PieceContact<Piece>::Touching {
  PiecePlace<Piece::frames, T> place;
  T gap, force, rate;
  VecOf<T> to_P_A, to_P_B, v_t, y;  ///< from the ball's centre and from the place of the piece to P
  VecOf<T> spin, moment;            ///< of the ball against the piece; against it, per normal force
};

template <class Piece>
bool PieceContact<Piece>::is_far(const FrameInputs<frames>& in) const {
  const double reach = radius + piece.radius + piece.length;
  return (in.pose[0]->p - in.pose[1]->p).squaredNorm() > 2 * reach * reach;
}

/// Whether they touch, and all that follows from that.
template <class Piece>
template <class T>
bool PieceContact<Piece>::touch(const FrameInputs<frames>& in, Touching<T>& at) const {
  constexpr int K = Piece::frames;
  PieceFrames<K, T> piece_frames;
  std::array<VecOf<T>, frames> p, v, omega;
  const auto lift = [&](const Vec3& value, int column, const Mat3& by) -> VecOf<T> {
    VecOf<T> lifted;
    for (int i = 0; i < 3; ++i) {
      lifted[i] = T(value[i]);
      if constexpr (!std::is_same_v<T, double>) {
        lifted[i].derivatives().setZero();
        lifted[i].derivatives().template segment<3>(column) = by.row(i).transpose();
      }
    }
    return lifted;
  };
  for (int k = 0; k < frames; ++k) {
    const auto f = static_cast<std::size_t>(k);
    p[f] = lift(in.pose[f]->p, 6 * k, Mat3::Identity());
    v[f] = lift(in.twist[f]->template head<3>(), size + 6 * k, Mat3::Identity());
    omega[f] = lift(in.twist[f]->template tail<3>(), size + 6 * k + 3, Mat3::Identity());
    if (k == 0) continue;
    const Vec3 z = in.pose[f]->R.col(2);
    piece_frames.p[f - 1] = p[f];
    piece_frames.z[f - 1] = lift(z, 6 * k + 3, -hat(z));
  }
  auto& place = at.place;
  place = piece.nearest(p[0], piece_frames);
  if (!place.exists) return false;
  at.gap = place.distance - radius;
  if (plain(at.gap) >= 0) return false;
  VecOf<T> spin = VecOf<T>::Zero(), u = v[0];
  for (std::size_t k = 0; k < K; ++k) {
    u -= place.share[k] * v[k + 1] + omega[k + 1].cross(place.arm[k]);
    spin += place.share[k] * omega[k + 1];
  }
  const T half = T(0.5) * at.gap;
  at.to_P_A = -(T(radius) + half) * place.n;
  at.to_P_B = (p[0] - place.c) + at.to_P_A;
  u += omega[0].cross(at.to_P_A) - spin.cross(at.to_P_B);
  at.rate = -place.n.dot(u);
  at.v_t = u + at.rate * place.n;
  const T depth = -at.gap;
  const NormalLaw::Sample law = normal(plain(depth), plain(at.rate), in.memory[0]);
  at.force = chained(law.force, law.by_depth, depth, law.by_rate, at.rate);
  at.y.setZero();
  if (friction.coefficient > 0 && friction.bristle == 0) {
    using std::sqrt;
    at.y = at.v_t / T(sqrt(at.v_t.squaredNorm() + friction.stick_speed * friction.stick_speed));
  } else if (friction.coefficient > 0) {
    const double* m = in.memory;
    const double passed = std::max(0.0, in.t - m[2]);
    const Vec3 bent =
        in.pose[1]->R * (Vec3(m[3], m[4], m[5]) + 0.5 * passed / friction.bristle * Vec3(m[6], m[7], m[8]));
    const VecOf<T> carried = lift(bent, 9, -hat(bent));
    at.y = carried - T(place.n.dot(carried)) * place.n +
           T((0.5 * passed + friction.settling) / friction.bristle) * at.v_t;
    const T length = at.y.norm();
    if (plain(length) > 1) at.y = at.y / length;
  }
  at.spin.setZero(), at.moment.setZero();
  if (friction.rolling == 0 && friction.spinning == 0) return true;
  at.spin = omega[0] - spin;
  const auto resist = [&](double by, const VecOf<T>& part) {
    using std::sqrt;
    if (by > 0)
      at.moment -= (by / T(sqrt(part.squaredNorm() + friction.stick_spin * friction.stick_spin))) * part;
  };
  const VecOf<T> about = T(place.n.dot(at.spin)) * place.n;
  resist(friction.spinning, about);
  resist(friction.rolling, at.spin - about);
  return true;
}

namespace {

/// On the ball, and on each frame of the piece.
template <int frames, class T>
Eigen::Matrix<T, 6 * frames, 1> wrenches_of(const auto& at, double friction) {
  Eigen::Matrix<T, 6 * frames, 1> w;
  const VecOf<T> f = at.force * (at.place.n - T(friction) * at.y), against = at.force * at.moment,
                 moment = at.to_P_B.cross(f) + against;
  w.template segment<3>(0) = f;
  w.template segment<3>(3) = at.to_P_A.cross(f) + against;
  for (int k = 1; k < frames; ++k) {
    const auto& share = at.place.share[static_cast<std::size_t>(k - 1)];
    w.template segment<3>(6 * k) = -share * f;
    w.template segment<3>(6 * k + 3) =
        -at.place.arm[static_cast<std::size_t>(k - 1)].cross(f) - share * moment;
  }
  return w;
}

}  // namespace

template <class Piece>
void PieceContact<Piece>::evaluate(const FrameInputs<frames>& in, Wrenches& w) const {
  w.setZero();
  Touching<double> at;
  if (!is_far(in) && touch(in, at)) w = wrenches_of<frames, double>(at, friction.coefficient);
}

template <class Piece>
void PieceContact<Piece>::tangent(const FrameInputs<frames>& in, Square& K, Square& D) const {
  using Number = Dual<2 * size>;
  K.setZero(), D.setZero();
  if (is_far(in)) return;
  Touching<Number> at;
  if (!touch(in, at)) return;
  const Eigen::Matrix<Number, size, 1> w = wrenches_of<frames, Number>(at, friction.coefficient);
  for (int i = 0; i < size; ++i) {
    K.row(i) = w[i].derivatives().template head<size>().transpose();
    D.row(i) = w[i].derivatives().template tail<size>().transpose();
  }
}

template <class Piece>
double PieceContact<Piece>::energy(const FrameInputs<frames>& in) const {
  Touching<double> at;
  return !is_far(in) && touch(in, at) ? normal(-at.gap, 0, in.memory[0]).energy : 0.0;
}

template <class Piece>
Power PieceContact<Piece>::power(const FrameInputs<frames>& in) const {
  Power sum;
  Touching<double> at;
  if (is_far(in) || !touch(in, at)) return sum;
  const double elastic = normal(-at.gap, at.rate, in.memory[0]).elastic;
  sum.dissipated = (at.force - elastic) * at.rate +
                   at.force * (friction.coefficient * at.y.dot(at.v_t) - at.moment.dot(at.spin));
  return sum;
}

template <class Piece>
PiecePlace<Piece::frames, double> PieceContact<Piece>::place_at(
    const std::array<const FramePose*, frames>& pose) const {
  PieceFrames<Piece::frames, double> at;
  for (std::size_t k = 0; k < Piece::frames; ++k) at.p[k] = pose[k + 1]->p, at.z[k] = pose[k + 1]->R.col(2);
  return piece.nearest(Vec3(pose[0]->p), at);
}

template <class Piece>
ContactGap PieceContact<Piece>::gap_at(const std::array<const FramePose*, frames>& pose) const {
  const auto place = place_at(pose);
  if (!place.exists) return {std::numeric_limits<double>::infinity(), pose[0]->p};
  const double gap = place.distance - radius;
  return {gap, pose[0]->p - (radius + 0.5 * gap) * place.n, place.n};
}

/// The rate at which they approach is that of the centre: what is remembered is the speed of the impact.
template <class Piece>
void PieceContact<Piece>::track(const FrameInputs<frames>& in, double* remembered) const {
  double* m = remembered;
  Touching<double> at;
  const bool is_near = !is_far(in), touches = is_near && touch(in, at);
  TouchMemory kept{m};
  if (touches)
    return kept.touch(friction, in.pose[1]->R, at.place.n, at.v_t, at.rate,
                      at.force * (at.place.n - friction.coefficient * at.y), in.t);
  double approach = 0;
  if (is_near && at.place.exists) {
    Vec3 u = in.twist[0]->template head<3>();
    for (std::size_t k = 0; k < Piece::frames; ++k)
      u -= at.place.share[k] * in.twist[k + 1]->template head<3>() +
           in.twist[k + 1]->template tail<3>().cross(at.place.arm[k]);
    approach = -at.place.n.dot(u);
  }
  kept.leave(approach, in.t);
}

template struct PieceContact<RodPiece>;

}  // namespace hooke
