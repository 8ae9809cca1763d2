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
///
/// Where a body that touches deforms, a step is longer than what rings in it, and a force over the step moves far more than the
/// mass at its place. There M + h/2 D + h^2/4 K takes the part of M, and positions follow, q+ = q + h/2 (v+ - v), as if the step
/// had been taken with x/h in place of f: by the trapezoidal rule its energy changes by x . (v_before + v+)/2 at each place, which
/// is no gain. After a jump the integrator goes on from accelerations that the step can follow.
///
/// W = J M^-1 J^T has a block for two places that act on the same mechanism: bodies that no joint or spring connects do not
/// feel each other. So one solve with M serves one place of every mechanism, and places that no mechanism connects are
/// solved for apart (islands).
class ContactSolver {
 public:
  ContactSolver(const Dae& dae, const RigidContactsBase& contacts);

  struct Outcome {
    bool touches = false;  ///< something is closed, or was
    bool jumps = false;    ///< velocities changed at once: contacts began, ended, or took an impact
    std::string failure;   ///< why it did not succeed
  };
  /// `state` is that at the end of a step of length h from `before`.
  Outcome solve(const State& before, State& state, double h, Projector& projector);
  /// The forces that closed places need over the next step, from the accelerations without them; and those with them.
  /// `may_jam`: where no force can hold them (Painleve), an impulse changes the velocities first. Says whether a body that
  /// touches deforms: then the integrator resumes with `followed()`.
  bool settle(State& state, double h, Projector& projector, bool may_jam = false);
  /// Of the last `settle`: accelerations, where bodies deform such that the step can follow.
  const VectorX& followed() const { return followed_; }
  double least_gap(const State& before, const State& state, Projector& projector);

 private:
  using Index = Eigen::Index;
  struct Block {
    int other;
    Mat3 W;
  };
  void find_mechanisms();
  Vec3 rates(std::size_t touch, const VectorX& u, Projector& projector) const;
  void find(const State& state, Projector& projector, double reach = 0);
  void make_room(std::size_t places);
  void find_islands();
  void respond(const State& state, double h, Projector& projector, int directions = 3);
  VectorX& motion_of(const VectorX& impulses, const State& state, double h, Projector& projector);
  Vec3 rates_with(std::size_t touch, const VectorX& x) const;
  bool find_impulses();
  bool find_impulses(std::span<const int> island);
  void relax(std::span<const int> island, int passes);
  double conditions(std::span<const int> island, double hold);
  bool find_correction(std::span<const int> island, double hold);
  double unsettled(std::span<const int> island);
  Index band_of(std::span<const int> island) const;
  double solve_exactly(std::span<const int> island, double enough);
  bool is_impulse(const VectorX& whole) const;
  bool jams(const State& before, Projector& projector);
  double find_gaps(const State& state, Projector& projector, double reach = 0);
  void move(State& state, double h, Projector& projector);
  void find_way_out(double deepest, double apart);
  double separate(State& state, double h, Projector& projector);
  void accelerate(State& state, double h, Projector& projector, double ahead = 0);

  const Dae& dae_;
  const RigidContactsBase& contacts_;
  std::unique_ptr<RigidContactsBase::Search> search_;
  std::vector<int> mechanism_;  ///< of each block of dofs
  std::vector<char> is_soft_;   ///< of each mechanism: a body of it deforms
  VectorX soft_;                ///< of each dof: 1 in such a mechanism
  bool deforms_ = false;        ///< one of them touches
  std::vector<Touch> touches_, now_;
  std::vector<std::array<int, 2>> mechanisms_;             ///< of the two sides of each place
  std::vector<std::vector<std::pair<int, int>>> members_;  ///< places and sides that act on each mechanism
  std::vector<Block> blocks_;                              ///< of W, row by row
  std::vector<std::size_t> row_ends_;
  std::vector<std::span<Block>> rows_;  ///< in each by the number of the other place
  std::vector<std::vector<int>> islands_;
  std::vector<RigidContactsBase::Outcome> results_;
  std::vector<int> sets_;
  std::vector<std::array<long long, 4>> order_;
  std::vector<int> at_, island_of_;               ///< of each place, where its island has it
  std::size_t room_ = 0;                          // places that there is memory for
  VectorX impulse_, rates_, wanted_, free_, nu_;  // by places
  VectorX speeds_, left_, start_, dx_, right_;    // by places of an island
  std::vector<int> number_;                       // of each place, its first row in the slopes; -1: none
  std::vector<char> is_closed_;                   // each place
  VectorX q_, r_, u_, next_, carried_, followed_, kept_, way_, kept_q_;
  MatrixX slopes_;
  std::vector<Index> pivots_;
  State probe_;
};

}  // namespace hooke
