// Threads: the chain of Malczyk et al. (2019), 5.2, by the number of links and of threads, alone and beside busy
// programs. Prints a table (CSV) that papers/malczyk/threads/run keeps for the page. Needs hooke_core only.
//
//   malczyk_threads [MOST_THREADS [SECONDS]]     of about so many seconds
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/base/timer.h"
#include "hooke/bodies/rigid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/projector.h"
#include "hooke/joints/joints.h"
#include "hooke/system/system.h"

namespace {

using namespace hooke;

constexpr double h = 0.01;

/// Index 3, trapezoidal rule, three iterations, both projections: as in papers/malczyk/malczyk.cpp.
GeneralizedAlphaSettings scheme(std::shared_ptr<Team> team) {
  GeneralizedAlphaSettings s{AlphaParameters::trapezoidal(),
                             ConstraintForm::index3,
                             Projection::kinematic,
                             {},
                             InertiaTangent::masses};
  s.newton = {.geometric_stiffness = false, .fixed_iterations = 3};
  s.newton.solver = "dca";
  s.newton.team = std::move(team);
  return s;
}

struct Chain {
  System system;
  State start;

  explicit Chain(int n) {
    int last = system.add_ground_frame({});
    for (int i = 0; i < n; ++i) {
      RigidBody link;  // 1 kg, 1 kg m2
      link.start.p = Vec3(i + 0.5, 0, 0);
      const int body = system.add_body(link, "link " + std::to_string(i + 1));
      const auto frame = [&](double x) {
        return system.add_frame<RigidBody>(body, link.attach({identity3, Vec3(x, 0, 0)}));
      };
      system.add_constraint(joints::Spherical{}, std::array{last, frame(-0.5)},
                            "joint " + std::to_string(i + 1));
      last = frame(0.5);
    }
    system.finish(Vec3(0, -9.81, 0));
    start = system.initial_state();
    Projector(system, {}).accelerations(start);
  }

  /// Of one step: the mean over `steps`, after three that find memory and threads.
  double step_time(const std::shared_ptr<Team>& team, int steps) {
    system.use(team);
    GeneralizedAlpha integrator(system, scheme(team));
    State state = start;
    for (int i = 0; i < 3; ++i) integrator.step(state, h);
    const Timer timer;
    for (int i = 0; i < steps; ++i) integrator.step(state, h);
    return timer.seconds() / steps;
  }
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

/// Programs that do nothing but keep processors busy.
class Busy {
 public:
  explicit Busy(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~Busy() { done_ = true; }

 private:
  std::atomic<bool> done_ = false;
  std::vector<std::jthread> threads_;
};

/// Each number of threads in turn, several rounds, for about so many seconds. Least times, or means where others want the
/// processors too.
void measure(const char* kind, int n, const std::vector<int>& threads, double seconds, bool least) {
  Chain chain(n);
  std::vector<std::shared_ptr<Team>> teams;
  for (int p : threads) teams.push_back(p > 1 ? std::make_shared<Team>(p) : nullptr);
  const double share = seconds / static_cast<double>(threads.size());  // of a number of threads
  const double once = std::max(chain.step_time(nullptr, 2), 1e-7);
  const int steps = std::clamp(static_cast<int>(share / 20 / once), 5, 100000);
  std::vector<double> best(threads.size(), INFINITY), sum(threads.size(), 0.0);
  int rounds = 0;
  for (const Timer timer; rounds < 3 || timer.seconds() < seconds; ++rounds)
    for (std::size_t k = 0; k < threads.size(); ++k) {
      const double time = chain.step_time(teams[k], steps);
      best[k] = std::min(best[k], time), sum[k] += time;
    }
  for (std::size_t k = 0; k < threads.size(); ++k)
    std::printf("%s,%d,%d,%.5g\n", kind, n, threads[k], least ? best[k] : sum[k] / rounds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int most = argc > 1 ? std::atoi(argv[1]) : cores;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 150;
  std::vector<int> threads;
  for (int p : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32})
    if (p <= most) threads.push_back(p);
  std::printf("# %s, %d cores, members by trial\nkind,n,threads,step\n", processor().c_str(), cores);
  const std::vector<int> sizes{2, 8, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384};
  for (int n : sizes) measure("alone", n, threads, 0.6 * seconds / static_cast<double>(sizes.size()), true);
  for (int n : {128, 512, 4096}) {
    {
      const Busy one(1);
      measure("one busy", n, threads, 0.4 * seconds / 6, false);
    }
    const Busy all(cores);
    measure("all busy", n, threads, 0.4 * seconds / 6, false);
  }
}
