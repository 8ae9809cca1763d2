#include "hooke/io/results/results_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "hooke/base/error.h"

namespace hooke {
namespace {

std::string reason() { return std::generic_category().message(errno); }

/// Takes the lock of a file, or only asks for it. It is of the kind that can be asked for without taking it, and that
/// ends when what opened the file does. Where a file system knows no locks, nobody has it.
bool is_locked(int file, int command) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(file, command, &lock) != 0) return errno == EAGAIN || errno == EACCES;
  return command == F_OFD_GETLK && lock.l_type != F_UNLCK;
}

}  // namespace

bool is_being_written(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_written = is_locked(file, F_OFD_GETLK);
  close(file);
  return is_written;
}

ResultsPlace::ResultsPlace(std::string path) : path_(std::move(path)), beside_(path_ + ".part") {
  namespace fs = std::filesystem;
  std::error_code error;
  if (const fs::path folder = fs::path(path_).parent_path(); !folder.empty())
    fs::create_directories(folder, error);
  if (error) fail("cannot make its folder", error.message());
  if (fs::exists(path_) && !fs::is_regular_file(path_)) fail("cannot replace it", "it is no file");
  if (access(path_.c_str(), W_OK) != 0 && errno != ENOENT) fail("cannot replace it", reason());

  file_ = open(beside_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot write it", reason());
  if (is_locked(file_, F_OFD_SETLK) || is_being_written(path_)) {
    close(file_);
    throw Error(ExitCode::file, formatted("{}: another run is writing there; wait for it, or choose another "
                                          "place for the results (--out)",
                                          path_));
  }
}

ResultsPlace::~ResultsPlace() {
  if (!is_taken_) unlink(beside_.c_str());
  close(file_);
}

void ResultsPlace::fail(const std::string& what, const std::string& why) const {
  throw Error(
      ExitCode::file,
      formatted("{}: {}: {}; choose another place for the results, or make room there", path_, what, why));
}

void ResultsPlace::take() {
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail("cannot replace the old file", reason());
  is_taken_ = true;
}

std::string ResultsPlace::what_happened() const {
  struct stat own {
  }, there{};
  if (!is_taken_ || fstat(file_, &own) != 0) return "";
  if (stat(path_.c_str(), &there) != 0) return "it has been removed while the run went on";
  if (own.st_ino != there.st_ino || own.st_dev != there.st_dev)
    return "it has been replaced by another file while the run went on";
  return "";
}

}  // namespace hooke
