#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <set>

#include "hooke/io/results/compaction.h"
#include "hooke/io/results/drawing_file.h"
#include "hooke/io/results/ordered_driver.h"
#include "hooke/io/results/results_file.h"

// How the file stays readable whatever happens to the program:
// - Rows are kept in memory and written in blocks, each followed by H5Fflush; between two blocks the file on disk is
//   complete and consistent. HDF5 writes nothing in between, since its cache may not evict.
// - A chunk that grows is compressed again and written to a new place; the old place is never reused, so that what the
//   file on disk refers to is still there when the program dies inside a block (protect_end). At the end the file is
//   copied without these places where they are many (compaction.h).
// - `time` is written and flushed after all else of the block. Its length is the number of complete frames; beyond it
//   there may be parts of a block that the program died in.
// - What is new in an index is in the file before anything refers to it (ordered_driver.h).
// - Index nodes do not cross a page, since a killed program's last write may end at one.
// - A new file takes the place of an old one when it can be read (results_place.h).
// - The disk is asked for the space of a block before HDF5 is, which does not survive a full disk.
// - HDF5's SWMR mode and its newest format would mark the file as open for writing, and after a crash most programs
//   would refuse it until h5clear is run. So the older format is used, and no lock, so that a run can be looked at. The
//   newest one has sums of its index, but in blocks of up to 20 kB that it writes in place: a kill can tear one.
// - That format has no sums of its index: each series has one of all its numbers, written at the end (series.h).
namespace hooke {

namespace {

using hdf5::Handle;
using hdf5::Quiet;

constexpr std::size_t block_bytes = 4 << 20;
constexpr hsize_t most_frames_per_block = 64, steps_per_block = 1024;

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& why) {
  throw Error(
      ExitCode::file,
      formatted("{}: {}: {}; choose another place for the results, or make room there", path, what, why));
}

Handle creation_properties() {
  Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (H5Pset_file_space_strategy(properties, H5F_FSPACE_STRATEGY_NONE, false, 1) < 0) return {};
  return properties;
}

Handle access_properties() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  const bool is_known = H5Pget_mdc_config(properties, &cache) >= 0;
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  constexpr hsize_t index_node = 2048, page = 4096;  // a node of HDF5's index takes 2 to 3.2 kB
  if (!is_known ||
      !hdf5::all_done(
          {H5Pset_mdc_config(properties, &cache), H5Pset_alignment(properties, index_node, page)}) ||
      !hdf5::write_in_order(properties))
    return {};
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(properties, false, true);
#endif
  return properties;
}

Handle create_file(const ResultsPlace& place) {
  const Quiet quiet;
  Handle file(H5Fcreate(place.name().c_str(), H5F_ACC_TRUNC, creation_properties(), access_properties()),
              H5Fclose);
  if (!file.is_valid()) fail(place.path(), "cannot write it", hdf5::last_error());
  return file;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

/// The names users know the items by; a second item of the same name gets a number.
class Labels {
 public:
  std::string operator()(const std::string& kind, const std::string& name) {
    std::string label = kind + "." + name;
    for (int number = 2; !used_.insert(label).second; ++number)
      label = formatted("{}.{}_{}", kind, name, number);
    return label;
  }

 private:
  std::set<std::string> used_;
};

}  // namespace

/// Few enough for the memory, and for what is compressed together.
static hsize_t frames_per_block(const RecordedItems& model, std::size_t nodes, std::size_t coordinates) {
  const std::size_t numbers = 19 * model.bodies.size() + 7 * nodes + 6 * model.joints.size() +
                              2 * coordinates + 6 * model.forces.size() + 3 * model.springs.size() +
                              11 * model.contacts.size() + model.signals.size() + 7;
  return std::clamp<hsize_t>(block_bytes / (numbers * sizeof(double)), 1, most_frames_per_block);
}

