// Flexible bodies beside each other and beside theory: buckling, frequencies, a pendulum of two rods.
#include <numbers>

#include "hooke/analysis/assembly.h"
#include "hooke/bodies/ffrf_solid.h"
#include "hooke/integrators/settings.h"
#include "support/convergence.h"
#include "support/rods.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

using std::numbers::pi;

// --- statics

void bending_and_torsion(Report& report) {
  report.subheading("Bending and torsion");
  report.text(
      "A cantilever of 2 x 0.2 x 0.4 m with end moments about its line (0.5 MN m) and across it (2 MN m), "
      "fixed in "
      "space (Nachbagauer, Gruber, Gerstmayr 2013). To second order, with kappa = My/EIy and tau = Mx/GJ: "
      "ux = -kappa^2 L^3/6, uz = -kappa L^2/2, uy = (tau kappa/2 - (tau My - kappa Mx)/(2 EIz)) L^3/3. The "
      "published "
      "uy follows from a torsional stiffness 5 % above Saint-Venant's, which the second half of the table "
      "has. A "
      "bent and twisted ANCF rod also shears its section a little, which is of second order as uy is.");
  const double E = 2.07e11, length = 2, Mx = 0.5e6, My = 2e6;
  const double EIy = E * 0.2 * std::pow(0.4, 3) / 12, EIz = E * 0.4 * std::pow(0.2, 3) / 12;
  std::vector<std::vector<std::string>> rows;
  double worst = 0, off_published = 0;
  for (const double stiffer : {1.0, 1.05}) {
    RodSettings settings = test::rod(RectangleSection{{0.2, 0.4}}, E, 0.3, 7850, length);
    settings.torsion_constant = stiffer * settings.shape().torsion;
    const double kappa = My / EIy, tau = Mx / (E / 2.6 * *settings.torsion_constant);
    const Vec3 theory(-kappa * kappa * std::pow(length, 3) / 6,
                      (tau * kappa / 2 - (tau * My - kappa * Mx) / (2 * EIz)) * std::pow(length, 3) / 3,
                      -kappa * length * length / 2);
    const std::string torsion = stiffer == 1 ? "Saint-Venant's" : "+ 5 %";
    const auto row = [&](const std::string& name, const Vec3& u) {
      rows.push_back({torsion, name, fmt::format("{:.4e}", u.x()), fmt::format("{:.4e}", u.y()),
                      fmt::format("{:.4e}", u.z())});
    };
    row("second order", theory);
    for (const test::RodType& type : {test::cosserat(2), test::ancf()}) {
      Model model = test::cantilever(type, settings, 16);
      model.forces = {test::tip_load(zero3, Vec3(Mx, My, 0))};
      const Vec3 u = test::equilibrium(model).tip();
      row(type.name, u);
      if (type.name == "ancf") continue;
      worst = std::max(worst, (u - theory).cwiseQuotient(theory).cwiseAbs().maxCoeff());
      if (stiffer > 1)
        off_published = std::max(
            off_published,
            (u.cwiseAbs().cwiseQuotient(Vec3(1.0943e-4, 1.8625e-4, 1.8117e-2)).array() - 1).abs().maxCoeff());
    }
  }
  rows.push_back({"", "published", "1.0943e-04", "1.8625e-04", "1.8117e-02"});
  report.table({"torsion", "", "ux, m", "uy, m", "uz, m"}, rows);
  report.expect("cosserat: largest difference from the second order solution, as a fraction", worst, 2e-3);
  report.expect("cosserat, torsion + 5 %: from the published values", off_published, 5e-3);
}

void frame(Report& report) {
  report.subheading("Right-angle frame");
  report.text(
      "Two narrow strips of 240 x 30 x 0.6 mm at a right angle give way across their plane when the end is "
      "pushed "
      "within it (Argyris et al. 1979; Simo, Vu-Quoc 1986: 1.088 N, the other way 0.68 N). The load at which "
      "the "
      "lowest frequency about the equilibrium vanishes.");
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const auto& [type, elements] : std::vector<std::pair<test::RodType, int>>{
           {test::cosserat(1), 16}, {test::cosserat(2), 6}, {test::ancf(), 6}}) {
    const double forth = test::buckling_load(type, elements, 1),
                 back = test::buckling_load(type, elements, -0.6);
    rows.push_back(
        {type.name, std::to_string(elements), fmt::format("{:.4f}", forth), fmt::format("{:.4f}", -back)});
    worst = std::max({worst, std::abs(forth / 1.088 - 1), std::abs(back / -0.6804 - 1)});
  }
  report.table({"formulation", "elements a leg", "one way, N", "the other way, N"}, rows);
  report.expect("largest difference from 1.088 and 0.6804 N, as a fraction", worst, 0.01);
}

// --- frequencies

/// rad/s of bending modes, the pairs of a symmetric section once, rigid motions left out.
std::vector<double> bending(const std::vector<double>& omega) {
  std::vector<double> once;
  for (double w : omega)
    if (w > 1 && (once.empty() || w > 1.0001 * once.back())) once.push_back(w);
  return once;
}

