#pragma once
#include "hooke/contact/contact_law.h"
#include "hooke/contact/touching_feature.h"
#include "hooke/frames/force.h"

namespace hooke {

/// The place of a piece that is nearest to a point, and how it moves with the piece's frames:
///   v_c = sum share_k v_k + omega_k x arm_k,   sum share_k = 1
template <int K, class T>
struct PiecePlace {
  bool exists = false;
  T distance = T(0);  ///< of the point from the surface
  Eigen::Matrix<T, 3, 1> n, c;
  std::array<T, K> share;
  std::array<Eigen::Matrix<T, 3, 1>, K> arm;
};

/// Where a piece is: the origins of its frames, and their third axes.
template <int K, class T>
struct PieceFrames {
  std::array<Eigen::Matrix<T, 3, 1>, K> p, z;
};

/// A piece of a rod: all that is within a radius of the curve of third degree between two sections, along their normals at both
/// ends. Pieces that follow each other have one tangent where they meet, so that normals are continuous along the rod.
struct RodPiece {
  static constexpr int frames = 2;
  double radius = 0, length = 0;
  bool is_first = false, is_last = false;  ///< of the rod, which ends round

  template <class T>
  PiecePlace<2, T> nearest(const Eigen::Matrix<T, 3, 1>& x, const PieceFrames<2, T>& at) const;
};

/// A ball about the origin of its frame (a section of a rod, or a node: radius 0) against a piece of a rod. Laws as those of
/// ContactPoint; the piece turns as its frames do by their shares.
template <class Piece>
struct PieceContact {
  static constexpr int frames = 1 + Piece::frames, size = 6 * frames;
  static constexpr int memory = TouchMemory::size;  ///< bristles in the axes of the piece's first frame
  using Wrenches = Eigen::Matrix<double, size, 1>;
  using Square = Eigen::Matrix<double, size, size>;

  double radius = 0;
  Piece piece;
  NormalLaw normal;
  FrictionLaw friction;

  void evaluate(const FrameInputs<frames>& in, Wrenches& w) const;
  void tangent(const FrameInputs<frames>& in, Square& K, Square& D) const;
  double energy(const FrameInputs<frames>& in) const;
  Power power(const FrameInputs<frames>& in) const;
  void track(const FrameInputs<frames>& in, double* remembered) const;

  PiecePlace<Piece::frames, double> place_at(const std::array<const FramePose*, frames>& pose) const;
  ContactGap gap_at(const std::array<const FramePose*, frames>& pose) const;

 private:
  template <class T>
  struct Touching;
  template <class T>
  bool touch(const FrameInputs<frames>& in, Touching<T>& at) const;
  bool is_far(const FrameInputs<frames>& in) const;
};

extern template struct PieceContact<RodPiece>;

}  // namespace hooke
