#pragma once
#include "hooke/catalog/model.h"

namespace hooke {

/// Whether a solid is to be cut.
bool has_components(const Model& model);

/// The model with every solid of several `components` replaced by as many bodies, 'beam_1', 'beam_2', ...,
/// and the ties between them. They start as the solid would, with its axes; 'beam' in a joint or force still
/// means it, on whichever component that is.
Model with_components(Model model, Diagnostics& diagnostics);

}  // namespace hooke
