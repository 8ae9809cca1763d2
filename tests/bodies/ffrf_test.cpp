// The floating frame with modes: its modes, its inertia, and what few of them can do.
#include <numbers>

#include "hooke/bodies/ffrf_rod.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

using std::numbers::pi;

CosseratRod<3> slender() { return {Section::of(SectionShape::circle(2e-3, 0.3), {2e11, 0.3, 7800}), 1, 12}; }
const double bending = 2e11 * pi * 16e-12 / 4, mass = 7800 * pi * 4e-6;
double euler_bernoulli(double beta_l) { return beta_l * beta_l * std::sqrt(bending / mass); }  // rad/s

TEST(FfrfModes, HaveTheFrequenciesOfTheBeam) {
  const ModalData free = modal_data(slender(), ModalBasis::free, 6),
                  clamped = modal_data(slender(), ModalBasis::clamped, 4);
  EXPECT_NEAR(std::sqrt(free.stiffness(0, 0)) / euler_bernoulli(4.73004074), 1, 2e-4);
  EXPECT_NEAR(std::sqrt(free.stiffness(2, 2)) / euler_bernoulli(7.85320462), 1, 5e-4);
  EXPECT_NEAR(std::sqrt(clamped.stiffness(0, 0)) / euler_bernoulli(1.87510407), 1, 2e-4);
  EXPECT_NEAR(std::sqrt(clamped.stiffness(2, 2)) / euler_bernoulli(4.69409113), 1, 2e-4);
}

/// Orthonormal to each other and, but for clamped ones, to rigid motions: neither momentum nor spin in a
/// mode.
TEST(FfrfModes, AreOrthogonal) {
  for (const ModalBasis basis : {ModalBasis::free, ModalBasis::craig_bampton, ModalBasis::clamped}) {
    const int n = 8;
    const RodReference reference = basis == ModalBasis::clamped ? RodReference::start : RodReference::mean;
    const ModalData data = modal_data(slender(), basis, n, reference);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) EXPECT_NEAR(data.N[i * n + j].trace(), i == j ? 1 : 0, 1e-5);
    EXPECT_MATRIX_NEAR(data.stiffness, MatrixX(data.stiffness.diagonal().asDiagonal()), 1e-5);
    if (basis == ModalBasis::clamped) continue;
    EXPECT_LT(data.psi.norm(), 1e-6);
    for (const Mat3& N : data.N0) EXPECT_LT((N - N.transpose()).norm(), 1e-6);
  }
}

TEST(FfrfModes, TheRigidBodyIsThatOfTheRod) {
  const MassProperties rod = slender().mass_properties(),
                       modal = FfrfBody(modal_data(slender(), ModalBasis::free, 6)).mass_properties();
  EXPECT_NEAR(modal.mass, rod.mass, 1e-14);
  EXPECT_LT((modal.centre - rod.centre).norm(), 1e-14);
  EXPECT_LT((modal.inertia - rod.inertia).norm(), 1e-14);
}

/// The shapes of Craig and Bampton hold a load at the end exactly; few free modes do not.
TEST(FfrfModes, OfCraigAndBamptonBendAsTheBeamUnderALoadAtTheEnd) {
  const RodSettings settings = rod(CircleSection{2e-3}, 2e11, 0.3, 7800, 1);
  const double force = 1e-4 * 3 * bending;
  const auto tip = [&](const RodType& type) {
    Model model = cantilever(type, settings, 12);
    model.forces = {tip_load(Vec3(0, force, 0))};
    return equilibrium(model).tip().y();
  };
  const double exact = tip(cosserat(2));
  EXPECT_NEAR(exact, 1e-4, 1e-8);
  EXPECT_NEAR(tip(ffrf(6)) / exact, 1, 1e-5);
  EXPECT_NEAR(tip(ffrf(8, ModalBasis::clamped)) / exact, 1, 5e-3);
  const double free = tip(ffrf(8, ModalBasis::free));
  EXPECT_GT(free, 0.7 * exact);
  EXPECT_LT(free, 0.999 * exact);
}

/// Modes of the assembled model: the floating frame clamped at its end has the beam's first frequencies.
TEST(FfrfModes, InAModel) {
  const RodSettings settings = rod(CircleSection{2e-3}, 2e11, 0.3, 7800, 1);
  for (const ModalBasis basis : {ModalBasis::clamped, ModalBasis::craig_bampton}) {
    const BuiltModel built = build(cantilever(ffrf(12, basis), settings, 12));
    const auto modes = linearise(*built.system, built.system->initial_state()).modes;
    EXPECT_NEAR(2 * pi * modes[0].frequency / euler_bernoulli(1.87510407), 1, 1e-3);
    EXPECT_NEAR(2 * pi * modes[2].frequency / euler_bernoulli(4.69409113), 1, 1e-3);
  }
}

}  // namespace
}  // namespace hooke::test
