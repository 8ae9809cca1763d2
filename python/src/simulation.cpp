#include "simulation.h"

#include <pybind11/stl.h>

#include "hooke/analysis/statics.h"
#include "hooke/base/archive.h"

namespace hooke::python {
namespace {

using StatePointer = std::shared_ptr<State>;

py::bytes bytes_of(State& state) {
  Archive archive;
  archive(state);
  return py::bytes(archive.bytes());
}

StatePointer state_from(const py::bytes& bytes) {
  auto state = std::make_shared<State>();
  Archive archive{std::string(bytes)};
  try {
    archive(*state);
  } catch (const std::out_of_range&) {
    throw py::value_error("these bytes are no state");
  }
  return state;
}

void set_vector(VectorX& target, const py::object& numbers, const char* what) {
  const VectorX given = to_vector(numbers, what);
  if (given.size() != target.size())
    throw py::value_error(formatted("{}: expected {} numbers, got {}", what, static_cast<int>(target.size()),
                                    static_cast<int>(given.size())));
  target = given;
}

void bind_state(py::module_& module) {
  const auto vector = [](VectorX State::*member) {
    return [member](const StatePointer& state) { return view((*state).*member, state); };
  };
  const auto setter = [](VectorX State::*member, const char* what) {
    return
        [member, what](State& state, const py::object& numbers) { set_vector(state.*member, numbers, what); };
  };
  py::class_<State, StatePointer>(
      module, "State", "Everything that changes in time: a value, to be copied, kept and set again.")
      .def_readwrite("time", &State::t, "s")
      .def_property("q", vector(&State::q), setter(&State::q, "q"),
                    "Configuration; of a rigid body position and quaternion (w first).")
      .def_property(
          "v", vector(&State::v), setter(&State::v, "v"),
          "Velocities; of a rigid body that of its origin and the angular velocity in its own axes.")
      .def_property("a", vector(&State::a), setter(&State::a, "a"), "Rates of v.")
      .def_property_readonly("multipliers", vector(&State::lambda),
                             "Of the constraints, with M a + G^T multipliers = f.")
      .def(
          "copy", [](const State& state) { return std::make_shared<State>(state); }, "A state of its own.")
      .def("__copy__", [](const State& state) { return std::make_shared<State>(state); })
      .def("__deepcopy__", [](const State& state, const py::dict&) { return std::make_shared<State>(state); })
      .def("__repr__",
           [](const State& s) {
             return formatted("State(time={}, {} coordinates, {} velocities)", s.t,
                              static_cast<int>(s.q.size()), static_cast<int>(s.v.size()));
           })
      .def(py::pickle([](const StatePointer& state) { return bytes_of(*state); }, &state_from));
}

/// Static equilibrium from the state as it is.
void find_static(Simulation& simulation, bool stable) {
  State state = simulation.state();
  const NewtonSettings newton = newton_settings(simulation.run_settings());
  const StaticResult result = stable ? find_stable_equilibrium(simulation.system(), state, newton)
                                     : find_equilibrium(simulation.system(), state, newton);
  if (!result.converged) throw Error(ExitCode::step_failed, "no static equilibrium: " + result.failure);
  simulation.set_state(state);
}

std::vector<std::string> inputs_of(const Simulation& simulation) {
  std::vector<std::string> names;
  if (const ControlsBase* controls = simulation.system().controls())
    for (const auto& [name, entry] : controls->inputs()) names.push_back(name);
  return names;
}

std::vector<std::string> names_of(const auto& built) {
  std::vector<std::string> names;
  for (const auto& one : built) names.push_back(one.name);
  return names;
}

void step(PythonSimulation& s, long count) {
  const Use using_it(s);
  if (count == 1) return without_lock(*s.fault, [&] { s.simulation.step(); });
  Gate gate(s.fault);
  without_lock(*s.fault, [&] {
    for (long i = 0; i < count && !gate.is_shut(); ++i) s.simulation.step();
  });
}

/// The one call that is made so often, and takes so little time, that pybind11's way of calling would show.
PyObject* fast_step(PyObject* self, PyObject* const* arguments, Py_ssize_t given, PyObject* names) {
  const Py_ssize_t all = given + (names ? PyTuple_GET_SIZE(names) : 0);
  if (all > 1 ||
      (names && all == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "count"))) {
    PyErr_SetString(PyExc_TypeError, "step() takes one argument, count");
    return nullptr;
  }
  const long count = all ? PyLong_AsLong(arguments[0]) : 1;
  if (count == -1 && PyErr_Occurred()) return nullptr;
  void* const held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr();
  if (!held) {
    PyErr_SetString(PyExc_TypeError, "Simulation.__init__() was not called");
    return nullptr;
  }
  try {
    step(*static_cast<PythonSimulation*>(held), count);
    Py_RETURN_NONE;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const Error&) {
    translate(std::current_exception());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace

bool Gate::is_shut(double t, double end, long steps) {
  constexpr auto interval = std::chrono::milliseconds(100);
  constexpr int calls_between = 16;  // the clock costs a little, too
  if (fault_->is_set()) return true;
  if (++calls_ % calls_between != 0) return false;
  const auto now = Clock::now();
  if (now - last_ < interval) return false;
  last_ = now;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    fault_->take();
    return true;
  }
  if (progress_.is_none()) return false;
  try {
    progress_(t, end, steps);
  } catch (py::error_already_set& error) {
    error.restore();
    fault_->take();
    return true;
  }
  return false;
}

void bind_simulation(py::module_& module) {
  bind_state(module);
  const auto use = [](auto member) {
    return [member](PythonSimulation& s) {
      const Use using_it(s);
      return member(s.simulation);
    };
  };
  py::class_<PythonSimulation, SimulationPointer> simulation(module, "Simulation",
                                                             "A model that is stepped through time.");
  static PyMethodDef method{
      "step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&fast_step)),
      METH_FASTCALL | METH_KEYWORDS,
      "step(self: hooke._hooke.Simulation, count: int = 1) -> None\n\nSo many steps of `run.step`."};
  simulation.attr("step") = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(simulation.ptr()), &method));
  simulation
      .def(py::init([](const PythonProblem& p) {
             return without_lock(*p.fault,
                                 [&] { return std::make_shared<PythonSimulation>(p.problem, p.fault); });
           }),
           py::arg("problem"))
      .def_property_readonly("time", use([](Simulation& s) { return s.time(); }), "s")
      .def(
          "advance",
          [](PythonSimulation& s, double time) {
            const Use using_it(s);
            Gate gate(s.fault);
            without_lock(*s.fault, [&] { s.simulation.advance(time, [&] { return gate.is_shut(); }); });
          },
          py::arg("time"), "As many steps as lead to that time; the last one is shortened to end there.")
      .def_property(
          "state", use([](Simulation& s) { return std::make_shared<State>(s.state()); }),
          [](PythonSimulation& s, const State& state) {
            const Use using_it(s);
            without_lock(*s.fault, [&] { s.simulation.set_state(state); });
          },
          "The state now, as a copy. Setting one goes on from there.")
      .def("reset", use([](Simulation& s) { s.reset(); }), "Back to the start.")
      .def(
          "find_equilibrium",
          [](PythonSimulation& s, bool stable) {
            const Use using_it(s);
            without_lock(*s.fault, [&] { find_static(s.simulation, stable); });
          },
          py::arg("stable") = true, "Goes to the static equilibrium that is reached from here.")
      .def(
          "__getitem__",
          [](PythonSimulation& s, const std::string& name) {
            const Use using_it(s);
            return without_lock(*s.fault, [&] { return quantity(s.simulation, name); });
          },
          py::arg("name"), "A number by the name that it has in results: sim['joint.A.angle'].")
      .def(
          "get_input",
          [](PythonSimulation& s, const std::string& name) {
            const Use using_it(s);
            return s.simulation.input(name);
          },
          py::arg("name"))
      .def(
          "set_input",
          [](PythonSimulation& s, const std::string& name, double value) {
            const Use using_it(s);
            without_lock(*s.fault, [&] { s.simulation.set_input(name, value); });
          },
          py::arg("name"), py::arg("value"), "The value of a parameter block from now on.")
      .def_property_readonly("inputs", use(inputs_of), "Names of the parameter blocks, which can be set.")
      .def_property_readonly("signals", use([](Simulation& s) { return names_of(s.built().signals); }))
      .def_property_readonly("bodies", use([](Simulation& s) { return s.built().bodies; }))
      .def_property_readonly("joints", use([](Simulation& s) { return names_of(s.built().joints); }))
      .def_property_readonly("forces", use([](Simulation& s) { return names_of(s.built().forces); }))
      .def_property_readonly("warnings", use([](Simulation& s) { return s.start().warnings; }))
      .def_property_readonly("dofs", use([](Simulation& s) {
                               std::vector<std::string> names;
                               for (int i = 0; i < s.system().nv(); ++i)
                                 names.push_back(s.system().dof_name(i));
                               return names;
                             }),
                             "Names of the entries of `state.v`.")
      .def("energy", use([](Simulation& s) {
             const Energy energy = s.energy();
             return std::pair(energy.kinetic, energy.potential);
           }),
           "Kinetic and potential energy, J.")
      .def("mass_matrix", use([](Simulation& s) { return to_numpy(s.mass_matrix()); }),
           "M of the equations of motion.")
      .def("constraint_matrix", use([](Simulation& s) { return to_numpy(s.constraint_matrix()); }),
           "G of the joints, which hold G v = 0.")
      .def("tangents", use([](Simulation& s) {
             Tangents t = s.tangents_here();
             return std::tuple(to_numpy(std::move(t.M)), to_numpy(std::move(t.D)), to_numpy(std::move(t.K)),
                               to_numpy(std::move(t.G)));
           }),
           "M, D, K, G of the equations of motion at the state now.");
}

}  // namespace hooke::python
