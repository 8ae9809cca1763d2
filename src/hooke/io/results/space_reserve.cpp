#include "hooke/io/results/space_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace hooke {

SpaceReserve::SpaceReserve(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}

SpaceReserve::~SpaceReserve() {
  if (file_ >= 0) close(file_);
}

std::string SpaceReserve::ask(std::size_t bytes) const {
  constexpr std::size_t for_the_end = 256
                                      << 10;  // what is left for closing the file when this fails next time
  bytes += for_the_end;
  const auto text = [](int error) { return std::generic_category().message(error); };

  struct stat now {};
  if (file_ < 0 || fstat(file_, &now) != 0) return "";
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < static_cast<rlim_t>(now.st_size) + bytes)
    return text(EFBIG);
#ifdef FALLOC_FL_KEEP_SIZE
  if (fallocate(file_, FALLOC_FL_KEEP_SIZE, now.st_size, static_cast<off_t>(bytes)) == 0) return "";
  if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO) return text(errno);
#endif
  struct statvfs disk {};
  if (fstatvfs(file_, &disk) == 0 && disk.f_bavail * disk.f_frsize < bytes) return text(ENOSPC);
  return "";
}

void SpaceReserve::give_back() const {
  struct stat now {};
  if (file_ >= 0 && fstat(file_, &now) == 0) (void)!ftruncate(file_, now.st_size);
}

void SpaceReserve::reach(std::size_t end) const {
  struct stat now {};
  if (file_ >= 0 && fstat(file_, &now) == 0 && static_cast<std::size_t>(now.st_size) < end)
    (void)!ftruncate(file_, static_cast<off_t>(end));
}

}  // namespace hooke
