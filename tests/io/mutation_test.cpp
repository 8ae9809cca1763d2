// Random damage to a valid document must end in a tree or in a ModelError, never in a crash, a hang or
// another exception. The fuzz target looks further; this keeps the promise in every test run.
#include <random>

#include "document_helper.h"
#include "hooke/io/document/reader.h"

namespace hooke {
namespace {

const char* const original = R"(hooke: 1
parameters: {n: 4, l: "${1/n}", stiff: true}
gravity: [0, 0, -9.81]
bodies:
  for i in 1..n:
    link${i}: &link {rigid: {mass: 1, inertia: [1, 1, 1]}, at: ["${(i - 0.5)*l}", 0, 0]}
  extra: *link
joints:
  for i in 1..n:
    if i == 1:
      j1: {spherical: [ground, link1]}
    else if stiff:
      j${i}: {fixed: ["link${i-1}", "link${i}"]}
    else:
      j${i}: {spherical: ["link${i-1}", "link${i}"]}
table:
  - [0, 0]
  - for i in 1..3 step 2: [["${i}", "${i^2}"]]
"quoted key": 'text' # comment
block: |
  some
  text
)";

struct Anything {
  double hooke = 0;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  std::vector<std::vector<double>> table;
  static void describe(auto& field) {
    field("hooke", &Anything::hooke, Doc{.required = true, .check = positive});
    field("gravity", &Anything::gravity, Doc{});
    field("table", &Anything::table, Doc{});
  }
};

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&random](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string signs = "{}[]:,&*#?|-<>=!%@\"'$ \n\t019.eix\\~\0\xff\xc3";
  for (size_t edits = 1 + below(6); edits > 0 && !text.empty(); --edits) {
    const size_t at = below(text.size()), length = std::min(below(40) + 1, text.size() - at);
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.insert(at, 1, signs[below(signs.size())]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        text[at] = signs[below(signs.size())];
        break;
    }
  }
  return text;
}

TEST(Mutation, EndsInATreeOrAModelError) {
  std::mt19937 random(1);
  int trees = 0;
  constexpr int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = damaged(original, random);
    try {
      Diagnostics diagnostics;
      const Document document = parse_document(text, "m.yaml", {}, diagnostics);
      Anything anything;
      read(document.root(), anything, diagnostics);
      trees += document.root().is_mapping();
    } catch (const ModelError& error) {
      ASSERT_FALSE(error.diagnostics().empty());
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for\n" << text;
    }
  }
  EXPECT_GT(trees, rounds / 50);
}

}  // namespace
}  // namespace hooke
