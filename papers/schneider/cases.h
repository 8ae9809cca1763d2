#pragma once
#include "papers/schneider/two_masses.h"
#include "validation/report.h"

/// The sections of docs/papers/schneider.md.
namespace hooke::schneider {

using validation::Report;

void orders(Report& report);
void participants(Report& report);
void zero_stability_section(Report& report);
void maps(Report& report);
void prediction(Report& report);
void small_system(Report& report);
void cable(Report& report);

inline const char* in_words(Forces forces) { return forces == Forces::exact ? "exact" : "approximate"; }
inline const char* degree_in_words(int degree) {
  static const char* const words[] = {"constant", "linear", "quadratic", "cubic"};
  return words[degree];
}

/// n values from a to b, in equal ratios.
inline std::vector<double> spread(double a, double b, int n) {
  std::vector<double> values;
  for (int k = 0; k < n; ++k) values.push_back(a * std::pow(b / a, k / (n - 1.0)));
  return values;
}

}  // namespace hooke::schneider
