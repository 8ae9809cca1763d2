#include "hooke/simulation/coupling_stability.h"

#include <Eigen/QR>

#include "hooke/analysis/modes.h"
#include "hooke/base/text.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

/// Rows of the frames' motion on all velocities.
MatrixX frame_rows(const System& system, const State& state, const std::vector<Excerpt::Inside>& at) {
  auto scratch = system.workspace();
  auto& w = static_cast<SystemWorkspace&>(*scratch);
  system.update(state, w);
  MatrixX J = MatrixX::Zero(6 * static_cast<Eigen::Index>(at.size()), system.nv());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto jacobian = w.frames.jacobian(system.frame_map().frames[at[i].frame]);
    for (const FrameEntry& entry : system.frame_map().entries_of(at[i].frame))
      J.block(6 * static_cast<Eigen::Index>(i), entry.dof, 6, entry.size) =
          jacobian.middleCols(entry.column, entry.size);
  }
  return J;
}

ForcedSideMatrices linearise_forced(ForcedSide& side) {
  const Linearisation linear = linearise(side.system(), side.state());
  return {linear.M, linear.D, linear.K,
          frame_rows(side.system(), side.state(), side.excerpt().inside) * linear.N};
}

/// What `change` of one of six numbers about a driven frame does to residual and reactions, by central
/// differences: a column of `on_z`, and one of `on_w` with the opposite sign.
void differentiate(DisplacedSide& side, auto&& change, MatrixX& on_z, MatrixX& on_w) {
  constexpr double small = 1e-6;
  const System& system = side.system();
  auto scratch = system.workspace();
  auto& workspace = static_cast<SystemWorkspace&>(*scratch);
  const auto n = 6 * static_cast<Eigen::Index>(side.excerpt().outside.size());
  on_z.setZero(system.nv(), n);
  on_w.setZero(n, n);
  VectorX r, w = VectorX::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    FrameMotion& motion = *side.excerpt().outside[static_cast<std::size_t>(k / 6)].motion->held;
    const FrameMotion at = motion;
    for (const double sign : {1.0, -1.0}) {
      change(Vec6(sign * small * Vec6::Unit(k % 6)), motion);
      system.update(side.state(), workspace);
      system.residual(side.state(), workspace, r);
      on_z.col(k) += sign / (2 * small) * r;
      side.reactions(side.state(), workspace, w);
      on_w.col(k) -= sign / (2 * small) * w;
      motion = at;
    }
  }
}

DisplacedSideMatrices linearise_displaced(DisplacedSide& side) {
  const System& system = side.system();
  const Excerpt& excerpt = side.excerpt();
  const Tangents full = tangents(system, side.state());
  DisplacedSideMatrices result{full.M, full.D, full.K};
  const auto n = 6 * static_cast<Eigen::Index>(excerpt.outside.size());
  std::vector<Eigen::Index> outer, inner;
  for (int c = 0; c < system.constraints(); ++c) {
    const auto [begin, count] = system.rows_of(c);
    const bool is_cut = std::any_of(excerpt.reaches.begin(), excerpt.reaches.end(),
                                    [&](const auto& reach) { return !reach.is_force && reach.item == c; });
    for (int k = 0; k < count; ++k) (is_cut ? outer : inner).push_back(begin + k);
  }
  result.G = full.G(outer, Eigen::all);
  result.inner_rows = full.G(inner, Eigen::all);
  auto scratch = system.workspace();
  auto& workspace = static_cast<SystemWorkspace&>(*scratch);
  system.update(side.state(), workspace);
  result.G_u.setZero(result.G.rows(), n);
  State unit = side.state();
  for (std::size_t k = 0; k < outer.size(); ++k) {
    unit.lambda.setZero();
    unit.lambda[outer[k]] = 1;
    for (const auto& [is_force, item, end, outside] : excerpt.reaches)
      if (!is_force)
        result.G_u.block<1, 6>(static_cast<Eigen::Index>(k), 6 * outside) =
            -system.reaction(item, end, unit, workspace).transpose();
  }
  const auto move = [](const Vec6& by, FrameMotion& motion) {
    motion.pose = {exp_so3(Vec3(by.tail<3>())) * motion.pose.R, motion.pose.p + by.head<3>()};
  };
  differentiate(side, move, result.K_u, result.W_u);
  differentiate(
      side, [](const Vec6& by, FrameMotion& motion) { motion.twist += by; }, result.D_u, result.V_u);
  result.joint_mass = side.joint_mass();
  return result;
}

}  // namespace

