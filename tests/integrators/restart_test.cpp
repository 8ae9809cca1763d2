// A run that is stopped and continued equals one that is not, in every bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hooke/record/record.h"
#include "hooke/simulation/checkpoint.h"
#include "hooke/simulation/linear_run.h"
#include "hooke/simulation/simulation.h"

namespace hooke::test {
namespace {

const std::string root = HOOKE_ROOT;

struct Case {
  std::string name, model;
  std::vector<std::string> changes;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// So many steps that a checkpoint lies between the start and where the run is stopped.
constexpr long stop_at = 1500;

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const std::vector<std::string> short_steps{"run.step=5e-4", "run.end=1.1", "outputs.every=0.0123"};
  const auto add = [&](const std::string& name, const std::string& model, std::vector<std::string> changes,
                       bool with_steps = true) {
    if (with_steps) changes.insert(changes.begin(), short_steps.begin(), short_steps.end());
    cases.push_back({name, "models/" + model + ".yaml", changes});
  };
  for (const char* name :
       {"generalized-alpha", "hht", "newmark", "trapezoidal", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm",
        "stabilised-ode", "dormand-prince", "merson", "linearly-implicit", "energy-momentum"}) {
    std::string safe = name;
    std::replace(safe.begin(), safe.end(), '-', '_');
    add(safe, "slider_crank", {std::string("run.integrator=") + name});
  }
  for (const char* solver : {"dense", "sparse", "schur", "dca"}) {
    add(std::string("chain_by_") + solver, "chain", {"parameters.n=12", std::string("run.solver=") + solver});
    add(std::string("rod_by_") + solver, "flexible/cable", {std::string("run.solver=") + solver});
  }
  add("tolerance", "slider_crank", {"run.integrator=dormand-prince", "run.tolerance=1e-12", "run.end=4"});
  add("implicit_tolerance", "double_pendulum", {"run.tolerance=1e-10", "run.end=3"});
  add("every_step", "four_bar", {"outputs.every=0"});
  add("redundant", "benchmarks/misaligned_four_bar", {"run.tolerance=1e-11", "run.end=3"});
  add("kinematics", "crank_rocker_driven", {"run.analysis=kinematics"});
  add("gears", "gear_pair", {});
  add("modes", "flexible/slider_crank_modal", {});
  add("rods", "flexible/slider_crank", {});
  add("components", "flexible/solid_components",
      {"run.step=2e-5", "run.end=0.04", "outputs.every=1e-3",
       "bodies.beam.solid.mesh.box.divisions=[20,1,1]"});
  add("two_threads", "chain", {"parameters.n=64", "run.threads=2"});
  add("realtime", "four_bar", {"run.realtime=2", "run.integrator={trapezoidal: {form: index3}}"});
  add("digital_control", "control/inverted_pendulum_pid", {});
  add("servo", "control/servo", {});
  add("bouncing", "control/bouncing", {"run.end=4.3", "run.step=2e-3"});
  add("latches", "control/deployment", {"run.step=1e-3", "run.end=3", "outputs.every=0.1"});
  add("relaxed", "coupled/slider_crank", {});
  add("force_displacement", "coupled/cable", {"run.step=2e-4", "run.end=0.44"});
  return cases;
}

struct Trace {
  std::vector<State> states;
  Summary summary;
};

Trace trace(const Case& c, const std::string& results, bool is_continued, long stop_after) {
  Trace made;
  long steps = 0;
  Simulation simulation(is_continued ? continued(results, Catalog::built_in())
                                     : load(root + "/" + c.model, c.changes));
  made.summary = simulation.run(
      {.results = results,
       .is_continued = is_continued,
       .cancelled = [&] { return ++steps == stop_after; },
       .on_output = [&](const State& state, const SystemWorkspace&) { made.states.push_back(state); }});
  return made;
}

bool same_bits(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::memcmp(&x, &y, sizeof x) == 0;
         });
}

std::string folder_for_test() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = formatted("hooke_{}_{}", info->test_suite_name(), info->name());
  std::replace(name.begin(), name.end(), '/', '_');
  const auto folder = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove_all(folder);
  return folder.string();
}

class Restart : public testing::TestWithParam<Case> {};

