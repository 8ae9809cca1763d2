#include "fuzz_input.h"
#include "hooke/io/document/table_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_or_refuse(data, size, [](const std::string& text) {
    hooke::Diagnostics diagnostics;
    hooke::parse_table(text, "fuzz.csv", {"1", "2"}, "", diagnostics);
  });
}
