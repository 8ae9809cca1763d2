#pragma once
#include <cstddef>
#include <string>

#include "hooke/io/results/results_reader.h"

namespace hooke {

/// A time series for ParaView: `path` (.pvd) and, in a folder beside it that has its name, one .vtu file per
/// output. Bodies are triangles that carry the number of their body (in the order of the model, from 0), the
/// displacement since the first output and the velocity; rods are lines through their nodes with a radius
/// (ParaView's filter Tube makes them thick). Returns how many outputs were written.
std::size_t export_vtk(const ResultsReader& results, const std::string& path);

}  // namespace hooke
