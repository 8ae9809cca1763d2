#pragma once
#include <gtest/gtest.h>

#include "hooke/simulation/simulation.h"

namespace hooke::test {

/// Of a cable around something, body 0, whose one end is pulled harder from 0.2 s on: the ratio of its pulls when it slips.
inline double slip_ratio(const std::string& model) {
  Simulation simulation(
      load(std::string(HOOKE_ROOT) + "/models/contact/" + model, {"bodies.cable.cosserat.elements=30"}));
  double slips = 0, last = 0, t_last = 0;
  const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    const double z = simulation.system().nodes(0, state)[0].p.z();
    if (state.t > 0.25 && slips == 0 && (z - last) / (state.t - t_last) > 2e-3) slips = state.t;
    last = z, t_last = state.t;
  }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  return 1 + 2 * (slips - 0.2);
}

}  // namespace hooke::test
