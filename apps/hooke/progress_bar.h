#pragma once
#include <string>

#include "hooke/base/timer.h"
#include "hooke/simulation/simulation.h"

namespace hooke::program {

/// One line on stderr that tells how far a run is, redrawn at most ten times a second:
///    42% [=========>             ] t = 2.13 s  12.1 x real time  0:07 left
class ProgressBar {
 public:
  explicit ProgressBar(bool is_shown) : is_shown_(is_shown) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const Progress& progress, double start);
  void clear();

 private:
  bool is_shown_, is_drawn_ = false;
  Timer since_start_, since_drawn_;
};

/// The line without the bar, for a run that began at `start`, `wall` seconds ago.
std::string describe(const Progress& progress, double start, double wall);

/// 75 s as 1:15
std::string clock(double seconds);

}  // namespace hooke::program
