#pragma once
// The inside of a ResultsWriter: the file, its series, and what fills a row of each.
#include <functional>

#include "hooke/base/timer.h"
#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/results.h"
#include "hooke/io/results/results_layout.h"
#include "hooke/io/results/results_place.h"
#include "hooke/io/results/results_table.h"
#include "hooke/io/results/space_reserve.h"

namespace hooke {

/// Writes a row of a series.
using Fill = std::function<void(const Record&, double*)>;

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
  struct SurfaceField {
    const char *name, *components, *unit, *text;
  };
  void add_field(const std::string& body, const SurfaceField& field, std::size_t nodes, Fill row);
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
                    const hdf5::Handle& group);
  void add_sums();
  void protect_end();
  void copy_rows(const RowsToKeep& to_keep, const std::string& run);
  void keep_other(const ResultsInfo& info);
  void keep(const Record& record);
  void keep(const StepRecord& step);
  void write(ResultsTable& table);
  void add_said(const char* name, const std::vector<std::string>& texts, std::size_t known);
  void close(const std::string& status, const std::string& message);
  void compact(std::size_t left_behind);
  void check(bool done);

  ResultsPlace place;
  hdf5::Handle file;
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

}  // namespace hooke
