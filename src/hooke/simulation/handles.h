#pragma once
#include "hooke/catalog/build.h"

/// What a user looks at by name while a simulation goes on: simulation.body("arm").position(). A handle is a few
/// words, to be kept or made anew; it always tells the current state, and lives no longer than its Simulation.
/// Vectors are in world axes unless said otherwise.
namespace hooke {

class Simulation;

class BodyHandle {
 public:
  Vec3 position() const { return motion().pose.p; }     ///< of the origin of the reference frame, m
  Mat3 orientation() const { return motion().pose.R; }  ///< turns body components into world components
  Vec3 velocity() const { return motion().twist.head<3>(); }
  Vec3 angular_velocity() const { return motion().twist.tail<3>(); }
  Vec3 acceleration() const { return motion().acceleration.head<3>(); }
  Vec3 angular_acceleration() const { return motion().acceleration.tail<3>(); }
  BodyMotion motion() const;
  MassProperties mass_properties() const;
  std::vector<FramePose> nodes() const;  ///< along a flexible body
  /// 6 x degrees of freedom of the model: velocity and angular velocity = J v.
  MatrixX jacobian() const;
  const std::string& name() const;

 private:
  friend class Simulation;
  BodyHandle(const Simulation& simulation, int number) : simulation_(&simulation), number_(number) {}
  const Simulation* simulation_;
  int number_;
};

class JointHandle {
 public:
  /// The coordinate of that name; without one, the only one it has.
  double coordinate(const std::string& name = "") const;
  double rate(const std::string& name = "") const;
  double angle() const { return coordinate("angle"); }                ///< rad, over full turns
  double displacement() const { return coordinate("displacement"); }  ///< m
  /// Force and torque on the second body at its joint frame.
  Vec6 reaction(ReactionAxes axes = ReactionAxes::first) const;
  const std::string& name() const { return joint_->name; }
  const std::string& type() const { return joint_->type; }

 private:
  friend class Simulation;
  JointHandle(const Simulation& simulation, const BuiltJoint& joint)
      : simulation_(&simulation), joint_(&joint) {}
  const BuiltCoordinate& find(const std::string& name) const;
  const Simulation* simulation_;
  const BuiltJoint* joint_;
};

class ForceHandle {
 public:
  /// Force and torque on the last frame it acts on.
  Vec6 wrench() const;
  /// Of a spring: the force by which it pulls its ends together, N.
  double tension() const;
  double length() const;  ///< of a spring: the distance of its ends, m
  const std::string& name() const { return force_->name; }
  const std::string& type() const { return force_->type; }

 private:
  friend class Simulation;
  ForceHandle(const Simulation& simulation, const BuiltForce& force)
      : simulation_(&simulation), force_(&force) {}
  Vec3 line() const;
  const Simulation* simulation_;
  const BuiltForce* force_;
};

}  // namespace hooke
