#pragma once
#include "hooke/bodies/corotational_solid.h"
#include "hooke/gpu/engine.h"
#include "hooke/joints/joints.h"

namespace hooke::gpu {

/// The cuboid pendulum of Kan et al., 6.1: one corner of 4 x 4 x 40 m of aluminium is pinned.
struct Pendulum {
  CorotationalSolid body;
  System system;
  int tip;

  Pendulum(int along, int across) : Pendulum(box_mesh(Vec3(4, 4, 40), {across, across, along})) {}
  explicit Pendulum(SolidMesh mesh, double mass_damping = 0, double stiffness_damping = 0)
      : body(std::make_shared<const SolidModel>(std::move(mesh),
                                                std::vector{SolidMaterial::isotropic({70e9, 0.3, 2700})},
                                                SolidOptions{.incompatible_modes = false})) {
    body.mass_damping = mass_damping, body.stiffness_damping = stiffness_damping;
    const Vec3 corner(-2, -2, -20);
    tip = body.model->mesh.nearest_node(Vec3(-2, -2, 20));
    const int number = system.add_body(body, "cuboid");
    const int node = body.model->mesh.nearest_node(corner);
    system.add_constraint(
        joints::Spherical{},
        std::array{system.add_ground_frame({identity3, corner}),
                   system.add_frame<CorotationalSolid>(number, body.attach_node(node), false)},
        "pivot");
    system.finish(Vec3(0, -9.81, 0));
  }
};

inline GeneralizedAlphaSettings newmark(ConstraintForm form = ConstraintForm::index3) {
  GeneralizedAlphaSettings s{AlphaParameters::newmark(0.26, 0.5), form, Projection::none, {}};
  s.newton.solver = "schur";
  return s;
}

}  // namespace hooke::gpu
