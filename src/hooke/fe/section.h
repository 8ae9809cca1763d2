#pragma once
#include "hooke/math/types.h"

namespace hooke {

/// Linear elastic, isotropic.
struct Material {
  double young = 0, poisson = 0, density = 0;
  double shear() const { return young / (2 * (1 + poisson)); }
};

/// Geometry of a cross section about its centroid, in the axes x, y of the section (z is along the rod).
struct SectionShape {
  double area = 0;
  double moment_x = 0, moment_y = 0;  ///< integrals of y^2 and x^2
  double torsion = 0;                 ///< torsion constant: its ratio to moment_x + moment_y is the warping
  double shear_x = 1, shear_y = 1;    ///< shear correction factors

  static SectionShape circle(double radius, double poisson) { return tube(radius, 0, poisson); }
  static SectionShape tube(double outer, double inner, double poisson);
  static SectionShape rectangle(double width_x, double width_y, double poisson);
};

/// What a rod of unit length has: stiffness against the strains (shear x, shear y, extension, bending about
/// x, bending about y, torsion), mass, and rotary inertia.
struct Section {
  Mat6 stiffness = Mat6::Zero();
  double mass = 0;              ///< kg/m
  Vec3 centre = Vec3::Zero();   ///< mass centre in the section, its z zero
  Mat3 inertia = Mat3::Zero();  ///< about the centroid line, kg m
  /// Kelvin-Voigt: the stress of a strain rate.
  Mat6 damping = Mat6::Zero();

  static Section of(const SectionShape& shape, const Material& material);
};

}  // namespace hooke
