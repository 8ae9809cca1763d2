#include "hooke/math/function.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hooke/base/error.h"
#include "hooke/math/quadrature.h"

namespace hooke {

// ---- spline -------------------------------------------------------------------------------------

namespace {

void check_points(const std::vector<double>& x, const std::vector<double>& y) {
  const auto complain = [](const std::string& message) { throw Error(ExitCode::bad_model, message); };
  if (x.size() != y.size())
    complain(formatted("a table needs as many y as x, not {} and {}", y.size(), x.size()));
  if (x.size() < 2) complain(formatted("a table needs at least two rows, not {}", x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      complain(formatted("row {}: ({}, {}) is not finite", i + 1, x[i], y[i]));
    if (i > 0 && !(x[i] > x[i - 1]))
      complain(formatted("row {}: x = {} must be larger than {} in the row before", i + 1, x[i], x[i - 1]));
  }
}

/// Second derivatives m at the points, from  h_l m_l + 2 (h_l + h_r) m + h_r m_r = 6 (s_r - s_l)  with the
/// chords' slopes s; at a clamped end the missing chord has the given slope and no length, at a natural end
/// m = 0. Tridiagonal and diagonally dominant: eliminated without pivoting.
std::vector<double> curvatures(const std::vector<double>& x, const std::vector<double>& y,
                               const Spline::Ends& ends) {
  const std::size_t last = x.size() - 1;
  const auto chord = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  std::vector<double> m(x.size(), 0), upper(x.size(), 0);
  for (std::size_t i = 0; i <= last; ++i) {
    if ((i == 0 || i == last) && !ends.clamped) continue;
    const double left = i > 0 ? x[i] - x[i - 1] : 0, right = i < last ? x[i + 1] - x[i] : 0;
    const double slope_left = i > 0 ? chord(i - 1) : ends.first_slope;
    const double slope_right = i < last ? chord(i) : ends.last_slope;
    const double pivot = 2 * (left + right) - (i > 0 ? left * upper[i - 1] : 0);
    upper[i] = right / pivot;
    m[i] = (6 * (slope_right - slope_left) - (i > 0 ? left * m[i - 1] : 0)) / pivot;
  }
  for (std::size_t i = last; i-- > 0;) m[i] -= upper[i] * m[i + 1];
  return m;
}

}  // namespace

Spline::Spline(std::vector<double> x, std::vector<double> y, const Ends& ends)
    : x_(std::move(x)), y_(std::move(y)), ends_(ends) {
  check_points(x_, y_);
  curvature_ = curvatures(x_, y_, ends);
}

double Spline::slope(std::size_t i) const {
  const double h = x_[i + 1] - x_[i];
  return (y_[i + 1] - y_[i]) / h - h * (2 * curvature_[i] + curvature_[i + 1]) / 6;
}

Sample Spline::operator()(double x) const {
  if (x < x_.front()) return {y_.front() + slope(0) * (x - x_.front()), slope(0), 0};
  const std::size_t last = x_.size() - 1;
  if (x > x_[last]) {
    const double end_slope =
        slope(last - 1) + (x_[last] - x_[last - 1]) * (curvature_[last - 1] + curvature_[last]) / 2;
    return {y_[last] + end_slope * (x - x_[last]), end_slope, 0};
  }
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const std::size_t i = std::size_t(above - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], u = x - x_[i];
  const double m = curvature_[i], dm = (curvature_[i + 1] - m) / h, s = slope(i);
  return {y_[i] + u * (s + u * (m / 2 + u * dm / 6)), s + u * (m + u * dm / 2), m + u * dm};
}

// ---- functions ----------------------------------------------------------------------------------

namespace {
Sample sample(const Jet2& y) { return {y.value.value, y.value.d[0], y.d[0].d[0]}; }
}  // namespace

Function Function::polynomial(std::vector<double> ascending_coefficients) {
  return Function(
      Kind(Polynomial{std::make_shared<const std::vector<double>>(std::move(ascending_coefficients))}));
}

Function Function::smooth_step(double x0, double y0, double x1, double y1) {
  if (!(x1 > x0))
    throw Error(ExitCode::bad_model, formatted("a step must end after it starts, not {} to {}", x0, x1));
  return Function(Kind(SmoothStep{x0, y0, x1, y1}));
}

Function Function::harmonic(double amplitude, double omega, double phase, double offset) {
  return Function(Kind(Harmonic{amplitude, omega, phase, offset}));
}

Function Function::sum(std::vector<Function> terms) {
  return Function(Kind(Sum{std::make_shared<const std::vector<Function>>(std::move(terms))}));
}

Function Function::spline(std::vector<double> x, std::vector<double> y, const Spline::Ends& ends) {
  return Function(Kind(Table{std::make_shared<const Spline>(std::move(x), std::move(y), ends)}));
}

Function Function::expression(std::string_view text, std::vector<std::string> variables,
                              const Parameters& parameters) {
  const int count = int(variables.size());
  if (count > max_names) throw Error(ExitCode::internal, "a variable of a formula has too many names");
  return Function(Kind(Formula{std::make_shared<const Expression>(text, std::move(variables), parameters)}));
}

Function Function::of(std::function<Sample(double)> code) {
  return Function(Kind(Code{std::make_shared<const std::function<Sample(double)>>(std::move(code)), false}));
}

Function Function::by_differences(std::function<double(double)> code) {
  const auto sampled = [f = std::move(code)](double x) {
    const double size = std::max(1.0, std::abs(x)), h1 = 6e-6 * size, h2 = 1e-4 * size, y = f(x);
    return Sample{y, (f(x + h1) - f(x - h1)) / (2 * h1), (f(x + h2) - 2 * y + f(x - h2)) / (h2 * h2)};
  };
  return Function(Kind(Code{std::make_shared<const std::function<Sample(double)>>(sampled), true}));
}

bool Function::is_by_differences() const {
  const auto* code = std::get_if<Code>(&kind_);
  return code && code->by_differences;
}

Sample Function::operator()(double x) const {
  return std::visit([x](const auto& kind) { return kind(x); }, kind_);
}

Sample Function::Polynomial::operator()(double x) const {
  Sample s;
  for (auto c = coefficients->rbegin(); c != coefficients->rend(); ++c)  // Horner, on value and derivatives
    s = {s.value * x + *c, s.d1 * x + s.value, s.d2 * x + 2 * s.d1};
  return s;
}

Sample Function::SmoothStep::operator()(double x) const {
  const double length = x1 - x0, s = std::clamp((x - x0) / length, 0.0, 1.0), r = 1 - s, rise = y1 - y0;
  return {y0 + rise * s * s * s * (10 + s * (6 * s - 15)), rise * 30 * s * s * r * r / length,
          rise * 60 * s * r * (r - s) / (length * length)};
}

Sample Function::Harmonic::operator()(double x) const {
  const double angle = omega * x + phase, wave = amplitude * std::sin(angle);
  return {offset + wave, amplitude * omega * std::cos(angle), -omega * omega * wave};
}

Sample Function::Sum::operator()(double x) const {
  Sample total;
  for (const Function& term : *terms) {
    const Sample s = term(x);
    total = {total.value + s.value, total.d1 + s.d1, total.d2 + s.d2};
  }
  return total;
}

Sample Function::Formula::operator()(double x) const {
  std::array<Jet2, max_names> arguments;
  arguments.fill(jet2_variable(x));
  return sample(expression->evaluate<Jet2>(arguments));
}

// ---- force laws ---------------------------------------------------------------------------------

Law Law::spring_damper(double stiffness, double damping, double free, double preload) {
  return Law(Kind(SpringDamper{stiffness, damping, free, preload}));
}

Law Law::functions(Function elastic, Function viscous, Function active, double free) {
  return Law(Kind(Functions{std::move(elastic), std::move(viscous), std::move(active), free}));
}

Law Law::expression(std::string_view text, const Parameters& parameters) {
  const std::vector<std::string> names{"x", "v", "t", "length", "rate", "angle"};
  return Law(Kind(Formula{std::make_shared<const Expression>(text, names, parameters)}));
}

Law Law::of(std::function<LawSample(const LawInput&)> code) {
  return Law(
      Kind(Code{std::make_shared<const std::function<LawSample(const LawInput&)>>(std::move(code)), false}));
}

Law Law::by_differences(std::function<double(const LawInput&)> code) {
  const auto sampled = [f = std::move(code)](const LawInput& in) {
    const double hx = 6e-6 * std::max(1.0, std::abs(in.x)), hv = 6e-6 * std::max(1.0, std::abs(in.v));
    return LawSample{f(in), (f({in.x + hx, in.v, in.t}) - f({in.x - hx, in.v, in.t})) / (2 * hx),
                     (f({in.x, in.v + hv, in.t}) - f({in.x, in.v - hv, in.t})) / (2 * hv)};
  };
  return Law(Kind(Code{std::make_shared<const std::function<LawSample(const LawInput&)>>(sampled), true}));
}

bool Law::is_by_differences() const {
  const auto* code = std::get_if<Code>(&kind_);
  return code && code->by_differences;
}

LawSample Law::operator()(double x, double v, double t) const {
  return std::visit([=](const auto& kind) { return kind(x, v, t); }, kind_);
}

LawSample Law::SpringDamper::operator()(double x, double v, double) const {
  return {preload + stiffness * (x - free) + damping * v, stiffness, damping};
}

LawSample Law::Functions::operator()(double x, double v, double t) const {
  const Sample e = elastic(x - free), d = viscous(v);
  return {e.value + d.value + active(t).value, e.d1, d.d1};
}

LawSample Law::Formula::operator()(double x, double v, double t) const {
  const auto X = Jet1<2>::variable(x, 0), V = Jet1<2>::variable(v, 1);
  const std::array<Jet1<2>, 6> arguments{X, V, Jet1<2>(t), X, V, X};  // in the order of the names
  const Jet1<2> force = expression->evaluate<Jet1<2>>(arguments);
  return {force.value, force.d[0], force.d[1]};
}

namespace {

/// The Lobatto rule on [a, b], which has the ends among its points and so notices what begins just before b.
double lobatto(const auto& f, double a, double b) {
  constexpr auto& rule = gauss_lobatto<5>;
  double sum = 0;
  for (std::size_t i = 0; i < rule.points.size(); ++i)
    sum += rule.weights[i] * f(a + 0.5 * (b - a) * (1 + rule.points[i]));
  return 0.5 * (b - a) * sum;
}

/// Halved until both halves agree with the whole, at most `depth` times: a kink costs a few levels, and the
/// limit stops at noise.
double integral(const auto& f, double a, double b, double whole, double tolerance, int depth = 14) {
  const double middle = 0.5 * (a + b), left = lobatto(f, a, middle), right = lobatto(f, middle, b);
  if (depth == 0 || !(std::abs(left + right - whole) > tolerance))
    return left + right;  // also where it is nan
  return integral(f, a, middle, left, tolerance, depth - 1) +
         integral(f, middle, b, right, tolerance, depth - 1);
}

double integral(const auto& f, double a, double b) {
  const double size = std::abs(lobatto([&f](double x) { return std::abs(f(x)); }, a, b));
  return integral(f, a, b, lobatto(f, a, b), 1e-13 * size);
}

}  // namespace

double Law::potential(double x) const {
  return std::visit([x](const auto& kind) { return kind.potential(x); }, kind_);
}

double Law::stored(double x) const {
  return std::visit([x](const auto& kind) { return kind.stored(x); }, kind_);
}

double Law::SpringDamper::stored(double x) const { return preload + stiffness * (x - free); }

double Law::Functions::stored(double x) const { return elastic(x - free).value; }

double Law::Formula::stored(double x) const {
  if (expression->depends_on(2) || potential(x) == 0) return 0;
  const std::array<double, 6> arguments{x, 0, 0, x, 0, x};
  return expression->evaluate<double>(arguments);
}

double Law::SpringDamper::potential(double x) const {
  return (preload + 0.5 * stiffness * (x - free)) * (x - free);
}

double Law::Functions::potential(double x) const {
  return integral([this](double e) { return elastic(e).value; }, 0, x - free);
}

double Law::Formula::potential(double x) const {
  if (expression->depends_on(2)) return 0;  // t
  const double energy = integral(
      [this](double s) {
        const std::array<double, 6> arguments{s, 0, 0, s, 0, s};
        return expression->evaluate<double>(arguments);
      },
      0, x);
  return std::isfinite(energy) ? energy
                               : 0;  // a force without bound at 0, such as 1/x, has nothing to count from
}

}  // namespace hooke
