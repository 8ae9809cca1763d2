#pragma once
// Types that are written in a way of their own: a function of time as a number, a formula or {harmonic: ...}; an
// inertia as one number, three, six or a matrix. base/type_info.h knows them by name.
#include "hooke/io/document/json.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/schema.h"

namespace hooke {

struct Notation {
  bool (*read)(const Value& value, void* out, const Reader& reader);
  Json (*schema)(Schema& all, const Doc& doc);
  Json (*write)(const void* value);
};

/// Throws Error when there is none.
const Notation& special_notation(std::string_view name);

/// Of a function of one variable (function_reader.h), of the formula of a force law, of the code of a control block.
extern const Notation formula_notation, function_notation, law_notation, code_notation, column_notation;

}  // namespace hooke
