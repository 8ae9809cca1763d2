#pragma once
// Results to look at: a small run, with parts of it changed where a test wants that.
#include <filesystem>
#include <fstream>
#include <string>

#include "hooke/io/model/model_file.h"
#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/results_reader.h"
#include "hooke/simulation/simulation.h"

namespace hooke::testing_view {

/// A folder that is gone when the test ends.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "hooke_view_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator()(const std::string& name) const { return (path / name).string(); }
};

inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a model written here; the results are in `path`.
inline void simulate(const std::string& yaml, const std::string& path) {
  Diagnostics diagnostics;
  Problem file = parse_model(yaml, "test.yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  Simulation(std::move(file)).run({.results = path});
}

inline const char* const crank =
    "hooke: 1\n"
    "title: A </script> crank\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {rigid: {mass: 1, inertia: [0.08, 0.08, 0.001]}, at: [0, 0, 0.5]}\n"
    "  ball: {rigid: {mass: 2, shape: {sphere: 0.1}}, at: [0, 0, 1]}\n"
    "  block: {rigid: {mass: 2, inertia: 0.1}, geometry: [{box: [0.3, 0.2, 0.1], at: [0, 0, 0.1], colour: "
    "'#123456'}],"
    " at: [2, 0, 0]}\n"
    "joints:\n"
    "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: x, start: {angle: {rate: 2}}}\n"
    "  B: {spherical: [crank, ball], at: [0, 0, 1]}\n"
    "  C: {prismatic: [ground, block], axis: x}\n"
    "forces:\n"
    "  S: {spring: [ground, block], points: [[3, 0, 0], null], stiffness: 40, free: 0.5}\n"
    "run: {step: 0.01, end: 1}\n"
    "outputs: {every: 0.02}\n";

/// Adds a rod as docs/results.md has it: a quarter of a circle that grows, from the origin along x.
inline void add_rod(const std::string& path, const std::string& name, std::size_t nodes, double radius) {
  std::size_t frames = 0;
  { frames = ResultsReader(path).frames(); }
  std::vector<double> numbers;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const double bend =
        1e-3 + 1.5 * static_cast<double>(frame) / static_cast<double>(frames);  // rad over 2 m
    for (std::size_t node = 0; node < nodes; ++node) {
      const double angle = bend * static_cast<double>(node) / static_cast<double>(nodes - 1), R = 2 / bend;
      numbers.insert(numbers.end(), {R * std::sin(angle), 0, R * (1 - std::cos(angle)), std::cos(angle / 2),
                                     0, -std::sin(angle / 2), 0});
    }
  }
  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const hdf5::Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const hdf5::Handle group(H5Gcreate2(file, ("rods/" + name).c_str(), links, H5P_DEFAULT, H5P_DEFAULT),
                           H5Gclose);
  hdf5::write_number(group, "radius", radius);
  const hsize_t shape[] = {frames, nodes, 7};
  const hdf5::Handle space(H5Screate_simple(3, shape, nullptr), H5Sclose);
  const hdf5::Handle dataset(
      H5Dcreate2(group, "nodes", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
}

/// Adds a solid as docs/results.md has it: a square of two triangles in the frame of a body, whose last
/// corner rises by t along z under a stress of 1e6 t there.
inline void add_solid(const std::string& path, const std::string& name,
                      const std::string& field_name = "stress", const std::string& unit = "Pa") {
  std::vector<double> t;
  { t = ResultsReader(path).read("time"); }
  std::vector<double> displacement, stress;
  for (const double time : t) {
    displacement.insert(displacement.end(), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, time});
    stress.insert(stress.end(), {0, 0, 0, 1e6 * time});
  }
  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const hdf5::Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const hdf5::Handle group(H5Gcreate2(file, ("solids/" + name).c_str(), links, H5P_DEFAULT, H5P_DEFAULT),
                           H5Gclose);
  hdf5::write_numbers(group, "points", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 3);
  hdf5::write_numbers(group, "triangles", {0, 1, 2, 1, 3, 2}, 3);
  hdf5::write_numbers(group, field_name, stress, 4);
  const hdf5::Handle field(H5Dopen2(group, field_name.c_str(), H5P_DEFAULT), H5Dclose);
  hdf5::write_text(field, "unit", unit);
  const hsize_t shape[] = {t.size(), 4, 3};
  const hdf5::Handle space(H5Screate_simple(3, shape, nullptr), H5Sclose);
  const hdf5::Handle dataset(
      H5Dcreate2(group, "displacement", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, displacement.data());
}

}  // namespace hooke::testing_view
