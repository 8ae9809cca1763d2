#include "hooke/gpu/mechanism_batch.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "hooke/base/timer.h"
#include "hooke/gpu/cuda_engine.h"
#include "hooke/gpu/mechanism_step.h"

namespace hooke::gpu {

void MechanismBatch::add(const System& system, const State& state) {
  const std::size_t size = static_cast<std::size_t>(model_.plan().numbers());
  if (!systems_.empty() && systems_.back() == &system) {  // the numbers of the last one once more
    numbers_.resize(numbers_.size() + size);
    std::copy_n(numbers_.end() - 2 * static_cast<std::ptrdiff_t>(size), size,
                numbers_.end() - static_cast<std::ptrdiff_t>(size));
  } else {
    model_.add_numbers(system, numbers_);
  }
  model_.add_state(state, states_);
  systems_.push_back(&system);
  ends_.push_back(state);
  ++instances_;
}

MechanismRun MechanismBatch::prepare(int steps, int every) {
  MechanismRun run{};
  run.plan = model_.plan();
  run.instances = instances_, run.steps = steps, run.every = every;
  courses_.clear();
  bool is_one = true;  // what drives and loads do is the same for all
  for (int i = 1; i < instances_; ++i)
    is_one = is_one && systems_[i] == systems_[0] && ends_[i].t == ends_[0].t;
  for (int i = 0; i < (is_one ? std::min(instances_, 1) : instances_) && run.plan.course() > 0; ++i)
    model_.add_courses(*systems_[i], ends_[i].t, steps, courses_);
  run.courses_apart = is_one ? 0 : static_cast<long long>(steps) * run.plan.course();
  outputs_.assign(static_cast<std::size_t>(steps / every + 1) * static_cast<std::size_t>(instances_) *
                      static_cast<std::size_t>(run.plan.output()),
                  std::numeric_limits<double>::quiet_NaN());
  log_.assign(static_cast<std::size_t>(instances_), {});
  run.numbers = numbers_.data(), run.state = states_.data(), run.courses = courses_.data();
  run.outputs = outputs_.data(), run.log = log_.data();
  return run;
}

void MechanismBatch::run_here(int steps, int every, int threads) {
  const MechanismRun run = prepare(steps, every);
  std::atomic<int> next = 0;
  const auto work = [&] {
    MechanismWorld sizes{};
    std::vector<double> scratch(static_cast<std::size_t>(sizes.place(run.plan, nullptr)));
    for (int i; (i = next++) < instances_;) run_instance(run, i, scratch.data(), OneLane{});
  };
  const Timer timer;
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < std::min(threads, instances_); ++k) others.emplace_back(work);
    work();
  }
  seconds_ = timer.seconds();
  for (int i = 0; i < instances_; ++i) ends_[i].t += log_[i].steps * model_.h();
}

bool MechanismBatch::run_on_device(int steps, int every, std::string& why) {
  if (device_blocks(why) == 0) return false;
  const MechanismRun run = prepare(steps, every);
  seconds_ = run_mechanisms(run);
  for (int i = 0; i < instances_; ++i) ends_[i].t += log_[i].steps * model_.h();
  return true;
}

void MechanismBatch::read(int output, int instance, State& state) const {
  const std::size_t at = static_cast<std::size_t>(output) * static_cast<std::size_t>(instances_) +
                         static_cast<std::size_t>(instance);
  model_.read(&outputs_[at * static_cast<std::size_t>(model_.plan().output())], state);
}

State MechanismBatch::state(int instance) const {
  State state = ends_[instance];
  model_.read_state(
      &states_[static_cast<std::size_t>(instance) * static_cast<std::size_t>(model_.plan().state())], state);
  return state;
}

}  // namespace hooke::gpu
