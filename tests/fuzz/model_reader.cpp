// Whatever stands in a model file, reading it ends in a model or in error messages: no crash, no hang, no
// full memory. What can be read without an error is also built, as long as it is small.
#include <cstdint>
#include <string>

#include "hooke/catalog/build.h"
#include "hooke/io/model/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most_bodies = 20;
  try {
    hooke::Diagnostics diagnostics;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const hooke::Problem file = hooke::parse_model(text, "fuzz.yaml", {}, diagnostics);
    diagnostics.throw_if_errors();
    if (file.model.bodies.size() <= most_bodies && file.model.joints.size() <= 2 * most_bodies)
      hooke::build(file.model);
  } catch (const hooke::Error&) {
  }
  return 0;
}
