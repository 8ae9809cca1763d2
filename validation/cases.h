#pragma once
#include <fmt/ranges.h>

#include "support/reference.h"
#include "support/trajectory.h"
#include "validation/report.h"

/// The sections of docs/validation.md, one file each, and what they share.
namespace hooke::validation {

void heavy_top(Report& report);
void andrews(Report& report);
void reference_curves(Report& report);
void iftomm(Report& report);
void conservation(Report& report);
void orders(Report& report);
void flexible(Report& report);
void flexible_bodies(Report& report);
void spinning(Report& report);
void one_table(Report& report);
void contact(Report& report);

using Overrides = std::vector<std::string>;

/// How a model is integrated: the words of the first columns of a table, and the same for the program.
struct Method {
  std::string name, setting;
  Overrides overrides;
};

inline Method generalized_alpha(double rho, double step) {
  return {
      fmt::format("generalized-alpha, rho {:g}", rho),
      fmt::format("h = {:g} s", step),
      {fmt::format("run.integrator={{generalized-alpha: {:g}}}", rho), fmt::format("run.step={:g}", step)}};
}
inline Method generalized_alpha_varying(double rho, double tolerance, double first_step) {
  return {fmt::format("generalized-alpha, rho {:g}", rho),
          fmt::format("tolerance {:g}", tolerance),
          {fmt::format("run.integrator={{generalized-alpha: {:g}}}", rho),
           fmt::format("run.step={:g}", first_step), fmt::format("run.tolerance={:g}", tolerance)}};
}
inline Method fixed(const std::string& integrator, double step) {
  return {integrator,
          fmt::format("h = {:g} s", step),
          {"run.integrator=" + integrator, fmt::format("run.step={:g}", step)}};
}
inline Method dormand_prince(double tolerance, double first_step) {
  return {"dormand-prince",
          fmt::format("tolerance {:g}", tolerance),
          {"run.integrator=dormand-prince", fmt::format("run.step={:g}", first_step),
           fmt::format("run.tolerance={:g}", tolerance)}};
}

/// A run that reaches its end; without it there is no case, and its part of the page says why.
class Trajectory : public test::Trajectory {
 public:
  explicit Trajectory(Problem problem) : test::Trajectory(std::move(problem)) { check("a model"); }
  Trajectory(const std::string& model, const Overrides& overrides) : test::Trajectory(model, overrides) {
    check(fmt::format("{} with {}", model, fmt::join(overrides, ", ")));
  }

 private:
  void check(const std::string& what) const {
    if (summary().status != RunStatus::finished)
      throw std::runtime_error(fmt::format("{} {} at t = {:.6g} s: {}", what, to_word(summary().status),
                                           summary().end, summary().failure));
  }
};

/// A run, and the least CPU time of a few when it is short.
struct Run {
  Trajectory trajectory;
  double cpu_time;
};

inline Run run(const std::string& model, const Method& method, Overrides more = {}) {
  more.insert(more.end(), method.overrides.begin(), method.overrides.end());
  Run result{Trajectory(model, more), 0};
  result.cpu_time = result.trajectory.cpu_time();
  for (int i = 0; i < 2 && result.cpu_time < 0.3; ++i)
    result.cpu_time = std::min(result.cpu_time, Trajectory(model, more).cpu_time());
  return result;
}

/// "3000 (2 rejected)"
inline std::string steps(const Summary& summary) {
  const MarchTotals& totals = summary.totals;
  return totals.rejected ? fmt::format("{} ({} rejected)", totals.steps, totals.rejected)
                         : fmt::format("{}", totals.steps);
}

/// log2 of the ratio of two errors, "-" for the first of a row.
inline std::string order_of(double coarse, double fine) {
  return coarse > 0 && fine > 0 ? fmt::format("{:.2f}", std::log2(coarse / fine)) : "";
}

}  // namespace hooke::validation
