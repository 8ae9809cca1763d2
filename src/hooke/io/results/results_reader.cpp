#include "hooke/io/results/results_reader.h"

#include <fnmatch.h>

#include "hooke/base/format.h"
#include "hooke/io/results/drawing_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>
#include <thread>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/results_place.h"
#include "hooke/io/results/series.h"

namespace hooke {

using hdf5::Handle;
using hdf5::Quiet;

struct ResultsReader::File {
  Handle handle;
};

namespace {

/// For a block that a run is writing.
constexpr int most_tries = 100;
constexpr std::chrono::milliseconds pause(20);

Handle open_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw Error(ExitCode::file, path + ": there is no such file");
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ExitCode::file, path + ": is a folder, not a results file");
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);
#endif
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file.is_valid())
    throw Error(ExitCode::file, formatted("{}: cannot read it as HDF5: {}", path, hdf5::last_error()));
  if (H5Aexists(file, "hooke") <= 0)
    throw Error(ExitCode::file, path + ": is an HDF5 file, but not one with results of hooke");
  return file;
}

bool has_pattern(const std::string& name) { return name.find_first_of("*?[") != name.npos; }

bool is_meant(const std::string& wanted, bool is_name, const std::string& name) {
  if (is_name) return name == wanted;
  if (has_pattern(wanted)) return fnmatch(wanted.c_str(), name.c_str(), 0) == 0;
  return name.starts_with(wanted + ".");
}

}  // namespace

