#pragma once
#include <string>
#include <vector>

#include "hooke/catalog/build.h"

namespace hooke {

/// What is recorded at one output time. Vectors are world components unless said otherwise.
struct Record {
  double t = 0;
  struct Body {
    FramePose pose;
    Vec6 twist, acceleration;  ///< of the reference frame
  };
  struct Joint {
    std::vector<double> coordinates, rates;
    Vec6 reaction;  ///< on the second body, at its joint frame, in the axes asked for
  };
  std::vector<Body> bodies;
  std::vector<std::vector<FramePose>> nodes;         ///< of each body, none of a rigid one
  std::vector<std::vector<SectionValues>> sections;  ///< of each body; of rods alone
  std::vector<VectorX> modal;  ///< coordinates of the modes of each body in BuiltModel::modal
  std::vector<Joint> joints;
  std::vector<double> signals;  ///< of BuiltModel::signals
  struct Spring {
    double length, rate, tension;
  };
  std::vector<Spring> springs;  ///< of BuiltModel::springs
  std::vector<Vec6> forces;     ///< wrench on the last frame of each force
  struct Contact {
    double gap = 0;  ///< the least; negative: depth
    Vec3 force = Vec3::Zero(),
         place = Vec3::Zero(),   ///< on the second surface; where it acts, or the gap is least
        impulse = Vec3::Zero();  ///< on the second surface, since the start
    int points = 0;              ///< that touch
  };
  std::vector<Contact> contacts;              ///< of BuiltModel::contacts
  std::vector<std::vector<double>> pressure;  ///< of contact at the nodes of each solid that touches, Pa
  double kinetic = 0, potential = 0;
  double supplied = 0, dissipated = 0,
         energy_error = 0;  ///< since the start; error: what is left of the account
  double position_violation = 0, velocity_violation = 0,
         acceleration_violation = 0;  ///< largest over the rows
};

/// Modes of a linearisation: one row each.
struct ModesRecord {
  std::vector<std::string> dofs;
  std::vector<double> frequency, damping, eigenvalue_real, eigenvalue_imaginary;
  std::vector<double> shape_real, shape_imaginary;  ///< modes x dofs
  std::vector<double> outputs;  ///< modes x 2: those that show its real and imaginary part; -1: none
};

/// The record of a state; `workspace` must have been updated for it.
Record make_record(const BuiltModel& model, const State& state, SystemWorkspace& workspace,
                   ReactionAxes axes = ReactionAxes::first);

}  // namespace hooke
