#include "hooke/io/results/series.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "hooke/base/format.h"

namespace hooke::hdf5 {
namespace {

/// Chunked, shuffled, compressed and with a checksum; rows that never arrived read as nan.
Handle creation_properties(const std::vector<hsize_t>& shape, hsize_t rows, bool is_count) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  std::vector<hsize_t> chunk = shape;
  chunk[0] = rows;
  for (hsize_t& extent : chunk) extent = std::max<hsize_t>(extent, 1);
  const double missing = is_count ? 0 : std::numeric_limits<double>::quiet_NaN();
  const unsigned speed = 1;
  // Compression is not optional, as H5Pset_deflate makes it: a chunk that was left as it is for want of memory
  // could not be told from a damaged one.
  const auto filter = [&](H5Z_filter_t which, std::size_t count) {
    return H5Pset_filter(properties, which, H5Z_FLAG_MANDATORY, count, &speed);
  };
  const bool done = all_done({H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()),
                              filter(H5Z_FILTER_SHUFFLE, 0), filter(H5Z_FILTER_DEFLATE, 1),
                              H5Pset_fletcher32(properties),  // damage is noticed when it is read
                              H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &missing),
                              H5Pset_obj_track_times(properties, false)});
  return done ? std::move(properties) : Handle();
}

/// The chunk being filled stays in memory, so that it is compressed once per block and not once per call.
Handle access_properties(hsize_t chunk_bytes) {
  Handle properties(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(properties, 7, 2 * chunk_bytes, 1.0);
  return properties;
}

}  // namespace

SeriesSum::SeriesSum(const std::string& path) {
  for (const char c : path) add(std::array{static_cast<double>(c)});
}

void SeriesSum::add(std::span<const double> numbers) {
  constexpr std::uint64_t prime = 1099511628211u;
  for (const double number : numbers) sum_ = (sum_ ^ std::bit_cast<std::uint64_t>(number)) * prime;
}

std::string SeriesSum::text() const { return formatted("{:016x}", sum_); }

Series::Series(hid_t file, const ResultsEntry& entry, std::size_t items, hsize_t rows)
    : path_(entry.path), rows_of_chunk_(rows), sum_(path_) {
  shape_ = {0};
  if (!group_of(entry.of).empty()) shape_.push_back(items);
  if (*entry.components) shape_.push_back(static_cast<hsize_t>(entry.width()));
  for (std::size_t k = 1; k < shape_.size(); ++k) width_ *= shape_[k];

  std::vector<hsize_t> most = shape_;
  most[0] = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(static_cast<int>(shape_.size()), shape_.data(), most.data()), H5Sclose);
  const Handle creation = creation_properties(shape_, rows, entry.is_count);
  const Handle access = access_properties(rows * std::max<std::size_t>(width_, 1) * sizeof(double));
  const hid_t type = entry.is_count ? H5T_STD_I32LE : H5T_IEEE_F64LE;
  dataset_ = Handle(H5Dcreate2(file, entry.path, type, space, H5P_DEFAULT, creation, access), H5Dclose);
  is_made_ = creation.is_valid() && dataset_.is_valid() &&
             (!*entry.unit || write_text(dataset_, "unit", entry.unit)) &&
             (!*entry.components || write_text(dataset_, "components", entry.components)) &&
             write_text(dataset_, "description", entry.text) &&
             write_text(dataset_, SeriesSum::attribute, SeriesSum::none);
}

double* Series::add_row() {
  kept_.resize((rows_kept_ + 1) * width_);  // first: there is no row where memory for it ends
  return kept_.data() + rows_kept_++ * width_;
}

bool Series::write() {
  if (rows_kept_ == 0) return true;
  std::vector<hsize_t> first(shape_.size(), 0), count = shape_;
  if (width_ > 0 && shape_[0] % rows_of_chunk_ != 0) left_behind_ += chunk_bytes(dataset_, shape_[0]);
  first[0] = shape_[0];
  count[0] = rows_kept_;
  shape_[0] += rows_kept_;
  rows_kept_ = 0;
  if (H5Dset_extent(dataset_, shape_.data()) < 0) return false;
  if (width_ == 0) return true;

  const Handle in_file(H5Dget_space(dataset_), H5Sclose);
  const Handle in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  const bool done = H5Dwrite(dataset_, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, kept_.data()) >= 0;
  sum_.add(kept_);
  kept_.clear();
  return done;
}

/// In place: a full disk has room for it.
bool Series::seal() const {
  const Handle attribute(H5Aopen(dataset_, SeriesSum::attribute, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  return H5Awrite(attribute, type, sum_.text().c_str()) >= 0;
}

bool Series::copy(hid_t from, hsize_t first_row, hsize_t rows) {
  const Handle old(H5Dopen2(from, path_.c_str(), H5P_DEFAULT), H5Dclose);
  std::vector<hsize_t> there = old.is_valid() ? shape_of(old) : std::vector<hsize_t>();
  if (there.size() != shape_.size() || there[0] < first_row + rows ||
      !std::equal(there.begin() + 1, there.end(), shape_.begin() + 1))
    return false;
  kept_.resize((rows_kept_ + rows) * width_);
  double* to = kept_.data() + rows_kept_ * width_;
  rows_kept_ += rows;
  if (width_ == 0) return true;
  std::vector<hsize_t> first(shape_.size(), 0), count = shape_;
  first[0] = first_row;
  count[0] = rows;
  const Handle in_file(H5Dget_space(old), H5Sclose);
  const Handle in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  return H5Dread(old, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, to) >= 0;
}

}  // namespace hooke::hdf5
