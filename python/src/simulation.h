#pragma once
#include <chrono>

#include "hooke/simulation/simulation.h"
#include "problem.h"

namespace hooke::python {

/// A simulation for Python. One thread at a time may use it; another one, or a function that it calls, is told so.
struct PythonSimulation {
  std::shared_ptr<Fault> fault;
  Simulation simulation;
  std::atomic_flag is_used;

  PythonSimulation(Problem problem, std::shared_ptr<Fault> kept)
      : fault(std::move(kept)), simulation(std::move(problem)) {}
};
using SimulationPointer = std::shared_ptr<PythonSimulation>;

/// While it lives, the simulation is in use.
class Use {
 public:
  explicit Use(PythonSimulation& of) : of_(of) {
    if (of_.is_used.test_and_set(std::memory_order_acquire))
      throw std::runtime_error(
          "the simulation is in use: another thread steps it, or a function that it calls asks it for "
          "something. "
          "Give each thread its own Simulation, and functions what they need as arguments");
  }
  ~Use() { of_.is_used.clear(std::memory_order_release); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  PythonSimulation& of_;
};

/// While it lives, other threads of Python run. (That of pybind11 does more, which shows beside a step of 10 us.)
class Released {
 public:
  Released() = default;
  ~Released() { PyEval_RestoreThread(state_); }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_ = PyEval_SaveThread();
};

/// Calls f without the lock. An exception in the user's code is raised in place of what it led to.
template <class F>
auto without_lock(Fault& fault, F&& f) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      const Released released;
      f();
    } else {
      auto result = [&] {
        const Released released;
        return f();
      }();
      fault.raise_if_set();
      return result;
    }
  } catch (const std::exception&) {
    fault.raise_if_set();
    throw;
  }
  fault.raise_if_set();
}

/// Asked after every step, without the lock: a few times a second it looks whether Ctrl-C was pressed, and tells how far
/// the run is. True: it shall end.
class Gate {
 public:
  explicit Gate(std::shared_ptr<Fault> fault, py::object progress = py::none())
      : fault_(std::move(fault)), progress_(std::move(progress)) {}
  bool is_shut(double t = 0, double end = 0, long steps = 0);

 private:
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<Fault> fault_;
  py::object progress_;
  Clock::time_point last_ = Clock::now();
  int calls_ = 0;
};

/// A number by the name that it has in results: joint.A.angle, body.arm.position.x, the name of a signal.
double quantity(const Simulation& simulation, const std::string& name);

/// Sets Python's exception for one of Hooke's.
void translate(std::exception_ptr pointer);

void bind_simulation(py::module_& module);
void bind_handles(py::module_& module);
void bind_run(py::module_& module);
void bind_linear(py::module_& module);
void bind_rollout(py::module_& module);
void bind_coupling(py::module_& module);

}  // namespace hooke::python
