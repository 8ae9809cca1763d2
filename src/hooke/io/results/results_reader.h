#pragma once
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hooke/io/results/results_layout.h"
#include "hooke/record/drawing.h"

/// Reading a results file by the names users know its numbers by. A file that is still being written, or
/// whose program was killed, reads like any other, as far as it goes: what is caught in the middle of a block is
/// read again, as long as there is a run that writes.
///
///   hooke::ResultsReader results("results/slider_crank/results.h5");
///   std::vector<double> t = results.read("time"), x = results.read("body.slider.position.x");
namespace hooke {

/// A number that changes over the run: a column of a table.
struct Quantity {
  std::string name, unit;
  const ResultsEntry* entry = nullptr;  ///< the data set it is in
  std::size_t column = 0;               ///< among the numbers of one row there

  bool is_per_step() const { return entry->of == Items::step; }  ///< otherwise: per output
};

class ResultsReader {
 public:
  struct About {
    std::string version, title, status, message, created, integrator, solver, wall_time;
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<std::string> notes, warnings;
  };
  /// A flexible rod: the poses of its nodes over time are /rods/NAME/nodes.
  struct Rod {
    std::string name, path;
    std::size_t nodes = 0;
    double radius = 0;                ///< of a cylinder with its inertia
    std::vector<Vec2> outline, hole;  ///< of its section, in the axes x and y of the nodes; may be empty
  };
  /// A deformable solid, /solids/NAME: triangles of its surface, how far its nodes are displaced in the
  /// reference frame of the body of that name, and numbers at the nodes (stress, strain) to colour it by.
  struct Solid {
    struct Field {
      std::string name, unit, path;
    };
    std::string name, displacement;  ///< name; path of (time, node, 3)
    TriangleMesh mesh;               ///< undeformed, in the reference frame
    std::vector<Field> fields;       ///< (time, node)
  };
  struct Modes {
    std::vector<double> frequency, damping, eigenvalue_real, eigenvalue_imaginary;
    /// Outputs that show the real and the imaginary part of each, beside output 0, the state of rest; -1: none.
    std::vector<std::array<int, 2>> outputs;
  };

  /// Throws Error (ExitCode::file) when there is no results file.
  explicit ResultsReader(const std::string& path);
  ~ResultsReader();

  const About& about() const { return about_; }
  /// The whole problem as it was run, as a model file; empty in files of earlier versions. And the file it came from.
  std::string settings() const;
  std::string model_file() const;
  std::string model_text() const;
  Drawing drawing() const;
  Modes modes() const;
  const std::vector<Rod>& rods() const { return rods_; }
  const std::vector<Solid>& solids() const { return solids_; }
  std::vector<std::string> joint_types() const;  ///< in the order of the joints
  std::vector<std::string> force_types() const;
  std::vector<std::string> coordinate_units() const;
  std::vector<std::string> labels(Items items) const;  ///< body.slider, ... in the order of the data sets
  std::size_t frames() const { return frames_; }
  std::size_t steps() const { return steps_; }
  std::size_t rows(const Quantity& quantity) const { return quantity.is_per_step() ? steps_ : frames_; }

  /// All that is in the file; `time` is the first.
  const std::vector<Quantity>& quantities() const { return quantities_; }
  /// Throws Error (ExitCode::usage), with a suggestion, when there is none of that name.
  const Quantity& find(const std::string& name) const;
  /// Those meant by names, the beginnings of names (body.slider) and patterns (body.*.position.x), in the
  /// order they are asked for, each once. Throws as `find` does.
  std::vector<Quantity> select(const std::vector<std::string>& names) const;

  std::vector<double> read(const std::string& name) const;
  /// Rows [first, first + count) of several quantities with equally many rows, row by row.
  std::vector<double> read(const std::vector<Quantity>& wanted, std::size_t first, std::size_t count) const;
  /// Rows of a whole data set, such as "bodies/position" or that of a rod.
  std::vector<double> read_rows(const std::string& path, std::size_t first, std::size_t count) const;
  /// Beyond, it takes too long to read all numbers only to see whether that can be done.
  static constexpr std::size_t large_file = 8 << 20;
  /// Reads all texts and all rows, or of a large file the first and the last ones, to see whether that can be done.
  void try_all() const;

 private:
  struct File;

  void open();
  void list_quantities();
  void list_rods();
  void list_solids();
  void name_nodes(const Rod& rod);
  void name_sections(const Rod& rod);
  void reopen() const;
  void add_quantities(const ResultsEntry& entry, const std::vector<std::string>& labels,
                      const std::vector<std::string>& units);
  std::size_t complete_rows(const ResultsEntry& times) const;
  /// Still being written, or its program was killed: what is missing at its end is no damage.
  bool is_running() const { return about_.status == "running"; }
  [[noreturn]] void damaged(const std::string& path, const std::string& why) const;
  std::vector<std::size_t> shape_of(const std::string& path) const;  ///< throws when there is none
  void check_shape(const ResultsEntry& entry, std::size_t items) const;
  /// All rows are there; false when some are not, or not yet.
  bool read_whole(const std::string& path, std::size_t first, std::size_t count,
                  std::vector<double>& rows) const;
  void read_dataset(const std::string& path, std::size_t first, std::size_t count,
                    std::vector<double>& rows) const;

  std::string path_;
  std::unique_ptr<File> file_;
  About about_;
  std::string run_;  ///< tells the file from those of other runs
  std::size_t frames_ = 0, steps_ = 0;
  std::vector<Quantity> quantities_;
  std::vector<Rod> rods_;
  std::vector<Solid> solids_;
  std::deque<std::string> rod_paths_;  ///< which rod_entries_ point at
  std::deque<ResultsEntry> rod_entries_;
};

}  // namespace hooke
