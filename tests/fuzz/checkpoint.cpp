// What is in a checkpoint behind its checksum, which anyone can make: a text cut short or a length of its own is
// noticed.
#include <stdexcept>

#include "fuzz_input.h"
#include "hooke/base/archive.h"
#include "hooke/simulation/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_or_refuse(data, size, [](const std::string& bytes) {
    hooke::Checkpoint checkpoint;
    try {
      hooke::Archive archive(bytes);
      archive(checkpoint);
    } catch (const std::out_of_range&) {
    }
  });
}
