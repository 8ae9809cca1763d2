// A results file with bytes changed: the input says which, four bytes at a time: three for the place, one for the value.
// The HDF5 library may crash on it, in the process that tries it first; then an Error says so.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz_input.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/results/results_check.h"
#include "hooke/simulation/simulation.h"

namespace {

const char* const model = R"(hooke: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {rigid: {mass: 1, shape: {box: [0.1, 0.1, 1]}}, at: [0, 0, -0.5]}
  rod: {cosserat: {section: {circle: 0.01}, material: {young: 2e11, poisson: 0.3, density: 7850}, elements: 2, length: 1}, at: [0, 0, -1.5]}
joints:
  pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: x}
  weld: {fixed: [arm, rod.start]}
forces:
  push: {load: arm, force: [0, 1, 0]}
run: {step: 1e-3, end: 0.003}
outputs: {every: 1e-3}
)";

std::string place() {
  return (std::filesystem::temp_directory_path() / ("hooke_fuzz_" + std::to_string(getpid()) + ".h5"))
      .string();
}

std::string original() {
  hooke::Diagnostics diagnostics;
  hooke::Simulation(hooke::parse_model(model, "fuzz.yaml", {}, diagnostics)).run({.results = place()});
  std::ifstream file(place(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

/// The library loses memory on files that it refuses.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string whole = original();
  std::string bytes = whole;
  for (std::size_t k = 0; k + 3 < size; k += 4)
    bytes[(data[k] << 16 | data[k + 1] << 8 | data[k + 2]) % bytes.size()] = static_cast<char>(data[k + 3]);
  std::ofstream(place(), std::ios::binary) << bytes;
  return read_or_refuse(data, size, [](const std::string&) {
    hooke::check_results_file(place());
    hooke::ResultsReader(place()).try_all();
  });
}
