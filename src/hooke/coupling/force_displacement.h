#pragma once
#include <Eigen/LU>
#include <functional>
#include <memory>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/coupling/acceleration.h"
#include "hooke/coupling/force_displacement_settings.h"
#include "hooke/coupling/participant.h"
#include "hooke/coupling/past_values.h"

/// Co-simulation of participants that kinematic constraints, or forces, hold together: Schneider, Burger,
/// Arnold, Simeon, "A new approach for force-displacement co-simulation using kinematic coupling
/// constraints", ZAMM 97 (2017). Numbers of equations are the paper's.
///
/// Where they are joined, at an interface, there is a forced participant (R, the multibody system), whose
/// input is the reaction w and whose output its motion (x, v, a) there; and a displaced one (F, the flexible
/// structure), whose input is that motion and whose output the reaction (13), (16)-(19). Over a macro step
/// inputs follow polynomials through their values at past macro points; rates of x are those of its
/// polynomial (remark 3.1). At the end
///
///   R tells x, v and a = alpha + A w, alpha being that without reaction,
///   F, brought there by what it is told, tells w = w_F - B a.
///
/// B is the mass that F shows at the interfaces. With B = B_F, all of F, the w that agrees with R's
/// acceleration is that of the whole system (11); with the mass of what is at the interface alone, B = B_co,
/// that of (22), where inner accelerations answer to the extrapolated a~; with B = 0 it is (23), all from a~:
///
///   (I + B A) w = w_F - B_F a~ + B (a~ - alpha)
///
/// In the first macro step nothing is known to extrapolate motions from: they stand still. Constraints are
/// closed at its end, but a damper would have felt no velocity for as long, an error of first order for good.
/// So where a displaced participant feels rates, it takes the first step after the forced ones, with the
/// motion interpolated.
///
/// With `corrections` the macro step is repeated with courses that end where they should: the reactions at its end are
/// the fixed point of w -> R advances -> motion -> F advances -> w, to which a quasi-Newton method on the interface
/// Jacobian goes (acceleration.h), so that it converges whatever the ratio of the masses is.
///
/// A and B are found by asking: participants are evaluated (advance(0)) with one unit of reaction or
/// acceleration after the other.
namespace hooke {

/// What is exchanged at an interface: so many positions, rates and accelerations one way (pose with
/// quaternion and twist of a frame: 7 and 6; a coordinate: 1 and 1), forces the other.
struct CouplingInterface {
  int positions = 1, rates = 1;
  int motions() const { return positions + 2 * rates; }
};

class ForceDisplacementCoupling {
 public:
  struct Side {
    Participant* participant;
    std::vector<int> interfaces;            ///< in the order of its inputs and outputs
    std::function<MatrixX()> joint_mass{};  ///< of a displaced one: B_co, for small forces
    bool feels_rates = false;               ///< of a displaced one: dampers and the like are cut
  };
  ForceDisplacementCoupling(std::vector<CouplingInterface> interfaces, std::vector<Side> forced,
                            std::vector<Side> displaced, const ForceDisplacementSettings& settings,
                            std::shared_ptr<Team> team = nullptr);

  /// Reactions at the start are exact ones, and extrapolation begins with what is known then. Returns why
  /// there are none, or nothing.
  std::string begin(double t);
  /// One macro step. When it fails all participants are where they began.
  Participant::Report step(double h);
  /// Takes the last macro step back.
  void restore();

  /// What the next macro step depends on, and sums.
  void archive(auto& a) {
    a(past_u_, past_w_, u_, w_, t_, gap_, exchange_seconds_, steps_, corrections_, left_);
    for (Member& member : members_) a(member.seconds);
  }

  double time() const { return t_; }
  const VectorX& reactions() const { return w_; }
  const VectorX& motions() const { return u_; }
  /// Largest distance, m, between the two sides of an interface at the end of a macro step, before it is
  /// closed.
  double gap() const { return gap_; }
  /// Corrections of a macro step, on average; and the largest error that they left in a reaction, beside the largest
  /// reaction of the step.
  double corrections() const {
    return steps_ ? static_cast<double>(corrections_) / static_cast<double>(steps_) : 0.0;
  }
  double left() const { return left_; }
  /// Time spent in advances of a participant, forced ones first, and in the exchange at macro points.
  double seconds(int participant) const { return members_[static_cast<std::size_t>(participant)].seconds; }
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  struct Member : Side {
    bool is_forced = false;
    std::vector<int> motions{}, forces{};  // its interfaces' entries of u_, and of w_
    std::vector<int> accelerations{};      // where they are among its motions
    MatrixX course{};
    VectorX input{}, output{}, at_guess{};
    double seconds = 0;
    Participant::Report report{};
  };
  enum Who { forced = 1, displaced = 2, all = 3 };
  Member make_member(const Side& side, bool is_forced) const;
  void for_each(Who who, auto&& work);
  bool evaluate(Member& member);
  std::string advance(Who who, double h);
  std::string advance_in_turn(double h, int motion_degree);
  std::string correct(double h);
  void tell_motions(const VectorX& accelerations);
  std::string exchange(CouplingForces forces);
  void find_response(Member& member);
  std::string failure() const;  ///< of a subsystem
  void find_mass(Member& member, CouplingForces forces);
  void read_motions();
  void note_gap();

  std::vector<CouplingInterface> interfaces_;
  std::vector<Member> members_;  // forced ones first
  ForceDisplacementSettings settings_;
  std::shared_ptr<Team> team_;
  bool feels_rates_ = false;        // some participant does
  std::vector<int> accelerations_;  // where they are in u_, in the order of w_
  PastValues past_u_, past_w_, before_u_, before_w_;
  MatrixX course_u_, course_w_, A_, B_, system_;
  Eigen::PartialPivLU<MatrixX> factor_;
  VectorX u_, w_, guess_, alpha_, end_u_, right_, corrected_, change_;
  std::unique_ptr<FixedPointAcceleration> acceleration_;  // with corrections
  long steps_ = 0, corrections_ = 0;
  double left_ = 0;
  double t_ = 0, before_t_ = 0, gap_ = 0, exchange_seconds_ = 0;
};

}  // namespace hooke
