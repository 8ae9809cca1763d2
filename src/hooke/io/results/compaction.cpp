#include "hooke/io/results/compaction.h"

#include <unistd.h>

#include <filesystem>

#include "hooke/io/results/hdf5.h"
#include "hooke/io/results/space_reserve.h"

namespace hooke {
namespace {

using hdf5::Handle;

bool copy_attribute(hid_t from, const char* name, hid_t to) {
  const Handle old(H5Aopen(from, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(old), H5Tclose), space(H5Aget_space(old), H5Sclose);
  const Handle copy(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::string bytes(H5Aget_storage_size(old), '\0');
  return copy.is_valid() && H5Aread(old, type, bytes.data()) >= 0 && H5Awrite(copy, type, bytes.data()) >= 0;
}

/// What hangs on the root: its attributes, and all below.
bool copy_all(hid_t from, hid_t to) {
  const auto attribute = [](hid_t file, const char* name, const H5A_info_t*, void* target) -> herr_t {
    return copy_attribute(file, name, *static_cast<hid_t*>(target)) ? 0 : -1;
  };
  const auto link = [](hid_t file, const char* name, const H5L_info_t*, void* target) -> herr_t {
    return H5Ocopy(file, name, *static_cast<hid_t*>(target), name, H5P_DEFAULT, H5P_DEFAULT);
  };
  return H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, attribute, &to) >= 0 &&
         H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, link, &to) >= 0;
}

}  // namespace

bool write_compact(const std::string& from, const std::string& to) {
  const hdf5::Quiet quiet;
  std::error_code unknown;
  const std::size_t most = std::filesystem::file_size(from, unknown);
  const Handle old(H5Fopen(from.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  Handle made(H5Fcreate(to.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!unknown && old.is_valid() && made.is_valid()) {
    const SpaceReserve reserve(to);
    const bool done = reserve.ask(most).empty() && copy_all(old, made) && made.close();
    reserve.give_back();
    if (done) return true;
  }
  made.close();
  unlink(to.c_str());
  return false;
}

}  // namespace hooke
