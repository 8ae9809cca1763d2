#include "hooke/io/results/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "document_helper.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/io/results/export.h"
#include "hooke/io/results/results_place.h"
#include "hooke/io/results/results_reader.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A crank on a bearing along y, a slider on a bar it hangs from, a spring between them.
Model small_model() {
  Model model;
  RigidSettings rigid{.mass = 2.0};
  rigid.inertia = {Mat3::Identity(), true};
  model.gravity = {0, 0, -10};
  model.bodies["crank"] = {.formulation = rigid, .place = {.at = Vec3(1, 0, 0)}};
  model.bodies["slider"] = {
      .formulation = rigid, .place = {.at = Vec3(0, 0, 3)}, .velocity = Vec3(0.5, 0, 0)};
  model.joints["A"] = RevoluteSettings{.between = {"ground", "crank"}, .at = Vec3::Zero(), .axis = unit_y};
  model.joints["D"] = PrismaticSettings{.between = {"ground", "slider"}, .axis = unit_x};
  model.forces["spring1"] = SpringSettings{.between = {"crank", "slider"}};
  return model;
}

struct Fixture : testing::Test {
  Folder folder;
  std::string path = folder.write("run/old.txt", "") + ".h5";
  BuiltModel built = build(small_model());
  State state = built.system->initial_state();
  std::unique_ptr<Workspace> workspace = built.system->workspace();
  ResultsInfo info{.title = "A crank",
                   .model_text = "hooke: 1\n",
                   .integrator = "hht",
                   .solver = "dense",
                   .version = "1.2.3"};

  Record record(double t) {
    state.t = t;
    built.system->update(state, *workspace);
    return make_record(built, state, static_cast<SystemWorkspace&>(*workspace));
  }
  void write_some(ResultsWriter& writer, int frames, int steps) {
    for (int k = 0; k < frames; ++k) {
      Record r = record(0.1 * k);
      r.bodies[1].pose.p.x() = k;
      writer.write(r);
    }
    for (int k = 0; k < steps; ++k) writer.write(StepRecord{0.01 * (k + 1), 0.01, 3, 1, k == 2, 1e-7});
  }
};

using Results = Fixture;

TEST_F(Results, NodesOfARodComeBackByNumber) {
  Model model;
  CosseratSettings rod;
  rod.section = CircleSection{0.03};
  rod.material = MaterialSettings{1e9, 0.3, 1000};
  rod.length = 2.0;
  rod.elements = 3;
  model.bodies["beam"] = {.formulation = rod, .place = {.at = Vec3(1, 2, 3)}};
  built = build(model);
  workspace = built.system->workspace();
  state = built.system->initial_state();
  ResultsWriter writer(path, built, info);
  writer.write(record(0));
  state.q[7 * 6] = 5;  // x of the last node
  writer.write(record(0.5));
  writer.finish("finished", "");

  const ResultsReader results(path);
  ASSERT_EQ(results.rods().size(), 1u);
  EXPECT_EQ(results.rods()[0].name, "beam");
  EXPECT_EQ(results.rods()[0].nodes, 7u);
  EXPECT_NEAR(results.rods()[0].radius, 0.03, 1e-12);
  EXPECT_THAT(results.read("body.beam.node.0.position.z"), ElementsAre(2, 2));
  EXPECT_THAT(results.read("body.beam.node.6.position.x"), ElementsAre(1, 5));
  EXPECT_THAT(results.read("body.beam.node.6.orientation.w"), ElementsAre(1, 1));
  EXPECT_EQ(results.select({"body.beam.node.3"}).size(), 7u);
}

