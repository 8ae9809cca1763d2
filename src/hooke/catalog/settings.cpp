#include "hooke/catalog/settings.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cctype>
#include <numbers>

#include "hooke/math/dense.h"
#include "hooke/math/so3.h"

namespace hooke {

void AxesSettings::check(const Complain& complain) const {
  const int given = x.has_value() + y.has_value() + z.has_value();
  if (given == 0) return complain("x", "give one or two of x, y and z");
  if (given == 3) return complain("z", "give two axes; the third follows");
  for (const auto& [key, axis] : {std::pair{"x", x}, {"y", y}, {"z", z}})
    if (axis && axis->norm() == 0) return complain(key, "an axis must not be zero");
  const Vec3 first = x ? *x : *y, second = z ? *z : y ? *y : first;
  if (given == 2 && first.normalized().cross(second.normalized()).norm() < 1e-8)
    complain(z ? "z" : "y", "the two axes must not be parallel");
}

/// Cyclic order makes one formula serve all pairs: the axis after the first, or before it.
Mat3 AxesSettings::rotation() const {
  const std::optional<Vec3> axis[] = {x, y, z};
  int first = 0;
  while (!axis[first]) ++first;
  const int next = (first + 1) % 3, last = (first + 2) % 3;
  const Vec3 a = axis[first]->normalized();
  const Vec3 towards = axis[next] ? *axis[next] : axis[last] ? axis[last]->cross(a) : any_perpendicular(a);
  Mat3 R;
  R.col(first) = a;
  R.col(last) = a.cross(towards).normalized();
  R.col(next) = R.col(last).cross(a);
  return R;
}

void PlacementSettings::check(const Complain& complain) const {
  if (quaternion.has_value() + rotate.has_value() + matrix.has_value() + axes.has_value() > 1)
    return complain(axes     ? "axes"
                    : matrix ? "matrix"
                             : "rotate",
                    "only one of quaternion, rotate, matrix and axes may be given");
  if (quaternion && std::abs(quaternion->norm() - 1) > 1e-3)
    complain("quaternion",
             formatted("a rotation needs a unit quaternion w, x, y, z; this one has length {:.4g}",
                       quaternion->norm()));
  if (rotate && rotate->axis.norm() == 0) complain("rotate", "the axis must not be zero");
  if (matrix) {
    Mat3 R;
    R << (*matrix)[0].transpose(), (*matrix)[1].transpose(), (*matrix)[2].transpose();
    if ((R * R.transpose() - identity3).norm() > 1e-3 || R.determinant() < 0)
      complain("matrix", "is not a rotation: its rows must be perpendicular unit vectors, right-handed");
  }
}

FramePose PlacementSettings::pose() const {
  FramePose X;
  if (at) X.p = *at;
  if (quaternion)
    X.R = Quat((*quaternion)[0], (*quaternion)[1], (*quaternion)[2], (*quaternion)[3])
              .normalized()
              .toRotationMatrix();
  if (rotate) X.R = exp_so3(rotate->axis.normalized() * rotate->angle);
  if (matrix) {
    X.R << (*matrix)[0].transpose(), (*matrix)[1].transpose(), (*matrix)[2].transpose();
    X.R = Quat(X.R).normalized().toRotationMatrix();
  }
  if (axes) X.R = axes->rotation();
  return X;
}

void GeometryEntry::check(const Complain& complain) const {
  if (!colour) return;
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  if (colour->size() != 7 || (*colour)[0] != '#' ||
      !std::all_of(colour->begin() + 1, colour->end(), is_digit))
    complain("colour", "expected '#' and six hexadecimal digits in quotes, such as '#3366cc'");
}

Mat3 BoxShape::inertia_per_mass() const {
  const Vec3 s2 = size.cwiseProduct(size);
  return Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()).asDiagonal().toDenseMatrix() / 12;
}
double CylinderShape::volume() const { return std::numbers::pi * radius * radius * length; }
Mat3 CylinderShape::inertia_per_mass() const {
  const double across = radius * radius / 4 + length * length / 12;
  return Vec3(across, across, radius * radius / 2).asDiagonal();
}
double SphereShape::volume() const { return 4.0 / 3 * std::numbers::pi * radius * radius * radius; }
Mat3 SphereShape::inertia_per_mass() const { return 0.4 * radius * radius * identity3; }

