#include "hooke/integrators/watch.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/error.h"
#include "hooke/base/format.h"

namespace hooke {
namespace {

// In dof units: a length of the mechanism, or a radian.
constexpr double suspicious_error = 1e-3;  // of one step: worth the price of looking at its energy
constexpr double seen_error = 1e-3;        // of all steps together
constexpr double unseen_motion = 1e-8;     // in a step
constexpr double most_violation = 1e-2;
constexpr double most_gain = 0.05;         // of the energy in play, at an output
constexpr double most_gain_in_step = 0.1;  // likewise
constexpr double nearly_nothing = 0.02;    // of the energy in play
constexpr int patience = 50;               // steps in which the energy in play may catch up with a gain
constexpr double loose = 0.5;              // joints move apart as fast as bodies move
constexpr int most_loose_outputs = 5;
constexpr double unseen_gap = 1e-6;  // m or rad: at rest, ratios of velocities mean nothing

}  // namespace

Watch::Watch(const Dae& dae, bool judges_error)
    : dae_(dae), judges_error_(judges_error), workspace_(dae.workspace()), account_(dae) {
  free_.a.setZero(dae.nv()), free_.lambda.setZero(dae.nc());
}

void Watch::begin(const State& start, double h) {
  State unseen = start;
  unseen.v = unseen_motion / h * dae_.dof_scale();
  harmless_ = energy_of(unseen).kinetic;
  start_ = energy_of(start);
  in_play_ = 0, unexplained_ = {}, is_suspicious_ = false, loose_outputs_ = 0;
  findings_ = {};
  account_.begin(start);
  refer_to(start_, {});
  at_hand_ = seen_error * force_of(start), knows_forces_ = true;
}

void Watch::refer_to(const Energy& energy, const Power& work) {
  since_ = {energy, work, account_.turnover(), account_.doubt(), energy.potential};
  kinetic_ = energy.kinetic;
  released_ = 0;
  largest_gain_ = {}, suspicious_steps_ = 0;
}

Energy Watch::energy_of(const State& state) {
  dae_.update_for_energy(state, *workspace_);
  return dae_.energy(state, *workspace_);
}

/// Of all loads and springs together, times the size of what they act on, J.
double Watch::force_of(const State& state) {
  free_.t = state.t, free_.q = state.q, free_.v = state.v, free_.memory = state.memory,
  free_.mode = state.mode;
  dae_.update(free_, *workspace_);
  dae_.residual(free_, *workspace_, forces_);
  forces_.tail(dae_.first_order_states()).setZero();
  return forces_.cwiseProduct(dae_.dof_scale()).lpNorm<1>();
}

std::string Watch::fastest_changing(const State& before, const State& after) const {
  Eigen::Index dof = 0;
  (after.a - before.a).cwiseQuotient(dae_.dof_scale()).cwiseAbs().maxCoeff(&dof);
  return dae_.dof_name(static_cast<int>(dof));
}

std::string Watch::judge(const State& before, const State& after, const StepReport& report) {
  if (!std::isfinite(after.q.sum() + after.v.sum())) return "the motion is not a number any more";
  if (std::isnan(report.error)) return "the error of the step is not a number";
  if (!(report.error > suspicious_error)) return {};
  if (judges_error_ && report.error > hopeless_error && std::isfinite(report.error))
    return formatted(
        "the step does not resolve the motion: its error is {:.2g} of the mechanism's size, {} "
        "changes fastest",
        report.error, fastest_changing(before, after));
  const Energy from = energy_of(before), to = energy_of(after);
  const auto [work, uncertain] = account_.work_of_step(after);
  const double gain = to.total() - from.total() - work;
  const double in_play = std::max(kinetic_, from.kinetic) + released_ + supplied() + dissipated() +
                         std::abs(work) + std::max(0.0, from.potential - to.potential);
  if (!(gain <= most_gain_in_step * in_play + uncertain + harmless_))
    return formatted(
        "the energy rises by {:.3g} J, which nothing supplies; {} changes fastest, and the step does not "
        "resolve it",
        gain, fastest_changing(before, after));
  return {};
}

void Watch::accept(const State& before, const State& after, const StepReport& report) {
  account_.add(after);
  if (!knows_forces_) at_hand_ = seen_error * force_of(after), knows_forces_ = true;
  suspicious_steps_ += is_suspicious_;
  if (!std::isfinite(report.error)) return;
  findings_.error += report.error;
  if (report.error <= findings_.worst_error) return;
  if (report.error > suspicious_error &&
      (findings_.worst_dof.empty() || report.error > 2 * findings_.worst_error))
    findings_.worst_dof = fastest_changing(before, after);
  findings_.worst_error = report.error;
  findings_.worst_time = before.t;
  findings_.worst_step = after.t - before.t;
}

Watch::Balance Watch::balance(double t, const Energy& energy) const {
  const Power work = account_.work(t);
  return {work, energy.total() - start_.total() - work.net()};
}

/// What dampers took counts as far as it is known: they take from stiff vibrations that no step resolves what was never
/// there. Where steps follow a tolerance, such vibrations are within it. What they give (a negative damping) is supplied.
Watch::Gain Watch::gain_of(double t, const Energy& energy, const Power& work) {
  const double supply = work.supplied - since_.work.supplied, loss = work.dissipated - since_.work.dissipated;
  const Power unsure = account_.doubt().since(since_.doubt);
  const double fed = std::max(0.0, -loss),
               taken = judges_error_ || errors_are_seen() ? std::max(0.0, loss - unsure.dissipated) : 0;
  const double unknown = unsure.supplied + (fed > 0 ? unsure.dissipated : 0);
  // Released and supplied are not added: much of what a mechanism releases goes into its drives. A motion from rest begins
  // with no energy at all, and a small error of its first steps is much of that: what is in play may catch up with it. Stiff
  // springs hold loads with hardly any energy: what loads could do where they are seen to move is in play as well.
  in_play_ = std::max({since_.energy.kinetic, released_, supplied(), fed}) + harmless_ + at_hand_;
  return {t, energy.total() - since_.energy.total() - supply - fed + taken - unknown};
}

void Watch::check(double t, const Energy& energy, double violation, double rate, double speed) {
  const auto [work, error] = balance(t, energy);
  since_.lowest_potential = std::min(since_.lowest_potential, energy.potential);
  released_ = std::max(released_, since_.energy.potential - energy.potential);
  kinetic_ = std::max(kinetic_, energy.kinetic);
  findings_.energy_error = std::max(findings_.energy_error, std::abs(error));
  findings_.energy_scale =
      std::max({findings_.energy_scale, kinetic_, released_, supplied() + dissipated(), harmless_});
  const Gain now = gain_of(t, energy, work);
  if (now.energy > largest_gain_.energy) largest_gain_ = now;
  const double gain = now.energy / (in_play_ + dissipated());
  if (gain <= most_gain) suspicious_steps_ = 0;
  is_suspicious_ = !(gain <= most_gain);
  if (!(gain <= 100) || suspicious_steps_ > patience) fail_by_energy(now);
  // What drives and loads took may come back.
  const double left = energy.kinetic + energy.potential - since_.lowest_potential;
  if (left + supplied() < nearly_nothing * std::max(kinetic_, released_)) {
    if (largest_gain_.energy > std::max(most_gain * in_play_, unexplained_.energy))
      unexplained_ = largest_gain_;
    refer_to(energy, work);
    knows_forces_ = false;
  }
  const double size = dae_.dof_scale().maxCoeff();
  if (!(violation <= most_violation * size))
    throw Error(
        ExitCode::not_trusted,
        formatted("at t = {:.6g} s the joints have come apart by {:.3g}: the motion is not that of the "
                  "model.\nTake a smaller step or a tolerance, or look for drives and joints that "
                  "contradict each other.",
                  t, violation));
  loose_outputs_ = speed > 0 && rate > loose * speed && violation > unseen_gap ? loose_outputs_ + 1 : 0;
  if (loose_outputs_ > most_loose_outputs)
    throw Error(ExitCode::not_trusted, formatted("at t = {:.6g} s the joints do not hold: their points move "
                                                 "apart as fast as the bodies move. Steps are solved "
                                                 "to a small part of the mechanism's size, which is {:.3g} m "
                                                 "here: is a body or a joint too far away?",
                                                 t, size));
}

/// A thousand errors that nobody sees are seen together. Where steps follow the error, each is as small as it is asked to be.
bool Watch::errors_are_seen() const {
  return judges_error_ ? findings_.error > seen_error : findings_.worst_error > suspicious_error;
}

void Watch::finish() const {
  // A gain that is gone again matters where errors are seen; stiff vibrations of a millionth of the mechanism have one, too.
  if (!is_suspicious_ && !errors_are_seen()) return;
  if (largest_gain_.energy > most_gain * in_play_) fail_by_energy(largest_gain_);
  if (unexplained_.energy > 0) fail_by_energy(unexplained_);
}

void Watch::fail_by_energy(const Gain& gain) const {
  const std::string where =
      findings_.worst_dof.empty() ? "" : formatted(", where {} changes fastest", findings_.worst_dof);
  throw Error(
      ExitCode::not_trusted,
      formatted("at t = {:.6g} s there are, with what dampers took, {:.3g} J more than at the start and all "
                "that was supplied since: the computed motion feeds itself and is not that of the model.\n"
                "Take a smaller step (the one with the largest error was {:.3g} s{}), a tolerance, or an "
                "integrator that damps what the step does not resolve.",
                gain.t, gain.energy, findings_.worst_step, where));
}

}  // namespace hooke