TEST_F(Results, ComeBackUnderTheNamesOfTheModel) {
  ResultsWriter writer(path, built, info);
  write_some(writer, 3, 4);
  writer.finish("finished", "all well");

  const ResultsReader results(path);
  EXPECT_EQ(results.about().title, "A crank");
  EXPECT_EQ(results.about().status, "finished");
  EXPECT_EQ(results.about().message, "all well");
  EXPECT_EQ(results.about().version, "1.2.3");
  EXPECT_EQ(results.about().integrator, "hht");
  EXPECT_EQ(results.model_text(), "hooke: 1\n");
  EXPECT_EQ(results.frames(), 3u);
  EXPECT_EQ(results.steps(), 4u);
  EXPECT_THAT(results.read("time"), ElementsAre(0, 0.1, 0.2));
  EXPECT_THAT(results.read("body.slider.position.x"), ElementsAre(0, 1, 2));
  EXPECT_THAT(results.read("body.slider.position.z"), ElementsAre(3, 3, 3));
  EXPECT_THAT(results.read("body.crank.orientation.w"), ElementsAre(1, 1, 1));
  EXPECT_THAT(results.read("joint.D.displacement.rate"), ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(results.read("step.iterations"), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(results.read("step.rejections"), ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(results.find("joint.A.angle").unit, "rad");
  EXPECT_EQ(results.find("joint.D.displacement.rate").unit, "m/s");
  EXPECT_EQ(results.find("joint.A.torque.z").unit, "N m");
  EXPECT_EQ(results.find("energy.total").unit, "J");
}

TEST_F(Results, ReactionsStandInTheAxesOfTheFirstJointFrame) {
  state.lambda.setZero();
  built.system->update(state, *workspace);
  auto& w = static_cast<SystemWorkspace&>(*workspace);
  const auto [row, rows] = built.system->rows_of(built.joints[0].constraint);
  for (int k = 0; k < rows; ++k) state.lambda[row + k] = k + 1;

  const Record r = make_record(built, state, w);
  const Vec6 world = built.system->reaction(built.joints[0].constraint, 1, state, w);
  const Mat3 R = w.frames.pose[built.joints[0].frames[0]].R;
  EXPECT_GT((R - identity3).norm(), 0.5) << "the axis of A is y, so its frame is turned";
  EXPECT_LT((R * r.joints[0].reaction.head<3>() - world.head<3>()).norm(), 1e-12);
  EXPECT_LT((R * r.joints[0].reaction.tail<3>() - world.tail<3>()).norm(), 1e-12);
  EXPECT_GT(world.norm(), 1);
  EXPECT_NEAR(r.joints[0].reaction[5], 0, 1e-12) << "a bearing holds nothing about its own axis z";
}

TEST_F(Results, RecordHoldsEnergyAndTheLargestViolations) {
  state.q[0] += 0.25;  // the crank off its bearing, along x
  state.v[2] = 4;      // and moving along z
  const Record r = record(0);
  EXPECT_NEAR(r.position_violation, 0.25, 1e-12);
  EXPECT_NEAR(r.velocity_violation, 4, 1e-12);
  EXPECT_NEAR(r.kinetic, 0.5 * 2 * (4 * 4 + 0.5 * 0.5), 1e-12);
  EXPECT_NEAR(r.potential, 2 * 10 * 3, 1e-9) << "the spring has no stiffness";
}

TEST_F(Results, QuaternionsDoNotJump) {
  ResultsWriter writer(path, built, info);
  Record r = record(0);
  for (int k = 0; k <= 40; ++k) {
    r.t = k;
    r.bodies[0].pose.R = exp_so3(Vec3(0.3 * k, 0, 0));
    writer.write(r);
  }
  writer.finish("finished", "");
  const std::vector<double> w = ResultsReader(path).read("body.crank.orientation.w");
  for (int k = 0; k <= 40; ++k) EXPECT_NEAR(w[k], std::cos(0.15 * k), 1e-12);
}

TEST_F(Results, AModelWithoutJointsAndForcesIsWritten) {
  Model model = small_model();
  model.joints.clear();
  model.forces.clear();
  built = build(model);
  state = built.system->initial_state();
  workspace = built.system->workspace();
  ResultsWriter writer(path, built, info);
  write_some(writer, 100, 0);
  writer.finish("finished", "");
  const ResultsReader results(path);
  EXPECT_EQ(results.frames(), 100u);
  EXPECT_EQ(results.read("body.slider.position.x").back(), 99);
  EXPECT_EQ(results.steps(), 0u);
}

TEST_F(Results, EqualNamesGetANumber) {
  Model model = small_model();
  model.joints["D"] = CylindricalSettings{
      .between = {"ground", "slider"}, .axis = unit_x, .friction = FrictionSettings{.viscous = 1}};
  built = build(model);
  state = built.system->initial_state();
  workspace = built.system->workspace();
  ResultsWriter writer(path, built, info);
  write_some(writer, 1, 0);
  writer.finish("finished", "");
  const ResultsReader results(path);
  EXPECT_EQ(results.read("friction.D.force.x").size(), 1u);
  EXPECT_EQ(results.read("friction.D_2.torque.x").size(), 1u);
}

TEST_F(Results, UnknownNamesAreAnsweredWithTheNearest) {
  ResultsWriter(path, built, info).finish("finished", "");
  const ResultsReader results(path);
  const auto message = [&](const std::string& name) -> std::string {
    try {
      results.select({name});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("body.sldier.position.x"), HasSubstr("did you mean 'body.slider.position.x'?"));
  EXPECT_THAT(message("body.x*"), HasSubstr("has no quantity like 'body.x*'"));
}

TEST_F(Results, AreSelectedByNameBeginningAndPattern) {
  ResultsWriter(path, built, info).finish("finished", "");
  const ResultsReader results(path);
  const auto names = [&](const std::vector<std::string>& wanted) {
    std::vector<std::string> found;
    for (const Quantity& quantity : results.select(wanted)) found.push_back(quantity.name);
    return found;
  };
  EXPECT_THAT(names({"body.*.position.x"}), ElementsAre("body.crank.position.x", "body.slider.position.x"));
  EXPECT_THAT(names({"energy", "energy.total"}),
              ElementsAre("energy.kinetic", "energy.potential", "energy.total", "energy.supplied",
                          "energy.dissipated", "energy.error"));
  EXPECT_THAT(names({"joint.A.angle"}), ElementsAre("joint.A.angle"));
  EXPECT_THAT(names({"force.spring1.force.?"}),
              ElementsAre("force.spring1.force.x", "force.spring1.force.y", "force.spring1.force.z"));
}

// --- export

TEST_F(Results, ExportIsATableOfShortestNumbers) {
  ResultsWriter writer(path, built, info);
  write_some(writer, 2, 1);
  writer.finish("finished", "");
  const ResultsReader results(path);
  std::ostringstream frames, steps;
  export_csv(results, {"body.slider.position.x", "joint.D.displacement.rate"}, frames);
  EXPECT_EQ(frames.str(),
            "# s,m,m/s\ntime,body.slider.position.x,joint.D.displacement.rate\n0,0,0.5\n0.1,1,0.5\n");
  export_csv(results, {"step.size", "step.error"}, steps);
  EXPECT_EQ(steps.str(), "# s,s,1\nstep.time,step.size,step.error\n0.01,0.01,1e-07\n");
  EXPECT_THROW(export_csv(results, {"step.size", "energy"}, steps), Error);

  std::ostringstream everything;
  const ExportedTable table = export_csv(results, {}, everything);
  EXPECT_EQ(table.rows, 2u);
  EXPECT_EQ(table.columns, 1 + 2 * 19 + 2 * 6 + 2 * 2 + 6 + 3 + 6 + 3u);
}

TEST_F(Results, ExportLeavesAnOldFileWhenTheNamesAreWrong) {
  ResultsWriter(path, built, info).finish("finished", "");
  const std::string csv = folder.write("table.csv", "precious");
  EXPECT_THROW(export_csv(ResultsReader(path), {"nonsense"}, csv), Error);
  EXPECT_EQ(std::filesystem::file_size(csv), 8u);
}

// --- when things go wrong

/// What error `f` throws: "code: message".
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return fmt::format("{}: {}", static_cast<int>(error.code()), error.what());
  }
  return "";
}

TEST_F(Results, OtherFilesAreRefused) {
  const std::string text = folder.write("a.h5", "no HDF5");
  EXPECT_THAT(error_of([&] { ResultsReader r(text); }),
              AllOf(StartsWith("6: "), HasSubstr("cannot read it as HDF5")));
  EXPECT_THAT(error_of([&] { ResultsReader r(text + "x"); }), HasSubstr("there is no such file"));
}

TEST_F(Results, AFileThatCannotBeMadeIsAnError) {
  const std::string file = folder.write("file", "");
  EXPECT_THAT(
      error_of([&] { ResultsWriter w(file + "/results.h5", built, info); }),
      AllOf(StartsWith("6: "), HasSubstr("cannot make its folder"), HasSubstr("choose another place")));
}

TEST_F(Results, AWriterThatIsDroppedLeavesAReadableFile) {
  {
    ResultsWriter writer(path, built, info);
    write_some(writer, 5, 5);
  }
  const ResultsReader results(path);
  EXPECT_EQ(results.frames(), 5u);
  EXPECT_EQ(results.about().status, "failed");
}

TEST_F(Results, WhatWasSaidDuringTheRunIsKept) {
  info.notes = {"a note"};
  info.warnings = {"at the start"};
  ResultsWriter writer(path, built, info);
  EXPECT_THAT(ResultsReader(path).about().warnings, ElementsAre("at the start"));
  writer.finish("finished", "", {"a note"}, {"at the start", "too long\nsteps", "and more"});
  EXPECT_THAT(ResultsReader(path).about().notes, ElementsAre("a note"));
  EXPECT_THAT(ResultsReader(path).about().warnings,
              ElementsAre("at the start", "too long steps", "and more"));
}

/// Runs `child` in another process; returns its wait status.
template <class F>
int in_child(F child) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

/// Runs `child(ready)` in another process and kills it some time after it called `ready()`.
template <class F>
void kill_child(F child, std::chrono::microseconds after) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    child([&] { ASSERT_EQ(::write(ends[1], "x", 1), 1); });
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  std::this_thread::sleep_for(after);
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  close(ends[0]);
  close(ends[1]);
}

/// A slow run writes every row as a block of its own, each time all rows of the chunk again.
TEST_F(Results, HowOftenRowsAreWrittenDoesNotMakeTheFileLarger) {
  const std::string at_once = path, one_by_one = path + ".slow.h5";
  for (const std::string& name : {at_once, one_by_one}) {
    ResultsWriter writer(name, built, info);
    for (int k = 0; k < 150; ++k) {
      Record r = record(0.1 * k);
      for (Record::Body& body : r.bodies) body.pose.p = Vec3::Random();
      writer.write(r);
      writer.write(StepRecord{0.01 * (k + 1), 0.01, 3, 1, 0, 1e-7});
      if (name == one_by_one) writer.write_kept();
    }
    writer.finish("finished", "", {"a note"}, {"a warning"});
  }
  const auto size = [](const std::string& name) { return double(std::filesystem::file_size(name)); };
  EXPECT_LT(size(one_by_one), 1.1 * size(at_once));
  const ResultsReader fast(at_once), slow(one_by_one);
  EXPECT_EQ(slow.about().status, "finished");
  EXPECT_EQ(slow.about().warnings, fast.about().warnings);
  EXPECT_EQ(slow.about().created.size(), fast.about().created.size());
  EXPECT_EQ(slow.frames(), 150U);
  EXPECT_EQ(slow.steps(), 150U);
  EXPECT_EQ(slow.read("energy.kinetic"), fast.read("energy.kinetic"));
  EXPECT_NO_THROW(slow.try_all());
  EXPECT_FALSE(std::filesystem::exists(one_by_one + ".part"));
  EXPECT_FALSE(is_being_written(one_by_one));
}

TEST_F(Results, AKilledProgramLeavesAFileThatOtherProgramsRead) {
  const auto run = [&](auto ready) {
    ResultsWriter writer(path, built, info);
    write_some(writer, 100, 100);
    ready();
    pause();
  };
  kill_child(run, std::chrono::microseconds(0));
  const ResultsReader results(path);
  EXPECT_EQ(results.about().status, "running");
  EXPECT_GE(results.frames(), 64u);
  if (std::system("command -v h5dump > /dev/null") != 0) GTEST_SKIP() << "h5dump is not installed";
  EXPECT_EQ(std::system(("h5dump " + path + " > /dev/null").c_str()), 0);
}

/// Killed at any moment, mostly inside a block, in many places of the file's growth.
TEST_F(Results, AKillInsideABlockLosesOnlyThatBlock) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto run = [&](auto ready) {
      ResultsWriter writer(path, built, info);
      for (int k = 0;; ++k) {
        Record r = record(k);
        r.bodies[1].pose.p.x() = k;
        r.potential = k;
        writer.write(r);
        writer.write(StepRecord{double(k), 1, k, 0, 0, 0});
        if (k == 100) ready();
      }
    };
    kill_child(run, std::chrono::microseconds(attempt * 777));
    const ResultsReader results(path);
    EXPECT_GE(results.frames(), 64u);
    for (const char* name : {"time", "body.slider.position.x", "energy.potential", "step.iterations"}) {
      const std::vector<double> values = results.read(name);
      for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], k) << name;
    }
  }
}

