// The include lines are the same as inside the project, and the linked library's code is called.
#include <cstdio>

#include "hooke/base/error.h"
#include "hooke/frames/frame.h"

int main() {
  const std::string place = hooke::to_string(hooke::Location{"model.yaml", 3, 7});
  const hooke::FramePose pose;
  std::printf("%s\n", place.c_str());
  return place.empty() || pose.R.trace() != 3.0;
}
