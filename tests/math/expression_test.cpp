#include "hooke/math/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "finite_difference.h"

namespace hooke {
namespace {

double value(const std::string& text, double x = 0, double y = 0) {
  const double arguments[] = {x, y};
  return Expression(text, {"x", "y"}, {{"length", 0.3}, {"e1", 7}}).evaluate<double>(arguments);
}

// ---- values -------------------------------------------------------------------------------------

TEST(Expression, NumbersAndPrecedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("12/3/2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("-x*2", 3), -6);
  EXPECT_EQ(value("1.5e3 + .5 + 2."), 1502.5);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value(" 1\t+\n2 "), 3);
  EXPECT_EQ(value("+x", 4), 4);
}

TEST(Expression, ComparisonsAndChoice) {
  EXPECT_EQ(value("x < 1", 0), 1);
  EXPECT_EQ(value("x < 1", 1), 0);
  EXPECT_EQ(value("x <= 1", 1), 1);
  EXPECT_EQ(value("x > 1", 1), 0);
  EXPECT_EQ(value("x >= 1", 1), 1);
  EXPECT_EQ(value("x == 1", 1), 1);
  EXPECT_EQ(value("x != 1", 1), 0);
  EXPECT_EQ(value("1 + 1 < x*2 && !(y > 0)", 2, 0), 1);
  EXPECT_EQ(value("x > 0 || y > 0", -1, 1), 1);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("x > 0 ? 5 : x < -1 ? 6 : 7", -2), 6);
  EXPECT_EQ(value("x > 0 ? 5 : x < -1 ? 6 : 7", -0.5), 7);
  EXPECT_EQ(value("x > 0 ? y > 0 ? 1 : 2 : 3", 1, -1), 2);
  EXPECT_EQ(value("if(x > 0, 2, 3)", -1), 3);
  EXPECT_EQ(value("x > 0 ? 1/x : 0", 0), 0) << "the side not chosen must not spoil the result";
}

TEST(Expression, NamesAndParameters) {
  EXPECT_DOUBLE_EQ(value("length*x + pi", 2), 0.6 + std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("e + e1"), std::numbers::e + 7);
  EXPECT_EQ(evaluate_constant("0.12 + l1", {{"l1", 0.08}}), 0.2);
  EXPECT_EQ(evaluate_constant("pi", {{"pi", 3}}), 3) << "a parameter goes before a constant";
  const double argument[] = {5};
  EXPECT_EQ(Expression("x", {"x"}, {{"x", 1}}).evaluate<double>(argument), 5)
      << "an argument before a parameter";
}

TEST(Expression, Functions) {
  EXPECT_DOUBLE_EQ(value("atan2(1, -1)"), 0.75 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("log10(1000)"), 3);
  EXPECT_EQ(value("sign(-3) + abs(-3)"), 2);
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 5, 4, 1)"), 6);
  EXPECT_EQ(value("min(x, y, 2)", 4, 3), 2);
  EXPECT_EQ(value("floor(-1.5) + ceil(1.2)"), 0);
  EXPECT_EQ(value("mod(-1, 3)"), 2);
  EXPECT_EQ(value("mod(7.5, 2)"), 1.5);
  EXPECT_EQ(value("pow(2, 10)"), 1024);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("clamp(x, -1, 2)", 3), 2);
  EXPECT_EQ(value("clamp(x, -1, 2)", -3), -1);
  EXPECT_EQ(value("step(x, 1, 3)", 1), 0);
  EXPECT_EQ(value("step(x, 1, 3)", 2), 0.5);
  EXPECT_EQ(value("step(x, 1, 3)", 9), 1);
  EXPECT_EQ(value("step(x, 1, 1)", 1), 1);
  EXPECT_EQ(value("step(x, 1, 1)", 0.999), 0);
}

TEST(Expression, KnowsWhatItDependsOn) {
  const Expression f("x + 0*2", {"x", "t"});
  EXPECT_TRUE(f.depends_on(0));
  EXPECT_FALSE(f.depends_on(1));
  EXPECT_EQ(f.text(), "x + 0*2");
}

// ---- derivatives --------------------------------------------------------------------------------

class ExpressionDerivatives : public testing::TestWithParam<const char*> {};

