#pragma once
#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// What results are compared with: curves made by other codes (tests/data/reference) and equations of motion
/// with one degree of freedom, solved here to round-off.
namespace hooke::test {

/// A CSV file with a line of names; table["theta"] is a column.
class ReferenceTable {
 public:
  explicit ReferenceTable(const std::string& name) {
    const std::string path = std::string(HOOKE_ROOT) + "/tests/data/reference/" + name;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
    names_ = cells(line);
    columns_.resize(names_.size());
    while (std::getline(file, line)) {
      const auto row = cells(line);
      for (std::size_t i = 0; i < names_.size(); ++i) columns_[i].push_back(std::stod(row.at(i)));
    }
  }

  const std::vector<double>& operator[](const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw std::runtime_error("no column " + name);
    return columns_[static_cast<std::size_t>(found - names_.begin())];
  }
  std::size_t rows() const { return columns_.front().size(); }

 private:
  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) result.push_back(cell);
    return result;
  }
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

/// phi and phi' at a time.
using Pendulum = std::array<double, 2>;

/// phi'' = acceleration(phi), integrated by the classical Runge-Kutta method. 1e-4 s is exact to about 1e-11
/// for anything that swings once in a second or two (halving it changes no digit that matters).
inline std::vector<Pendulum> solve_pendulum(const std::function<double(double)>& acceleration, Pendulum start,
                                            const std::vector<double>& times, double step = 1e-4) {
  std::vector<Pendulum> result;
  Pendulum y = start;
  double t = times.front();
  for (double end : times) {
    const int n = std::max(1, static_cast<int>((end - t) / step + 0.5));
    const double h = (end - t) / n;
    for (int i = 0; i < n; ++i) {
      const auto rate = [&](const Pendulum& p, const Pendulum& k, double w) {
        return Pendulum{p[1] + w * k[1], acceleration(p[0] + w * k[0])};
      };
      const Pendulum k1 = rate(y, {}, 0), k2 = rate(y, k1, h / 2), k3 = rate(y, k2, h / 2),
                     k4 = rate(y, k3, h);
      for (int j : {0, 1}) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    t = end;
    result.push_back(y);
  }
  return result;
}

}  // namespace hooke::test