std::vector<double> frequencies(const Model& model) {
  const BuiltModel built = build(model);
  const State start = assemble_start(model, built, {}, 0).state;
  std::vector<double> omega;
  for (const Mode& mode : linearise(*built.system, start).modes) omega.push_back(2 * pi * mode.frequency);
  return omega;
}

const double edge = 0.01, young = 2e11, density = 7800;  // a bar of 1 m
std::vector<SolidMaterial> metal(double poisson) {
  return {SolidMaterial::isotropic({young, poisson, density})};
}

Model modal_bar(const SolidMesh& mesh, double poisson, const SolidReduction& reduction, bool clamped) {
  ModalSettings settings;
  settings.data = std::make_shared<ModalData>(modal_data(mesh, metal(poisson), reduction));
  Model model;
  model.bodies["bar"].formulation = settings;
  if (clamped) model.joints["wall"] = FixedSettings{.between = {"ground", "bar.z_min"}};
  return model;
}

void beam_frequencies(Report& report) {
  report.subheading("Frequencies of a beam");
  report.text(
      "A bar of 1 m x 10 mm x 10 mm (200 GPa, 7800 kg/m3), free and clamped at one end: frequencies over "
      "those of Euler "
      "and Bernoulli, less 1. Shear and rotary inertia, which all of them have, lower them by 0.01 to 0.06 "
      "%. Poisson's "
      "ratio is 0: a clamped solid end would also hold the contraction across, which a beam knows nothing "
      "of.");
  const double unit = std::sqrt(young * edge * edge / 12 / density);
  const double betas[2][2] = {{4.73004074, 7.85320462}, {1.87510407, 4.69409113}};
  const RodSettings settings = test::rod(RectangleSection{{edge, edge}}, young, 0, density, 1);
  const SolidMesh mesh = box_mesh(Vec3(edge, edge, 1), {1, 1, 30}, ElementType::hex20);
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  const auto add = [&](const std::string& name, const Model& free, const Model& clamped) {
    std::vector<std::string> row{name};
    for (int c : {0, 1}) {
      const auto omega = bending(frequencies(c ? clamped : free));
      for (int k : {0, 1}) {
        const double error = omega[k] / (betas[c][k] * betas[c][k] * unit) - 1;
        row.push_back(fmt::format("{:.3f} %", 100 * error));
        worst = std::max(worst, std::abs(error));
      }
    }
    rows.push_back(row);
  };
  for (const auto& [type, elements] : std::vector<std::pair<test::RodType, int>>{
           {test::cosserat(1), 96}, {test::cosserat(2), 16}, {test::ancf(), 8}, {test::ffrf(16), 16}}) {
    const Model clamped = test::cantilever(type, settings, elements);
    Model free = clamped;
    free.joints.clear();
    add(fmt::format("{}, {} elements", type.name, elements), free, clamped);
  }
  const SolidReduction reduction{.modes = 30, .interfaces = {"z_min", "z_max"}};
  add("FFRF of a mesh, 30 hex20, 30 modes", modal_bar(mesh, 0, reduction, false),
      modal_bar(mesh, 0, reduction, true));
  report.table({"", "free, first", "free, second", "clamped, first", "clamped, second"}, rows);
  report.expect("largest difference from Euler and Bernoulli, as a fraction", worst, 1e-3);
}

void mesh_frequencies(Report& report) {
  report.subheading("FFRF of a meshed bar against the whole mesh");
  report.text(
      "A steel bar of 0.4 m x 40 mm x 40 mm, 2 x 2 x 20 hex20 elements: frequencies of the reduced body in a "
      "model "
      "(Craig and Bampton's modes for rigid ends), free and clamped, against the modes of the whole mesh by "
      "the sparse "
      "eigensolver. Largest difference of the first six, as a fraction, by the number of modes.");
  const SolidMesh mesh = box_mesh(Vec3(0.04, 0.04, 0.4), {2, 2, 20}, ElementType::hex20);
  const SolidReduction full{.basis = ModalBasis::free, .modes = 6, .interfaces = {"z_min", "z_max"}};
  SolidReduction held = full;
  held.basis = ModalBasis::clamped;
  const VectorX free = modal_data(mesh, metal(0.3), full).stiffness.diagonal().cwiseSqrt(),
                clamped = modal_data(mesh, metal(0.3), held).stiffness.diagonal().cwiseSqrt();
  std::vector<std::vector<std::string>> rows;
  double finest = 0;
  for (int modes : {6, 12, 24, 48}) {
    const SolidReduction reduction{.modes = modes, .interfaces = {"z_min", "z_max"}};
    std::vector<std::string> row{std::to_string(modes)};
    finest = 0;
    for (const bool is_clamped : {false, true}) {
      std::vector<double> omega = frequencies(modal_bar(mesh, 0.3, reduction, is_clamped));
      std::erase_if(omega, [](double w) { return w < 1; });
      double largest = 0;
      for (int i = 0; i < 6 && i < static_cast<int>(omega.size()); ++i)
        largest = std::max(largest, std::abs(omega[i] / (is_clamped ? clamped : free)[i] - 1));
      row.push_back(scientific(largest));
      finest = std::max(finest, largest);
    }
    rows.push_back(row);
  }
  report.table({"modes", "free", "clamped"}, rows);
  report.expect("48 modes: largest difference of six frequencies, as a fraction", finest, 1e-3);
}

