#include "hooke/fmi/runtime/component.h"

namespace hooke {

std::string folder_of(const char* location) {
  if (!location || !*location)
    throw Error(ExitCode::file, "the FMU was told no folder of its resources, where its model is");
  std::string text = location;
  if (text.starts_with("file:")) {
    text.erase(0, 5);
    if (text.starts_with("//")) text.erase(0, std::min(text.find('/', 2), text.size()));
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        plain += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
        i += 2;
      } else {
        plain += text[i];
      }
    }
    text = plain;
  }
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace hooke
