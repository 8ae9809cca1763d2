// A force of our own, used from a model file: drag that grows with the square of the speed.
// Its settings describe themselves; one line makes files, schema and error messages know it.
#include <hooke/hooke.h>

#include <cstdio>

/// w = -c |v| v on one frame. Its derivatives are taken by differences, unless it has a member `tangent`.
struct Drag {
  static constexpr int frames = 1;
  double c;
  void evaluate(const hooke::FrameInputs<1>& in, hooke::Vec6& w) const {
    const hooke::Vec3 v = in.twist[0]->head<3>();
    w << -c * v.norm() * v, hooke::zero3;
  }
};

struct DragSettings {
  static constexpr const char* name = "drag";
  std::string on;
  double coefficient = 0;
  static void describe(auto& field) {
    field("drag", &DragSettings::on, hooke::Doc{.text = "body or frame that it acts on", .required = true});
    field("coefficient", &DragSettings::coefficient,
          hooke::Doc{.text = "drag over speed squared", .unit = "N s2/m2"});
  }
  void add_force(const std::string& force, hooke::Builder& to) const {
    if (const auto at = to.attachment(on, "forces." + force + ".drag"))
      to.add_force(Drag{coefficient}, std::array{to.add_frame(*at)}, force, name);
  }
};

int main() {
  hooke::Catalog catalog = hooke::Catalog::built_in();
  catalog.add<DragSettings>();
  hooke::Diagnostics diagnostics;
  const hooke::Problem problem = hooke::parse_model(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {ball: {rigid: {mass: 2, inertia: 0.1}}}\n"
      "forces: {air: {drag: ball, coefficient: 0.5}}\nrun: {end: 5}\n",
      "falling.yaml", {}, diagnostics, catalog);
  diagnostics.throw_if_errors();
  hooke::Simulation simulation(problem);
  simulation.advance(5);
  const double speed = simulation.body("ball").velocity().norm(), limit = std::sqrt(2 * 9.81 / 0.5);
  std::printf("falls with %.6f m/s, limit %.6f m/s\n", speed, limit);
  return std::abs(speed - limit) < 1e-3 ? 0 : 1;
}
