#pragma once
#include "hooke/coupling/adapter/ghost.h"
#include "hooke/system/system.h"

namespace hooke {

/// Some bodies of a system as a system of their own, with the joints and forces that touch them. What these
/// touch of other pieces are ghosts (ghost.h), one for each neighbour.
///
/// A frame that a joint between pieces uses is a frame of its own here, so that the wrench on it is what the
/// neighbours exert.
struct Piece {
  /// `part_of`: the piece of each body; `at`: the whole's frames at its start.
  Piece(const System& whole, const std::vector<int>& part_of, int me, const SystemWorkspace& at);

  /// Of a state of the whole, what is here, into a state of `system`; ghosts are taken from the whole's
  /// frames.
  void load(const State& whole_state, const SystemWorkspace& at, State& state) const;
  /// And back, but for the angles: the own bodies, and all multipliers here.
  void store(const State& state, State& whole_state) const;
  void load_dofs(const VectorX& whole_x, VectorX& x) const;

  struct Neighbour {
    int part = 0;
    std::vector<int> frames, whole_frames;  ///< own ones that it touches: numbers here, in the whole
    std::vector<std::string> names;         ///< of a joint or force on each of them
    std::vector<int> ghost_frames;          ///< its own, numbers in the whole
    std::vector<int> joints;                ///< between the two, numbers here
    std::shared_ptr<Ghost::Data> ghost;
    BodyPlace at;  ///< of the ghost
  };

  const System& whole;
  std::unique_ptr<System> system;
  struct Body {
    BodyPlace size, there, here;  ///< there: in the whole
  };
  std::vector<Body> bodies;
  std::vector<int> constraints, forces;  ///< numbers in the whole; here they are 0, 1, 2, ...
  std::vector<Neighbour> neighbours;
  std::vector<char> own;       ///< dofs that are not a ghost's
  std::vector<char> detached;  ///< dofs and rows that are not the bodies' alone: ghosts, joints to them

 private:
  struct Item;
  std::vector<Item> items_between(const std::vector<int>& part_of, int me) const;
  Neighbour& neighbour(int part);
};

/// Motion of a frame in the coordinates of a rigid body at it: p', omega in the frame's axes, and their
/// rates.
struct RigidRates {
  Vec6 v, a;
};
RigidRates frame_motion(const System& system, const SystemWorkspace& at, int frame, const VectorX& a);

}  // namespace hooke
