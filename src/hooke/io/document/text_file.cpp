#include "hooke/io/document/text_file.h"

#include <filesystem>
#include <fstream>

#include "hooke/base/error.h"
#include "hooke/io/document/value.h"
#include "hooke/io/document/yaml.h"

namespace hooke {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, ignored))
    throw Error(ExitCode::file, formatted("cannot read the file '{}'", excerpt(path)));
  std::size_t most =
      Budget::most_bytes + 1;  // one more than allowed, so that too much is noticed; a pipe has no size
  if (fs::is_regular_file(path, ignored)) most = std::min<std::size_t>(most, fs::file_size(path, ignored));
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > Budget::most_bytes)
    throw Error(ExitCode::file,
                formatted("the file '{}' is larger than {} MiB", excerpt(path), Budget::most_bytes >> 20));
  return text;
}

std::string path_from(const std::string& from, const std::string& name) {
  if (from.starts_with("--set ")) return name;  // a value from the command line belongs to no folder
  return (fs::path(from).parent_path() / name).lexically_normal().string();
}

}  // namespace hooke
