#pragma once
// The little of HDF5 that the results need, with handles that close themselves and errors that say why.
// HDF5's own printing of error stacks is silenced while one of these functions runs.
#include <hdf5.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace hooke::hdf5 {

/// An id of the library with the function that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close closes) : id_(id), close_(closes) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }

  bool is_valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  /// Closes now; false when that failed.
  bool close() { return !is_valid() || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }
  /// Never closes: for what HDF5 could not write, and would crash over when it is told to close it.
  void abandon() { id_ = H5I_INVALID_HID; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// HDF5 prints no error stacks while one of these lives.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Why the last call failed, in a few words: the system's own message ("No space left on device") where there
/// is one.
std::string last_error();

/// Whether each of some calls was done.
inline bool all_done(std::initializer_list<herr_t> results) {
  return std::all_of(results.begin(), results.end(), [](herr_t result) { return result >= 0; });
}

/// Text attributes; writing replaces what was there, and is false when it failed.
bool write_text(hid_t object, const std::string& name, const std::string& text);
/// The text of an attribute, or nothing ("") when there is none.
std::string read_text(hid_t object, const std::string& name);

/// A number as an attribute.
bool write_number(hid_t object, const std::string& name, double number);
double read_number(hid_t object, const std::string& name, double otherwise);

/// What is read does not agree with its checksum, or claims to be more than the file holds. Throws Error.
[[noreturn]] void fail_damaged(hid_t object, const std::string& name, const std::string& why);

/// Bytes of the file that an object is in.
std::size_t file_size(hid_t object);

/// A data set of texts: a list of them, or a single one. They have a checksum, as numbers do.
bool write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts);
bool write_single_text(hid_t parent, const std::string& name, const std::string& text);
std::vector<std::string> read_texts(hid_t parent, const std::string& name);

/// Numbers as a matrix of rows x columns, or a list when columns is 0.
bool write_numbers(hid_t parent, const std::string& name, const std::vector<double>& numbers,
                   hsize_t columns = 0);

/// All numbers of a data set, or nothing when there is none. Throws Error when it is damaged.
std::vector<double> read_numbers(hid_t parent, const std::string& name);

/// Nothing where there is no such data set; throws Error where there is one that cannot be opened.
Handle open_dataset(hid_t parent, const std::string& name);

/// Whether the numbers are stored as this program stores them; otherwise a description of how to read them is damaged, which
/// no checksum protects.
bool is_own_layout(hid_t dataset);

/// How many rows of a data set of growing length its chunks hold; goes through their whole index.
std::size_t stored_rows(hid_t dataset);

/// What the chunk with this row takes in the file.
std::size_t chunk_bytes(hid_t dataset, hsize_t row);

/// Where the chunks of a data set are in the file.
std::vector<std::uint64_t> chunk_places(hid_t dataset);
/// Whether each chunk of rows [first, first + count) is where the index says: HDF5 reads a chunk that it does not find as nan.
bool has_chunks(hid_t dataset, std::size_t first, std::size_t count);

/// The extent of a data set; empty when it is no data set.
std::vector<hsize_t> shape_of(hid_t dataset);

}  // namespace hooke::hdf5