/// Jets may round differently from numbers where the compiler fuses multiplications and additions.
void expect_same(double a, double b) { EXPECT_NEAR(a, b, 1e-14 * std::max(1.0, std::abs(b))); }

TEST_P(ExpressionDerivatives, MatchDifferences) {
  const Expression f(GetParam(), {"x", "y", "z"});
  test::Random random(11);
  for (int i = 0; i < 20; ++i) {
    const VectorX at{{random.uniform(0.2, 0.9), random.uniform(1.2, 1.9), random.uniform(2.1, 2.9)}};
    const auto plain = [&](const VectorX& a) { return f.evaluate<double>({a.data(), 3}); };
    const double exact = plain(at);

    const Jet1<3> arguments[] = {Jet1<3>::variable(at[0], 0), Jet1<3>::variable(at[1], 1),
                                 Jet1<3>::variable(at[2], 2)};
    const Jet1<3> first = f.evaluate<Jet1<3>>(arguments);
    expect_same(first.value, exact);
    const MatrixX gradient =
        test::finite_difference([&](const VectorX& a) { return VectorX{{plain(a)}}; }, at);
    test::expect_matrix_near(Eigen::Map<const Eigen::RowVector3d>(first.d.data()), gradient, 1e-9);

    // along the curve (s, 1.2 s + 1, 2 + s/2), whose second derivative must come out as well
    const auto curve = [&]<class T>(const T& s) {
      return std::array<T, 3>{s, T(1.2) * s + T(1.0), T(2.0) + T(0.5) * s};
    };
    const double s = 0.3 + 0.02 * i;
    const Jet2 second = f.evaluate<Jet2>(curve(jet2_variable(s)));
    const auto slope = [&](double at_s) {
      return f.evaluate<Jet1<1>>(curve(Jet1<1>::variable(at_s, 0))).d[0];
    };
    expect_same(second.value.value, f.evaluate<double>(curve(s)));
    expect_same(second.value.d[0], slope(s));
    expect_same(second.d[0].value, slope(s));
    const double curvature = test::derivative(slope, s);
    EXPECT_NEAR(second.d[0].d[0], curvature, 1e-9 * std::max(1.0, std::abs(curvature)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExpressionDerivatives,
    testing::Values("x + y - z", "x*y*z", "x/y/z", "-x*x", "x^3", "x^-2", "(-x)^3", "x^2.5", "x^y", "2^x",
                    "pow(z, x)", "sin(x*y)", "cos(x*y)", "tan(x)", "asin(x)", "acos(x)", "atan(x*z)",
                    "atan2(x, y)", "atan2(-z, x)", "sinh(x)", "cosh(x*y)", "tanh(y - x)", "exp(x*y)",
                    "log(x*z)", "log10(x + z)", "sqrt(x*y)", "abs(-x*y)", "abs(z)*x", "sign(x)*y",
                    "floor(x)*y", "ceil(x)*y", "mod(x*10, 100)", "mod(-x, y)", "hypot(x, y*z)", "min(x*x, y)",
                    "max(x, y*z)", "min(z, y, x)", "clamp(x*y, 0, 10)", "clamp(x, y, z)", "step(x, 0, 1)",
                    "step(x*y, -0.5*z, z)", "step(x, 2, 3)*y", "x < y ? x*y : z", "if(x > y, x, y*z*z)",
                    "(x < y)*z*x", "7", "x*x*x + 3*sin(y)^2*exp(-z)"));

TEST(Expression, DerivativesStayFiniteWhereOnlyConstantsMeetASingularity) {
  const auto at_zero = [](const char* text) {
    const Jet2 x[] = {jet2_variable(0)};
    return Expression(text, {"x"}).evaluate<Jet2>(x);
  };
  for (const char* text :
       {"x^2", "x^1", "x^0", "x^3", "sqrt(0*2) + x", "hypot(x, 0)*0", "(x - x)^2", "abs(x)"}) {
    const Jet2 y = at_zero(text);
    EXPECT_TRUE(std::isfinite(y.value.value) && std::isfinite(y.value.d[0]) && std::isfinite(y.d[0].d[0]))
        << text;
  }
  EXPECT_EQ(at_zero("x^2").d[0].d[0], 2);
  EXPECT_EQ(at_zero("x^3").d[0].d[0], 0);
}

// ---- errors -------------------------------------------------------------------------------------

void expect_error(const std::string& text, std::size_t position, const std::string& part_of_message) {
  try {
    Expression(text, {"time", "x"}, {{"radius", 1}});
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), position) << text << ": " << error.what();
    EXPECT_NE(error.message().find(part_of_message), std::string::npos) << text << ": " << error.what();
    EXPECT_EQ(error.code(), ExitCode::bad_model);
  }
}

TEST(Expression, ErrorsSayWhereAndWhat) {
  expect_error("", 0, "empty");
  expect_error("  \t", 0, "empty");
  expect_error("2*radisu", 2, "unknown name 'radisu' (did you mean 'radius'?)");
  expect_error("sni(x)", 0, "unknown function 'sni' (did you mean 'sin'?)");
  expect_error("sin + 1", 0, "needs arguments");
  expect_error("x(1 + 2)", 0, "x*(...)");
  expect_error("2*(x + 1", 2, "'(' without a ')'");
  expect_error("sin(x", 3, "'(' without a ')'");
  expect_error("x + 1)", 5, "')' without a '('");
  expect_error("x +", 3, "ends where a number");
  expect_error("x + * 2", 4, "'*' where a number");
  expect_error("2 x", 2, "'x' where an operator");
  expect_error("2pi", 1, "'p' where an operator");
  expect_error("1.2.3", 3, "'.' where an operator");
  expect_error(".", 0, "not a number");
  expect_error("1e999", 0, "too large");
  expect_error("atan2(x)", 0, "atan2 takes 2 arguments, not 1");
  expect_error("sin()", 0, "sin takes 1 argument, not 0");
  expect_error("sin(x, x)", 0, "sin takes 1 argument, not 2");
  expect_error("min(x)", 0, "min takes 2 arguments or more, not 1");
  expect_error("x > 0 ? 1", 9, "the '?' at character 7 needs a ':'");
  expect_error("0 < x < 1", 6, "a < x && x < b");
  expect_error("x = 1", 2, "'=' where an operator");
  expect_error("(x, 1)", 2, "','");
  expect_error("x \xc2\xb2", 2, "unreadable character");
  expect_error(std::string("x\0y", 3), 1, "unreadable character");
}

TEST(Expression, WhatShowsThePlaceInTheFormula) {
  try {
    Expression("2*radisu", {}, {{"radius", 1}});
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown name 'radisu' (did you mean 'radius'?) (at character 3 of \"2*radisu\")");
  }
}

TEST(Expression, HostileInputIsRefusedNotFollowed) {
  const auto repeat = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string& text :
       {repeat("(", 9000), repeat("-", 9000), repeat("sin(", 2000), repeat("x^", 4000), repeat("1?", 4000),
        repeat("1?1:", 2000) + "1", repeat("!", 9000), repeat("x+", 6000),
        repeat("x+(", 90) + "1" + repeat(")", 90)}) {
    EXPECT_THROW(Expression(text, {"x"}), ExpressionError) << text.substr(0, 20);
  }
  const std::string sum = repeat("x+", 4000) + "1";  // long, but flat
  const double two[] = {2};
  EXPECT_EQ(Expression(sum, {"x"}).evaluate<double>(two), 8001);
}

/// Random text of the language's own characters must be compiled or refused, and what compiles must run.
TEST(Expression, RandomTextNeitherCrashesNorHangs) {
  const std::string pieces[] = {"x", "1",  "2.5", "(",   ")",  "+",    "-", "*", "/", "^",   "?", ":", ",",
                                "<", "&&", "sin", "min", "if", "step", " ", "e", "!", "pow", "|", "."};
  std::mt19937 engine(12);
  int compiled = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int length = 1 + int(engine() % 12); length > 0; --length)
      text += pieces[engine() % std::size(pieces)];
    try {
      const Jet2 x[] = {jet2_variable(0.5)};
      Expression(text, {"x"}).evaluate<Jet2>(x);
      ++compiled;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.position(), text.size()) << text;
    }
  }
  EXPECT_GT(compiled, 100);
}

}  // namespace
}  // namespace hooke
