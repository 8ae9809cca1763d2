#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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
/// sleep. Within a step a member may lose its processor to a busy program for milliseconds, while all others wait. Who had to
/// wait so long does all parts alone for a while, 32 times as long, so that this costs a few percent at most.
class Team {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Team(int most) : most_(std::clamp(most, 1, most_members)), tried_(most_), members_(most_) {
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
    left_.store(members - 1, std::memory_order_relaxed);
    start();
    work(0);
    if (left_.load(std::memory_order_acquire) == 0) return;
    const Clock::time_point done = Clock::now();
    Patience patience;
    for (int left; (left = left_.load(std::memory_order_acquire)) != 0;)
      if (!patience.lasts()) left_.wait(left, std::memory_order_acquire);
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
  void start() {
    place_ = sched_getcpu();
    const unsigned count = (round_.load(std::memory_order_relaxed) >> members_bits) + 1;
    round_.store((count << members_bits) + static_cast<unsigned>(size()), std::memory_order_release);
    round_.notify_all();
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
  /// A round that counts a member waits for it: what counts it and is not the last it saw is still to be done.
  void serve(int member) {
    for (unsigned seen = 0;;) {
      unsigned now = round_after(seen);
      while (!counts(now, member)) {
        sleep_until_wanted(member);
        now = round_.load(std::memory_order_acquire);
        if (!counts(now, member)) now = round_after(now);
      }
      seen = now;
      if (!job_) return;
      if (sched_getcpu() == place_) step_aside();
      job_(argument_, member);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
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
  int place_ = -1;                         ///< the processor of the caller
  alignas(64) std::atomic<int> left_ = 0;  // apart: who still waits for a round does not see it change
  Clock::time_point alone_until_{};        ///< works without the others
  std::vector<std::jthread> threads_;      // last: joined before the rest goes
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
