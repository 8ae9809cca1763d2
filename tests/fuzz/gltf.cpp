#include "fuzz_input.h"
#include "hooke/io/mesh/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return read_or_refuse(data, size, [](const std::string& text) {
    hooke::parse_mesh(text, text.starts_with("glTF") ? "fuzz.glb" : "fuzz.gltf");
  });
}
