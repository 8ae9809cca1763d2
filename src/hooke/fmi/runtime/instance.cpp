#include "hooke/fmi/runtime/instance.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/archive.h"
#include "hooke/base/text.h"
#include "hooke/fmi/runtime/exchange.h"
#include "hooke/fmi/runtime/probe.h"
#include "hooke/io/model/model_file.h"

namespace hooke {

FmuInstance::~FmuInstance() = default;

FmuInstance::FmuInstance(const std::string& resources, const std::string& token)
    : resources_(resources), manifest_(read_manifest(resources)) {
  if (token != manifest_.token)
    throw Error(ExitCode::usage,
                "the guid or instantiation token is not that of this FMU's modelDescription.xml");
  const std::size_t count = manifest_.variables.size();
  parameters_.resize(count);
  courses_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    settings_.push_back(manifest_.variables[i].start);
    const FmuRole role = manifest_.variables[i].role;
    ordinals_.push_back(counts_[static_cast<std::size_t>(role)]++);
    for (int k = 0; k < manifest_.variables[i].width(); ++k) places_.push_back({static_cast<int>(i), k});
  }
}

// --- building

void FmuInstance::set_start(double t) {
  if (start_ != t) simulation_.reset();
  start_ = t;
}

Simulation& FmuInstance::simulation() {
  if (!simulation_) build();
  return *simulation_;
}

void FmuInstance::build() {
  std::vector<std::string> overrides = manifest_.overrides;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i])
      overrides.push_back(
          formatted("parameters.{}={}", manifest_.variables[i].name, format_number(*parameters_[i])));
  const std::string path = resources_ + '/' + manifest_.model;
  Diagnostics diagnostics;
  const Document document = load_document(path, overrides, diagnostics);
  Problem problem = read_model(document, diagnostics);
  diagnostics.throw_if_errors();
  problem.file = path;
  if (start_) {
    problem.run.end += *start_ - problem.run.start;
    problem.run.start = *start_;
  }
  exchange_.reset();
  shown_.reset();
  probe_.reset();
  simulation_ = std::make_unique<Simulation>(std::move(problem));
  simulation_->on_event = on_event;
  if (on_warning)
    for (const std::string& warning : simulation_->start().warnings) on_warning(warning);
  workspace_ = simulation_->system().workspace();

  const Value* parameters = document.root().find("parameters");
  parameter_values_.assign(manifest_.variables.size(), 0);
  entries_.clear();
  entry_variables_.clear();
  for (std::size_t i = 0; i < manifest_.variables.size(); ++i) {
    const FmuVariable& v = manifest_.variables[i];
    if (v.role == FmuRole::parameter || v.role == FmuRole::calculated) {
      const Value* value = parameters ? parameters->find(v.name) : nullptr;
      parameter_values_[i] = value && value->number ? *value->number : v.start;
    } else if (v.role == FmuRole::input || v.role == FmuRole::tunable) {
      entries_.push_back(simulation_->input_entry(v.name));
      entry_variables_.push_back(static_cast<int>(i));
    }
  }
  find_outputs();
  inputs_are_new_ = true;
  forget();
}

void FmuInstance::find_outputs() {
  outputs_.assign(manifest_.variables.size(), {});
  seen_.assign(manifest_.variables.size(), {});
  std::vector<Observable> all = observables_of(simulation_->built());
  for (std::size_t i = 0; i < manifest_.variables.size(); ++i) {
    const FmuVariable& v = manifest_.variables[i];
    if (v.role != FmuRole::output) continue;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Observable& q) { return q.name == v.name; });
    if (found == all.end() || found->width() != v.width())
      throw Error(ExitCode::bad_model,
                  formatted("with these parameters the model has no '{}', which is an output", v.name));
    outputs_[i] = *found;
  }
  std::vector<int> frames;
  bool are_enough = true;
  for (const auto& output : outputs_) {
    if (!output) continue;
    frames.insert(frames.end(), output->frames.begin(), output->frames.end());
    are_enough &= output->needs != Observable::Needs::everything;
  }
  frames_.reset();
  if (!are_enough) return;
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  if (SomeFrames some(simulation_->system(), frames); some.is_enough()) frames_ = some;
}

void FmuInstance::end_initialising() {
  flush_inputs();
  simulation();
}

