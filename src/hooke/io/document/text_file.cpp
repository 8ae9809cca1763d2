#include "hooke/io/document/text_file.h"

#include <filesystem>
#include <fstream>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/io/document/value.h"

namespace hooke {

namespace fs = std::filesystem;

static thread_local FilesRead* files_read = nullptr;

FilesRead::FilesRead() : outer_(files_read) { files_read = this; }
FilesRead::~FilesRead() { files_read = outer_; }

std::string read_text_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, ignored))
    throw Error(ExitCode::file, formatted("cannot read the file '{}'", excerpt(path)));
  // A pipe has no size: one byte more than allowed is read, so that too much is noticed.
  std::size_t most = static_cast<std::size_t>(limits::file_size.value() * (1 << 20)) + 1;
  if (fs::is_regular_file(path, ignored)) most = std::min<std::size_t>(most, fs::file_size(path, ignored));
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!limits::file_size.holds(mebibytes(text.size())))
    throw Error(ExitCode::file, formatted("the file '{}' is too large: in MiB {}", excerpt(path),
                                          limits::file_size.advice()));
  for (FilesRead* noted = files_read; noted; noted = noted->outer_) noted->paths_.push_back(path);
  return text;
}

std::string path_from(const std::string& from, const std::string& name) {
  if (from.starts_with("--set ")) return name;  // a value from the command line belongs to no folder
  return (fs::path(from).parent_path() / name).lexically_normal().string();
}

}  // namespace hooke
