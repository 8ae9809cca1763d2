#include "hooke/catalog/block_settings.h"

#include <limits>

#include "hooke/catalog/control_builder.h"

namespace hooke {
namespace {

using Slot = Network::Slot;
constexpr double infinite = std::numeric_limits<double>::infinity();

Slot input_of(const Formula& formula, const std::string& block, const char* key, ControlBuilder& to) {
  return to.formula(formula.text, formatted("control.{}.{}", block, key));
}

void check_limits(const std::array<double, 2>& limits, const Complain& complain) {
  if (!(limits[0] < limits[1])) complain("limits", "the first must be smaller than the second");
}

/// sum of coefficient * argument
SignalFunction linear(std::vector<double> coefficients) {
  return [c = std::move(coefficients)](std::span<const double> x, std::span<double> slope) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += c[i] * x[i];
    std::copy_n(c.begin(), slope.size(), slope.begin());
    return sum;
  };
}

std::vector<double> row_of(const std::vector<std::vector<double>>& matrix, std::size_t row,
                           std::size_t columns) {
  return row < matrix.size() ? matrix[row] : std::vector<double>(columns, 0.0);
}

}  // namespace

void IntegratorBlock::check(const Complain& complain) const {
  if (limits) check_limits(*limits, complain);
}

void IntegratorBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot z = to.state(block, start, of.size), u = input_of(input, block, name, to);
  to.let_set(block, z);
  const Parameters numbers{
      {"gain", gain}, {"low", limits ? (*limits)[0] : -infinite}, {"high", limits ? (*limits)[1] : infinite}};
  to.set_rate(z, to.formula(block + "'",
                            limits ? "if((z >= high && gain*u > 0) || (z <= low && gain*u < 0), 0, gain*u)"
                                   : "gain*u",
                            {{"z", z}, {"u", u}}, numbers));
  to.define(block, limits ? to.formula(block, "clamp(z, low, high)", {{"z", z}}, numbers) : z);
}

void PidBlock::check(const Complain& complain) const {
  if (limits) check_limits(*limits, complain);
  if (kd != 0 && !every && filter && *filter == 0)
    complain("filter", "must be positive: a derivative without a filter has no value in continuous time");
}

void PidBlock::add_block(const std::string& block, ControlBuilder& to) const {
  every ? add_sampled(block, to) : add_continuous(block, to);
}

///   u = clamp(kp e + I + kd D),   I' = ki e + (u - unlimited)/tracking,   x' = D = (e - x)/filter
void PidBlock::add_continuous(const std::string& block, ControlBuilder& to) const {
  const Slot e = input_of(input, block, name, to);
  const Parameters numbers{{"kp", kp},
                           {"ki", ki},
                           {"kd", kd},
                           {"filter", filter.value_or(0.01)},
                           {"tracking", tracking.value_or(0.1)},
                           {"low", limits ? (*limits)[0] : 0},
                           {"high", limits ? (*limits)[1] : 0}};
  ControlBuilder::Slots parts{{"e", e}};
  std::string sum = "kp*e";
  Slot integral, follower;
  if (ki != 0) {
    integral = to.state(block + ".integral", start, of.size);
    parts.emplace_back("I", integral);
    sum += " + I";
  }
  if (kd != 0) {
    follower = to.state_from(block + ".filter", e, of.size);
    const Slot rate =
        to.formula(block + ".derivative", "(e - x)/filter", {{"e", e}, {"x", follower}}, numbers);
    to.set_rate(follower, rate);
    parts.emplace_back("D", rate);
    sum += " + kd*D";
  }
  const Slot unlimited = to.formula(block + ".unlimited", sum, parts, numbers);
  const Slot u = limits ? to.formula(block, "clamp(u, low, high)", {{"u", unlimited}}, numbers) : unlimited;
  if (ki != 0)
    to.set_rate(integral, to.formula(block + ".integral'", "ki*e + (u - unlimited)/tracking",
                                     {{"e", e}, {"u", u}, {"unlimited", unlimited}}, numbers));
  to.define(block, u);
}

