#pragma once
#include <cstddef>
#include <string>

namespace hooke {

/// Asks the file system for the space that a file is about to grow by, so that a full disk shows before the
/// file is half changed. Where a file system cannot say, it is taken to have room.
class SpaceReserve {
 public:
  explicit SpaceReserve(const std::string& path);
  ~SpaceReserve();
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  /// Nothing (""), or why the file cannot grow by so many bytes.
  std::string ask(std::size_t bytes) const;
  /// What was asked for and not needed.
  void give_back() const;
  /// The file is at least so long from now on.
  void reach(std::size_t end) const;

 private:
  int file_ = -1;
};

}  // namespace hooke
