#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "hooke/base/team_size.h"

namespace hooke {

/// One thread's share of a loop: whole grains, so that what is computed together does not depend on the
/// shares.
struct Share {
  int member = 0, of = 1;
  std::pair<int, int> of_loop(int count, int grain = 1) const {
    if (of == 1) return {0, count};
    const int grains = (count + grain - 1) / grain;
    return {std::min(count, grain * (grains * member / of)),
            std::min(count, grain * (grains * (member + 1) / of))};
  }
};

/// Fewer bodies than this are not worth sharing among threads: starting and waiting takes about a
/// microsecond, a dozen times in an iteration, and a body takes a few tenths. (On two threads 64 links gained
/// nothing, 128 a quarter.)
inline constexpr int worth_sharing = 100;

/// A few threads that work on their parts of the same thing, over and over: the parts of one time step take
/// microseconds, so whoever waits spins for a while before it sleeps.
///
/// How many of them take part is tried from step to step (TeamSize), which changes no bit of what is computed; the others
/// sleep. Within a step a member may lose its processor to a busy program for milliseconds. A part that it has not begun the
/// caller does for it. For one that it has begun all others wait: who had to wait long does all parts alone for a while, 32
/// times as long, so that this costs a few percent at most.
class Team {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Team(int most)
      : most_(std::clamp(most, 1, most_members)),
        tried_(most_),
        members_(most_),
        parts_(std::make_unique<Part[]>(most_)) {
    for (int m = 1; m < most_; ++m) threads_.emplace_back([this, m] { serve(m); });
  }
  ~Team() {
    job_ = nullptr;
    use(most_);
    start();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  int most() const { return most_; }
  /// That take part at present. It changes between steps only.
  int size() const { return members_.load(std::memory_order_relaxed); }

  /// work(member) for all members at once, the caller being number 0; returns when all are done.
  template <class Work>
  void run(Work&& work) {
    ++pieces_;
    const int members = size();
    if (members == 1) return work(0);
    const Clock::time_point begin = Clock::now();
    if (begin < alone_until_) {
      for (int member = 0; member < members; ++member) work(member);
      return;
    }
    job_ = [](void* what, int member) { (*static_cast<std::remove_reference_t<Work>*>(what))(member); };
    argument_ = &work;
    const unsigned round = start();
    work(0);
    int left = 0;
    for (int member = 1; member < members; ++member) {
      Part& part = parts_[member];
      if (unsigned last = part.taken.load(std::memory_order_acquire);
          last != round && part.take(last, round)) {
        work(member);
        part.done.store(round, std::memory_order_relaxed);
      } else {
        left += part.done.load(std::memory_order_acquire) != round;
      }
    }
    if (left == 0) return;
    const Clock::time_point done = Clock::now();
    Patience patience;
    for (int member = 1; member < members; ++member)
      for (unsigned last; (last = parts_[member].done.load(std::memory_order_acquire)) != round;)
        if (!patience.lasts()) parts_[member].done.wait(last, std::memory_order_acquire);
    const Clock::time_point end = Clock::now();
    if (end - done > std::max<Clock::duration>(long_wait, 5 * (done - begin)))
      alone_until_ = end + 32 * (end - done);
  }

  /// A time step, from here to the end of the scope: how long it takes tells how many members are worth having.
  class Step {
   public:
    explicit Step(Team* team) : team_(team && team->most_ > 1 && !team->is_in_step_ ? team : nullptr) {
      if (!team_) return;
      team_->is_in_step_ = true;
      team_->pieces_ = 0;
      begin_ = Clock::now();
      was_alone_ = team_->size() > 1 && begin_ < team_->alone_until_;
    }
    ~Step() {
      if (!team_) return;
      const std::chrono::duration<double> time = Clock::now() - begin_;
      const bool is_hindered = team_->size() > 1 && begin_ < team_->alone_until_;
      if (!was_alone_) team_->tried_.add(time.count(), team_->pieces_, is_hindered);
      team_->use(team_->tried_.members());
      team_->is_in_step_ = false;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Team* team_;
    Clock::time_point begin_{};
    bool was_alone_ = false;  ///< when it began
  };

 private:
  static constexpr std::chrono::milliseconds long_wait{1};  ///< a few hundred times what it takes to be woken
  static constexpr unsigned members_bits = 8;
  static constexpr int most_members = (1 << members_bits) - 1;

  /// Waiting: ten microseconds of an empty loop, then a millisecond of giving way to others; where they want the processor,
  /// one turn may take as long. Sleeping is for long pauses: to be woken takes longer than most of what is shared here.
  class Patience {
   public:
    bool lasts() {
      constexpr int empty = 20000;
      if (++turns_ <= empty) return true;
      if (turns_ == empty + 1) since_ = Clock::now();
      std::this_thread::yield();
      return Clock::now() - since_ < std::chrono::milliseconds(1);
    }

   private:
    int turns_ = 0;
    Clock::time_point since_{};
  };

  void use(int members) {
    if (members == size()) return;
    members_.store(members, std::memory_order_release);
    members_.notify_all();
  }
  unsigned start() {
    place_ = sched_getcpu();
    const unsigned count = (round_.load(std::memory_order_relaxed) >> members_bits) + 1;
    const unsigned round = (count << members_bits) + static_cast<unsigned>(size());
    round_.store(round, std::memory_order_release);
    round_.notify_all();
    return round;
  }
  static bool counts(unsigned round, int member) {
    return member < static_cast<int>(round & ((1u << members_bits) - 1));
  }
  unsigned round_after(unsigned seen) const {
    for (Patience patience;;) {
      if (const unsigned now = round_.load(std::memory_order_acquire); now != seen) return now;
      if (!patience.lasts()) round_.wait(seen, std::memory_order_acquire);
    }
  }
  /// Asleep until it is one of those who take part.
  void sleep_until_wanted(int member) const {
    for (int members; member >= (members = members_.load(std::memory_order_acquire));)
      members_.wait(members, std::memory_order_acquire);
  }
  /// What a member has to do in a round. Whoever takes it does it: the member, or the caller when all its own is done.
  struct alignas(64) Part {
    std::atomic<unsigned> taken = 0, done = 0;  ///< in this round
    bool take(unsigned last, unsigned round) {
      return taken.compare_exchange_strong(last, round, std::memory_order_acq_rel);
    }
  };

  /// A round does not end before all its parts were taken: what has not changed since the round was seen belongs to it. What
  /// there is to do may be read by who has taken a part, since the round then waits.
  void serve(int member) {
    Part& part = parts_[member];
    for (unsigned seen = 0;;) {
      const unsigned now = round_after(seen);
      if (!counts(now, member)) {
        seen = now;
        sleep_until_wanted(member);
        continue;
      }
      const unsigned last = part.taken.load(std::memory_order_acquire);
      if (last == now) seen = now;
      if (last == now || round_.load(std::memory_order_acquire) != now || !part.take(last, now)) continue;
      seen = now;
      if (!job_) return;
      if (sched_getcpu() == place_) step_aside();
      job_(argument_, member);
      part.done.store(now, std::memory_order_release);
      part.done.notify_one();
    }
  }

  /// A thread that was woken may find itself on the processor of the one that woke it, where it could only
  /// work after it.
  void step_aside() const {
    cpu_set_t allowed, others;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    others = allowed;
    CPU_CLR(place_, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof allowed, &allowed);
  }

  int most_;
  TeamSize tried_;
  bool is_in_step_ = false;
  int pieces_ = 0;  ///< shared in this step
  alignas(64) std::atomic<unsigned> round_ =
      0;  ///< a count, and in its last bits how many take part in this one
  std::atomic<int> members_;
  void (*job_)(void*, int) = nullptr;
  void* argument_ = nullptr;
  int place_ = -1;  ///< the processor of the caller
  std::unique_ptr<Part[]> parts_;
  Clock::time_point alone_until_{};    ///< works without the others
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

/// work(Share) by every member of a team; without one the caller does it all.
template <class Work>
void share_out(Team* team, Work&& work) {
  if (team)
    team->run([&](int member) { work(Share{member, team->size()}); });
  else
    work(Share{});
}

}  // namespace hooke