///   u = clamp(kp e + I + ki T e + D),   D = (filter D_before + kd (e - e_before))/(filter + T)
void PidBlock::add_sampled(const std::string& block, ControlBuilder& to) const {
  const Slot e = input_of(input, block, name, to);
  const Slot integral = to.held(start), before = to.held(0), begun = to.held(0), derivative = to.held(0),
             output = to.held(0);
  const Parameters numbers{{"kp", kp},
                           {"ki", ki},
                           {"kd", kd},
                           {"T", *every},
                           {"filter", filter.value_or(0)},
                           {"tracking", tracking.value_or(0.1)},
                           {"low", limits ? (*limits)[0] : -infinite},
                           {"high", limits ? (*limits)[1] : infinite}};
  const Slot D = to.formula(block + ".derivative", "(filter*D + kd*begun*(e - before))/(filter + T)",
                            {{"D", derivative}, {"begun", begun}, {"e", e}, {"before", before}}, numbers);
  const Slot unlimited = to.formula(block + ".unlimited", "kp*e + I + ki*T*e + D",
                                    {{"e", e}, {"I", integral}, {"D", D}}, numbers);
  const Slot u = to.formula(block + ".now", "clamp(u, low, high)", {{"u", unlimited}}, numbers);
  const auto at_samples = [&](Slot held, Slot from, bool is_output) {
    to.sample(held, from, *every, 0, is_output);
  };
  at_samples(output, u, true);
  at_samples(integral,
             to.formula(block + ".integral", "I + ki*T*e + (u - unlimited)*T/tracking",
                        {{"I", integral}, {"e", e}, {"u", u}, {"unlimited", unlimited}}, numbers),
             false);
  at_samples(derivative, D, false);
  at_samples(before, e, false);
  at_samples(begun, to.formula(block + ".begun", "1", {}, {}), false);
  to.define(block, output);
}

void LowPassBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot z = to.state(block, start, of.size), u = input_of(input, block, name, to);
  to.let_set(block, z);
  to.set_rate(z, to.formula(block + "'", "(u - z)/time", {{"u", u}, {"z", z}}, {{"time", time}}));
  to.define(block, z);
}

void TransferFunctionBlock::check(const Complain& complain) const {
  if (denominator.empty() || denominator[0] == 0)
    complain("denominator", "its first coefficient must not be zero");
  if (numerator.empty() || numerator.size() > denominator.size())
    complain("numerator", "must have at least one coefficient, and no more than the denominator");
  if (denominator.size() > 32) complain("denominator", "has more than 32 coefficients");
}

/// The controllable form:  x_k' = x_(k+1),  x_n' = u - a_n x_1 - ... - a_1 x_n,  y = d u + sum (b - d a) x
void TransferFunctionBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot u = input_of(input, block, name, to);
  const std::size_t n = denominator.size() - 1;
  std::vector<double> a(n), b(n);
  std::vector<double> padded(denominator.size() - numerator.size(), 0.0);
  padded.insert(padded.end(), numerator.begin(), numerator.end());
  const double d = padded[0] / denominator[0];
  std::vector<Slot> x;
  for (std::size_t k = 0; k < n; ++k) {  // of x_1 first, which goes with the constant terms
    a[k] = denominator[n - k] / denominator[0];
    b[k] = padded[n - k] / denominator[0] - d * a[k];
    x.push_back(to.state(formatted("{}.x{}", block, k + 1), 0.0, of.size));
  }
  for (std::size_t k = 0; k + 1 < n; ++k) to.set_rate(x[k], x[k + 1]);
  std::vector<Slot> all = x;
  all.push_back(u);
  if (n > 0) {
    std::vector<double> last;
    for (double coefficient : a) last.push_back(-coefficient);
    last.push_back(1);
    to.set_rate(x.back(), to.signal(block + "'", all, linear(last)));
  }
  if (d == 0)
    all.pop_back();  // no way straight through
  else
    b.push_back(d);
  to.define(block, to.signal(block, all, linear(b)));
}

