// Whole steps of solids on a graphics card beside the processor: the section "On a graphics card" of docs/benchmarks/gpu.md.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <set>
#include <thread>

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

/// What one model takes. Its first step on the processor, with the factor, which takes minutes for the largest, is that of a
/// thread of its own; the others are timed when nothing else runs.
class Case {
 public:
  Case(const char* name, std::unique_ptr<const Pendulum> pendulum, int steps, int compared)
      : name_(name), steps_(steps), compared_(compared), pendulum_(std::move(pendulum)) {
    processor_ = std::jthread([this] {
      integrator_ = std::make_unique<GeneralizedAlpha>(pendulum_->system, newmark());
      cpu_ = pendulum_->system.initial_state();
      take_step(0);
    });
  }

  void measure_device(int blocks, bool with_reference);
  void wait() { processor_.join(); }
  void measure_processor() {
    const Timer timer;
    for (int n = 1; n < compared_; ++n) take_step(n);
    cpu_time_ = timer.seconds() / (compared_ - 1);
    fmt::print(stderr, "{}: {} steps on the processor, {:.3g} s\n", name_, compared_, timer.seconds());
    integrator_.reset();
  }
  std::string row() const;

 private:
  void take_step(int n) {
    if (!integrator_->step(cpu_, h).accepted)
      fmt::print(stderr, "{}: the processor's step {} fails\n", name_, n);
  }

  const char* name_;
  int steps_, compared_;
  std::unique_ptr<const Pendulum> pendulum_;
  std::unique_ptr<GeneralizedAlpha> integrator_;
  State cpu_, device_;
  int done_ = 0, stages_ = 0;
  bool is_same_ = true;
  double cpu_time_ = 0, best_ = 1e30, set_up_ = 0, solve_ = 1e30, iterations_ = 0, read_ = 0, held_ = 0;
  std::jthread processor_;
};

/// `steps` steps, and as many as are compared with the processor's.
void Case::measure_device(int blocks, bool with_reference) {
  const System& system = pendulum_->system;
  const GeneralizedAlphaSettings settings = newmark();
  const State start = system.initial_state();
  std::string why;
  const Timer setting_up;
  const DeviceModel model(system, settings, h, blocks, start);
  const auto engine = make_cuda_engine(model, why);
  find_responses(model, *engine);
  set_up_ = setting_up.seconds();
  stages_ = model.layout.stages, read_ = model.layout.bytes(), held_ = engine->bytes();
  AlphaHistory history(system, settings.parameters, settings.newton);
  device_ = history.ready(start, h);
  const DeviceState first = model.state_of(device_);
  const std::vector<double> courses = model.courses(0, steps_);
  std::vector<StepLog> log;
  DeviceState last;
  for (int round = 0; round < 3; ++round) {
    engine->set_state(first);
    done_ = engine->advance(steps_, courses, log);
    best_ = std::min(best_, engine->seconds());
    const DeviceState end = engine->state();
    if (round > 0) is_same_ = is_same_ && end.q == last.q && end.bodies == last.bodies;
    last = end;
  }
  for (const StepLog& step : log) iterations_ += step.iterations;
  std::vector<float> b(static_cast<std::size_t>(model.layout.dofs), 1.0f), x;
  for (int round = 0; round < 5; ++round) engine->solve(b, x), solve_ = std::min(solve_, engine->seconds());

  engine->set_state(first);
  engine->advance(compared_, courses, log);
  model.write(engine->state(), device_);
  fmt::print(stderr, "{}: plan {:.3g} s, factor {:.3g} s\n", name_, model.plan_seconds,
             engine->factor_seconds());
  if (!with_reference) return;
  const auto plain = make_reference(model);
  find_responses(model, *plain);
  plain->set_state(first);
  plain->advance(20, courses, log);
  engine->set_state(first);
  engine->advance(20, courses, log);
  const DeviceState a = plain->state(), c = engine->state();
  double most = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) most = std::max(most, std::abs(a.q[i] - c.q[i]));
  fmt::print(stderr, "{}: plain C++ and device differ by {:.2e} m after 20 steps\n", name_, most);
}

