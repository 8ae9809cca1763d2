#include "hooke/io/results/hdf5.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "hooke/base/error.h"

namespace hooke::hdf5 {

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

namespace {

/// Of the stack of messages, from the innermost outwards, the first that quotes the system, else the
/// innermost.
herr_t keep_reason(unsigned, const H5E_error2_t* entry, void* data) {
  std::string& reason = *static_cast<std::string*>(data);
  const std::string text = entry->desc ? entry->desc : "";
  const std::string mark = "error message = '";
  if (const auto at = text.find(mark); at != text.npos) {
    const auto from = at + mark.size();
    reason = text.substr(from, text.find('\'', from) - from);
    return 1;
  }
  if (reason.empty()) reason = text;
  return 0;
}

Handle text_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (!all_done({H5Tset_size(type, size), H5Tset_cset(type, H5T_CSET_UTF8)})) return {};
  return type;
}

}  // namespace

std::string last_error() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
  return reason.empty() ? "unknown reason" : reason;
}

bool write_text(hid_t object, const std::string& name, const std::string& text) {
  const Quiet quiet;
  if (H5Aexists(object, name.c_str()) > 0 && H5Adelete(object, name.c_str()) < 0) return false;
  constexpr std::size_t most = 60'000;  // an attribute must fit into an object's header
  const std::string kept = text.substr(0, most);
  const Handle type = text_type(kept.size() + 1), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_valid() && H5Awrite(attribute, type, kept.c_str()) >= 0;
}

std::string read_text(hid_t object, const std::string& name) {
  const Quiet quiet;
  if (H5Aexists(object, name.c_str()) <= 0) return "";
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
  std::string text(H5Tget_size(type), '\0');
  if (H5Aget_storage_size(attribute) != text.size() || H5Aread(attribute, type, text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

bool write_number(hid_t object, const std::string& name, double number) {
  const Quiet quiet;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_valid() && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number) >= 0;
}

double read_number(hid_t object, const std::string& name, double otherwise) {
  const Quiet quiet;
  if (H5Aexists(object, name.c_str()) <= 0) return otherwise;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  double number = otherwise;
  const bool is_one = H5Aget_storage_size(attribute) <= sizeof number;
  return is_one && H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0 ? number : otherwise;
}

std::size_t file_size(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose);
  hsize_t size = 0;
  return file.is_valid() && H5Fget_filesize(file, &size) >= 0 ? size : 0;
}

void fail_damaged(hid_t object, const std::string& name, const std::string& why) {
  std::string path(H5Fget_name(object, nullptr, 0) + 1, '\0');
  H5Fget_name(object, path.data(), path.size());
  path.pop_back();
  throw Error(ExitCode::file, formatted("{}: '{}' is damaged: {}; run the model again", path, name, why));
}

Handle open_dataset(hid_t parent, const std::string& name) {
  const Quiet quiet;
  const std::size_t slash = name.rfind('/');
  if (slash != name.npos && H5Lexists(parent, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return {};
  if (H5Lexists(parent, name.c_str(), H5P_DEFAULT) <= 0) return {};
  Handle dataset(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail_damaged(parent, name, last_error());
  return dataset;
}

namespace {

/// FNV-1a of the texts with their ends. HDF5 has no checksum for texts of any length.
std::string checksum(const std::vector<const char*>& texts) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char* text : texts) do
      sum = (sum ^ static_cast<unsigned char>(text ? *text : 0)) * 0x100000001b3;
    while (text && *text++);
  return formatted("{}", static_cast<long long>(sum));
}

bool write_strings(hid_t parent, const std::string& name, const Handle& space,
                   const std::vector<const char*>& texts) {
  const Quiet quiet;
  const Handle type = text_type(H5T_VARIABLE);
  Handle dataset(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Dclose);
  if (!dataset.is_valid()) return false;
  const bool written =
      write_text(dataset, "checksum", checksum(texts)) &&
      (texts.empty() || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0);
  return dataset.close() && written;  // what was buffered goes to the file here
}

/// One chunk with a checksum; what is empty cannot have one.
Handle with_checksum(const hsize_t* extent, int rank) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  constexpr hsize_t most = 1 << 20;  // numbers of a chunk
  std::array<hsize_t, 2> chunk{extent[0], rank > 1 ? extent[1] : 1};
  if (chunk[0] == 0 || chunk[1] == 0 || chunk[1] > most) return properties;
  chunk[0] = std::min(chunk[0], most / chunk[1]);
  if (!all_done({H5Pset_chunk(properties, rank, chunk.data()), H5Pset_fletcher32(properties)})) return {};
  return properties;
}

}  // namespace

bool write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  return write_strings(parent, name, space, pointers);
}

bool write_single_text(hid_t parent, const std::string& name, const std::string& text) {
  return write_strings(parent, name, Handle(H5Screate(H5S_SCALAR), H5Sclose), {text.c_str()});
}

