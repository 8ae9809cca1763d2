#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace hooke::gpu {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace hooke::gpu
