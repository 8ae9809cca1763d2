#include "hooke/control/network.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hooke {

Network::Slot Network::add_signal(std::string name) {
  signals_.push_back({std::move(name), {}, {}});
  return {Kind::signal, static_cast<int>(signals_.size()) - 1};
}

void Network::define(Slot signal, std::vector<Slot> arguments, SignalFunction function) {
  if (arguments.size() > static_cast<std::size_t>(Expression::max_arguments))
    throw Error(ExitCode::bad_model,
                "a signal of more than 32 others; add some of them up in a signal of their own");
  Signal& s = signals_[static_cast<std::size_t>(signal.number)];
  s.arguments = std::move(arguments);
  s.function = std::move(function);
}

/// Depth first; a signal met again on the way to itself closes a loop.
void Network::visit(int signal, std::vector<char>& mark, std::vector<int>& path,
                    std::vector<std::string>& loop) {
  enum : char { unseen, on_path, done };
  if (mark[signal] == done || !loop.empty()) return;
  path.push_back(signal);
  if (mark[signal] == on_path) {
    for (auto i = std::find(path.begin(), path.end(), signal); i != path.end(); ++i)
      loop.push_back(signals_[*i].name);
    return;
  }
  mark[signal] = on_path;
  for (const Slot& argument : signals_[signal].arguments)
    if (argument.kind == Kind::signal) visit(argument.number, mark, path, loop);
  mark[signal] = done;
  path.pop_back();
  order_.push_back(signal);
}

std::vector<std::string> Network::finish() {
  std::vector<char> mark(signals_.size(), 0);
  std::vector<int> path;
  std::vector<std::string> loop;
  order_.clear();
  for (int s = 0; s < static_cast<int>(signals_.size()); ++s) visit(s, mark, path, loop);
  if (!loop.empty()) return loop;
  const int first = size() - static_cast<int>(signals_.size());
  place_.resize(signals_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = first + static_cast<int>(i);
  for (Signal& s : signals_) {
    s.argument_places.clear();
    for (const Slot& argument : s.arguments) s.argument_places.push_back(at(argument));
  }
  return {};
}

int Network::at(Slot slot) const {
  switch (slot.kind) {
    case Kind::time:
      return 0;
    case Kind::measure:
      return 1 + slot.number;
    case Kind::state:
      return 1 + measures_ + slot.number;
    case Kind::held:
      return 1 + measures_ + states_ + slot.number;
    case Kind::solved:
      return 1 + measures_ + states_ + held() + slot.number;
    case Kind::signal:
      break;
  }
  return place_[static_cast<std::size_t>(slot.number)];
}

std::vector<int> Network::used(Slot slot, Kind kind) const {
  if (slot.kind == kind) return {slot.number};
  std::vector<int> all;
  if (slot.kind == Kind::signal)
    for (const Slot& argument : signals_[static_cast<std::size_t>(slot.number)].arguments)
      for (int number : used(argument, kind)) all.push_back(number);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<int> Network::sources(Slot slot) const {
  std::vector<int> all;
  for (const Kind kind : {Kind::measure, Kind::state})
    for (int number : used(slot, kind)) all.push_back(at({kind, number}));
  return all;
}

void Network::evaluate(std::span<double> values) const {
  std::array<double, Expression::max_arguments> arguments;
  for (int s : order_) {
    const Signal& signal = signals_[s];
    const std::size_t n = signal.argument_places.size();
    for (std::size_t i = 0; i < n; ++i) arguments[i] = values[signal.argument_places[i]];
    values[place_[s]] = signal.function({arguments.data(), n}, {});
  }
}

void Network::differentiate(std::span<double> values, std::span<double> gradients) const {
  std::array<double, Expression::max_arguments> arguments, slopes;
  const int width = source_count();
  std::fill(gradients.begin(), gradients.end(), 0.0);
  for (int source = 0; source < width; ++source) gradients[(1 + source) * width + source] = 1;
  for (int s : order_) {
    const Signal& signal = signals_[s];
    const std::size_t n = signal.argument_places.size();
    for (std::size_t i = 0; i < n; ++i) arguments[i] = values[signal.argument_places[i]];
    values[place_[s]] = signal.function({arguments.data(), n}, {slopes.data(), n});
    double* row = gradients.data() + place_[s] * width;  // there may be none
    for (std::size_t i = 0; i < n; ++i) {
      if (slopes[i] == 0) continue;
      const double* inner = gradients.data() + signal.argument_places[i] * width;
      for (int k = 0; k < width; ++k) row[k] += slopes[i] * inner[k];
    }
  }
}

void Network::follow(std::span<double> values, std::span<double> changes) const {
  std::array<double, Expression::max_arguments> arguments, slopes;
  for (int s : order_) {
    const Signal& signal = signals_[s];
    const std::size_t n = signal.argument_places.size();
    for (std::size_t i = 0; i < n; ++i) arguments[i] = values[signal.argument_places[i]];
    values[place_[s]] = signal.function({arguments.data(), n}, {slopes.data(), n});
    double& change = changes[place_[s]] = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (slopes[i] != 0) change += slopes[i] * changes[signal.argument_places[i]];
  }
}

SignalFunction formula_function(std::shared_ptr<const Expression> formula) {
  return [formula = std::move(formula)](std::span<const double> x, std::span<double> gradient) {
    return gradient.empty() ? formula->evaluate<double>(x) : formula->evaluate(x, gradient);
  };
}

SignalFunction by_differences(std::function<double(std::span<const double>)> code) {
  return [code = std::move(code)](std::span<const double> x, std::span<double> gradient) {
    std::array<double, Expression::max_arguments> at;
    std::copy(x.begin(), x.end(), at.begin());
    const std::span<const double> there(at.data(), x.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double h = 6e-6 * std::max(1.0, std::abs(x[i]));
      at[i] = x[i] + h;
      const double above = code(there);
      at[i] = x[i] - h;
      gradient[i] = (above - code(there)) / (2 * h);
      at[i] = x[i];
    }
    return code(x);
  };
}

}  // namespace hooke
