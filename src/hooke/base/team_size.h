#pragma once
#include <algorithm>
#include <array>
#include <vector>

namespace hooke {

/// How many members of a team take part, found by trying 1, 2, 4, ... of them. Few bodies are not worth what waking and
/// waiting take, and beside a busy program a member may lose its processor for milliseconds, while all others wait:
/// nothing tells that beforehand.
///
/// Whole steps are timed. The cost of one is its time by the number of pieces that were shared in it, so that more
/// iterations do not count; that of an epoch is the median of its steps, so that a new tangent now and then does not,
/// either. A challenger is tried for an epoch and takes over when it is faster twice, each time than the epoch of the
/// present number just before. A lost trial is followed by 50 times the time that it cost, and by twice as long after each
/// further one, up to 16 times: beside programs that stay busy trials become rare. At the start, and when an epoch takes far
/// longer than the one before, one member is tried at once, and once is enough.
class TeamSize {
 public:
  explicit TeamSize(int most) {
    for (int m = 1; m < most; m *= 2) sizes_.push_back(m);
    sizes_.push_back(most);
    now_ = home_ = static_cast<int>(sizes_.size()) - 1;
  }
  int members() const { return sizes_[static_cast<std::size_t>(now_)]; }

  /// A step took so long and shared so many pieces. Hindered: a member kept the others waiting for long.
  void add(double seconds, int pieces, bool hindered = false) {
    if (pieces == 0 || sizes_.size() == 1) return;
    if (hindered && cost_ == 0 && is_first_) {  // the very first step: much else happens in it
      is_first_ = false;
      return;
    }
    if (hindered) return give_way(seconds - pieces * cost_);
    if (count_ == 1 && is_first_) count_ = 0, is_first_ = false;  // it found caches and sleepers
    costs_[count_++] = seconds / pieces;
    elapsed_ += seconds, pieces_ += pieces, quiet_ -= seconds, unalarmed_ -= seconds;
    if ((count_ >= least_steps && elapsed_ >= least_time) || count_ == costs_.size()) close();
  }

 private:
  static constexpr std::size_t least_steps = 4;
  static constexpr double least_time = 1e-3;  ///< of an epoch, s: twenty times what it takes to wake a thread
  static constexpr double gain = 0.98;        ///< what a challenger may take at most of the present cost
  static constexpr double share = 50;         ///< a lost trial is followed by so many times what it cost
  static constexpr double pause = 10;         ///< and by so many epochs
  static constexpr double most_patience =
      16;                             ///< both at most so many times as long, where trials keep losing
  static constexpr double far = 1.5;  ///< times as slow as before: others want the processors
  static constexpr double long_piece = 1e-3;  ///< s: beside it waking is nothing, and no trial is urgent

  bool is_trial() const { return now_ != home_; }

  void close() {
    const auto middle = costs_.begin() + (static_cast<std::ptrdiff_t>(count_) - 1) / 2;
    std::nth_element(costs_.begin(), middle, costs_.begin() + static_cast<std::ptrdiff_t>(count_));
    if (is_trial())
      judge(*middle);
    else
      look(*middle);
  }

  /// After an epoch of a challenger.
  void judge(double cost) {
    if (cost > gain * cost_) return lose(elapsed_ * (1 - cost_ / cost));
    if (++wins_ == 2) {
      home_ = now_, wins_ = 0, quiet_ = 0;  // and on, in the same direction
      patience_ = std::max(1.0, patience_ / 2);
      cost_ = cost;
      if (home_ == 0) direction_ = 1;
    }
    go(home_);
  }

  /// After one of the present number.
  void look(double cost) {
    unhindered_ += elapsed_;
    const bool is_first = cost_ == 0;
    if (is_first && cost > long_piece) quiet_ = share * elapsed_;
    const bool is_far =
        home_ > 0 && wins_ == 0 && unalarmed_ <= 0 && (is_first ? cost <= long_piece : cost > far * cost_);
    cost_ = cost;
    if (wins_ > 0) return go(challenger_);
    if (is_far) {
      wins_ = 1;  // one is enough
      is_alarm_ = !is_first;
      return go(challenger_ = 0);
    }
    if (quiet_ > 0) return restart();
    go(challenger_ = next());
  }

  /// Neighbours in turn, as long as they win in the same direction; one member now and then, since it may be the better one
  /// where few are not.
  int next() {
    if (home_ > 1 && ++trials_ % 3 == 0) return 0;
    if (home_ + direction_ < 0 || home_ + direction_ >= static_cast<int>(sizes_.size()))
      direction_ = -direction_;
    return home_ + direction_;
  }

  /// To others who want the processors: at once in a trial, otherwise when it happens again too soon.
  void give_way(double cost) {
    if (!is_trial()) {
      const bool is_rare = unhindered_ >= share * cost;
      unhindered_ = 0;
      if (is_rare) return;
      home_ = 0, direction_ = -1;
    }
    lose(cost);
  }
  void lose(double cost) {
    quiet_ = patience_ * std::max(share * cost, pause * elapsed_);
    patience_ = std::min(most_patience, 2 * patience_);
    if (is_alarm_) unalarmed_ = quiet_;
    wins_ = 0;
    direction_ = -direction_;
    go(home_);
  }
  void go(int to) {
    if (to == home_) is_alarm_ = false;
    is_first_ = to != now_;
    now_ = to;
    restart();
  }
  void restart() { count_ = 0, elapsed_ = 0, pieces_ = 0; }

  std::vector<int> sizes_;
  int now_ = 0, home_ = 0, challenger_ = 0, direction_ = -1, wins_ = 0, trials_ = 0;
  double cost_ = 0;                   ///< of a piece, in the last epoch of the present number
  double quiet_ = 0, unalarmed_ = 0;  ///< seconds until a trial, and one out of turn, may follow
  double patience_ = 1;               ///< doubled by every lost trial
  double unhindered_ = 0;             ///< seconds with the present number since it was
  bool is_alarm_ = false;             ///< one member is tried out of turn
  bool is_first_ = true;              ///< the next step is the first with this number
  std::array<double, 64> costs_{};    ///< of a piece, in each step of this epoch
  std::size_t count_ = 0;
  double elapsed_ = 0, pieces_ = 0;
};

}  // namespace hooke
