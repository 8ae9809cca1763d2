#pragma once
#include <string>

#include "hooke/io/document/value.h"

namespace hooke {

/// A document as JSON, but for scalars that were written without quotes, which stay so: YAML reads it as the same
/// document, and so does a parser of a hundred lines (runtime/plain_parser.cpp), in a program that has none of YAML.
std::string plain_text(const Value& value);

}  // namespace hooke
