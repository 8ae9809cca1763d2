#include "hooke/base/type_info.h"

#include <algorithm>

namespace hooke {

std::vector<std::string> TypeInfo::keys() const {
  std::vector<std::string> all;
  for (const FieldInfo& field : fields)
    if (*field.key) all.emplace_back(field.key);
  return all;
}

const FieldInfo* TypeInfo::find(std::string_view wanted) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return wanted == f.key; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace hooke
