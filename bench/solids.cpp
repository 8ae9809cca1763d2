// A solid as one component: what a step costs against the number of dofs, and how near substitution is to
// what the memory allows.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include "hooke/base/timer.h"
#include "hooke/bodies/corotational_solid.h"
#include "hooke/fe/partition.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/joints.h"
#include "hooke/linalg/supernodal_cholesky.h"
#include "hooke/system/system.h"

namespace {

using namespace hooke;

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The cuboid pendulum of Kan et al., plain hex8, in one piece or cut into slabs that are tied together.
struct Pendulum {
  std::vector<CorotationalSolid> pieces;
  System system;

  Pendulum(int along, int across, Corotation corotation = Corotation::component, int parts = 1,
           bool constant_tangent = false) {
    const SolidMesh whole = box_mesh(Vec3(4, 4, 40), {across, across, along});
    CutMesh cut = cut_mesh(whole, slabs(whole, parts));
    for (SolidMesh& mesh : cut.meshes) {
      pieces
          .emplace_back(std::make_shared<const SolidModel>(
              std::move(mesh), std::vector{SolidMaterial::isotropic({70e9, 0.3, 2700})},
              SolidOptions{.incompatible_modes = false}))
          .corotation = corotation;
      pieces.back().constant_tangent = constant_tangent;
      system.add_body(pieces.back(), fmt::format("piece {}", pieces.size()));
    }
    const Vec3 corner(-2, -2, -20);
    join(system.add_ground_frame({identity3, corner}), node(0, pieces[0].model->mesh.nearest_node(corner)));
    for (const ComponentTie& tie : cut.ties) {
      const auto &a = pieces[tie.a].model->mesh.set(tie.set), &b = pieces[tie.b].model->mesh.set(tie.set);
      for (std::size_t k = 0; k < a.size(); ++k) join(node(tie.a, a[k]), node(tie.b, b[k]));
    }
    system.finish(Vec3(0, -9.81, 0));
  }
  const SolidModel& model() const { return *pieces[0].model; }

 private:
  int node(int piece, int number) {
    return system.add_frame<CorotationalSolid>(piece, pieces[piece].attach_node(number), false);
  }
  void join(int a, int b) { system.add_constraint(joints::Spherical{}, std::array{a, b}, "joint"); }
};

/// Bytes a second that one core reads from far more memory than it caches.
double bandwidth() {
  const std::vector<double> much(1 << 25, 1.0);
  double sum = 0, best = 1e9;
  for (int trial = 0; trial < 4; ++trial) {
    const double start = cpu();
    sum += Eigen::Map<const VectorX>(much.data(), static_cast<Eigen::Index>(much.size())).sum();
    best = std::min(best, cpu() - start);
  }
  return sum > 0 ? 8.0 * static_cast<double>(much.size()) / best : 0;
}

GeneralizedAlphaSettings newmark() {
  GeneralizedAlphaSettings settings{
      AlphaParameters::newmark(0.26, 0.5), ConstraintForm::index3, Projection::none, {}};
  settings.newton.solver = "schur";
  settings.newton.tolerance = 1e-8;
  return settings;
}

/// For bench/peers/solids: seconds of a step.
void print_ways(int along, int across, int steps) {
  const auto time = [&](const char* name, Corotation corotation, bool full_newton) {
    const Pendulum pendulum(along, across, corotation);
    GeneralizedAlphaSettings settings = newmark();
    if (full_newton) settings.newton.renew_rate = 0;
    GeneralizedAlpha integrator(pendulum.system, settings);
    State state = pendulum.system.initial_state();
    integrator.step(state, 0.01);
    const double begin = cpu();
    for (int n = 0; n < steps; ++n) integrator.step(state, 0.01);
    fmt::print("{} {}\n", name, (cpu() - begin) / steps);
  };
  time("newton", Corotation::element, true);
  time("kept", Corotation::element, false);
  time("component", Corotation::component, false);
}

/// The memory this program holds now, in bytes.
double memory() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Processor time of one call, the best of some rounds.
template <class Call>
double time_of(Call&& call) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double begin = cpu();
    int n = 0;
    do call(), ++n;
    while (cpu() - begin < 0.05);
    best = std::min(best, (cpu() - begin) / n);
  }
  return best;
}

/// What forces cost with a frame for the body and with one for each element, and a step with the same constant matrix.
void print_forces(double speed) {
  fmt::print("\n### Forces of elements with the matrix of a component\n\n");
  fmt::print(
      "Processor time of K u and of all forces, and of a step with the constant matrix of the component and "
      "its forces, or with those of "
      "every element's own frame (`corotation: element, tangent: constant`): after 1.5 s, the best of five "
      "times twenty steps, one after "
      "the other. K is read once for K u; beside it what this core reads.\n\n");
  fmt::print(
      "| dofs | K u | GB/s of {:.1f} | forces, component | elements | ratio | step, component | elements | "
      "ratio |\n",
      1e-9 * speed);
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const int a : {2, 5, 10, 13}) {
    const Pendulum ways[] = {{10 * a, a}, {10 * a, a, Corotation::element, 1, true}};
    const System& system = ways[0].system;
    const SolidModel& model = ways[0].model();
    State state = system.initial_state();
    GeneralizedAlpha first(system, newmark());
    for (int n = 0; n < (a < 10 ? 150 : 20); ++n) first.step(state, 0.01);
    Eigen::Matrix<double, 4, Eigen::Dynamic> u(4, model.nodes()), f(4, model.places());
    u.setConstant(1e-3);
    const double product = time_of([&] { model.multiply_stiffness(u.data(), f.data()); });
    const double bytes = 72.0 * static_cast<double>(model.nodes() + model.couplings.size());
    double forces[2], steps[2] = {1e9, 1e9};
    VectorX r = VectorX::Zero(system.nv());
    for (int way : {0, 1})
      forces[way] = time_of([&] {
        ways[way].pieces[0].add_residual(state.q.data(), state.v.data(), state.a.data(), zero3, r.data());
      });
    GeneralizedAlpha component(ways[0].system, newmark()), elements(ways[1].system, newmark());
    State states[] = {state, state};
    for (int round = 0; round < 6; ++round)  // the first one factorizes
      for (int way : {0, 1}) {
        const int count = a < 10 ? 20 : 5;
        const double begin = cpu();
        for (int n = 0; n < count; ++n) (way ? elements : component).step(states[way], 0.01);
        if (round > 0) steps[way] = std::min(steps[way], (cpu() - begin) / count);
      }
    fmt::print(
        "| {} | {:.3g} us | {:.1f} | {:.4g} us | {:.4g} us | {:.2f} | {:.4g} us | {:.4g} us | {:.2f} |\n",
        system.nv(), 1e6 * product, 1e-9 * bytes / product, 1e6 * forces[0], 1e6 * forces[1],
        forces[1] / forces[0], 1e6 * steps[0], 1e6 * steps[1], steps[1] / steps[0]);
    std::fflush(stdout);
  }
}

