#include "hooke/catalog/builder.h"
#include "hooke/forces/bushing.h"
#include "hooke/forces/coordinate_force.h"
#include "hooke/joints/drive.h"
#include "hooke/math/quadrature.h"

namespace hooke {

void Builder::add_drive(const DriveEntry& drive) {
  const std::string path = "drives." + drive.name;
  if (drive.joint.has_value() == drive.body.has_value())
    return error(path, "a drive needs either a 'joint' or a 'body'");
  if (drive.joint && drive.coordinate)
    return error(path + ".coordinate", "belongs to a driven body; write joint: {}.{}", *drive.joint,
                 *drive.coordinate);
  const auto c = drive.joint ? find_coordinate(*drive.joint, path + ".joint") : body_coordinate(drive, path);
  if (!c) return;
  std::visit(
      [&](const auto& coordinate) {
        using C = std::decay_t<decltype(coordinate)>;
        BuiltJoint built{drive.name,
                         "drive",
                         add_constraint(Drive<C>{coordinate, drive.function}, c->second, drive.name),
                         c->second,
                         {}};
        add_coordinate(built, C::periodic ? "angle" : "displacement", coordinate);
        built_.joints.push_back(std::move(built));
      },
      c->first);
}

std::optional<Builder::FoundCoordinate> Builder::body_coordinate(const DriveEntry& drive,
                                                                 const std::string& path) {
  static const std::vector<std::string> words{"x", "y", "z", "angle_x", "angle_y", "angle_z"};
  const auto a = attachment(*drive.body, path + ".body");
  if (!a) return {};
  const std::string wanted = drive.coordinate.value_or("");
  const auto found = std::find(words.begin(), words.end(), wanted);
  if (found == words.end())
    return error(path + ".coordinate", "expected one of {}, got '{}'{}", list_words(words), wanted,
                 suggest(wanted, words)),
           std::nullopt;
  const auto k = found - words.begin();
  Attachment ground;
  if (k < 3) return {{Displacement{static_cast<Axis>(k)}, {add_frame(ground), add_frame(*a)}}};
  Attachment turned = *a;
  ground.X_WF.R = turned.X_WF.R = rotation_from_z(Vec3::Unit(k - 3));
  return {{Angle::about_z(), {add_frame(ground), add_frame(turned)}}};
}

void Builder::add_spring(const SpringEntry& spring) {
  const std::string path = "forces." + spring.name;
  Law law;
  try {
    law = spring.law.make();
  } catch (const std::exception& problem) {
    return error(path + ".law", "{}", problem.what());
  }
  if (spring.type == "joint-force") {
    if (const auto c = find_coordinate(spring.between[0], path + ".joint-force"))
      std::visit(
          [&](const auto& x) {
            add_force(CoordinateForce<std::decay_t<decltype(x)>>{x, law}, c->second, spring.name,
                      spring.type);
          },
          c->first);
    return;
  }
  auto A = attachment(spring.between[0], formatted("{}.{}[0]", path, spring.type));
  auto B = attachment(spring.between[1], formatted("{}.{}[1]", path, spring.type));
  if (!A || !B) return;
  if (spring.type == "torsion-spring") {
    if (spring.axis)
      A->X_WF.R = B->X_WF.R = rotation_from_z(*spring.axis);
    else if (!A->named || !B->named)
      return error(path, "a torsion spring needs an 'axis', or frames named on both bodies");
    if (spring.at) A->X_WF.p = B->X_WF.p = *spring.at;
    add_force(AngleForce{Angle::about_z(), law}, std::array{add_frame(*A), add_frame(*B)}, spring.name,
              spring.type);
    return;
  }
  if (spring.points[0]) A->X_WF.p = *spring.points[0];
  if (spring.points[1]) B->X_WF.p = *spring.points[1];
  if ((A->X_WF.p - B->X_WF.p).norm() == 0)
    error(path, "both ends are at the same point, so the force has no direction");
  add_force(DistanceForce{Distance{}, law}, std::array{add_frame(*A, false), add_frame(*B, false)},
            spring.name, spring.type);
}

void Builder::add_bushing(const BushingEntry& bushing) {
  const std::string path = "forces." + bushing.name;
  auto A = attachment(bushing.between[0], path + ".bushing[0]"),
       B = attachment(bushing.between[1], path + ".bushing[1]");
  if (!A || !B) return;
  if (bushing.place.at || bushing.place.has_orientation()) {
    A->X_WF = B->X_WF = bushing.place.pose();
  } else {
    const Attachment& guide = A->named ? *A : *B;
    if (!A->named) A->X_WF = guide.X_WF;
    if (!B->named) B->X_WF = guide.X_WF;
  }
  add_force(Bushing{bushing.stiffness, bushing.damping, bushing.preload},
            std::array{add_frame(*A), add_frame(*B)}, bushing.name, "bushing");
}

PointLoad Builder::point_load(const LoadEntry& load) {
  PointLoad force{TimeVector(load.force[0], load.force[1], load.force[2]), {}, load.follower};
  if (load.has_torque) force.torque = TimeVector(load.torque[0], load.torque[1], load.torque[2]);
  return force;
}

void Builder::add_load(const LoadEntry& load) {
  if (load.distributed) return add_distributed_load(load);
  auto a = attachment(load.on, "forces." + load.name + ".load");
  if (!a) return;
  if (a->body < 0) return error("forces." + load.name + ".load", "a load on the ground does nothing");
  if (load.at) a->X_WF.p = *load.at;
  if (!a->named || load.at) a->X_WF.R = poses_[a->body].R;
  add_force(point_load(load), std::array{add_frame(*a, load.has_torque || load.follower)}, load.name, "load");
}

void Builder::add_distributed_load(const LoadEntry& load) {
  const std::string path = "forces." + load.name + ".distributed-load";
  auto a = attachment(load.on, path);
  if (!a) return;
  if (a->body < 0 || a->named || !made_[a->body].section)
    return error(path, "a distributed load acts on a rod as a whole; name one, such as 'rod'");
  const MadeBody& rod = made_[a->body];
  const double h = rod.length / rod.elements;
  PointLoad force = point_load(load);
  for (int e = 0; e < rod.elements; ++e)
    for (int g = 0; g < 2; ++g) {
      a->arc = h * (e + 0.5 + 0.5 * gauss_legendre<2>.points[g]);
      a->X_WF = poses_[a->body] * rod.section(*a->arc);
      force.share = 0.5 * h * gauss_legendre<2>.weights[g];
      system().add_force(force, std::array{add_frame(*a)}, load.name);
    }
}

}  // namespace hooke
