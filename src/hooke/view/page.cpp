#include "hooke/view/page.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/io/document/json.h"
#include "hooke/math/dense.h"
#include "hooke/view/markup.h"
#include "hooke/view/output_file.h"
#include "hooke/view/statistics.h"
#include "hooke/view/surfaces.h"
#include "hooke/view/units.h"

namespace hooke {
namespace {

Json list(const Vec3& v) { return Json::List{v.x(), v.y(), v.z()}; }

Json list(const FramePose& pose) {
  const Quat q(pose.R);
  return Json::List{pose.p.x(), pose.p.y(), pose.p.z(), q.w(), q.x(), q.y(), q.z()};
}

Json shapes(const Drawing& drawing) {
  Json::List all;
  for (const Drawing::Shape& shape : drawing.shapes)
    all.push_back(Json::Object{{"body", shape.body},
                               {"type", shape.type},
                               {"size", list(shape.size)},
                               {"pose", list(shape.pose)},
                               {"colour", shape.colour},
                               {"mesh", shape.mesh}});
  return all;
}

Json mesh_json(const TriangleMesh& mesh) {
  Json::List points, triangles;
  for (const Vec3& point : mesh.points) points.insert(points.end(), {point.x(), point.y(), point.z()});
  for (const auto& triangle : mesh.triangles)
    triangles.insert(triangles.end(), triangle.begin(), triangle.end());
  Json::List edges;
  for (const auto& edge : feature_edges(mesh)) edges.insert(edges.end(), edge.begin(), edge.end());
  return Json::Object{{"points", points}, {"triangles", triangles}, {"edges", edges}};
}

Json outline_json(const std::vector<Vec2>& outline) {
  Json::List all;
  for (const Vec2& point : outline) all.push_back(Json::List{point.x(), point.y()});
  return all;
}

Json meshes(const Drawing& drawing) {
  Json::List all;
  for (const TriangleMesh& mesh : drawing.meshes) all.push_back(mesh_json(mesh));
  return all;
}

Json solids_json(const std::vector<ResultsReader::Solid>& solids) {
  Json::List all;
  for (const ResultsReader::Solid& solid : solids) {
    Json::List fields;
    for (const ResultsReader::Solid::Field& field : solid.fields)
      fields.push_back(Json::Object{{"name", field.name}, {"unit", field.unit}, {"set", field.path}});
    all.push_back(Json::Object{{"name", solid.name},
                               {"mesh", mesh_json(solid.mesh)},
                               {"displacement", solid.displacement},
                               {"fields", fields}});
  }
  return all;
}

Json connections(const std::vector<std::string>& names, const std::vector<std::string>& types,
                 const std::vector<Drawing::Connection>& places) {
  Json::List all;
  for (std::size_t k = 0; k < std::min({names.size(), types.size(), places.size()}); ++k)
    all.push_back(Json::Object{{"name", names[k]},
                               {"type", types[k]},
                               {"bodies", Json::List{places[k].bodies[0], places[k].bodies[1]}},
                               {"frames", Json::List{list(places[k].frames[0]), list(places[k].frames[1])}}});
  return all;
}

/// What the page calls the items of a data set.
std::string word(Items items) {
  return items == Items::run ? "run" : items == Items::step ? "step" : std::string(group_of(items));
}

/// A data set that the page may ask for.
struct PagedSet {
  std::string path;
  std::size_t width = 1, rows = 0;
  bool is_time = false;

