#pragma once
#include <string>

#include "hooke/simulation/simulation.h"
#include "terminal.h"

namespace hooke::program {

/// What a run did, as a table for people.
std::string describe(const Summary& summary, const std::string& title, const Style& style);

}  // namespace hooke::program
