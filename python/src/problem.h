#pragma once
#include "code.h"
#include "hooke/catalog/problem.h"

namespace hooke::python {

/// All that is to be computed, and where an exception of the user's code in it is kept.
struct PythonProblem {
  Problem problem;
  std::shared_ptr<Fault> fault = std::make_shared<Fault>();
};

void bind_problem(py::module_& module);
void bind_description(py::module_& module);
void bind_mesh(py::module_& module);

}  // namespace hooke::python