/// What fails in the middle of a block that a run writes is tried again. A run may begin or end between the question and
/// the try: then the file is another since.
static void insist(const std::string& path, auto&& read) {
  for (int tries = 1;; ++tries) {
    std::error_code ignored;
    const auto before = std::filesystem::last_write_time(path, ignored);
    const bool is_written = is_being_written(path);
    try {
      return read();
    } catch (const Error&) {
      const bool may_succeed =
          is_written || is_being_written(path) || std::filesystem::last_write_time(path, ignored) != before;
      if (!may_succeed || tries == most_tries) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

ResultsReader::ResultsReader(const std::string& path) : path_(path), file_(std::make_unique<File>()) {
  insist(path_, [&] { open(); });
}

void ResultsReader::open() {
  const Quiet quiet;
  rods_.clear(), solids_.clear(), quantities_.clear(), rod_entries_.clear(), rod_paths_.clear();
  file_->handle = {};
  file_->handle = open_file(path_);
  const auto text = [&](const char* name) { return hdf5::read_text(file_->handle, name); };
  const auto texts = [&](const char* name) {
    return hdf5::read_texts(file_->handle, std::string("facts/") + name);
  };
  const Handle facts(H5Gopen2(file_->handle, "facts", H5P_DEFAULT), H5Gclose);
  /// At the start as a data set, later ones as lines of an attribute.
  const auto said = [&](const char* name) {
    std::vector<std::string> all = texts(name);
    std::istringstream lines(facts.is_valid() ? hdf5::read_text(facts, name) : "");
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  };
  about_ = {text("hooke"),   text("title"),     text("status"),
            text("message"), text("created"),   text("integrator"),
            text("solver"),  text("wall_time"), {},
            said("notes"),   said("warnings")};
  run_ = text("run");
  const std::vector<std::string> names = texts("names"), values = texts("values");
  for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k)
    about_.facts.emplace_back(names[k], values[k]);
  if (H5Lexists(file_->handle, time_entry.path, H5P_DEFAULT) <= 0) damaged(time_entry.path, "it is missing");
  list_quantities();
  list_rods();
  list_solids();
  frames_ = complete_rows(time_entry);
  steps_ = complete_rows(step_time_entry);
}

ResultsReader::~ResultsReader() = default;

std::string ResultsReader::model_text() const {
  const std::vector<std::string> texts = hdf5::read_texts(file_->handle, "model");
  return texts.empty() ? "" : texts[0];
}

std::string ResultsReader::settings() const {
  if (H5Lexists(file_->handle, "settings", H5P_DEFAULT) <= 0) return "";
  const std::vector<std::string> texts = hdf5::read_texts(file_->handle, "settings");
  return texts.empty() ? "" : texts[0];
}

std::string ResultsReader::model_file() const { return hdf5::read_text(file_->handle, "file"); }

Drawing ResultsReader::drawing() const {
  const Quiet quiet;
  return read_drawing(file_->handle);
}

ResultsReader::Modes ResultsReader::modes() const {
  const Quiet quiet;
  const auto numbers = [&](const char* name) {
    return hdf5::read_numbers(file_->handle, formatted("modes/{}", name));
  };
  Modes modes{numbers("frequency"),
              numbers("damping"),
              numbers("eigenvalue_real"),
              numbers("eigenvalue_imaginary"),
              {}};
  const std::vector<double> outputs = numbers("outputs");
  const auto output = [&](double k) {
    return k >= 0 && k < static_cast<double>(frames_) ? static_cast<int>(k) : -1;
  };
  modes.outputs.assign(modes.frequency.size(), {-1, -1});
  for (std::size_t k = 0; k < modes.outputs.size() && 2 * k + 1 < outputs.size(); ++k)
    modes.outputs[k] = {output(outputs[2 * k]), output(outputs[2 * k + 1])};
  return modes;
}

std::vector<std::string> ResultsReader::joint_types() const {
  return hdf5::read_texts(file_->handle, "joints/types");
}

std::vector<std::string> ResultsReader::force_types() const {
  return hdf5::read_texts(file_->handle, "forces/types");
}

std::vector<std::string> ResultsReader::coordinate_units() const {
  return hdf5::read_texts(file_->handle, "coordinates/units");
}

std::vector<std::string> ResultsReader::labels(Items items) const {
  return hdf5::read_texts(file_->handle, std::string(group_of(items)) + "/labels");
}

static herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

static std::vector<std::string> names_in(hid_t file, const std::string& group) {
  std::vector<std::string> names;
  hsize_t start = 0;
  if (H5Lexists(file, group.substr(0, group.find('/')).c_str(), H5P_DEFAULT) > 0)
    H5Literate_by_name(file, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, &start, add_name, &names,
                       H5P_DEFAULT);
  return names;
}

static std::vector<Vec2> read_outline(hid_t file, const std::string& path) {
  const std::vector<double> numbers = hdf5::read_numbers(file, path);
  std::vector<Vec2> outline;
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) outline.emplace_back(numbers[k], numbers[k + 1]);
  const bool is_finite =
      std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  if (!is_finite || numbers.size() % 2 || (!outline.empty() && outline.size() < 3))
    hdf5::fail_damaged(file, path, "it is no outline");
  return outline;
}

/// /rods/NAME with the data set `nodes` (time, node, position and quaternion), the attribute `radius` and, but
/// for files of earlier versions, the `outline` of the section.
void ResultsReader::list_rods() {
  for (const std::string& name : names_in(file_->handle, "rods")) {
    const std::string path = "rods/" + name + "/nodes";
    const Handle group(H5Gopen2(file_->handle, ("rods/" + name).c_str(), H5P_DEFAULT), H5Gclose);
    const std::vector<std::size_t> shape = shape_of(path);
    if (shape.size() != 3 || shape[2] != 7 || shape[1] < 2) damaged(path, "it holds no poses of nodes");
    rods_.push_back({name, path, shape[1], hdf5::read_number(group, "radius", 0),
                     read_outline(file_->handle, "rods/" + name + "/outline"),
                     read_outline(file_->handle, "rods/" + name + "/hole")});
    name_nodes(rods_.back());
    name_sections(rods_.back());
  }
}

/// /solids/NAME with the data sets `points`, `triangles`, `displacement` and any number of (time, node).
void ResultsReader::list_solids() {
  for (const std::string& name : names_in(file_->handle, "solids")) {
    const std::string group = "solids/" + name;
    Solid solid{name, group + "/displacement", read_mesh(file_->handle, group)};
    for (const std::string& field : names_in(file_->handle, group)) {
      if (field == "points" || field == "triangles" || field == "displacement") continue;
      const Handle dataset = hdf5::open_dataset(file_->handle, group + "/" + field);
      const std::vector<std::size_t> shape = shape_of(group + "/" + field);
      if (shape.size() != 2 || shape[1] != solid.mesh.points.size())
        damaged(group + "/" + field, "it does not fit the nodes of the solid");
      solid.fields.push_back({field, hdf5::read_text(dataset, "unit"), group + "/" + field});
    }
    const std::vector<std::size_t> shape = shape_of(solid.displacement);
    if (shape.size() != 3 || shape[1] != solid.mesh.points.size() || shape[2] != 3)
      damaged(solid.displacement, "it does not fit the nodes of the solid");
    if (!solid.mesh.triangles.empty()) solids_.push_back(std::move(solid));
  }
}

/// body.NAME.node.K.position.x ...
void ResultsReader::name_nodes(const Rod& rod) {
  rod_paths_.push_back(rod.path);
  rod_entries_.push_back({rod_paths_.back().c_str(), Items::run, "", "xyzwxyz", "m, 1", "nodes of a rod"});
  std::size_t column = 0;
  for (std::size_t k = 0; k < rod.nodes; ++k)
    for (const char* part : {"position.x", "position.y", "position.z", "orientation.w", "orientation.x",
                             "orientation.y", "orientation.z"})
      quantities_.push_back({formatted("body.{}.node.{}.{}", rod.name, k, part), *part == 'p' ? "m" : "1",
                             &rod_entries_.back(), column++});
}

/// body.NAME.section.K.force.x, .moment.x, .shear.x, .extension, .bending.x, .twist
void ResultsReader::name_sections(const Rod& rod) {
  const auto add = [&](const char* name, const std::array<std::pair<const char*, const char*>, 6>& parts) {
    const std::string path = "rods/" + rod.name + "/" + name;
    if (H5Lexists(file_->handle, path.c_str(), H5P_DEFAULT) <= 0) return;
    const std::vector<std::size_t> shape = shape_of(path);
    if (shape.size() != 3 || shape[2] != 6) damaged(path, "it holds no values of sections");
    rod_paths_.push_back(path);
    rod_entries_.push_back({rod_paths_.back().c_str(), Items::run, "", "xyzxyz", "", "sections of a rod"});
    std::size_t column = 0;
    for (std::size_t k = 0; k < shape[1]; ++k)
      for (const auto& [part, unit] : parts)
        quantities_.push_back(
            {formatted("body.{}.section.{}.{}", rod.name, k, part), unit, &rod_entries_.back(), column++});
  };
  add("forces", {{{"force.x", "N"},
                  {"force.y", "N"},
                  {"force.z", "N"},
                  {"moment.x", "N m"},
                  {"moment.y", "N m"},
                  {"moment.z", "N m"}}});
  add("strains", {{{"shear.x", "1"},
                   {"shear.y", "1"},
                   {"extension", "1"},
                   {"bending.x", "1/m"},
                   {"bending.y", "1/m"},
                   {"twist", "1/m"}}});
}

void ResultsReader::list_quantities() {
  std::vector<std::string> contents;
  if (H5Lexists(file_->handle, "contents", H5P_DEFAULT) > 0)
    contents = hdf5::read_texts(file_->handle, "contents");
  for (const ResultsEntry& entry : results_entries) {
    if (H5Lexists(file_->handle, entry.path, H5P_DEFAULT) <= 0) {
      if (std::count(contents.begin(), contents.end(), entry.path)) damaged(entry.path, "it is missing");
      continue;
    }
    const std::string group(group_of(entry.of));
    std::vector<std::string> labels{""}, units;
    if (!group.empty()) labels = hdf5::read_texts(file_->handle, group + "/labels");
    if (!*entry.unit) units = hdf5::read_texts(file_->handle, group + "/units");
    check_shape(entry, labels.size());
    const std::string_view quantity = entry.quantity;
    if (quantity == "rate")
      for (std::string& unit : units) unit += "/s";
    if (quantity == "tension")
      for (std::string& unit : units) unit = unit == "rad" ? "N m" : "N";
    add_quantities(entry, labels, units);
  }
}

void ResultsReader::damaged(const std::string& path, const std::string& why) const {
  throw Error(ExitCode::file, formatted("{}: '{}' is damaged: {}; run the model again", path_, path, why));
}

/// Of a data set that grows, by what its chunks hold: a length that nothing stands behind would fill the memory.
std::vector<std::size_t> ResultsReader::shape_of(const std::string& path) const {
  const Handle dataset = hdf5::open_dataset(file_->handle, path);
  const std::vector<hsize_t> extent = hdf5::shape_of(dataset);
  std::vector<std::size_t> shape(extent.begin(), extent.end());
  if (shape.empty()) damaged(path, "it is missing");
  if (!hdf5::is_own_layout(dataset)) damaged(path, "its numbers are of an unknown kind");
  const std::size_t rows = hdf5::stored_rows(dataset);
  if (rows < shape[0] && !is_running()) damaged(path, "some of it is missing");
  shape[0] = rows;
  return shape;
}

void ResultsReader::check_shape(const ResultsEntry& entry, std::size_t items) const {
  const std::vector<std::size_t> shape = shape_of(entry.path);
  std::vector<std::size_t> wanted{shape[0]};
  if (!group_of(entry.of).empty()) wanted.push_back(items);
  if (*entry.components) wanted.push_back(static_cast<std::size_t>(entry.width()));
  if (shape != wanted) damaged(entry.path, "its shape does not fit its labels");
}

void ResultsReader::add_quantities(const ResultsEntry& entry, const std::vector<std::string>& labels,
                                   const std::vector<std::string>& units) {
  const std::string_view components = entry.components;
  std::size_t column = 0;
  for (std::size_t item = 0; item < labels.size(); ++item) {
    std::string name = labels[item];
    if (!name.empty() && *entry.quantity) name += '.';
    name += entry.quantity;
    const std::string unit = *entry.unit ? entry.unit : item < units.size() ? units[item] : "";
    if (components.empty()) quantities_.push_back({name, unit, &entry, column++});
    for (const char component : components)
      quantities_.push_back({name + '.' + component, unit, &entry, column++});
  }
}

/// Rows are complete when their time is there.
std::size_t ResultsReader::complete_rows(const ResultsEntry& times) const {
  if (H5Lexists(file_->handle, times.path, H5P_DEFAULT) <= 0) return 0;
  std::vector<double> values;
  read_dataset(times.path, 0, shape_of(times.path)[0], values);
  while (!values.empty() && std::isnan(values.back())) values.pop_back();
  return values.size();
}

const Quantity& ResultsReader::find(const std::string& name) const {
  for (const Quantity& quantity : quantities_)
    if (quantity.name == name) return quantity;
  std::vector<std::string> known;
  for (const Quantity& quantity : quantities_) known.push_back(quantity.name);
  throw Error(ExitCode::usage, formatted("{} has no quantity '{}'{}", path_, name, suggest(name, known)));
}

std::vector<Quantity> ResultsReader::select(const std::vector<std::string>& names) const {
  std::vector<Quantity> chosen;
  std::set<std::string> taken;
  for (const std::string& wanted : names) {
    const bool is_name = std::any_of(quantities_.begin(), quantities_.end(),
                                     [&](const Quantity& quantity) { return quantity.name == wanted; });
    bool is_found = false;
    for (const Quantity& quantity : quantities_) {
      if (!is_meant(wanted, is_name, quantity.name)) continue;
      is_found = true;
      if (taken.insert(quantity.name).second) chosen.push_back(quantity);
    }
    if (is_found) continue;
    if (has_pattern(wanted))
      throw Error(ExitCode::usage, formatted("{} has no quantity like '{}'", path_, wanted));
    find(wanted);
  }
  return chosen;
}

std::vector<double> ResultsReader::read(const std::string& name) const {
  const Quantity& quantity = find(name);
  return read({quantity}, 0, rows(quantity));
}

std::vector<double> ResultsReader::read(const std::vector<Quantity>& wanted, std::size_t first,
                                        std::size_t count) const {
  const Quiet quiet;
  std::vector<double> table(count * wanted.size()), rows;
  const ResultsEntry* loaded = nullptr;
  std::vector<const ResultsEntry*> all;
  for (const ResultsEntry& entry : results_entries) all.push_back(&entry);
  for (const ResultsEntry& entry : rod_entries_) all.push_back(&entry);
  for (const ResultsEntry* listed : all) {
    const ResultsEntry& entry = *listed;
    std::size_t width = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (wanted[k].entry != &entry) continue;
      if (loaded != &entry) {
        read_dataset(entry.path, first, count, rows);
        loaded = &entry;
        width = count ? rows.size() / count : 0;
      }
      if (count && wanted[k].column >= width) damaged(entry.path, "rows are missing");
      for (std::size_t row = 0; row < count; ++row)
        table[row * wanted.size() + k] = rows[row * width + wanted[k].column];
    }
  }
  return table;
}

