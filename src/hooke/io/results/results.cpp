#include "hooke/io/results/results.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <set>
#include <unordered_map>

#include "hooke/bodies/modal_data.h"
#include "hooke/fe/stress_matrix.h"
#include "hooke/io/results/drawing_file.h"
#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/results_layout.h"
#include "hooke/io/results/results_place.h"
#include "hooke/io/results/results_table.h"
#include "hooke/io/results/space_reserve.h"

// How the file stays readable whatever happens to the program:
// - Rows are kept in memory and written in blocks, each followed by H5Fflush; between two blocks the file on
// disk is
//   complete and consistent. HDF5 writes nothing in between, since its cache may not evict.
// - A chunk that grows is compressed again and written to a new place; the old place is never reused, so that
// what
//   the file on disk refers to is still there when the program dies inside a block (protect_end).
// - `time` is written and flushed after all else of the block. Its length is the number of complete frames;
// beyond it
//   there may be parts of a block that the program died in.
// - Index nodes do not cross a page, since a killed program's last write may end at one.
// - A new file takes the place of an old one when it can be read (results_place.h).
// - The disk is asked for the space of a block before HDF5 is, which does not survive a full disk.
// - HDF5's SWMR mode and its newest format would mark the file as open for writing, and after a crash most
// programs
//   would refuse it until h5clear is run. So the older format is used, and no lock, so that a run can be
//   looked at.
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
  if (!is_known || !hdf5::all_done({H5Pset_mdc_config(properties, &cache),
                                    H5Pset_alignment(properties, index_node, page)}))
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

/// Writes a row of a series.
using Fill = std::function<void(const Record&, double*)>;

/// One vector of each item of a list.
template <class Item, class Part>
Fill vectors(std::vector<Item> Record::*list, Part part) {
  return [=](const Record& record, double* out) {
    for (const Item& item : record.*list) {
      Eigen::Map<Vec3>{out} = part(item);
      out += 3;
    }
  };
}

Vec3 head(const Vec6& twist) { return twist.head<3>(); }
Vec3 tail(const Vec6& twist) { return twist.tail<3>(); }

}  // namespace

struct ResultsWriter::File {
  File(const std::string& path, const RecordedItems& model, const ResultsInfo& info,
       const RowsToKeep* to_keep);

  void name_items(const RecordedItems& model);
  void write_facts(const ResultsInfo& info);
  void add(const ResultsEntry& entry, std::size_t items, Fill fill);
  void add(const char* path, std::size_t items, Fill row) { add(results_entry(path), items, std::move(row)); }
  void add_bodies(std::size_t count);
  void add_rods(const RecordedItems& model, const Drawing& drawing);
  void add_surface(const std::string& body, const TriangleMesh& surface, Fill displacement, Fill stress);
  Fill watched(const std::string& name, const TriangleMesh& surface, Fill stress);
  void add_solid(const RecordedItems& model, const BuiltSolid& solid);
  void add_modal(const RecordedItems& model, std::size_t k);
  template <class Rotation>
  Fill orientations(std::size_t count, Rotation rotation);
  void add_joints(std::size_t count, std::size_t coordinates, ReactionAxes axes);
  void add_forces(std::size_t count);
  void add_springs(std::size_t count);
  void add_contacts(std::size_t count);
  void add_sections(std::size_t body, const std::vector<double>& arcs, const std::string& group_path,
                    const Handle& group);
  void add_sums();
  void protect_end();
  void copy_rows(const RowsToKeep& to_keep, const std::string& run);
  void keep_other(const ResultsInfo& info);
  void keep(const Record& record);
  void keep(const StepRecord& step);
  void write(ResultsTable& table);
  void add_said(const char* name, const std::vector<std::string>& texts, std::size_t known);
  void close(const std::string& status, const std::string& message);
  void check(bool done);

  ResultsPlace place;
  Handle file;
  SpaceReserve reserve;
  ResultsTable frames, steps;
  std::vector<Fill> fill;  ///< of each series of `frames`
  std::vector<std::unique_ptr<std::vector<Vec4>>> last_orientations;
  std::vector<std::unique_ptr<StressExtreme>> extremes;
  std::string set_aside;
  std::vector<std::string> contents;  ///< data sets of the list that are there
  std::size_t notes_at_start, warnings_at_start;
  bool is_finished = false;
  Timer since_start;
};

