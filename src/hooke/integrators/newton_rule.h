#pragma once
#include <algorithm>
#include <cmath>

#include "hooke/integrators/integrator.h"

namespace hooke {

/// As the settings say, for a matrix with `mass` times M and `stiffness` times K: a fixed penalty, or a share of each
/// row's compliance. A penalty closes a joint by less in an iteration the smaller the step is, until steps that are
/// halved because they do not converge converge even less; so there is a share that it does not exceed.
void regularise(KktMatrix& kkt, const NewtonSettings& settings, double mass, double stiffness, const Dae& dae,
                Team* team = nullptr);

/// When a Newton iteration renews its tangent, when it has converged and when it has failed: one rule, so
/// that methods are compared by what they are and not by how long they try. An increment is measured as in
/// NewtonSettings.
///
///   tangent    renewed when the step size changes, at the start of a step unless the tangent converges at
///              `reuse_rate`, and in any iteration that leaves more than `renew_rate` of the error;
///   converged  when the error left, rate/(1 - rate) times the last increment, is below the tolerance and
///              below a small share of the predictor's error (an error e of q is e/h in v, in every step
///              anew, so what is tolerable falls with h), or at the level of round-off;
///   limited    an increment longer than half the mechanism or half a radian is shortened to that; one that is
///              longer than the last although that was to remove the error, to half the last, and what the next
///              may be grows again by a factor of two while increments get shorter (a trust region);
///   failed     when an increment is far larger than the mechanism, or after `max_iterations`; an iteration
///              that stagnates (a singular position) is still good when it does so far below the error of the
///              method.
///
/// With `fixed_iterations` every step has exactly that many, all with the tangent of the first, and only
/// divergence is a failure.
class NewtonRule {
 public:
  enum class Verdict { go_on, converged, diverges, gave_up };

  explicit NewtonRule(const NewtonSettings& settings) : settings_(settings) {}

  /// A step begins; increments below `noise` are round-off. With `again` it is the last one, changed a little
  /// and started from where that ended: what may be left is what was. A tangent of another mode does not serve.
  void begin(double noise, int mode, bool again = false) {
    if (mode != mode_) usable_ = false;
    mode_ = mode;
    noise_ = noise;
    iteration_ = 0;
    again_ = again;
    ratio_ = 0;
    is_steady_ = false;
    reach_ = longest;
  }
  /// A new tangent in every iteration.
  void renew_always(bool always) { always_ = always; }
  bool wants_tangent(double h) const {
    if (always_) return true;
    if (settings_.fixed_iterations) return iteration_ == 0;
    const double acceptable = iteration_ == 0 && !again_ ? settings_.reuse_rate : settings_.renew_rate;
    return !usable_ || settings_.renew_rate == 0 || std::abs(h / tangent_h_ - 1) > step_change ||
           (rate_known_ && rate_ > acceptable);
  }
  void renewed(double h, bool usable) {
    usable_ = usable;
    tangent_h_ = h;
    age_ = 0;
    if (!always_) rate_known_ = rate_carries_over_ = false;
  }
  /// What an increment of this size is to be multiplied with. The linear model it comes from holds for part of the
  /// mechanism's extent and of a radian: beyond that lie other roots, whose energy is not that of the motion.
  double pace(double change) {
    if (settings_.fixed_iterations) return std::min(1.0, longest / change);
    const bool grows = iteration_ > 0 && last_ > coarse && change > last_;
    reach_ = grows ? 0.5 * std::min(reach_, last_) : std::min(longest, 2 * reach_);
    return change > reach_ ? reach_ / change : stretch();
  }
  /// An increment longer than this is not that of the linear model it comes from.
  static constexpr double longest = 0.5;
  /// What the increment just made says; `method_error()` is the local error of the method, in the same units.
  Verdict judge(double change, auto&& method_error) {
    if (!(change < divergence)) return Verdict::diverges;  // also when it is not a number
    if (iteration_ == 0) {
      if (!again_) first_ = change;
      rate_ = std::pow(rate_, ageing);  // a tangent gets older, and one iteration does not measure its rate
    } else if (change > noise_) {
      is_steady_ = std::abs(change / last_ - ratio_) <= steadiness * ratio_;
      ratio_ = change / last_;
      rate_ = rate_known_ ? std::max(rate_memory * rate_, change / last_) : change / last_;
      rate_known_ = true;
      // In the step it is of, a tangent is far better than in the next, unless that has a new one as well.
      rate_carries_over_ = always_ || age_ > iteration_;
    }
    ++iteration_;
    ++age_;
    const bool can_tell = rate_known_ && (iteration_ > 1 || rate_carries_over_);
    const double left = can_tell ? std::min(1.0, rate_ / std::max(1 - rate_, slowest)) : 1.0;
    const bool stagnates = iteration_ > patience && change > stagnation * last_,
               is_last = iteration_ >= settings_.max_iterations;
    const bool at_noise = iteration_ > 1 && change > noise_rate * last_ && change <= near_noise * noise_;
    last_ = change;
    if (settings_.fixed_iterations)
      return iteration_ < *settings_.fixed_iterations ? Verdict::go_on : Verdict::converged;
    if (change * left <= target() || at_noise) return Verdict::converged;
    if ((stagnates || is_last) &&
        change <= std::max(settings_.tolerance, std::min(method_share * method_error(), most_unsettled)))
      return Verdict::converged;
    return is_last ? Verdict::gave_up : Verdict::go_on;
  }
  /// Newton's iteration by this rule: evaluate() the trial state, refresh_tangent() where one is due (false:
  /// singular), correct() it by an increment whose size it returns. Says why it fails, if it does.
  const char* iterate(double h, StepReport& report, auto&& evaluate, auto&& refresh_tangent, auto&& correct,
                      auto&& local_error) {
    for (;;) {
      evaluate();
      if (wants_tangent(h)) {
        ++report.factorizations;
        renewed(h, refresh_tangent());
        if (!usable_) return "the Newton matrix is singular";
      }
      const double change = correct();
      ++report.iterations;
      const Verdict verdict = judge(change, local_error);
      if (verdict == Verdict::converged) return nullptr;
      if (verdict == Verdict::diverges) return "Newton's iteration diverges";
      if (verdict == Verdict::gave_up) return "Newton's iteration did not converge";
    }
  }
  /// The error that may be left.
  double target() const { return std::max(noise_, std::min(settings_.tolerance, predictor_share * first_)); }

