#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

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
/// Beside a busy program a member may lose its processor for milliseconds, while all others wait. Who had to wait so long
/// does all parts alone for a while, 32 times as long, so that this costs a few percent at most.
class Team {
 public:
  explicit Team(int members) {
    for (int m = 1; m < members; ++m) threads_.emplace_back([this, m] { serve(m); });
  }
  ~Team() {
    job_ = nullptr;
    start();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// work(member) for all members at once, the caller being number 0; returns when all are done.
  template <class Work>
  void run(Work&& work) {
    if (threads_.empty()) return work(0);
    const Clock::time_point begin = Clock::now();
    if (begin < alone_until_) {
      for (int member = 0; member < size(); ++member) work(member);
      return;
    }
    job_ = [](void* what, int member) { (*static_cast<std::remove_reference_t<Work>*>(what))(member); };
    argument_ = &work;
    left_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    start();
    work(0);
    if (left_.load(std::memory_order_acquire) == 0) return;
    const Clock::time_point done = Clock::now();
    for (int left, turns = 0; (left = left_.load(std::memory_order_acquire)) != 0;)
      if (!is_patient(turns)) left_.wait(left, std::memory_order_acquire);
    const Clock::time_point end = Clock::now();
    if (end - done > std::max<Clock::duration>(long_wait, 5 * (done - begin)))
      alone_until_ = end + 32 * (end - done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds long_wait{1};  ///< a few hundred times what it takes to be woken

  /// Ten microseconds of an empty loop, then about a millisecond of giving way to others. Sleeping is for
  /// long pauses: to be woken takes longer than most of what is shared here.
  static bool is_patient(int& turns) {
    constexpr int empty = 20000, yielding = 2000;
    if (++turns <= empty) return true;
    if (turns > empty + yielding) return false;
    std::this_thread::yield();
    return true;
  }

  void start() {
    place_ = sched_getcpu();
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void serve(int member) {
    for (unsigned seen = 0;;) {
      for (int turns = 0; round_.load(std::memory_order_acquire) == seen;)
        if (!is_patient(turns)) round_.wait(seen, std::memory_order_acquire);
      ++seen;
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

  std::atomic<unsigned> round_ = 0;
  std::atomic<int> left_ = 0;
  void (*job_)(void*, int) = nullptr;
  void* argument_ = nullptr;
  int place_ = -1;                     ///< the processor of the caller
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
