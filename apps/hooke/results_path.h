#pragma once
#include <string>
#include <vector>

#include "hooke/view/page.h"

namespace hooke::program {

/// The results file that a user means by naming it or the folder it is in.
std::string results_path(const std::string& text);

/// The runs to be looked at, each labelled by the folder or file that tells it from the others.
std::vector<ViewedRun> open_runs(const std::vector<std::string>& paths);

}  // namespace hooke::program