bool write_numbers(hid_t parent, const std::string& name, const std::vector<double>& numbers,
                   hsize_t columns) {
  const Quiet quiet;
  const hsize_t extent[] = {columns ? numbers.size() / columns : numbers.size(), columns};
  const Handle space(H5Screate_simple(columns ? 2 : 1, extent, nullptr), H5Sclose);
  Handle dataset(H5Dcreate2(parent, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                            with_checksum(extent, columns ? 2 : 1), H5P_DEFAULT),
                 H5Dclose);
  const bool written = dataset.is_valid() && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                      H5P_DEFAULT, numbers.data()) >= 0;
  return dataset.close() && written;
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Quiet quiet;
  std::vector<std::string> texts;
  const Handle dataset = open_dataset(parent, name);
  if (!dataset.is_valid()) return texts;
  const Handle space(H5Dget_space(dataset), H5Sclose), stored(H5Dget_type(dataset), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count <= 0 || H5Tis_variable_str(stored) <= 0) return texts;
  constexpr std::size_t reference = 16;  // bytes that each takes, besides its text
  if (static_cast<std::size_t>(count) > file_size(dataset) / reference)
    fail_damaged(dataset, name, "it claims to be larger than the file");

  const Handle type = text_type(H5T_VARIABLE);
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    fail_damaged(dataset, name, last_error());
  const std::string sum = read_text(dataset, "checksum");
  const bool is_whole = sum.empty() || sum == checksum({pointers.begin(), pointers.end()});
  for (const char* pointer : pointers) texts.emplace_back(pointer ? pointer : "");
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  if (!is_whole) fail_damaged(dataset, name, "its checksum is wrong");
  return texts;
}

std::vector<double> read_numbers(hid_t parent, const std::string& name) {
  const Quiet quiet;
  const Handle dataset = open_dataset(parent, name);
  if (!dataset.is_valid()) return {};
  const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  if (!is_own_layout(dataset)) fail_damaged(dataset, name, "its numbers are of an unknown kind");
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  if (count > file_size(dataset) / std::max<std::size_t>(H5Tget_size(type), 1))
    fail_damaged(dataset, name, "it claims to be larger than the file");
  std::vector<double> numbers(count);
  if (count > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
    fail_damaged(dataset, name, last_error());
  return numbers;
}

bool is_own_layout(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose), properties(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Tequal(type, H5T_IEEE_F64LE) <= 0 && H5Tequal(type, H5T_STD_I32LE) <= 0) return false;
  for (int k = 0; k < H5Pget_nfilters(properties); ++k) {
    unsigned flags = 0, values[4] = {}, config = 0;
    std::size_t count = 4;
    switch (
        H5Pget_filter2(properties, static_cast<unsigned>(k), &flags, &count, values, 0, nullptr, &config)) {
      case H5Z_FILTER_SHUFFLE:
        if (count < 1 || values[0] != H5Tget_size(type)) return false;
        break;
      case H5Z_FILTER_DEFLATE:
      case H5Z_FILTER_FLETCHER32:
        break;
      default:
        return false;
    }
  }
  return true;
}

/// Of one that lies there as a whole.
static bool is_in_file(hid_t dataset) {
  const std::size_t end = file_size(dataset);
  const haddr_t at = H5Dget_offset(dataset);
  const hsize_t size = H5Dget_storage_size(dataset);
  return !shape_of(dataset).empty() && at != HADDR_UNDEF && size <= end && at <= end - size;
}

std::size_t stored_rows(hid_t dataset) {
  const std::vector<hsize_t> shape = shape_of(dataset);
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<hsize_t> chunk(shape.size(), 1);
  hsize_t chunks = 0;
  if (H5Pget_layout(properties) == H5D_CONTIGUOUS) return is_in_file(dataset) ? shape.at(0) : 0;
  if (shape.empty() || H5Pget_layout(properties) != H5D_CHUNKED ||
      H5Pget_chunk(properties, static_cast<int>(shape.size()), chunk.data()) < 0)
    return 0;
  for (std::size_t k = 1; k < shape.size(); ++k) {
    if (shape[k] == 0) return shape[0];  // rows of nothing need no chunk
    if (shape[k] != chunk[k]) return 0;
  }
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Dget_num_chunks(dataset, space, &chunks) < 0) return 0;
  return chunks < shape[0] / chunk[0] ? chunks * chunk[0] : shape[0];
}

std::size_t chunk_bytes(hid_t dataset, hsize_t row) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<hsize_t> chunk(shape_of(dataset).size(), 1), start(chunk.size(), 0);
  if (H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) < 0) return 0;
  start[0] = row / chunk[0] * chunk[0];
  unsigned skipped_filters = 0;
  haddr_t at = HADDR_UNDEF;
  hsize_t size = 0;
  return H5Dget_chunk_info_by_coord(dataset, start.data(), &skipped_filters, &at, &size) >= 0 ? size : 0;
}

std::vector<std::uint64_t> chunk_places(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose), space(H5Dget_space(dataset), H5Sclose);
  std::vector<std::uint64_t> places;
  hsize_t count = 0;
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Dget_num_chunks(dataset, space, &count) < 0)
    return places;
  std::vector<hsize_t> start(std::max<std::size_t>(1, shape_of(dataset).size()), 0);
  for (hsize_t k = 0; k < count; ++k) {
    unsigned filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t size = 0;
    if (H5Dget_chunk_info(dataset, space, k, start.data(), &filters, &at, &size) >= 0 && at != HADDR_UNDEF)
      places.push_back(at);
  }
  return places;
}

bool has_chunks(hid_t dataset, std::size_t first, std::size_t count) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<hsize_t> chunk(shape_of(dataset).size(), 1), start(chunk.size(), 0);
  if (H5Pget_layout(properties) == H5D_CONTIGUOUS) return is_in_file(dataset);
  if (H5Pget_layout(properties) != H5D_CHUNKED ||
      H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) < 0)
    return false;
  const std::size_t end = file_size(dataset);
  for (start[0] = first / chunk[0] * chunk[0]; start[0] < first + count; start[0] += chunk[0]) {
    unsigned skipped_filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t size = 0;
    if (H5Dget_chunk_info_by_coord(dataset, start.data(), &skipped_filters, &at, &size) < 0 ||
        at == HADDR_UNDEF || skipped_filters != 0 || size > end || at > end - size)
      return false;
  }
  return true;
}

std::vector<hsize_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.is_valid() ? H5Sget_simple_extent_ndims(space) : -1;
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

}  // namespace hooke::hdf5
