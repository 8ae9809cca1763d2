#pragma once
#include <functional>

#include "hooke/base/type_info.h"

namespace hooke {

/// Gets the path of what is pointed out, and what is to say about it.
using Report = std::function<void(const std::string& path, const std::string& message)>;

/// What is wrong with settings that no reader has looked at: values out of range, and what structs complain about
/// themselves. All paths are below `path`.
void validate(const TypeInfo& type, const void* value, const std::string& path, const Report& report);

/// What is allowed but seldom meant, as the structs themselves say it.
void doubt(const TypeInfo& type, const void* value, const std::string& path, const Report& report);

}  // namespace hooke