void ring(Report& report) {
  report.subheading("A rod joined to itself: the ring");
  report.text(
      "A wire of 1 m, 4 mm thick, bent to a circle at rest, both ends in one fixed joint. Frequencies in Hz "
      "against Love "
      "(1927, 293): omega^2 = EI/(rho A R^4) n^2 (n^2 - 1)^2/(n^2 + 1) in its plane, with n^2 + 1 + nu "
      "across it.");
  report.command("hooke run models/flexible/ring.yaml --analysis modes");
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const auto& [order, elements] : {std::pair{1, 64}, {2, 24}}) {
    const std::vector<double> omega = bending(frequencies(test::Ring::model(order, elements)));
    for (int n : {2, 3}) {
      std::vector<std::string> row{std::to_string(order), std::to_string(elements), std::to_string(n)};
      for (const bool in_plane : {false, true}) {
        const double exact = test::Ring::frequency(n, in_plane ? 0 : test::Ring::poisson);
        const double found = omega[2 * (n - 2) + in_plane] / (2 * pi);
        row.insert(row.end(), {fmt::format("{:.2f}", found), fmt::format("{:.2f}", exact)});
        if (order == 2) worst = std::max(worst, std::abs(found / exact - 1));
      }
      rows.push_back(row);
    }
  }
  report.table({"order", "elements", "n", "across", "theory", "in the plane", "theory"}, rows);
  report.expect("order 2: largest difference, as a fraction", worst, 2e-3);
}

// --- dynamics

/// Tips of the pendulum over 1 s, every 0.01 s.
std::vector<Vec3> tips(const test::RodType& type, int elements, double stiffness, double step) {
  const Model model = test::double_pendulum(type, elements, stiffness);
  const BuiltModel built = build(model);
  RunSettings settings;
  settings.integrator = GeneralizedAlphaChoice{{}, 0.9};
  const auto integrator = make_integrator(*built.system, settings);
  std::vector<Vec3> places;
  const int n = static_cast<int>(std::round(1 / step));
  int i = 0;
  for (const State& state :
       test::integrate(*integrator, assemble_start(model, built, {}, 0).state, test::uniform_grid(0, 1, n)))
    if (i++ % (n / 100) == 0) places.push_back(built.system->nodes(1, state).back().p);
  return places;
}

double apart(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

void pendulum(Report& report) {
  report.subheading("Flexible double pendulum");
  report.text(
      "Two rods of 1 m, 20 mm thick, hinged to each other, fall from the horizontal for 1 s (steps of 0.5 "
      "ms): largest "
      "distance of the tip from that of Cosserat rods with 16 elements each. The softer the rods, the more "
      "they "
      "bend (*bending*: largest distance from rigid ones), and the further floating frames, whose "
      "deformation is "
      "small by assumption, are from the truth, whatever the number of modes.");
  report.command("hooke run models/flexible/double_pendulum.yaml --set parameters.young=2e9");
  const std::vector<std::pair<std::string, std::pair<test::RodType, int>>> kinds{
      {"cosserat, 4", {test::cosserat(2), 4}}, {"cosserat, 8", {test::cosserat(2), 8}},
      {"ancf, 4", {test::ancf(), 4}},          {"ancf, 8", {test::ancf(), 8}},
      {"ffrf, 6 modes", {test::ffrf(6), 8}},   {"ffrf, 12 modes", {test::ffrf(12), 8}},
      {"ffrf, 24 modes", {test::ffrf(24), 16}}};
  std::vector<std::string> header{"Young's modulus", "bending, m"};
  for (const auto& [name, kind] : kinds) header.push_back(name);
  const std::vector<Vec3> stiff = tips(test::cosserat(2), 8, 2e13, 5e-4);
  std::vector<std::vector<std::string>> rows;
  double hard = 0, nonlinear = 0;
  for (double stiffness : {2e11, 2e10, 2e9, 2e8}) {
    const std::vector<Vec3> reference = tips(test::cosserat(2), 16, stiffness, 5e-4);
    std::vector<std::string> row{fmt::format("{:g} Pa", stiffness), scientific(apart(reference, stiff))};
    for (const auto& [name, kind] : kinds) {
      const double distance = apart(reference, tips(kind.first, kind.second, stiffness, 5e-4));
      row.push_back(scientific(distance));
      if (stiffness == 2e11) hard = std::max(hard, distance);
      if (name == "ancf, 8") nonlinear = std::max(nonlinear, distance);
    }
    rows.push_back(row);
  }
  report.table(header, rows);
  report.expect("steel: largest difference between the three formulations, m", hard, 1e-3);
  report.expect("any stiffness: ancf with 8 elements, m", nonlinear, 0.02);
}

}  // namespace

void flexible_bodies(Report& report) {
  report.heading("Flexible bodies beside each other");
  report.attempt({bending_and_torsion, frame, beam_frequencies, mesh_frequencies, ring, pendulum});
}

}  // namespace hooke::validation