void RigidSettings::check(const Complain& complain) const {
  if (!mass && !density && points.empty())
    complain("mass", "is missing: give a mass, or a shape and a density");
  if (density && !shape) complain("density", "needs a shape to give a mass");
  if (density && mass) complain("density", "and a mass cannot both be given");
  if (!inertia.given) {
    if (!shape && points.size() < 3) complain("inertia", "is missing: give it in kg m2, or a shape");
    return;
  }
  if ((inertia.matrix - inertia.matrix.transpose()).norm() > 1e-9 * inertia.matrix.norm())
    return complain("inertia", "the matrix must be symmetric");
  const Vec3 moments = symmetric_eigen3(inertia.matrix).values;
  if (moments[0] <= 0)
    return complain("inertia",
                    formatted("the principal moments must be positive; they are {:.4g}, {:.4g}, {:.4g}",
                              moments[0], moments[1], moments[2]));
  if (moments[2] > (moments[0] + moments[1]) * (1 + 1e-6))
    complain("inertia", formatted("no body has principal moments {:.4g}, {:.4g}, {:.4g}: the largest "
                                  "exceeds the sum of the other two",
                                  moments[0], moments[1], moments[2]));
}

void GeneralSection::check(const Complain& complain) const {
  const Mat6& K = stiffness.matrix;
  if ((K - K.transpose()).norm() > 1e-9 * K.norm())
    return complain("stiffness", "the matrix must be symmetric");
  if (!(smallest_eigenvalue(K) > 0))
    complain("stiffness", "must be positive: a rod resists every one of the six strains");
  const Vec3 moments = symmetric_eigen3(inertia.matrix).values;
  if (!(moments[0] > 0))
    complain("inertia", "must be positive about all three axes: [xx, yy, zz] per length, in kg m");
}

void RodSettings::check(const Complain& complain) const {
  const bool general = std::holds_alternative<GeneralSection>(section);
  if (!general && !material)
    complain("section", "needs a 'material' beside it, such as {young: 2.1e11, poisson: 0.3, density: 7850}");
  if (general && material) complain("material", "a general section has stiffness and mass of its own");
  if (general && (shear_factor || torsion_constant))
    complain(shear_factor ? "shear_factor" : "torsion_constant",
             "is part of the stiffness of a general section");
  if (damping.times.minCoeff() < 0) complain("damping", "must not be negative");
  if (const std::string excess = limits::rod_elements.excess(elements); !excess.empty())
    complain("elements", excess);
}

SectionShape RodSettings::shape() const {
  SectionShape result = std::visit(
      [&](const auto& choice) -> SectionShape {
        if constexpr (requires { choice.shape(0.3); }) return choice.shape(material->poisson);
        throw std::invalid_argument("a general section has no shape");
      },
      section);
  if (shear_factor) result.shear_x = result.shear_y = *shear_factor;
  if (torsion_constant) result.torsion = *torsion_constant;
  return result;
}

Section RodSettings::section_of() const {
  Section result;
  if (const auto* general = std::get_if<GeneralSection>(&section))
    result = {general->stiffness.matrix, general->mass, Vec3(general->centre.x(), general->centre.y(), 0),
              general->inertia.matrix};
  else
    result = Section::of(shape(), {material->young, material->poisson, material->density});
  const Mat6 root = damping.times.cwiseSqrt().asDiagonal();  // symmetric also where strains are coupled
  result.damping = root * result.stiffness * root;
  return result;
}