ResultsWriter::File::File(const std::string& path, const RecordedItems& model, const ResultsInfo& info,
                          const RowsToKeep* to_keep)
    : place(path),
      file(create_file(place)),
      reserve(place.name()),
      notes_at_start(info.notes.size()),
      warnings_at_start(info.warnings.size()) {
  const Quiet quiet;
  std::size_t coordinates = 0, nodes = 0;
  for (const RecordedItems::Joint& joint : model.joints) coordinates += joint.coordinates.size();
  for (const int count : model.nodes) nodes += static_cast<std::size_t>(count);

  const std::vector<std::pair<const char*, std::string>> about{
      {"hooke", info.version}, {"title", info.title},           {"status", "running"},   {"message", ""},
      {"created", utc_now()},  {"integrator", info.integrator}, {"solver", info.solver}, {"run", info.run},
      {"file", info.file},     {"analysis", info.analysis}};
  for (const auto& [name, text] : about) check(hdf5::write_text(file, name, text));
  check(hdf5::write_single_text(file, "model", info.model_text));
  check(hdf5::write_texts(file, "overrides", info.overrides));
  check(hdf5::write_single_text(file, "settings", info.settings));
  name_items(model);
  write_facts(info);
  check(write_drawing(file, info.drawing));

  frames = ResultsTable(file, time_entry, frames_per_block(model, nodes, coordinates));
  add_bodies(model.bodies.size());
  if (nodes > 0) add_rods(model, info.drawing);
  for (const BuiltSolid& solid : model.solids) add_solid(model, solid);
  for (std::size_t k = 0; k < model.modal.size(); ++k) add_modal(model, k);
  add_joints(model.joints.size(), coordinates, info.reactions);
  add_forces(model.forces.size());
  if (!model.springs.empty()) add_springs(model.springs.size());
  if (!model.contacts.empty()) add_contacts(model.contacts.size());
  if (!model.signals.empty())
    add("signals/value", model.signals.size(), [](const Record& record, double* out) {
      std::copy(record.signals.begin(), record.signals.end(), out);
    });
  add_sums();
  steps = ResultsTable(file, step_time_entry, steps_per_block);
  for (const ResultsEntry& entry : results_entries)
    if (entry.of == Items::step && entry.path != std::string_view(step_time_entry.path)) steps.add(entry, 0);
  check(hdf5::write_texts(file, "contents", contents));
  check(frames.is_made() && steps.is_made());
  check(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
  if (to_keep)
    copy_rows(*to_keep, info.run);
  else
    keep_other(info);
  place.take();
}

/// Results of another model or of another analysis are worth something.
void ResultsWriter::File::keep_other(const ResultsInfo& info) {
  const Handle old(H5Fopen(place.path().c_str(), H5F_ACC_RDONLY, access_properties()), H5Fclose);
  if (!old.is_valid()) return;
  const std::string of = hdf5::read_text(old, "file"), analysis = hdf5::read_text(old, "analysis");
  if (of.empty() || info.file.empty() || (of == info.file && analysis == info.analysis)) return;
  const std::filesystem::path path = place.path();
  const std::filesystem::path aside =
      path.parent_path() / (path.stem().string() + ".old" + path.extension().string());
  std::error_code failed;
  std::filesystem::rename(path, aside, failed);
  if (!failed) set_aside = aside.string();
}

/// From the file that is there.
void ResultsWriter::File::copy_rows(const RowsToKeep& to_keep, const std::string& run) {
  const Handle old(H5Fopen(place.path().c_str(), H5F_ACC_RDONLY, access_properties()), H5Fclose);
  if (old.is_valid() && hdf5::read_text(old, "run") != run)
    throw Error(
        ExitCode::file,
        formatted("{}: cannot go on from it: it is of another run than the checkpoint", place.path()));
  const auto copy = [&](ResultsTable& table, long rows) {
    if (!old.is_valid() || !table.copy(old, static_cast<hsize_t>(rows), file))
      throw Error(ExitCode::file, formatted("{}: cannot go on from it: the {} outputs before the checkpoint "
                                            "are not all there; run it anew",
                                            place.path(), to_keep.frames));
  };
  copy(frames, to_keep.frames);
  copy(steps, to_keep.steps);
  protect_end();
}

void ResultsWriter::File::write_facts(const ResultsInfo& info) {
  std::vector<std::string> names, values;
  for (const auto& [name, value] : info.facts) {
    names.push_back(name);
    values.push_back(value);
  }
  const Handle group(H5Gcreate2(file, "facts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(hdf5::write_texts(group, "names", names) && hdf5::write_texts(group, "values", values) &&
        hdf5::write_texts(group, "notes", info.notes) && hdf5::write_texts(group, "warnings", info.warnings));
}

void ResultsWriter::File::name_items(const RecordedItems& model) {
  Labels label;
  std::vector<std::string> bodies, joints, joint_names, joint_types, coordinates, coordinate_names, units,
      forces, force_names, force_types;
  for (const std::string& body : model.bodies) bodies.push_back(label("body", body));
  for (const RecordedItems::Joint& joint : model.joints) {
    joints.push_back(
        label(joint.type == "drive" || joint.type == "linear" ? joint.type : "joint", joint.name));
    joint_names.push_back(joint.name);
    joint_types.push_back(joint.type);
    for (const RecordedItems::Coordinate& coordinate : joint.coordinates) {
      coordinates.push_back(joints.back() + "." + coordinate.name);
      coordinate_names.push_back(joint.name + "." + coordinate.name);
      units.push_back(coordinate.is_angle ? "rad" : "m");
    }
  }
  for (const RecordedItems::Force& force : model.forces) {
    forces.push_back(label(force.type == "friction" ? "friction" : "force", force.name));
    force_names.push_back(force.name);
    force_types.push_back(force.type);
  }
  std::vector<std::string> springs, spring_names, spring_units;
  for (const RecordedItems::Spring& spring : model.springs) {
    springs.push_back("force." + spring.force);
    spring_names.push_back(spring.force);
    spring_units.push_back(spring.is_angle ? "rad" : "m");
  }
  std::vector<std::string> contacts;
  for (const std::string& contact : model.contacts) contacts.push_back(label("contact", contact));
  std::vector<std::string> signals, signal_names, signal_units;
  for (const BuiltSignal& signal : model.signals) {
    signals.push_back(label("signal", signal.name));
    signal_names.push_back(signal.name);
    signal_units.push_back(signal.unit.empty() ? "1" : signal.unit);
  }
  const auto write = [&](const char* group,
                         std::vector<std::pair<const char*, const std::vector<std::string>*>> lists) {
    const Handle made(H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(made.is_valid());
    for (const auto& [name, texts] : lists) check(hdf5::write_texts(made, name, *texts));
  };
  write("bodies", {{"names", &model.bodies}, {"labels", &bodies}});
  write("joints", {{"names", &joint_names}, {"types", &joint_types}, {"labels", &joints}});
  write("coordinates", {{"names", &coordinate_names}, {"units", &units}, {"labels", &coordinates}});
  write("forces", {{"names", &force_names}, {"types", &force_types}, {"labels", &forces}});
  if (!springs.empty())
    write("springs", {{"names", &spring_names}, {"units", &spring_units}, {"labels", &springs}});
  if (!contacts.empty()) write("contacts", {{"names", &model.contacts}, {"labels", &contacts}});
  if (!signals.empty())
    write("signals", {{"names", &signal_names}, {"units", &signal_units}, {"labels", &signals}});
  for (const char* group : {"energy", "constraints", "steps"}) write(group, {});
}

void ResultsWriter::File::keep(const Record& record) {
  for (std::size_t k = 0; k < fill.size(); ++k) fill[k](record, frames.add_row(k));
  frames.end_row(record.t);
  if (frames.is_due()) write(frames);
}

/// In the order of results_layout.h.
void ResultsWriter::File::keep(const StepRecord& step) {
  const std::array<double, 5> row{step.h, double(step.iterations), double(step.factorizations),
                                  double(step.rejections), step.error};
  for (std::size_t k = 0; k < row.size(); ++k) *steps.add_row(k) = row[k];
  steps.end_row(step.t);
  if (steps.is_due()) write(steps);
}

void ResultsWriter::File::write(ResultsTable& table) {
  if (const std::string why = reserve.ask(table.block_bytes()); !why.empty()) {
    close("failed", "no room for more results: " + why);
    fail(place.path(), "cannot write on", why);
  }
  if (const std::string why = place.what_happened(); !why.empty()) {
    is_finished = true;
    fail(place.path(), "cannot write on", why);
  }
  check(table.write(file));
  protect_end();
}

/// A chunk at the end of the file would be written over by the next one, since HDF5 gives its place back first; the file
/// on disk refers to it until then. So one byte of nothing follows it, and is there before the file says so.
void ResultsWriter::File::protect_end() {
  const Quiet quiet;
  haddr_t end = 0;
  if (H5Fincrement_filesize(file, 1) >= 0 && H5Fget_eoa(file, &end) >= 0) reserve.reach(end);
}

/// What came after the start, a line each, as an attribute: a data set that grew would be torn by a kill.
void ResultsWriter::File::add_said(const char* name, const std::vector<std::string>& texts,
                                   std::size_t known) {
  std::string lines;
  for (std::size_t k = known; k < texts.size(); ++k) {
    lines += texts[k];
    std::replace(lines.end() - static_cast<std::ptrdiff_t>(texts[k].size()), lines.end(), '\n', ' ');
    lines += '\n';
  }
  if (lines.empty()) return;
  const Handle group(H5Gopen2(file, "facts", H5P_DEFAULT), H5Gclose);
  check(hdf5::write_text(group, name, lines));
}

void ResultsWriter::File::close(const std::string& status, const std::string& message) {
  const Quiet quiet;
  is_finished = true;
  // Whoever reads that the run has ended finds the sums.
  check(frames.seal() && steps.seal() && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 &&
        hdf5::write_text(file, "status", status) && hdf5::write_text(file, "message", message) &&
        hdf5::write_text(file, "wall_time", formatted("{:.4g}", since_start.seconds())));
  const std::size_t left_behind = frames.left_behind() + steps.left_behind();
  frames = {};
  steps = {};
  check(file.close());
  reserve.give_back();
  compact(left_behind);
}

/// A run that is slow writes a block every second, long before it is full, and each leaves its place behind.
void ResultsWriter::File::compact(std::size_t left_behind) {
  constexpr std::size_t share = 8;  // of the file: less is not worth a copy
  std::error_code unknown;
  const std::size_t size = std::filesystem::file_size(place.path(), unknown);
  if (unknown || left_behind < size / share || !place.what_happened().empty()) return;
  if (write_compact(place.path(), place.beside())) place.take();
}

void ResultsWriter::File::check(bool done) {
  if (done) return;
  is_finished = true;  // nothing more is tried
  file.abandon();
  fail(place.path(), "cannot write on", hdf5::last_error());
}

// --- the writer

RecordedItems recorded_items(const BuiltModel& model) {
  RecordedItems items;
  items.bodies = model.bodies;
  items.solids = model.solids;
  items.modal = model.modal;
  const State start = model.system->initial_state();
  for (int b = 0; b < model.system->bodies(); ++b) {
    const MassProperties of = model.system->mass_properties(b);
    items.nodes.push_back(model.system->node_count(b));
    auto& arcs = items.arcs.emplace_back();
    for (int k = 0; k < model.system->section_count(b); ++k)
      arcs.push_back(model.system->section(b, k, start).arc);
    items.radius.push_back(items.nodes.back() > 0 ? std::sqrt(2 * of.inertia(2, 2) / of.mass) : 0);
  }
  for (const BuiltJoint& joint : model.joints) {
    auto& made = items.joints.emplace_back(RecordedItems::Joint{joint.name, joint.type, {}});
    for (const BuiltCoordinate& c : joint.coordinates) made.coordinates.push_back({c.name, c.is_angle});
  }
  for (const BuiltForce& force : model.forces) items.forces.push_back({force.name, force.type});
  for (const BuiltSpring& spring : model.springs)
    items.springs.push_back({model.forces[static_cast<std::size_t>(spring.force)].name, spring.is_angle()});
  for (const BuiltContact& contact : model.contacts) items.contacts.push_back(contact.name);
  items.signals = model.signals;
  return items;
}

ResultsWriter::ResultsWriter(const std::string& path, const RecordedItems& items, const ResultsInfo& info,
                             const RowsToKeep* to_keep)
    : file_(std::make_unique<File>(path, items, info, to_keep)) {}

ResultsWriter::~ResultsWriter() {
  const Quiet quiet;
  try {
    finish("failed", "the run ended without a word");
  } catch (const Error&) {  // who wants to know calls finish
  }
  file_.reset();
}

const std::string& ResultsWriter::set_aside() const { return file_->set_aside; }

void ResultsWriter::write(const Record& record) {
  if (!file_->is_finished) file_->keep(record);
}

void ResultsWriter::write(const StepRecord& step) {
  if (!file_->is_finished) file_->keep(step);
}

void ResultsWriter::write(const ModesRecord& modes) {
  const hdf5::Handle group(H5Gcreate2(file_->file, "modes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  const hsize_t dofs = modes.dofs.size();
  file_->check(group.is_valid() && hdf5::write_texts(group, "dofs", modes.dofs) &&
               hdf5::write_numbers(group, "frequency", modes.frequency) &&
               hdf5::write_numbers(group, "damping", modes.damping) &&
               hdf5::write_numbers(group, "eigenvalue_real", modes.eigenvalue_real) &&
               hdf5::write_numbers(group, "eigenvalue_imaginary", modes.eigenvalue_imaginary) &&
               hdf5::write_numbers(group, "shape_real", modes.shape_real, dofs) &&
               hdf5::write_numbers(group, "shape_imaginary", modes.shape_imaginary, dofs) &&
               hdf5::write_numbers(group, "outputs", modes.outputs, 2));
}

void ResultsWriter::write_kept() {
  if (file_->is_finished) return;
  file_->write(file_->steps);
  file_->write(file_->frames);
}

void ResultsWriter::archive(Archive& a) {
  for (const auto& last : file_->last_orientations) a(*last);
  for (const auto& most : file_->extremes) a(most->value, most->place, most->t);
}

std::vector<StressExtreme> ResultsWriter::stress_extremes() const {
  std::vector<StressExtreme> all;
  for (const auto& most : file_->extremes) all.push_back(*most);
  return all;
}

void ResultsWriter::finish(const std::string& status, const std::string& message,
                           const std::vector<std::string>& notes, const std::vector<std::string>& warnings) {
  if (file_->is_finished) return;
  write_kept();
  file_->add_said("notes", notes, file_->notes_at_start);
  file_->add_said("warnings", warnings, file_->warnings_at_start);
  file_->close(status, message);
}

}  // namespace hooke
