#pragma once
#include <concepts>

#include "hooke/frames/frame.h"

/// The contract of a constraint: a fixed-size function of N frames (2, or 4 for a gear between two joints).
///
///   g(frames, t) = 0
///   G  = dg / d(motion of the frames)                       rows x 6N
///   H(lambda) = d(G^T lambda) / d(motion of the frames)     6N x 6N,  H = sum_i lambda_i H_i
///
/// H is all that is needed of second derivatives: for twists u the velocity constraint G u + g_t = 0 has the
/// gradient rows u^T H_i, and the acceleration constraint G u' + u^T H_i u + g_tt = 0 its bias. So a
/// constraint writes g, G and H, and the finite-difference tests in tests/joints check these three.
///
/// Optional members: `flat` (H is zero, nothing is computed), `time` (a rheonomic part), `memory` and `track`
/// (angles followed over full turns).
namespace hooke {

template <int R, int N = 2>
struct Rows {
  Eigen::Matrix<double, R, 1> g;
  Eigen::Matrix<double, R, 6 * N> G;

  auto on(int frame) { return G.template middleCols<6>(6 * frame); }
  auto on_A() { return on(0); }
  auto on_B() { return on(1); }
};

/// Values of the part of g that depends on time alone: g = c(frames) - f(t) has value -f, d1 -f', d2 -f''.
template <int R>
struct TimeRows {
  Eigen::Matrix<double, R, 1> value, d1, d2;
};

template <class C>
concept Constraint = requires(const C c, const FrameInputs<C::frames>& in, Rows<C::rows, C::frames>& rows,
                              const Eigen::Matrix<double, C::rows, 1>& lambda,
                              Eigen::Matrix<double, 6 * C::frames, 6 * C::frames>& H) {
  { C::rows } -> std::convertible_to<int>;
  { C::frames } -> std::convertible_to<int>;
  c.evaluate(in, rows);
  c.add_stiffness(in, lambda, H);
};

template <class C>
concept Rheonomic = requires(const C c, double t, TimeRows<C::rows>& rows) {
  c.time(t, rows);
}
|| requires(const C c, double t, const double* memory, TimeRows<C::rows>& rows) {
  c.time(t, memory, rows);  ///< where it depends on what is remembered
};

/// The part that depends on time alone.
template <class C>
void time_rows(const C& constraint, double t, const double* memory, TimeRows<C::rows>& rows) {
  if constexpr (requires { constraint.time(t, memory, rows); })
    constraint.time(t, memory, rows);
  else
    constraint.time(t, rows);
}

template <class C>
concept Tracking = requires(const C c, const FrameInputs<C::frames>& in, double* memory) {
  { C::memory } -> std::convertible_to<int>;
  c.track(in, memory);  ///< follows each angle to this state, see frames/coordinates.h
};

template <class C>
constexpr bool is_flat() {
  if constexpr (requires { C::flat; }) return C::flat;
  return false;
}

template <class T>
constexpr int memory_size() {
  if constexpr (requires { T::memory; }) return T::memory;
  return 0;
}

}  // namespace hooke
