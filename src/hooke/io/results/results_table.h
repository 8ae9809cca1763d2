#pragma once
#include <vector>

#include "hooke/base/timer.h"
#include "hooke/io/results/series.h"

namespace hooke {

/// Series with a common time, kept in memory and written in blocks. The time goes last, after a flush: a row
/// whose time is in the file is there in all series.
class ResultsTable {
 public:
  /// What a crash may lose: this many seconds, or this fraction of the run so far. (Each block written before
  /// its chunks are full will be written again, so long and slow runs should not write one every second.)
  static constexpr double seconds_per_block = 1, fraction_per_block = 0.02;

  ResultsTable() = default;
  ResultsTable(hid_t file, const ResultsEntry& time, hsize_t rows_per_block);

  void add(const ResultsEntry& entry, std::size_t items);
  /// False when the file could not take a data set.
  bool is_made() const;
  /// The new row of series k, to be filled; when all are, end_row.
  double* add_row(std::size_t k) { return series_[k].add_row(); }
  void end_row(double t);

  bool is_due() const;
  /// The most that writing can add to the file.
  std::size_t block_bytes() const { return block_bytes_; }
  /// False when it failed; hdf5::last_error() says why.
  bool write(hid_t file);
  /// Bytes of the file that blocks written before they were full left behind.
  std::size_t left_behind() const;
  /// All rows are there: writes the sums.
  bool seal() const;
  /// Takes over the first rows of the same table in another file; false when they are not there.
  bool copy(hid_t from, hsize_t rows, hid_t file);

 private:
  hid_t file_ = H5I_INVALID_HID;
  std::vector<hdf5::Series> series_, time_;  ///< time_: one
  hsize_t rows_per_block_ = 1, rows_ = 0;
  std::size_t block_bytes_ = 0;
  Timer since_start_, since_block_;
};

}  // namespace hooke
