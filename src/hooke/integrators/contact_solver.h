#pragma once
#include "hooke/integrators/projector.h"
#include "hooke/system/rigid_contacts.h"

namespace hooke {

/// Rigid contact after a step. The step itself is smooth: forces of contacts that last are loads of known size. At its end,
/// at the places that are closed, impulses x (normal, tangents) over the step are found with
///
///   v+ = v + M^-1 (J^T (x - h f) + G^T mu),   G v+ = 0              f: what the step was taken with
///   0 <= x_n  |  v+_n + e v_n >= 0                                  (a slow impact, or one that lasts: e = 0)
///   |x_t| <= mu x_n  opposite to  v+_t                              a cone, not a pyramid
///
/// and positions are brought out of each other by the least motion, in the metric of M. Contacts that last carry x/h over
/// to the next step, so that what rests or rolls is followed at the order of the integrator and only what changes at once is
/// an impulse. This is the splitting of Moreau and Jean, with forces of lasting contacts in the smooth part as in Bruels,
/// Acary, Cardona, Comput. Methods Appl. Mech. Engrg. 281 (2014) 131-161.
class ContactSolver {
 public:
  ContactSolver(const Dae& dae, const RigidContactsBase& contacts) : dae_(dae), contacts_(contacts) {}

  struct Outcome {
    bool touches = false;  ///< something is closed, or was
    bool jumps = false;    ///< velocities changed at once: contacts began, ended, or took an impact
    std::string failure;   ///< why it did not succeed
  };
  /// `state` is that at the end of a step of length h from `before`.
  Outcome solve(const State& before, State& state, double h, Projector& projector);
  /// The forces that closed places need over the next step, from the accelerations without them; and those with them.
  void settle(State& state, double h, Projector& projector);

 private:
  void respond(const State& state, Projector& projector);
  bool find_impulses();
  void relax(int passes);
  double conditions(const VectorX& x, VectorX& left, MatrixX* slopes) const;
  void separate(State& state, Projector& projector);

  const Dae& dae_;
  const RigidContactsBase& contacts_;
  std::vector<Touch> touches_;
  MatrixX answers_;     ///< u of each unit of impulse
  MatrixX compliance_;  ///< W = J M^-1 J^T on the constraints
  VectorX impulse_, rates_, wanted_, free_;
};

}  // namespace hooke
