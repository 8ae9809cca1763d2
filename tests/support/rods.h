#pragma once
#include "analysis/modes.h"
#include "analysis/statics.h"
#include "catalog/build.h"
#include "support/finite_difference.h"
#include "support/mechanisms.h"

/// Rods along the world's x axis, their sections' x and y along the world's y and z, for tests of all rod
/// formulations alike.
namespace hooke::test {

struct RodType {
  std::string name;
  std::function<BodyFormulation(const RodSettings&, int elements)> make;
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

inline RodType ffrf(int modes, ModalBasis basis = ModalBasis::craig_bampton) {
  return {"ffrf", [=](const RodSettings& rod, int elements) {
            FfrfSettings settings = rod_of<FfrfSettings>(rod, elements);
            settings.modes = modes;
            settings.basis = basis;
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

inline BodyEntry along_x(BodyFormulation formulation, double length) {
  BodyEntry body{.name = "rod", .formulation = std::move(formulation)};
  body.place.at = Vec3(length / 2, 0, 0);
  body.place.axes = AxesSettings{.x = unit_y, .z = unit_x};
  return body;
}

inline Model cantilever(const RodType& type, const RodSettings& settings, int elements) {
  Model model;
  model.bodies = {along_x(type.make(settings, elements), *settings.length)};
  model.joints = {{.name = "clamp", .type = "fixed", .between = {"ground", "rod.start"}}};
  return model;
}

/// A constant force and moment on the end, world axes.
inline LoadEntry tip_load(const Vec3& force, const Vec3& torque = zero3) {
  LoadEntry load{.name = "tip", .on = "rod.end", .has_torque = true};
  for (int k = 0; k < 3; ++k) load.force[k] = force[k], load.torque[k] = torque[k];
  return load;
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

}  // namespace hooke::test
