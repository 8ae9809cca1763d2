#include "fuzz_input.h"
#include "hooke/io/model/linear_model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_or_refuse(data, size,
                        [](const std::string& text) { hooke::parse_linear_model(text, "fuzz.yaml", {}); });
}
