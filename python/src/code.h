#pragma once
// Functions of a user's that Hooke calls while it steps, without the interpreter's lock (GIL), perhaps in several
// threads: it is taken for the call and given back. A compiled function needs no lock.
//
// An exception must not travel through the solver. It is kept, the call gives not-a-number, and so does every call
// after it: the step fails, the run ends, what was recorded is kept, and then the exception is raised.
#include <atomic>
#include <mutex>

#include "array.h"
#include "hooke/math/user_code.h"

namespace hooke::python {

class Fault {
 public:
  Fault() = default;
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault();
  bool is_set() const { return is_set_.load(std::memory_order_acquire); }
  /// Keeps the exception that Python has set; the first one counts. With the lock.
  void take();
  /// Raises what was kept, and forgets it. With the lock.
  void raise_if_set();

 private:
  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

/// As Python hands it over: a callable, or the address of a compiled function.
struct Code {
  py::object function;
  std::uintptr_t address = 0;
  std::string label;
  bool has_derivatives = false;
  bool takes_pointer = false;  ///< compiled: double (*)(const double* in), else one double for each number

  std::shared_ptr<const UserCode> bind(std::shared_ptr<Fault> fault) const;
};

void bind_code(py::module_& module);

}  // namespace hooke::python