void FmuInstance::reset() {
  exchange_.reset();
  simulation_.reset();
  start_.reset();
  std::fill(parameters_.begin(), parameters_.end(), std::nullopt);
  for (std::size_t i = 0; i < settings_.size(); ++i) settings_[i] = manifest_.variables[i].start;
  for (auto& course : courses_) course.clear();
  has_course_ = false;
  phase = Phase::instantiated;
}

// --- values

const FmuInstance::Place& FmuInstance::place(std::uint32_t reference) const {
  if (reference == 0 || reference > places_.size())
    throw Error(ExitCode::usage, formatted("there is no variable with the value reference {}", reference));
  return places_[reference - 1];
}

int FmuInstance::width(std::uint32_t reference) const {
  if (reference == 0) return 1;
  const Place& at = place(reference);
  if (at.component != 0)
    throw Error(ExitCode::usage,
                formatted("value reference {} is inside the array '{}'", reference, variable(at).name));
  return variable(at).width();
}

double FmuInstance::value(std::uint32_t reference) {
  if (reference == 0) return time();
  const Place& at = place(reference);
  const auto i = static_cast<std::size_t>(at.variable);
  switch (variable(at).role) {
    case FmuRole::parameter:
    case FmuRole::calculated:
      simulation();
      return parameter_values_[i];
    case FmuRole::input:
    case FmuRole::tunable:
      return settings_[i];
    case FmuRole::output:
      return output(at.variable, at.component);
    case FmuRole::state:
      flush_inputs();
      return state_entry(ordinals_[i]);
    case FmuRole::derivative:
      flush_inputs();
      return derivative_entry(ordinals_[i]);
    case FmuRole::indicator: {
      std::vector<double> all(static_cast<std::size_t>(indicators()));
      get_indicators(all);
      return all.at(static_cast<std::size_t>(ordinals_[i]));
    }
  }
  return 0;
}

void FmuInstance::set(std::uint32_t reference, double value) {
  const Place& at = place(reference);
  const FmuVariable& v = variable(at);
  const auto i = static_cast<std::size_t>(at.variable);
  if (!std::isfinite(value))
    throw Error(ExitCode::usage, formatted("'{}' cannot be set to {}", v.name, value));
  if (v.role == FmuRole::parameter) {
    if (phase != Phase::instantiated && phase != Phase::initialising)
      throw Error(ExitCode::usage,
                  formatted("the parameter '{}' is fixed: it is set before the start", v.name));
    if (parameters_[i] != value && !(simulation_ && parameter_values_[i] == value && !parameters_[i]))
      simulation_.reset();
    parameters_[i] = value;
  } else if (v.role == FmuRole::input || v.role == FmuRole::tunable) {
    inputs_are_new_ |= settings_[i] != value;
    settings_[i] = value;
  } else if (v.role == FmuRole::state && exchange_) {
    set_state_entry(ordinals_[i], value);
  } else {
    throw Error(ExitCode::usage, formatted("'{}' is no input and no parameter: it cannot be set", v.name));
  }
}

void FmuInstance::set_input_derivative(std::uint32_t reference, int order, double value) {
  const Place& at = place(reference);
  if (variable(at).role != FmuRole::input || order < 1)
    throw Error(ExitCode::usage,
                formatted("'{}' has no derivative of order {} to be set", variable(at).name, order));
  auto& course = courses_[static_cast<std::size_t>(at.variable)];
  course.resize(std::max(course.size(), static_cast<std::size_t>(order)), 0.0);
  course[static_cast<std::size_t>(order) - 1] = value;
  has_course_ = true;
}

void FmuInstance::flush_inputs() {
  Simulation& s = simulation();
  if (!inputs_are_new_) return;
  inputs_are_new_ = false;
  std::vector<double> values;
  for (const int i : entry_variables_) values.push_back(settings_[static_cast<std::size_t>(i)]);
  if (exchange_)
    exchange_inputs(values);
  else
    s.set_inputs(entries_, values);
  forget();
}

const State& FmuInstance::now() { return exchange_ ? exchanged_state() : simulation().recorded_state(); }

void FmuInstance::update_for_outputs(const State& state) {
  if (std::exchange(is_updated_, true)) return;
  if (frames_)
    frames_->update(state, static_cast<SystemWorkspace&>(*workspace_).frames);
  else
    simulation_->system().update(state, *workspace_);
}

