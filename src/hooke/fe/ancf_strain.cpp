#include "hooke/fe/ancf_strain.h"

namespace hooke {

AncfStrain::Stiffness AncfStrain::stiffness(const SectionShape& shape, const Material& material) {
  const double E = material.young, G = material.shear(), nu = material.poisson;
  const double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), twist = G * shape.torsion / 2;
  Stiffness C = Stiffness::Zero();
  C.topLeftCorner<3, 3>().setConstant(shape.area * lambda);
  C.diagonal() << Vec3::Constant(shape.area * (lambda + 2 * G)), G * shape.area * shape.shear_y,
      G * shape.area * shape.shear_x, G * shape.area, G * shape.moment_y, twist, E * shape.moment_y, twist,
      G * shape.moment_x, E * shape.moment_x;
  return C;
}

}  // namespace hooke
