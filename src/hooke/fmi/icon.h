#pragma once
#include <string>

namespace hooke {

/// The picture that other programs show of a model of Hooke, as a PNG file.
std::string icon_png();

}  // namespace hooke
