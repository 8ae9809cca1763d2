#pragma once

#include <string>

/// The part "Many instances at once" of the page section; `most`: instances.
std::string measure_batches(int most);
