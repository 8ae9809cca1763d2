#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hooke/system/system.h"

namespace hooke {

struct SolidModel;
struct ModalData;

/// How the builder goes on with a body it made.
struct MadeBody {
  /// Adds a frame given in the reference frame of the undeformed body; on a rod at an arc length, if one is
  /// given. Returns its number.
  std::function<int(const FramePose& X_BF, std::optional<double> arc)> add_frame;
  /// A rod's section at an arc length in the reference frame of the undeformed body; empty for others.
  std::function<FramePose(double arc)> section;
  /// Places on the undeformed body that have a name, besides those the user gives; a frame that goes with one of them, wherever it is.
  std::vector<std::pair<std::string, FramePose>> named;
  std::function<int(const FramePose& X_BF, const std::string& name)> add_named;
  double length = 0;  ///< of a rod, and its number of elements
  int elements = 0;

  /// On a solid: a frame that goes with a node set (empty: with what is there), with an orientation or
  /// without.
  std::function<int(const FramePose& X_BF, const std::string& nodes, bool oriented)> add_patch;
  /// Where the nodes of a set are in the undeformed solid; throws std::invalid_argument when there is no such
  /// set.
  std::function<std::vector<Vec3>(const std::string& set)> set_places;
  std::vector<std::string> sets;
  std::function<double(const Vec3& place)> distance;  ///< of the nearest node of the undeformed solid
  std::shared_ptr<const SolidModel> solid;            ///< that moves as one, not frozen
  bool has_one_frame = false;                         ///< the solid, in which its deformation is linear
  std::shared_ptr<const ModalData> modal;             ///< with a surface
  double soft_frequency = 0;  ///< rad/s, the lowest of modes that spinning does not stiffen; 0: it does
};

/// Where and how a body starts: the pose of its reference frame, the velocity of its origin in the world and
/// the angular velocity in the body; `span` is the distance of the two points it was placed between.
struct BodyStart {
  FramePose pose;
  Vec6 twist = Vec6::Zero();
  std::optional<double> span;
};

/// Flexible bodies are frozen while the start is assembled: rigid, with the same mass.
enum class Flexibility { as_modelled, frozen };

}  // namespace hooke
