#include "hooke/base/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/catalog/build.h"
#include "hooke/io/model/model_file.h"
#include "hooke/math/expression.h"

namespace hooke {
namespace {

using testing::HasSubstr;

/// An environment variable that is gone after the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::string errors_of(const std::string& text) {
  try {
    Diagnostics diagnostics;
    const Problem problem = parse_model("hooke: 1\n" + text, "m.yaml", {}, diagnostics);
    diagnostics.throw_if_errors();
    (void)build(problem.model);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// To renew it: HOOKE_UPDATE_DOCS=1 build/release/tests/test_io --gtest_filter='Limits.TableInTheDocumentation*'
TEST(Limits, TableInTheDocumentationIsUpToDate) {
  const std::string path = HOOKE_ROOT "/docs/limits.md", begin = "<!-- table -->\n", end = "<!-- end -->";
  std::string text = contents(path), table = "| limit | what it bounds | raised by |\n| --- | --- | --- |\n";
  for (const Limit& limit : limits::all)
    table += formatted("| {} | {} | {} |\n", format_number(limit.most), limit.text,
                       limit.is_fixed ? "" : formatted("`HOOKE_LIMIT_{}`", limit.name));
  const std::size_t start = text.find(begin) + begin.size(), stop = text.find(end);
  ASSERT_TRUE(text.find(begin) != text.npos && stop != text.npos);
  if (std::getenv("HOOKE_UPDATE_DOCS"))
    std::ofstream(path) << text.replace(start, stop - start, table);
  else
    EXPECT_EQ(text.substr(start, stop - start), table);
}

TEST(Limits, VariablesRaiseThem) {
  const Limit limit = limits::bodies;
  EXPECT_EQ(limit.excess(limit.most), "");
  EXPECT_EQ(limit.excess(2e5),
            "200000 bodies: the limit is 100000, the environment variable HOOKE_LIMIT_BODIES raises it");
  const Variable more("HOOKE_LIMIT_BODIES", "3e5");
  EXPECT_EQ(limit.excess(2e5), "");
  check_limits();
}

TEST(Limits, VariablesThatMeanNothingAreRefused) {
  {
    const Variable wrong("HOOKE_LIMIT_BODIES", "many");
    EXPECT_THROW(check_limits(), Error);
  }
  {
    const Variable unknown("HOOKE_LIMIT_BODY", "1");
    EXPECT_THROW(check_limits(), Error);
  }
  {
    const Variable fixed("HOOKE_LIMIT_MODES", "100");
    EXPECT_THROW(check_limits(), Error);
  }
}

TEST(Limits, AreThoseOfTheCode) { EXPECT_EQ(limits::formula.most, Expression::max_length); }

TEST(Limits, OfModels) {
  const std::string body = "bodies: {a: {rigid: {mass: 1, inertia: 1}}}\n",
                    material = "material: {young: 1e9, poisson: 0.3, density: 1000}";
  EXPECT_THAT(errors_of(body + "run: {step: 1e-16}\n"),
              HasSubstr("m.yaml:3:13: run.step: 1e+16 steps of a run: the limit is 10000000000"));
  EXPECT_THAT(errors_of(body + "outputs: {every: 1e-12}\n"),
              HasSubstr("m.yaml:3:18: outputs.every: 1000000000001 outputs"));
  EXPECT_THAT(errors_of(body + "run: {threads: 100000}\n"),
              HasSubstr("run.threads: 100000 threads: the limit is 64"));
  EXPECT_THAT(errors_of(body + "run: {newton_iterations: 1000000}\n"),
              HasSubstr("run.newton_iterations: 1000000 Newton"));
  EXPECT_EQ(errors_of(body + "run: {step: 1e-16, analysis: statics}\n"), "");
  EXPECT_THAT(
      errors_of("bodies: {a: {cosserat: {section: {circle: 1}, elements: 62500000, " + material + "}}}"),
      HasSubstr("bodies.a.cosserat.elements: 62500000 elements of a rod: the limit is 100000"));
  EXPECT_THAT(
      errors_of("bodies: {a: {solid: {mesh: {box: {size: [1, 1, 1], divisions: [1000, 1000, 1000]}}, " +
                material + "}}}"),
      HasSubstr("bodies.a.solid.mesh.box.divisions: 1000000000 elements of a solid"));
  EXPECT_THAT(errors_of("bodies: {for i in 1..100001: {\"b${i}\": {rigid: {mass: 1, inertia: 1}}}}"),
              HasSubstr("bodies: 100001 bodies: the limit is 100000"));
}

TEST(Limits, OfNumbers) {
  EXPECT_THAT(errors_of("bodies: {a: {rigid: {mass: 1e308, inertia: 1}}}"),
              HasSubstr("bodies.a.rigid.mass: 1e+308 is too large: the limit is 1e+50"));
  EXPECT_THAT(errors_of("bodies: {a: {rigid: {mass: 5e-324, inertia: 1}}}"),
              HasSubstr("bodies.a.rigid.mass: must be positive, at least 1e-50, got 5e-324 kg"));
}

TEST(Names, OfAnyAlphabetThatCanBeSeen) {
  for (const char* name : {"crank", "Kurbel_1", "balken-ä", "曲轴", "кривошип", "🦾"})
    EXPECT_EQ(name_fault(name), "") << name;
  EXPECT_THAT(name_fault(""), HasSubstr("not empty"));
  EXPECT_THAT(name_fault("a/b"), HasSubstr("it cannot hold '/'"));
  EXPECT_THAT(name_fault("a.b"), HasSubstr("it cannot hold '.'"));
  EXPECT_THAT(name_fault("a\x07"), HasSubstr("it cannot hold the character U+0007"));
  EXPECT_THAT(name_fault("a\u202eb"), HasSubstr("it cannot hold the character U+202e"));
  EXPECT_THAT(name_fault("a\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(name_fault("\xc3"), HasSubstr("UTF-8"));
  EXPECT_EQ(name_fault(std::string(100, 'a')), "");
  EXPECT_EQ(name_fault(std::string(10000, 'a')), "10000 characters of a name: the limit is 100");
}

TEST(Names, AreCheckedInProgramsToo) {
  Model model;
  model.bodies["a/b"] = {RigidSettings{.mass = 1.0, .inertia = {Mat3::Identity(), true}}};
  try {
    (void)build(model);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it cannot hold '/'"));
  }
}

}  // namespace
}  // namespace hooke
