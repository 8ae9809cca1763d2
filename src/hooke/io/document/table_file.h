#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "hooke/base/error.h"

namespace hooke {

/// Two columns of a table, row by row.
struct TableColumns {
  std::vector<double> x, y;
};

/// Reads two columns of a text table (CSV). Cells are separated by ; or tab or , or blanks, whichever of
/// these the first row has; a first row that is not all numbers is a header; empty lines and those that begin
/// with # are skipped. A column is named by its header or by its number, counted from 1. The first column
/// must increase from row to row.
///
/// What is wrong goes to `diagnostics` with the place in the table; `path` is the key path of whoever asked.
/// Nothing is returned then. Throws Error when the file cannot be read.
std::optional<TableColumns> read_table_file(const std::string& file,
                                            const std::array<std::string, 2>& columns,
                                            const std::string& path, Diagnostics& diagnostics);

/// The same for a text; `file` is what messages call it.
std::optional<TableColumns> parse_table(std::string_view text, const std::string& file,
                                        const std::array<std::string, 2>& columns, const std::string& path,
                                        Diagnostics& diagnostics);

}  // namespace hooke
