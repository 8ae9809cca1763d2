#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hooke/simulation/simulation.h"

namespace hooke::test {

/// A model given as text.
inline Problem problem(const std::string& text, const std::vector<std::string>& changes = {}) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("hooke_control_{}.yaml", ::getpid())).string();
  std::ofstream(path) << text;
  return load(path, changes);
}

inline std::string model_path(const std::string& name) {
  return std::string(HOOKE_ROOT) + "/models/control/" + name + ".yaml";
}

/// What building the model complains of.
inline std::string complaint(const std::string& text) {
  try {
    Simulation simulation(problem(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A disc on a shaft, the smallest thing that can be controlled: inertia 2 kg m2.
inline std::string disc(const std::string& rest) {
  return "hooke: 1\n"
         "bodies: {disc: {rigid: {mass: 1, inertia: [1, 1, 2]}}}\n"
         "joints: {shaft: {revolute: [ground, disc], at: [0, 0, 0], axis: z}}\n" +
         rest;
}

/// The signal at the outputs of a run.
inline std::vector<std::pair<double, double>> history(Simulation& simulation, const std::string& signal) {
  std::vector<std::pair<double, double>> all;
  const auto& names = simulation.built().signals;
  std::vector<double> values(names.size());
  const Summary summary =
      simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
        simulation.system().controls()->read(state, workspace, values);
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i].name == signal) all.emplace_back(state.t, values[i]);
      }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return all;
}

}  // namespace hooke::test
