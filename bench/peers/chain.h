#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// The chain of bench/chain.cpp as other programs see it: links of 1 m, 1 kg and 1 kg m2 about their centres
/// on spherical joints, straight along x at rest, gravity -9.81 along y, 10 s. Each program here prints lines
///   program | setting | n | wall seconds | largest |E - E(0)| over outputs every 0.05 s / largest kinetic
///   energy | x y z of the last link's centre at 5 s
namespace chain {

constexpr double end = 10, output = 0.05, gravity = 9.81, look = 5;
using Place = std::array<double, 3>;

inline std::vector<int> sizes(int argc, char** argv) {
  std::vector<int> n;
  for (int i = 1; i < argc; ++i) n.push_back(std::atoi(argv[i]));
  return n.empty() ? std::vector<int>{8, 128, 512, 1024} : n;
}

inline void print(const char* program, const char* setting, int n, double wall, double drift,
                  const Place& at) {
  std::printf("%s | %s | %d | %.4g | %.2g | %.15g %.15g %.15g\n", program, setting, n, wall, drift, at[0],
              at[1], at[2]);
  std::fflush(stdout);
}

/// Runs `advance(t)` to each output time; `energies` gives {kinetic, potential}, `last` the place of the last
/// link's centre. Looking is not timed.
template <class Advance, class Energies, class Last>
void measure(const char* program, const char* setting, int n, Advance&& advance, Energies&& energies,
             Last&& last) {
  double wall = 0, drift = 0, kinetic = 0;
  Place place{NAN, NAN, NAN};
  const auto [k0, p0] = energies();
  const int outputs = static_cast<int>(std::lround(end / output));
  for (int i = 1; i <= outputs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const bool good = advance(i * output);
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto [k, p] = energies();
    if (std::abs(i * output - look) < 1e-9) place = last();
    drift = std::max(drift, std::abs(k + p - k0 - p0)), kinetic = std::max(kinetic, k);
    if (!good || !std::isfinite(k + p)) drift = INFINITY;
    if (wall > 20) drift = INFINITY;  // not worth waiting for
    if (drift > kinetic) break;
  }
  print(program, setting, n, wall, drift / kinetic, place);
}

}  // namespace chain
