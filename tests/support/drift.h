#pragma once
#include "hooke/integrators/energy_momentum.h"
#include "hooke/simulation/simulation.h"
#include "support/crank.h"
#include "support/finite_difference.h"
#include "support/rods.h"

/// Motions that keep their energy, and how far an integrator lets it drift.
namespace hooke::test {

/// A model with its state at the start.
struct Moving {
  BuiltModel built;
  State start;
  const System& system() const { return *built.system; }
};

inline Moving moving(const Model& model) {
  Moving made{build(model), {}};
  made.start = assemble_start(model, made.built, {}, 0).state;
  return made;
}

/// With random velocities, brought onto the constraints.
inline Moving stirred(const Model& model, double speed) {
  Moving made = moving(model);
  Random random(4);
  made.start.v = speed * random_vector(made.system().nv(), random).cwiseProduct(made.system().dof_scale());
  Projector projector(made.system(), {});
  EXPECT_TRUE(projector.velocities(made.start).converged);
  EXPECT_TRUE(projector.accelerations(made.start).converged);
  return made;
}

/// Energy and momentum of a state; the momentum along and about the axes of the world.
struct Content {
  double kinetic = 0, energy = 0;
  Vec6 momentum = zero6;
};

inline Content content(const System& system, const State& state, Workspace& workspace) {
  MatrixX T;
  VectorX Mv;
  system.update(state, workspace);
  const Energy energy = system.energy(state, workspace);
  EXPECT_TRUE(system.rigid_motions(state.q, T));
  system.times_mass(state, workspace, state.v, Mv);
  return {energy.kinetic, energy.total(), T.transpose() * Mv};
}

/// Largest changes over a run, of the energy as a fraction of the largest kinetic energy, of the kept momenta
/// (columns of `kept`: twists) as a fraction of the whole momentum. `gain`: of the energy, in one step.
struct Drift {
  double energy = 0, momentum = 0, gain = 0, loss = 0;
};

inline Drift drift(Integrator& integrator, const Moving& of, double h, int steps, const MatrixX& kept = {},
                   double from = 0) {
  const auto workspace = of.system().workspace();
  State state = of.start;
  Content first = content(of.system(), state, *workspace), last = first;
  double kinetic = first.kinetic, energy = 0, momentum = 0, size = first.momentum.norm(), gain = 0;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = integrator.step(state, h);
    if (!report.accepted) throw std::runtime_error("step refused: " + report.failure);
    const Content now = content(of.system(), state, *workspace);
    kinetic = std::max(kinetic, now.kinetic);
    size = std::max(size, now.momentum.norm());
    if (state.t < from) {
      first = last = now;
      continue;
    }
    energy = std::max(energy, std::abs(now.energy - first.energy));
    gain = std::max(gain, now.energy - last.energy);
    if (kept.cols() > 0)
      momentum = std::max(momentum, (kept.transpose() * (now.momentum - first.momentum)).norm());
    last = now;
  }
  return {energy / kinetic, size > 0 ? momentum / size : 0, gain / kinetic,
          (first.energy - last.energy) / kinetic};
}

inline Drift drift(const Moving& of, double h, int steps, const MatrixX& kept = {}, double from = 0,
                   double rho = 1) {
  EnergyMomentum integrator(of.system(), {.rho = rho});
  return drift(integrator, of, h, steps, kept, from);
}

inline const MatrixX about_z = Vec6::Unit(5), all_six = Mat6::Identity();

/// The slider crank with a soft rod.
inline Model flexible_crank(const RodType& type) {
  Model model = slider_crank();
  RodSettings soft = rod(CircleSection{8.21e-3}, 2.07e9, 0.29, 7870, 0.3);
  soft.length.reset();
  model.bodies["rod"].formulation = type.make(soft, 3);
  return model;
}

/// A free rod that tumbles.
inline Model tumbling_rod(const RodType& type) {
  Model model;
  model.bodies = {along_x(type.make(rod(RectangleSection{{0.05, 0.03}}, 1e7, 0.3, 1000, 1), 4), 1)};
  model.bodies[0].second.velocity = Vec3(1, 0.5, 0.2);
  model.bodies[0].second.angular_velocity = Vec3(0.5, 10, 0.3);
  return model;
}

/// Next to the unstable axis.
inline Model tumbling_body() {
  Model model;
  model.bodies = {rigid("body", 2, {1, 2, 2.6}, {0.3, -0.2, 0.5})};
  model.bodies["body"].velocity = Vec3(1, -2, 0.5);
  model.bodies["body"].angular_velocity = Vec3(0.1, 4, 0.1);
  return model;
}

/// A soft cuboid that swings about one of its edges.
inline Model cuboid_pendulum(Corotation corotation) {
  Model model;
  model.gravity = {0, 0, -9.81};
  SolidSettings solid;
  solid.mesh = BoxMesh{Vec3(1, 0.2, 0.2), {5, 1, 1}};
  solid.material = MaterialSettings{1e6, 0.3, 1000};
  solid.corotation = corotation;
  model.bodies["cuboid"] = {solid, {.at = Vec3(0.5, 0, 0)}};
  for (const double y : {-0.1, 0.1})
    model.joints[y < 0 ? "right" : "left"] =
        SphericalSettings{.between = {"ground", "cuboid"}, .at = Vec3(0, y, 0.1)};
  return model;
}

/// Simo, Vu-Quoc (1986): pushed for five seconds, then free.
inline Model flying_spaghetti() { return load(HOOKE_ROOT "/models/flexible/flying_spaghetti.yaml").model; }

}  // namespace hooke::test
