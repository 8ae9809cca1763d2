#pragma once
#include <functional>
#include <string>

#include "hooke/io/results/results_reader.h"

namespace hooke {

/// Opens and reads a results file in a process of its own, since the HDF5 library may crash or never return on a file
/// that is damaged. `also`: what else is to be tried there, unless the file is large. Throws Error (ExitCode::file) when that process dies, takes
/// too long or too much memory. What it merely complains about is left for the caller to find.
void check_results_file(const std::string& path, const std::function<void(const ResultsReader&)>& also = {});

}  // namespace hooke
