#include "catalog/make_bodies.h"

#include "bodies/rigid.h"

namespace hooke {
namespace {

/// m (|d|^2 I - d d^T): what a mass at d adds to the moments about the origin (Steiner).
Mat3 steiner(double mass, const Vec3& d) { return mass * (d.squaredNorm() * identity3 - d * d.transpose()); }

}  // namespace

MassProperties mass_properties(const RigidSettings& s) {
  MassProperties body{s.mass.value_or(0), s.centre};
  if (s.shape) {
    std::visit(
        [&](const auto& shape) {
          if (s.density) body.mass = *s.density * shape.volume();
          body.inertia = body.mass * shape.inertia_per_mass();
        },
        *s.shape);
  }
  if (s.inertia.given) {
    body.inertia = s.inertia.matrix;
    if (s.inertia_frame) {  // turned into body axes and moved to the mass centre
      const FramePose X = s.inertia_frame->pose();
      body.inertia = X.R * s.inertia.matrix * X.R.transpose();
      if (s.inertia_frame->at) body.inertia -= steiner(body.mass, X.p - s.centre);
    }
  }
  if (!s.points.empty()) {
    Vec3 moment = body.mass * body.centre;
    double total = body.mass;
    Mat3 about_origin = body.inertia + steiner(body.mass, body.centre);
    for (const PointMass& point : s.points) {
      total += point.mass;
      moment += point.mass * point.at;
      about_origin += steiner(point.mass, point.at);
    }
    body.mass = total;
    body.centre = moment / total;
    body.inertia = about_origin - steiner(total, body.centre);
  }
  return body;
}

AddFrame make_body(System& system, const std::string& name, const RigidSettings& settings,
                   const FramePose& pose, const Vec6& twist) {
  const auto [mass, centre, inertia] = mass_properties(settings);
  const RigidBody body{mass, inertia, centre, pose, twist};
  const int number = system.add_body(body, name);
  return [&system, number, body](const FramePose& X_BF) {
    return system.add_frame<RigidBody>(number, body.attach(X_BF));
  };
}

}  // namespace hooke
