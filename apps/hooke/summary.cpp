#include "summary.h"

#include "hooke/base/format.h"

namespace hooke::program {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string seconds(double time) { return formatted("{:.3g} s", time); }

void add_size(const Summary& s, Rows& rows) {
  if (s.bodies == 0) return rows.push_back({"coordinates", std::to_string(s.coordinates)});
  rows.push_back({"bodies", std::to_string(s.bodies)});
  rows.push_back({"joints", std::to_string(s.joints)});
  if (s.forces) rows.push_back({"forces", std::to_string(s.forces)});
  std::string equations = count(s.constraint_rows, "constraint", "constraints");
  if (s.redundant_rows) equations += formatted(", {} of them redundant", s.redundant_rows);
  rows.push_back({"degrees of freedom",
                  formatted("{} ({} coordinates, {})", s.degrees_of_freedom, s.coordinates, equations)});
  if (s.control_states) rows.push_back({"control states", std::to_string(s.control_states)});
}

void add_steps(const Summary& s, Rows& rows) {
  const MarchTotals& totals = s.totals;
  rows.push_back({"method", formatted("{}, solver {}", s.integrator, s.solver)});
  if (totals.steps == 0) {
    if (totals.iterations) rows.push_back({"Newton iterations", std::to_string(totals.iterations)});
    return;
  }
  rows.push_back(
      {"simulated", s.start == 0 ? seconds(s.end) : formatted("{} to {}", seconds(s.start), seconds(s.end))});
  rows.push_back({"steps", formatted("{} ({} rejected)", totals.steps, totals.rejected)});
  if (totals.iterations == 0) return;
  const double per_step = static_cast<double>(totals.iterations) / static_cast<double>(totals.steps);
  rows.push_back({"Newton iterations", formatted("{:.2f} per step", per_step)});
  rows.push_back({"tangents", formatted("{} factorized", totals.factorizations)});
}

void add_quality(const Summary& s, Rows& rows) {
  if (s.totals.steps > 0 && s.bodies > 0) {
    const double change = s.last_energy - s.first_energy;
    if (!s.is_conservative)
      rows.push_back({"energy change", formatted("{:+.4g} J, from {:.4g} to {:.4g} J", change, s.first_energy,
                                                 s.last_energy)});
    if (s.quality.energy_scale > 0) {
      rows.push_back({"energy balance",
                      formatted("off by at most {:.2g} J, {:.2g} of the energy in play",
                                s.quality.energy_error, s.quality.energy_error / s.quality.energy_scale)});
      rows.push_back(
          {"estimated error",
           s.quality.error > 0
               ? formatted("{:.2g} of the mechanism's size, added up over all steps", s.quality.error)
               : "not known: this method does not estimate it"});
    }
  }
  if (s.constraint_rows)
    rows.push_back({"constraint violation",
                    formatted("at most {:.2g} m or rad, {:.2g} per s, {:.2g} per s^2", s.position_violation,
                              s.velocity_violation, s.acceleration_violation)});
}

void add_time(const Summary& s, Rows& rows) {
  rows.push_back({"wall time", seconds(s.wall_time)});
  if (s.deadline > 0)
    rows.push_back(
        {"real time", formatted("slowest step {:.3g} ms of {:.3g} ms, {} late",
                                1e3 * s.totals.worst_step_time, 1e3 * s.deadline, s.totals.late_steps)});
  if (s.totals.steps > 0 && s.wall_time > 0)
    rows.push_back(
        {"real-time factor", formatted("{:.3g} (simulated / wall time)", (s.end - s.start) / s.wall_time)});
  if (!s.results.empty())
    rows.push_back({"results", formatted("{} ({})", s.results, count(s.frames, "output", "outputs"))});
}

std::string modes(const Summary& summary, const Style& style) {
  if (summary.modes.empty()) return "";
  Rows rows{{"mode", "frequency (Hz)", "damping ratio"}};
  for (const auto& [frequency, damping] : summary.modes)
    rows.push_back(
        {std::to_string(rows.size()), formatted("{:.6g}", frequency), formatted("{:.4g}", damping + 0.0)});
  return '\n' + columns(rows, true, style);
}

std::string status(const Summary& summary, const Style& style) {
  if (summary.status == RunStatus::finished) return style.green("finished");
  const std::string text = formatted("{} at t = {}", to_word(summary.status), seconds(summary.end));
  return summary.status == RunStatus::interrupted ? style.yellow(text) : style.red(text);
}

}  // namespace

std::string describe(const Summary& summary, const std::string& title, const Style& style) {
  Rows rows;
  add_size(summary, rows);
  add_steps(summary, rows);
  add_quality(summary, rows);
  add_time(summary, rows);
  std::string text;
  if (!title.empty()) text += style.bold(title) + ": ";
  text += status(summary, style) + '\n' + columns(rows, false, style);
  for (const std::string& note : summary.notes) text += "  note: " + note + '\n';
  return text + modes(summary, style);
}

}  // namespace hooke::program
