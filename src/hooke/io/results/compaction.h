#pragma once
#include <string>

namespace hooke {

/// Writes a results file that is complete once more, without the places that chunks left behind when they grew. False, and
/// nothing there, when it cannot be done (no room, say): the file that is there is as good, only larger.
bool write_compact(const std::string& from, const std::string& to);

}  // namespace hooke
