#include "hooke/fe/section.h"

#include <cmath>
#include <numbers>

namespace hooke {

using std::numbers::pi;

/// Shear factor: Cowper, J. Appl. Mech. 33 (1966), circular and hollow circular section.
SectionShape SectionShape::tube(double outer, double inner, double poisson) {
  const double r2 = outer * outer - inner * inner, q2 = outer * outer + inner * inner;
  const double moment = pi / 4 * r2 * q2, m = inner / outer, m1 = (1 + m * m) * (1 + m * m);
  const double k = 6 * (1 + poisson) * m1 / ((7 + 6 * poisson) * m1 + (20 + 12 * poisson) * m * m);
  return {pi * r2, moment, moment, 2 * moment, k, k};
}

/// Torsion: Saint-Venant's series, Timoshenko and Goodier, Theory of Elasticity, section 109. Its terms
/// decrease as n^-5.
SectionShape SectionShape::rectangle(double width_x, double width_y, double poisson) {
  const double a = std::max(width_x, width_y), b = std::min(width_x, width_y);
  double sum = 0;
  for (int n = 1; n < 60; n += 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
  const double torsion = a * b * b * b / 3 * (1 - 192 / std::pow(pi, 5) * b / a * sum);
  const double k = 10 * (1 + poisson) / (12 + 11 * poisson);  // Cowper
  return {width_x * width_y,
          width_x * std::pow(width_y, 3) / 12,
          width_y * std::pow(width_x, 3) / 12,
          torsion,
          k,
          k};
}

Section Section::of(const SectionShape& shape, const Material& material) {
  const double E = material.young, G = material.shear();
  Section section;
  Vec6 stiffness;
  stiffness << G * shape.area * shape.shear_x, G * shape.area * shape.shear_y, E * shape.area,
      E * shape.moment_x, E * shape.moment_y, G * shape.torsion;
  section.stiffness = stiffness.asDiagonal();
  section.mass = material.density * shape.area;
  section.inertia =
      material.density *
      Vec3(shape.moment_x, shape.moment_y, shape.moment_x + shape.moment_y).asDiagonal().toDenseMatrix();
  return section;
}

}  // namespace hooke
