// Simbody: relative coordinates, recursive O(n) dynamics, its integrators at several accuracies.
#include <Simbody.h>

#include <string>

#include "chain.h"

using namespace SimTK;

namespace {

struct Chain {
  explicit Chain(int n) : matter(system), forces(system), gravity(forces, matter, -YAxis, chain::gravity) {
    const Body::Rigid link(
        MassProperties(1, Vec3(0.5, 0, 0), Inertia(1).shiftFromMassCenter(Vec3(0.5, 0, 0), 1)));
    MobilizedBody parent = matter.Ground();
    for (int i = 0; i < n; ++i)
      last = parent = MobilizedBody::Ball(parent, Transform(Vec3(i ? 1.0 : 0.0, 0, 0)), link, Transform());
    start = system.realizeTopology();
  }
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::Gravity gravity;
  MobilizedBody last;
  State start;
};

void run(const char* name, int n, Integrator& integrator, Chain& model) {
  integrator.initialize(model.start);
  const auto advance = [&](double t) {
    try {
      while (integrator.getTime() < t) integrator.stepTo(t);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  };
  const auto energies = [&] {
    const State& s = integrator.getState();
    model.system.realize(s, Stage::Dynamics);
    return std::pair{model.system.calcKineticEnergy(s), model.system.calcPotentialEnergy(s)};
  };
  const auto last = [&] {
    const Vec3 at = model.last.findStationLocationInGround(integrator.getState(), Vec3(0.5, 0, 0));
    return chain::Place{at[0], at[1], at[2]};
  };
  chain::measure("Simbody", name, n, advance, energies, last);
}

}  // namespace

int main(int argc, char** argv) {
  for (int n : chain::sizes(argc, argv)) {
    Chain model(n);
    for (double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
      const std::string at = ", accuracy " + std::to_string(accuracy).substr(0, 9);
      RungeKuttaMersonIntegrator merson(model.system);
      merson.setAccuracy(accuracy);
      run(("Runge-Kutta-Merson" + at).c_str(), n, merson, model);
      if (accuracy < 1e-3) continue;
      VerletIntegrator verlet(model.system);
      verlet.setAccuracy(accuracy);
      run(("Verlet" + at).c_str(), n, verlet, model);
      RungeKutta3Integrator third(model.system);
      third.setAccuracy(accuracy);
      run(("Runge-Kutta 3" + at).c_str(), n, third, model);
    }
    for (double step : {0.02, 0.01, 0.005, 0.002, 0.001}) {
      const std::string at = ", step " + std::to_string(step).substr(0, 5);
      SemiExplicitEulerIntegrator euler(model.system, step);
      run(("semi-explicit Euler" + at).c_str(), n, euler, model);
      if (step < 0.005) continue;
      VerletIntegrator verlet(model.system, step);
      run(("Verlet" + at).c_str(), n, verlet, model);
      RungeKuttaMersonIntegrator merson(model.system);
      merson.setFixedStepSize(step);
      run(("Runge-Kutta-Merson" + at).c_str(), n, merson, model);
    }
  }
}