 private:
  /// Next to a singular position rows are nearly dependent, the regularisation removes a steady share of what is left
  /// of them in every iteration and no more, and the sum of that series is known.
  double stretch() {
    if (!is_steady_ || iteration_ < 3 || !(ratio_ > slow && ratio_ < 1 - slowest * slowest)) return 1;
    is_steady_ = false;
    return 1 / (1 - ratio_);
  }

  // The first two are those of well known codes (Hairer, Wanner; SUNDIALS). The others are round numbers, set
  // by judgement: the number of iterations depends on them, the solution only within its accuracy.
  static constexpr double ageing = 0.8;       // exponent of the rate at the start of a step: RADAU5
  static constexpr double rate_memory = 0.3;  // share of the last rate that a faster iteration keeps: CVODE
  static constexpr double step_change = 0.1;  // relative, that makes a tangent (m, d, k depend on h) too old
  static constexpr double divergence = 1e3;   // an increment of so many times the mechanism's extent
  static constexpr double coarse = 1e-2;      // an increment, in the same unit, below which they may grow
  static constexpr double slowest = 0.1;      // least 1 - rate in the estimate of the error left
  static constexpr double slow = 0.3;         // ratio of two increments that is worth a stretch,
  static constexpr double steadiness = 0.15;  // when it differs from the last one by this share at most
  static constexpr double predictor_share = 1e-3;  // of the first increment, the error of the prediction
  static constexpr double method_share = 0.1;      // of the method's error, where the iteration stagnates
  static constexpr double most_unsettled = 1e-6;   // and of the mechanism's extent, likewise
  static constexpr int patience = 4;               // iterations before it counts as stagnating
  static constexpr double stagnation = 0.9;        // an increment of at least this times the last one
  static constexpr double noise_rate = 0.5;        // likewise, for increments near round-off:
  static constexpr double near_noise = 100;        // below this times the round-off

  NewtonSettings settings_;
  int mode_ = 0, iteration_ = 0, age_ = 0;  // in this step, with this tangent
  double noise_ = 0, reach_ = longest, first_ = 0, last_ = 0, rate_ = 1, tangent_h_ = 1, ratio_ = 0;
  bool is_steady_ = false;
  bool usable_ = false, rate_known_ = false, rate_carries_over_ = false, again_ = false, always_ = false;
};

/// An increment in dof units, largest entry.
inline double size_of(const VectorX& dq, const Dae& dae) {
  return dq.cwiseQuotient(dae.dof_scale()).lpNorm<Eigen::Infinity>();
}
/// Increments below this, in dof units, are round-off: a few units in the last place of q, whose digits are
/// fewer in these units when the mechanism is far from the origin.
inline double round_off(const State& state, const Dae& dae) {
  constexpr double last_place = 1e-15;
  return last_place * std::max(1.0, state.q.lpNorm<Eigen::Infinity>() / dae.dof_scale().minCoeff());
}
/// The report of a step that failed, with why and where: the largest residual and constraint error.
StepReport rejected(StepReport report, const char* why, const Dae& dae, const VectorX& r, const VectorX& g);

}  // namespace hooke
