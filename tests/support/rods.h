#pragma once
#include <Eigen/Eigenvalues>

#include "hooke/analysis/modes.h"
#include "hooke/analysis/statics.h"
#include "hooke/catalog/build.h"
#include "support/finite_difference.h"
#include "support/mechanisms.h"

/// Rods along the world's x axis, their sections' x and y along the world's y and z, for tests of all rod
/// formulations alike.
namespace hooke::test {

struct RodType {
  std::string name;
  std::function<AnyBody(const RodSettings&, int elements)> make;
};
inline void PrintTo(const RodType& type, std::ostream* stream) { *stream << type.name; }

template <class Settings>
Settings rod_of(const RodSettings& rod, int elements) {
  Settings settings;
  static_cast<RodSettings&>(settings) = rod;
  settings.elements = elements;
  return settings;
}

inline RodType cosserat(int order) {
  return {"cosserat" + std::to_string(order), [order](const RodSettings& rod, int elements) {
            CosseratSettings settings = rod_of<CosseratSettings>(rod, elements);
            settings.order = order;
            return settings;
          }};
}

inline RodType ancf() {
  return {"ancf", [](const RodSettings& rod, int elements) { return rod_of<AncfSettings>(rod, elements); }};
}

inline RodType ffrf(int modes, ModalBasis basis = ModalBasis::craig_bampton, bool stiffening = false) {
  return {"ffrf", [=](const RodSettings& rod, int elements) {
            FfrfSettings settings = rod_of<FfrfSettings>(rod, elements);
            settings.modes = modes;
            settings.basis = basis;
            settings.stiffening = stiffening;
            if (stiffening) settings.reference = RodReference::start;
            return settings;
          }};
}

inline RodSettings rod(SectionSettings section, double young, double poisson, double density, double length) {
  RodSettings settings;
  settings.section = section;
  settings.material = MaterialSettings{young, poisson, density};
  settings.length = length;
  return settings;
}

inline NamedBody along_x(AnyBody formulation, double length) {
  BodyEntry body{.formulation = std::move(formulation)};
  body.place.at = Vec3(length / 2, 0, 0);
  body.place.axes = AxesSettings{.x = unit_y, .z = unit_x};
  return {"rod", std::move(body)};
}

inline Model cantilever(const RodType& type, const RodSettings& settings, int elements) {
  Model model;
  model.bodies = {along_x(type.make(settings, elements), *settings.length)};
  model.joints["clamp"] = FixedSettings{.between = {"ground", "rod.start"}};
  return model;
}

/// A constant force and moment on the end, world axes.
inline NamedForce tip_load(const Vec3& force, const Vec3& torque = zero3) {
  return {"tip", LoadSettings{.on = "rod.end",
                              .force = {{force.x(), force.y(), force.z()}},
                              .torque = {{torque.x(), torque.y(), torque.z()}}}};
}

/// Frequencies of a slender beam of unit length, clamped on an axis of speed eta across it, across the plane of turning, in units
/// of sqrt(EI/mass): Ritz' method with polynomials, whose stiffness is that of bending and of the centrifugal pull.
inline VectorX rotating_beam(double eta) {
  constexpr int n = 10;
  MatrixX K(n, n), M(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = i + 2, b = j + 2;
      M(i, j) = 1 / (a + b + 1);
      K(i, j) = a * (a - 1) * b * (b - 1) / (a + b - 3) +
                0.5 * eta * eta * a * b * (1 / (a + b - 1) - 1 / (a + b + 1));
    }
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(K, M).eigenvalues().cwiseSqrt();
}

struct Equilibrium {
  BuiltModel built;
  State state;
  StaticResult result;
  std::vector<FramePose> nodes() const { return built.system->nodes(0, state); }
  /// Motion of the end.
  Vec3 tip() const {
    return nodes().back().p - built.system->nodes(0, built.system->initial_state()).back().p;
  }
};

inline Equilibrium equilibrium(const Model& model) {
  Equilibrium found{build(model)};
  found.state = found.built.system->initial_state();
  found.result = find_equilibrium(*found.built.system, found.state, NewtonSettings{});
  return found;
}

/// Two narrow strips at a right angle, clamped, pushed at the end within their plane (Argyris et al. 1979).
inline Model right_angle_frame(const RodType& type, int elements, double force) {
  const RodSettings strip = rod(RectangleSection{{0.6e-3, 30e-3}}, 7.124e10, 0.31, 2700, 0.24);
  Model model;
  model.bodies["first"] = {type.make(strip, elements),
                           {.at = Vec3(0.12, 0, 0), .axes = AxesSettings{.x = unit_z, .z = unit_x}}};
  model.bodies["second"] = {
      type.make(strip, elements),
      {.at = Vec3(0.24, -0.12, 0), .axes = AxesSettings{.x = unit_z, .z = Vec3(0, -1, 0)}}};
  model.joints["clamp"] = FixedSettings{.between = {"ground", "first.start"}};
  model.joints["corner"] = FixedSettings{.between = {"first", "second"}, .at = Vec3(0.24, 0, 0)};
  model.forces["push"] = LoadSettings{.on = "second.end", .force = {{force, 0, 0}}};
  return model;
}

/// The load at which the softest motion of the frame loses its stiffness, by the secant method from two below
/// it.
inline double buckling_load(const RodType& type, int elements, double below) {
  const auto stiffness = [&](double force) {
    const Equilibrium found = equilibrium(right_angle_frame(type, elements, force));
    const Mode softest = linearise(*found.built.system, found.state).modes[0];
    return -(softest.eigenvalue * softest.eigenvalue).real();
  };
  double a = 0.9 * below, b = below, f_a = stiffness(a), f_b = stiffness(b);
  for (int i = 0; i < 3; ++i) {
    const double c = b - f_b * (b - a) / (f_b - f_a);
    a = b, f_a = f_b;
    b = c, f_b = stiffness(c);
  }
  return b;
}

/// Two steel rods (or softer), 1 m long and 20 mm thick, hinged to each other, fall from the horizontal.
inline Model double_pendulum(const RodType& type, int elements, double young) {
  const RodSettings settings = rod(CircleSection{0.01}, young, 0.3, 7850, 1);
  Model model;
  model.gravity = {0, 0, -9.81};
  model.bodies = {along_x(type.make(settings, elements), 1), along_x(type.make(settings, elements), 1)};
  model.bodies[0].first = "first";
  model.bodies[1].second.place.at = Vec3(1.5, 0, 0);
  model.joints["A"] = RevoluteSettings{.between = {"ground", "first"}, .at = zero3, .axis = unit_y};
  model.joints["B"] = RevoluteSettings{.between = {"first", "rod"}, .at = unit_x, .axis = unit_y};
  return model;
}

/// A wire of 1 m bent to a circle at rest and joined to itself. Its frequencies, Hz (Love 1927, 293):
///   omega^2 = EI/(rho A R^4) n^2 (n^2 - 1)^2/(n^2 + 1 + nu)    across its plane; in it without nu
struct Ring {
  static constexpr double radius = 2e-3, young = 2e11, density = 7800, poisson = 0.3;
  static Model model(int order, int elements) {
    CosseratSettings wire =
        rod_of<CosseratSettings>(rod(CircleSection{radius}, young, poisson, density, 1), elements);
    wire.curvature = Vec3(2 * M_PI, 0, 0);
    wire.order = order;
    Model model;
    model.bodies["ring"].formulation = wire;
    model.joints["weld"] = FixedSettings{.between = {"ring.start", "ring.end"}};
    return model;
  }
  static double frequency(int n, double nu = 0) {
    const double R = 1 / (2 * M_PI), k = n * n;
    return radius / (2 * R * R) * std::sqrt(young / density * k * (k - 1) * (k - 1) / (k + 1 + nu)) /
           (2 * M_PI);
  }
};

/// A rubber rod on a hinge, pushed at its tip, gently so that no step need resolve its highest modes.
inline Model pushed_rod(const RodType& type) {
  Model model;
  model.forces["push"] =
      LoadSettings{.on = "rod.end", .force = {{0, 0, Function::expression("sin(10*pi*t)^4")}}};
  model.bodies = {along_x(type.make(rod(CircleSection{0.02}, 5e6, 0.3, 1100, 0.5), 4), 0.5)};
  model.joints["hinge"] = RevoluteSettings{.between = {"ground", "rod.start"}, .at = zero3, .axis = unit_y};
  return model;
}

}  // namespace hooke::test
