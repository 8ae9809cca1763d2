// A results file that is not as it was written: an error, or the same numbers; never others, a crash or a hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <random>

#include "document_helper.h"
#include "hooke/base/timer.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/results/results_check.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

using testing::HasSubstr;

const char* const model = R"(hooke: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {rigid: {mass: 1, shape: {box: [0.1, 0.1, 1]}}, at: [0, 0, -0.5]}
  rod:
    cosserat: {section: {circle: 0.01}, material: {young: 2e11, poisson: 0.3, density: 7850}, elements: 2, length: 1}
    at: [0, 0, -1.5]
joints:
  pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: x}
  weld: {fixed: [arm, rod.start]}
forces:
  push: {load: arm, force: [0, 1, 0]}
run: {step: 1e-3, end: 0.01}
outputs: {every: 1e-3}
)";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DamagedResults : public testing::Test {
 protected:
  void SetUp() override {
    Diagnostics diagnostics;
    Simulation(parse_model(model, "m.yaml", {}, diagnostics)).run({.results = path});
    whole = bytes_of(path);
    numbers = all_numbers();
  }

  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::map<std::string, std::vector<double>> all_numbers() const {
    std::map<std::string, std::vector<double>> all;
    const ResultsReader results(path);
    (void)results.drawing();
    for (const Quantity& quantity : results.quantities())
      if (!quantity.name.starts_with("step.")) all[quantity.name] = results.read(quantity.name);
    return all;
  }
  /// Of those that are there, the first that has other numbers; names of data sets are not protected.
  std::string changed() const {
    for (const auto& [name, now] : all_numbers())
      if (const auto before = numbers.find(name); before != numbers.end() && before->second != now)
        return name;
    return "";
  }
  /// The numbers, as they were, or an error.
  std::string outcome() const {
    try {
      check_results_file(path);
      const std::string name = changed();
      return name.empty() ? "same" : "other numbers: " + name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::file) << error.what();
      return error.what();
    }
  }

  Folder folder;
  std::string path = folder.write("results.h5", ""), whole;
  std::map<std::string, std::vector<double>> numbers;
};

TEST_F(DamagedResults, AWholeFileIsCheckedQuickly) {
  double best = 1;
  for (int k = 0; k < 5; ++k) {
    const Timer timer;
    check_results_file(path);
    best = std::min(best, timer.seconds());
  }
  EXPECT_LT(best, 0.2);  // 0.02 on a machine that does nothing else
  EXPECT_EQ(outcome(), "same");
}

/// Numbers and HDF5's index of them, which can lead to an older copy of a block.
TEST_F(DamagedResults, BytesChanged) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    for (std::size_t edits = 1 + below(20); edits > 0; --edits)
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    write(bytes);
    const std::string found = outcome();
    EXPECT_THAT(found, testing::Not(HasSubstr("other numbers"))) << "round " << round;
    refused += found != "same";
  }
  EXPECT_GT(refused, 20);
}

TEST_F(DamagedResults, CutShort) {
  for (const double share : {0.0, 0.01, 0.3, 0.6, 0.9, 0.999}) {
    write(whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    EXPECT_THAT(outcome(), HasSubstr(path)) << share;
  }
}

TEST_F(DamagedResults, AProcessThatDiesHangsOrGrowsIsNoticed) {
  const auto outcome_of = [&](const std::function<void(const ResultsReader&)>& also) -> std::string {
    try {
      check_results_file(path, also);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(outcome_of([](const ResultsReader&) { throw Error(ExitCode::usage, "said by who reads it"); }),
            "");
  EXPECT_THAT(outcome_of([](const ResultsReader&) { std::abort(); }),
              HasSubstr("the HDF5 library crashes on it"));
  setenv("HOOKE_LIMIT_CHECK_SECONDS", "1", 1);
  EXPECT_THAT(outcome_of([](const ResultsReader&) { pause(); }),
              HasSubstr("HOOKE_LIMIT_CHECK_SECONDS raises it"));
  EXPECT_THAT(outcome_of([](const ResultsReader&) {
                for (volatile int k = 0;;) k = 1 - k;
              }),
              HasSubstr("HOOKE_LIMIT_CHECK_SECONDS raises it"));
  EXPECT_EQ(outcome_of([](const ResultsReader&) { sleep(2); }), "");  // on a machine that is busy
  unsetenv("HOOKE_LIMIT_CHECK_SECONDS");
  EXPECT_THAT(outcome_of([](const ResultsReader&) { throw std::bad_alloc(); }), HasSubstr("too much memory"));
}

}  // namespace
}  // namespace hooke