void ResultsReader::try_all() const {
  constexpr std::size_t rows_at_once = 1000;
  (void)model_text(), (void)drawing(), (void)modes(), (void)joint_types(), (void)force_types(),
      (void)coordinate_units();
  std::set<std::pair<std::string, std::size_t>> all;  // paths and rows
  for (const Quantity& quantity : quantities_) all.emplace(quantity.entry->path, rows(quantity));
  for (const Solid& solid : solids_) {
    all.emplace(solid.displacement, frames_);
    for (const Solid::Field& field : solid.fields) all.emplace(field.path, frames_);
  }
  // Numbers are protected by sums, but a chunk of another data set is as good as any to them.
  std::set<std::uint64_t> places;
  for (const auto& [path, count] : all)
    for (const std::uint64_t place : hdf5::chunk_places(hdf5::open_dataset(file_->handle, path)))
      if (!places.insert(place).second) damaged(path, "it shares its numbers with another");
  const bool is_large = hdf5::file_size(file_->handle) > large_file;
  const auto sum_of = [&](const std::string& path) {
    return hdf5::read_text(hdf5::open_dataset(file_->handle, path), hdf5::SeriesSum::attribute);
  };
  for (const auto& [path, count] : all)
    if (is_large) {
      for (std::size_t first = 0; first < count; first = std::max(first + 1, count - 1))
        (void)read_rows(path, first, 1);
    } else {
      hdf5::SeriesSum sum(path);
      for (std::size_t first = 0; first < count; first += rows_at_once)
        sum.add(read_rows(path, first, std::min(rows_at_once, count - first)));
      const std::string written = sum_of(path);  // others may add series, without one
      if (!is_running() && !written.empty() && written != sum.text())
        damaged(path, "its numbers are others than were written");
    }
}

