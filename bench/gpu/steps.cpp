// Whole steps of solids on a graphics card beside the processor: the section "On a graphics card" of docs/benchmarks.md.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

#include "batches.h"
#include "hooke/base/timer.h"
#include "hooke/gpu/cuda_engine.h"
#include "hooke/integrators/alpha_history.h"
#include "pendulum.h"

namespace {

using namespace hooke;
using namespace hooke::gpu;
using bench::newmark;
using bench::Pendulum;

constexpr double h = 0.01;

/// An angle of two plates with a rib, in tetrahedra: cells of a grid in six each, nodes moved at random by a tenth of a
/// cell and numbered at random, as no mesher would.
SolidMesh bracket(int n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> jitter(-0.1, 0.1);
  const auto is_in = [&](int i, int j, int k) {
    const bool foot = k < n / 5, wall = i < n / 5, rib = std::abs(2 * j - n) < n / 5 && i + k < n;
    const double x = i + 0.5 - 0.6 * n, y = j + 0.5 - 0.25 * n;
    return (foot && x * x + y * y > 0.01 * n * n) || wall || rib;
  };
  const auto number = [&](int i, int j, int k) { return (i * (n + 1) + j) * (n + 1) + k; };
  std::vector<std::array<int, 4>> tetrahedra;
  constexpr std::array<std::array<int, 3>, 6> ways{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  std::set<int> used;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (!is_in(i, j, k)) continue;
        for (const auto& way : ways) {
          std::array<int, 3> at{i, j, k};
          std::array<int, 4> of{};
          of[0] = number(i, j, k);
          for (int s = 0; s < 3; ++s) {
            ++at[way[s]];
            of[s + 1] = number(at[0], at[1], at[2]);
          }
          if ((way[1] - way[0] + 3) % 3 == 2) std::swap(of[2], of[3]);
          tetrahedra.push_back(of);
          used.insert(of.begin(), of.end());
        }
      }
  std::vector<int> order(used.begin(), used.end());
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int> place((n + 1) * (n + 1) * (n + 1), -1);
  SolidMesh mesh;
  for (int old : order) {
    place[old] = static_cast<int>(mesh.nodes.size());
    const Vec3 moved(jitter(random), jitter(random), jitter(random));
    mesh.nodes.push_back(10.0 / n *
                         (Vec3(old / (n + 1) / (n + 1), old / (n + 1) % (n + 1), old % (n + 1)) + moved));
  }
  for (const auto& of : tetrahedra) {
    mesh.elements.push_back({.type = ElementType::tet4, .first = static_cast<int>(mesh.connectivity.size())});
    for (int node : of) mesh.connectivity.push_back(place[node]);
  }
  return mesh;
}

/// Of one model: `steps` steps on the device, and `compared` on the processor.
void measure(const char* name, const Pendulum& pendulum, int steps, int compared, int blocks,
             bool with_reference) {
  const System& system = pendulum.system;
  const GeneralizedAlphaSettings settings = newmark();
  const State start = system.initial_state();
  std::string why;
  const Timer setting_up;
  const DeviceModel model(system, settings, h, blocks, start);
  const auto engine = make_cuda_engine(model, why);
  find_responses(model, *engine);
  const double set_up = setting_up.seconds();
  AlphaHistory history(system, settings.parameters, settings.newton);
  State state = history.ready(start, h);
  const DeviceState first = model.state_of(state);
  const std::vector<double> courses = model.courses(0, steps);
  std::vector<StepLog> log;
  double best = 1e30;
  DeviceState last;
  bool is_same = true;
  int done = 0;
  for (int round = 0; round < 3; ++round) {
    engine->set_state(first);
    done = engine->advance(steps, courses, log);
    best = std::min(best, engine->seconds());
    const DeviceState end = engine->state();
    if (round > 0) is_same = is_same && std::memcmp(end.q.data(), last.q.data(), 8 * end.q.size()) == 0;
    last = end;
  }
  double iterations = 0;
  for (const StepLog& step : log) iterations += step.iterations;
  std::vector<float> b(static_cast<std::size_t>(model.layout.dofs), 1.0f), x;
  double solve = 1e30;
  for (int round = 0; round < 5; ++round) engine->solve(b, x), solve = std::min(solve, engine->seconds());

  engine->set_state(first);
  engine->advance(compared, courses, log);
  model.write(engine->state(), state);
  State cpu = start;
  double cpu_time = 0;
  {
    GeneralizedAlpha integrator(system, settings);
    for (int n = 0; n < compared; ++n) {
      const Timer timer;
      if (!integrator.step(cpu, h).accepted) fmt::print("the processor's step {} fails\n", n);
      if (n > 0) cpu_time += timer.seconds() / (compared - 1);
    }
  }
  const double away = (cpu.q - state.q).segment<3>(3 * pendulum.tip).norm() / pendulum.length;
  fmt::print(
      "| {} | {} | {} | {:.4g} MB | {:.3g} us | {:.2f} TB/s | {:.2f} | {:.4g} ms | {:.4g} ms | {:.0f} | "
      "{:.3g} s | {:.4g} MB "
      "| {:.1e} ({} steps) | {} |\n",
      name, system.nv(), model.layout.stages, 1e-6 * model.layout.bytes(), 1e6 * solve,
      1e-12 * model.layout.bytes() / solve, iterations / std::max(done, 1), 1e3 * best / std::max(done, 1),
      1e3 * cpu_time, cpu_time * done / best, set_up, 1e-6 * engine->bytes(), away, compared,
      is_same && done == steps ? "yes" : fmt::format("no ({} steps)", done));
  std::fflush(stdout);
  if (with_reference) {
    const auto plain = make_reference(model);
    find_responses(model, *plain);
    plain->set_state(first);
    plain->advance(20, courses, log);
    engine->set_state(first);
    engine->advance(20, courses, log);
    const DeviceState a = plain->state(), c = engine->state();
    double most = 0;
    for (std::size_t i = 0; i < a.q.size(); ++i) most = std::max(most, std::abs(a.q[i] - c.q[i]));
    fmt::print(stderr,
               "{}: plain C++ and device differ by {:.2e} m after 20 steps; plan {:.3g} s, factor {:.3g} s\n",
               name, most, model.plan_seconds, engine->factor_seconds());
  }
  fmt::print(stderr, "{}: plan {:.3g} s, factor {:.3g} s\n", name, model.plan_seconds,
             engine->factor_seconds());
}

}  // namespace

