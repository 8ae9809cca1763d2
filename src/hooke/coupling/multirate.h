#pragma once
#include <Eigen/LU>
#include <memory>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/coupling/participant.h"
#include "hooke/coupling/settings.h"

/// Participants with steps of their own, coupled by Newton's iteration on mean reactions.
///
/// A coarse participant takes one step over a macro step H, a fine one many. At an interface the coarse one is told the
/// mean w of the reaction over the macro step, and tells its motion u = (x, v) at the end. The fine one follows that
/// motion, on a cubic in between, and tells the mean of the reaction that it exerted. They agree where
///
///   r(w) = w_fine(u_coarse(w)) - w = 0
///
/// Why means: both sides then see the same impulse H w, so that momentum is kept exactly, and a mass of the fine side
/// acts on the coarse one as its own, at any ratio. The reaction at the end of the step would do neither: positions of a
/// step agree with its velocities to second order only, so the acceleration of the course at its end is known to first
/// order. Joints do not open: the fine side is where the coarse one is, in position and velocity.
///
/// J = dr/dw is found by asking, one advance of all for each entry of w. Then every iteration improves it (Broyden),
/// over macro steps too, until what an old one costs is worth asking again.
namespace hooke {

/// What is exchanged at an interface: so many positions and rates one way (pose with quaternion and twist of a frame: 7
/// and 6; a coordinate: 1 and 1), as many mean forces as rates the other.
struct MultirateInterface {
  int positions = 1, rates = 1;
  int motions() const { return positions + rates; }
  bool is_pose() const { return positions > rates; }
};

class MultirateCoupling {
 public:
  struct Side {
    Participant* participant;
    std::vector<int> interfaces;  ///< in the order of its inputs and outputs
  };
  struct Settings {
    /// largest error of u left: positions in units of `length` or rad, rates times H
    double tolerance = 1e-10;
    int iterations = 50;
    double length = 1;
  };
  MultirateCoupling(std::vector<MultirateInterface> interfaces, std::vector<Side> coarse,
                    std::vector<Side> fine, const Settings& settings, std::shared_ptr<Team> team = nullptr);

  /// From where the participants are; w: the reaction there.
  void begin(double t, const VectorX& w);
  /// One macro step; the report's iterations are those inside the participants. When it fails all are where they began.
  Participant::Report step(double h);
  double time() const { return t_; }

  struct Totals {
    long steps = 0, iterations = 0, responses = 0;
    int most = 0;  ///< iterations of a step
    double response_seconds = 0;
    std::vector<double> seconds;  ///< of each participant's advances, coarse ones first

    void archive(auto& a) { a(steps, iterations, responses, most, response_seconds, seconds); }
  };
  const Totals& totals() const { return totals_; }
  /// What the next macro step depends on, and sums.
  void archive(auto& a) { a(w_, last_w_, last_h_, t_, totals_); }

 private:
  struct Member : Side {
    bool is_coarse = false;
    std::vector<int> motions{}, forces{};  // its interfaces' entries of u, and of w
    VectorX input{}, output{}, told{};     // told: what the next advance is with
    bool is_advanced = false;              // over this macro step, with `input`
    Participant::Report report{};
  };
  Member make_member(const Side& side, bool is_coarse) const;
  void advance(bool coarse, double h);
  std::string advance(double h, Participant::Report& report);
  std::string failure() const;
  double size(const VectorX& du) const;
  std::string find_response(double h, Participant::Report& report);
  void learn();
  double find_correction();
  void restore();

  std::vector<MultirateInterface> interfaces_;
  std::vector<Member> members_;  // coarse ones first
  Settings settings_;
  std::shared_ptr<Team> team_;
  VectorX w_, last_w_;                 // means of the last macro steps
  VectorX told_, found_, r_, next_r_;  // means: told to the coarse, found by the fine, and how they differ
  VectorX dw_, scaled_dw_;             // correction of told_
  VectorX u_, du_, unit_, unit_h_;  // motions at the end, a change of them; their units, with rates times H
  VectorX probe_;                   // of each entry of w, how much it is changed to ask; 0: not known
  MatrixX U_, J_, scaled_J_;        // du/dw, dr/dw
  Eigen::PartialPivLU<MatrixX> factor_;
  double t_ = 0, last_h_ = 0;              // last_h_: 0 before the first step
  double response_h_ = 0;                  // what the responses are of; 0: there are none
  int fresh_iterations_ = 0, wasted_ = 0;  // of the first step with these responses; more than that, since
  Totals totals_;
};

}  // namespace hooke