TEST_P(Restart, EqualsTheRunThatWasNotStopped) {
  const std::string folder = folder_for_test();
  const Trace whole = trace(GetParam(), folder + "/whole.h5", false, -1);
  ASSERT_EQ(whole.summary.status, RunStatus::finished) << whole.summary.failure;
  ASSERT_GT(whole.summary.totals.steps, stop_at);
  const Trace stopped = trace(GetParam(), folder + "/cut.h5", false, stop_at);
  ASSERT_EQ(stopped.summary.status, RunStatus::interrupted);
  const Trace rest = trace(GetParam(), folder + "/cut.h5", true, -1);
  ASSERT_EQ(rest.summary.status, RunStatus::finished) << rest.summary.failure;

  ASSERT_LT(rest.states.size(), whole.states.size());  // it went on, and did not begin anew
  const std::size_t before = whole.states.size() - rest.states.size();
  for (std::size_t k = 0; k < rest.states.size(); ++k) {
    const State &a = whole.states[before + k], &b = rest.states[k];
    ASSERT_EQ(a.t, b.t);
    ASSERT_TRUE(same_bits(a.q, b.q)) << "at t = " << a.t;
    ASSERT_TRUE(same_bits(a.v, b.v)) << "at t = " << a.t;
    ASSERT_TRUE(same_bits(a.a, b.a)) << "at t = " << a.t;
    ASSERT_TRUE(same_bits(a.lambda, b.lambda)) << "at t = " << a.t;
  }
  EXPECT_EQ(whole.summary.frames, rest.summary.frames);
  EXPECT_EQ(whole.summary.totals.steps, rest.summary.totals.steps);
  EXPECT_EQ(whole.summary.totals.iterations, rest.summary.totals.iterations);
  EXPECT_EQ(whole.summary.quality.energy_error, rest.summary.quality.energy_error);
  EXPECT_EQ(whole.summary.quality.error, rest.summary.quality.error);
  EXPECT_EQ(whole.summary.energy_drift, rest.summary.energy_drift);
  EXPECT_THAT(rest.summary.notes, testing::Contains(testing::HasSubstr("in every bit")));
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Restart, testing::ValuesIn(all_cases()),
                         [](const auto& made) { return made.param.name; });

// --- linear subsystems

/// All numbers of a run, one after the other.
std::vector<double> linear_trace(const LinearModel& model, const std::string& results, bool is_continued,
                                 long stop_after, Summary& summary) {
  std::vector<double> numbers;
  long steps = 0;
  summary =
      run(model, {.results = results,
                  .is_continued = is_continued,
                  .cancelled = [&] { return ++steps == stop_after; },
                  .on_record =
                      [&](const Record& record) {
                        numbers.push_back(record.t);
                        for (const Record::Joint& each : record.joints) {
                          numbers.insert(numbers.end(), each.coordinates.begin(), each.coordinates.end());
                          numbers.insert(numbers.end(), each.rates.begin(), each.rates.end());
                          numbers.insert(numbers.end(), each.reaction.begin(), each.reaction.end());
                        }
                      }});
  return numbers;
}

