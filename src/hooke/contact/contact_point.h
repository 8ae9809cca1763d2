#pragma once
#include <memory>

#include "hooke/contact/contact_law.h"
#include "hooke/contact/touching_feature.h"
#include "hooke/frames/force.h"

namespace hooke {

/// One place where two surfaces may touch. Frame A carries the feature, frame B the distance field. With the place c of the
/// feature, the distance phi(x) of x = R_B^T (c - p_B) and its gradient n in world axes,
///
///   gap = phi - radius,   P = c - (radius + share gap) n,   v = velocity of A at P less that of B
///   f = F(-gap, -n.v) n + friction(v - n n.v)                on A at P, and -f on B
///
/// `share` puts P between the two surfaces; 0: on that of A, so that there is no moment about a point.
/// The place of a curve's feature is where the distance is least, n . c'(s) = 0; its shift with the motion,
/// ds = -(c' . dn + n . dc') / (c'^T H c' + n . c''), is part of the tangent.
struct ContactPoint {
  static constexpr int frames = 2;
  static constexpr std::array needs_orientation{false, true};
  static constexpr int memory = TouchMemory::size;

  TouchingFeature feature;
  std::shared_ptr<const DistanceField> field;
  NormalLaw normal;
  FrictionLaw friction;
  double share = 0.5;

  void evaluate(const FrameInputs<2>& in, Vec12& w) const;
  void tangent(const FrameInputs<2>& in, Mat12& K, Mat12& D) const;
  double energy(const FrameInputs<2>& in) const;
  Power power(const FrameInputs<2>& in) const;
  void track(const FrameInputs<2>& in, double* remembered) const;

  ContactGap gap_at(const FramePose& A, const FramePose& B) const {
    return gap_between(feature, *field, A, B, share);
  }

 private:
  struct Geometry;
  struct Slip;
  bool is_far(const FrameInputs<2>& in, double times = 1) const;
  Geometry geometry_of(const FrameInputs<2>& in) const;
  Slip slip_of(const FrameInputs<2>& in, const Geometry& g, double force) const;
};

}  // namespace hooke
