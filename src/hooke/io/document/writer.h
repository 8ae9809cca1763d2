#pragma once
// Settings as they would stand in a file: what differs from the default, and what is required.
#include "hooke/base/type_info.h"
#include "hooke/io/document/json.h"

namespace hooke {

/// Throws Error for what no file can say, such as a function that is code.
Json write_json(const TypeInfo& type, const void* value);

/// YAML that reads well: short entries on one line.
std::string to_yaml(const Json& document);

}  // namespace hooke
