#include "hooke/io/results/results_table.h"

#include <algorithm>

namespace hooke {

ResultsTable::ResultsTable(hid_t file, const ResultsEntry& time, hsize_t rows_per_block)
    : file_(file), rows_per_block_(rows_per_block) {
  add(time, 0);
  time_ = std::exchange(series_, {});
}

void ResultsTable::add(const ResultsEntry& entry, std::size_t items) {
  constexpr std::size_t index_bytes = 8 << 10;  // HDF5's own, for a new chunk
  series_.emplace_back(file_, entry, items, rows_per_block_);
  block_bytes_ += rows_per_block_ * series_.back().width() * sizeof(double) + index_bytes;
}

bool ResultsTable::is_made() const {
  const auto all = [](const std::vector<hdf5::Series>& list) {
    return std::all_of(list.begin(), list.end(), [](const hdf5::Series& series) { return series.is_made(); });
  };
  return all(series_) && all(time_);
}

void ResultsTable::end_row(double t) {
  *time_[0].add_row() = t;
  ++rows_;
}

bool ResultsTable::is_due() const {
  const double patience = std::max(seconds_per_block, fraction_per_block * since_start_.seconds());
  return rows_ % rows_per_block_ == 0 || since_block_.seconds() > patience;
}

bool ResultsTable::write(hid_t file) {
  const hdf5::Quiet quiet;
  for (hdf5::Series& series : series_) {
    series.forget_beyond(time_[0].rows_kept());  // a row that there was no memory for
    if (!series.write()) return false;
  }
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || !time_[0].write() || H5Fflush(file, H5F_SCOPE_LOCAL) < 0)
    return false;
  since_block_.restart();
  return true;
}

std::size_t ResultsTable::left_behind() const {
  std::size_t bytes = 0;
  for (const auto* all : {&series_, &time_})
    for (const hdf5::Series& series : *all) bytes += series.left_behind();
  return bytes;
}

bool ResultsTable::seal() const {
  const hdf5::Quiet quiet;
  const auto all = [](const std::vector<hdf5::Series>& list) {
    return std::all_of(list.begin(), list.end(), [](const hdf5::Series& series) { return series.seal(); });
  };
  return all(series_) && all(time_);
}

bool ResultsTable::copy(hid_t from, hsize_t rows, hid_t file) {
  const hdf5::Quiet quiet;
  for (hsize_t first = 0; first < rows; first += rows_per_block_) {
    const hsize_t count = std::min(rows_per_block_, rows - first);
    for (auto* all : {&series_, &time_})
      for (hdf5::Series& series : *all)
        if (!series.copy(from, first, count)) return false;
    rows_ += count;
    if (!write(file)) return false;
  }
  return true;
}

}  // namespace hooke
