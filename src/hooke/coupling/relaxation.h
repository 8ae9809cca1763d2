#pragma once
#include <memory>

#include "hooke/base/team.h"
#include "hooke/coupling/acceleration.h"
#include "hooke/coupling/participant.h"

namespace hooke {

/// Advances participants over a macro step, again and again, until what each of them gives is what the others
/// were told: waveform iteration with values at communication points. All outputs stand in one vector Y, one
/// participant's after the other's.
///
///   gauss-seidel   one after the other, each with the newest values; what Y says of the first participant
///                  when the step begins is never used
///   jacobi         all at once, on a team of threads if there is one, with the last iteration's values
class Relaxation {
 public:
  /// `sources[i]`: where in Y the inputs of participant i stand. `scale`: the unit of each entry of Y.
  /// `settles_first`: outputs hardly depend on inputs, so that they settle before the states that the inputs
  /// act on. The iteration then ends by how much outputs still change; otherwise by the error that is left in
  /// them, as far as the acceleration can tell.
  Relaxation(std::vector<Participant*> participants, std::vector<std::vector<int>> sources, VectorX scale,
             const CouplingSettings& settings, std::shared_ptr<Team> team = nullptr,
             bool settles_first = false);

  struct Report {
    bool converged = false;
    int iterations = 0;
    double change = 0;                      ///< of the last iteration, in units of `scale`
    std::string failure;                    ///< why not, and what would help
    std::vector<Participant::Report> last;  ///< what each participant said last
  };
  /// One macro step. Y: the first guess, then the outputs. When it fails all participants are where they
  /// began. `forget`: participants are not what they were, so earlier iterations tell nothing.
  const Report& step(VectorX& Y, double h, bool forget = false);

  struct Totals {
    long steps = 0, iterations = 0;
    int most = 0;                 ///< iterations of a step
    double largest_change = 0;    ///< that the last iteration of a step made, in units of `scale`
    std::vector<long> worst;      ///< how often an entry of Y settled last
    std::vector<double> seconds;  ///< of each participant's advances
    std::vector<long> newton;     ///< of each participant's own iterations

    void archive(auto& a) { a(steps, iterations, most, largest_change, worst, seconds, newton); }
  };
  const Totals& totals() const { return totals_; }
  void archive(auto& a) { a(totals_); }
  double iterations() const;  ///< a step
  /// What settled last most often, and of how many of the steps that is true: for messages.
  std::pair<std::string, double> slowest() const;

 private:
  bool advance_all(double h);
  void go_back();
  double next();
  bool is_settled(double left) const;
  void accept(VectorX& Y);
  bool may_go_on();
  void advance(int i, const VectorX& from, double h);
  int owner(int entry) const;
  std::string name_of(int entry) const;

  std::vector<Participant*> participants_;
  std::vector<std::vector<int>> sources_;
  std::vector<int> offsets_;
  VectorX scale_;
  CouplingSettings settings_;
  std::shared_ptr<Team> team_;
  FixedPointAcceleration acceleration_;
  int first_used_ = 0;  // entries of Y before this one are not used before they are computed
  bool settles_first_;
  Report report_;
  Totals totals_;
  double last_h_ = 0, first_change_ = 0, last_change_ = 0;
  int worst_ = 0;  // entry of Y
  VectorX x_, y_, scaled_x_, r_;
  std::vector<VectorX> inputs_, outputs_;
};

}  // namespace hooke
