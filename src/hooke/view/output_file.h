#pragma once
#include <fstream>
#include <string>
#include <string_view>

namespace hooke {

/// A file being written, made with its folders. Throws Error (ExitCode::file) when that fails.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  void write(std::string_view bytes);
  void close();

 private:
  std::string path_;
  std::ofstream out_;
};

void write_file(const std::string& path, std::string_view bytes);

}  // namespace hooke
