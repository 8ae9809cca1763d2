// Many instances of one model, each from its own state, with its own inputs and numbers, in C++ threads.
#include <pybind11/stl.h>

#include <algorithm>
#include <thread>

#include "hooke/simulation/device_rollout.h"
#include "simulation.h"

namespace hooke::python {
namespace {

struct Job {
  std::vector<const PythonProblem*> problems;      ///< one for all, or one of each instance
  std::vector<std::vector<std::string>> settings;  ///< of each instance: those of the file of the one problem
  std::vector<std::shared_ptr<State>> states;      ///< empty: all begin where the model does
  const double* controls = nullptr;                ///< instance, period, input
  std::vector<std::string> inputs, outputs;        ///< no outputs: q and v
  int instances = 0, periods = 0, steps = 1;
  std::vector<double> results;  ///< instance, period (the start is the first), output
  std::size_t width = 0;

  std::atomic<int> next = 0;
  std::atomic<bool> is_cancelled = false;
  std::mutex mutex;
  std::vector<std::pair<int, std::string>> failures;
  std::exception_ptr fatal;

  bool is_one_model() const { return settings.empty() && problems.size() == 1; }
  Problem problem(std::size_t instance) const {
    if (!settings.empty()) return load(problems[0]->problem.file, settings[instance]);
    return problems[problems.size() == 1 ? 0 : instance]->problem;
  }
  bool is_at_fault() const {
    return std::any_of(problems.begin(), problems.end(),
                       [](const auto* one) { return one->fault->is_set(); });
  }
  void fail(int instance, const std::string& why) {
    const std::lock_guard guard(mutex);
    failures.emplace_back(instance, why);
  }
};

/// A model with an instance's own numbers; null where these make no model, which is a failure of that instance alone.
std::unique_ptr<Simulation> build(Job& job, int instance) {
  std::string why;
  try {
    auto made = std::make_unique<Simulation>(job.problem(static_cast<std::size_t>(instance)));
    const std::size_t numbers = static_cast<std::size_t>(made->system().nq() + made->system().nv());
    if (!job.outputs.empty() || numbers == job.width) return made;
    why = "it has other dofs than the first one: name outputs that all have";
  } catch (const Error& error) {
    why = error.what();
  }
  job.fail(instance, why);
  return nullptr;
}

void note(const Simulation& simulation, const Job& job, double* row) {
  if (job.outputs.empty()) {
    const State& state = simulation.state();
    std::copy(state.q.begin(), state.q.end(), row);
    std::copy(state.v.begin(), state.v.end(), row + state.q.size());
  } else {
    for (const std::string& name : job.outputs) *row++ = quantity(simulation, name);
  }
}

double* row_of(Job& job, int instance, int period) {
  const auto row = static_cast<std::size_t>(instance) * static_cast<std::size_t>(job.periods + 1) +
                   static_cast<std::size_t>(period);
  return &job.results[row * job.width];
}

void run_instance(Job& job, int i, Simulation& simulation, const std::vector<int>& entries,
                  const std::function<bool()>& cancelled) {
  try {
    const auto number = static_cast<std::size_t>(i), periods = static_cast<std::size_t>(job.periods);
    if (!job.states.empty())
      simulation.set_state(*job.states[number]);
    else if (job.is_one_model())
      simulation.reset();
    note(simulation, job, row_of(job, i, 0));
    for (std::size_t p = 0; p < periods; ++p) {
      if (!entries.empty())
        simulation.set_inputs(entries,
                              {job.controls + (number * periods + p) * entries.size(), entries.size()});
      for (int k = 0; k < job.steps; ++k) simulation.step();
      note(simulation, job, row_of(job, i, static_cast<int>(p) + 1));
      if (cancelled()) job.is_cancelled = true;
      if (job.is_cancelled) return;
    }
  } catch (const Error& error) {
    if (!error.is_of_motion()) throw;
    job.fail(i, error.what());
  }
}

std::vector<int> entries_of(const Job& job, const Simulation& simulation) {
  std::vector<int> entries;
  for (const std::string& name : job.inputs) entries.push_back(simulation.input_entry(name));
  return entries;
}

/// One instance after the other, until none is left. Those of one model share a simulation in each thread.
void work(Job& job, Simulation* shared, const std::function<bool()>& cancelled) {
  std::unique_ptr<Simulation> own;
  if (job.is_one_model() && !shared) shared = (own = std::make_unique<Simulation>(job.problem(0))).get();
  for (int i; !job.is_cancelled && (i = job.next++) < job.instances;) {
    if (!job.is_one_model()) {
      own = build(job, i);
      if (cancelled()) job.is_cancelled = true;
      if (!own) continue;
    }
    Simulation& simulation = job.is_one_model() ? *shared : *own;
    run_instance(job, i, simulation, entries_of(job, simulation), cancelled);
  }
}

/// All instances at once on the device; says why that is not to be had.
std::string work_on_device(Job& job, Simulation& first) {
  if (!job.inputs.empty()) return "the device does not do inputs of control";
  for (const std::string& name : job.outputs)
    if (name.find("acceleration") != std::string::npos)
      return "the device does not give accelerations ('" + name + "')";
  std::vector<std::unique_ptr<Simulation>> own;
  std::vector<Simulation*> models;
  std::vector<State> starts;
  std::vector<int> instances;  // that could be built
  for (int i = 0; i < job.instances; ++i) {
    if (!job.is_one_model()) {
      auto made = build(job, i);
      if (!made) continue;
      models.push_back(own.emplace_back(std::move(made)).get());
    }
    instances.push_back(i);
    starts.push_back(job.states.empty() ? (job.is_one_model() ? first : *models.back()).start().state
                                        : *job.states[static_cast<std::size_t>(i)]);
  }
  if (job.is_one_model()) models = {&first};
  if (models.empty()) return {};
  DeviceRollout rollout;
  rollout.periods = job.periods, rollout.steps = job.steps;
  rollout.on_output = [&](int k, int period, const State& state) {
    Simulation& simulation = *models[models.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    simulation.set_state(state);
    note(simulation, job, row_of(job, instances[static_cast<std::size_t>(k)], period));
  };
  rollout.on_failure = [&](int k, const std::string& why) {
    job.fail(instances[static_cast<std::size_t>(k)], why);
  };
  const std::vector<const Simulation*> all(models.begin(), models.end());
  return rollout.run(all, starts);
}

/// What no other instance would do better ends them all.
void work_or_end(Job& job, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    job.is_cancelled = true;
    const std::lock_guard guard(job.mutex);
    if (!job.fatal) job.fatal = std::current_exception();
  }
}

py::tuple rollout(std::vector<const PythonProblem*> problems, std::vector<std::vector<std::string>> settings,
                  std::vector<std::shared_ptr<State>> states, const py::object& controls, int instances,
                  int periods, std::vector<std::string> inputs, std::vector<std::string> outputs, int steps,
                  int threads, bool on_device) {
  std::optional<Numbers> given;
  if (!controls.is_none()) given.emplace(controls, 3, "controls");
  Job job{std::move(problems),
          std::move(settings),
          std::move(states),
          given ? given->data() : nullptr,
          std::move(inputs),
          std::move(outputs),
          instances,
          periods,
          steps};
  const std::shared_ptr<Fault>& fault = job.problems[0]->fault;
  Gate gate(fault);
  std::string why;
  without_lock(*fault, [&] {
    if (!job.settings.empty()) job.problem(0);  // names that are unknown are those of all
    Simulation first(job.problems[0]->problem);
    job.width = job.outputs.empty() ? static_cast<std::size_t>(first.system().nq() + first.system().nv())
                                    : job.outputs.size();
    job.results.assign(
        static_cast<std::size_t>(instances) * static_cast<std::size_t>(periods + 1) * job.width,
        std::numeric_limits<double>::quiet_NaN());
    if (on_device && (why = work_on_device(job, first)).empty()) return;
    job.failures.clear();
    {
      std::vector<std::jthread> others;
      for (int k = 1; k < std::min(threads, instances); ++k)
        others.emplace_back(
            [&] { work_or_end(job, [&] { work(job, nullptr, [&] { return job.is_at_fault(); }); }); });
      work_or_end(job, [&] { work(job, &first, [&] { return gate.is_shut() || job.is_at_fault(); }); });
    }
    if (job.fatal) std::rethrow_exception(job.fatal);
  });
  for (const PythonProblem* problem : job.problems) problem->fault->raise_if_set();
  std::sort(job.failures.begin(), job.failures.end());
  return py::make_tuple(
      to_numpy(std::move(job.results), {instances, periods + 1, static_cast<py::ssize_t>(job.width)}),
      job.failures, why);
}

}  // namespace

void bind_rollout(py::module_& module) {
  module.def("rollout", &rollout, py::arg("problems"), py::arg("settings"), py::arg("states"),
             py::arg("controls"), py::arg("instances"), py::arg("periods"), py::arg("inputs"),
             py::arg("outputs"), py::arg("steps"), py::arg("threads"), py::arg("on_device"),
             "Numbers [instance, period, output], failures, and why the device was not used where it was "
             "asked for.");
}

}  // namespace hooke::python
