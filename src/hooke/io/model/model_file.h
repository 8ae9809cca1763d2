#pragma once
// A model file: YAML (or JSON) that reads like the mechanism. docs/model-file.md is its reference;
// io/document/document.h says how parameters, loops and includes work. What stands under each key is described by the
// settings themselves (catalog/problem.h).
#include <string>
#include <utility>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/catalog/catalog.h"
#include "hooke/catalog/problem.h"
#include "hooke/io/document/document.h"
#include "hooke/io/document/json.h"

namespace hooke {

/// Reads a model file and what it includes; `overrides` are key.path=value (io/document/document.h). All that is
/// wrong goes to `diagnostics`, and what could be read is returned: see diagnostics.throw_if_errors(). Whether names
/// and geometry fit together is for `build` (catalog/build.h) to say. Throws ModelError when there is nothing to go
/// on with (not YAML, say) and Error when the file cannot be read.
Problem read_model_file(const std::string& path, const std::vector<std::string>& overrides,
                        Diagnostics& diagnostics, const Catalog& catalog = Catalog::built_in());

/// The same for a text; `name` is what messages call it, and other files are looked for next to it.
Problem parse_model(const std::string& text, const std::string& name,
                    const std::vector<std::string>& overrides, Diagnostics& diagnostics,
                    const Catalog& catalog = Catalog::built_in());

/// The same for a text that a program has; throws ModelError with all that is wrong.
Problem parse_model(const std::string& text, const Catalog& catalog = Catalog::built_in());

/// The same for a document that was made without a text: by a program, in another language.
Problem read_model(const Document& document, Diagnostics& diagnostics,
                   const Catalog& catalog = Catalog::built_in());

/// The problem as a model file, which reads back as the same problem: what differs from the defaults, without the
/// parameters and loops it may have been written with. Throws Error for what no file can say.
std::string write_model(const Problem& problem);
/// The same before it is text.
Json model_document(const Problem& problem);

/// JSON Schema (draft 2020-12) of a model file, for editors.
std::string model_schema(const Catalog& catalog = Catalog::built_in());

/// The tables of docs/model-file.md, by name.
std::vector<std::pair<std::string, std::string>> model_tables(const Catalog& catalog = Catalog::built_in());

}  // namespace hooke
