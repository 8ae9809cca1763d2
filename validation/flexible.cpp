#include <numbers>

#include "support/rods.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

// --- statics

struct Formulation {
  test::RodType type;
  std::string name;
};

std::vector<Formulation> formulations() {
  return {{test::cosserat(1), "cosserat, order 1"},
          {test::cosserat(2), "cosserat, order 2"},
          {test::ancf(), "ancf"}};
}

Vec3 tip(const test::RodType& type, const RodSettings& settings, int elements, const test::NamedForce& load) {
  Model model = test::cantilever(type, settings, elements);
  model.forces = {load};
  return test::equilibrium(model).tip();
}

void princeton(Report& report) {
  report.subheading("Princeton beam");
  report.text(
      "A beam of 508 x 12.38 x 3.20 mm, aluminium, with a tip force at seven angles; ANSYS's beam is the "
      "reference. Largest "
      "difference of the tip over the angles, as a fraction of its displacement. The difference is one of "
      "torsion, which shifts the "
      "tip across: 3 % more torsional stiffness than Saint-Venant's brings all 28 values within 0.3 %.");
  const double a = 12.3777e-3, b = 3.2024e-3;
  const double forces[] = {8.896, 13.345};
  const double y[2][7] = {{.010714, .010613, .010112, .0088372, .0066047, .0035389, 0},
                          {.016064, .016458, .016659, .015186, .011578, .0062490, 0}};
  const double z[2][7] = {{0, .042082, .079395, .108988, .129888, .142194, .146246},
                          {0, .064358, .117736, .156467, .181862, .196097, .200678}};
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const Formulation& formulation : formulations()) {
    std::vector<std::string> row{formulation.name, formulation.type.name == "cosserat1" ? "64" : "8"};
    for (double torsion : {1.0, 1.03})
      for (int f : {0, 1}) {
        RodSettings settings = test::rod(RectangleSection{{a, b}}, 71.7e9, 0.31, 2700, 0.508);
        settings.torsion_constant = torsion * SectionShape::rectangle(a, b, 0.31).torsion;
        double largest = 0;
        for (int i = 0; i < 7; ++i) {
          const double beta = i * std::numbers::pi / 12;
          const Vec3 u = tip(formulation.type, settings, std::stoi(row[1]),
                             test::tip_load(forces[f] * Vec3(0, std::cos(beta), std::sin(beta))));
          const Vec2 reference(y[f][i], z[f][i]);
          largest = std::max(largest, (u.tail<2>() - reference).norm() / reference.norm());
        }
        row.push_back(fmt::format("{:.2f} %", 100 * largest));
        worst = std::max(worst, largest);
      }
    rows.push_back(row);
  }
  report.table(
      {"formulation", "elements", "8.896 N", "13.345 N", "8.896 N, torsion + 3 %", "13.345 N, torsion + 3 %"},
      rows);
  report.expect("all formulations, angles and loads: difference from ANSYS's beam", worst, 0.01);
}

void cantilever(Report& report) {
  report.subheading("Large cantilever, and orders of convergence");
  report.text(
      "2 m long, 0.5 m thick, bent by a third of its length (Nachbagauer et al. 2011: ux = -0.15097103 m, uy "
      "= -0.71056837 m). With Green's "
      "strain an ANCF rod is another model where strains are large, so its error does not vanish; *order* is "
      "that of the change from one "
      "row to the next.");
  const RodSettings settings = test::rod(RectangleSection{{0.5, 0.1}}, 2.07e11, 0.3, 7850, 2);
  std::vector<std::vector<std::string>> rows;
  double finest = 1;
  for (const Formulation& formulation : formulations()) {
    Vec3 before = zero3;
    double change = 0;
    for (int elements : {2, 4, 8, 16}) {
      const Vec3 u = tip(formulation.type, settings, elements, test::tip_load(Vec3(0, -6.25e7, 0)));
      const double now = (u - before).norm();
      rows.push_back({formulation.name, std::to_string(elements), fmt::format("{:.7f}", u.x()),
                      fmt::format("{:.7f}", u.y()),
                      fmt::format("{:.2e}", std::hypot(u.x() + .15097103, u.y() + .71056837)),
                      elements > 4 ? order_of(change, now) : ""});
      change = now;
      before = u;
      if (formulation.type.name == "cosserat2") finest = std::hypot(u.x() + .15097103, u.y() + .71056837);
    }
  }
  report.table({"formulation", "elements", "ux, m", "uy, m", "error, m", "order"}, rows);
  report.expect("cosserat, order 2, 16 elements: error of the tip, m", finest, 1e-6);
}

