#pragma once
#include "hooke/coupling/adapter/frame_course.h"
#include "hooke/coupling/adapter/ghost.h"
#include "hooke/system/system.h"

/// How a subsystem is cut out of a system, for both couplings: its bodies become a System of their own, with
/// the items (joints, gears, drives, springs, bushings, friction) on them. An item whose frames are on bodies
/// of several subsystems is cut. What stands at the boundary for the others is one of
///
///   ghosts          cut items are here; frames outside belong to ghosts, one for each neighbour (ghost.h)
///   driven frames   cut items are here; frames outside move as they are told (frame_course.h)
///   loads           cut items are evaluated elsewhere; their wrenches on frames inside are told
///
/// All of it goes by the numbers of the whole. A frame that cut items use is a frame of its own here, so that
/// the wrench on it is what comes across.
namespace hooke {

enum class Boundary { ghosts, driven_frames, loads };

/// A frame that cut items use. It is another one for items between other subsystems.
struct BoundaryFrame {
  int frame = 0;             ///< in the whole
  std::vector<int> between;  ///< subsystems that the items touch, in order
  auto operator<=>(const BoundaryFrame&) const = default;
};

/// Subsystems that an item on these frames touches, in order; more than one: it is cut. `subsystem_of` has
/// the subsystem of each body.
std::vector<int> touched_subsystems(const System& whole, const std::vector<int>& frames,
                                    const std::vector<int>& subsystem_of);

struct Excerpt {
  /// Of a state of the whole, what is here; ghosts are left as they are.
  void load(const State& whole_state, State& state) const;
  /// And back, but for the angles: the own bodies, and all multipliers here.
  void store(const State& state, State& whole_state) const;
  /// The angles of joints and forces here: full turns within a macro step are known here alone.
  void store_angles(const State& state, State& whole_state) const;
  /// A vector with an entry for each dof of the whole, to and from one of the own dofs.
  void load_dofs(const Eigen::Ref<const VectorX>& whole_x, Eigen::Ref<VectorX> x) const;
  void store_dofs(const Eigen::Ref<const VectorX>& x, Eigen::Ref<VectorX> whole_x) const;

  const System* whole = nullptr;
  std::unique_ptr<System> system;
  struct Body {
    BodyPlace size, there, here;  ///< there: in the whole
  };
  std::vector<Body> bodies;
  std::vector<int> constraints, forces;  ///< numbers in the whole; here they are 0, 1, 2, ...

  /// Own frames that cut items use.
  struct Inside {
    BoundaryFrame id;
    int frame;                               ///< here
    std::string name;                        ///< of one of the items
    std::shared_ptr<WrenchCourse> wrench{};  ///< loads
  };
  /// Those of the others.
  struct Outside {
    BoundaryFrame id;
    int owner;                              ///< subsystem
    int frame = -1;                         ///< here
    std::shared_ptr<FrameCourse> motion{};  ///< driven frames
  };
  /// Frame number `end` of a cut item that is here belongs to another subsystem.
  struct Reach {
    bool is_force;
    int item, end;  ///< number here
    int outside;
  };
  std::vector<Inside> inside;
  std::vector<Outside> outside;
  std::vector<Reach> reaches;

  /// Ghosts: a subsystem on the other side.
  struct Neighbour {
    int subsystem = 0;
    std::vector<int> frames, whole_frames;  ///< own ones that it touches: numbers here, in the whole
    std::vector<std::string> names;         ///< of an item on each of them
    std::vector<int> ghost_frames;          ///< its own, numbers in the whole
    std::vector<int> constraints;           ///< between the two, numbers here
    std::shared_ptr<Ghost::Data> ghost;
    BodyPlace at;  ///< of the ghost
  };
  std::vector<Neighbour> neighbours;
  std::vector<char> own;       ///< dofs that are not a ghost's
  std::vector<char> detached;  ///< dofs and rows that are not the bodies' alone: ghosts, cut constraints
};

/// Subsystem number `subsystem`; `at`: the whole's frames at its start.
Excerpt extract(const System& whole, const std::vector<int>& subsystem_of, int subsystem, Boundary boundary,
                const SystemWorkspace& at);

/// Motion of a frame in the coordinates of a rigid body at it: p', omega in the frame's axes, and their
/// rates.
struct RigidRates {
  Vec6 v, a;
};
RigidRates frame_motion(const System& system, const SystemWorkspace& at, int frame, const VectorX& a);

}  // namespace hooke