/// Few enough for the memory, and for what is compressed together.
static hsize_t frames_per_block(const RecordedItems& model, std::size_t nodes, std::size_t coordinates) {
  const std::size_t numbers = 19 * model.bodies.size() + 7 * nodes + 6 * model.joints.size() +
                              2 * coordinates + 6 * model.forces.size() + 3 * model.springs.size() +
                              8 * model.contacts.size() + model.signals.size() + 7;
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

void ResultsWriter::File::add(const ResultsEntry& entry, std::size_t items, Fill row) {
  frames.add(entry, items);
  contents.emplace_back(entry.path);
  fill.push_back(std::move(row));
}

void ResultsWriter::File::add_bodies(std::size_t count) {
  using Body = Record::Body;
  add("bodies/position", count,
      vectors(&Record::bodies, [](const Body& body) -> Vec3 { return body.pose.p; }));
  add("bodies/velocity", count, vectors(&Record::bodies, [](const Body& body) { return head(body.twist); }));
  add("bodies/angular_velocity", count,
      vectors(&Record::bodies, [](const Body& body) { return tail(body.twist); }));
  add("bodies/acceleration", count,
      vectors(&Record::bodies, [](const Body& body) { return head(body.acceleration); }));
  add("bodies/angular_acceleration", count,
      vectors(&Record::bodies, [](const Body& body) { return tail(body.acceleration); }));

  add("bodies/orientation", count,
      orientations(
          count, [](const Record& record, std::size_t b) -> const Mat3& { return record.bodies[b].pose.R; }));
}

static bool is_solid(const RecordedItems& model, std::size_t body) {
  return std::any_of(model.solids.begin(), model.solids.end(),
                     [=](const BuiltSolid& solid) { return solid.body == static_cast<int>(body); });
}

/// /solids/NAME: the surface, how its corners are displaced in the reference frame, and the stress there.
void ResultsWriter::File::add_surface(const std::string& body, const TriangleMesh& surface, Fill displacement,
                                      Fill stress) {
  const std::string group_path = "solids/" + body;
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Handle group(H5Gcreate2(file, group_path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(group.is_valid());
  check(write_mesh(group, surface));
  const auto add_field = [&](const char* name, const char* axes, const char* unit, const char* meaning,
                             Fill row) {
    const std::string field_path = group_path + "/" + name;
    frames.add({field_path.c_str(), Items::body, "", axes, unit, meaning}, surface.points.size());
    fill.push_back(std::move(row));
  };
  add_field("displacement", "xyz", "m", "of the surface's nodes, in the reference frame",
            std::move(displacement));
  if (stress)
    add_field("stress", "", "Pa", "of von Mises, at the surface's nodes",
              watched(body, surface, std::move(stress)));
}

/// Keeps the largest value, with its place and time.
Fill ResultsWriter::File::watched(const std::string& name, const TriangleMesh& surface, Fill stress) {
  extremes.push_back(std::make_unique<StressExtreme>(StressExtreme{name, 0, zero3, 0}));
  return [=, &most = *extremes.back(), points = surface.points](const Record& record, double* out) {
    stress(record, out);
    const double* largest = std::max_element(out, out + points.size());
    if (most.value >= *largest) return;
    most.value = *largest;
    most.place = points[static_cast<std::size_t>(largest - out)];
    most.t = record.t;
  };
}

namespace {

/// Triangles of some of many nodes, and the numbers of those nodes.
struct Surface {
  TriangleMesh mesh;
  std::vector<int> nodes;

  void add(const std::array<int, 3>& corners, const std::function<Vec3(int)>& place) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [known, is_new] = number_.try_emplace(corners[k], static_cast<int>(nodes.size()));
      triangle[k] = known->second;
      if (!is_new) continue;
      nodes.push_back(corners[k]);
      mesh.points.push_back(place(corners[k]));
    }
    mesh.triangles.push_back(triangle);
  }

 private:
  std::unordered_map<int, int> number_;
};

}  // namespace

void ResultsWriter::File::add_solid(const RecordedItems& model, const BuiltSolid& solid) {
  const auto body = static_cast<std::size_t>(solid.body);
  Surface surface;
  const auto where = [&](int n) { return solid.model->mesh.nodes[static_cast<std::size_t>(n)]; };
  for (const BoundaryFace& face : boundary_faces(solid.model->mesh)) {
    const auto& c = face.corners;
    surface.add({c[0], c[1], c[2]}, where);
    if (c[3] >= 0) surface.add({c[0], c[2], c[3]}, where);
  }
  const auto displacements = [body, of = solid.model](const Record& record) {
    return solid_displacements(*of, record.bodies[body].pose, record.nodes[body]);
  };
  add_surface(
      model.bodies[body], surface.mesh,
      [=, nodes = surface.nodes](const Record& record, double* out) {
        const Mat3X u = displacements(record);
        for (std::size_t k = 0; k < nodes.size(); ++k) Eigen::Map<Vec3>{out + 3 * k} = u.col(nodes[k]);
      },
      [=, S = stress_matrix(solid.model->mesh, solid.model->materials, solid.model->options, surface.nodes)](
          const Record& record, double* out) {
        const Mat3X u = displacements(record);
        const VectorX stresses = S * u.reshaped();
        for (int k = 0; k < stresses.size(); k += 6) *out++ = von_mises(stresses.segment<6>(k));
      });
}

/// Number `k` of the bodies with modes.
void ResultsWriter::File::add_modal(const RecordedItems& model, std::size_t k) {
  const std::shared_ptr<const ModalData> data = model.modal[k].data;
  const auto node = [data](int n) -> const ModalData::Node& {
    return data->nodes[static_cast<std::size_t>(n)];
  };
  Surface surface;
  for (const std::array<int, 3>& corners : data->triangles)
    surface.add(corners, [&](int n) { return node(n).at.p; });
  const bool stressed = std::all_of(surface.nodes.begin(), surface.nodes.end(),
                                    [&](int n) { return node(n).stress.size() > 0; });
  const auto displacement = [=, nodes = surface.nodes](const Record& record, double* out) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      Eigen::Map<Vec3>{out + 3 * n} = node(nodes[n]).shift * record.modal[k];
  };
  const auto stress = [=, nodes = surface.nodes](const Record& record, double* out) {
    for (int n : nodes) *out++ = von_mises(node(n).stress * record.modal[k]);
  };
  add_surface(model.bodies[static_cast<std::size_t>(model.modal[k].body)], surface.mesh, displacement,
              stressed ? Fill(stress) : Fill());
}

