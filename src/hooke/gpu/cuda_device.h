#pragma once
#include <cstddef>
#include <string>

#include "hooke/gpu/mechanism_data.h"

namespace hooke::gpu {

/// The kernels' side of an engine (cuda_engine.cpp): all that CUDA needs to know, without the headers that only the
/// compiler for the processor takes. It lies in a library of its own, hooke_cuda, which is loaded when a device is asked
/// for: CUDA's libraries are large. Throws std::runtime_error when the device refuses something.
class CudaDevice {
 public:
  /// What Newton's matrix is made of, by node: its component; by component: the weights of mass and stiffness.
  struct Weights {
    const int* component_of;
    const double *mass, *stiffness;
  };
  virtual ~CudaDevice() = default;

  virtual void solve(const float* b, float* x) = 0;
  virtual void set_responses(const float* response, std::size_t responses, const double* compliance,
                             std::size_t compliances) = 0;
  virtual void write(double* StepData::*where, const double* values, std::size_t count) = 0;
  virtual void read(double* StepData::*where, double* values, std::size_t count) const = 0;
  virtual void write(const NewtonMemory& newton) = 0;
  virtual NewtonMemory newton() const = 0;

  /// Steps taken. The state is that after the last one which succeeded.
  virtual int advance(int steps, const double* courses, std::size_t course_values, StepLog* log) = 0;

  /// All instances, whose pointers are to memory of the processor.
  virtual void run(const SolidRun& run) = 0;

  virtual double bytes() const = 0;           ///< of memory held
  virtual double seconds() const = 0;         ///< of the device, in the last `advance` or `solve`
  virtual double factor_seconds() const = 0;  ///< that factorizing took
  virtual std::string name() const = 0;
};

/// What the library hooke_cuda offers: multiprocessors of the device (0: there is none that will do, and why); and a
/// device that has copied what is constant in `host` (pointers to memory of the processor) and factorized.
extern "C" {
int hooke_cuda_blocks(std::string* why);
CudaDevice* hooke_cuda_make(const Layout* layout, const StepData* host, const CudaDevice::Weights* weights);
/// All instances of a run; the seconds that the device took.
double hooke_cuda_mechanisms(const MechanismRun* run);
}

}  // namespace hooke::gpu
