// A textbook problem written by hand against the Dae interface, and the heavy top: solutions known from
// elsewhere.
#include "textbook.h"

#include "hooke/integrators/runge_kutta.h"
#include "hooke/integrators/settings.h"
#include "support/convergence.h"
#include "support/crank.h"

namespace hooke::test {
namespace {

Orders pendulum_orders(const MakeIntegrator& make, int steps) {
  static const TextbookPendulum pendulum;
  const State start = TextbookPendulum::at(0, 1.5, 0.3);
  return measure_orders(pendulum, start, 2, make, uniform_grid, steps, 2, 4, [](const Grid& times) {
    std::vector<State> exact;
    for (double t : times) exact.push_back(TextbookPendulum::exact(t, 1.5, 0.3));
    return exact;
  });
}

void expect_orders(const Orders& measured, double expected) {
  EXPECT_NEAR(measured.q, expected, 0.1) << describe(measured);
  EXPECT_NEAR(measured.v, expected, 0.1) << describe(measured);
  EXPECT_NEAR(measured.lambda, expected, 0.1) << describe(measured);
}

TEST(TextbookPendulum, IsIntegratedAtSecondOrder) {
  const TextbookPendulum pendulum;
  for (const ConstraintForm form : {ConstraintForm::index3, ConstraintForm::stabilised})
    for (const double rho : {0.0, 0.5, 0.8})
      expect_orders(pendulum_orders(
                        [&] {
                          return std::make_unique<GeneralizedAlpha>(
                              pendulum,
                              GeneralizedAlphaSettings{
                                  AlphaParameters::generalized_alpha(rho), form, Projection::none, {}});
                        },
                        400),
                    2);
}

TEST(TextbookPendulum, IsIntegratedAtFifthOrder) {
  const TextbookPendulum pendulum;
  expect_orders(
      pendulum_orders(
          [&] { return std::make_unique<DormandPrince>(pendulum, NewtonSettings{.tolerance = 1e-13}); }, 48),
      5);
}

/// The values have nine digits.
TEST(HeavyTop, IsWhereItShouldBeAfterTwoSeconds) {
  const Ready top(heavy_top());
  DormandPrince integrator(top.system(), {.tolerance = 1e-12});
  const State end = integrate(integrator, top.start(), uniform_grid(0, 2, 8000)).back();
  const Vec3 centre = top.system().motion(0, end).pose.p;
  EXPECT_NEAR(centre.x(), -0.150416823, 1e-8);
  EXPECT_NEAR(centre.y(), -0.724165592, 1e-8);
  EXPECT_NEAR(centre.z(), -0.673022270, 1e-8);
}

TEST(HeavyTop, IsIntegratedAtSecondOrder) {
  const Ready top(heavy_top(), 2.5e-4);
  for (const ConstraintForm form : {ConstraintForm::index3, ConstraintForm::stabilised})
    expect_orders(measure_orders(
                      top.system(), top.start(), 2,
                      [&] {
                        return std::make_unique<GeneralizedAlpha>(
                            top.system(),
                            GeneralizedAlphaSettings{
                                AlphaParameters::generalized_alpha(0.8), form, Projection::none, {}});
                      },
                      uniform_grid, 4000, 2, 4, [&](const Grid& times) { return top.exact(times); }),
                  2);
}

}  // namespace
}  // namespace hooke::test
