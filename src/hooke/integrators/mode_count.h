#pragma once

namespace hooke {

/// All modes of a model with at most so many dofs and constraint rows are found, with dense matrices; of larger ones the lowest,
/// with sparse ones (analysis/lowest_modes.h).
inline constexpr int dense_modes_up_to = 600, modes_of_large_models = 20;

}  // namespace hooke
