#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "hooke/catalog/build.h"
#include "hooke/io/document/yaml.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

void collect_properties(const Value& value, std::set<std::string>& keys) {
  if (const Value* properties = value.find("properties"))
    for (const Value& property : properties->children) keys.insert(property.key);
  for (const Value& child : value.children) collect_properties(child, keys);
}

TEST(ModelSchema, IsJsonAndKnowsEveryKey) {
  Budget budget;
  const Value schema = parse_yaml(model_schema(), "schema.json", budget);  // JSON is YAML
  EXPECT_EQ(schema.find("$schema")->text, "https://json-schema.org/draft/2020-12/schema");
  std::set<std::string> known, wanted;
  collect_properties(schema, known);
  for (const auto& [name, table] : model_tables()) {  // the keys stand in the first column, `so`
    if (name == "modal file" || name == "mode" || name == "modal node" || name == "reduce")
      continue;  // of another kind of file
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("| `")) wanted.insert(line.substr(3, line.find('`', 3) - 3));
  }
  for (const std::string& type : Catalog::built_in().names("joint")) wanted.insert(type);
  EXPECT_GT(wanted.size(), 80u);
  for (const std::string& key : wanted) EXPECT_TRUE(known.contains(key)) << key;
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The tables in docs/model-file.md stand between `<!-- table NAME -->` and `<!-- end -->`. To renew them:
///   HOOKE_UPDATE_DOCS=1 build/release/tests/test_io --gtest_filter='*TablesInTheDocumentation*'
TEST(ModelSchema, TablesInTheDocumentationAreUpToDate) {
  const std::string path = HOOKE_ROOT "/docs/model-file.md", end = "<!-- end -->";
  std::string text = contents(path);
  const bool renew = std::getenv("HOOKE_UPDATE_DOCS") != nullptr;
  for (const auto& [name, table] : model_tables()) {
    const std::string begin = "<!-- table " + name + " -->\n";
    const size_t mark = text.find(begin), start = mark + begin.size(), stop = text.find(end, mark);
    ASSERT_TRUE(mark != text.npos && stop != text.npos)
        << "docs/model-file.md lacks the table '" << name << "'";
    if (!renew) {
      EXPECT_EQ(text.substr(start, stop - start), table) << "docs/model-file.md, table '" << name << "'";
    }
    text.replace(start, stop - start, table);
  }
  if (renew) std::ofstream(path) << text;
}

class ShippedModel : public testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, BuildsAndItsJointsCloseAtTheStart) {
  Diagnostics diagnostics;
  const Problem file = read_model_file(HOOKE_ROOT "/models/" + GetParam() + ".yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  EXPECT_TRUE(diagnostics.warnings().empty());
  EXPECT_FALSE(file.model.title.empty());
  EXPECT_TRUE(file.text.starts_with("# "));
  const BuiltModel built = build(file.model);
  const State state = built.system->initial_state();
  const auto workspace = built.system->workspace();
  built.system->update(state, *workspace);
  VectorX g;
  built.system->position_constraints(state, *workspace, g);
  EXPECT_LT(g.size() > 0 ? g.cwiseAbs().maxCoeff() : 0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Models, ShippedModel,
                         testing::Values("slider_crank", "double_pendulum", "four_bar", "chain", "pendulum",
                                         "gear_pair", "crank_rocker_driven", "mass_spring",
                                         "benchmarks/a01_pendulum", "benchmarks/a02_n_four_bar",
                                         "benchmarks/a03_andrews", "benchmarks/a04_bricard",
                                         "benchmarks/a05_flyball_governor", "benchmarks/heavy_top",
                                         "flexible/cantilever", "flexible/cable", "flexible/flying_spaghetti",
                                         "flexible/slider_crank", "coupled/slider_crank"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

/// The seven coordinates of the IVP test set are joint angles.
TEST(ShippedModels, AndrewsStartsFromTheAnglesOfTheTestSet) {
  Diagnostics diagnostics;
  const Problem file = read_model_file(HOOKE_ROOT "/models/benchmarks/a03_andrews.yaml", {}, diagnostics);
  const BuiltModel built = build(file.model);
  const State state = built.system->initial_state();
  const auto workspace = built.system->workspace();
  built.system->update(state, *workspace);
  const auto angle = [&](const std::string& name) {
    for (const BuiltJoint& joint : built.joints)
      if (joint.name == name)
        return built.system->coordinate(joint.coordinates.at(0).number, state,
                                        static_cast<SystemWorkspace&>(*workspace));
    return 99.0;
  };
  EXPECT_NEAR(angle("O"), -0.0617138900142764496, 1e-15);
  EXPECT_NEAR(angle("P"), 0, 1e-15);
  EXPECT_NEAR(angle("B"), 0.455279819163070380, 1e-15);
  EXPECT_NEAR(angle("G"), 0.222668390165885885, 1e-15);
  EXPECT_NEAR(angle("A5"), 0.487364979543842550, 1e-15);
  EXPECT_NEAR(angle("H"), -0.222668390165885885, 1e-15);
  EXPECT_NEAR(angle("A7"), 1.23054744454982119, 1e-15);
}

TEST(ShippedModels, LoopsMakeAsManyAsAskedFor) {
  Diagnostics diagnostics;
  const auto count = [&](const std::string& model, const std::string& override) {
    const Model made = read_model_file(HOOKE_ROOT "/models/" + model, {override}, diagnostics).model;
    return std::pair{made.bodies.size(), made.joints.size()};
  };
  EXPECT_EQ(count("chain.yaml", "parameters.n=100"), (std::pair<size_t, size_t>{100, 100}));
  EXPECT_EQ(count("chain.yaml", "parameters.n=1"), (std::pair<size_t, size_t>{1, 1}));
  EXPECT_EQ(count("benchmarks/a02_n_four_bar.yaml", "parameters.N=40"), (std::pair<size_t, size_t>{81, 121}));
  EXPECT_FALSE(diagnostics.has_errors());
}

}  // namespace
}  // namespace hooke
