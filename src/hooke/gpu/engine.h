#pragma once
#include <memory>

#include "hooke/gpu/device_model.h"

namespace hooke::gpu {

/// Takes whole steps of a model, and keeps the state to itself. One factor serves all of them.
class Engine {
 public:
  virtual ~Engine() = default;
  /// C^-1 b in single precision, without joints; three numbers for each node.
  virtual void solve(const std::vector<float>& b, std::vector<float>& x) = 0;
  /// What unit wrenches on holds do (find_responses): needed for steps.
  virtual void set_responses(const std::vector<float>& response, const std::vector<double>& compliance) = 0;
  virtual void set_state(const DeviceState& state) = 0;
  virtual DeviceState state() const = 0;
  /// Steps, whose drives and loads are given; how many were taken before one failed, and what they say of themselves.
  virtual int advance(int steps, const std::vector<double>& courses, std::vector<StepLog>& log) = 0;
  virtual std::string name() const = 0;
};

/// In plain C++, with the order of summation of a device of `model.layout.blocks` blocks: what the kernels are compared
/// with. Throws std::runtime_error where Newton's matrix is not positive definite, as the others do.
std::unique_ptr<Engine> make_reference(const DeviceModel& model);

/// Solves for all unit wrenches, refined once by the residual in double precision, and gives them to the engine.
void find_responses(const DeviceModel& model, Engine& engine);

}  // namespace hooke::gpu
