#include "hooke/math/function.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

/// Of the table repeated so often to both sides that its ends are not felt: what is felt of them falls to a quarter
/// from point to point.
std::vector<double> periodic_curvatures(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr std::size_t enough = 40;
  if (y.front() != y.back())
    throw Error(ExitCode::bad_model,
                formatted("a periodic table must end with the value it begins with: {:.10g} is not {:.10g}",
                          y.back(), y.front()));
  const std::size_t pieces = x.size() - 1, times = enough / pieces + 1;
  const double period = x.back() - x.front();
  std::vector<double> long_x, long_y;
  for (std::size_t k = 0; k < (2 * times + 1) * pieces + 1; ++k) {
    long_x.push_back(x[k % pieces] + period * (double(k / pieces) - double(times)));
    long_y.push_back(y[k % pieces]);
  }
  const std::vector<double> all = curvatures(long_x, long_y, {});
  const auto first = all.begin() + std::ptrdiff_t(times * pieces);
  std::vector<double> m(first, first + std::ptrdiff_t(pieces + 1));
  m.back() = m.front();
  return m;
}

}  // namespace

Spline::Spline(std::vector<double> x, std::vector<double> y, const Ends& ends)
    : x_(std::move(x)), y_(std::move(y)), ends_(ends) {
  check_points(x_, y_);
  curvature_ = ends.beyond == Beyond::periodic ? periodic_curvatures(x_, y_) : curvatures(x_, y_, ends);
}

double Spline::slope(std::size_t i) const {
  const double h = x_[i + 1] - x_[i];
  return (y_[i + 1] - y_[i]) / h - h * (2 * curvature_[i] + curvature_[i + 1]) / 6;
}

Sample Spline::outside(double x) const {
  const std::size_t last = x_.size() - 1;
  const bool is_before = x < x_.front();
  const double at = is_before ? x_.front() : x_.back(), value = is_before ? y_.front() : y_.back();
  if (ends_.beyond == Beyond::hold) return {value, 0, 0};
  if (ends_.beyond == Beyond::refuse) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  const double end_slope =
      is_before ? slope(0)
                : slope(last - 1) + (x_[last] - x_[last - 1]) * (curvature_[last - 1] + curvature_[last]) / 2;
  return {value + end_slope * (x - at), end_slope, 0};
}

Sample Spline::operator()(double x) const {
  if (ends_.beyond == Beyond::periodic) {
    const double period = x_.back() - x_.front();
    x -= period * std::floor((x - x_.front()) / period);
  }
  if (x < x_.front() || x > x_.back()) return outside(x);
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

Function Function::of_signals(std::string formula) {
  return Function(Kind(OfSignals{std::make_shared<const std::string>(std::move(formula))}));
}

const std::string* Function::signal_formula() const {
  const auto* signals = std::get_if<OfSignals>(&kind_);
  return signals ? signals->formula.get() : nullptr;
}

Sample Function::OfSignals::operator()(double) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown, unknown};
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
  Formula formula{std::make_shared<const Expression>(text, names, parameters), true};
  formula.stores = !formula.expression->depends_on(2) && std::isfinite(formula.elastic(0));
  return Law(Kind(std::move(formula)));
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
  const Sample e = spring(x - free), d = viscous(v);
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

double Law::elastic(double x) const {
  return std::visit([x](const auto& kind) { return kind.elastic(x); }, kind_);
}

double Law::potential(double x) const {
  return std::visit([x](const auto& kind) { return kind.potential(x); }, kind_);
}

double Law::SpringDamper::potential(double x) const {
  return (preload + 0.5 * stiffness * (x - free)) * (x - free);
}

double Law::Functions::potential(double x) const {
  return integral([this](double e) { return spring(e).value; }, 0, x - free);
}

double Law::Formula::elastic(double x) const {
  if (!stores) return 0;
  const std::array<double, 6> arguments{x, 0, 0, x, 0, x};
  return expression->evaluate<double>(arguments);
}

double Law::Formula::potential(double x) const {
  return stores ? integral([this](double s) { return elastic(s); }, 0, x) : 0;
}

// ---- where they are not finite ------------------------------------------------------------------

namespace {

const char* in_words(double value) { return std::isnan(value) ? "is not a number" : "is infinite"; }

std::string unit_of(std::string_view variable) { return variable == "t" ? " s" : ""; }

}  // namespace

std::string Function::not_finite(double x, const char* variable, int derivatives) const {
  const auto* sum = std::get_if<Sum>(&kind_);
  if (sum)
    for (const Function& term : *sum->terms)
      if (std::string text = term.not_finite(x, variable, derivatives); !text.empty()) return text;
  const Sample sample = (*this)(x);
  const auto* formula = std::get_if<Formula>(&kind_);
  const auto* table = std::get_if<Table>(&kind_);
  const std::string what = formula ? formula->expression->text()
                           : table ? formatted("the table from {:.10g} to {:.10g}",
                                               table->spline->x().front(), table->spline->x().back())
                                   : std::string("the function");
  const std::array values{sample.value, sample.d1, sample.d2};
  const std::array parts{what, "the rate of change of " + what, "the second derivative of " + what};
  for (int i = 0; i <= derivatives; ++i)
    if (!std::isfinite(values[i]))
      return formatted("{} {} at {} = {:.10g}{}", parts[i], in_words(values[i]), variable, x,
                       unit_of(variable));
  return {};
}

std::optional<NotFinite> Law::not_finite(const LawInput& at, bool with_derivatives) const {
  if (const auto* functions = std::get_if<Functions>(&kind_)) {
    const auto look = [&](const char* key, const Function& function, double value, const char* variable,
                          int derivatives) -> std::optional<NotFinite> {
      std::string text = function.not_finite(value, variable, derivatives);
      if (text.empty()) return {};
      return NotFinite{key, std::move(text)};
    };
    if (auto found = look("elastic", functions->spring, at.x - functions->free, "x", with_derivatives))
      return found;
    if (auto found = look("viscous", functions->viscous, at.v, "v", with_derivatives)) return found;
    return look("active", functions->active, at.t, "t", 0);
  }
  const LawSample sample = (*this)(at.x, at.v, at.t);
  const auto* formula = std::get_if<Formula>(&kind_);
  const std::string what = formula ? formula->expression->text() : std::string("the law");
  const auto found = [&](const std::string& part, double value) {
    return NotFinite{"law", formatted("{} {} at x = {:.10g}, v = {:.10g}, t = {:.10g} s", part,
                                      in_words(value), at.x, at.v, at.t)};
  };
  if (!std::isfinite(sample.force)) return found(what, sample.force);
  if (!with_derivatives) return {};
  if (!std::isfinite(sample.d_x)) return found("the derivative by x of " + what, sample.d_x);
  if (!std::isfinite(sample.d_v)) return found("the derivative by v of " + what, sample.d_v);
  return {};
}

}  // namespace hooke
