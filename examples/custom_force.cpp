// A force of our own, used from a model file: drag that grows with the square of the speed.
// It describes itself; one line makes files, schema and error messages know it.
#include <hooke/hooke.h>

#include <cstdio>

using namespace hooke;

/// w = -c |v| v on one frame. Its derivatives are taken by differences, unless it has a member `tangent`.
struct Drag {
  static constexpr const char* name = "drag";
  static constexpr int frames = 1;
  std::string on;
  double c = 0;
  static void describe(auto& field) {
    field("drag", &Drag::on, Doc{.text = "body or frame that it acts on", .required = true});
    field("coefficient", &Drag::c, Doc{.text = "drag over speed squared", .unit = "N s2/m2"});
  }
  void evaluate(const FrameInputs<1>& in, Vec6& w) const {
    const Vec3 v = in.twist[0]->head<3>();
    w << -c * v.norm() * v, zero3;
  }
  void add_force(const std::string& force, Builder& to) const { to.add_force(*this, {on}, force); }
};

int main() {
  Catalog catalog = Catalog::built_in();
  catalog.add<Drag>();
  Simulation simulation(
      parse_model("{hooke: 1, gravity: [0, 0, -9.81], bodies: {ball: {rigid: {mass: 2, inertia: 0.1}}},"
                  " forces: {air: {drag: ball, coefficient: 0.5}}}",
                  catalog));
  simulation.advance(5);
  const double speed = simulation.body("ball").velocity().norm(), limit = std::sqrt(2 * 9.81 / 0.5);
  std::printf("falls with %.6f m/s, limit %.6f m/s\n", speed, limit);
  return std::abs(speed - limit) < 1e-3 ? 0 : 1;
}
