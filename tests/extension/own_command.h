#pragma once
#include <hooke/hooke.h>
#include <hooke/program.h>

#include <cstdio>

namespace own {

/// A command of our own, mass FILE: what a model weighs.
inline void add_mass(hooke::program::CommandLine& line) {
  auto command = line.add("mass", "Say what a model weighs");
  auto model = std::make_shared<std::string>();
  command.model_argument(*model);
  command.action([model, &line] {
    const hooke::Simulation simulation(hooke::load(*model, {}, line.catalog()));
    double mass = 0;
    for (int body = 0; body < simulation.system().bodies(); ++body)
      mass += simulation.system().mass_properties(body).mass;
    std::printf("%g kg\n", mass);
    return hooke::ExitCode::ok;
  });
}

}  // namespace own
