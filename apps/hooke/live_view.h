#pragma once
#include <sys/types.h>

#include <string>

namespace hooke::program {

/// Shows results in the browser while they are being written, by a second `hooke view`: HDF5 cannot read in
/// the program that writes. It ends with this object, and with this program whatever happens to it.
class LiveView {
 public:
  LiveView() = default;
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// Once; later calls do nothing. The results file must be there.
  void show(const std::string& results, bool opens_browser);
  bool is_shown() const { return process_ > 0; }

 private:
  pid_t process_ = 0;
};

}  // namespace hooke::program
