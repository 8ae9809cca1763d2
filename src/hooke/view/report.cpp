#include "hooke/view/report.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>

#include "hooke/view/chart.h"
#include "hooke/view/markup.h"
#include "hooke/view/scene.h"
#include "hooke/view/statistics.h"
#include "hooke/view/still.h"

namespace hooke {
namespace {

constexpr const char* style = R"(
@page { size: A4; margin: 16mm 15mm; }
body { font: 13px/1.5 Inter, "Segoe UI", system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; color: #1f2328;
       background: #fff; max-width: 780px; margin: 32px auto; padding: 0 16px; overflow-wrap: anywhere; }
h1 { font-size: 24px; letter-spacing: -.02em; margin: 0 0 2px; }
h2 { font-size: 15px; margin: 28px 0 8px; padding-bottom: 4px; border-bottom: 1px solid #e3e1dc; break-after: avoid; }
.lead { color: #656d76; margin: 0 0 18px; }
.status { font-weight: 600; } .finished { color: #1a7f37; } .failed { color: #cf222e; } .interrupted, .running { color: #9a6700; }
table { border-collapse: collapse; width: 100%; } td, th { padding: 3px 12px 3px 0; border-bottom: 1px solid #eeece8; text-align: left;
        vertical-align: top; font-weight: 400; } th { color: #656d76; } td:first-child { color: #656d76; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 28px; }
.strip { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; } figure { margin: 0; break-inside: avoid; }
.strip svg { width: 100%; height: auto; background: linear-gradient(#f5f6f7, #e6e9ed); border-radius: 8px; display: block; }
.key { color: #656d76; font-size: 12px; margin: 4px 2px; } .key i { display: inline-block; width: 120px; height: 8px; border-radius: 4px; }
figcaption { color: #656d76; font-size: 12px; padding: 2px 2px 0; } .chart svg { max-width: 100%; height: auto; display: block; }
.message { border-left: 3px solid #9a6700; background: #f6f5f2; padding: 4px 10px; margin: 6px 0; } .bad { border-color: #cf222e; } .note { border-color: #98a1ab; }
pre { font: 11px/1.5 ui-monospace, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; background: #f6f5f2; border-radius: 8px; padding: 10px;
      white-space: pre-wrap; overflow-wrap: anywhere; }
)";

using TableRows = std::vector<std::pair<std::string, std::string>>;

std::string table(const TableRows& rows) {
  std::string html = "<table>";
  for (const auto& [name, value] : rows)
    html += formatted("<tr><td>{}</td><td>{}</td></tr>", escape_xml(name), escape_xml(value));
  return html + "</table>\n";
}

std::string messages(const ResultsReader::About& about) {
  std::string html;
  const auto add = [&](const char* kind, const std::string& text) {
    html += formatted("<div class=\"message {}\">{}</div>\n", kind, escape_xml(text));
  };
  if (!about.message.empty()) add("bad", about.message);
  for (const std::string& text : about.warnings) add("", text);
  for (const std::string& text : about.notes) add("note", text);
  return html;
}

/// What the colours of solids mean.
std::string displacement_key(double largest, const Units& units) {
  const Units::Shown shown = units.show("m");
  std::string ramp;
  for (int k = 0; k <= 5; ++k) ramp += ", " + colour_at(k / 5.0);
  return formatted(
      "<p class=\"key\">displacement of solids: 0 <i style=\"background: linear-gradient(90deg{})\"></i> "
      "{:.3g} "
      "{}</p>\n",
      ramp, shown.factor * largest, shown.unit);
}

/// The lowest that vibrate, each where it is farthest from rest.
std::string mode_stills(const ResultsReader& results, const Scene& scene, const Units& units) {
  constexpr std::size_t most = 8;
  const ResultsReader::Modes modes = results.modes();
  std::vector<std::size_t> shown, frames;
  for (std::size_t k = 0; k < modes.outputs.size() && shown.size() < most; ++k)
    if (modes.frequency[k] > 0 && modes.outputs[k][0] >= 0) {
      shown.push_back(k);
      frames.push_back(static_cast<std::size_t>(modes.outputs[k][0]));
    }
  const double largest = largest_displacement(results, scene, frames);
  std::string html = "<h2>Shapes of modes</h2>\n<div class=\"strip\">\n";
  for (std::size_t i = 0; i < shown.size(); ++i)
    html += formatted("<figure>{}<figcaption>mode {}: {:.6g} Hz</figcaption></figure>\n",
                      draw_still(results, scene, {frames[i], 380, 250, largest}), shown[i] + 1,
                      modes.frequency[shown[i]]);
  html += "</div>\n";
  return scene.solids.empty() ? html : html + displacement_key(largest, units);
}

std::string stills(const ResultsReader& results, const Scene& scene, const Units& units) {
  constexpr std::size_t most = 4;
  if (results.frames() == 0 || scene.bodies.empty()) return "";
  const std::size_t last = results.frames() - 1, count = std::min(most, results.frames());
  const std::vector<double> t = results.read("time");
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < count; ++k) frames.push_back(count > 1 ? last * k / (count - 1) : 0);
  const double largest = largest_displacement(results, scene, frames);
  std::string html = "<h2>Motion</h2>\n<div class=\"strip\">\n";
  for (const std::size_t frame : frames)
    html += formatted("<figure>{}<figcaption>t = {:.4g} s</figcaption></figure>\n",
                      draw_still(results, scene, {frame, 380, 250, largest}), t[frame]);
  html += "</div>\n";
  return scene.solids.empty() ? html : html + displacement_key(largest, units);
}

std::string chart(const ResultsReader& results, const std::vector<std::string>& names,
                  const std::string& title, const Units& units) {
  return formatted(
      "<figure class=\"chart\">{}</figure>\n",
      draw_chart(read_curves({{"", &results}}, names, "", units), {.title = title, .panel_height = 180}));
}

bool moves(const ResultsReader& results, const std::string& name) {
  const std::vector<double> y = results.read(name);
  return std::any_of(y.begin(), y.end(),
                     [&](double value) { return std::abs(value - y[0]) > 1e-9 * (1 + std::abs(y[0])); });
}

/// Joint coordinates, then positions of bodies, as far as they move; no more than one looks at.
std::string usual_charts(const ResultsReader& results, const Units& units) {
  constexpr std::size_t most_curves = 6, most_bodies = 8;
  std::string html = "<h2>Curves</h2>\n";
  std::vector<std::string> coordinates;
  for (const std::string& label : results.labels(Items::coordinate))
    if (coordinates.size() < most_curves && label.starts_with("joint.") && moves(results, label))
      coordinates.push_back(label);
  if (!coordinates.empty()) html += chart(results, coordinates, "Joint coordinates", units);
  std::size_t bodies = 0;
  for (const std::string& label : results.labels(Items::body)) {
    std::vector<std::string> names;
    for (const char* axis : {"x", "y", "z"})
      if (const std::string name = formatted("{}.position.{}", label, axis); moves(results, name))
        names.push_back(name);
    if (names.empty() || ++bodies > most_bodies) continue;
    html += chart(results, names, "", units);
  }
  return html;
}

std::string solver_charts(const ResultsReader& results, const Units& units) {
  std::string html = "<h2>Energy, constraints and steps</h2>\n";
  html += chart(results, {"energy.kinetic", "energy.potential", "energy.total"}, "", units);
  html += chart(results, {"constraints.position", "constraints.velocity"}, "", units);
  if (results.steps()) html += chart(results, {"step.size", "step.iterations"}, "", units);
  return html;
}

std::string three_numbers(const Vec3& values, double factor, double size) {
  std::string text;
  for (const double value : values)
    text += formatted("{}{:.4g}", text.empty() ? "" : ", ", factor * without_round_off(value, size));
  return text;
}

std::string body_table(const Scene& scene, const Units& units) {
  if (scene.bodies.empty()) return "";
  const Units::Shown mass = units.show("kg"), length = units.show("m"), inertia = units.show("kg m^2");
  std::string html = formatted(
      "<h2>Bodies</h2>\n<table><tr><th>name</th><th>mass ({})</th><th>mass centre ({})</th><th>inertia xx, "
      "yy, zz ({})</th></tr>",
      mass.unit, length.unit, inertia.unit);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const MassProperties& body = scene.drawing.masses[b];
    const Vec3 J = body.inertia.diagonal();
    html +=
        formatted("<tr><td>{}</td><td>{:.6g}</td><td>{}</td><td>{}</td></tr>", escape_xml(scene.bodies[b]),
                  mass.factor * body.mass, three_numbers(body.centre, length.factor, scene.size),
                  three_numbers(J, inertia.factor, J.cwiseAbs().maxCoeff()));
  }
  return html + "</table>\n";
}

std::string mode_table(const ResultsReader& results) {
  const ResultsReader::Modes modes = results.modes();
  if (modes.frequency.empty()) return "";
  std::string html =
      "<h2>Modes</h2>\n<table><tr><th>mode</th><th>frequency (Hz)</th><th>damping ratio</th></tr>";
  for (std::size_t k = 0; k < std::min(modes.frequency.size(), modes.damping.size()); ++k)
    html += formatted("<tr><td>{}</td><td>{:.6g}</td><td>{:.4g}</td></tr>", k + 1, modes.frequency[k],
                      modes.damping[k]);
  return html + "</table>\n";
}

}  // namespace

std::string make_report(const ResultsReader& results, const std::string& label,
                        const std::vector<std::string>& names, const Units& units) {
  const ResultsReader::About& about = results.about();
  const Scene scene = make_scene(results);
  const std::string title = escape_xml(about.title.empty() ? label : about.title);
  std::string html = formatted(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n{}\n<title>{} – "
      "Hooke</title>\n<style>{}</style></head>\n<body>\n",
      policy_without_scripts, title, style);
  html += formatted("<h1>{}</h1>\n<p class=\"lead\">{} · <span class=\"status {}\">{}</span> · {}</p>\n",
                    title, escape_xml(label), escape_xml(about.status), escape_xml(about.status),
                    escape_xml(about.created));
  const bool is_of_modes = !results.modes().frequency.empty();
  html += messages(about) + (is_of_modes ? mode_stills : stills)(results, scene, units);
  html += "<div class=\"two\"><div><h2>Model</h2>" + table(about.facts) + "</div><div><h2>Run</h2>" +
          table(statistics(results)) + "</div></div>\n";
  html += mode_table(results);
  if (results.frames() > 1 && !is_of_modes)
    html += (names.empty() ? usual_charts(results, units)
                           : "<h2>Curves</h2>\n" + chart(results, names, "", units)) +
            solver_charts(results, units);
  html += body_table(scene, units);
  html += formatted("<h2>Model file</h2>\n<pre>{}</pre>\n</body></html>\n", escape_xml(results.model_text()));
  return html;
}

}  // namespace hooke