int main(int argc, char** argv) {
  std::string why;
  const int blocks = device_blocks(why);
  if (blocks == 0) return fmt::print(stderr, "{}\n", why), 1;
  const int most = argc > 1 ? std::atoi(argv[1]) : 1000000;
  const std::string batches = measure_batches(argc > 2 ? std::atoi(argv[2]) : 4096);
  fmt::print("## On a graphics card\n\n");
  fmt::print(
      "Made by `bench/gpu/run` on a machine with a card. The cuboid pendulum of Kan et al. as one component, "
      "and an angle "
      "bracket of tetrahedra; h = 0.01 s, Newmark (0.26, 0.5), Newton's tolerance as runs have it (1e-10). "
      "*Solve*: one "
      "substitution "
      "with all stages, as a kernel of its own; *set-up*: plan on one core of the processor, factor and "
      "responses on the "
      "card. *Away*: the tip beside the run on the processor (one thread of the same machine), in lengths of "
      "the body. "
      "*Same*: three runs equal in every bit.\n\n");
  fmt::print(
      "| model | dofs | stages | read by a solve | solve | rate | iterations | a step | processor | times | "
      "set-up | memory | "
      "away | same |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  struct Case {
    const char* name;
    int across, steps, compared;
  };
  for (const Case& c :
       {Case{"cuboid A", 2, 1000, 1000}, Case{"cuboid B", 5, 1000, 1000}, Case{"cuboid C", 10, 1000, 1000},
        Case{"cuboid", 13, 500, 20}, Case{"cuboid", 18, 300, 10}, Case{"cuboid", 25, 200, 4}}) {
    if (3 * (10 * c.across + 1) * (c.across + 1) * (c.across + 1) > most) continue;
    measure(c.name,
            Pendulum(box_mesh(Vec3(4, 4, 40), {c.across, c.across, 10 * c.across}), Vec3(-2, -2, -20),
                     Vec3(-2, -2, 20)),
            c.steps, c.compared, blocks, c.across <= 5);
  }
  if (most > 100000)
    measure("bracket", Pendulum(bracket(44), Vec3(0, 0, 10), Vec3(10, 10, 0)), 500, 20, blocks, false);
  fmt::print("{}", batches);
}
