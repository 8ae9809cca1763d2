#include "array.h"

#include "hooke/base/format.h"

namespace hooke::python {
namespace {

py::object& numpy() {
  static auto* const module =
      new py::object(py::module_::import("numpy"));  // lives as long as the interpreter
  return *module;
}

ndarray made(Array array) { return py::reinterpret_steal<ndarray>(numpy().attr("asarray")(array).release()); }

py::object as_numbers(const py::object& from, const char* what) {
  try {
    return numpy().attr("ascontiguousarray")(from, numpy().attr("float64"));
  } catch (const py::error_already_set&) {
    throw py::type_error(
        formatted("{}: expected numbers, got {}", what, std::string(py::str(py::repr(from)))));
  }
}

}  // namespace

ndarray to_numpy(MatrixX matrix) {
  auto kept = std::make_shared<MatrixX>(std::move(matrix));
  constexpr py::ssize_t each = sizeof(double);
  return made({kept->data(), {kept->rows(), kept->cols()}, {each, each * kept->rows()}, kept});
}

ndarray to_numpy(VectorX vector) {
  auto kept = std::make_shared<VectorX>(std::move(vector));
  return view(*kept, kept);
}

ndarray to_numpy(std::vector<double> numbers, std::vector<py::ssize_t> shape) {
  auto kept = std::make_shared<std::vector<double>>(std::move(numbers));
  if (shape.empty()) shape = {static_cast<py::ssize_t>(kept->size())};
  std::vector<py::ssize_t> strides(shape.size(), sizeof(double));
  for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
  return made({kept->data(), std::move(shape), std::move(strides), kept});
}

ndarray view(VectorX& vector, std::shared_ptr<const void> owner) {
  return made({vector.data(), {vector.size()}, {sizeof(double)}, std::move(owner)});
}

Numbers::Numbers(const py::object& from, int dimensions, const char* what)
    : buffer_(py::buffer(as_numbers(from, what)).request()) {
  if (buffer_.ndim != dimensions)
    throw py::value_error(
        formatted("{}: expected {} dimensions, got {}", what, dimensions, static_cast<int>(buffer_.ndim)));
}

VectorX to_vector(const py::object& from, const char* what) {
  const Numbers numbers(from, 1, what);
  return Eigen::Map<const VectorX>(numbers.data(), numbers.size(0));
}

void bind_array(py::module_& module) {
  py::class_<Array>(module, "Array", py::buffer_protocol(),
                    "Numbers for NumPy, which takes them without a copy.")
      .def_buffer([](Array& a) {
        return py::buffer_info(a.data, sizeof(double), py::format_descriptor<double>::format(),
                               static_cast<py::ssize_t>(a.shape.size()), a.shape, a.strides, a.is_constant);
      });
}

}  // namespace hooke::python
