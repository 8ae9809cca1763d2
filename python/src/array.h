#pragma once
// Numbers to and from NumPy, through the buffer protocol alone: it is the same in NumPy 1 and 2, and copies nothing.
#include <pybind11/pybind11.h>

#include <memory>

#include "hooke/math/types.h"

namespace hooke::python {

namespace py = pybind11;

/// What NumPy makes of an Array; a type of its own so that signatures say so.
class ndarray : public py::object {
 public:
  using py::object::object;
};

/// Rows of numbers somewhere in memory, and what keeps them alive.
struct Array {
  double* data = nullptr;
  std::vector<py::ssize_t> shape, strides;  ///< strides in bytes
  std::shared_ptr<const void> owner;
  bool is_constant = false;
};

/// Owns what it is given.
ndarray to_numpy(MatrixX matrix);
ndarray to_numpy(VectorX vector);
ndarray to_numpy(std::vector<double> numbers, std::vector<py::ssize_t> shape = {});
/// Looks at numbers that `owner` keeps alive.
ndarray view(VectorX& vector, std::shared_ptr<const void> owner);

/// The numbers of a list, tuple or array; `what` is for messages.
VectorX to_vector(const py::object& numbers, const char* what);
/// A block of numbers with so many dimensions, in C order; copied only where NumPy must.
class Numbers {
 public:
  Numbers(const py::object& from, int dimensions, const char* what);
  py::ssize_t size(int dimension) const { return buffer_.shape[static_cast<std::size_t>(dimension)]; }
  const double* data() const { return static_cast<const double*>(buffer_.ptr); }

 private:
  py::buffer_info buffer_;
};

void bind_array(py::module_& module);

}  // namespace hooke::python

template <>
struct pybind11::detail::handle_type_name<hooke::python::ndarray> {
  static constexpr auto name = const_name("numpy.ndarray");
};
