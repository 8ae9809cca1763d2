#pragma once
#include <mutex>

namespace hooke {

/// METIS starts the random numbers of the C library anew and draws from them. Held by whoever calls it, so that
/// threads which order their matrices at the same time get the same orders every time.
inline std::mutex& metis_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace hooke
