#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "hooke/io/results/results_reader.h"

namespace hooke {

/// A table in CSV: a line "# s,m,..." of units, a line of names, then one row per output time (or per step),
/// with the fewest digits that read back as the same numbers. pandas.read_csv(file, comment="#") reads it as
/// it is.
///
/// `names` as for ResultsReader::select; none: everything there is per output. The time comes first in any
/// case. Returns what was written. Throws Error (ExitCode::usage) when outputs and steps are asked for in one
/// table.
struct ExportedTable {
  std::size_t rows = 0, columns = 0;
};
ExportedTable export_csv(const ResultsReader& results, const std::vector<std::string>& names,
                         std::ostream& out);

/// The same into a file, made with its folders.
ExportedTable export_csv(const ResultsReader& results, const std::vector<std::string>& names,
                         const std::string& path);

}  // namespace hooke
