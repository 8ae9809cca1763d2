#pragma once
#include <string>

namespace hooke {

/// Whether a run that is alive writes there.
bool is_being_written(const std::string& path);

/// Where a results file comes to be. It is written under another name beside the one it replaces, and takes its
/// place once it can be read: a run that dies at its start leaves the old file as it was. Until this object ends,
/// no other run can write there; a lock ends with its process, however that ends.
class ResultsPlace {
 public:
  /// Throws Error (file) when nothing can be written there.
  explicit ResultsPlace(std::string path);
  ~ResultsPlace();
  ResultsPlace(const ResultsPlace&) = delete;
  ResultsPlace& operator=(const ResultsPlace&) = delete;

  const std::string& path() const { return path_; }
  /// The name to write under.
  const std::string& name() const { return is_taken_ ? path_ : beside_; }
  void take();
  /// Where to write what is to take its place once more.
  const std::string& beside() const { return beside_; }
  /// Nothing (""), or what has happened to the file since it took its place.
  std::string what_happened() const;

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& why) const;

  std::string path_, beside_;
  int file_ = -1;  ///< locked
  bool is_taken_ = false;
};

}  // namespace hooke
