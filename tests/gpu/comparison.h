#pragma once
#include <gtest/gtest.h>

#include "hooke/gpu/cuda_engine.h"
#include "hooke/integrators/alpha_history.h"

namespace hooke::gpu {

constexpr double h = 0.01;

/// Where the processor and the plain C++ of the device end.
struct Comparison {
  State cpu, device;
  int cpu_iterations = 0, device_iterations = 0;
  double cpu_error = 0, device_error = 0;  ///< the largest of a step
  double distance() const { return (cpu.q - device.q).lpNorm<Eigen::Infinity>(); }
};

inline Comparison compare(const System& system, const GeneralizedAlphaSettings& settings, int steps,
                          int blocks, double step = h) {
  Comparison both;
  State start = system.initial_state();
  both.cpu = start;
  GeneralizedAlpha integrator(system, settings);
  for (int n = 0; n < steps; ++n) {
    const StepReport report = integrator.step(both.cpu, step);
    EXPECT_TRUE(report.accepted) << report.failure;
    both.cpu_iterations += report.iterations;
    both.cpu_error = std::max(both.cpu_error, report.error);
  }
  EXPECT_EQ(DeviceModel::refusal(system, settings), "");
  const DeviceModel model(system, settings, step, blocks, start);
  const auto engine = make_reference(model);
  find_responses(model, *engine);
  AlphaHistory history(system, settings.parameters, settings.newton);
  both.device = history.ready(start, step);
  engine->set_state(model.state_of(both.device));
  std::vector<StepLog> log;
  EXPECT_EQ(engine->advance(steps, model.courses(0, steps), log), steps);
  for (const StepLog& of : log) {
    both.device_iterations += of.iterations;
    both.device_error = std::max(both.device_error, of.error);
  }
  model.write(engine->state(), both.device);
  return both;
}

/// Fifty steps, and the same again.
inline void expect_device_as_plain(const System& system, const GeneralizedAlphaSettings& settings, int blocks,
                                   double step = h) {
  std::string why;
  State start = system.initial_state();
  const DeviceModel model(system, settings, step, blocks, start);
  const auto plain = make_reference(model);
  const auto device = make_cuda_engine(model, why);
  AlphaHistory history(system, settings.parameters, settings.newton);
  start = history.ready(start, step);
  std::vector<DeviceState> ends;
  for (Engine* engine :
       {plain.get(), static_cast<Engine*>(device.get()), static_cast<Engine*>(device.get())}) {
    find_responses(model, *engine);
    engine->set_state(model.state_of(start));
    std::vector<StepLog> log;
    EXPECT_EQ(engine->advance(50, model.courses(0, 50), log), 50);
    ends.push_back(engine->state());
  }
  double most = 0;
  for (std::size_t i = 0; i < ends[0].q.size(); ++i)
    most = std::max(most, std::abs(ends[0].q[i] - ends[1].q[i]));
  for (std::size_t i = 0; i < ends[0].bodies.size() / 31 * 7; ++i)
    most = std::max(most, std::abs(ends[0].bodies[i] - ends[1].bodies[i]));
  EXPECT_LT(most, 1e-8);
  EXPECT_EQ(ends[1].q, ends[2].q);
  EXPECT_EQ(ends[1].bodies, ends[2].bodies);
}

}  // namespace hooke::gpu
