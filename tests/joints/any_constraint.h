#pragma once
#include <string>
#include <vector>

#include "hooke/joints/drive.h"
#include "hooke/joints/gear.h"
#include "hooke/joints/joints.h"
#include "support/finite_difference.h"

namespace hooke::test {

/// A constraint of any type behind dynamic sizes, so that the tests are compiled once and not per type.
struct AnyConstraint {
  std::string name;
  int frames, rows;
  bool flat;
  std::vector<bool> needs_orientation;

  /// g with its part in time, as a system sees it, and G.
  std::function<VectorX(const Frames&)> g;
  std::function<MatrixX(const Frames&)> G;
  std::function<void(const Frames&, const VectorX& lambda, MatrixX& H)> add_stiffness;
  /// The wrench it exerts on one of its frames, world axes, at the frame's origin; for a joint, frame 1 is B.
  Vec6 reaction_on(int frame, const Frames& at, const VectorX& lambda) const {
    return -G(at).middleCols(6 * frame, 6).transpose() * lambda;
  }
  /// Accept a state: remember its angles.
  std::function<void(Frames&)> accept;
  /// The first and second derivative of g in time; empty for a scleronomic constraint.
  std::function<VectorX(double t)> g_t, g_tt;
  /// The coordinates of a joint, in order.
  std::function<std::vector<double>(const Frames&)> coordinates;

  int motions() const { return 6 * frames; }
  MatrixX stiffness(const Frames& at, const VectorX& lambda) const {
    MatrixX H = MatrixX::Zero(motions(), motions());
    add_stiffness(at, lambda, H);
    return H;
  }
};

template <class C>
AnyConstraint any(const C& c, const std::string& name = std::string(C::name)) {
  static_assert(Constraint<C>);
  static_assert(C::labels().size() == C::rows);
  static_assert(C::needs_orientation.size() == C::frames);
  static_assert(memory_size<C>() == 0 || Tracking<C>);
  constexpr int R = C::rows, N = C::frames;

  const auto rows = [c](const Frames& at) {
    Rows<R, N> out;
    c.evaluate(at.inputs<N>(), out);
    return out;
  };
  AnyConstraint a;
  a.name = name;
  a.frames = N;
  a.rows = R;
  a.flat = is_flat<C>();
  a.needs_orientation.assign(C::needs_orientation.begin(), C::needs_orientation.end());
  a.g = [=](const Frames& at) -> VectorX {
    VectorX g = rows(at).g;
    if constexpr (Rheonomic<C>) {
      TimeRows<R> time;
      c.time(at.t, time);
      g += time.value;
    }
    return g;
  };
  a.G = [rows](const Frames& at) -> MatrixX { return rows(at).G; };
  a.add_stiffness = [c](const Frames& at, const VectorX& lambda, MatrixX& H) {
    Eigen::Matrix<double, 6 * N, 6 * N> fixed_size = H;
    c.add_stiffness(at.inputs<N>(), lambda, fixed_size);
    H = fixed_size;
  };
  a.accept = [=](Frames& at) {
    if constexpr (Tracking<C>) c.track(at.inputs<N>(), at.memory.data());  // in place, as the system does
  };
  if constexpr (Rheonomic<C>) {
    const auto time = [c](double t) {
      TimeRows<R> out;
      c.time(t, out);
      return out;
    };
    a.g_t = [time](double t) -> VectorX { return time(t).d1; };
    a.g_tt = [time](double t) -> VectorX { return time(t).d2; };
  }
  if constexpr (requires { C::for_each_coordinate([](auto&&...) {}); })
    a.coordinates = [](const Frames& at) {
      std::vector<double> values;
      C::for_each_coordinate(
          [&](std::string_view, const auto& f) { values.push_back(f.value(at.pose[0], at.pose[1])); });
      return values;
    };
  return a;
}

/// Settings that are not dull.
template <class Joint>
Joint example() {
  Joint joint;
  if constexpr (requires { joint.length; }) joint.length = 0.7;
  if constexpr (requires { joint.pitch; }) joint.pitch = 0.3;
  return joint;
}

/// Every joint of joints::All, the gears and the drives.
inline std::vector<AnyConstraint> all_constraints() {
  std::vector<AnyConstraint> all;
  [&]<class... J>(std::tuple<J...>*) {
    (all.push_back(any(example<J>())), ...);
  }(static_cast<joints::All*>(nullptr));
  const Angle angle = Angle::about_z();
  all.push_back(any(Gear{angle, angle, -2.5, 0.3}));
  all.push_back(any(RackAndPinion{Displacement{}, angle, 0.4, 0.3}));
  all.push_back(any(CoordinatePair<"pulley", Distance, Displacement>{{}, {}, 0.5, 0.8}));
  const Function function = Function::harmonic(0.8, 1.7, 0.2, 0.9);
  all.push_back(any(Drive<Angle>{angle, function}, "drive_angle"));
  all.push_back(any(Drive<Displacement>{{}, function}, "drive_displacement"));
  all.push_back(any(Drive<Distance>{{}, function}, "drive_distance"));
  return all;
}

}  // namespace hooke::test
