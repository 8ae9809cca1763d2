#include "hooke/simulation/coupling_stability.h"

#include <Eigen/QR>

#include "hooke/analysis/modes.h"
#include "hooke/base/text.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

/// Rows of the frames' motion on all velocities.
MatrixX frame_rows(const System& system, const State& state, const std::vector<CouplingSide::Interface>& at) {
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
          frame_rows(side.system(), side.state(), side.side().interfaces) * linear.N};
}

/// How force and reaction of the joints turn with the frames, by central differences.
void add_turning(DisplacedSide& side, DisplacedSideMatrices& matrices) {
  constexpr double small = 1e-6;
  const System& system = side.system();
  const auto& interfaces = side.side().interfaces;
  auto scratch = system.workspace();
  auto& w = static_cast<SystemWorkspace&>(*scratch);
  const auto n = static_cast<Eigen::Index>(interfaces.size());
  matrices.K_u.setZero(system.nv(), 6 * n);
  matrices.W_u.setZero(6 * n, 6 * n);
  VectorX r;
  for (Eigen::Index k = 0; k < 6 * n; ++k) {
    FramePose& pose = side.side().motions[static_cast<std::size_t>(k / 6)]->held->pose;
    const FramePose at = pose;
    for (const double sign : {1.0, -1.0}) {
      Vec6 move = Vec6::Zero();
      move[k % 6] = sign * small;
      pose = {exp_so3(Vec3(move.tail<3>())) * at.R, at.p + move.head<3>()};
      system.update(side.state(), w);
      system.residual(side.state(), w, r);
      matrices.K_u.col(k) += sign / (2 * small) * r;
      for (std::size_t i = 0; i < interfaces.size(); ++i)
        matrices.W_u.col(k).segment<6>(6 * static_cast<Eigen::Index>(i)) -=
            sign / (2 * small) *
            system.reaction(interfaces[i].constraint, interfaces[i].side, side.state(), w);
    }
    pose = at;
  }
}

DisplacedSideMatrices linearise_displaced(DisplacedSide& side) {
  const System& system = side.system();
  const auto& interfaces = side.side().interfaces;
  const Tangents full = tangents(system, side.state());
  DisplacedSideMatrices result{full.M, full.D, full.K};
  const auto n = static_cast<Eigen::Index>(interfaces.size());
  std::vector<Eigen::Index> outer, inner;
  for (int c = 0; c < system.constraints(); ++c) {
    const auto [begin, count] = system.rows_of(c);
    bool is_cut = false;
    for (const auto& interface : interfaces) is_cut |= interface.constraint == c;
    for (int k = 0; k < count; ++k) (is_cut ? outer : inner).push_back(begin + k);
  }
  result.G = full.G(outer, Eigen::all);
  result.inner_rows = full.G(inner, Eigen::all);
  auto scratch = system.workspace();
  auto& w = static_cast<SystemWorkspace&>(*scratch);
  system.update(side.state(), w);
  result.G_u.setZero(result.G.rows(), 6 * n);
  State unit = side.state();
  for (std::size_t k = 0; k < outer.size(); ++k) {
    unit.lambda.setZero();
    unit.lambda[outer[k]] = 1;
    for (std::size_t i = 0; i < interfaces.size(); ++i)
      result.G_u.block<1, 6>(static_cast<Eigen::Index>(k), 6 * static_cast<Eigen::Index>(i)) =
          -system.reaction(interfaces[i].constraint, interfaces[i].side, unit, w).transpose();
  }
  add_turning(side, result);
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
    throw Error(
        ExitCode::bad_model,
        formatted("with '{}' displaced there are no reactions at the coupled joints: the joints may "
                    "hold it where it is held already",
                    join(displaced, "', '")));
  return {linearise_forced(coupling->forced()), linearise_displaced(coupling->displaced())};
}

LinearPart::Advance advance_of(const Problem& file, const std::vector<std::string>& displaced) {
  const AnyIntegrator* choice = &file.run.integrator;
  int steps = 1;
  for (const auto& [name, entry] : file.subsystems)
    if (std::find(displaced.begin(), displaced.end(), name) != displaced.end()) {
      if (entry.integrator) choice = &*entry.integrator;
      steps = entry.steps;
    }
  return choice->get_if<LinearlyImplicitChoice>() && steps == 1
             ? LinearPart::Advance::linearly_implicit
             : LinearPart::Advance::exactly;
}

LinearParts checked_parts(const LinearSides& sides, const std::vector<std::string>& displaced,
                          LinearPart::Advance advance) {
  try {
    return parts_of(sides, advance);
  } catch (const std::invalid_argument& problem) {
    throw Error(ExitCode::bad_model,
                formatted("'{}' cannot be displaced: {}", join(displaced, "', '"), problem.what()));
  }
}

CouplingVerdict judge(const LinearParts& parts, const ForceDisplacementSettings& settings,
                      const std::vector<double>& steps) {
  const LinearCoupling coupling = couple(parts, settings);
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
                      LinearPart::Advance advance, const std::vector<double>& steps) {
  return judge(checked_parts(sides, settings.displaced, advance), settings, steps);
}

std::vector<CouplingVerdict> survey(const LinearParts& parts, const std::vector<std::string>& displaced,
                                    CouplingOrder order, const std::vector<double>& steps) {
  std::vector<CouplingVerdict> result;
  for (const CouplingForces forces :
       {CouplingForces::exact, CouplingForces::small, CouplingForces::approximate})
    for (const auto& [force, motion] : {std::pair{0, 1}, {1, 1}, {1, 2}, {2, 2}, {3, 3}}) {
      ForceDisplacementSettings settings{displaced, force, motion, forces, order};
      result.push_back(judge(parts, settings, steps));
      if (forces == CouplingForces::exact) continue;
      settings.exchange = CouplingExchange::in_turn;
      result.push_back(judge(parts, settings, steps));
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
  const LinearSides sides = linearise_sides(file, whole, state, settings.displaced);
  return sentence_about(judge(sides, settings, advance_of(file, settings.displaced), {file.run.step}),
                        file.run.step);
}

}  // namespace hooke
