#include "hooke/gpu/solid_batch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "hooke/base/timer.h"

namespace hooke::gpu {

SolidBatch::SolidBatch(const DeviceModel& model, bool plain)
    : model_(model),
      nodes_(model.component_of.size()),
      size_(static_cast<std::size_t>(state_numbers(model.data()))),
      output_(static_cast<std::size_t>(output_numbers(model.data()))) {
  std::string why;
  if (plain)
    plain_ = make_reference(model);
  else
    device_ = make_cuda_engine(model, why);
  if (!plain && !device_) throw std::runtime_error(why);
  find_responses(model, plain ? *plain_ : *device_);
}

void SolidBatch::add(const State& state, std::vector<double> courses) {
  states_.resize(states_.size() + size_);
  ends_.push_back(state);
  courses_.push_back(std::move(courses));
  used_.push_back(0);
  set(static_cast<int>(ends_.size()) - 1, model_.state_of(state));
}

void SolidBatch::run(int steps, int every) {
  log_.assign(ends_.size(), {});
  outputs_.assign(output_ * ends_.size() * static_cast<std::size_t>(steps / every + 1),
                  std::numeric_limits<double>::quiet_NaN());
  const bool is_shared =
      std::all_of(ends_.begin(), ends_.end(), [&](const State& end) { return end.t == ends_[0].t; }) &&
      std::all_of(courses_.begin(), courses_.end(), [](const auto& own) { return own.empty(); });
  std::vector<double> courses = next_courses(0, steps);
  SolidRun run{};
  run.instances = static_cast<int>(ends_.size()), run.steps = steps, run.every = every;
  run.courses_apart = is_shared ? 0 : static_cast<long long>(courses.size());
  for (int i = 1; i < run.instances && !is_shared; ++i) {
    const std::vector<double> own = next_courses(i, steps);
    courses.insert(courses.end(), own.begin(), own.end());
  }
  run.courses = courses.data();
  run.state = states_.data(), run.outputs = outputs_.data(), run.log = log_.data();
  if (plain_) {
    run_plain(run);
  } else {
    device_->run(run);
    seconds_ = device_->seconds();
  }
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < ends_.size(); ++i) {  // the device is in the middle of the step that failed
    if (log_[i].outcome == static_cast<int>(Outcome::running)) continue;
    std::fill_n(&states_[i * size_], size_, nothing);
    for (int p = log_[i].steps / every + 1; p <= steps / every; ++p)  // errors are looked at afterwards
      std::fill_n(&outputs_[(static_cast<std::size_t>(p) * ends_.size() + i) * output_], output_, nothing);
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) ends_[i].t += log_[i].steps * model_.settings.h;
}

/// What drives and loads do in the steps to come.
std::vector<double> SolidBatch::next_courses(int instance, int steps) {
  std::vector<double> own = model_.courses(ends_[instance].t, steps);
  const std::vector<double>& given = courses_[instance];
  if (given.empty()) return own;
  std::size_t& used = used_[instance];
  if (given.size() < used + own.size())
    throw std::runtime_error("an instance's courses are shorter than its run");
  std::copy_n(given.begin() + static_cast<std::ptrdiff_t>(used), own.size(), own.begin());
  used += own.size();
  return own;
}

void SolidBatch::run_plain(const SolidRun& run) {
  const Timer timer;
  const std::size_t width = model_.courses(0, 1).size();
  std::vector<StepLog> log, all;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    plain_->set_state(at(static_cast<int>(i)));
    const double* course = run.courses + static_cast<std::ptrdiff_t>(i) * run.courses_apart;
    all.clear();
    auto outcome = Outcome::running;
    for (int done = 0; done <= run.steps; done += run.every) {
      const DeviceState now = plain_->state();
      double* to = &outputs_[(static_cast<std::size_t>(done / run.every) * ends_.size() + i) * output_];
      to = std::copy(now.v.begin(), now.v.end(), std::copy(now.q.begin(), now.q.end(), to));
      std::copy_n(now.bodies.begin(), output_ - 8 * nodes_, to);
      const int more = std::min(run.every, run.steps - done);
      if (more <= 0) break;
      const double* next = course + static_cast<std::ptrdiff_t>(width) * more;
      const int taken = plain_->advance(more, {course, next}, log);
      course = next;
      all.insert(all.end(), log.begin(), log.begin() + taken);
      if (taken == more) continue;
      outcome = Outcome::gave_up;
      break;
    }
    log_[i] =
        sum_of(all.data(), static_cast<int>(all.size()), static_cast<int>(outcome), model_.settings.hopeless);
    set(static_cast<int>(i), plain_->state());
  }
  seconds_ = timer.seconds();
}

void SolidBatch::read(int output, int instance, State& state) const {
  const double* q =
      &outputs_[(static_cast<std::size_t>(output) * ends_.size() + static_cast<std::size_t>(instance)) *
                output_];
  DeviceState now = at(instance);
  now.q.assign(q, q + 4 * nodes_);
  now.v.assign(q + 4 * nodes_, q + 8 * nodes_);
  std::copy(q + 8 * nodes_, q + output_, now.bodies.begin());
  State with_history = state;
  model_.write(now, with_history);
  state.q = with_history.q, state.v = with_history.v;
}

State SolidBatch::state(int instance) const {
  State state = ends_[instance];
  model_.write(at(instance), state);
  return state;
}

DeviceState SolidBatch::at(int instance) const {
  const double* from = &states_[static_cast<std::size_t>(instance) * size_];
  DeviceState state;
  const auto take = [&](std::vector<double>& part, std::size_t count) {
    part.assign(from, from + count);
    from += count;
  };
  for (auto* part : {&state.q, &state.v, &state.a, &state.a_new, &state.a_old}) take(*part, 4 * nodes_);
  take(state.lambda, model_.rows.size());
  take(state.R, 9 * model_.components.size());
  take(state.bodies, point_numbers * model_.bodies.size());
  std::memcpy(static_cast<void*>(&state.newton), from, sizeof(NewtonMemory));
  return state;
}

void SolidBatch::set(int instance, const DeviceState& state) {
  double* to = &states_[static_cast<std::size_t>(instance) * size_];
  for (const auto* part :
       {&state.q, &state.v, &state.a, &state.a_new, &state.a_old, &state.lambda, &state.R, &state.bodies})
    to = std::copy(part->begin(), part->end(), to);
  std::memcpy(to, &state.newton, sizeof(NewtonMemory));
}

}  // namespace hooke::gpu
