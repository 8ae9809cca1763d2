// Simbody: the impact of models/contact/hertz.yaml (HuntCrossleyForce). For each integrator and accuracy a line
//   Simbody | setting | steps | wall time
// and, of a second run that is not timed, lines "time place speed" in 1000 intervals.
#include <Simbody.h>

#include <algorithm>
#include <cstdio>

using namespace SimTK;

namespace {

constexpr double radius = 0.01, speed = 0.1, young = 2.1e11, poisson = 0.3, end = 1.5e-4;
const double mass = 4.0 / 3 * Pi * cube(radius) * 7850;

struct Impact {
  Impact()
      : matter(system), forces(system), contacts(system), law(forces, contacts, contacts.createContactSet()) {
    const Body::Rigid body(MassProperties(mass, Vec3(0), Inertia(0.4 * mass * radius * radius)));
    ball = MobilizedBody::Slider(matter.Ground(), Transform(), body, Transform());
    const ContactSetIndex set(0);
    contacts.addBody(set, ball, ContactGeometry::Sphere(radius), Transform());
    // Matter is where x of the half-space is positive.
    contacts.addBody(set, matter.Ground(), ContactGeometry::HalfSpace(), Transform(Vec3(radius, 0, 0)));
    // Of two equal bodies Simbody takes 2^-1.5 of the plane-strain modulus, Hertz a half.
    const double modulus = std::sqrt(2.0) * young / (1 - square(poisson));
    for (int k = 0; k < 2; ++k) law.setBodyParameters(ContactSurfaceIndex(k), modulus, 0, 0, 0, 0);
    start = system.realizeTopology();
    ball.setOneU(start, 0, speed);
  }
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  GeneralContactSubsystem contacts;
  HuntCrossleyForce law;
  MobilizedBody::Slider ball;
  State start;
};

template <class Method>
void run(const char* name, double accuracy, bool fixed) {
  Impact impact;
  const auto prepare = [&](Method& method) {
    fixed ? method.setFixedStepSize(accuracy) : method.setAccuracy(accuracy);
    if (!fixed) method.setInitialStepSize(1e-6);
    method.setFinalTime(end);
    method.initialize(impact.start);
  };
  double wall = Infinity;
  int steps = 0;
  for (int round = 0; round < 20; ++round) {
    Method method(impact.system);
    prepare(method);
    const double begin = realTime();
    while (method.getTime() < end) method.stepTo(end);
    wall = std::min(wall, realTime() - begin);
    steps = method.getNumStepsTaken();
  }
  std::printf("Simbody | %s, %s %g | %d | %g\n", name, fixed ? "step" : "accuracy", accuracy, steps, wall);
  Method method(impact.system);
  prepare(method);
  for (int k = 1; k <= 1000; ++k) {
    const double t = end * k / 1000;
    while (method.getTime() < t) method.stepTo(t);
    const State& s = method.getState();
    std::printf("%.15g %.15g %.15g\n", s.getTime(), impact.ball.getOneQ(s, 0), impact.ball.getOneU(s, 0));
  }
}

}  // namespace

int main() {
  for (double accuracy : {1e-2, 1e-4, 1e-6, 1e-8})
    run<RungeKuttaMersonIntegrator>("Runge-Kutta-Merson", accuracy, false);
  for (double step : {4e-6, 2e-6, 1e-6}) run<RungeKuttaMersonIntegrator>("Runge-Kutta-Merson", step, true);
  for (double step : {2e-6, 1e-6, 5e-7}) run<VerletIntegrator>("Verlet", step, true);
}
