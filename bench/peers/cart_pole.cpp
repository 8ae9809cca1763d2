// Simbody: the inverted pendulum of models/control/inverted_pendulum.yaml, with the same state feedback. Prints the state
// at the times given and the time that 5 s take.
#include <Simbody.h>

#include <chrono>
#include <cstdio>

using namespace SimTK;

namespace {

class Feedback final : public Force::Custom::Implementation {
 public:
  Feedback(const MobilizedBody::Slider& cart, const MobilizedBody::Pin& pole) : cart_(cart), pole_(pole) {}
  void calcForce(const State& s, Vector_<SpatialVec>&, Vector_<Vec3>&, Vector& mobility) const override {
    const double u = 10 * cart_.getLength(s) + 79.774 * pole_.getAngle(s) + 12.192 * cart_.getRate(s) +
                     18.938 * pole_.getRate(s);
    cart_.applyOneMobilityForce(s, 0, u, mobility);
  }
  Real calcPotentialEnergy(const State&) const override { return 0; }

 private:
  const MobilizedBody::Slider& cart_;
  const MobilizedBody::Pin& pole_;
};

}  // namespace

int main(int argc, char** argv) {
  const double accuracy = argc > 1 ? std::atof(argv[1]) : 1e-8;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, -ZAxis, 9.81);
  const double m = 0.2, l = 0.5;
  const Body::Rigid cart_body(MassProperties(1, Vec3(0), Inertia(0.01)));
  const Inertia box(m * (4 * l * l + 9e-4) / 12, m * (4 * l * l + 9e-4) / 12, m * 2 * 9e-4 / 12);
  const Body::Rigid pole_body(MassProperties(m, Vec3(0, 0, l), box.shiftFromMassCenter(Vec3(0, 0, l), m)));
  MobilizedBody::Slider cart(matter.Ground(), Transform(), cart_body, Transform());
  const Transform about_y(Rotation(-Pi / 2, XAxis));  // z of the pin along y
  MobilizedBody::Pin pole(cart, about_y, pole_body, about_y);
  Force::Custom feedback(forces, new Feedback(cart, pole));
  State start = system.realizeTopology();
  pole.setAngle(start, 0.2);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    RungeKuttaMersonIntegrator integrator(system);
    integrator.setAccuracy(accuracy);
    const auto begin = std::chrono::steady_clock::now();
    integrator.initialize(start);
    for (int k = 1; k <= 500; ++k) {
      while (integrator.getTime() < 0.01 * k) integrator.stepTo(0.01 * k);
      const State& s = integrator.getState();
      if (round == 0 && k % 50 == 0) {
        system.realize(s, Stage::Velocity);
        std::printf("%.2f %.12g %.12g\n", 0.01 * k, cart.getLength(s), pole.getAngle(s));
      }
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("seconds %.6f\n", best);
}
