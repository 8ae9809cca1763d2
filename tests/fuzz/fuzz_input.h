#pragma once
#include <cstdint>
#include <string>

#include "hooke/base/error.h"

/// Whatever a file holds, reading it ends in a value or in an Error: no crash, no hang, no full memory.
inline int read_or_refuse(const std::uint8_t* data, std::size_t size, auto&& read) {
  try {
    read(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const hooke::Error&) {
  }
  return 0;
}
