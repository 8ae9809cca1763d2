// docs/results.md tells users what io/results/results_layout.h tells the code: both lists are the same.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>

#include "hooke/base/format.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/results/results_layout.h"

namespace hooke {
namespace {

std::string page_section(const std::string& from, const std::string& to) {
  static const std::string page = read_text_file(HOOKE_ROOT "/docs/results.md");
  const std::size_t first = page.find(from), last = page.find(to, first);
  EXPECT_NE(last, page.npos) << from << " ... " << to;
  return page.substr(first, last - first);
}

std::vector<std::string> cells_of(const std::string& row, char between) {
  std::vector<std::string> cells;
  std::string cell;
  for (const char c : row + between) {
    if (c != between) {
      cell += c;
      continue;
    }
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    cells.push_back(first == cell.npos ? "" : cell.substr(first, last - first + 1));
    cell.clear();
  }
  return cells;
}

struct DocumentedSet {
  std::string shape, unit;
};

/// The data sets of the layout table. A row may hold several, `/springs/length`, `rate`, and their shapes and units in
/// the same order; where there are fewer of these, the last stands for the rest.
std::map<std::string, DocumentedSet> documented_sets() {
  std::map<std::string, DocumentedSet> sets;
  std::istringstream table(page_section("## Layout", "Notes and warnings of the run itself"));
  for (std::string row; std::getline(table, row);) {
    const auto cells = cells_of(row, '|');
    if (cells.size() < 5 || !cells[1].starts_with("`/")) continue;
    const auto shapes = cells_of(cells[2], ';'), units = cells_of(cells[3], ',');
    const auto nth = [](const std::vector<std::string>& all, std::size_t k) {
      return all[std::min(k, all.size() - 1)];
    };
    static const std::regex path("`([^`]+)`");
    std::string group;
    std::size_t k = 0;
    for (auto at = std::sregex_iterator(cells[1].begin(), cells[1].end(), path); at != std::sregex_iterator();
         ++at, ++k) {
      std::string name = (*at)[1];
      if (name.starts_with('/')) {
        name = name.substr(1);
        group = name.substr(0, name.rfind('/') + 1);
      } else {
        name = group + name;
      }
      sets[name] = {shapes.size() == 1 ? shapes[0] : nth(shapes, k), nth(units, k)};
    }
  }
  return sets;
}

TEST(ResultsPage, HasEveryDataSetWithItsShapeAndUnit) {
  const auto documented = documented_sets();
  for (const ResultsEntry& entry : results_entries) {
    const auto found = documented.find(entry.path);
    if (found == documented.end()) {
      ADD_FAILURE() << "docs/results.md lacks /" << entry.path;
      continue;
    }
    const auto& [shape, unit] = found->second;
    if (entry.unit[0] != '\0') EXPECT_EQ(unit, entry.unit) << entry.path;
    const bool of_vectors = entry.width() > 1;
    EXPECT_EQ(shape.ends_with(formatted(", {}", entry.width())), of_vectors) << entry.path << ": " << shape;
    EXPECT_TRUE(shape.starts_with(entry.of == Items::step ? "m" : "n")) << entry.path << ": " << shape;
  }
}

TEST(ResultsPage, HasNoDataSetThatIsNotThere) {
  std::set<std::string> groups{"time"}, known;
  for (const ResultsEntry& entry : results_entries) {
    known.insert(entry.path);
    groups.insert(std::string(entry.path).substr(0, std::string(entry.path).find('/')));
  }
  for (const auto& [path, unused] : documented_sets()) {
    const std::size_t slash = path.find('/');
    const std::string group = path.substr(0, slash), name = slash == path.npos ? "" : path.substr(slash + 1);
    if (!groups.contains(group) || name == "names" || name == "types" || name == "units") continue;
    EXPECT_TRUE(known.contains(path)) << "docs/results.md tells of /" << path;
  }
}

TEST(ResultsPage, HasTheNameOfEveryQuantity) {
  const std::string names = page_section("## Names", "## Layout");
  for (const ResultsEntry& entry : results_entries) {
    const std::string quantity = entry.quantity;
    if (quantity.empty()) continue;
    const std::string last = quantity.substr(quantity.rfind('.') + 1);
    const auto has = [&](const std::string& text) { return names.find(text) != names.npos; };
    EXPECT_TRUE(has("`" + quantity + "`") || has("." + last + "`") || has("." + last + ".") ||
                has("`" + last + "`"))
        << "docs/results.md has no name for " << entry.path << " (" << quantity << ")";
  }
}

}  // namespace
}  // namespace hooke