static bool read_hyperslab(hid_t dataset, std::vector<hsize_t> shape, std::size_t first, std::size_t count,
                           double* rows) {
  std::vector<hsize_t> start(shape.size(), 0);
  start[0] = first;
  shape[0] = count;
  const Handle in_file(H5Dget_space(dataset), H5Sclose);
  const Handle in_memory(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr);
  return H5Dread(dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
}

std::vector<double> ResultsReader::read_rows(const std::string& path, std::size_t first,
                                             std::size_t count) const {
  const Quiet quiet;
  std::vector<double> rows;
  read_dataset(path, first, count, rows);
  return rows;
}

static std::size_t rows_per_chunk(hid_t dataset, std::size_t rank) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<hsize_t> chunk(rank, 1);
  if (H5Pget_layout(properties) != H5D_CHUNKED ||
      H5Pget_chunk(properties, static_cast<int>(rank), chunk.data()) < 0)
    return 1;
  return chunk[0];
}

bool ResultsReader::read_whole(const std::string& path, std::size_t first, std::size_t count,
                               std::vector<double>& rows) const {
  const Handle dataset = hdf5::open_dataset(file_->handle, path);
  const std::vector<hsize_t> shape = hdf5::shape_of(dataset);
  if (shape.empty() || shape[0] < first + count) return false;
  std::size_t width = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) width *= shape[k];
  rows.resize(count * width);
  return rows.empty() || (hdf5::has_chunks(dataset, first, count) &&
                          read_hyperslab(dataset, shape, first, count, rows.data()));
}