double FmuInstance::output(int variable, int component) {
  flush_inputs();
  const auto i = static_cast<std::size_t>(variable);
  auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
  if (!is_seen_) {
    for (auto& values : seen_) values.clear();
    is_seen_ = true, is_updated_ = false;
  }
  if (seen_[i].empty()) {
    const State& state = now();
    SeenState seen{simulation_->built(), state, workspace, simulation_->problem().outputs.reactions};
    for (std::size_t k = i; k < outputs_.size(); ++k) {  // the rest is likely to be asked for as well
      if (!outputs_[k]) continue;
      if (outputs_[k]->needs != Observable::Needs::nothing) update_for_outputs(state);
      seen_[k].resize(static_cast<std::size_t>(outputs_[k]->width()));
      outputs_[k]->read(seen, seen_[k].data());
    }
  }
  return seen_[i][static_cast<std::size_t>(component)];
}

// --- steps

FmuInstance::Step FmuInstance::advance(double t, double h, const std::function<bool(double t)>& interrupt) {
  flush_inputs();
  Simulation& s = *simulation_;
  const double end = t + h, step = s.problem().run.step, close = 1e-6 * std::max(std::abs(h), step);
  if (!(h >= 0) || std::abs(t - s.time()) > close)
    throw Error(ExitCode::usage,
                formatted("a step from t = {:.12g} s by {:.6g} s was asked for; the FMU is at t = {:.12g} s",
                          t, h, s.time()));
  forget();
  Step result;
  bool interrupted = false;
  const auto ask = [&] {
    interrupted = interrupt && interrupt(s.time());
    flush_inputs();
    return interrupted;
  };
  try {
    if (!has_course_) {
      result.has_ended = !s.go_on(end, ask);
    } else {  // inputs go on as their derivatives say, held over each step at the value in its middle
      const std::vector<double> at_start = settings_;
      const auto follow = [&](double now) {
        for (std::size_t i = 0; i < courses_.size(); ++i) {
          double power = 1;
          settings_[i] = at_start[i];
          for (std::size_t k = 0; k < courses_[i].size(); ++k)
            settings_[i] += courses_[i][k] * (power *= (now - t) / static_cast<double>(k + 1));
        }
        inputs_are_new_ = true;
        flush_inputs();
      };
      const auto pieces = static_cast<int>(std::ceil(h / step - 1e-6));
      for (int k = 0; k < pieces && !interrupted && !result.has_ended; ++k) {
        follow(t + h * (k + 0.5) / pieces);
        result.has_ended = !s.go_on(k + 1 == pieces ? end : t + h * (k + 1) / pieces, ask);
      }
      follow(s.time());
      for (auto& course : courses_) course.clear();
      has_course_ = false;
    }
  } catch (const Error& error) {
    if (!error.is_of_motion()) throw;
    result.failure = error.what();
  }
  result.t = s.time();
  result.is_complete = result.failure.empty() && std::abs(end - result.t) <= close;
  return result;
}

// --- the state as bytes

std::string FmuInstance::save() {
  flush_inputs();
  int where = static_cast<int>(phase);
  double start = simulation().problem().run.start;
  std::vector<double> set, settings = settings_;
  std::vector<char> is_set;
  for (const auto& parameter : parameters_) {
    is_set.push_back(parameter.has_value());
    set.push_back(parameter.value_or(0));
  }
  std::string token = manifest_.token, exchange = save_exchange(), snapshot = simulation_->snapshot();
  Archive all;
  all(token, where, start, is_set, set, settings, snapshot, exchange);
  forget();
  return all.bytes();
}

void FmuInstance::restore(const std::string& saved) {
  int where = 0;
  double start = 0;
  std::vector<double> set, settings;
  std::vector<char> is_set;
  std::string token, snapshot, exchange;
  try {
    Archive all(saved);
    all(token, where, start, is_set, set, settings, snapshot, exchange);
    if (token != manifest_.token || set.size() != parameters_.size() || is_set.size() != set.size() ||
        settings.size() != settings_.size() || where < 0 || where > static_cast<int>(Phase::terminated))
      throw Error(ExitCode::usage, "this state is of another FMU");
  } catch (const std::out_of_range&) {
    throw Error(ExitCode::usage, "this is no state of an FMU, or it is cut off");
  }
  set_start(start);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::optional<double> value = is_set[i] ? std::optional(set[i]) : std::nullopt;
    if (parameters_[i] != value) simulation_.reset();
    parameters_[i] = value;
  }
  settings_ = settings;
  simulation().restore(snapshot);
  inputs_are_new_ = false;
  restore_exchange(exchange);
  phase = static_cast<Phase>(where);
  forget();
}

}  // namespace hooke
