#include "code.h"

#include <limits>

#include "hooke/base/error.h"

namespace hooke::python {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// A reference that may be let go by any thread.
std::shared_ptr<PyObject> kept(const py::object& object) {
  return {object.inc_ref().ptr(), [](PyObject* held) {
            if (!Py_IsInitialized()) return;
            const PyGILState_STATE lock = PyGILState_Ensure();
            Py_DECREF(held);
            PyGILState_Release(lock);
          }};
}

struct Lock {
  PyGILState_STATE state = PyGILState_Ensure();
  ~Lock() { PyGILState_Release(state); }
};

/// A number of what was returned, or an exception that says what would be right.
double number_of(PyObject* returned, const std::string& label) {
  const double value = PyFloat_AsDouble(returned);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s returned %R: expected a number", label.c_str(), returned);
  }
  return value;
}

double numbers_of(PyObject* returned, const std::string& label, std::span<double> derivatives) {
  const auto wanted = static_cast<Py_ssize_t>(derivatives.size()) + 1;
  PyObject* const items = PySequence_Fast(returned, "");
  if (!items || PySequence_Fast_GET_SIZE(items) < wanted) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s returned %R: expected the value and %zd derivatives", label.c_str(),
                 returned, wanted - 1);
    Py_XDECREF(items);
    return nothing;
  }
  const double value = number_of(PySequence_Fast_GET_ITEM(items, 0), label);
  for (Py_ssize_t i = 1; i < wanted && !PyErr_Occurred(); ++i)
    derivatives[static_cast<std::size_t>(i - 1)] = number_of(PySequence_Fast_GET_ITEM(items, i), label);
  Py_DECREF(items);
  return value;
}

constexpr std::size_t most_arguments = Expression::max_arguments;

struct PythonFunction {
  std::shared_ptr<PyObject> function;
  std::string label;
  bool has_derivatives;
  std::shared_ptr<Fault> fault;

  double operator()(std::span<const double> in, std::span<double> derivatives) const {
    if (fault->is_set()) return failed(derivatives);
    const Lock lock;
    PyObject* arguments[most_arguments + 1] = {nullptr};
    for (std::size_t i = 0; i < in.size(); ++i) arguments[i + 1] = PyFloat_FromDouble(in[i]);
    PyObject* const returned = PyObject_Vectorcall(function.get(), arguments + 1,
                                                   in.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    for (std::size_t i = 0; i < in.size(); ++i) Py_XDECREF(arguments[i + 1]);
    double value = nothing;
    if (returned)
      value = has_derivatives ? numbers_of(returned, label, derivatives) : number_of(returned, label);
    Py_XDECREF(returned);
    if (!PyErr_Occurred()) return value;
    fault->take();
    return failed(derivatives);
  }
  static double failed(std::span<double> derivatives) {
    for (double& d : derivatives) d = nothing;
    return nothing;
  }
};

/// As a C function has it: each number an argument, or all of them behind a pointer.
double call(std::uintptr_t address, std::span<const double> in) {
  switch (in.size()) {
    case 1:
      return reinterpret_cast<double (*)(double)>(address)(in[0]);
    case 2:
      return reinterpret_cast<double (*)(double, double)>(address)(in[0], in[1]);
    case 3:
      return reinterpret_cast<double (*)(double, double, double)>(address)(in[0], in[1], in[2]);
    case 4:
      return reinterpret_cast<double (*)(double, double, double, double)>(address)(in[0], in[1], in[2],
                                                                                   in[3]);
    default:
      throw Error(ExitCode::usage, "a compiled function of more than 4 numbers takes a pointer to them");
  }
}

}  // namespace

Fault::~Fault() {
  if (!Py_IsInitialized() || !is_set()) return;
  const Lock lock;
  Py_XDECREF(type_);
  Py_XDECREF(value_);
  Py_XDECREF(trace_);
}

void Fault::take() {
  const std::lock_guard guard(mutex_);
  if (is_set()) return PyErr_Clear();
  PyErr_Fetch(&type_, &value_, &trace_);
  is_set_.store(true, std::memory_order_release);
}

void Fault::raise_if_set() {
  if (!is_set()) return;
  PyErr_Restore(type_, value_, trace_);
  type_ = value_ = trace_ = nullptr;
  is_set_.store(false, std::memory_order_release);
  throw py::error_already_set();
}

std::shared_ptr<const UserCode> Code::bind(std::shared_ptr<Fault> fault) const {
  if (!address)
    return std::make_shared<UserCode>(
        UserCode{PythonFunction{kept(function), label, has_derivatives, std::move(fault)}, has_derivatives});
  const auto owner = kept(function);  // of the machine code
  if (takes_pointer)
    return std::make_shared<UserCode>(
        UserCode{[owner, at = address](std::span<const double> in, std::span<double>) {
                   return reinterpret_cast<double (*)(const double*)>(at)(in.data());
                 },
                 false});
  return std::make_shared<UserCode>(UserCode{
      [owner, at = address](std::span<const double> in, std::span<double>) { return call(at, in); }, false});
}

void bind_code(py::module_& module) {
  py::class_<Code>(module, "Code", "A function in place of a formula.")
      .def(py::init([](py::object function, std::uintptr_t address, std::string label, bool has_derivatives,
                       bool takes_pointer) {
             return Code{std::move(function), address, std::move(label), has_derivatives, takes_pointer};
           }),
           py::arg("function"), py::arg("address") = 0, py::arg("label") = "",
           py::arg("has_derivatives") = false, py::arg("takes_pointer") = false);
}

}  // namespace hooke::python
