#pragma once
#include <array>
#include <string_view>

#include "hooke/base/fixed_string.h"
#include "hooke/frames/constraint.h"
#include "hooke/frames/coordinates.h"

/// A joint is a list of parts, each with its equation, and a list of the coordinates that it leaves free.
///
/// A part is a plain struct with
///   rows, labels             how many equations, and what load each multiplier is, for people to read
///   needs_orientation        whether it looks at the axes of A and of B, or at their origins alone
///   evaluate(in, g, G)       sets its rows of g and G
///   flat, or add_stiffness(in, lambda, H)
///   memory and track         if it follows an angle over full turns
/// as constraint.h defines them. Its data (a length, a pitch) are the joint's data: a joint inherits from its
/// parts.
///
/// Each joint frame sits at the joint, on its body, and z is the axis of the joint. The frames coincide where
/// the coordinates are zero.
namespace hooke {

template <class... Part>
struct Parts {};

template <FixedString Name, Coordinate auto C>
struct FreeMotion {
  static constexpr std::string_view name = Name;
  static constexpr auto coordinate = C;
};

template <class... NamedCoordinate>
struct Coordinates {};

template <FixedString Name, class PartList, class CoordinateList = Coordinates<>>
struct Joint;

template <FixedString Name, class... Part, class... Free>
struct Joint<Name, Parts<Part...>, Coordinates<Free...>> : Part... {
  static constexpr std::string_view name = Name;
  static constexpr int frames = 2;
  static constexpr int rows = (Part::rows + ...);
  static constexpr bool flat = (Part::flat && ...);
  static constexpr std::array needs_orientation{(Part::needs_orientation[0] || ...),
                                                (Part::needs_orientation[1] || ...)};
  static constexpr int memory = (memory_size<Part>() + ...);
  static_assert(memory <= angle_memory, "one part at most may follow an angle: parts share in.memory");

  /// The load that each multiplier is.
  static constexpr std::array<const char*, rows> labels() {
    std::array<const char*, rows> all{};
    auto next = all.begin();
    ((next = std::copy(Part::labels.begin(), Part::labels.end(), next)), ...);
    return all;
  }

  /// f(name, coordinate) for each motion the joint leaves free and can measure.
  static constexpr void for_each_coordinate(auto&& f) { (f(Free::name, Free::coordinate), ...); }

  void evaluate(const FrameInputs<2>& in, Rows<rows>& out) const {
    int row = 0;
    ((Part::evaluate(in, out.g.template segment<Part::rows>(row), out.G.template middleRows<Part::rows>(row)),
      row += Part::rows),
     ...);
  }

  void add_stiffness(const FrameInputs<2>& in, const Eigen::Matrix<double, rows, 1>& lambda, Mat12& H) const {
    int row = 0;
    (add_stiffness_of<Part>(in, lambda, row, H), ...);
  }

  void track(const FrameInputs<2>& in, double* angles) const requires(memory > 0) {
    (track_of<Part>(in, angles), ...);
  }

 private:
  template <class P>
  void add_stiffness_of(const FrameInputs<2>& in, const auto& lambda, int& row, Mat12& H) const {
    if constexpr (!P::flat) P::add_stiffness(in, lambda.template segment<P::rows>(row), H);
    row += P::rows;
  }

  template <class P>
  void track_of(const FrameInputs<2>& in, double* angles) const {
    if constexpr (memory_size<P>() > 0) P::track(in, angles);
  }
};

}  // namespace hooke
