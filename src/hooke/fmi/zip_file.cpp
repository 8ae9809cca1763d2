#include "hooke/fmi/zip_file.h"

#include <unistd.h>
#include <zip.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include "hooke/base/error.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/value.h"

namespace hooke {
namespace {

namespace fs = std::filesystem;

// Far more than honest FMUs have; less than fills a disk.
constexpr int most_files = 20'000;
constexpr double most_mebibytes = 2048;
// Of deflate, 1 to 9: a fifth of the time of 9, for an archive that is 6 % larger (hooke_fmu.so, 8 MB).
constexpr zip_uint32_t library_level = 3;

struct Discard {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, Discard>;
using ZipFile = std::unique_ptr<zip_file_t, Discard>;

[[noreturn]] void fail(const std::string& archive, const std::string& what) {
  throw Error(ExitCode::file, formatted("{}: {}", archive, what));
}

Zip open_zip(const std::string& path, int flags) {
  int code = 0;
  Zip zip(zip_open(path.c_str(), flags, &code));
  if (zip) return zip;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(path, "cannot be opened as a zip archive: " + why);
}

/// Why a name may not be unpacked; nothing when it may.
std::string name_trouble(const std::string& name) {
  if (name.empty()) return "has no name";
  if (name.size() > 1000) return "has a name of more than 1000 characters";
  if (name[0] == '/' || name.find('\\') != name.npos || name.find(':') != name.npos)
    return "has a name that is no relative path with '/' between folders";
  for (const unsigned char c : name)
    if (c < ' ' || c == 0x7f) return "has a control character in its name";
  for (const fs::path& part : fs::path(name))
    if (part == ".." || part == ".") return "leads out of its folder";
  return "";
}

struct Listed {
  zip_uint64_t index;
  std::string name;
  zip_uint64_t size;
};

bool is_link(zip_t* zip, zip_uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(zip, index, 0, &system, &attributes) != 0 || system != ZIP_OPSYS_UNIX)
    return false;
  const zip_uint32_t type = attributes >> 16 & 0170000;
  return type != 0 && type != 0100000 && type != 0040000;
}

/// What is in it, all of it looked at.
std::vector<Listed> list_of(zip_t* zip, const std::string& archive) {
  const zip_int64_t count = zip_get_num_entries(zip, 0);
  if (count > most_files)
    fail(archive, formatted("has {} entries; at most {} are unpacked", count, most_files));
  std::vector<Listed> all;
  std::set<std::string> known;
  double total = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t about;
    zip_stat_init(&about);
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(zip, index, ZIP_FL_ENC_RAW, &about) != 0 || (about.valid & needed) != needed)
      fail(archive, formatted("entry {} cannot be read: {}", i + 1, zip_strerror(zip)));
    Listed one{index, about.name, about.size};
    const auto refuse = [&](const std::string& why) {
      fail(archive, formatted("entry '{}' {}", excerpt(one.name), why));
    };
    if (const std::string trouble = name_trouble(one.name); !trouble.empty()) refuse(trouble);
    if (!known.insert(fs::path(one.name).lexically_normal().generic_string()).second)
      refuse("is there twice");
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
      refuse("is compressed by a method that FMUs do not use");
    if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && about.encryption_method != ZIP_EM_NONE)
      refuse("is encrypted");
    if (is_link(zip, index)) refuse("is a link or a device, not a file");
    total += mebibytes(about.size);
    if (total > most_mebibytes)
      fail(archive,
           formatted("would have more than {} MiB when unpacked, which is the limit", most_mebibytes));
    all.push_back(std::move(one));
  }
  return all;
}

void unpack(zip_t* zip, const Listed& entry, const fs::path& target, const std::string& archive) {
  const auto refuse = [&](const std::string& why) {
    fail(archive, formatted("entry '{}' {}", excerpt(entry.name), why));
  };
  std::error_code error;
  if (entry.name.back() == '/') {
    fs::create_directories(target, error);
    if (error) refuse("cannot be unpacked: " + error.message());
    return;
  }
  fs::create_directories(target.parent_path(), error);
  const ZipFile from(zip_fopen_index(zip, entry.index, 0));
  if (error || !from)
    refuse(formatted("cannot be unpacked: {}", error ? error.message() : zip_strerror(zip)));
  std::ofstream to(target, std::ios::binary);
  std::string piece(1 << 16, '\0');
  zip_uint64_t written = 0;
  for (;;) {
    const zip_int64_t got = zip_fread(from.get(), piece.data(), piece.size());
    if (got < 0) refuse("is damaged");
    if (got == 0) break;
    written += static_cast<zip_uint64_t>(got);
    if (written > entry.size) refuse("is larger than the archive says");
    to.write(piece.data(), got);
  }
  if (written != entry.size) refuse("is shorter than the archive says");
  if (!to.flush()) refuse("cannot be written to the temporary folder");
}

}  // namespace

void write_zip(const std::string& path, const std::vector<ZipEntry>& entries) {
  const std::string beside = path + ".part";
  std::error_code ignored;
  fs::remove(beside, ignored);
  Zip zip = open_zip(beside, ZIP_CREATE | ZIP_EXCL);
  for (const ZipEntry& entry : entries) {
    zip_source_t* source = zip_source_buffer(zip.get(), entry.bytes.data(), entry.bytes.size(), 0);
    const zip_int64_t index =
        source ? zip_file_add(zip.get(), entry.name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    constexpr std::time_t always = 631152000;  // 1990: an archive depends on what is in it alone
    if (index < 0 || zip_file_set_mtime(zip.get(), static_cast<zip_uint64_t>(index), always, 0) != 0)
      fail(path, formatted("cannot add '{}': {}", entry.name, zip_strerror(zip.get())));
    const bool is_library = entry.name.starts_with("binaries/");
    if (is_library && zip_set_file_compression(zip.get(), static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE,
                                               library_level) != 0)
      fail(path, formatted("cannot add '{}': {}", entry.name, zip_strerror(zip.get())));
    zip_file_set_external_attributes(zip.get(), static_cast<zip_uint64_t>(index), 0, ZIP_OPSYS_UNIX,
                                     (is_library ? 0100755u : 0100644u) << 16);
  }
  if (zip_close(zip.get()) != 0) fail(path, formatted("cannot be written: {}", zip_strerror(zip.get())));
  static_cast<void>(zip.release());  // closed
  fs::rename(beside, path, ignored);
  if (ignored) fail(path, "cannot be written: " + ignored.message());
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "hooke-XXXXXX").string();
  if (error || !mkdtemp(name.data())) throw Error(ExitCode::file, "cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void unpack_zip(const std::string& archive, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(archive, error)) fail(archive, "there is no such file");
  // Not ZIP_CHECKCONS: archives that are written as streams have other local headers than their directory says.
  const Zip zip = open_zip(archive, ZIP_RDONLY);
  for (const Listed& entry : list_of(zip.get(), archive))
    unpack(zip.get(), entry, folder / entry.name, archive);
}

}  // namespace hooke
