#pragma once
#include <string>
#include <vector>

#include "hooke/view/page.h"

namespace hooke::program {

/// Tries in a process of its own whether the file can be read and drawn: a damaged one must not take the program down.
void check_results(const std::string& path);

/// The results file that a user means by naming it or the folder it is in.
std::string results_path(const std::string& text);

/// The runs to be looked at, each labelled by the folder or file that tells it from the others.
std::vector<ViewedRun> open_runs(const std::vector<std::string>& paths);

}  // namespace hooke::program
