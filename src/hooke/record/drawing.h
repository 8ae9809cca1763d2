#pragma once
#include <array>
#include <string>
#include <vector>

#include "hooke/catalog/build.h"
#include "hooke/catalog/make_bodies.h"
#include "hooke/fe/triangle_mesh.h"

/// What a picture needs beside the motion: masses, shapes, and where joints and forces sit on the bodies. It
/// does not change over a run; the results file keeps it, so that a picture needs nothing else.
namespace hooke {

struct Drawing {
  /// The frames of a joint or force, each given in its body's reference frame (body -1: in the world). Of a
  /// body that deforms, as it is at the start.
  struct Connection {
    std::array<int, 2> bodies{-1, -1};
    std::array<FramePose, 2> frames;
  };
  struct Shape {
    int body = 0;              ///< -1: the ground
    std::string type;          ///< box, cylinder (along z), sphere, mesh
    Vec3 size = Vec3::Ones();  ///< edges; diameter, diameter, length; diameters; factors
    FramePose pose;            ///< in the body's reference frame
    std::string colour;        ///< #rrggbb, or empty
    int mesh = -1;             ///< among `meshes`
  };

  /// The section of a rod in its axes x and y, closed, counter-clockwise; the `hole` of a tube likewise.
  struct Section {
    int body = 0;
    std::vector<Vec2> outline, hole;
  };

  Vec3 gravity = Vec3::Zero();
  std::vector<MassProperties> masses;  ///< of every body; 0 for those that deform
  std::vector<Connection> joints, forces;
  std::vector<Shape> shapes;  ///< as the model gives them; bodies may have none
  std::vector<TriangleMesh> meshes;
  std::vector<Section> sections;  ///< of every rod
};

/// An ellipse around a centre with these half axes along x and y turned by `angle`; a circle of steps below
/// what the eye takes for a corner.
std::vector<Vec2> ellipse(const Vec2& half_axes, const Vec2& centre = Vec2::Zero(), double angle = 0);

Drawing make_drawing(const BuiltModel& built);

}  // namespace hooke
