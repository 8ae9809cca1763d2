#pragma once
#include <span>
#include <vector>

#include "hooke/frames/frame.h"

namespace hooke {

/// A dof block that a frame moves with, and where its columns start in the frame's Jacobian.
struct FrameEntry {
  int block = 0, dof = 0, size = 0, column = 0;
};

/// Fixed when the system is built: what each frame is attached to.
struct FrameLayout {
  int body = -1;        ///< -1: ground
  int first_entry = 0;  ///< its entries are [first_entry, last_entry)
  int last_entry = 0;
  int columns = 0;       ///< of its Jacobian
  int jacobian = 0;      ///< where its Jacobian starts in FrameTable::jacobians
  bool oriented = true;  ///< false: only a point, joints that need axes refuse it
  bool rigid = false;    ///< moves with one block of six dofs, J = [I arm; 0 R]
};

struct FrameMap {
  std::vector<FrameLayout> frames;
  std::vector<FrameEntry> entries;
  int jacobian_size = 0;

  std::span<const FrameEntry> entries_of(int frame) const {
    const FrameLayout& f = frames[frame];
    return {entries.data() + f.first_entry, entries.data() + f.last_entry};
  }
};

/// The values at one state, written by the bodies; the wrenches are collected from joints and forces.
struct FrameTable {
  std::vector<FramePose> pose;
  std::vector<FrameTwist> twist;
  std::vector<Vec6> bias;  ///< J' v
  std::vector<FrameWrench> wrench;
  std::vector<double> jacobians;  ///< 6 x columns each, column by column
  /// d J T^-1 + k d(J v)/dq with the weights of a tangent, laid out like the Jacobians: how twists change
  /// with an increment of q. Written only for tangents with forces.
  std::vector<double> twist_changes;

  auto jacobian(const FrameLayout& f) {
    return Eigen::Map<Mat6X>(jacobians.data() + f.jacobian, 6, f.columns);
  }
  auto jacobian(const FrameLayout& f) const {
    return Eigen::Map<const Mat6X>(jacobians.data() + f.jacobian, 6, f.columns);
  }

  void allocate(const FrameMap& map) {
    pose.assign(map.frames.size(), {});
    twist.assign(map.frames.size(), Vec6::Zero());
    bias.assign(map.frames.size(), Vec6::Zero());
    wrench.assign(map.frames.size(), Vec6::Zero());
    jacobians.assign(map.jacobian_size, 0.0);
    for (const FrameLayout& f : map.frames)
      if (f.rigid) jacobian(f).leftCols<3>().setIdentity();  // for good
    twist_changes.assign(map.jacobian_size, 0.0);
  }
};

}  // namespace hooke