/// The index of a series is one node for up to 64 blocks. Then it is split, and from there on every so often.
TEST_F(Results, AKillWhileTheIndexGrowsLosesOnlyThatBlock) {
  constexpr int block = 64, before = 63 * block;
  for (int attempt = 0; attempt < 40; ++attempt) {
    const auto run = [&](auto ready) {
      ResultsWriter writer(path, built, info);
      for (int k = 0;; ++k) {
        Record r = record(k);
        r.bodies[1].pose.p.x() = k;
        writer.write(r);
        if (k == before) ready();
      }
    };
    kill_child(run, std::chrono::microseconds(attempt * 211));
    const ResultsReader results(path);
    EXPECT_GE(results.frames(), static_cast<std::size_t>(before));
    const std::vector<double> values = results.read("body.slider.position.x");
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], k);
  }
}

TEST_F(Results, AFileBeingWrittenCanBeRead) {
  ResultsWriter writer(path, built, info);
  write_some(writer, 70, 0);
  const int status = in_child([&] { _exit(static_cast<int>(ResultsReader(path).frames())); });
  EXPECT_GE(WEXITSTATUS(status), 64);
  writer.finish("finished", "");
  EXPECT_EQ(ResultsReader(path).frames(), 70u);
}

TEST_F(Results, AFullDiskIsAnErrorThatLeavesTheFileReadable) {
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'000'000, 1'000'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = error_of([&] {
      ResultsWriter writer(path, built, info);
      for (int k = 0; k < 100'000; ++k) {
        Record r = record(k);
        for (auto& body : r.bodies) body.twist.setRandom();
        writer.write(r);
      }
    });
    std::exit(error.starts_with("6: ") && error.find("File too large") != error.npos ? 42 : 1);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_GE(ResultsReader(path).frames(), 64u);
}

}  // namespace
}  // namespace hooke
