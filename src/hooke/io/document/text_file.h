#pragma once
#include <string>
#include <vector>

namespace hooke {

/// As limits count them.
constexpr double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// All of a file. Throws Error (ExitCode::file) when it cannot be read or is larger than any honest input.
std::string read_text_file(const std::string& path);

/// While it lives, the files that this thread reads are noted: what a model consists of.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  friend std::string read_text_file(const std::string& path);
  std::vector<std::string> paths_;
  FilesRead* outer_;
};

/// `name` as seen from the file `from` that mentions it.
std::string path_from(const std::string& from, const std::string& name);

}  // namespace hooke
