#pragma once
#include <cstdlib>
#include <ctime>

#include "hooke/base/timer.h"
#include "hooke/coupling/adapter/coupled_integrator.h"
#include "hooke/coupling/adapter/whole_response.h"
#include "hooke/integrators/march.h"
#include "hooke/simulation/subsystems.h"
#include "support/mechanisms.h"
#include "support/rods.h"
#include "support/trajectory.h"
#include "validation/report.h"

/// The sections of docs/papers/zhou.md, one file each, and what they share.
namespace hooke::zhou {

using validation::Report;
using validation::scientific;
using validation::short_number;

void rigid(Report& report);
void flexible(Report& report);
void ancf(Report& report);
void iterations(Report& report);
void equality(Report& report);
void speed(Report& report);

using Overrides = std::vector<std::string>;

/// papers/zhou/run --long
inline bool is_long() { return std::getenv("HOOKE_LONG") != nullptr; }

/// The rod of case 2 as `kind`, 4 elements; as a solid, a square bar of the same mass and length.
inline Overrides rod_as(const std::string& kind) {
  if (kind == "solid")
    return {"bodies.rod.cosserat=null",
            "bodies.rod.solid={mesh: {box: {size: [0.01455244, 0.01455244, 0.3], divisions: [1, 1, 8]}}, "
            "material: {young: 2.07e11, poisson: 0.29, density: 7870}}",
            "joints.B={spherical: [crank, rod.z_min], at: [0, 0.1, 0.2]}",
            "joints.C={universal: [slider, rod.z_max], at: [0.2, 0, 0], axis: x}", "run.solver=schur"};
  if (kind == "ffrf, constant mass") {
    Overrides result = rod_as("ffrf");
    result.emplace_back("bodies.rod.ffrf.mass=constant");
    return result;
  }
  const std::string modes = kind == "ffrf" ? ", modes: 6" : "";
  Overrides result{"bodies.rod.cosserat=null"};
  result.push_back(fmt::format(
      "bodies.rod.{}={{section: {{circle: 8.21036e-3}}, material: {{young: 2.07e11, poisson: 0.29, "
      "density: 7870}}, elements: 4{}}}",
      kind, modes));
  if (kind == "cosserat") result.erase(result.begin());
  return result;
}

inline Overrides operator+(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Overrides ode(double step, double end, double every) {
  return {"run.integrator=stabilised-ode", fmt::format("run.step={:g}", step),
          fmt::format("run.end={:g}", end), fmt::format("outputs.every={:g}", every)};
}
inline const Overrides case_1{"subsystems={driver: [crank, rod], slider: [slider]}"};
inline const Overrides case_2{"subsystems={mechanism: [crank, slider], rod: [rod]}"};

/// A model made ready, and runs of it in parts.
struct Machine {
  BuiltModel built;
  State start;
  explicit Machine(const Model& model)
      : built(build(model)), start(assemble_start(model, built, {}, 0).state) {}
};

struct CoupledRun {
  State end;
  double iterations = 0;  ///< a step
  int most = 0;
  double seconds = 0;
  std::string failure;
};

inline std::vector<Subsystem> parts_of(const Machine& machine, const std::vector<std::vector<int>>& split) {
  Problem problem;
  for (const auto& bodies : split) {
    SubsystemSettings entry;
    for (const int b : bodies) entry.bodies.push_back(machine.built.bodies[b]);
    problem.subsystems[fmt::format("part{}", problem.subsystems.size() + 1)] = entry;
  }
  return subsystems_of(problem, machine.built);
}

inline CoupledRun run(const Machine& machine, const std::vector<std::vector<int>>& split,
                      const CouplingSettings& coupling, double step, int steps,
                      std::shared_ptr<Team> team = nullptr, double newton_tolerance = 1e-12,
                      std::optional<double> beta = {}, const std::string& solver = "auto", double rho = 0.8) {
  const StabilisedAlphaSettings settings{
      AlphaParameters::generalized_alpha(rho), beta, {.tolerance = newton_tolerance, .solver = solver}};
  const auto advance = [&](auto&& integrator) {
    CoupledRun result{machine.start};
    const Timer timer;
    for (int k = 0; k < steps && result.failure.empty(); ++k)
      result.failure = integrator.step(result.end, step).failure;
    result.seconds = timer.seconds();
    result.iterations = integrator.relaxation().iterations();
    result.most = integrator.relaxation().totals().most;
    return result;
  };
  const System& system = *machine.built.system;
  const std::vector<Subsystem> parts = parts_of(machine, split);
  if (coupling.response == Response::whole)
    return advance(WholeResponse(system, parts, settings, coupling, std::move(team)));
  return advance(CoupledIntegrator(system, parts, settings, coupling, std::move(team)));
}

}  // namespace hooke::zhou
