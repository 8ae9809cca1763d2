// Runs one model after the other in one process, so that a run costs its steps and little else. A line of the input is a
// limit in s of processor time and a model file (JSON), a line of the output what became of it:
//
//   {"code": 0, "said": "warning: ...", "wrong": "", "digest": "...", "error": 1e-5, "table": {"time": [...], ...}}
//
// code: the exit status `hooke run` would have, 130 when it took more than the limit; wrong: what is not a
// number; digest: of all numbers recorded; error: the sum of the steps' estimated errors.
//
// Files that models name are looked for in the working folder.
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <iostream>
#include <map>

#include "hooke/base/archive.h"
#include "hooke/io/document/json.h"
#include "hooke/io/model/model_file.h"
#include "hooke/record/record.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What does not even look whether it is to stop ends the process: SIGPROF after processor time, SIGALRM where it waits.
void end_what_hangs(double limit) {
  const auto seconds = static_cast<long>(std::ceil(20 * limit));
  const itimerval often{{}, {seconds, 0}};
  setitimer(ITIMER_PROF, &often, nullptr);
  alarm(static_cast<unsigned>(100 * seconds));
}

class Answer {
 public:
  void add(const BuiltModel& model, const Record& record) {
    put("time", record.t);
    put("energy.kinetic", record.kinetic), put("energy.potential", record.potential);
    put("energy.supplied", record.supplied), put("energy.dissipated", record.dissipated);
    put("energy.error", record.energy_error);
    put("constraints.position", record.position_violation);
    for (std::size_t k = 0; k < record.bodies.size(); ++k) {
      const Record::Body& body = record.bodies[k];
      const std::string name = "body." + model.bodies[k];
      for (int i = 0; i < 3; ++i) put(formatted("{}.position.{}", name, "xyz"[i]), body.pose.p[i]);
      const Vec4 turn = continuous(k, Eigen::Quaterniond(body.pose.R).coeffs());
      for (int i = 0; i < 4; ++i) put(formatted("{}.orientation.{}", name, "xyzw"[i]), turn[i]);
      note(name + ".twist", body.twist), note(name + ".acceleration", body.acceleration);
    }
    for (const auto& body : record.nodes)
      for (const FramePose& node : body) note("nodes", node.p), note("nodes", node.R.reshaped());
    for (std::size_t k = 0; k < record.joints.size(); ++k) {
      const std::string name = "joint." + model.joints[k].name;
      note(name + ".reaction", record.joints[k].reaction);
      note(name + ".coordinates", record.joints[k].coordinates),
          note(name + ".rates", record.joints[k].rates);
    }
    for (std::size_t k = 0; k < record.forces.size(); ++k)
      note("force." + model.forces[k].name, record.forces[k]);
  }

  std::string line(int code, const std::string& said, double error) const {
    Json::Object table;
    for (const auto& [name, column] : table_) table.emplace_back(name, column);
    return Json(Json::Object{{"code", code},
                             {"said", said},
                             {"wrong", wrong_},
                             {"digest", formatted("{:016x}", checksum(bytes_))},
                             {"error", error},
                             {"table", table}})
        .dump();
  }

 private:
  void put(const std::string& name, double value) {
    table_[name].push_back(value);
    note(name, std::array{value});
  }
  void note(const std::string& name, const auto& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) wrong_ = name;
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }

  /// Of the two quaternions of a rotation, the one nearer to the last.
  Vec4 continuous(std::size_t body, const Vec4& turn) {
    if (turns_.size() <= body) turns_.resize(body + 1, turn);
    return turns_[body] = turns_[body].dot(turn) < 0 ? -turn : turn;
  }

  std::map<std::string, std::vector<double>> table_;
  std::vector<Vec4> turns_;
  std::string bytes_, wrong_;
};

std::string outcome(const std::string& text, double limit) {
  Answer answer;
  const double begin = processor_time();
  try {
    Diagnostics diagnostics;
    Problem problem = parse_model(text, "model.json", {}, diagnostics);
    diagnostics.throw_if_errors();
    Simulation simulation(std::move(problem));
    const Summary summary =
        simulation.run({.cancelled = [&] { return processor_time() - begin > limit; },
                        .on_record = [&](const Record& r) { answer.add(simulation.built(), r); }});
    std::string said;
    for (const std::string& warning : summary.warnings) said += "warning: " + warning + '\n';
    return answer.line(static_cast<int>(summary.code), said + summary.failure, summary.quality.error);
  } catch (const Error& error) {
    return answer.line(static_cast<int>(error.code()), error.what(), 0);
  } catch (const std::exception& error) {
    return answer.line(static_cast<int>(ExitCode::internal), error.what(), 0);
  }
}

}  // namespace
}  // namespace hooke

int main() {
  double limit = 0;
  for (std::string text; std::cin >> limit && std::getline(std::cin, text);) {
    hooke::end_what_hangs(limit);
    std::cout << hooke::outcome(text, limit) << std::endl;
  }
}
