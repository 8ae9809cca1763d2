// A problem that a program filled is checked as the reader checks one in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const char* const ball = R"(hooke: 1
bodies: {ball: {rigid: {mass: 1, inertia: 1}}}
run: {step: 0.01, end: 1}
)";

Problem in_cpp() {
  Problem problem;
  RigidSettings rigid{.mass = 1.0};
  rigid.inertia = {Mat3::Identity(), true};
  problem.model.bodies["ball"] = {.formulation = rigid};
  problem.run.end = 1;
  return problem;
}

Problem from_file() {
  Diagnostics diagnostics;
  return parse_model(ball, "ball.yaml", {}, diagnostics);
}

/// What is said of a problem after a change; nothing: it is accepted.
std::string said(Problem problem, auto&& change) {
  change(problem);
  try {
    Simulation simulation(std::move(problem));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, IsAcceptedAsItIs) {
  EXPECT_EQ(said(in_cpp(), [](Problem&) {}), "");
  EXPECT_EQ(said(from_file(), [](Problem&) {}), "");
}

TEST(Problem, FilledByAProgramHasTheBoundsOfAFile) {
  for (const auto& make : {in_cpp, from_file}) {
    const auto after = [&](auto&& change) { return said(make(), change); };
    EXPECT_THAT(after([](Problem& p) { p.run.step = -1; }),
                HasSubstr("run.step: must be positive, got -1 s"));
    EXPECT_THAT(after([](Problem& p) { p.run.step = std::numeric_limits<double>::quiet_NaN(); }),
                HasSubstr("run.step: expected a finite number"));
    EXPECT_THAT(after([](Problem& p) { p.run.step = 1e-17; }),
                AllOf(HasSubstr("run.step: "), HasSubstr("HOOKE_LIMIT_STEPS")));
    EXPECT_THAT(after([](Problem& p) { p.run.threads = 100000; }), HasSubstr("run.threads: "));
    EXPECT_THAT(after([](Problem& p) { p.outputs.every = 1e-12; }),
                AllOf(HasSubstr("outputs.every: "), HasSubstr("HOOKE_LIMIT_OUTPUTS")));
    EXPECT_THAT(after([](Problem& p) { p.subsystems["a/b"].bodies = {"ball"}; }), HasSubstr("'a/b'"));
    EXPECT_THAT(after([](Problem& p) { p.model.bodies["ball"].formulation = RigidSettings{.mass = -1}; }),
                HasSubstr("bodies.ball.rigid"));
  }
}

TEST(Problem, ReadFromAFileIsBlamedWhereItStands) {
  EXPECT_THAT(said(from_file(), [](Problem& p) { p.run.step = 0; }), HasSubstr("ball.yaml:3:"));
}

}  // namespace
}  // namespace hooke