void StateSpaceBlock::check(const Complain& complain) const {
  const std::size_t n = A.size(), m = inputs.size(), p = static_cast<std::size_t>(outputs());
  const auto expect = [&](const char* key, const std::vector<std::vector<double>>& matrix, std::size_t rows,
                          std::size_t columns) {
    bool fits = matrix.size() == rows;
    for (const auto& row : matrix) fits &= row.size() == columns;
    if (!fits) complain(key, formatted("must have {} rows of {} numbers", rows, columns));
  };
  expect("A", A, n, n);
  expect("B", B, n, m);
  if (n > 0) expect("C", C, p, n);
  if (!D.empty()) expect("D", D, p, m);
  if (p == 0) complain("C", "gives the outputs: it or D is needed");
  if (!start.empty() && start.size() != n) complain("start", formatted("must have {} numbers", n));
  if (n + m > 32) complain("A", "states and inputs are more than 32 together");
}

void StateSpaceBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const std::size_t n = A.size(), m = inputs.size();
  std::vector<Slot> all, u;
  for (std::size_t i = 0; i < m; ++i)
    u.push_back(to.formula(inputs[i].text, formatted("control.{}.state-space[{}]", block, i)));
  for (std::size_t i = 0; i < n; ++i) {
    const double at_start = start.empty() ? 0 : start[i];
    all.push_back(every ? to.held(at_start) : to.state(formatted("{}.x{}", block, i + 1), at_start, of.size));
  }
  const std::vector<Slot> x = all;
  all.insert(all.end(), u.begin(), u.end());
  const auto row = [&](const std::string& what, std::vector<double> first,
                       const std::vector<double>& second) {
    std::vector<Slot> arguments = all;
    first.insert(first.end(), second.begin(), second.end());
    for (std::size_t i = first.size(); i-- > 0;)
      if (first[i] == 0) {  // what does not enter makes no loop
        first.erase(first.begin() + static_cast<std::ptrdiff_t>(i));
        arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
      }
    return to.signal(what, arguments, linear(first));
  };
  for (std::size_t k = 0; k < static_cast<std::size_t>(outputs()); ++k) {
    const std::string output = outputs() == 1 ? block : formatted("{}.{}", block, k + 1);
    Slot y = row(output, n ? C[k] : std::vector<double>{}, row_of(D, k, m));
    if (every) {
      const Slot held = to.held(0);
      to.sample(held, y, *every, 0, true);
      y = held;
    }
    to.define(output, y);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Slot next = row(formatted("{}.x{}'", block, i + 1), A[i], B[i]);
    every ? to.sample(x[i], next, *every, 0, false) : to.set_rate(x[i], next);
  }
}

void SaturationBlock::check(const Complain& complain) const { check_limits(limits, complain); }

void SaturationBlock::add_block(const std::string& block, ControlBuilder& to) const {
  to.define(block, to.formula(block, "clamp(u, low, high)", {{"u", input_of(input, block, name, to)}},
                              {{"low", limits[0]}, {"high", limits[1]}}));
}

void DeadZoneBlock::check(const Complain& complain) const { check_limits(limits, complain); }

void DeadZoneBlock::add_block(const std::string& block, ControlBuilder& to) const {
  to.define(block, to.formula(block, "u - clamp(u, low, high)", {{"u", input_of(input, block, name, to)}},
                              {{"low", limits[0]}, {"high", limits[1]}}));
}

void RateLimiterBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot z = to.state(block, start, of.size), u = input_of(input, block, name, to);
  to.let_set(block, z);
  to.set_rate(z, to.formula(block + "'", "clamp((u - z)/time, -down, up)", {{"u", u}, {"z", z}},
                            {{"time", time}, {"up", rate}, {"down", falling.value_or(rate)}}));
  to.define(block, z);
}

void LookUpBlock::check(const Complain& complain) const {
  if (function.signal_formula())
    complain("function", "is a function of the input alone; signals go into 'look-up'");
}

