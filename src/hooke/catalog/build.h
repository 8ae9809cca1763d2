#pragma once
#include <functional>
#include <memory>

#include "hooke/catalog/make_bodies.h"
#include "hooke/catalog/model.h"
#include "hooke/contact/contact_pressure.h"
#include "hooke/contact/touching_feature.h"
#include "hooke/system/system.h"

namespace hooke {

/// A coordinate that can be looked at: of a joint, over full turns.
struct BuiltCoordinate {
  std::string name;
  int number;  ///< in the System
  bool is_angle;
};

struct BuiltJoint {
  std::string name, type;
  int constraint;
  std::array<int, 2> frames;  ///< in the System; the first two of a gear
  std::vector<BuiltCoordinate> coordinates;
  std::vector<int> pairs = {};  ///< of a tie: its constraints, one for each pair of nodes
};

/// What a spring acts along, for output.
struct BuiltSpring {
  int force;       ///< in BuiltModel::forces
  int coordinate;  ///< in the System
  AnyCoordinate along;
  std::array<int, 2> frames;
  bool is_angle() const { return std::holds_alternative<Angle>(along); }
};

struct BuiltForce {
  std::string name, type;
  int force;
  int frames;                       ///< how many it acts on; wrench k of the force acts on the k-th
  std::array<int, 2> ends{-1, -1};  ///< the first and the last of these frames, in the System
};

/// A number that can be read at any state: of a signal or the output of a control block.
struct BuiltSignal {
  std::string name, unit;
};

/// Surfaces that may touch, at several points.
struct BuiltContact {
  std::string name;
  using Poses = std::function<FramePose(int frame)>;
  using TakeGap = std::function<void(int k, const ContactGap&)>;
  /// One point, or several that are looked at together.
  struct Point {
    std::function<void(const Poses&, const TakeGap&)> gaps;
    int force;      ///< of the first of them, in the System; its first frame has the feature
    bool is_first;  ///< the features belong to the first of the two surfaces
  };
  std::vector<Point> points;
  int rigid = -1;  ///< number of it among rigid contacts, which have no points
};

/// A solid of finite elements, whose nodes System::nodes tells.
struct BuiltSolid {
  int body;
  std::shared_ptr<const SolidModel> model;
  bool has_one_frame;    ///< in which its deformation is linear
  bool touches = false;  ///< with surfaces in BuiltModel::pressed
};

/// A body with modes whose surface is known; its coordinates end with those of the modes.
struct BuiltModal {
  int body;
  std::shared_ptr<const ModalData> data;
};

/// A body with modes that spinning does not stiffen.
struct SoftBody {
  int body;
  double frequency;  ///< the lowest, rad/s
};

/// A System with the names a user knows its parts by.
struct BuiltModel {
  std::shared_ptr<const Model> model;  ///< as it was built: solids are cut into their components
  std::unique_ptr<System> system;
  std::vector<std::string> bodies;
  bool has_flexible_bodies = false;
  std::vector<BuiltSolid> solids;
  std::vector<BuiltModal> modal;
  std::vector<SoftBody> soft;
  std::vector<BuiltJoint> joints;    ///< drives, too: type "drive", the coordinate driven
  std::vector<BuiltForce> forces;    ///< friction of a joint under the joint's name
  std::vector<BuiltSpring> springs;  ///< forces along a length or an angle
  std::vector<BuiltContact> contacts;
  std::vector<ContactPressure> pressed;            ///< surfaces of solids that may touch
  std::vector<BuiltSignal> signals;                ///< in the order of ControlsBase::read
  std::vector<std::string> notes, warnings;        ///< for the user
  std::vector<char> held_position, held_velocity;  ///< dofs the assembly of the start must leave as given
};

/// Force and torque on the second body at its joint frame; of a tie, of all pairs of nodes together about their middle, in
/// world axes.
Vec6 joint_reaction(const BuiltJoint& joint, const System& system, const State& state,
                    const SystemWorkspace& workspace, ReactionAxes axes = ReactionAxes::first);

/// The least gap of a contact, and the force on its second surface with where it acts.
RigidContactsBase::Sum contact_sum(const BuiltContact& contact, const System& system, const State& state,
                                   const SystemWorkspace& workspace);

/// What contacts exert on each frame of the system.
std::vector<Vec3> contact_forces(const BuiltModel& model, const State& state, SystemWorkspace& workspace);

/// Of the nodes of a solid in its floating frame X; they are where `nodes` says.
Mat3X solid_displacements(const SolidModel& solid, const FramePose& X, const std::vector<FramePose>& nodes);

/// Which rows hold the start values of joint coordinates: those of a system used only to assemble the start.
enum class StartRows { none, positions, velocities };

/// Checks the model and makes a System of it. Throws ModelError with all that is wrong.
BuiltModel build(const Model& model, StartRows start_rows = StartRows::none,
                 Flexibility flexibility = Flexibility::as_modelled);

}  // namespace hooke
