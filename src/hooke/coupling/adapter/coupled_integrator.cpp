#include "hooke/coupling/adapter/coupled_integrator.h"

#include "hooke/base/format.h"
#include "hooke/coupling/adapter/summed.h"

namespace hooke {

namespace {
constexpr int renewal = 3;  ///< iterations that finding the answers anew is worth

/// Which neighbour of a subsystem another one is.
int neighbour_number(const SubsystemParticipant& subsystem, int other) {
  const auto& neighbours = subsystem.excerpt().neighbours;
  return static_cast<int>(std::find_if(neighbours.begin(), neighbours.end(),
                                       [&](const Excerpt::Neighbour& n) { return n.subsystem == other; }) -
                          neighbours.begin());
}
}  // namespace

/// Subsystems that take different steps do not answer to each other within one: they interpolate what they
/// are told. Explicit ones answer with their accelerations only.
CouplingPlan CoupledIntegrator::plan(const std::vector<Subsystem>& subsystems,
                                     const StabilisedAlphaSettings& settings,
                                     const CouplingSettings& coupling, double beta_h) {
  CouplingPlan plan{settings, beta_h, coupling};
  const auto all = [&](auto&& property) {
    return std::all_of(subsystems.begin(), subsystems.end(), property);
  };
  const bool same_step =
      all([&](const Subsystem& s) { return s.steps == 1 && s.method == subsystems.front().method; });
  const bool implicit = all([](const Subsystem& s) { return s.method == OdeMethod::implicit_alpha; });
  is_explicit_ = all([](const Subsystem& s) { return s.method != OdeMethod::implicit_alpha; });
  plan.exchanges_stages = same_step && is_explicit_;
  interpolates_ = !same_step;
  if (interpolates_ || !implicit) plan.coupling.response = Response::inertia;
  return plan;
}

CoupledIntegrator::CoupledIntegrator(const System& system, std::vector<Subsystem> subsystems,
                                     const StabilisedAlphaSettings& settings,
                                     const CouplingSettings& coupling, std::shared_ptr<Team> team,
                                     double beta_h)
    : system_(system),
      p_(settings.parameters),
      beta_(settings.beta),
      history_(system, settings.parameters, settings.newton),
      offsets_{0},
      beta_h_(beta_h),
      team_(std::move(team)) {
  const CouplingPlan plan = this->plan(subsystems, settings, coupling, beta_h);
  std::vector<int> subsystem_of(static_cast<std::size_t>(system.bodies()), 0);
  for (std::size_t p = 0; p < subsystems.size(); ++p)
    for (const int body : subsystems[p].bodies)
      subsystem_of[static_cast<std::size_t>(body)] = static_cast<int>(p);
  if (is_explicit_) projector_ = std::make_unique<Projector>(system, settings.newton);
  workspace_ = system.workspace();
  system.update(system.initial_state(), *workspace_);
  for (std::size_t p = 0; p < subsystems.size(); ++p) {
    subsystems_.push_back(std::make_unique<SubsystemParticipant>(system, subsystem_of, static_cast<int>(p),
                                                                 static_cast<SystemWorkspace&>(*workspace_),
                                                                 std::move(subsystems[p]), plan));
    offsets_.push_back(offsets_.back() + subsystems_.back()->outputs());
    outputs_.emplace_back(VectorX::Zero(subsystems_.back()->outputs()));
    inputs_.emplace_back(VectorX::Zero(subsystems_.back()->inputs()));
  }
  std::vector<Participant*> participants;
  std::vector<DriftInParts::Part> parts;
  for (std::size_t p = 0; p < subsystems_.size(); ++p) {
    participants.push_back(subsystems_[p].get());
    parts.push_back({subsystems_[p]->excerpt(), subsystems_[p]->state(), subsystems_[p]->workspace()});
    std::vector<int>& from = sources_.emplace_back();
    for (const Excerpt::Neighbour& n : subsystems_[p]->excerpt().neighbours) {
      int entry = offsets_[n.subsystem];
      for (const Excerpt::Neighbour& other : subsystems_[n.subsystem]->excerpt().neighbours) {
        const int size = subsystems_[n.subsystem]->per_frame() * static_cast<int>(other.frames.size());
        for (int k = 0; k < size && other.subsystem == static_cast<int>(p); ++k) from.push_back(entry + k);
        entry += size;
      }
    }
    std::vector<int>& met = met_.emplace_back();
    const int per_frame = subsystems_[p]->per_frame();
    for (std::size_t k = 0; k < from.size(); k += static_cast<std::size_t>(per_frame))
      met.push_back(from[k] / per_frame);
  }
  frames_.resize(static_cast<std::size_t>(offsets_.back() / subsystems_.front()->per_frame()));
  drift_ = std::make_unique<DriftInParts>(system, parts, settings.newton, team_);
  for (int p = 0; p < static_cast<int>(subsystems_.size()); ++p)
    for (int n = 0; n < static_cast<int>(subsystems_[p]->excerpt().neighbours.size()); ++n) {
      const int other = subsystems_[p]->excerpt().neighbours[n].subsystem,
                rows = static_cast<int>(subsystems_[p]->rows(n).rows());
      if (other < p || rows == 0) continue;
      cuts_.push_back({{p, other}, {n, neighbour_number(*subsystems_[other], p)}, rows, cut_rows_});
      cut_rows_ += rows;
    }
  S_.setZero(cut_rows_, cut_rows_);
  is_known_.resize(subsystems_.size());
  Y_.setZero(offsets_.back());
  VectorX scale(offsets_.back());
  for (int i = 0; i < scale.size(); ++i) scale[i] = i % 6 < 3 ? system.extent() : 1.0;
  relaxation_ = std::make_unique<Relaxation>(std::move(participants), sources_, std::move(scale), coupling,
                                             coupling.scheme == CouplingScheme::jacobi ? team_ : nullptr,
                                             plan.coupling.response == Response::step || is_explicit_);
}

StepReport CoupledIntegrator::step(State& state, double h) {
  const Team::Step timed(team_.get());
  StepReport report;
  const State& from = ready(state, h);
  if (!begin(from, h)) {
    report.failure = "the mass matrix of a subsystem is singular";
    return report;
  }
  const Relaxation::Report& coupled = relaxation_->step(Y_, h, fresh_iterations_ == 0);
  if (fresh_iterations_ == 0) fresh_iterations_ = coupled.iterations, wasted_ = 0;
  wasted_ += std::max(0, coupled.iterations - fresh_iterations_);
  is_stale_ = !coupled.converged || wasted_ > renewal;
  report = summed(coupled);
  if (!coupled.converged) return report;
  gather(from, h);
  state.history.resize(trial_.history.size());  // what is swapped in is big enough for the next step
  std::swap(state, trial_);
  report.accepted = true;
  return report;
}

/// A state with what a step begins with. Explicit ones take a from the end of the last one, if that had the
/// same beta.
const State& CoupledIntegrator::ready(const State& state, double h) {
  const State& from = history_.ready(state, h);
  if (!is_explicit_ || (&from == &state && state.history.tail(1)[0] == h)) return from;
  start_ = from;
  projector_->accelerations(start_, beta_h_ / h);
  return start_;
}

void CoupledIntegrator::for_each_subsystem(auto&& work) {
  auto share = [&](int member) {
    const auto [first, end] =
        Share{member, team_ ? team_->size() : 1}.of_loop(static_cast<int>(subsystems_.size()));
    for (int p = first; p < end; ++p) work(p);
  };
  team_ ? team_->run(share) : share(0);
}

/// Tells the subsystems where they are, what they will do if nothing happens, and how their neighbours
/// answer.
bool CoupledIntegrator::begin(const State& from, double h) {
  const double beta = std::min(is_explicit_ ? beta_h_ / h : beta_.value_or(1 / h), 1 / h);
  const int n = static_cast<int>(subsystems_.size());
  for_each_subsystem([&](int p) { subsystems_[p]->load(from, frames_of(p)); });
  for_each_subsystem([&](int p) { subsystems_[p]->meet(frames_, met_[p]); });
  if (!drift_->find(beta)) return false;
  for_each_subsystem([&](int p) {
    subsystems_[p]->set_drift(h * drift_->of(p));
    subsystems_[p]->begin(h);
  });
  if (is_stale_ || std::abs(answered_h_ / h - 1) > 1e-9) {
    if (!renew_answers()) return false;
    answered_h_ = h;
    fresh_iterations_ = 0;
  }
  if (interpolates_) {
    for_each_subsystem([&](int p) { subsystems_[p]->output_at_start(outputs_[p]); });
    for (int p = 0; p < n; ++p) Y_.segment(offsets_[p], outputs_[p].size()) = outputs_[p];
    for (int p = 0; p < n; ++p) {
      for (int k = 0; k < inputs_[p].size(); ++k) inputs_[p][k] = Y_[sources_[p][k]];
      subsystems_[p]->set_input_at_start(inputs_[p]);
    }
  }
  for_each_subsystem([&](int p) { subsystems_[p]->guess(h, outputs_[p]); });
  for (int p = 0; p < n; ++p) Y_.segment(offsets_[p], outputs_[p].size()) = outputs_[p];
  return true;
}

/// The rows of a cut on the frames of one of its subsystems are what the other one has on its ghost.
const MatrixX& CoupledIntegrator::rows_on(const Cut& cut, int subsystem) const {
  const int other = cut.subsystem[0] == subsystem ? 1 : 0;
  return subsystems_[cut.subsystem[other]]->rows(cut.neighbour[other]);
}

bool CoupledIntegrator::renew_answers() {
  for_each_subsystem([&](int p) { is_known_[p] = subsystems_[p]->find_compliance(); });
  if (std::find(is_known_.begin(), is_known_.end(), char{0}) != is_known_.end()) return false;
  for (int p = 0; p < static_cast<int>(subsystems_.size()); ++p) answer(p);
  return true;
}

/// How the neighbours of a subsystem answer to it, all others holding on to them: with the cuts c, d that do
/// not touch it, A = A_j - P S^-1 Q, where S = sum over subsystems of G_c A G_d^T, P = A_j G_c^T, Q = G_c
/// A_j.
void CoupledIntegrator::answer(int viewer) {
  S_.setIdentity();
  const auto touches = [](const Cut& cut, int p) { return cut.subsystem[0] == p || cut.subsystem[1] == p; };
  const auto first = [&](const Cut& cut, int p) {
    return subsystems_[p]->first(cut.neighbour[cut.subsystem[0] == p ? 0 : 1]);
  };
  for (const Cut& c : cuts_)
    for (const Cut& d : cuts_) {
      if (touches(c, viewer) || touches(d, viewer)) continue;
      auto block = S_.block(c.first, d.first, c.rows, d.rows);
      block.setZero();
      for (const int p : c.subsystem)
        if (touches(d, p)) {
          const MatrixX &G_c = rows_on(c, p), &G_d = rows_on(d, p);
          block += G_c *
                   subsystems_[p]->compliance().block(first(c, p), first(d, p), G_c.cols(), G_d.cols()) *
                   G_d.transpose();
        }
    }
  S_.diagonal() *= 1 + 1e-9;  // redundant joints
  const Eigen::PartialPivLU<MatrixX> factor(S_);
  const auto& neighbours = subsystems_[viewer]->excerpt().neighbours;
  for (int n = 0; n < static_cast<int>(neighbours.size()); ++n) {
    const int j = neighbours[n].subsystem, facing = neighbour_number(*subsystems_[j], viewer);
    const int at = subsystems_[j]->first(facing), size = static_cast<int>(neighbours[n].ghost->free.size());
    P_.setZero(size, cut_rows_);
    Q_.setZero(cut_rows_, size);
    for (const Cut& c : cuts_)
      if (touches(c, j) && !touches(c, viewer)) {
        const MatrixX& G = rows_on(c, j);
        P_.middleCols(c.first, c.rows) =
            subsystems_[j]->compliance().block(at, first(c, j), size, G.cols()) * G.transpose();
        Q_.middleRows(c.first, c.rows) =
            G * subsystems_[j]->compliance().block(first(c, j), at, G.cols(), size);
      }
    A_ = subsystems_[j]->compliance().block(at, at, size, size);
    if (cut_rows_ > 0) A_ -= P_ * factor.solve(Q_);
    subsystems_[viewer]->set_mass(n, subsystems_[j]->set_answer(facing, A_));
  }
}

/// Each dof from the subsystem that owns it. What follows angles sees frames alone.
void CoupledIntegrator::gather(const State& from, double h) {
  trial_ = from;
  trial_.t += h;
  for (const auto& subsystem : subsystems_) subsystem->store(trial_, h);
  trial_.history[2 * system_.nv()] = h;
  system_.update(trial_, *workspace_);
  system_.accept(trial_, *workspace_);
}

std::string CoupledIntegrator::note() const {
  const Relaxation::Totals& totals = relaxation_->totals();
  if (totals.steps == 0) return {};
  double seconds = 0;
  for (const double each : totals.seconds) seconds += each;
  std::string text = formatted(
      "coupling: {:.2f} iterations a step, at most {}; the last one changed nothing by more than "
      "{:.1e};",
      relaxation_->iterations(), totals.most, totals.largest_change);
  for (std::size_t i = 0; i < subsystems_.size(); ++i)
    text += formatted("{} '{}' {:.0f} % of the time, {:.1f} Newton iterations or stages a step", i ? "," : "",
                      subsystems_[i]->name(), 100 * totals.seconds[i] / seconds,
                      static_cast<double>(totals.newton[i]) / static_cast<double>(totals.steps));
  if (const auto [what, share] = relaxation_->slowest(); share > 0)
    text += formatted("; slowest to settle: {} in {:.0f} % of the steps", what, 100 * share);
  return text;
}

}  // namespace hooke
