#pragma once
#include "hooke/system/force_batch.h"

namespace hooke {

/// One place where rigid surfaces touch. Its vectors have three components: along the normal, out of the second surface, and
/// along two tangents.
struct Touch {
  double key = 0;               ///< tells the place from all others
  std::array<int, 2> frames{};  ///< that carry the two surfaces
  double gap = 0;
  Mat3 axes = Mat3::Identity();  ///< columns: normal and tangents, world axes
  Vec3 place = Vec3::Zero();
  double restitution = 0, friction = 0;
  double rest_speed = 0;         ///< slower impacts do not rebound
  bool was_closed = false;       ///< when the step began
  Vec3 carried = Vec3::Zero();   ///< the force that the step was taken with, N
  Vec3 on_curve = Vec3::Zero();  ///< where on a segment or a rim
};

/// Rigid contacts of a system. What they exert is found after every step, as impulses (integrators/contact_solver.h); the
/// force of a contact that lasts is carried over to the next step, where it is a force like others.
class RigidContactsBase : public ForceBatchBase {
 public:
  /// What a search keeps from one time to the next; it does not change what is found.
  struct Search {
    virtual ~Search() = default;
  };
  virtual std::unique_ptr<Search> search() const = 0;

  /// Places that are closed at the state, or were when the step began, in the order of their keys; with a `reach`, also those
  /// that are open by no more than that.
  virtual void find(const State& state, const Workspace& workspace, Search& search, std::vector<Touch>& to,
                    double reach = 0) const = 0;
  /// At the start of a run: what touches and does not move apart or together is closed, by forces yet to be found.
  virtual void start(State& state, const Workspace& workspace) const = 0;
  virtual bool is_unsettled(const State& state) const = 0;
  /// The least gap of those that are open when a step begins and want their impacts located; infinite: there is none.
  virtual double least_gap(const State& before, const Workspace& workspace, Search& search) const = 0;
  /// J u of one side: how fast the surfaces move apart and past each other with the velocities u of that side's body.
  virtual Vec3 rates(const Touch& touch, int side, const Workspace& workspace, const VectorX& u) const = 0;
  /// r += J^T p of one side
  virtual void add_impulse(const Touch& touch, int side, const Workspace& workspace, const Vec3& p,
                           VectorX& r) const = 0;
  /// A block of dofs that the side moves with (KktStructure); -1: it does not move.
  virtual int block_of(const Touch& touch, int side) const = 0;
  /// Of those found, the force carried over and the one to be shown (N, along normal and tangents); all others are open.
  /// `impulse`: of the step, N s.
  struct Outcome {
    bool is_closed = false;
    Vec3 carried = Vec3::Zero(), shown = Vec3::Zero(), impulse = Vec3::Zero();
  };
  virtual void remember(std::span<const Touch> found, std::span<const Outcome> outcomes,
                        State& state) const = 0;

  /// For output, of the contact with this number: the least gap, and the sum of what its places exert on the second surface, and
  /// have exerted since the start.
  struct Sum {
    double gap = 0;
    Vec3 force = Vec3::Zero(), place = Vec3::Zero(), impulse = Vec3::Zero();
    int points = 0;
  };
  virtual Sum sum(int contact, const State& state, const FrameTable& table) const = 0;
  /// What is shown of all contacts, as subtract_wrenches.
  virtual void subtract_shown(const State& state, FrameTable& table) const = 0;
};

}  // namespace hooke
