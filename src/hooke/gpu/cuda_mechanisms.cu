// Whole runs of many instances of a mechanism: a warp to each, a block of one warp that stays for the run.
#include <algorithm>
#include <vector>

#include "hooke/gpu/cuda_check.h"
#include "hooke/gpu/cuda_device.h"
#include "hooke/gpu/mechanism_step.h"

namespace hooke::gpu {
namespace {

struct WarpLanes {
  int lane = static_cast<int>(threadIdx.x);
  static constexpr int lanes = 32;
  __device__ void sync() const { __syncwarp(); }
  __device__ double most(double x) const {
    for (int o = 16; o > 0; o /= 2) x = fmax(x, __shfl_xor_sync(~0u, x, o));
    return x;
  }
};

extern __shared__ double scratch[];

template <int resident>
__global__ void __launch_bounds__(32, resident) mechanism_kernel(const __grid_constant__ MechanismRun run) {
  run_instance(run, static_cast<int>(blockIdx.x), scratch, WarpLanes{});
}

/// Memory of the device for as long as a run takes.
class Memory {
 public:
  ~Memory() {
    for (void* p : held_) cudaFree(p);
  }
  template <class T>
  T* room(std::size_t count) {
    void* p = nullptr;
    check(cudaMalloc(&p, std::max<std::size_t>(count, 1) * sizeof(T)), "no memory");
    held_.push_back(p);
    return static_cast<T*>(p);
  }
  template <class T>
  T* put(const T* values, std::size_t count) {
    T* p = room<T>(count);
    if (count > 0) check(cudaMemcpy(p, values, count * sizeof(T), cudaMemcpyHostToDevice), "copy");
    return p;
  }
  template <class T>
  void bring(T*& pointer, std::size_t count) {
    pointer = put(pointer, count);
  }

 private:
  std::vector<void*> held_;
};

void bring_plan(MechanismPlan& p, Memory& memory) {
  const Level last = p.level[p.levels - 1];
  std::size_t products = 0;
  for (int k = 0; k < last.updates; ++k) products = std::max<std::size_t>(products, p.update[k].last);
  for (int k = 0; k < last.backs; ++k) products = std::max<std::size_t>(products, p.back[k].last);
  memory.bring(p.frames_of, p.frames_at[p.points]);
  memory.bring(p.elements_of, p.elements_at[p.points]);
  memory.bring(p.loads_of, p.loads_at[p.frames]);
  memory.bring(p.rows_of, p.rows_at[p.frames]);
  memory.bring(p.frames_at, p.points + 1), memory.bring(p.elements_at, p.points + 1);
  memory.bring(p.loads_at, p.frames + 1), memory.bring(p.rows_at, p.frames + 1);
  memory.bring(p.frame, p.frames), memory.bring(p.row, p.rows), memory.bring(p.load, p.loads);
  memory.bring(p.element, p.elements);
  memory.bring(p.diagonal, p.points), memory.bring(p.right_side, p.points);
  memory.bring(p.pivot, last.pivots), memory.bring(p.scaled, last.rows);
  memory.bring(p.update, last.updates), memory.bring(p.back, last.backs);
  memory.bring(p.product, products), memory.bring(p.level, p.levels);
}

}  // namespace

extern "C" double hooke_cuda_mechanisms(const MechanismRun* given) {
  MechanismRun run = *given;
  const MechanismPlan& p = given->plan;
  MechanismWorld sizes{};
  const std::size_t shared = static_cast<std::size_t>(sizes.place(p, nullptr)) * sizeof(double);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "no device");
  if (shared > properties.sharedMemPerBlockOptin)
    throw std::runtime_error("the mechanism is too large for the memory of a multiprocessor");
  const std::size_t instances = run.instances, outputs = instances * p.output() * (run.steps / run.every + 1);
  Memory memory;
  bring_plan(run.plan, memory);
  memory.bring(run.numbers, instances * p.numbers());
  memory.bring(run.state, instances * p.state());
  const std::size_t course = static_cast<std::size_t>(run.steps) * p.course();
  memory.bring(run.courses, run.courses_apart > 0 ? course * instances : course);
  memory.bring(run.outputs, outputs);
  run.log = memory.room<BatchLog>(instances);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  // Where more instances fit into the memory of a multiprocessor than have all registers they want, some do with fewer.
  const std::size_t fit = properties.sharedMemPerMultiprocessor / (shared + 1024);
  auto* const kernel = fit >= 14   ? mechanism_kernel<16>
                       : fit >= 10 ? mechanism_kernel<10>
                                   : mechanism_kernel<8>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  check(cudaEventRecord(begin), "event");
  kernel<<<run.instances, 32, shared>>>(run);
  check(cudaGetLastError(), "launch");
  check(cudaEventRecord(end), "event");
  check(cudaDeviceSynchronize(), "run");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "event");
  cudaEventDestroy(begin), cudaEventDestroy(end);
  check(cudaMemcpy(given->state, run.state, instances * p.state() * sizeof(double), cudaMemcpyDeviceToHost),
        "copy");
  check(cudaMemcpy(given->outputs, run.outputs, outputs * sizeof(double), cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(given->log, run.log, instances * sizeof(BatchLog), cudaMemcpyDeviceToHost), "copy");
  return 1e-3 * ms;
}

}  // namespace hooke::gpu