/// Wall time of a step on one thread and on two.
void print_threads() {
  fmt::print("\n### On two threads\n\n");
  fmt::print(
      "Wall time of a step, the best of five runs of some steps. In one piece, threads take branches of the "
      "factor in the substitutions, and parts of the forces; of several pieces they take whole ones.\n\n");
  fmt::print("| dofs | pieces | one thread | two | gain |\n| --- | --- | --- | --- | --- |\n");
  for (const auto& [a, parts] : {std::pair(5, 1), {10, 1}, {18, 1}, {5, 10}, {10, 10}}) {
    Pendulum pendulum(10 * a, a, Corotation::component, parts);
    double seconds[2] = {1e9, 1e9};
    for (int threads : {1, 2}) {
      GeneralizedAlphaSettings settings = newmark();
      if (threads > 1) settings.newton.team = std::make_shared<Team>(threads);
      pendulum.system.use(settings.newton.team);
      GeneralizedAlpha integrator(pendulum.system, settings);
      State state = pendulum.system.initial_state();
      integrator.step(state, 0.01);
      const int steps = a < 10 ? 40 : 5;
      for (int round = 0; round < 5; ++round) {
        const Timer timer;
        for (int n = 0; n < steps; ++n) integrator.step(state, 0.01);
        seconds[threads - 1] = std::min(seconds[threads - 1], timer.seconds() / steps);
      }
    }
    fmt::print("| {} | {} | {:.3g} ms | {:.3g} ms | {:.2f} |\n", pendulum.system.nv(), parts,
               1e3 * seconds[0], 1e3 * seconds[1], seconds[0] / seconds[1]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return print_ways(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])), 0;
  if (argc == 2) return argv[1][0] == 'f' ? print_forces(bandwidth()) : print_threads(), 0;
  const double speed = bandwidth();
  fmt::print("## Solids: a step against dofs\n\n");
  fmt::print(
      "The cuboid pendulum of Kan et al. as one component, h = 0.01 s, solver `schur`: processor time of a "
      "step (20 of them), what\n"
      "factorizing takes once, and of one substitution beside the time to read the factor twice at the "
      "{:.1f} GB/s this core reads. Memory: what model, solver and state hold after the first step.\n\n",
      1e-9 * speed);
  fmt::print(
      "| dofs | entries of L | factor, once | step | iterations | memory | substitution, double | single | "
      "floor, "
      "single |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (int a : {2, 3, 5, 7, 10, 13, 18, 25}) {
    const double before = memory();
    const Pendulum pendulum(10 * a, a);
    const SparseMatrix C =
        of_all_coordinates(pendulum.model().matrices.M) + 0.26e-4 * pendulum.model().matrices.K;
    double twofold = 0, half = 0, factorized = 0, nonzeros = 0;
    {
      SupernodalCholesky factor;
      const double start = cpu();
      factor.factorize(C, 3);
      factorized = cpu() - start;
      nonzeros = static_cast<double>(factor.nonzeros());
      const SupernodalCholesky single = factor.single();
      MatrixX x = VectorX::Ones(C.rows());
      const auto time = [&](const SupernodalCholesky& of) {
        of.solve(x);
        const double begin = cpu();
        int n = 0;
        do of.solve(x), x /= x.norm(), ++n;
        while (cpu() - begin < 0.2);
        return (cpu() - begin) / n;
      };
      twofold = time(factor), half = time(single);
    }
    malloc_trim(0);
    GeneralizedAlpha integrator(pendulum.system, newmark());
    State state = pendulum.system.initial_state();
    integrator.step(state, 0.01);
    malloc_trim(0);
    const double held = memory() - before;
    const double begin = cpu();
    int iterations = 0;
    constexpr int steps = 20;
    for (int n = 0; n < steps; ++n) iterations += integrator.step(state, 0.01).iterations;
    const double step = (cpu() - begin) / steps;
    fmt::print(
        "| {} | {:.2g} million | {:.3g} s | {:.3g} ms | {:.1f} | {:.3g} MB | {:.3g} ms | {:.3g} ms | {:.3g} "
        "ms |\n",
        C.rows(), 1e-6 * nonzeros, factorized, 1e3 * step, iterations / double(steps), 1e-6 * held,
        1e3 * twofold, 1e3 * half, 1e3 * 8.0 * nonzeros / speed);
    std::fflush(stdout);
  }
  fmt::print("\n![Cost of a step and memory against dofs](../figures/solids_cost.svg)\n");
  print_forces(speed);
  print_threads();
}