void AncfSettings::check(const Complain& complain) const {
  RodSettings::check(complain);
  if (std::holds_alternative<GeneralSection>(section))
    complain("section", "an ANCF rod is a solid: it needs a shape and a material (or use cosserat)");
  if (material && material->poisson > 0.4999)
    complain("material",
             "an ANCF rod needs a Poisson's ratio below 0.5, where a solid cannot be compressed at all");
}

void FfrfSettings::check(const Complain& complain) const {
  RodSettings::check(complain);
  const int most = 6 * (2 * elements + 1) - 6;
  if (modes > most) complain("modes", formatted("{} elements have only {} modes", elements, most));
  if (basis == ModalBasis::craig_bampton && modes < 6)
    complain("modes",
             "craig-bampton has at least the six shapes of loads on the ends; take more, or basis free");
}

void doubt_material(double young, double density, const Complain& warn) {
  // Slow: a metal, stone or glass typed in MPa, 1000 times too slow (1.2 to 6 m/s); rubbers and gels, which are as slow,
  // are light, and filled ones are faster. Slower than any gel: GPa were typed. Fast: twice diamond.
  constexpr double slow = 10, heavy = 2000, slowest = 0.3, fastest = 4e4;
  constexpr double lightest = 10, heaviest = 3e4;  // foams and osmium are inside
  const double speed = std::sqrt(young / density);
  if (density < lightest || density > heaviest)
    warn("density",
         formatted("{:g} kg/m3 is no solid: is it in another unit? Steel has 7850 kg/m3", density));
  else if ((speed < slow && density > heavy) || speed < slowest)
    warn("young", formatted("{:g} Pa with {:g} kg/m3 is far too soft for a solid: is it in MPa or GPa? Steel "
                            "has 2.1e11 Pa",
                            young, density));
  else if (speed > fastest)
    warn("young", formatted("{:g} Pa with {:g} kg/m3 is stiffer than any solid: is it in another unit? Steel "
                            "has 2.1e11 Pa",
                            young, density));
}

bool seems_degrees(double angle) {
  return std::abs(angle) > 2 * std::numbers::pi && 2 * angle == std::round(2 * angle);
}

std::string degrees_text(double angle) {
  return formatted("{:g} rad is {:.3g} turns; for {:g} degrees write \"${{{:g}*pi/180}}\"", angle,
                   angle / (2 * std::numbers::pi), angle, angle);
}

void LawSettings::check(const Complain& complain) const {
  if (law && (stiffness != 0 || damping != 0 || preload != 0 || free || elastic || viscous || active))
    complain("law", "a formula is the whole law: no other law settings beside it");
}

void LawSettings::doubt(const Complain& warn) const {
  if (stiffness == 0 && damping == 0 && preload == 0 && !elastic && !viscous && !active && !law && !code)
    warn("", "has no law, so it does nothing: give it a stiffness, a damping or a law");
  if (stiffness < 0) warn("stiffness", "is negative: the force grows away from the free position");
  if (damping < 0) warn("damping", "is negative: it feeds energy in");
}

bool LawSettings::uses_signals() const {
  if (active && active->signal_formula()) return true;
  if (!law || law->code) return false;
  const std::vector<std::string> own{"x", "v", "t", "length", "rate", "angle", "pi", "e"};
  const std::vector<std::string> names = Expression::names(law->text);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(own.begin(), own.end(), name) == own.end();
  });
}

Law LawSettings::make() const {
  if (code) return *code;
  if (law) return law->code ? law_of(law->code) : Law::expression(law->text);
  if (!elastic && !viscous && !active)
    return Law::spring_damper(stiffness, damping, free.value_or(0), preload);
  const Function linear = Function::polynomial({preload, stiffness});
  return Law::functions(elastic ? Function::sum({linear, *elastic}) : linear,
                        viscous ? Function::sum({Function::polynomial({0, damping}), *viscous})
                                : Function::polynomial({0, damping}),
                        active.value_or(Function()), free.value_or(0));
}

}  // namespace hooke
