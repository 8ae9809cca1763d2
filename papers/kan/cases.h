#pragma once
#include <ctime>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/joints.h"
#include "hooke/system/system.h"
#include "validation/report.h"

/// The examples of Kan et al., section 6.
namespace hooke::kan {

using validation::Report;

void cuboid(Report& report);
void table(Report& report);
void top(Report& report);
void cantilever(Report& report);
void slider_crank(Report& report);

inline const Material aluminium{70e9, 0.3, 2700};

/// How the body is computed: "full CR", the paper's component ("proposed") and Hooke's default for a
/// component.
struct Way {
  const char* name;
  Corotation corotation;
  FrameFit fit;
  bool consistent;
  bool constant_tangent = false;
};
inline const Way full_cr{"full CR", Corotation::element, FrameFit::best, true};
inline const Way paper_component{"component, as the paper", Corotation::component, FrameFit::three_nodes,
                                 false};
/// Hooke's own: the forces of full CR with the matrix of the component.
inline const Way element_forces{"full CR, constant matrix", Corotation::element, FrameFit::best, true, true};
inline const Way component{"component, best fit", Corotation::component, FrameFit::best, true};

inline std::shared_ptr<const SolidModel> plain_model(SolidMesh mesh) {
  return std::make_shared<const SolidModel>(std::move(mesh), std::vector{SolidMaterial::isotropic(aluminium)},
                                            SolidOptions{.incompatible_modes = false});
}

inline CorotationalSolid solid(std::shared_ptr<const SolidModel> model, const Way& way) {
  CorotationalSolid made(std::move(model));
  made.corotation = way.corotation;
  made.fit = way.fit;
  made.consistent = way.consistent;
  made.constant_tangent = way.constant_tangent;
  return made;
}

inline void pin(System& system, int body, const CorotationalSolid& of, int node, const char* name) {
  system.add_constraint(
      joints::Spherical{},
      std::array{system.add_ground_frame({identity3, of.start.p + of.start.R * of.model->mesh.nodes[node]}),
                 system.add_frame<CorotationalSolid>(body, of.attach_node(node), false)},
      name);
}

/// Newmark's method as in the paper: alpha 0.26, delta 0.5, index 3.
inline GeneralizedAlphaSettings paper_settings(bool full_newton = false) {
  GeneralizedAlphaSettings s{
      AlphaParameters::newmark(0.26, 0.5), ConstraintForm::index3, Projection::none, {}};
  s.newton.solver = "schur";
  s.newton.tolerance = 1e-10;
  s.newton.max_iterations = 30;
  if (full_newton) s.newton.renew_rate = 0;
  return s;
}

/// Processor time of this program: what a busy machine disturbs least.
inline double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
  double seconds = 0;
  int steps = 0, iterations = 0, factorizations = 0;
  double per_step() const { return seconds / steps; }
  double mean_iterations() const { return static_cast<double>(iterations) / steps; }
};

/// Steps of h; `look` sees every state. Throws where a step fails.
template <class Look>
Cost run(const System& system, State& state, double h, int steps, const GeneralizedAlphaSettings& settings,
         Look&& look) {
  GeneralizedAlpha integrator(system, settings);
  Cost cost;
  look(state, 0);
  for (int n = 0; n < steps; ++n) {
    const double start = cpu();
    const StepReport report = integrator.step(state, h);
    if (n > 0) cost.seconds += cpu() - start, ++cost.steps;  // the first one factorizes what stays
    if (!report.accepted) throw std::runtime_error(report.failure);
    if (n > 0) cost.iterations += report.iterations, cost.factorizations += report.factorizations;
    look(state, report.iterations);
  }
  return cost;
}

}  // namespace hooke::kan
