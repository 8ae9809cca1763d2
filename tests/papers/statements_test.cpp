// The quick statements of the papers' pages, computed anew: each must hold, or fail, as its page says.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "validation/report.h"

namespace hooke {

using validation::Report;

namespace yen {
void spring_pendulum(Report& report);
void dissipation(Report& report);
}  // namespace yen
namespace schneider {
void orders(Report& report);
void participants(Report& report);
void zero_stability_section(Report& report);
void small_system(Report& report);
}  // namespace schneider
namespace zhou {
void equality(Report& report);
}
namespace kan {
void cuboid(Report& report);
}

namespace {

/// What is stated, without what was measured, and whether it holds.
std::map<std::string, bool> statements(const std::string& text) {
  static const std::regex line("- (.*?)(: [0-9.e+-]+, at most [^:]*)?: (holds|\\*\\*does not hold\\*\\*)");
  std::map<std::string, bool> found;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string one; std::getline(lines, one);)
    if (std::regex_match(one, match, line)) found[match[1]] = match[3] == "holds";
  return found;
}

std::string page(const std::string& name) {
  std::ifstream file(HOOKE_ROOT "/docs/papers/" + name + ".md");
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Case {
  const char *page, *section;
  void (*write)(Report&);
};
class Statements : public testing::TestWithParam<Case> {};

TEST_P(Statements, AreAsOnThePage) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / (std::string("hooke_statements_") + GetParam().section);
  std::filesystem::create_directories(folder);
  Report report(folder.string());
  GetParam().write(report);
  std::filesystem::remove_all(folder);
  const auto found = statements(report.body()), written = statements(page(GetParam().page));
  EXPECT_FALSE(found.empty());
  for (const auto& [what, holds] : found) {
    ASSERT_TRUE(written.contains(what))
        << "not on the page: " << what << "\nmake it again: papers/" << GetParam().page << "/run";
    EXPECT_EQ(holds, written.at(what)) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfPapers, Statements,
    testing::Values(Case{"yen", "spring_pendulum", yen::spring_pendulum},
                    Case{"yen", "dissipation", yen::dissipation},
                    Case{"schneider", "orders", schneider::orders},
                    Case{"schneider", "participants", schneider::participants},
                    Case{"schneider", "zero_stability", schneider::zero_stability_section},
                    Case{"schneider", "small_system", schneider::small_system},
                    Case{"zhou", "equality", zhou::equality}, Case{"kan", "cuboid", kan::cuboid}),
    [](const auto& of) { return std::string(of.param.page) + "_" + of.param.section; });

}  // namespace
}  // namespace hooke
