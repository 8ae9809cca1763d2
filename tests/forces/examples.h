#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hooke/forces/bushing.h"
#include "hooke/forces/driven_load.h"
#include "hooke/forces/friction.h"
#include "hooke/forces/point_load.h"
#include "hooke/frames/constraint.h"
#include "support/finite_difference.h"

/// Random examples of all forces for the contract tests; a force is added by a function here and a line in
/// examples(). Numbers are of order one, so that finite differences keep their digits.
namespace hooke::test {

enum class Part { whole, elastic, dissipative };  ///< what of a force is switched on

/// A force as the tests see it, its type forgotten: the tests are compiled once for all.
struct AnyForce {
  int frame_count;
  std::function<VectorX(const Frames&)> wrench;
  std::function<std::pair<MatrixX, MatrixX>(const Frames&)> tangent;
  std::function<double(const Frames&)> energy;  ///< empty if not Conservative
  std::function<void(Frames&)> track;

  template <Force F>
  AnyForce(const F& force)
      : frame_count(F::frames),
        wrench([=](const Frames& frames) {
          Eigen::Matrix<double, 6 * F::frames, 1> w;
          force.evaluate(frames.inputs<F::frames>(), w);
          return w;
        }),
        tangent([=](const Frames& frames) {
          Eigen::Matrix<double, 6 * F::frames, 6 * F::frames> K, D;
          K.setConstant(NAN), D.setConstant(NAN);  // to be set, not added to
          force.tangent(frames.inputs<F::frames>(), K, D);
          return std::pair<MatrixX, MatrixX>(K, D);
        }),
        track([=](Frames& frames) {
          if constexpr (memory_size<F>() > 0) force.track(frames.inputs<F::frames>(), frames.memory.data());
        }) {
    if constexpr (Conservative<F>)
      energy = [=](const Frames& frames) { return force.energy(frames.inputs<F::frames>()); };
  }
};

struct Example {
  std::string name;
  std::function<AnyForce(Part, Random&)> random;
  bool world_axes = false;  ///< it knows the world's axes, and so does not turn with the frames
};

// ---- laws ---------------------------------------------------------------------------------------

inline double positive(Random& random) { return 1.5 + random_vector(1, random)[0]; }

inline Law linear(Part part, Random& random) {
  const double k = positive(random), c = positive(random), free = positive(random);
  if (part == Part::elastic) return Law::spring_damper(k, 0, free, 0.3);
  if (part == Part::dissipative) return Law::spring_damper(0, c);
  return Law::spring_damper(k, c, free, 0.3);
}

inline Law functions(Part part, Random& random) {
  const auto elastic = Function::spline({-1, 0.2, 1, 4}, {-2, 0, positive(random), 9});
  const auto viscous = Function::polynomial({0, positive(random), 0, 0.5});
  if (part == Part::elastic) return Law::functions(elastic, {}, {}, 0.4);
  if (part == Part::dissipative) return Law::functions({}, viscous);
  return Law::functions(elastic, viscous, Function::harmonic(2, 3), 0.4);
}

inline Law formula(Part part, Random& random) {
  const Parameters k{{"k", positive(random)}};
  if (part == Part::elastic) return Law::expression("k*(x - 0.3)^3 + sin(x)", k);
  if (part == Part::dissipative) return Law::expression("k*v + v^3", k);
  return Law::expression("k*x^2*v + sin(x) + x*cos(t)", k);
}

inline Friction friction(Part, Random& random) {
  const double kinetic = positive(random);
  return {.viscous = positive(random),
          .kinetic = kinetic,
          .breakaway = 1.5 * kinetic,
          .stick_rate = 0.2,
          .stribeck_rate = 0.5};
}

// ---- forces -------------------------------------------------------------------------------------

inline Bushing bushing(Part part, Random& random) {
  const auto positive_definite = [&random]() -> Mat6 {
    const Mat6 root = random_vector(36, random).reshaped(6, 6);
    return root * root.transpose() + identity6;
  };
  Bushing b{positive_definite(), positive_definite(), random_vector(6, random)};
  if (part == Part::elastic) b.damping.setZero();
  if (part == Part::dissipative) b.stiffness.setZero(), b.preload.setZero();
  return b;
}

inline PointLoad point_load(Random& random, bool follower) {
  return {.force = {Function::harmonic(1, 2), 0.7, Function::polynomial({0, 1, -2})},
          .torque = TimeVector(random_vector(3, random), Function::expression("1 + t^2")),
          .follower = follower};
}

inline std::vector<Example> examples() {
  std::vector<Example> all{
      {"bushing", bushing},
      {"dead_load", [](Part, Random& random) { return point_load(random, false); }, true},
      {"follower_load", [](Part, Random& random) { return point_load(random, true); }},
      {"driven_load",
       [](Part, Random& random) {
         const Vec6 w = random_vector(6, random);
         return DrivenLoad{[w](double t) -> Vec6 { return (1 + t) * w; }};
       },
       true},
  };
  const auto with_every_law = [&all](const std::string& name, auto coordinate) {
    const auto with_law = [&](const char* law_name, auto* law) {
      all.push_back({name + "_" + law_name, [=](Part part, Random& random) {
                       return AnyForce(CoordinateForce{coordinate, law(part, random)});
                     }});
    };
    with_law("linear", linear);
    with_law("functions", functions);
    with_law("formula", formula);
    with_law("friction", friction);
  };
  with_every_law("distance", Distance{});
  with_every_law("displacement_x", Displacement{Axis::x});
  with_every_law("displacement_z", Displacement{Axis::z});
  with_every_law("angle", Angle::about_z());
  with_every_law("universal_x", Angle::universal_about_x());
  with_every_law("universal_y", Angle::universal_about_y());
  return all;
}

}  // namespace hooke::test