// --- the slider crank of the paper, and constant mass

const char* const rod_settings =
    "{section: {circle: 8.21036e-3}, material: {young: 2.07e11, poisson: 0.29, density: 7870}, elements: 4";

struct Rod {
  std::string name;
  Overrides overrides;
};

Overrides instead(const std::string& kind, const std::string& more = "") {
  return {"bodies.rod.cosserat=null", fmt::format("bodies.rod.{}={}{}}}", kind, rod_settings, more)};
}

std::vector<Rod> rods() {
  return {{"rigid",
           {"bodies.rod.cosserat=null",
            "bodies.rod.rigid={shape: {cylinder: {radius: 8.21036e-3, length: 0.3}}, density: 7870}"}},
          {"ffrf, 6 modes", instead("ffrf")},
          {"ffrf, 6 modes, constant mass", instead("ffrf", ", mass: constant")},
          {"ancf, 4 elements", instead("ancf")},
          {"cosserat, 4 elements", {}}};
}

Overrides with(Overrides some, const Overrides& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

void motion(Report& report) {
  report.subheading("Flexible slider crank: motion");
  report.text(
      "The spatial slider crank of Zhou et al. (2022), case 2: a steel rod of 0.3 m and 0.5 kg that starts "
      "as a rigid one would. 5 s with steps "
      "of 0.1 ms, generalized-alpha, rho 0.8. Differences from the Cosserat rod with 8 elements.");
  report.command("hooke run models/flexible/slider_crank.yaml");
  const Overrides settings{"run.step=1e-4", "run.end=5", "outputs.every=0.01"};
  const Trajectory reference("flexible/slider_crank.yaml",
                             with({"bodies.rod.cosserat.elements=8"}, settings));
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> columns{"t"};
  std::vector<std::vector<double>> data{reference.times()};
  double apart = 0, drift = 0;
  for (const Rod& rod : rods()) {
    const Trajectory run("flexible/slider_crank.yaml", with(rod.overrides, settings));
    double position = 0, angle = 0;
    std::vector<double> x, phi, energy, difference;
    for (std::size_t i = 0; i < std::min(run.size(), reference.size()); ++i) {
      x.push_back(run.position(i, "slider").x());
      phi.push_back(run.coordinate(i, "A"));
      energy.push_back(run.energy(i));
      difference.push_back(std::abs(x.back() - reference.position(i, "slider").x()));
      position = std::max(position, difference.back());
      angle = std::max(angle, std::abs(phi.back() - reference.coordinate(i, "A")));
    }
    for (const char* what : {"x", "angle", "energy", "difference"})
      columns.push_back(fmt::format("{}: {}", what, rod.name));
    data.insert(data.end(), {x, phi, energy, difference});
    const Summary& s = run.summary();
    rows.push_back({rod.name, std::to_string(s.coordinates), scientific(position), scientific(angle),
                    scientific(s.energy_drift), seconds(run.cpu_time())});
    if (rod.name != "rigid") apart = std::max(apart, position);
    if (rod.name.find("constant") == std::string::npos)
      drift = std::max(drift, s.energy_drift / s.largest_kinetic_energy);
  }
  report.table({"rod", "coordinates", "slider, m", "crank angle, rad", "energy drift, J", "CPU time"}, rows);
  report.data("flexible_slider_crank", columns, data);
  report.figure(
      "flexible_slider_crank",
      "Slider position, crank angle and total energy with all rods, and how far the slider is from where "
      "it is with a Cosserat rod of 8 elements.");
  report.expect("three formulations: largest difference of the slider's position over 5 s, m", apart, 1e-4);
  report.expect("energy drift, as a fraction of the largest kinetic energy", drift, 1e-4);
}

/// How soft a rod may be for the mass matrix of the undeformed body: exact and constant FFRF beside each
/// other.
void constant_mass(Report& report) {
  report.subheading("Flexible slider crank: constant against exact mass");
  report.text(
      "FFRF with 6 modes over 2 s: the largest difference of the slider's position that letting "
      "accelerations meet "
      "the undeformed body's mass matrix makes, beside the largest bending (of the rod's middle from the "
      "line "
      "between its ends) and beside what flexibility does at all (difference from a rigid rod). Steel, and "
      "steel "
      "made softer.");
  std::vector<std::vector<std::string>> rows;
  double steel = 0;
  for (double young : {2.07e11, 2.07e10, 2.07e9}) {
    const Overrides settings{"run.step=1e-4", "run.end=2", "outputs.every=0.005",
                             fmt::format("bodies.rod.ffrf.material.young={:g}", young)};
    const Trajectory exact("flexible/slider_crank.yaml", with(instead("ffrf"), settings)),
        constant("flexible/slider_crank.yaml", with(instead("ffrf", ", mass: constant"), settings)),
        rigid("flexible/slider_crank.yaml",
              with(rods()[0].overrides, {"run.step=1e-4", "run.end=2", "outputs.every=0.005"}));
    double apart = 0, flexible = 0, bending = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const auto x = [&](const Trajectory& run) { return run.position(i, "slider").x(); };
      apart = std::max(apart, std::abs(x(exact) - x(constant)));
      flexible = std::max(flexible, std::abs(x(exact) - x(rigid)));
      const auto nodes = exact.system().nodes(1, exact.state(i));
      const Vec3 middle = nodes[nodes.size() / 2].p - 0.5 * (nodes.front().p + nodes.back().p);
      bending = std::max(bending, middle.norm());
    }
    if (young == 2.07e11) steel = apart;
    rows.push_back({fmt::format("{:.3g} Pa", young), scientific(bending), scientific(flexible),
                    scientific(apart), fmt::format("{:.1f} %", 100 * apart / flexible)});
  }
  report.table({"Young's modulus", "bending, m", "exact - rigid, m", "constant - exact, m", "share"}, rows);
  report.expect("steel: difference of the slider's position, m", steel, 1e-5);
}

