#include "hooke/io/results/ordered_driver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <system_error>

namespace hooke::hdf5 {
namespace {

struct OrderedFile : H5FD_t {
  int file = -1;
  haddr_t allocated = 0;                   ///< HDF5's end of the file
  haddr_t written = 0;                     ///< what the last flush left
  haddr_t end = 0;                         ///< of the file itself
  std::map<haddr_t, std::string> waiting;  ///< until the next flush

  ~OrderedFile() {
    if (file >= 0) ::close(file);
  }
};

OrderedFile& of(H5FD_t* file) { return *static_cast<OrderedFile*>(file); }
const OrderedFile& of(const H5FD_t* file) { return *static_cast<const OrderedFile*>(file); }

/// In the words of HDF5's own drivers, which last_error() looks for.
herr_t failed(const char* what) {
  const std::string why = std::generic_category().message(errno);
  H5Epush2(H5E_DEFAULT, __FILE__, what, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
           "%s failed: error message = '%s'", what, why.c_str());
  return -1;
}

herr_t put(OrderedFile& to, haddr_t at, const char* bytes, std::size_t count) {
  to.end = std::max(to.end, at + count);
  while (count > 0) {
    const ssize_t done = pwrite(to.file, bytes, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed("write");
    bytes += done, at += static_cast<haddr_t>(done), count -= static_cast<std::size_t>(done);
  }
  return 0;
}

herr_t put_waiting(OrderedFile& to) {
  const auto first_new = to.waiting.lower_bound(to.written);
  for (auto each = first_new; each != to.waiting.end(); ++each)
    if (put(to, each->first, each->second.data(), each->second.size()) < 0) return -1;
  for (auto each = to.waiting.begin(); each != first_new; ++each)
    if (put(to, each->first, each->second.data(), each->second.size()) < 0) return -1;
  to.waiting.clear();
  to.written = to.end;
  return 0;
}

/// Something that waits and is not all of [at, at + count).
bool meets_waiting(const OrderedFile& file, haddr_t at, std::size_t count, bool may_be_same) {
  auto each = file.waiting.upper_bound(at);
  if (each != file.waiting.begin()) --each;
  for (; each != file.waiting.end() && each->first < at + count; ++each) {
    const bool is_same = each->first == at && each->second.size() <= count;
    if (each->first + each->second.size() > at && !(may_be_same && is_same)) return true;
  }
  return false;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  int how = (flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY;
  if (flags & H5F_ACC_TRUNC) how |= O_TRUNC;
  if (flags & H5F_ACC_CREAT) how |= O_CREAT;
  if (flags & H5F_ACC_EXCL) how |= O_EXCL;
  std::unique_ptr<OrderedFile> made(new (std::nothrow) OrderedFile());
  if (!made) return nullptr;
  made->file = ::open(name, how | O_CLOEXEC, 0666);
  struct stat about {};
  if (made->file < 0 || fstat(made->file, &about) != 0) return failed("open"), nullptr;
  made->end = made->written = static_cast<haddr_t>(about.st_size);
  return made.release();
}

herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  struct stat one {
  }, other{};
  if (fstat(of(a).file, &one) != 0 || fstat(of(b).file, &other) != 0) return a < b ? -1 : a > b;
  if (one.st_dev != other.st_dev) return one.st_dev < other.st_dev ? -1 : 1;
  return one.st_ino < other.st_ino ? -1 : one.st_ino > other.st_ino;
}

herr_t features(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t count, void* buffer) {
  OrderedFile& from = of(file);
  if (meets_waiting(from, at, count, false) && put_waiting(from) < 0) return -1;
  auto* bytes = static_cast<char*>(buffer);
  while (count > 0) {
    const ssize_t done = pread(from.file, bytes, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed("read");
    if (done == 0) return std::memset(bytes, 0, count), 0;  // beyond the end, as HDF5 wants it
    bytes += done, at += static_cast<haddr_t>(done), count -= static_cast<std::size_t>(done);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, std::size_t count, const void* buffer) {
  OrderedFile& to = of(file);
  const auto* bytes = static_cast<const char*>(buffer);
  if (meets_waiting(to, at, count, true) && put_waiting(to) < 0) return -1;
  if (type == H5FD_MEM_DRAW) return put(to, at, bytes, count);
  try {
    to.waiting[at].assign(bytes, count);
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return failed("write");
  }
  return 0;
}

herr_t flush(H5FD_t* file, hid_t, hbool_t) { return put_waiting(of(file)); }

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  OrderedFile& to = of(file);
  if (to.allocated == to.end) return 0;
  if (ftruncate(to.file, static_cast<off_t>(to.allocated)) != 0) return failed("truncate");
  to.end = to.allocated;
  return 0;
}

H5FD_class_t description() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = 600;  // of those that are nobody's
#endif
  driver.name = "hooke";
  driver.maxaddr = static_cast<haddr_t>(1) << 62;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = features;
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) -> herr_t {
    return of(file).allocated = end, 0;
  };
  driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) { return of(file).end; };
  driver.read = read;
  driver.write = write;
  driver.flush = flush;
  driver.truncate = truncate;
  constexpr H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(lists), std::end(lists), driver.fl_map);
  return driver;
}

}  // namespace

bool write_in_order(hid_t file_access) {
  static const H5FD_class_t driver = description();
  static const hid_t id = H5FDregister(&driver);
  return id >= 0 && H5Pset_driver(file_access, id, nullptr) >= 0;
}

}  // namespace hooke::hdf5
