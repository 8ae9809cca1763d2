#pragma once
#include <memory>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/joints.h"
#include "hooke/system/system.h"

namespace bench {

using namespace hooke;

/// Pinned where it is nearest to a corner, and falling.
struct Pendulum {
  System system;
  int tip = 0;
  double length = 0;

  explicit Pendulum(SolidMesh mesh, const Vec3& corner, const Vec3& end) {
    const CorotationalSolid body(std::make_shared<const SolidModel>(
        std::move(mesh), std::vector{SolidMaterial::isotropic({70e9, 0.3, 2700})},
        SolidOptions{.incompatible_modes = false}));
    const SolidMesh& of = body.model->mesh;
    const int number = system.add_body(body, "body"), pin = of.nearest_node(corner);
    tip = of.nearest_node(end);
    length = (of.nodes[tip] - of.nodes[pin]).norm();
    system.add_constraint(
        joints::Spherical{},
        std::array{system.add_ground_frame({identity3, of.nodes[pin]}),
                   system.add_frame<CorotationalSolid>(number, body.attach_node(pin), false)},
        "pivot");
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
