#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace hooke {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// In place of what was there. Equal entries make equal archives. Throws Error.
void write_zip(const std::string& path, const std::vector<ZipEntry>& entries);

/// A folder that is gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Unpacks an archive that nobody vouches for: every name must stay inside the folder, plain files and folders alone, no two
/// of the same name, and no more and no larger than FMUs are. All names are looked at before the first byte
/// is written. Throws Error that says which entry is at fault.
void unpack_zip(const std::string& archive, const std::filesystem::path& folder);

}  // namespace hooke
