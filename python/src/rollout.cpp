// Many instances of one model, each from its own state and with its own inputs, in C++ threads.
#include <pybind11/stl.h>

#include <thread>

#include "hooke/simulation/device_rollout.h"
#include "simulation.h"

namespace hooke::python {
namespace {

struct Job {
  const PythonProblem& problem;
  std::vector<std::shared_ptr<State>> states;  ///< empty: all begin where the model does
  const double* controls = nullptr;            ///< instance, period, input
  std::vector<std::string> inputs, outputs;    ///< no outputs: q and v
  int instances = 0, periods = 0, steps = 1;
  std::vector<double> results;  ///< instance, period (the start is the first), output
  std::size_t width = 0;

  std::atomic<int> next = 0;
  std::atomic<bool> is_cancelled = false;
  std::mutex mutex;
  std::vector<std::pair<int, std::string>> failures;
  std::exception_ptr fatal;
};

void note(const Simulation& simulation, const Job& job, double* row) {
  if (job.outputs.empty()) {
    const State& state = simulation.state();
    std::copy(state.q.begin(), state.q.end(), row);
    std::copy(state.v.begin(), state.v.end(), row + state.q.size());
  } else {
    for (const std::string& name : job.outputs) *row++ = quantity(simulation, name);
  }
}

/// One instance after the other, until none is left.
void work(Job& job, Simulation& simulation, const std::function<bool()>& cancelled) {
  std::vector<int> entries;
  for (const std::string& name : job.inputs) entries.push_back(simulation.input_entry(name));
  const auto periods = static_cast<std::size_t>(job.periods);
  for (int i; !job.is_cancelled && (i = job.next++) < job.instances;) try {
      const auto number = static_cast<std::size_t>(i);
      double* row = &job.results[number * (periods + 1) * job.width];
      if (job.states.empty())
        simulation.reset();
      else
        simulation.set_state(*job.states[number]);
      note(simulation, job, row);
      for (std::size_t p = 0; p < periods; ++p) {
        if (!entries.empty())
          simulation.set_inputs(entries,
                                {job.controls + (number * periods + p) * entries.size(), entries.size()});
        for (int k = 0; k < job.steps; ++k) simulation.step();
        note(simulation, job, row += job.width);
        if (cancelled()) job.is_cancelled = true;
        if (job.is_cancelled) return;
      }
    } catch (const Error& error) {
      if (!error.is_of_motion()) throw;
      const std::lock_guard guard(job.mutex);
      job.failures.emplace_back(i, error.what());
    }
}

/// All instances at once on the device; says why that is not to be had.
std::string work_on_device(Job& job, Simulation& simulation) {
  if (!job.inputs.empty()) return "the device does not do inputs of control";
  for (const std::string& name : job.outputs)
    if (name.find("acceleration") != std::string::npos)
      return "the device does not give accelerations ('" + name + "')";
  std::vector<State> starts;
  for (int i = 0; i < job.instances; ++i)
    starts.push_back(job.states.empty() ? simulation.start().state
                                        : *job.states[static_cast<std::size_t>(i)]);
  const auto periods = static_cast<std::size_t>(job.periods);
  DeviceRollout rollout;
  rollout.periods = job.periods, rollout.steps = job.steps;
  rollout.on_output = [&](int instance, int period, const State& state) {
    simulation.set_state(state);
    note(
        simulation, job,
        &job.results[(static_cast<std::size_t>(instance) * (periods + 1) + static_cast<std::size_t>(period)) *
                     job.width]);
  };
  rollout.on_failure = [&](int instance, const std::string& why) {
    job.failures.emplace_back(instance, why);
  };
  return rollout.run(simulation, starts);
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

py::tuple rollout(const PythonProblem& problem, std::vector<std::shared_ptr<State>> states,
                  const py::object& controls, int instances, int periods, std::vector<std::string> inputs,
                  std::vector<std::string> outputs, int steps, int threads, bool on_device) {
  std::optional<Numbers> given;
  if (!controls.is_none()) given.emplace(controls, 3, "controls");
  Job job{problem,
          std::move(states),
          given ? given->data() : nullptr,
          std::move(inputs),
          std::move(outputs),
          instances,
          periods,
          steps};
  Gate gate(problem.fault);
  std::string why;
  without_lock(*problem.fault, [&] {
    Simulation first(problem.problem);
    job.width = job.outputs.empty() ? static_cast<std::size_t>(first.system().nq() + first.system().nv())
                                    : job.outputs.size();
    job.results.assign(
        static_cast<std::size_t>(instances) * static_cast<std::size_t>(periods + 1) * job.width,
        std::numeric_limits<double>::quiet_NaN());
    if (on_device && (why = work_on_device(job, first)).empty()) return;
    {
      std::vector<std::jthread> others;
      for (int k = 1; k < std::min(threads, instances); ++k)
        others.emplace_back([&] {
          work_or_end(job, [&] {
            Simulation own(problem.problem);
            work(job, own, [&] { return problem.fault->is_set(); });
          });
        });
      work_or_end(job, [&] { work(job, first, [&] { return gate.is_shut(); }); });
    }
    if (job.fatal) std::rethrow_exception(job.fatal);
  });
  return py::make_tuple(
      to_numpy(std::move(job.results), {instances, periods + 1, static_cast<py::ssize_t>(job.width)}),
      job.failures, why);
}

}  // namespace

void bind_rollout(py::module_& module) {
  module.def("rollout", &rollout, py::arg("problem"), py::arg("states"), py::arg("controls"),
             py::arg("instances"), py::arg("periods"), py::arg("inputs"), py::arg("outputs"),
             py::arg("steps"), py::arg("threads"), py::arg("on_device"),
             "Numbers [instance, period, output], failures, and why the device was not used where it was "
             "asked for.");
}

}  // namespace hooke::python