std::string Case::row() const {
  const double away = (cpu_.q - device_.q).segment<3>(3 * pendulum_->tip).norm() / pendulum_->length;
  return fmt::format(
      "| {} | {} | {} | {:.4g} MB | {:.3g} us | {:.2f} TB/s | {:.2f} | {:.4g} ms | {:.4g} ms | {:.0f} | "
      "{:.3g} s | {:.4g} MB | {:.1e} ({} steps) | {} |\n",
      name_, pendulum_->system.nv(), stages_, 1e-6 * read_, 1e6 * solve_, 1e-12 * read_ / solve_,
      iterations_ / std::max(done_, 1), 1e3 * best_ / std::max(done_, 1), 1e3 * cpu_time_,
      cpu_time_ * done_ / best_, set_up_, 1e-6 * held_, away, compared_,
      is_same_ && done_ == steps_ ? "yes" : fmt::format("no ({} steps)", done_));
}

}  // namespace

int main(int argc, char** argv) {
  std::string why;
  const int blocks = device_blocks(why);
  if (blocks == 0) return fmt::print(stderr, "{}\n", why), 1;
  const int most = argc > 1 ? std::atoi(argv[1]) : 1000000;
  const Timer timer;
  std::deque<Case> cases;
  const auto add = [&](const char* name, int across, int steps, int compared, bool is_on_hub = false) {
    if (3 * (10 * across + 1) * (across + 1) * (across + 1) > most) return;
    cases.emplace_back(
        name,
        std::make_unique<const Pendulum>(box_mesh(Vec3(4, 4, 40), {across, across, 10 * across}),
                                         Vec3(-2, -2, -20), Vec3(-2, -2, 20), is_on_hub),
        steps, compared);
    cases.back().measure_device(blocks, across <= 5);
  };
  // The largest first, whose first step on the processor takes longest.
  add("cuboid", 25, 200, 4);
  add("cuboid", 18, 300, 10);
  if (most > 100000) {
    cases.emplace_back(
        "bracket", std::make_unique<const Pendulum>(bracket(44), Vec3(0, 0, 10), Vec3(10, 10, 0)), 500, 20);
    cases.back().measure_device(blocks, false);
  }
  add("cuboid", 13, 500, 20);
  add("cuboid C on a rigid hub", 10, 1000, 200, true);
  add("cuboid C", 10, 1000, 1000);
  add("cuboid B", 5, 1000, 1000);
  add("cuboid A", 2, 1000, 1000);
  std::string table;
  for (Case& of : cases) of.wait();
  for (Case& of : cases) {
    of.measure_processor();
    table = of.row() + table;
    fmt::print(stderr, "{:.0f} s so far\n{}", timer.seconds(), of.row());
  }
  cases.clear();
  fmt::print("## On a graphics card\n\n");
  fmt::print(
      "Made by `bench/gpu/run` on a machine with a card. The cuboid pendulum of Kan et al. as one component, "
      "and an angle bracket of tetrahedra; h = 0.01 s, Newmark (0.26, 0.5), Newton's tolerance as runs have "
      "it (1e-10). *Solve*: one substitution with all stages, as a kernel of its own; *set-up*: plan on one "
      "core of the processor, factor and responses on the card. *Away*: the tip beside the run on the "
      "processor (one thread of the same machine), in lengths of the body. *Same*: three runs equal in every "
      "bit.\n\n"
      "| model | dofs | stages | read by a solve | solve | rate | iterations | a step | processor | times | "
      "set-up | memory | away | same |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- | --- | --- |\n{}",
      table);
  std::fflush(stdout);
  fmt::print("{}", measure_batches(argc > 2 ? std::atoi(argv[2]) : 4096));
  fmt::print(stderr, "{:.0f} s in all\n", timer.seconds());
}
