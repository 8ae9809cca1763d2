#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/results_layout.h"

namespace hooke::hdf5 {

/// Of all numbers of a series in their order, and of its name: what a chunk's own checksum cannot notice is a chunk of
/// another place or time, to which HDF5's index leads when it is damaged.
class SeriesSum {
 public:
  explicit SeriesSum(const std::string& path);
  void add(std::span<const double> numbers);
  std::string text() const;  ///< as it is in the file

  /// Before the series is complete.
  static constexpr const char* none = "----------------";
  static constexpr const char* attribute = "sum";

 private:
  std::uint64_t sum_ = 14695981039346656037u;  // FNV-1a, by words of 64 bits
};

/// A data set that grows by rows. Rows stay in memory until `write` appends them to the file.
class Series {
 public:
  /// `items`: how many the second dimension has; 0 is fine. `rows`: how many are compressed together.
  Series(hid_t file, const ResultsEntry& entry, std::size_t items, hsize_t rows);

  /// False when the file could not take the data set.
  bool is_made() const { return is_made_; }
  /// A new row, to be filled.
  double* add_row();
  std::size_t width() const { return width_; }
  std::size_t rows_kept() const { return rows_kept_; }
  void forget_beyond(std::size_t rows) {
    if (rows_kept_ > rows) kept_.resize((rows_kept_ = rows) * width_);
  }
  /// False when the file cannot take them; last_error() says why.
  bool write();
  /// Bytes of the file that chunks left behind when they grew.
  std::size_t left_behind() const { return left_behind_; }
  /// Writes the sum; nothing comes after it.
  bool seal() const;
  /// Adds rows of the same series in another file; false when they are not there.
  bool copy(hid_t from, hsize_t first, hsize_t count);

 private:
  std::string path_;
  Handle dataset_;
  bool is_made_ = false;
  std::vector<hsize_t> shape_;
  hsize_t rows_of_chunk_;
  std::size_t width_ = 1, rows_kept_ = 0, left_behind_ = 0;
  std::vector<double> kept_;
  SeriesSum sum_;
};

}  // namespace hooke::hdf5
