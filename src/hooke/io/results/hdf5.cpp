#include "hooke/io/results/hdf5.h"

#include <algorithm>
#include <cstdlib>

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
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

std::string last_error() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
  return reason.empty() ? "unknown reason" : reason;
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Quiet quiet;
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  constexpr std::size_t most = 60'000;  // an attribute must fit into an object's header
  const std::string kept = text.substr(0, most);
  const Handle type = text_type(kept.size() + 1), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.is_valid()) H5Awrite(attribute, type, kept.c_str());
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

void write_number(hid_t object, const std::string& name, double number) {
  const Quiet quiet;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (attribute.is_valid()) H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number);
}

double read_number(hid_t object, const std::string& name, double otherwise) {
  const Quiet quiet;
  if (H5Aexists(object, name.c_str()) <= 0) return otherwise;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  double number = otherwise;
  const bool is_one = H5Aget_storage_size(attribute) <= sizeof number;
  return is_one && H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0 ? number : otherwise;
}

static bool write_strings(hid_t parent, const std::string& name, const Handle& space, const void* data) {
  const Quiet quiet;
  const Handle type = text_type(H5T_VARIABLE);
  const Handle dataset(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  return dataset.is_valid() && (!data || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

bool write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  return write_strings(parent, name, space, texts.empty() ? nullptr : pointers.data());
}

bool write_single_text(hid_t parent, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  return write_strings(parent, name, Handle(H5Screate(H5S_SCALAR), H5Sclose), &pointer);
}

bool write_numbers(hid_t parent, const std::string& name, const std::vector<double>& numbers,
                   hsize_t columns) {
  const Quiet quiet;
  const hsize_t extent[] = {columns ? numbers.size() / columns : numbers.size(), columns};
  const Handle space(H5Screate_simple(columns ? 2 : 1, extent, nullptr), H5Sclose);
  const Handle dataset(
      H5Dcreate2(parent, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  return dataset.is_valid() &&
         H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0;
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const Quiet quiet;
  std::vector<std::string> texts;
  const Handle dataset(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) return texts;
  const Handle space(H5Dget_space(dataset), H5Sclose), stored(H5Dget_type(dataset), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count <= 0 || H5Tis_variable_str(stored) <= 0) return texts;

  const Handle type = text_type(H5T_VARIABLE);
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0) return texts;
  for (const char* pointer : pointers) texts.emplace_back(pointer ? pointer : "");
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  return texts;
}

std::vector<double> read_numbers(hid_t parent, const std::string& name) {
  const Quiet quiet;
  const Handle dataset(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) return {};
  const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return {};
  std::vector<double> numbers(
      static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
  if (numbers.empty() ||
      H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
    return {};
  return numbers;
}

std::vector<hsize_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.is_valid() ? H5Sget_simple_extent_ndims(space) : -1;
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

}  // namespace hooke::hdf5
