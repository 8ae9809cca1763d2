// Rods at rest against published and analytic solutions, the same for every formulation.
#include <numbers>

#include "support/convergence.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

using std::numbers::pi;

/// A formulation with as many elements as bring the error of a cantilever below 1e-4.
struct RodCase {
  RodType type;
  int elements;
  double order;  ///< of convergence
  /// Green's strain and a section that is linear across make an ANCF rod differ from a beam where strains are
  /// large.
  bool is_solid = false;
};
void PrintTo(const RodCase& rod, std::ostream* stream) { *stream << rod.type.name; }

class RodStatics : public ::testing::TestWithParam<RodCase> {
 protected:
  Equilibrium loaded(const RodSettings& settings, const NamedForce& load, int elements) const {
    Model model = cantilever(GetParam().type, settings, elements);
    model.forces = {load};
    Equilibrium found = equilibrium(model);
    EXPECT_TRUE(found.result.converged) << found.result.failure;
    return found;
  }
  Equilibrium loaded(const RodSettings& settings, const NamedForce& load) const {
    return loaded(settings, load, GetParam().elements);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, RodStatics,
                         ::testing::Values(RodCase{cosserat(1), 100, 2}, RodCase{cosserat(2), 8, 4},
                                           RodCase{ancf(), 16, 2, true}),
                         [](const auto& test) { return test.param.type.name; });

/// Dowell and Traybar's experiment; values of ANSYS's beam. The motion along y, which the twist adds to,
/// depends on the torsion constant: with 3 % more than Saint-Venant's all 28 values are met to 0.3 %, so that
/// is what that beam had.
TEST_P(RodStatics, PrincetonBeam) {
  const double a = 12.3777e-3, b = 3.2024e-3;
  const RodSettings settings = rod(RectangleSection{{a, b}}, 71.7e9, 0.31, 2700, 0.508);
  RodSettings stiffer = settings;
  stiffer.torsion_constant = 1.03 * SectionShape::rectangle(a, b, 0.31).torsion;
  const double forces[] = {8.896, 13.345};
  const double y[2][7] = {{.010714, .010613, .010112, .0088372, .0066047, .0035389, 0},
                          {.016064, .016458, .016659, .015186, .011578, .0062490, 0}};
  const double z[2][7] = {{0, .042082, .079395, .108988, .129888, .142194, .146246},
                          {0, .064358, .117736, .156467, .181862, .196097, .200678}};
  for (int f : {0, 1})
    for (int i = 0; i < 7; ++i) {
      SCOPED_TRACE(fmt::format("{} N at {} degrees", forces[f], 15 * i));
      const double beta = i * pi / 12;
      const NamedForce load = tip_load(forces[f] * Vec3(0, std::cos(beta), std::sin(beta)));
      const Vec2 reference(y[f][i], z[f][i]);
      EXPECT_LT((loaded(settings, load).tip().tail<2>() - reference).norm(), 0.0025 * reference.norm());
      const Vec3 tip = loaded(stiffer, load).tip();
      EXPECT_NEAR(tip.y(), y[f][i], 0.003 * y[f][i] + 1e-6);
      EXPECT_NEAR(tip.z(), z[f][i], 0.003 * z[f][i] + 1e-6);
    }
}

/// Nachbagauer, Pechstein, Irschik, Gerstmayr (2011), and with bending and torsion (2013).
TEST_P(RodStatics, LargeAndSmallCantilever) {
  const RodSettings settings = rod(RectangleSection{{0.5, 0.1}}, 2.07e11, 0.3, 7850, 2);
  const bool solid = GetParam().is_solid;
  const Vec3 large = loaded(settings, tip_load(Vec3(0, -6.25e7, 0))).tip();
  EXPECT_NEAR(large.x() / -.15097103, 1, solid ? 0.035 : 1.1e-4);
  EXPECT_NEAR(large.y() / -.71056837, 1, solid ? 0.007 : 1.1e-4);
  const Vec3 small = loaded(settings, tip_load(Vec3(0, -6.25e4, 0))).tip();
  EXPECT_NEAR(small.x() / -1.88847418e-7, 1, solid ? 0.02 : 1.1e-4);  // of second order in the strains
  EXPECT_NEAR(small.y() / -8.09900305e-4, 1, 1.1e-4);
}

/// Nachbagauer, Gruber, Gerstmayr (2013): moments about the line and across it, fixed in space. To second
/// order, with kappa = M_y/EI_y and tau = M_x/GJ,
///   u_x = -kappa^2 L^3/6,   u_z = -kappa L^2/2,   u_y = (tau kappa/2 - (tau M_y - kappa M_x)/(2 EI_z)) L^3/3
/// Published are 1.0943e-4, 1.8117e-2 and, across, 1.8625e-4: that of a torsional stiffness 5 % above
/// Saint-Venant's. An ANCF rod bent and twisted shears its section a little, a thing of second order as u_y.
TEST_P(RodStatics, BendingAndTorsion) {
  const double E = 2.07e11, length = 2, Mx = 0.5e6, My = 2e6;
  const double EIy = E * 0.2 * std::pow(0.4, 3) / 12, EIz = E * 0.4 * std::pow(0.2, 3) / 12;
  RodSettings settings = rod(RectangleSection{{0.2, 0.4}}, E, 0.3, 7850, length);
  settings.torsion_constant = 1.05 * settings.shape().torsion;
  const double kappa = My / EIy, tau = Mx / (E / 2.6 * *settings.torsion_constant);
  const double across = (tau * kappa / 2 - (tau * My - kappa * Mx) / (2 * EIz)) * std::pow(length, 3) / 3;
  const Vec3 tip = loaded(settings, tip_load(zero3, Vec3(Mx, My, 0))).tip();
  const bool solid = GetParam().is_solid;
  EXPECT_NEAR(tip.x() / -1.0943e-4, 1, solid ? 0.02 : 1e-3);
  EXPECT_NEAR(tip.z() / -1.8117e-2, 1, 1e-3);
  EXPECT_NEAR(tip.y() / across, 1, solid ? 0.04 : 1e-3);
  if (!solid) {
    EXPECT_NEAR(tip.y() / -1.8625e-4, 1, 5e-3);
  }
  // ten times as long, bent and twisted by as much: what the ends do counts for a tenth
  settings.length = 10 * length;
  const double far = loaded(settings, tip_load(zero3, Vec3(Mx, My, 0) / 10)).tip().y();
  EXPECT_NEAR(far / (10 * across), 1, solid ? 0.01 : 2e-3);
}

/// Argyris et al. (1979), Simo, Vu-Quoc (1986): it gives way at 1.088 N, pushed the other way at 0.68 N.
TEST_P(RodStatics, RightAngleFrameBucklesSideways) {
  const int elements = GetParam().order == 4 ? 4 : GetParam().is_solid ? 6 : 12;
  EXPECT_NEAR(buckling_load(GetParam().type, elements, 1) / 1.088, 1, 0.005);
  EXPECT_NEAR(buckling_load(GetParam().type, elements, -0.6) / -0.6804, 1, 0.005);
}

/// An end moment 2 pi EI / L rolls a beam up into a full circle: a Cosserat rod closes it whatever the number
/// of elements.
TEST_P(RodStatics, RollUpIntoACircle) {
  const RodSettings settings = rod(RectangleSection{{0.01, 0.01}}, 1e9, 0.3, 1000, 1);
  const NamedForce moment = tip_load(zero3, Vec3(0, 0, 2 * pi * 1e9 * 1e-8 / 12));
  std::vector<double> errors;
  for (int elements : {4, 8, 16}) {
    const auto nodes = loaded(settings, moment, elements).nodes();
    const double gap = nodes.back().p.norm(),
                 turn = log_so3(Mat3(nodes.front().R.transpose() * nodes.back().R)).norm();
    EXPECT_LT(gap, GetParam().is_solid ? 14 * std::pow(elements, -4) + 1e-3 : 1e-10);
    EXPECT_LT(turn, GetParam().is_solid ? 80 * std::pow(elements, -4) + 6e-3 : 1e-10);
    errors.push_back(std::abs(nodes[nodes.size() / 2].p.y() - 1 / pi));  // the far side: one diameter away
  }
  EXPECT_NEAR(order(errors), GetParam().is_solid ? 3 : GetParam().order, 0.15);
}

TEST_P(RodStatics, ErrorsFallWithTheOrderOfTheElements) {
  const RodSettings settings = rod(RectangleSection{{0.002, 0.003}}, 1e13, 0.3, 1000, 1);
  const NamedForce load = tip_load(Vec3(-3, 20, 12), Vec3(2, 0, 0));
  const Vec3 exact = loaded(settings, load, 128).tip();
  ASSERT_GT(exact.norm(), 0.3);
  std::vector<double> errors;
  for (int elements : {4, 8, 16}) errors.push_back((loaded(settings, load, elements).tip() - exact).norm());
  EXPECT_NEAR(order(errors), GetParam().order, 0.3);
  // and all formulations agree
  Model model = cantilever(cosserat(2), settings, 16);
  model.forces = {load};
  EXPECT_LT((exact - equilibrium(model).tip()).norm(), GetParam().order == 4 ? 1e-6 : 1e-4);
}

/// A beam a thousand times as long as thick bends as softly as it should with few elements, for a small load
/// by theory.
TEST_P(RodStatics, ThinRodsDoNotLock) {
  const double length = 1, thickness = 1e-3, E = 1e11, EI = E * std::pow(thickness, 4) / 12;
  const RodSettings settings = rod(RectangleSection{{thickness, thickness}}, E, 0.3, 1000, length);
  const double force = 1e-3 * 3 * EI / (length * length * length);
  const double deflection = loaded(settings, tip_load(Vec3(0, force, 0)), 4).tip().y();
  EXPECT_NEAR(deflection / 1e-3, 1, GetParam().type.name == "cosserat1" ? 0.02 : 2e-5);
}

/// Own weight, of a distributed load that balances it nothing remains.
TEST_P(RodStatics, DistributedLoad) {
  const RodSettings settings = rod(CircleSection{0.01}, 1e9, 0.3, 1000, 1);
  const double weight = 1000 * pi * 1e-4 * 9.81, EI = 1e9 * pi * 1e-8 / 4,
               kGA = 1e9 / 2.6 * pi * 1e-4 * 7.8 / 8.8;
  Model model = cantilever(GetParam().type, settings, GetParam().elements);
  model.gravity = {0, 0, -0.01 * 9.81};
  EXPECT_NEAR(equilibrium(model).tip().z(), -0.01 * weight * (1 / (8 * EI) + 1 / (2 * kGA)),
              1e-3 * 0.01 * weight / (8 * EI));
  model.forces["lift"] = DistributedLoadSettings{.on = "rod", .force = {{0, 0, 0.01 * weight}}};
  EXPECT_LT(equilibrium(model).tip().norm(), 1e-12);
}

}  // namespace
}  // namespace hooke::test
