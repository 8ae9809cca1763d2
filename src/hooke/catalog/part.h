#pragma once
#include <functional>
#include <set>

#include "hooke/catalog/model.h"
#include "hooke/system/system.h"

namespace hooke {

/// Some bodies of a model that are made into a System of their own. Of a joint to a body outside it has
/// either the joint, with the other body's frame driven, or the frame on its own body, with a load.
struct ModelPart {
  std::set<std::string> bodies;
  /// One of the two, by the name of the joint: the motion of the frame outside, which is at `start` at first,
  /// or the wrench on the frame inside.
  std::function<FrameDriver(const std::string& joint, const FramePose& start)> drive;
  std::function<std::function<Vec6(double t)>(const std::string& joint)> load;
};

/// Which items of a model belong to a part: those that act on its bodies only, and joints to other bodies.
class PartItems {
 public:
  PartItems(const Model& model, const ModelPart& part) : model_(model), part_(part) {}

  enum class Side { none, inside, outside, both };
  bool owns(const std::string& attachment) const;
  Side side(const JointEntry& joint) const;
  Side side(const DriveEntry& drive) const;
  Side side(const SpringEntry& spring) const;
  Side side(const BushingEntry& bushing) const;
  Side side(const LoadEntry& load) const;
  /// Names what acts on both sides and is no joint that can be cut.
  void check(Diagnostics& diagnostics) const;

 private:
  Side of_attachments(const std::vector<std::string>& attachments) const;
  Side of_joint(const std::string& coordinate) const;

  const Model& model_;
  const ModelPart& part_;
};

}  // namespace hooke
