#include "hooke/math/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "finite_difference.h"

namespace hooke {
namespace {

const std::vector<double> table_x{0, 0.5, 0.9, 2, 2.5, 4}, table_y{1, -1, 0.5, 2, 2, -3};

void expect_derivatives_match(const Function& f, double x) {
  const Sample s = f(x);
  EXPECT_NEAR(s.d1, test::derivative([&](double y) { return f(y).value; }, x, 1e-4),
              1e-8 * (1 + std::abs(s.d1)))
      << x;
  EXPECT_NEAR(s.d2, test::derivative([&](double y) { return f(y).d1; }, x, 1e-4), 1e-8 * (1 + std::abs(s.d2)))
      << x;
}

TEST(Function, DefaultIsZeroAndANumberIsConstant) {
  const Function zero, seven = 7;
  EXPECT_EQ(zero(3).value, 0);
  EXPECT_EQ(seven(-3).value, 7);
  EXPECT_EQ(seven(-3).d1, 0);
  EXPECT_EQ(seven(-3).d2, 0);
}

TEST(Function, EveryKindHasItsDerivatives) {
  const Function polynomial = Function::polynomial({1, -2, 0.5, 3});
  const Function step = Function::smooth_step(-1, 2, 1.5, -4), wave = Function::harmonic(2, 3, 0.4, 1);
  const Function natural = Function::spline(table_x, table_y);
  const Function clamped =
      Function::spline(table_x, table_y, {.clamped = true, .first_slope = 2, .last_slope = -1});
  const Function formula = Function::expression("a*sin(t)^2 + time^3*exp(-t)", {"t", "time"}, {{"a", 3}});
  const Function all = Function::sum({polynomial, step, wave, natural, clamped, formula, 4});
  test::Random random(21);
  for (const Function& f : {polynomial, step, wave, natural, clamped, formula, all})
    for (int i = 0; i < 50; ++i) expect_derivatives_match(f, random.uniform(-2, 5));
  double sum = 4;
  for (const Function& f : {polynomial, step, wave, natural, clamped, formula}) sum += f(0.7).value;
  EXPECT_NEAR(all(0.7).value, sum, 1e-14);
}

TEST(Function, TablesBeyondTheirEnds) {
  const std::vector<double> x{0, 0.3, 0.7, 1}, y{1, 2, 0, 1};
  const auto table = [&](Beyond beyond) { return Function::spline(x, y, {.beyond = beyond}); };
  EXPECT_EQ(table(Beyond::hold)(5).value, 1);
  EXPECT_EQ(table(Beyond::hold)(-5).d1, 0);
  EXPECT_TRUE(std::isnan(table(Beyond::refuse)(1.01).value));
  EXPECT_EQ(table(Beyond::refuse)(1).value, 1);
  EXPECT_THAT(table(Beyond::refuse).not_finite(1.01, "t"), testing::HasSubstr("the table from 0 to 1"));
  EXPECT_NEAR(table(Beyond::tangent)(3).d1, table(Beyond::tangent)(1).d1, 1e-15);
  const Function periodic = table(Beyond::periodic);
  for (const double t : {-2.35, -0.2, 0.1, 0.99})
    EXPECT_NEAR(periodic(t).value, periodic(t + 3).value, 1e-13);
  for (int k = 0; k < 40; ++k) expect_derivatives_match(periodic, -2.013 + 0.1 * k);
  EXPECT_NEAR(periodic(1 - 1e-9).d1, periodic(1 + 1e-9).d1, 1e-7);  // smooth where it begins again
  EXPECT_NEAR(periodic(1 - 1e-9).d2, periodic(1 + 1e-9).d2, 1e-6);
  EXPECT_THROW(Function::spline({0, 1}, {0, 1}, {.beyond = Beyond::periodic}), Error);
}

TEST(Function, PolynomialHarmonicAndFormulaValues) {
  EXPECT_EQ(Function::polynomial({1, -2, 0.5})(2).value, -1);
  EXPECT_EQ(Function::polynomial({})(2).value, 0);
  EXPECT_DOUBLE_EQ(Function::harmonic(2, std::numbers::pi, 0, 1)(0.5).value, 3);
  EXPECT_DOUBLE_EQ(Function::expression("sin(t)")(0.5).value, std::sin(0.5));
  EXPECT_DOUBLE_EQ(Function::expression("sin(t)")(0.5).d2, -std::sin(0.5));
}

TEST(Function, SmoothStepIsTwiceDifferentiableAtItsEnds) {
  const Function f = Function::smooth_step(1, 2, 3, 5);
  EXPECT_EQ(f(0).value, 2);
  EXPECT_EQ(f(1).value, 2);
  EXPECT_EQ(f(2).value, 3.5);
  EXPECT_EQ(f(3).value, 5);
  EXPECT_EQ(f(9).value, 5);
  for (const double x : {0.0, 1.0, 3.0, 4.0}) {
    EXPECT_EQ(f(x).d1, 0);
    EXPECT_EQ(f(x).d2, 0);
  }
  EXPECT_NEAR(f(1 + 1e-9).d2, 0, 1e-7);
  EXPECT_NEAR(f(3 - 1e-9).d2, 0, 1e-7);
  EXPECT_THROW(Function::smooth_step(1, 0, 1, 1), Error);
}

// ---- splines ------------------------------------------------------------------------------------

TEST(Spline, InterpolatesAndIsTwiceDifferentiable) {
  for (const Spline::Ends& ends : {Spline::Ends{}, Spline::Ends{true, 2, -1}}) {
    const Spline f(table_x, table_y, ends);
    for (std::size_t i = 0; i < table_x.size(); ++i) {
      const double x = table_x[i], h = 1e-9;
      EXPECT_NEAR(f(x).value, table_y[i], 1e-14);
      EXPECT_NEAR(f(x + h).value, f(x - h).value, 1e-7);
      EXPECT_NEAR(f(x + h).d1, f(x - h).d1, 1e-7);
      const bool inside = i > 0 && i + 1 < table_x.size();
      if (inside || !ends.clamped) {
        EXPECT_NEAR(f(x + h).d2, f(x - h).d2, 1e-6);
      }
    }
  }
}

TEST(Spline, EndsAreNaturalOrClampedAndGoOnStraight) {
  const Spline natural(table_x, table_y, {}), clamped(table_x, table_y, {true, 2, -1});
  EXPECT_NEAR(natural(0).d2, 0, 1e-14);
  EXPECT_NEAR(natural(4).d2, 0, 1e-14);
  EXPECT_NEAR(clamped(0).d1, 2, 1e-13);
  EXPECT_NEAR(clamped(4).d1, -1, 1e-13);
  EXPECT_NEAR(clamped(-3).value, 1 - 3 * 2, 1e-12);
  EXPECT_NEAR(clamped(6).value, -3 - 2, 1e-12);
  EXPECT_EQ(clamped(6).d2, 0);
}

TEST(Spline, ReproducesLinesAndClampedCubics) {
  const auto cubic = [](double x) { return 1 + x * (2 + x * (-3 + 0.5 * x)); };
  const auto slope = [](double x) { return 2 + x * (-6 + 1.5 * x); };
  std::vector<double> line, curve;
  for (const double x : table_x) {
    line.push_back(3 - 2 * x);
    curve.push_back(cubic(x));
  }
  const Spline straight(table_x, line, {}), exact(table_x, curve, {true, slope(0), slope(4)});
  for (double x = 0; x <= 4; x += 0.1) {
    EXPECT_NEAR(straight(x).value, 3 - 2 * x, 1e-14);
    EXPECT_NEAR(exact(x).value, cubic(x), 1e-13);
    EXPECT_NEAR(exact(x).d1, slope(x), 1e-12);
  }
  const Spline two({0, 2}, {1, 5}, {});
  EXPECT_DOUBLE_EQ(two(1).value, 3);
  EXPECT_DOUBLE_EQ(two(-1).value, -1);
}

TEST(Spline, ConvergesWithFourthOrder) {
  const auto error = [](int n) {
    std::vector<double> x, y;
    for (int i = 0; i <= n; ++i) {
      x.push_back(3.0 * i / n);
      y.push_back(std::sin(x.back()));
    }
    const Spline f(x, y, {true, 1, std::cos(3)});
    double worst = 0;
    for (double s = 0; s < 3; s += 0.001) worst = std::max(worst, std::abs(f(s).value - std::sin(s)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 4, 0.1);
}

std::string message_of_table(std::vector<double> x, std::vector<double> y) {
  try {
    Function::spline(std::move(x), std::move(y));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Spline, ErrorsNameTheRow) {
  EXPECT_EQ(message_of_table({0, 1, 1}, {1, 2, 3}), "row 3: x = 1 must be larger than 1 in the row before");
  EXPECT_EQ(message_of_table({0, -1}, {1, 2}), "row 2: x = -1 must be larger than 0 in the row before");
  EXPECT_EQ(message_of_table({0, NAN}, {1, 2}), "row 2: (nan, 2) is not finite");
  EXPECT_EQ(message_of_table({0}, {1}), "a table needs at least two rows, not 1");
  EXPECT_EQ(message_of_table({0, 1}, {1}), "a table needs as many y as x, not 1 and 2");
}

// ---- force laws ---------------------------------------------------------------------------------

void expect_law_derivatives_match(const Law& law, double x, double v, double t) {
  const LawSample s = law(x, v, t);
  EXPECT_NEAR(s.d_x, test::derivative([&](double y) { return law(y, v, t).force; }, x),
              1e-8 * (1 + std::abs(s.d_x)));
  EXPECT_NEAR(s.d_v, test::derivative([&](double u) { return law(x, u, t).force; }, v),
              1e-8 * (1 + std::abs(s.d_v)));
}

TEST(Law, EveryKindHasItsDerivatives) {
  const Law laws[] = {
      Law(), Law::spring_damper(100, 3, 0.2, 5),
      Law::functions(Function::polynomial({0, 100, 0, 50}),
                     Function::expression("c*tanh(v)", {"v"}, {{"c", 2}}), Function::harmonic(1, 2), 0.2),
      Law::expression("k*(x - 0.2) + 3*x*v + rate^3 + sin(t)*length + angle^2", {{"k", 100}})};
  test::Random random(22);
  for (const Law& law : laws)
    for (int i = 0; i < 20; ++i)
      expect_law_derivatives_match(law, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 5));
}

TEST(Law, TensionIsPositive) {
  EXPECT_EQ(Law()(1, 2, 3).force, 0);
  EXPECT_DOUBLE_EQ(Law::spring_damper(100, 3, 0.5, 7)(0.6, 2, 0).force, 7 + 10 + 6);
  EXPECT_DOUBLE_EQ(
      Law::functions(Function::polynomial({0, 100}), Function::polynomial({0, 3}), 7, 0.5)(0.6, 2, 0).force,
      7 + 10 + 6);
  EXPECT_DOUBLE_EQ(Law::expression("7 + 100*(x - 0.5) + 3*v")(0.6, 2, 0).force, 7 + 10 + 6);
  EXPECT_THROW(Law::expression("k*lenght"), ExpressionError);
}

TEST(Function, SaysWhereItIsNotFinite) {
  const Function root = Function::expression("sqrt(t - 1)");
  EXPECT_EQ(root.not_finite(0.5, "t"), "sqrt(t - 1) is not a number at t = 0.5 s");
  EXPECT_EQ(root.not_finite(1, "t"), "");
  EXPECT_EQ(root.not_finite(1, "t", 1), "the rate of change of sqrt(t - 1) is infinite at t = 1 s");
  EXPECT_EQ(root.not_finite(2, "t", 2), "");
  EXPECT_EQ(Function::sum({3, Function::expression("1/x", {"x"})}).not_finite(0, "x"),
            "1/x is infinite at x = 0");
  EXPECT_EQ(Function::by_differences([](double x) { return std::log(x); }).not_finite(-1, "x"),
            "the function is not a number at x = -1");
  EXPECT_EQ(Function::harmonic(1, 2).not_finite(3, "t", 2), "");
}

TEST(Law, SaysWhereItIsNotFinite) {
  const auto text = [](const Law& law, double x, double v, bool with_derivatives) {
    const auto found = law.not_finite({x, v, 2}, with_derivatives);
    return found ? found->key + ": " + found->message : "";
  };
  const Law root = Law::expression("sqrt(x - 1) + sqrt(v)");
  EXPECT_EQ(text(root, 0.5, 3, false),
            "law: sqrt(x - 1) + sqrt(v) is not a number at x = 0.5, v = 3, t = 2 s");
  EXPECT_EQ(text(root, 1, 0, false), "");
  EXPECT_EQ(text(root, 2, 0, true),
            "law: the derivative by v of sqrt(x - 1) + sqrt(v) is infinite at x = 2, v = 0, t = 2 s");
  const Law functions =
      Law::functions(Function::expression("log(x)", {"x"}), Function::expression("1/v", {"v"}), {}, 0.5);
  EXPECT_EQ(text(functions, 0.5, 1, false), "elastic: log(x) is infinite at x = 0");
  EXPECT_EQ(text(functions, 0.7, 0, false), "viscous: 1/v is infinite at v = 0");
  EXPECT_EQ(text(functions, 0.7, 1, true), "");
  EXPECT_EQ(text(Law::spring_damper(1, 1), 1, 1, true), "");
}

TEST(Law, PotentialIsTheIntegralOfTheForceAtRest) {
  const Law laws[] = {
      Law::spring_damper(100, 3, 0.2, 5),
      Law::functions(Function::polynomial({0, 100, 0, 50}), Function::polynomial({0, 2}), {}, 0.2),
      Law::expression("100*x + 50*x^3 + 3*v")};
  for (const Law& law : laws)
    for (const double x : {-0.7, 0.1, 0.9})
      EXPECT_NEAR(test::derivative([&](double y) { return law.potential(y); }, x), law(x, 0, 0).force, 1e-7);
  EXPECT_EQ(laws[0].potential(0.2), 0);
  EXPECT_EQ(Law::expression("x + t").potential(1), 0) << "what depends on time stores no energy";
}

}  // namespace
}  // namespace hooke
