#pragma once
#include "hooke/frames/frame_table.h"
#include "hooke/frames/power.h"  // what bodies return
#include "hooke/linalg/kkt.h"

/// The contract of a body. A body type B is a plain struct that works on its own segments of q, v, a:
///
///   B::frame_dofs              columns of a frame's Jacobian, or Eigen::Dynamic
///   struct B::Frame            where a frame is attached on it
///   nq(), nv(), block_sizes(), couplings()   its dof blocks and which of them share entries (local numbers)
///   initial(q, v)              its configuration and velocity at the start
///   place(pose, twist, q, v)   undeformed, its reference frame there, moving as a rigid body would
///   plus, minus, inverse_tangent   the manifold: q (+) x, its inverse, and x' = T^-1(x) v
///   carry(q, x)                (optional) takes what deforms it out of an increment, see Dae
///   frame_entries(frame)       which of its blocks a frame moves with (local numbers)
///   frame(...)                 pose, twist, bias and Jacobian of an attached frame
///   frame_stiffness(...)       d(J^T w)/dq at constant wrench
///   velocity_gradient(...)     d(J v)/dq at constant v
///   apply_inverse_tangent(frame, x, J)   J <- J T^-1(x), J that of the frame
///   add_residual, add_tangent  M a - f of the body itself (inertia, elasticity, gravity), and its C
///   block_poses(q, poses)      (optional) of blocks that move as rigid bodies, for springs between them
///   energy(...)                kinetic and potential
///   rigid_motion(q, twist, v)  (optional) v when all of it moves by a twist of the world, taken at its origin;
///                              false where its own damping resists that
///   add_momentum(q, v, r)      (optional) r += M v
///   power(q, v)                (optional) what its loads supply and its damping takes
///   motion(...)                of its reference frame, for output
///   nodes(), node(i, q)        poses along a flexible body, for output; a rigid body has none
///   sections(), section(i, q, v)   (optional) strains and forces along a rod, for output
///   mass_properties()          undeformed, in its reference frame
///   scale(length, ...)         the typical size of each dof
///   dof_name(i)                for messages
namespace hooke {

/// C = m M + d D + k K with  M = dr/da,  D = dr/dv,  K = dr/dq.
///
/// When the configuration of a step is q = q_n (+) x, an increment of q changes x by T^-1(x) times as much,
/// and so v and a. With `increment` = x the tangent carries that factor: C = (m M + d D) T^-1(x) + k K.
struct Weights {
  double m = 1, d = 0, k = 0;
  const VectorX* increment = nullptr;
  bool geometric = true;  ///< with the stiffness of the loads on frames and of the multipliers
  /// Of the columns of first-order states (control/states.h), d in place of this where it is negative: in statics these
  /// are unknowns, while velocities are not.
  double states = -1;
  double of_states() const { return states < 0 ? d : states; }
};

struct Energy {
  double kinetic = 0, potential = 0;
  double total() const { return kinetic + potential; }
};

/// Pose, velocity and acceleration of a body's reference frame, world components.
struct BodyMotion {
  FramePose pose;
  Vec6 twist = Vec6::Zero(), acceleration = Vec6::Zero();
};

/// Inside a rod: strains (shear along x and y, extension; bending about x and y, twist) and the force and moment that the
/// part behind the section exerts on the part before it, in the axes of the section.
struct SectionValues {
  double arc = 0;  ///< from the first end, m
  Vec6 strain = Vec6::Zero(), force = Vec6::Zero();
};

/// Of a body at rest and undeformed.
struct MassProperties {
  double mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  ///< about the centre
};

/// A body's own blocks of the matrix: the diagonal ones first, then (i,j), (j,i) of each coupling.
struct BodyBlocks {
  BlockMatrix& matrix;
  const BlockHandle* handles;
  TurnedBody* turned = nullptr;  ///< to be written instead by a body that can, see linalg/kkt.h

  auto operator()(int k) const { return matrix.block(handles[k]); }
  template <int R, int C>
  auto fixed(int k) const {
    return matrix.block<R, C>(handles[k]);
  }
};

}  // namespace hooke
