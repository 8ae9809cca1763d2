#pragma once
#include <functional>

#include "hooke/base/type_info.h"

namespace hooke {

/// What is wrong with settings that no reader has looked at: values out of range, and what structs complain about
/// themselves. `report` gets the path of each, below `path`.
void validate(const TypeInfo& type, const void* value, const std::string& path,
              const std::function<void(const std::string& path, const std::string& message)>& report);

}  // namespace hooke
