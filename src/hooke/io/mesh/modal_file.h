#pragma once
#include <string>

#include "hooke/bodies/modal_data.h"

/// Files with the modes of a body, in YAML (docs/model-file.md): what bodies/modal_data.h holds, so that any
/// finite element program can give it.
namespace hooke {

/// Throws Error or ModelError, with what is wrong where.
ModalData read_modal_file(const std::string& path);
ModalData parse_modal_text(const std::string& text, const std::string& name);

/// The contents of such a file, all digits.
std::string modal_text(const ModalData& data);

}  // namespace hooke
