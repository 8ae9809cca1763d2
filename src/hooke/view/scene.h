#pragma once
#include <array>
#include <string>
#include <vector>

#include "hooke/io/results/results_reader.h"

/// What there is to draw of a run, for the page, for stills and for other programs alike.
namespace hooke {

/// Where a shape, joint or spring end moves with: a body, or one node of a rod.
struct Carrier {
  std::size_t rod = 0, node = 0;
};

struct Scene {
  std::vector<std::string> bodies;  ///< names
  std::vector<std::string> joints, joint_types, forces, force_types;
  /// With shapes for all bodies. Where a joint or force sits on a rod, its `bodies` entry is the number of
  /// bodies plus that of a carrier, and its frame is given in the pose of that node.
  Drawing drawing;
  std::vector<ResultsReader::Rod> rods;  ///< each with an outline
  std::vector<ResultsReader::Solid> solids;
  std::vector<Carrier> carriers;
  double size = 1;        ///< typical length of a body
  double joint_size = 1;  ///< to draw joints in
  /// Holds all motion but that of bodies that flew away, of which it holds the start.
  std::array<Vec3, 2> bounds{Vec3::Constant(-1), Vec3::Constant(1)};
  std::vector<std::array<Vec3, 2>>
      boxes;                    ///< of all motion of each body; low > high: there is nothing to see
  std::vector<char> flew_away;  ///< each body

  int body_named(const std::string& name) const;  ///< -1: none
};

Scene make_scene(const ResultsReader& results);

/// Poses of all bodies at one output.
std::vector<FramePose> body_poses(const ResultsReader& results, std::size_t frame);
/// Poses of the nodes of a rod at one output.
std::vector<FramePose> rod_poses(const ResultsReader& results, const ResultsReader::Rod& rod,
                                 std::size_t frame);

/// Nodes of a solid in the world at one output, with the poses of the bodies there.
std::vector<Vec3> solid_points(const ResultsReader& results, const Scene& scene, std::size_t solid,
                               std::size_t frame, const std::vector<FramePose>& bodies);

}  // namespace hooke
