#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace hooke {

/// Whether a team is faster than its caller alone, found by trying both: small parts are not worth what waking and
/// waiting take, and beside a busy program a member may lose its processor for milliseconds, while all others wait. What
/// is shared repeats itself step by step, so the time from one piece of work to the next is compared, over some of them.
///
/// A trial takes a small share of the time, so that threads cost a few percent at most where they gain nothing.
class TeamAccount {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  bool alone() const { return alone_; }
  /// A piece of work was done; `own`: the caller's part of it, `waited`: what it then waited for others.
  void add(Clock::time_point now, Seconds own, Seconds waited) {
    if (count_++ == 0 && start_ == Clock::time_point{}) start_ = now;  // of the first only the end is known
    own_ += own, waited_ += waited;
    const Seconds elapsed = now - start_;
    const double other = cost_[alone_ ? 0 : 1];
    const bool is_late = !alone_ && (other > 0 ? elapsed.count() > 2 * count_ * other + long_wait.count()
                                               : waited > std::max(long_wait, 5 * own));
    const bool is_enough =
        count_ >= most || (count_ >= least && elapsed > enough) || (count_ >= few && elapsed > long_time);
    if (is_late || is_enough) close(now, elapsed.count(), is_late);
  }

 private:
  static constexpr int few = 16, least = 128,
                       most = 512;  ///< pieces that are looked at together: a step has some dozens
  static constexpr Seconds enough{0.01}, long_time{0.5}, long_wait{0.001};
  static constexpr double share = 64;  ///< a trial may cost this part of the time

  void close(Clock::time_point now, double elapsed, bool is_late) {
    const double cost = elapsed / count_, other = cost_[alone_ ? 0 : 1];
    cost_[alone_ ? 1 : 0] = cost;
    const bool well_used = !alone_ && waited_ < own_ && (own_ + waited_).count() > 1e-3 * count_;
    bool change = false;
    if (is_trial_) {
      change = cost > other;
      double lost = std::abs(elapsed - count_ * other);
      if (alone_ && !change)
        lost = std::min(lost, elapsed + long_wait.count());  // the team's next trial will end early
      next_ = now + std::chrono::duration_cast<Clock::duration>(
                        Seconds(std::max(share * lost, share / 4 * elapsed)));
      is_trial_ = false;
    } else if (is_late || (now >= next_ && !well_used)) {
      change = is_trial_ = true;
    }
    if (change) alone_ = !alone_;
    count_ = 0, own_ = waited_ = Seconds{};
    start_ = now;
  }

  bool alone_ = false, is_trial_ = false;
  int count_ = 0;
  Clock::time_point start_{}, next_{};
  Seconds own_{}, waited_{};
  std::array<double, 2> cost_{};  ///< seconds a piece, of the team and alone, when last looked at
};

}  // namespace hooke
