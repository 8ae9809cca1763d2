#include "hooke/view/output_file.h"

#include "hooke/base/format.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "hooke/base/error.h"

namespace hooke {

static void fail(const std::string& path, const char* what) {
  throw Error(ExitCode::file, formatted("{}: {}: {}", path, what, std::generic_category().message(errno)));
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // opening tells
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, ignored);
  out_.open(path, std::ios::binary);
  if (!out_) fail(path_, "cannot write it");
}

void OutputFile::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out_) fail(path_, "cannot write on");
}

void OutputFile::close() {
  out_.close();
  if (!out_) fail(path_, "cannot write on");
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile out(path);
  out.write(bytes);
  out.close();
}

}  // namespace hooke