class LinearRestart : public testing::TestWithParam<Case> {
 protected:
  std::string folder = folder_for_test();
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_P(LinearRestart, EqualsTheRunThatWasNotStopped) {
  const LinearModel model = *read_linear_model(root + "/" + GetParam().model, GetParam().changes);
  Summary whole_summary, summary;
  const std::vector<double> whole = linear_trace(model, folder + "/whole.h5", false, -1, whole_summary);
  ASSERT_EQ(whole_summary.status, RunStatus::finished) << whole_summary.failure;
  ASSERT_GT(whole_summary.totals.steps, stop_at);
  linear_trace(model, folder + "/cut.h5", false, stop_at, summary);
  ASSERT_EQ(summary.status, RunStatus::interrupted);
  const auto again = continued_linear_model(folder + "/cut.h5");
  ASSERT_TRUE(again);
  const std::vector<double> rest = linear_trace(*again, folder + "/cut.h5", true, -1, summary);
  ASSERT_EQ(summary.status, RunStatus::finished) << summary.failure;
  ASSERT_LT(rest.size(), whole.size());
  EXPECT_EQ(
      std::memcmp(rest.data(), whole.data() + (whole.size() - rest.size()), rest.size() * sizeof(double)), 0);
  EXPECT_EQ(whole_summary.frames, summary.frames);
  EXPECT_EQ(whole_summary.totals.steps, summary.totals.steps);
  EXPECT_THAT(summary.notes, testing::Contains(testing::HasSubstr("in every bit")));
}

TEST_P(LinearRestart, GoesFurtherThanItWasMeantTo) {
  LinearModel model = *read_linear_model(root + "/" + GetParam().model, GetParam().changes);
  Summary summary;
  const std::vector<double> whole = linear_trace(model, folder + "/whole.h5", false, -1, summary);
  LinearModel shorter = model;
  shorter.end = 0.6 * model.end;
  linear_trace(shorter, folder + "/cut.h5", false, -1, summary);
  const std::vector<double> rest = linear_trace(model, folder + "/cut.h5", true, -1, summary);
  ASSERT_EQ(summary.status, RunStatus::finished) << summary.failure;
  ASSERT_LT(rest.size(), whole.size());
  EXPECT_EQ(
      std::memcmp(rest.data(), whole.data() + (whole.size() - rest.size()), rest.size() * sizeof(double)), 0);
}

std::vector<Case> linear_cases() {
  std::vector<Case> cases;
  const std::string of = "coupling.force-displacement.";
  for (const char* model : {"two_masses", "state_space"})
    for (const char* order : {"jacobi", "gauss-seidel"})
      for (const char* forces : {"exact", "approximate"})
        cases.push_back({formatted("{}_{}_{}", model, *order == 'j' ? "jacobi" : "gauss_seidel", forces),
                         formatted("models/coupled/{}.yaml", model),
                         {"run.step=1e-3", "run.end=2", "outputs.every=0.0123", of + "order=" + order,
                          of + "forces=" + forces}});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, LinearRestart, testing::ValuesIn(linear_cases()),
                         [](const auto& made) { return made.param.name; });

TEST(LinearRestartRefused, AnotherModel) {
  const std::string folder = folder_for_test(), path = root + "/models/coupled/two_masses.yaml";
  run(*read_linear_model(path, {"run.end=0.1"}), {.results = folder + "/r.h5"});
  const auto reason = [&](const std::vector<std::string>& changes) -> std::string {
    try {
      run(*read_linear_model(path, changes), {.results = folder + "/r.h5", .is_continued = true});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(reason({"run.end=0.2", "run.step=0.002"}), testing::HasSubstr("not that of the checkpoint"));
  EXPECT_EQ(reason({"run.end=0.2"}), "");
  std::filesystem::remove_all(folder);
}

// At 65 s the pendulum passes a position in which some motion of the whole seems to be free. What is free is not looked
// for anew when the integrator is made anew.
TEST(Renewal, KeepsTheEnergyOfAPendulumAsBefore) {
  const Summary s =
      Simulation(load(root + "/models/double_pendulum.yaml",
                      {"run.integrator=energy-momentum", "run.step=1e-3", "run.end=70", "outputs.every=1"}))
          .run();
  ASSERT_EQ(s.status, RunStatus::finished) << s.failure;
  EXPECT_LT(s.quality.energy_error, 1e-11 * s.quality.energy_scale);
}

// --- what is refused

class RestartRefused : public testing::Test {
 protected:
  void SetUp() override {
    folder = folder_for_test();
    trace({"", "models/pendulum.yaml", {"run.end=1"}}, folder + "/r.h5", false, -1);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string reason(const std::vector<std::string>& changes) const {
    try {
      Simulation(load(root + "/models/pendulum.yaml", changes))
          .run({.results = folder + "/r.h5", .is_continued = true});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  void overwrite(const std::string& text, std::streamoff at) const {
    std::fstream file(folder + "/r.checkpoint", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << text;
  }
  std::string folder;
};

TEST_F(RestartRefused, NotWhereOnlyTheEndDiffers) { EXPECT_EQ(reason({"run.end=2"}), ""); }

TEST_F(RestartRefused, AnotherModel) {
  EXPECT_THAT(reason({"run.end=2", "run.step=0.002"}), testing::HasSubstr("step: 0.002"));
  EXPECT_THAT(reason({"run.end=2", "gravity=[0, 0, -1]"}), testing::HasSubstr("not that of the checkpoint"));
}

TEST_F(RestartRefused, DamagedOnes) {
  overwrite("x", 200);
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("checksum"));
  overwrite("Hooke checkpoint 0", 0);
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("another version"));
  overwrite("Something else", 0);
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("no checkpoint"));
  std::filesystem::resize_file(folder + "/r.checkpoint", 20);
  std::filesystem::remove(folder + "/r.checkpoint");
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("there is none"));
}

TEST_F(RestartRefused, WithoutTheRowsBeforeIt) {
  Simulation(load(root + "/models/pendulum.yaml", {"run.end=0.1"})).run({.results = folder + "/other.h5"});
  std::filesystem::rename(folder + "/other.h5", folder + "/r.h5");
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("another run"));
  std::filesystem::remove(folder + "/r.h5");
  EXPECT_THAT(reason({"run.end=2"}), testing::HasSubstr("cannot go on from it"));
}

}  // namespace
}  // namespace hooke::test