namespace {

bool write_outline(hid_t group, const char* name, const std::vector<Vec2>& outline) {
  std::vector<double> numbers;
  for (const Vec2& point : outline) numbers.insert(numbers.end(), {point.x(), point.y()});
  return outline.empty() || hdf5::write_numbers(group, name, numbers, 2);
}

}  // namespace

/// /rods/NAME: the poses of the nodes over time, and the section it is drawn with.
void ResultsWriter::File::add_rods(const RecordedItems& model, const Drawing& drawing) {
  const Handle all(H5Gcreate2(file, "rods", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto count = static_cast<std::size_t>(model.nodes[b]);
    if (count == 0 || is_solid(model, b)) continue;
    const std::string group_path = "rods/" + model.bodies[b];
    const Handle group(H5Gcreate2(file, group_path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(group.is_valid() && hdf5::write_number(group, "radius", model.radius[b]));
    for (const Drawing::Section& section : drawing.sections)
      if (section.body == static_cast<int>(b))
        check(write_outline(group, "outline", section.outline) && write_outline(group, "hole", section.hole));
    const std::string path_of_nodes = group_path + "/nodes";
    frames.add({path_of_nodes.c_str(), Items::body, "", "xyzwxyz", "m, 1",
                "positions and unit quaternions (w, x, y, z) of the nodes, world axes"},
               count);
    const Fill turns = orientations(
        count, [b](const Record& record, std::size_t n) -> const Mat3& { return record.nodes[b][n].R; });
    fill.push_back([=, row = std::vector<double>(4 * count)](const Record& record, double* out) mutable {
      turns(record, row.data());
      for (std::size_t n = 0; n < count; ++n, out += 7) {
        Eigen::Map<Vec3>{out} = record.nodes[b][n].p;
        std::copy_n(row.data() + 4 * n, 4, out + 3);
      }
    });
    if (b < model.arcs.size() && !model.arcs[b].empty()) add_sections(b, model.arcs[b], group_path, group);
  }
}

/// Strains and section forces of a rod, at the arc lengths `arcs`.
void ResultsWriter::File::add_sections(std::size_t body, const std::vector<double>& arcs,
                                       const std::string& group_path, const Handle& group) {
  check(hdf5::write_numbers(group, "arcs", arcs));
  const auto add_series = [&](const char* name, const char* unit, const char* text,
                              Vec6 SectionValues::*values) {
    const std::string path = group_path + "/" + name;
    frames.add({path.c_str(), Items::body, "", "xyzxyz", unit, text}, arcs.size());
    fill.push_back([=](const Record& record, double* out) {
      for (const SectionValues& section : record.sections[body]) {
        Eigen::Map<Vec6>{out} = section.*values;
        out += 6;
      }
    });
  };
  add_series("forces", "N, N m", "force and moment in the sections, in their axes (z along the rod)",
             &SectionValues::force);
  add_series("strains", "1, 1/m", "shear x, y, extension, bending about x, y, twist of the sections",
             &SectionValues::strain);
}

/// q and -q are the same rotation; the one nearer to the last frame makes curves without jumps.
template <class Rotation>
Fill ResultsWriter::File::orientations(std::size_t count, Rotation rotation) {
  last_orientations.push_back(std::make_unique<std::vector<Vec4>>(count, Vec4::UnitX()));
  return [=, &last = *last_orientations.back()](const Record& record, double* out) {
    for (std::size_t i = 0; i < count; ++i) {
      const Quat turn(rotation(record, i));
      Vec4 now(turn.w(), turn.x(), turn.y(), turn.z());
      if (now.dot(last[i]) < 0) now = -now;
      Eigen::Map<Vec4>(out + 4 * i) = last[i] = now;
    }
  };
}

void ResultsWriter::File::add_joints(std::size_t count, std::size_t coordinates, ReactionAxes axes) {
  using Joint = Record::Joint;
  ResultsEntry force = results_entry("joints/reaction_force"),
               torque = results_entry("joints/reaction_torque");
  if (axes != ReactionAxes::first) {  // what the list says
    const bool world = axes == ReactionAxes::world;
    force.text = world ? "on the second body, world axes" : "on the second body, axes of its joint frame";
    torque.text = world ? "on the second body about the origin of its joint frame, world axes"
                        : "on the second body about the origin of its joint frame, axes of that frame";
  }
  add(force, count, vectors(&Record::joints, [](const Joint& joint) { return head(joint.reaction); }));
  add(torque, count, vectors(&Record::joints, [](const Joint& joint) { return tail(joint.reaction); }));
  add("coordinates/value", coordinates, [](const Record& record, double* out) {
    for (const Joint& joint : record.joints)
      out = std::copy(joint.coordinates.begin(), joint.coordinates.end(), out);
  });
  add("coordinates/rate", coordinates, [](const Record& record, double* out) {
    for (const Joint& joint : record.joints) out = std::copy(joint.rates.begin(), joint.rates.end(), out);
  });
}

void ResultsWriter::File::add_forces(std::size_t count) {
  add("forces/force", count, vectors(&Record::forces, head));
  add("forces/torque", count, vectors(&Record::forces, tail));
}

void ResultsWriter::File::add_springs(std::size_t count) {
  const auto column = [](double Record::Spring::*number) {
    return [number](const Record& record, double* out) {
      for (const Record::Spring& spring : record.springs) *out++ = spring.*number;
    };
  };
  add("springs/length", count, column(&Record::Spring::length));
  add("springs/rate", count, column(&Record::Spring::rate));
  add("springs/tension", count, column(&Record::Spring::tension));
}

void ResultsWriter::File::add_contacts(std::size_t count) {
  using Contact = Record::Contact;
  add("contacts/gap", count, [](const Record& record, double* out) {
    for (const Contact& contact : record.contacts) *out++ = contact.gap;
  });
  add("contacts/force", count, vectors(&Record::contacts, [](const Contact& c) -> Vec3 { return c.force; }));
  add("contacts/place", count, vectors(&Record::contacts, [](const Contact& c) -> Vec3 { return c.place; }));
  add("contacts/points", count, [](const Record& record, double* out) {
    for (const Contact& contact : record.contacts) *out++ = contact.points;
  });
}

void ResultsWriter::File::add_sums() {
  add("energy/kinetic", 1, [](const Record& record, double* out) { *out = record.kinetic; });
  add("energy/potential", 1, [](const Record& record, double* out) { *out = record.potential; });
  add("energy/total", 1, [](const Record& record, double* out) { *out = record.kinetic + record.potential; });
  add("energy/supplied", 1, [](const Record& record, double* out) { *out = record.supplied; });
  add("energy/dissipated", 1, [](const Record& record, double* out) { *out = record.dissipated; });
  add("energy/error", 1, [](const Record& record, double* out) { *out = record.energy_error; });
  add("constraints/position", 1, [](const Record& record, double* out) { *out = record.position_violation; });
  add("constraints/velocity", 1, [](const Record& record, double* out) { *out = record.velocity_violation; });
  add("constraints/acceleration", 1,
      [](const Record& record, double* out) { *out = record.acceleration_violation; });
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
  check(hdf5::write_text(file, "status", status) && hdf5::write_text(file, "message", message) &&
        hdf5::write_text(file, "wall_time", formatted("{:.4g}", since_start.seconds())));
  frames = {};
  steps = {};
  check(file.close());
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
               hdf5::write_numbers(group, "shape_imaginary", modes.shape_imaginary, dofs));
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
