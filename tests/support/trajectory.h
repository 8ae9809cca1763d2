#pragma once
#include <ctime>

#include "hooke/io/results/results.h"
#include "hooke/simulation/simulation.h"

/// Runs of model files with everything they put out kept in memory: what the validations and their tests look
/// at.
namespace hooke::test {

class Trajectory {
 public:
  Trajectory(const std::string& model, const std::vector<std::string>& overrides)
      : Trajectory(load(std::string(HOOKE_ROOT) + "/models/" + model, overrides)) {}

  explicit Trajectory(Problem file) : simulation_(std::move(file)), workspace_(system().workspace()) {
    RunOptions options;
    options.on_output = [this](const State& state, const SystemWorkspace&) { states_.push_back(state); };
    const std::clock_t start = std::clock();
    summary_ = simulation_.run(options);
    cpu_time_ = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    records_.reserve(states_.size());
    for (const State& state : states_) records_.push_back(make_record(simulation_.built(), state, at(state)));
  }

  const Summary& summary() const { return summary_; }
  double cpu_time() const { return cpu_time_; }
  const System& system() const { return simulation_.system(); }

  std::size_t size() const { return states_.size(); }
  std::size_t last() const { return states_.size() - 1; }
  const State& state(std::size_t i) const { return states_.at(i); }
  double time(std::size_t i) const { return states_.at(i).t; }
  std::vector<double> times() const {
    std::vector<double> t;
    for (const State& state : states_) t.push_back(state.t);
    return t;
  }

  const Record::Body& body(std::size_t i, const std::string& name) const {
    return records_.at(i).bodies[index(simulation_.built().bodies, name)];
  }
  Vec3 position(std::size_t i, const std::string& body_name) const { return body(i, body_name).pose.p; }
  double coordinate(std::size_t i, const std::string& joint) const {
    return joint_of(i, joint).coordinates.at(0);
  }
  double rate(std::size_t i, const std::string& joint) const { return joint_of(i, joint).rates.at(0); }
  const Record::Contact& contact(std::size_t i, const std::string& name) const {
    std::vector<std::string> names;
    for (const BuiltContact& contact : simulation_.built().contacts) names.push_back(contact.name);
    return records_.at(i).contacts[index(names, name)];
  }
  double energy(std::size_t i) const { return records_.at(i).kinetic + records_.at(i).potential; }

  /// The force a joint exerts on its second body, world components.
  Vec3 force(std::size_t i, const std::string& joint) const {
    const BuiltJoint& built = simulation_.built().joints[joint_index(joint)];
    return system().reaction(built.constraint, 1, states_.at(i), at(states_.at(i))).head<3>();
  }

 private:
  SystemWorkspace& at(const State& state) const {
    auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
    system().update(state, workspace);
    return workspace;
  }
  static std::size_t index(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::runtime_error("nothing is called " + name);
    return static_cast<std::size_t>(found - names.begin());
  }
  std::size_t joint_index(const std::string& name) const {
    std::vector<std::string> names;
    for (const BuiltJoint& joint : simulation_.built().joints) names.push_back(joint.name);
    return index(names, name);
  }
  const Record::Joint& joint_of(std::size_t i, const std::string& name) const {
    return records_.at(i).joints[joint_index(name)];
  }

  Simulation simulation_;
  std::unique_ptr<Workspace> workspace_;
  Summary summary_;
  double cpu_time_ = 0;
  std::vector<State> states_;
  std::vector<Record> records_;
};

}  // namespace hooke::test
