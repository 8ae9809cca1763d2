#pragma once
#include "hooke/catalog/model.h"

namespace hooke {

/// Reads the files that a model names and that are not read yet: meshes, modes, shapes for pictures. What is wrong
/// with one is reported where it is named.
void read_attached_files(Model& model, Diagnostics& diagnostics);

/// The same model for a file in `folder`: the files that it names are found from there.
Model seen_from(Model model, const std::string& folder);

}  // namespace hooke
