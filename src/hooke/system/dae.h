#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hooke/frames/body.h"
#include "hooke/linalg/kkt.h"
#include "hooke/system/state.h"

namespace hooke {

/// Scratch for evaluating a Dae, allocated once by it and filled by `update`.
struct Workspace {
  virtual ~Workspace() = default;
};

/// What changes at one moment: forces, constraints, velocities.
struct Jump {
  bool changed = false;  ///< accelerations are to be found anew
  /// and velocities, first: the least change, in the metric of M, that meets the constraints
  bool impact = false;
  struct Impact {
    int row;                ///< whose rate is wanted
    double rate;            ///< after it
    int then_off = -1;      ///< entry of State::memory to be set to zero after it: the parts separate
    const char* unit = "";  ///< of the impulse; empty: nobody wants to know it
  };
  std::vector<Impact> impacts;
  bool stops = false;         ///< the run ends here
  bool wants_output = false;  ///< the state after it is to be recorded
  std::string text;           ///< what happened, for the user
};

/// What an integrator knows of a mechanical system:
///
///     q' = v on a manifold,     M(q) v' + G(q,t)^T lambda = f(q,v,t),     g(q,t) = 0.
///
/// `System` implements it for models of bodies, joints and forces; a textbook problem in three variables can
/// implement it in a few lines. The object is constant; calls go in this order: `update` for a state (q, v,
/// t), then any of the evaluations for the same state.
class Dae {
 public:
  virtual ~Dae() = default;

  virtual const KktStructure& structure() const = 0;
  virtual int nq() const = 0;
  int nv() const { return structure().dofs(); }
  int nc() const { return structure().rows(); }

  /// The last entries of v that are first-order states and no velocities.
  virtual int first_order_states() const { return 0; }

  /// q (+) x: the configuration reached from q by the increment x (body-fixed rotation vector for a
  /// rotation).
  virtual void plus(const VectorX& q, const VectorX& x, VectorX& result) const = 0;
  /// x with q0 (+) x = q1
  virtual void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const = 0;
  /// x' = T^-1(x) v: rate of the increment when the configuration is q0 (+) x and moves with velocity v.
  virtual void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result) const = 0;

  /// Takes out of an increment from q what would deform stiff bodies: a predictor extrapolates their
  /// vibrations, which a long step does not resolve, and the stress of that is far from any solution. False:
  /// there was nothing to take out.
  virtual bool carry(const VectorX&, VectorX&) const { return false; }

  virtual std::unique_ptr<Workspace> workspace() const = 0;
  virtual void update(const State& state, Workspace& workspace) const = 0;

  /// r = M a + G^T lambda - f
  virtual void residual(const State& state, Workspace& workspace, VectorX& r) const = 0;
  virtual void position_constraints(const State& state, Workspace& workspace, VectorX& g) const = 0;
  /// G v + g_t
  virtual void velocity_constraints(const State& state, Workspace& workspace, VectorX& g) const = 0;
  /// G a + (G v + g_t)' at constant v: the bias when a is zero
  virtual void acceleration_constraints(const State& state, Workspace& workspace, VectorX& g) const = 0;
  /// C and G; the regularisation is left to the caller.
  virtual void tangent(const State& state, const Weights& weights, Workspace& workspace,
                       KktMatrix& kkt) const = 0;

  virtual Energy energy(const State& state, Workspace& workspace) const = 0;
  /// What loads and drives supply and dampers take, for the account of energy.
  virtual Power power(const State&, Workspace&) const { return {}; }
  /// As much of `update` as `energy` and `power` look at.
  virtual void update_for_energy(const State& state, Workspace& workspace) const { update(state, workspace); }
  /// M u
  virtual void times_mass(const State& state, Workspace& workspace, const VectorX& u, VectorX& result) const {
    State probe = state;
    VectorX rest;
    probe.a.setZero();
    residual(probe, workspace, rest);
    probe.a = u;
    residual(probe, workspace, result);
    result -= rest;
  }
  /// Column k of T (nv x 6): the velocity when all bodies together move along axis k of the world, or turn
  /// about it (k > 2). T^T M v is the momentum. False: not known, or damped by itself.
  virtual bool rigid_motions(const VectorX&, MatrixX&) const { return false; }
  /// Called when a step is accepted: angles followed over full turns move on.
  virtual void accept(State& state, Workspace& workspace) const = 0;

  /// Once, at the assembled start of a run, with the workspace up to date: control states and samples begin.
  virtual void start(State&, Workspace&) const {}
  /// When something happens next by the clock, such as a sample of a control: steps end there.
  virtual double next_time(const State&) const { return std::numeric_limits<double>::infinity(); }
  /// Something else happens where an indicator crosses zero, upwards, downwards or (direction 0) either way.
  virtual int indicators() const { return 0; }
  virtual void indicate(const State&, Workspace&, std::span<double>) const {}
  virtual int direction(int /*indicator*/, const State&) const { return 0; }
  /// Lets happen what is due at the state's time, and what belongs to the indicators that were reached.
  virtual Jump happen(State&, Workspace&, std::span<const int>) const { return {}; }
  /// With the accelerations after a jump: what cannot stay so (a stop that pulls) is switched; false: nothing.
  virtual bool settle(State&) const { return false; }

  /// Rigid contacts, whose impulses are found after every step; null: there are none.
  virtual const class RigidContactsBase* rigid_contacts() const { return nullptr; }
  virtual const class PassagesBase* passages() const { return nullptr; }

  /// A typical size of each dof (a length for translations, 1 for rotations): the unit errors are measured
  /// in.
  virtual const VectorX& dof_scale() const = 0;
  /// A typical G_i M^-1 G_i^T for each row: the unit of the regularisation of that row.
  virtual const VectorX& row_compliance() const = 0;
  /// Human-readable names of a dof and of a constraint row, for messages.
  virtual std::string dof_name(int dof) const = 0;
  virtual std::string row_name(int row) const = 0;
  /// Whether the row is switched off at this state.
  virtual bool is_off(int /*row*/, const State&) const { return false; }
};

}  // namespace hooke