void costs(Report& report) {
  report.subheading("Flexible slider crank: cost");
  report.text(
      "CPU time of 0.3 s of motion, divided by that of the rigid rod at the same step. The paper: FFRF/rigid "
      "about 2 at both steps, ANCF/rigid "
      "about 9 at 1e-5 s and no convergence at 1e-4 s.");
  std::vector<std::vector<std::string>> rows;
  bool all_finished = true;
  for (double h : {1e-5, 1e-4}) {
    double rigid = 0;
    for (const Rod& rod : rods()) {
      const Method method{
          rod.name, "",
          with(rod.overrides, {fmt::format("run.step={}", h), "run.end=0.3", "outputs.every=0.01"})};
      const Run r = run("flexible/slider_crank.yaml", method);
      if (rod.name == "rigid") rigid = r.cpu_time;
      const Summary& s = r.trajectory.summary();
      all_finished = all_finished && s.status == RunStatus::finished && s.totals.rejected == 0;
      rows.push_back({rod.name, fmt::format("{:g} s", h),
                      fmt::format("{:.2f}", static_cast<double>(s.totals.iterations) /
                                                static_cast<double>(s.totals.steps)),
                      fmt::format("{:.3f}", static_cast<double>(s.totals.factorizations) /
                                                static_cast<double>(s.totals.steps)),
                      fmt::format("{:.1f} us", 1e6 * r.cpu_time / static_cast<double>(s.totals.steps)),
                      fmt::format("{:.1f}", r.cpu_time / rigid)});
    }
  }
  report.table({"rod", "step", "iterations a step", "factors a step", "time a step", "of rigid"}, rows);
  report.expect("every formulation runs at both steps without a rejected one", all_finished);
}

void long_rod(Report& report) {
  report.subheading("A long cable: cost by the number of elements");
  report.text(
      "The rubber cable of Schneider et al. (2017) (1 m, radius 5 mm, 1100 kg/m3, 5 MPa, nu 0.5) lets go of "
      "one end; 50 steps of 1 ms.");
  std::vector<std::vector<std::string>> rows;
  double few = 0, many = 0;
  for (int n : {10, 100, 1000}) {
    const Run r = run("flexible/cable.yaml", {"",
                                              "",
                                              {fmt::format("bodies.cable.cosserat.elements={}", n),
                                               "run.step=1e-3", "run.end=0.05", "outputs.every=0.05"}});
    const MarchTotals& t = r.trajectory.summary().totals;
    const double per = 1e6 * r.cpu_time / static_cast<double>(t.iterations) / n;
    rows.push_back({std::to_string(n), fmt::format("{}", t.steps), fmt::format("{}", t.iterations),
                    seconds(r.cpu_time), fmt::format("{:.2f} us", per)});
    (n == 100 ? few : many) = per;
  }
  report.table({"elements", "steps", "iterations", "CPU time", "an element and iteration"}, rows);
  report.expect("1000 elements cost an element and iteration as 100 do, times", many / few, 1.5);
}

}  // namespace

void flexible(Report& report) {
  report.heading("Flexible rods");
  report.attempt({princeton, cantilever, motion, constant_mass, costs, long_rod});
}

}  // namespace hooke::validation
