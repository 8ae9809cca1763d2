#include "hooke/base/error.h"
#include "simulation.h"

namespace hooke::python {
namespace {

/// Exceptions of the package, each with the exit code of the program for the same.
py::object make_exception(py::module_& module, const char* name, const py::object& base, const char* text) {
  py::object made = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc((std::string("hooke.") + name).c_str(), text, base.ptr(), nullptr));
  module.attr(name) = made;
  return made;
}

PyObject *error_type, *model_error_type, *step_error_type;

void raise(PyObject* type, const Error& error) {
  const py::object value = py::reinterpret_borrow<py::object>(type)(error.what());
  value.attr("code") = static_cast<int>(error.code());
  PyErr_SetObject(type, value.ptr());
}

}  // namespace

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const ModelError& error) {
    raise(model_error_type, error);
  } catch (const Error& error) {
    raise(error.is_of_motion() ? step_error_type : error_type, error);
  }
}

PYBIND11_MODULE(_hooke, module) {
  module.doc() = "The engine: what the package hooke is made of.";
  const py::object error = make_exception(
      module, "Error", py::reinterpret_borrow<py::object>(PyExc_Exception), "What Hooke could not do.");
  error_type = error.ptr();
  model_error_type =
      make_exception(module, "ModelError", error, "All that is wrong with a model, one line each.").ptr();
  step_error_type = make_exception(module, "StepError", error,
                                   "The motion could not be computed, or is not to be believed.")
                        .ptr();
  py::register_exception_translator(&translate);
  module.attr("version") = HOOKE_VERSION;
  bind_array(module);
  bind_code(module);
  bind_problem(module);
  bind_description(module);
  bind_simulation(module);
  bind_handles(module);
  bind_run(module);
  bind_linear(module);
  bind_rollout(module);
  bind_coupling(module);
  bind_mesh(module);
}

}  // namespace hooke::python
