#pragma once
#include "hooke/io/model/model_file.h"

namespace hooke::test {

/// Throws ModelError with all that is wrong.
inline Problem parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  Problem file = parse_model(text, "test.yaml", overrides, diagnostics);
  diagnostics.throw_if_errors();
  return file;
}

}  // namespace hooke::test
