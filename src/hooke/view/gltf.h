#pragma once
#include <string>

#include "hooke/io/results/results_reader.h"

namespace hooke {

/// The animation as one binary glTF 2.0 file (.glb), for Blender, presentations and the web: a node for each
/// body with its shapes below it, moved over the time of the run; rods as a row of cylinders.
void export_gltf(const ResultsReader& results, const std::string& path);

}  // namespace hooke