/// HDF5 forgets what it knows of the file.
void ResultsReader::reopen() const {
  file_->handle = {};
  insist(path_, [&] { file_->handle = open_file(path_); });
  if (hdf5::read_text(file_->handle, "run") != run_)
    throw Error(ExitCode::file, path_ + ": another run has replaced it; read it again");
}

/// Of a program that was killed in the middle of a block, HDF5 may refuse the last chunk: its rows are nan. In the middle
/// of a block of one that is alive, it is to be waited for; HDF5 then has to forget what it knows of the file.
void ResultsReader::read_dataset(const std::string& path, std::size_t first, std::size_t count,
                                 std::vector<double>& rows) const {
  bool is_last = false;
  for (int tries = 1; is_running() && tries < most_tries; ++tries) {
    const bool is_written = is_being_written(path_);
    try {
      if (read_whole(path, first, count, rows)) return;
    } catch (const Error&) {  // said below, if it stays so
    }
    if (is_last) break;
    is_last = !is_written && !is_being_written(path_);  // the run has ended: what it left is all there
    std::this_thread::sleep_for(pause);
    reopen();
  }
  const Handle dataset = hdf5::open_dataset(file_->handle, path);
  const std::vector<hsize_t> shape = hdf5::shape_of(dataset);
  if (shape.empty() || shape[0] < first + count) damaged(path, "it ends early");
  std::size_t width = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) width *= shape[k];
  rows.assign(count * width, std::numeric_limits<double>::quiet_NaN());
  if (!rows.empty() && !is_running() && !hdf5::has_chunks(dataset, first, count))
    damaged(path, "some of it is missing");
  if (rows.empty() || read_hyperslab(dataset, shape, first, count, rows.data())) return;

  const std::string why = hdf5::last_error();
  const std::size_t chunk = rows_per_chunk(dataset, shape.size()),
                    last_chunk = (shape[0] - 1) / chunk * chunk;
  std::fill(rows.begin(), rows.end(), std::numeric_limits<double>::quiet_NaN());
  if (!is_running()) damaged(path, why);
  if (first >= last_chunk) return;
  if (first + count <= last_chunk || !read_hyperslab(dataset, shape, first, last_chunk - first, rows.data()))
    damaged(path, why);
}

}  // namespace hooke
