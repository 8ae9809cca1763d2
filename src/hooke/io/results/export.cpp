#include "hooke/io/results/export.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

#include "hooke/base/error.h"

namespace hooke {
namespace {

std::vector<Quantity> columns_of(const ResultsReader& results, const std::vector<std::string>& names) {
  std::vector<Quantity> columns;
  if (names.empty())
    std::copy_if(results.quantities().begin(), results.quantities().end(), std::back_inserter(columns),
                 [](const Quantity& quantity) { return !quantity.is_per_step(); });
  else
    columns = results.select(names);

  const bool is_per_step = !columns.empty() && columns[0].is_per_step();
  for (const Quantity& column : columns)
    if (column.is_per_step() != is_per_step)
      throw Error(ExitCode::usage,
                  formatted("'{}' and '{}' do not fit into one table: one is per output, the other per step",
                            columns[0].name, column.name));
  const Quantity& time = results.find(is_per_step ? step_time_entry.quantity : time_entry.quantity);
  std::erase_if(columns, [&](const Quantity& column) { return column.name == time.name; });
  columns.insert(columns.begin(), time);
  return columns;
}

/// A text as in RFC 4180, on one line. One that a spreadsheet would take for a formula gets an apostrophe in
/// front.
std::string field(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  const std::size_t first = text.find_first_not_of(' ');
  if (first != text.npos && std::string_view("=+-@").find(text[first]) != std::string_view::npos)
    text.insert(0, 1, '\'');
  if (text.find_first_of(",\"#;") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void append_number(double value, std::string& text) {
  char digits[32];
  const auto [end, status] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, status == std::errc() ? end : digits);
}

ExportedTable write(const ResultsReader& results, const std::vector<Quantity>& columns, std::ostream& out) {
  std::string units = "# ", header;
  for (const Quantity& column : columns) {
    units += field(column.unit) + ',';
    header += field(column.name) + ',';
  }
  units.back() = header.back() = '\n';
  out << units << header;

  constexpr std::size_t numbers_at_once = 1 << 20;
  const std::size_t rows = results.rows(columns[0]),
                    block = std::max<std::size_t>(1, numbers_at_once / columns.size());
  std::string text;
  for (std::size_t first = 0; first < rows && out; first += block) {
    const std::size_t count = std::min(block, rows - first);
    const std::vector<double> table = results.read(columns, first, count);
    text.clear();
    for (std::size_t k = 0; k < table.size(); ++k) {
      append_number(table[k], text);
      text += (k + 1) % columns.size() ? ',' : '\n';
    }
    out << text;
  }
  out.flush();
  return {rows, columns.size()};
}

}  // namespace

namespace {

bool is_of_modes(const std::string& name) { return name == "modes" || name.starts_with("modes."); }

/// A row for each mode, whatever follows `modes`.
ExportedTable write_modes(const ResultsReader::Modes& modes, std::ostream& out) {
  out << "# "
         "1,Hz,1,1/s,1/"
         "s\nmode,modes.frequency,modes.damping,modes.eigenvalue.real,modes.eigenvalue.imaginary\n";
  const std::size_t rows = modes.frequency.size();
  for (std::size_t k = 0; k < rows; ++k) {
    std::string text = std::to_string(k + 1);
    for (const auto* column :
         {&modes.frequency, &modes.damping, &modes.eigenvalue_real, &modes.eigenvalue_imaginary}) {
      text += ',';
      if (k < column->size()) append_number((*column)[k], text);
    }
    out << text << '\n';
  }
  out.flush();
  return {rows, 5};
}

/// What a table holds, checked before an old file is lost.
std::function<ExportedTable(std::ostream&)> table_of(const ResultsReader& results,
                                                     const std::vector<std::string>& names) {
  if (std::none_of(names.begin(), names.end(), is_of_modes))
    return [&results, columns = columns_of(results, names)](std::ostream& out) {
      return write(results, columns, out);
    };
  if (!std::all_of(names.begin(), names.end(), is_of_modes))
    throw Error(ExitCode::usage, "modes have a table of their own: a row for each of them");
  ResultsReader::Modes modes = results.modes();
  if (modes.frequency.empty())
    throw Error(ExitCode::usage, "these results hold no modes: run the model with --analysis modes");
  return [modes](std::ostream& out) { return write_modes(modes, out); };
}

}  // namespace

ExportedTable export_csv(const ResultsReader& results, const std::vector<std::string>& names,
                         std::ostream& out) {
  return table_of(results, names)(out);
}

ExportedTable export_csv(const ResultsReader& results, const std::vector<std::string>& names,
                         const std::string& path) {
  namespace fs = std::filesystem;
  const auto write_table = table_of(results, names);
  const auto fail = [&](const char* what) {
    throw Error(ExitCode::file, formatted("{}: {}: {}", path, what, std::generic_category().message(errno)));
  };
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    fs::create_directories(folder, error);
  std::ofstream out(path, std::ios::binary);
  if (!out) fail("cannot write it");
  const ExportedTable table = write_table(out);
  if (!out) fail("cannot write on");
  return table;
}

}  // namespace hooke