  std::size_t rows_per_piece() const {
    constexpr std::size_t numbers = 1 << 18;
    return std::max<std::size_t>(1, numbers / std::max<std::size_t>(width, 1));
  }
  std::size_t pieces() const { return (rows + rows_per_piece() - 1) / rows_per_piece(); }
};

std::vector<PagedSet> sets_of(const ResultsReader& results) {
  std::vector<PagedSet> sets;
  for (const Quantity& quantity : results.quantities()) {
    if (sets.empty() || sets.back().path != quantity.entry->path)
      sets.push_back({quantity.entry->path, 0, results.rows(quantity),
                      quantity.name == time_entry.quantity || quantity.name == step_time_entry.quantity});
    ++sets.back().width;
  }
  for (const ResultsReader::Solid& solid : results.solids()) {
    const std::size_t nodes = solid.mesh.points.size();
    sets.push_back({solid.displacement, 3 * nodes, results.frames()});
    for (const ResultsReader::Solid::Field& field : solid.fields)
      sets.push_back({field.path, nodes, results.frames()});
  }
  return sets;
}

/// Where a data set has a unit for each of its columns.
Json::List units_of(const ResultsReader& results, const ResultsEntry& entry) {
  Json::List units;
  for (const Quantity& quantity : results.quantities())
    if (!*entry.unit && quantity.entry->path == std::string_view(entry.path)) units.push_back(quantity.unit);
  return units;
}

bool is_listed(const ResultsEntry& entry) {
  return std::any_of(results_entries.begin(), results_entries.end(),
                     [&](const ResultsEntry& one) { return one.path == std::string_view(entry.path); });
}

/// Data sets that only this file has, those of rods: each column by its name.
void add_columns(const ResultsReader& results, Json::List& entries) {
  const ResultsEntry* last = nullptr;
  Json::List columns;
  const auto end = [&] {
    if (last && !columns.empty())
      entries.push_back(Json::Object{
          {"path", last->path}, {"of", word(last->of)}, {"text", last->text}, {"columns", columns}});
    columns.clear();
  };
  for (const Quantity& quantity : results.quantities()) {
    if (quantity.entry != last) {
      end();
      last = is_listed(*quantity.entry) ? nullptr : quantity.entry;
    }
    if (last) columns.push_back(Json::List{quantity.name, quantity.unit});
  }
  end();
}

void add_numbers(const ResultsReader& results, Json& run) {
  Json sets = Json::Object{}, labels = Json::Object{};
  Json::List entries;
  int number = 0;
  for (const PagedSet& set : sets_of(results))
    sets[set.path] = Json::Object{{"number", number++},
                                  {"width", static_cast<double>(set.width)},
                                  {"rows", static_cast<double>(set.rows_per_piece())},
                                  {"total", static_cast<double>(set.rows)},
                                  {"double", set.is_time}};
  for (const ResultsEntry& entry : results_entries)
    if (sets.find(entry.path))
      entries.push_back(Json::Object{{"path", entry.path},
                                     {"of", word(entry.of)},
                                     {"quantity", entry.quantity},
                                     {"components", entry.components},
                                     {"unit", entry.unit},
                                     {"units", units_of(results, entry)},
                                     {"text", entry.text}});
  add_columns(results, entries);
  for (const ResultsEntry& entry : results_entries)
    if (!group_of(entry.of).empty()) labels[word(entry.of)] = results.labels(entry.of);
  run["sets"] = sets;
  run["entries"] = entries;
  run["labels"] = labels;
}

void add_picture(const Scene& scene, Json& run) {
  const Drawing& drawing = scene.drawing;
  Json::List masses, centres, inertias, rods, carriers;
  for (const MassProperties& body : drawing.masses) {
    const Vec3 moments = symmetric_eigen3(body.inertia).values;
    masses.emplace_back(body.mass);
    centres.push_back(list(body.centre));
    inertias.push_back(body.mass > 0 ? list(moments) : Json(Json::List{}));
  }
  for (const ResultsReader::Rod& rod : scene.rods)
    rods.push_back(Json::Object{{"name", rod.name},
                                {"set", rod.path},
                                {"nodes", static_cast<double>(rod.nodes)},
                                {"outline", outline_json(rod.outline)},
                                {"hole", outline_json(rod.hole)}});
  for (const Carrier& carrier : scene.carriers)
    carriers.push_back(Json::List{static_cast<double>(carrier.rod), static_cast<double>(carrier.node)});
  run["gravity"] = list(drawing.gravity);
  run["size"] = scene.size;
  run["joint_size"] = scene.joint_size;
  run["bounds"] = Json::List{list(scene.bounds[0]), list(scene.bounds[1])};
  Json::List boxes, units;
  for (std::size_t b = 0; b < scene.boxes.size(); ++b)
    boxes.push_back(Json::Object{{"low", list(scene.boxes[b][0])},
                                 {"high", list(scene.boxes[b][1])},
                                 {"away", scene.flew_away[b] != 0}});
  for (const UnitChoice& unit : unit_choices)
    units.push_back(Json::Object{{"name", unit.name}, {"of", unit.instead_of}, {"factor", unit.factor}});
  run["boxes"] = boxes;
  run["unit_choices"] = units;
  run["bodies"] = scene.bodies;
  run["masses"] = masses;
  run["centres"] = centres;
  run["inertias"] = inertias;
  run["shapes"] = shapes(drawing);
  run["meshes"] = meshes(drawing);
  run["joints"] = connections(scene.joints, scene.joint_types, drawing.joints);
  run["forces"] = connections(scene.forces, scene.force_types, drawing.forces);
  run["rods"] = rods;
  run["carriers"] = carriers;
  run["solids"] = solids_json(scene.solids);
}

Json describe(const ViewedRun& viewed) {
  const ResultsReader& results = *viewed.results;
  const ResultsReader::About& about = results.about();
  const ResultsReader::Modes modes = results.modes();
  Json::List facts;
  for (const auto& [name, value] : about.facts) facts.push_back(Json::List{name, value});
  Json run = Json::Object{{"label", viewed.label},          {"hooke", about.version},
                          {"title", about.title},           {"status", about.status},
                          {"message", about.message},       {"created", about.created},
                          {"integrator", about.integrator}, {"solver", about.solver},
                          {"wall_time", about.wall_time},   {"facts", facts},
                          {"notes", about.notes},           {"warnings", about.warnings},
                          {"model", results.model_text()}};
  Json::List rows;
  for (const auto& [name, value] : statistics(results)) rows.push_back(Json::List{name, value});
  run["statistics"] = rows;
  Json::List outputs;
  for (const auto& [real, imaginary] : modes.outputs) outputs.push_back(Json::List{real, imaginary});
  run["modes"] =
      Json::Object{{"frequency", modes.frequency}, {"damping", modes.damping}, {"outputs", outputs}};
  add_picture(make_scene(results), run);
  add_numbers(results, run);
  return run;
}

template <class Number>
std::string bytes_of(const std::vector<double>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  const std::vector<Number> narrowed(numbers.begin(), numbers.end());
  return {reinterpret_cast<const char*>(narrowed.data()), narrowed.size() * sizeof(Number)};
}

std::string read_piece(const ResultsReader& results, const PagedSet& set, std::size_t piece) {
  const std::size_t first = piece * set.rows_per_piece(),
                    count = std::min(set.rows_per_piece(), set.rows - first);
  const std::vector<double> numbers = results.read_rows(set.path, first, count);
  return set.is_time ? bytes_of<double>(numbers) : bytes_of<float>(numbers);
}

std::optional<std::size_t> parse_count(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.size() > 9 || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string base64(std::string_view bytes) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (j < count ? static_cast<unsigned char>(bytes[k + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? letters[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string_view page_policy() {
  constexpr std::string_view mark = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::string_view page = empty_page();
  const std::size_t begin = page.find(mark) + mark.size();
  return page.substr(begin, page.find('"', begin) - begin);
}

std::string describe_runs(const std::vector<ViewedRun>& runs) {
  Json::List all;
  for (const ViewedRun& run : runs) all.push_back(describe(run));
  return valid_utf8(Json(all).dump());
}

std::string read_piece(const std::vector<ViewedRun>& runs, std::string_view name) {
  const std::size_t head = name.find('/'), tail = name.rfind('/');
  if (head == name.npos || tail <= head) return "";
  const auto run = parse_count(name.substr(0, head)),
             number = parse_count(name.substr(head + 1, tail - head - 1)),
             piece = parse_count(name.substr(tail + 1));
  if (!run || !number || !piece || *run >= runs.size()) return "";
  const ResultsReader& results = *runs[*run].results;
  const std::vector<PagedSet> sets = sets_of(results);
  if (*number >= sets.size() || *piece >= sets[*number].pieces()) return "";
  return read_piece(results, sets[*number], *piece);
}

void export_page(const std::vector<ViewedRun>& runs, const std::string& path) {
  constexpr std::string_view mark = "<!--data-->";
  const std::string_view page = empty_page();
  const std::size_t at = page.find(mark);
  OutputFile out(path);
  out.write(page.substr(0, at));
  out.write("<script type=\"application/json\" id=\"runs\">" + escape_json(describe_runs(runs)) +
            "</script>\n");
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::vector<PagedSet> sets = sets_of(*runs[run].results);
    for (std::size_t set = 0; set < sets.size(); ++set)
      for (std::size_t piece = 0; piece < sets[set].pieces(); ++piece)
        out.write(formatted("<script type=\"text/plain\" id=\"data/{}/{}/{}\">{}</script>\n", run, set, piece,
                            base64(read_piece(*runs[run].results, sets[set], piece))));
  }
  out.write(page.substr(at + mark.size()));
  out.close();
}

}  // namespace hooke
