#pragma once
#include "hooke/gpu/engine.h"

namespace hooke::gpu {

/// Whole steps on a graphics card.
class CudaEngine : public Engine {
 public:
  virtual void run(const SolidRun& run) = 0;  ///< of a model laid out for one block
  virtual double bytes() const = 0;           ///< of memory there
  virtual double seconds() const = 0;         ///< of the device, in the last `advance`
  virtual double factor_seconds() const = 0;  ///< that factorizing took
};

/// Null where the program was built without, or there is no device; `why` says it then.
std::unique_ptr<CudaEngine> make_cuda_engine(const DeviceModel& model, std::string& why);
/// Blocks that the device runs at once; 0: there is none, and why.
int device_blocks(std::string& why);

struct MechanismRun;
/// On the device, which is there; the seconds it took. Pointers are to memory of the processor.
double run_mechanisms(const MechanismRun& run);

}  // namespace hooke::gpu
