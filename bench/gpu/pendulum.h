#pragma once
#include <memory>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/bodies/rigid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/joints.h"
#include "hooke/system/system.h"

namespace bench {

using namespace hooke;

/// Pinned where it is nearest to a corner, and falling; or on a rigid hub, to which that end is fixed and which turns about an
/// axle.
struct Pendulum {
  System system;
  int tip = 0;
  double length = 0;

  explicit Pendulum(SolidMesh mesh, const Vec3& corner, const Vec3& end, bool is_on_hub = false) {
    const CorotationalSolid body(std::make_shared<const SolidModel>(
        std::move(mesh), std::vector{SolidMaterial::isotropic({70e9, 0.3, 2700})},
        SolidOptions{.incompatible_modes = false}));
    const SolidMesh& of = body.model->mesh;
    const int number = system.add_body(body, "body"), pin = of.nearest_node(corner);
    tip = of.nearest_node(end);
    length = (of.nodes[tip] - of.nodes[pin]).norm();
    const int ground = system.add_ground_frame({identity3, of.nodes[pin]});
    if (is_on_hub) {
      RigidBody hub;
      hub.mass = 1e5, hub.inertia = 1e5 * identity3, hub.start.p = of.nodes[pin];
      std::vector<int> face;
      for (int i = 0; i < body.nodes(); ++i)
        if (std::abs(of.nodes[i].z() - corner.z()) < 1e-9) face.push_back(i);
      const int hub_number = system.add_body(hub, "hub"),
                seat = system.add_frame<RigidBody>(hub_number, hub.attach({identity3, zero3}));
      system.add_constraint(joints::Universal{}, std::array{ground, seat}, "axle");
      system.add_constraint(joints::Fixed{},
                            std::array{seat, system.add_frame<CorotationalSolid>(
                                                 number, body.attach({identity3, of.nodes[pin]}, face))},
                            "root");
    } else {
      system.add_constraint(
          joints::Spherical{},
          std::array{ground, system.add_frame<CorotationalSolid>(number, body.attach_node(pin), false)},
          "pivot");
    }
    system.finish(Vec3(0, -9.81, 0));
  }
};

inline GeneralizedAlphaSettings newmark() {
  GeneralizedAlphaSettings settings{
      AlphaParameters::newmark(0.26, 0.5), ConstraintForm::index3, Projection::none, {}};
  settings.newton.solver = "schur";
  return settings;
}

}  // namespace bench
