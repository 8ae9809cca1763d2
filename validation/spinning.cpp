// Slender beams that turn about an axis at their end: how the pull stiffens them.
#include "hooke/analysis/lowest_modes.h"
#include "hooke/analysis/steady_motion.h"
#include "hooke/bodies/ffrf_solid.h"
#include "hooke/io/model/model_file.h"
#include "support/rods.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

constexpr double edge = 0.01, young = 2e11, density = 7800;  // of 1 m
const double unit = std::sqrt(young / density / 12) * edge;  // sqrt(EI/(mass L^3)), rad/s

/// A body of 1 m along x from the origin, whose frame `hub` a motor turns about z.
struct Beam {
  std::string name, body, hub;
  double fastest = 12;  ///< speed up to which it is to be right
  std::function<void(Model&)> change = {};

  Problem problem(double speed) const {
    Problem problem = parse_model(fmt::format(R"(
hooke: 1
bodies:
  beam: {{{}, velocity: [0, {}, 0], angular_velocity_world: [0, 0, {}]}}
joints:
  hinge: {{revolute: [ground, beam.{}], at: [0, 0, 0], axis: z}}
drives:
  motor: {{joint: hinge, function: "{}*t"}}
)",
                                              body, 0.5 * speed, speed, hub, speed));
    if (change) change(problem.model);
    return problem;
  }

  /// The lowest in the plane of turning and across it, rad/s; none where the motion is not stable.
  std::optional<std::array<double, 2>> frequencies(double speed) const {
    const Simulation simulation(problem(speed));
    State state = simulation.start().state;
    settle(simulation.system(), state, {});
    const std::vector<Mode> modes = lowest_modes(simulation.system(), state, 4).modes;
    for (const Mode& mode : modes)
      if (mode.eigenvalue.real() > 1e-3 * std::abs(mode.eigenvalue)) return {};
    return {{2 * std::numbers::pi * modes.at(0).frequency, 2 * std::numbers::pi * modes.at(1).frequency}};
  }
};

std::vector<Beam> beams() {
  const std::string rod = fmt::format(
      "{{section: {{rectangle: [{0}, {0}]}}, material: {{young: {1}, poisson: 0.3, density: {2}}}, "
      "elements: ",
      edge, young, density);
  const std::string between = "}, between: [[0, 0, 0], [1, 0, 0]]",
                    modes = "12, modes: 16, basis: clamped, reference: start";
  const auto solid = [](const std::string& how) {
    return fmt::format(
        "solid: {{mesh: {{box: {{size: [1, {0}, {0}], divisions: [24, 1, 1], element: hex20}}}}, {1}, "
        "material: {{young: {2}, poisson: 0, density: {3}}}}}, at: [0.5, 0, 0]",
        edge, how, young, density);
  };
  const auto modes_of_mesh = [](Model& model) {
    const SolidReduction reduction{.basis = ModalBasis::craig_bampton,
                                   .modes = 12,
                                   .interfaces = {"z_min", "z_max"},
                                   .reference = "z_min",
                                   .stiffening = true};
    ModalSettings settings;
    settings.data =
        std::make_shared<ModalData>(modal_data(box_mesh(Vec3(edge, edge, 1), {1, 1, 30}, ElementType::hex20),
                                               {SolidMaterial::isotropic({young, 0, density})}, reduction));
    model.bodies["beam"].formulation = settings;
  };
  return {{"Cosserat rod, 8 elements", "cosserat: " + rod + "8" + between, "start"},
          {"FFRF of a rod, 16 modes, without `stiffening`", "ffrf: " + rod + modes + between, "start", 0},
          {"FFRF of a rod, 16 modes", "ffrf: " + rod + modes + ", stiffening: true" + between, "start"},
          {"modes of a mesh, 30 hex20, 12 modes",
           "rigid: {mass: 1, inertia: [1, 1, 1]}, at: [0.5, 0, 0], axes: {x: [0, 1, 0], z: [1, 0, 0]}",
           "z_min", 12, modes_of_mesh},
          {"solid, 24 hex20, frames of elements", solid("corotation: element"), "x_min"},
          {"solid, 24 hex20, 24 components", solid("components: 24"), "x_min"},
          {"solid, 24 hex20, 12 components", solid("components: 12"), "x_min", 6}};
}

}  // namespace

void spinning(Report& report) {
  report.heading("Beams that spin");
  report.text(
      "A bar of 1 m x 10 mm x 10 mm (200 GPa, 7800 kg/m3) turns steadily about an axis at its clamped end: "
      "its lowest "
      "frequencies in the plane of turning and across it, by `--analysis modes` about that motion. Speeds "
      "and frequencies "
      "are in units of sqrt(EI/(m L^3)), so that the first frequency at rest is 3.516. *Exact*: Euler and "
      "Bernoulli's beam "
      "under the centrifugal pull, by Ritz' method with ten polynomials (Wright et al. 1982 have 7.36037 "
      "across at a "
      "speed of 6); in the plane its square is less by that of the speed. *Southwell*: omega^2 = 3.516^2 + "
      "1.193 "
      "speed^2, an upper bound, with the shape at rest. Differences from the exact beam in percent, in the "
      "plane and "
      "across.");
  const std::vector<double> speeds{1, 2, 4, 6, 12};
  std::vector<std::string> header{""}, exact_row{"exact"}, southwell_row{"Southwell"};
  std::vector<std::array<double, 2>> exact;
  std::vector<double> southwell;
  const auto in_percent = [](double in_plane, double across) {
    return fmt::format("{:.2f}, {:.2f}", 100 * in_plane, 100 * across);
  };
  for (const double speed : speeds) {
    const double across = test::rotating_beam(speed)[0];
    exact.push_back({std::sqrt(across * across - speed * speed), across});
    southwell.push_back(std::sqrt(3.51602 * 3.51602 + 1.193 * speed * speed));
    header.push_back(fmt::format("speed {:g}", speed));
    exact_row.push_back(fmt::format("{:.4f}, {:.4f}", exact.back()[0], exact.back()[1]));
    southwell_row.push_back(
        in_percent(std::sqrt(southwell.back() * southwell.back() - speed * speed) / exact.back()[0] - 1,
                   southwell.back() / across - 1));
  }
  std::vector<std::vector<std::string>> rows{exact_row, southwell_row};
  double worst = 0, from_southwell = 0;
  for (const Beam& beam : beams()) {
    std::vector<std::string> row{beam.name};
    for (std::size_t k = 0; k < speeds.size(); ++k) {
      const auto found = beam.frequencies(speeds[k] * unit);
      const auto error = [&](int i) { return (*found)[i] / unit / exact[k][i] - 1; };
      row.push_back(found ? in_percent(error(0), error(1)) : "not stable");
      if (speeds[k] > beam.fastest) continue;
      worst = found ? std::max({worst, std::abs(error(0)), std::abs(error(1))}) : 1;
      if (found && speeds[k] <= 4)
        from_southwell = std::max(from_southwell, std::abs((*found)[1] / unit / southwell[k] - 1));
    }
    rows.push_back(row);
  }
  report.table(header, rows);
  report.text(
      "Without `stiffening` modes do not feel the pull. Solids in components feel it from one component to "
      "the next: 12 "
      "are enough for the speeds up to 6, one for each layer of elements does what frames for elements do.");
  report.expect(
      "with `stiffening`, rods and solids (12 components: up to a speed of 6): largest difference from the "
      "exact beam, as "
      "a fraction",
      worst, 0.01);
  report.expect("and from Southwell, across, up to a speed of 4", from_southwell, 0.01);
}

}  // namespace hooke::validation
