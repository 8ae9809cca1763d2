#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooke/bodies/rigid.h"
#include "hooke/gpu/cuda_engine.h"
#include "hooke/gpu/mechanism_batch.h"
#include "hooke/integrators/alpha_history.h"
#include "hooke/joints/drive.h"
#include "hooke/joints/joints.h"
#include "hooke/simulation/simulation.h"

namespace hooke::gpu {
namespace {

std::string model_file(const std::string& name) { return std::string(HOOKE_ROOT) + "/models/" + name; }

GeneralizedAlphaSettings settings_for(ConstraintForm form = ConstraintForm::stabilised) {
  GeneralizedAlphaSettings settings;
  settings.form = form;
  return settings;
}

State started(const System& system, const State& state, const GeneralizedAlphaSettings& settings, double h) {
  AlphaHistory history(system, settings.parameters, settings.newton);
  return history.ready(state, h);
}

struct BatchComparison {
  State cpu, batch;
  int cpu_iterations = 0;
  MechanismLog log{};
  double distance() const { return (cpu.q - batch.q).lpNorm<Eigen::Infinity>(); }
};

BatchComparison compare_batch(const System& system, const State& start, const GeneralizedAlphaSettings& settings, double h,
                   int steps) {
  BatchComparison both;
  EXPECT_EQ(MechanismModel::refusal(system, settings), "");
  both.cpu = start;
  GeneralizedAlpha integrator(system, settings);
  for (int n = 0; n < steps; ++n) {
    const StepReport report = integrator.step(both.cpu, h);
    EXPECT_TRUE(report.accepted) << report.failure;
    both.cpu_iterations += report.iterations;
  }
  const MechanismModel model(system, settings, h);
  MechanismBatch batch(model);
  batch.add(system, started(system, start, settings, h));
  batch.run_here(steps, steps);
  both.batch = batch.state(0);
  both.log = batch.log(0);
  EXPECT_EQ(both.log.steps, steps);
  printf("distance %g iterations %d %lld lambda %g\n", both.distance(), both.cpu_iterations, both.log.iterations,
         (both.cpu.lambda - both.batch.lambda).norm() / both.cpu.lambda.norm());
  return both;
}

TEST(Mechanisms, StepAsOnTheProcessor) {
  struct Case {
    const char* file;
    double h;
    int steps;
  };
  for (const Case& c : {Case{"slider_crank.yaml", 1e-3, 1000}, Case{"chain.yaml", 1e-2, 100},
                        Case{"four_bar.yaml", 1e-3, 300}, Case{"flexible/slider_crank.yaml", 1e-4, 200}})
    for (auto form : {ConstraintForm::index3, ConstraintForm::stabilised}) {
      SCOPED_TRACE(c.file);
      const Simulation simulation(load(model_file(c.file)));
      GeneralizedAlphaSettings settings = settings_for(form);
      const BatchComparison both = compare_batch(simulation.system(), simulation.state(), settings, c.h, c.steps);
      EXPECT_LT(both.distance(), 1e-7);
    }
}

}  // namespace
}  // namespace hooke::gpu