LinearSides linearise_sides(const Problem& file, const BuiltModel& whole, const State& state,
                            const std::vector<std::string>& displaced) {
  ForceDisplacementSettings settings;
  settings.displaced = displaced;
  const auto coupling = make_force_displacement(file, whole, settings, true);
  State at_rest = state;
  at_rest.v.setZero();
  if (!coupling->begin(at_rest).empty())
    throw Error(ExitCode::bad_model,
                formatted("with '{}' displaced there are no reactions where it is coupled: the joints may "
                          "hold it where it is held already",
                          join(displaced, "', '")));
  return {linearise_forced(coupling->forced()), linearise_displaced(coupling->displaced())};
}

StateSpace::Advance advance_of(const Problem& file, const std::vector<std::string>& displaced) {
  const AnyIntegrator* choice = &file.run.integrator;
  int steps = 1;
  for (const auto& [name, entry] : file.subsystems)
    if (std::find(displaced.begin(), displaced.end(), name) != displaced.end()) {
      if (entry.integrator) choice = &*entry.integrator;
      steps = entry.steps_in(file.run.step);
    }
  return choice->get_if<LinearlyImplicitChoice>() && steps == 1 ? StateSpace::Advance::linearly_implicit
                                                                : StateSpace::Advance::exactly;
}

LinearPair checked_pair(const LinearSides& sides, const std::vector<std::string>& displaced,
                        StateSpace::Advance advance) {
  try {
    return pair_of(sides, advance);
  } catch (const std::invalid_argument& problem) {
    throw Error(ExitCode::bad_model,
                formatted("'{}' cannot be displaced: {}", join(displaced, "', '"), problem.what()));
  }
}

CouplingVerdict judge(const LinearPair& pair, const ForceDisplacementSettings& settings,
                      const std::vector<double>& steps) {
  const LinearCoupling coupling = couple(pair, settings);
  CouplingVerdict verdict{settings, zero_stability(coupling)};
  bool is_stable = verdict.zero < 1;
  for (const double h : steps) {  // rising
    verdict.radii.push_back(stability(coupling, h));
    is_stable = is_stable && verdict.radii.back() < 1 + 1e-9;
    if (is_stable) verdict.largest_step = h;
  }
  return verdict;
}

CouplingVerdict judge(const LinearSides& sides, const ForceDisplacementSettings& settings,
                      StateSpace::Advance advance, const std::vector<double>& steps) {
  return judge(checked_pair(sides, settings.displaced, advance), settings, steps);
}

std::vector<CouplingVerdict> survey(const LinearPair& pair, const std::vector<std::string>& displaced,
                                    CouplingOrder order, const std::vector<double>& steps) {
  std::vector<CouplingVerdict> result;
  for (const CouplingForces forces :
       {CouplingForces::exact, CouplingForces::small, CouplingForces::approximate})
    for (const auto& [force, motion] : {std::pair{0, 1}, {1, 1}, {1, 2}, {2, 2}, {3, 3}}) {
      ForceDisplacementSettings settings{displaced, force, motion, forces, order};
      result.push_back(judge(pair, settings, steps));
      if (forces == CouplingForces::exact) continue;
      settings.exchange = CouplingExchange::in_turn;
      result.push_back(judge(pair, settings, steps));
    }
  return result;
}

std::string sentence_about(const CouplingVerdict& verdict, double step) {
  if (verdict.zero >= 1)
    return formatted(
        "coupling: unstable at the start with any macro step (the exchange alone grows by {:.3g} "
        "a macro step): see 'hooke stability', or take exact forces, or a lower degree",
        verdict.zero);
  constexpr double noticeable = 1e-3;  // what the model itself may do: an unstable equilibrium grows, too
  if (verdict.radii[0] > 1 + noticeable)
    return formatted(
        "coupling: unstable at the start with the macro step {:g} s (errors grow by {:.3g} a "
        "macro step): see 'hooke stability', or take smaller steps",
        step, verdict.radii[0]);
  return {};
}

std::string stability_warning(const Problem& file, const BuiltModel& whole, const State& state) {
  constexpr int most = 400;  // dofs: more would take longer than many a run
  if (whole.system->nv() > most) return {};
  const ForceDisplacementSettings& settings = *file.coupling.force_displacement;
  if (settings.corrections > 0) return {};  // it is about macro steps that are not repeated
  const LinearSides sides = linearise_sides(file, whole, state, settings.displaced);
  return sentence_about(judge(sides, settings, advance_of(file, settings.displaced), {file.run.step}),
                        file.run.step);
}

}  // namespace hooke