void LookUpBlock::add_block(const std::string& block, ControlBuilder& to) const {
  to.define(block, to.signal(block, {input_of(input, block, name, to)},
                             [f = function](std::span<const double> x, std::span<double> slope) {
                               const Sample y = f(x[0]);
                               if (!slope.empty()) slope[0] = y.d1;
                               return y.value;
                             }));
}

void LookUp2Block::check(const Complain& complain) const {
  const auto increases = [&](const char* key, const std::vector<double>& grid) {
    if (grid.size() < 2 || std::adjacent_find(grid.begin(), grid.end(), std::greater_equal<>()) != grid.end())
      complain(key, "must be two numbers or more that increase");
  };
  increases("x", x);
  increases("y", y);
  bool fits = values.size() == x.size();
  for (const auto& row : values) fits &= row.size() == y.size();
  if (!fits) complain("values", formatted("must have {} rows of {} numbers", x.size(), y.size()));
}

void LookUp2Block::add_block(const std::string& block, ControlBuilder& to) const {
  const auto bilinear = [x = x, y = y, values = values](std::span<const double> in, std::span<double> slope) {
    struct Place {
      std::size_t i;
      double part, width;
      bool inside;
    };
    const auto place = [](const std::vector<double>& grid, double at) {
      const double within = std::clamp(at, grid.front(), grid.back());
      auto next = std::upper_bound(grid.begin() + 1, grid.end() - 1, within);
      const auto i = static_cast<std::size_t>(next - grid.begin()) - 1;
      const double width = grid[i + 1] - grid[i];
      return Place{i, (within - grid[i]) / width, width, at == within};
    };
    const Place p = place(x, in[0]), q = place(y, in[1]);
    const double a = values[p.i][q.i], b = values[p.i + 1][q.i], c = values[p.i][q.i + 1],
                 d = values[p.i + 1][q.i + 1];
    const double low = a + p.part * (b - a), high = c + p.part * (d - c);
    if (!slope.empty()) {
      slope[0] = p.inside ? ((1 - q.part) * (b - a) + q.part * (d - c)) / p.width : 0;
      slope[1] = q.inside ? (high - low) / q.width : 0;
    }
    return low + q.part * (high - low);
  };
  const auto at = [&](std::size_t k) {
    return to.formula(inputs[k].text, formatted("control.{}.look-up-2d[{}]", block, k));
  };
  to.define(block, to.signal(block, {at(0), at(1)}, bilinear));
}

void ParameterBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot held = to.held(value);
  to.let_set(block, held);
  to.controls().let_world_set(block, held);
  to.define(block, held);
}

void HysteresisBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot u = input_of(input, block, name, to), is_on = to.held(0);
  const Slot one = to.formula(block + ".on", "1", {}, {}), zero = to.formula(block + ".off", "0", {}, {});
  using Action = Controls::Action;
  const auto event = [&](double level, int direction, Slot becomes) {
    to.controls().add(Controls::Event{
        .name = "",
        .indicator = to.formula(block + ".level", "u - level", {{"u", u}}, {{"level", level}}),
        .direction = direction,
        .actions = {{.kind = Action::Kind::set_held, .number = is_on.number, .value = becomes}}});
  };
  event(on, 1, one);
  event(off, -1, zero);
  to.controls().begin_with(is_on, to.formula(block + ".start", "u >= level", {{"u", u}}, {{"level", on}}));
  to.define(block,
            to.formula(block, "a + is_on*(b - a)", {{"is_on", is_on}}, {{"a", values[0]}, {"b", values[1]}}));
}

void DelayBlock::add_block(const std::string& block, ControlBuilder& to) const {
  to.define(block, to.controls().add_delay(input_of(input, block, name, to), time, start));
}

void SampleBlock::add_block(const std::string& block, ControlBuilder& to) const {
  const Slot held = to.held(start);
  to.sample(held, input_of(input, block, name, to), every, offset, true);
  to.define(block, held);
}

}  // namespace hooke
