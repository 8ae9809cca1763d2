#include "hooke/simulation/linear_run.h"

#include <Eigen/Cholesky>

#include "hooke/base/timer.h"
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/io/results/results.h"
#include "hooke/simulation/coupling_stability.h"

namespace hooke {
namespace {

VectorX both(const VectorX& a, const VectorX& b) { return (VectorX(a.size() + b.size()) << a, b).finished(); }

/// The rates among positions, velocities and accelerations of m motions.
std::vector<int> rates_among(int m) {
  std::vector<int> rate_of(static_cast<std::size_t>(3 * m), -1);
  for (int i = 0; i < m; ++i) rate_of[static_cast<std::size_t>(m + i)] = i;
  return rate_of;
}

/// A subsystem in the run, and how its coordinates follow from its state.
class Runner {
 public:
  Runner(const LinearSubsystem& subsystem, const LinearPart& part, bool is_displaced)
      : subsystem_(subsystem), is_displaced_(is_displaced) {
    VectorX start = subsystem.state;
    if (!subsystem.system && is_displaced) {
      const DisplacedPart displaced = displaced_part(displaced_matrices(subsystem));
      P_ = displaced.P, Q_ = displaced.Q;
      const Eigen::LLT<MatrixX> mass(P_.transpose() * subsystem.mass * P_);
      start = both(mass.solve(P_.transpose() * subsystem.mass * subsystem.position),
                   mass.solve(P_.transpose() * subsystem.mass * subsystem.velocity));
    } else if (!subsystem.system) {
      start = both(subsystem.position, subsystem.velocity);
    }
    const int m = static_cast<int>(is_displaced ? part.C.rows() : part.B.cols());
    participant_ = std::make_unique<LinearParticipant>(subsystem.name, part, start,
                                                       is_displaced ? rates_among(m) : std::vector<int>{});
  }

  LinearParticipant& participant() { return *participant_; }
  int size() const {
    return static_cast<int>(subsystem_.system ? subsystem_.system->A.rows() : subsystem_.mass.rows());
  }

  BuiltJoint names() const {
    BuiltJoint result{subsystem_.name, "linear", -1, {-1, -1}, {}};
    for (int k = 1; k <= size(); ++k)
      result.coordinates.push_back({formatted("{}{}", subsystem_.system ? 'x' : 'z', k), -1, false});
    return result;
  }

  Record::Joint record(const VectorX& motions, const VectorX& forces) const {
    const VectorX& x = participant_->state();
    VectorX value = x, rate;
    if (subsystem_.system) {
      rate = subsystem_.system->A * x + subsystem_.system->B * (is_displaced_ ? motions : forces);
    } else if (is_displaced_) {
      const auto m = Q_.cols(), f = P_.cols();
      value = P_ * x.head(f) - Q_ * motions.head(m);
      rate = P_ * x.tail(f) - Q_ * motions.segment(m, m);
    } else {
      value = x.head(size()), rate = x.tail(size());
    }
    Record::Joint joint{{value.begin(), value.end()}, {rate.begin(), rate.end()}, Vec6::Zero()};
    const auto shown = std::min<Eigen::Index>(6, forces.size());
    if (is_displaced_) joint.reaction.head(shown) = forces.head(shown);
    return joint;
  }

 private:
  const LinearSubsystem& subsystem_;
  bool is_displaced_;
  MatrixX P_, Q_;
  std::unique_ptr<LinearParticipant> participant_;
};

}  // namespace

std::string stability_warning(const LinearModel& model) {
  return sentence_about(judge(model.parts(model.settings.displaced), model.settings, {model.step}),
                        model.step);
}

Summary run(const LinearModel& model, const RunOptions& options) {
  const auto& names = model.settings.displaced;
  const LinearParts parts = model.parts(names);
  Runner forced(model.forced(names), parts.forced, false),
      displaced(model.displaced(names), parts.displaced, true);
  const int m = static_cast<int>(parts.forced.B.cols());
  ForceDisplacementCoupling coupling({{m, m}}, {{&forced.participant(), {0}}},
                                     {{&displaced.participant(), {0}, [&] { return parts.joint_mass; }}},
                                     model.settings);
  Summary summary;
  summary.integrator = "force-displacement";
  summary.solver = "exact";
  summary.degrees_of_freedom = summary.coordinates = forced.size() + displaced.size();
  if (std::string warning = stability_warning(model); !warning.empty())
    summary.warnings.push_back(std::move(warning));

  BuiltModel built{std::make_unique<System>()};
  built.joints = {forced.names(), displaced.names()};
  std::unique_ptr<ResultsWriter> writer;
  if (!options.results.empty()) {
    writer = std::make_unique<ResultsWriter>(
        options.results, built,
        ResultsInfo{model.title,
                    model.text,
                    summary.integrator,
                    summary.solver,
                    HOOKE_VERSION,
                    {{"subsystems", "2"}, {"coordinates", std::to_string(summary.coordinates)}},
                    {},
                    summary.warnings,
                    {}});
    summary.results = options.results;
  }
  const auto record = [&] {
    ++summary.frames;
    if (!writer) return;
    Record now;
    now.t = coupling.time();
    for (const Runner* each : {&forced, &displaced})
      now.joints.push_back(each->record(coupling.motions(), coupling.reactions()));
    writer->write(now);
  };

  const Timer timer;
  summary.failure = coupling.begin(0);
  if (summary.failure.empty()) record();
  double next = model.every;
  for (long k = 1; summary.failure.empty() && coupling.time() < model.end * (1 - 1e-12); ++k) {
    const double h = std::min(static_cast<double>(k) * model.step, model.end) - coupling.time();
    summary.failure = coupling.step(h).failure;
    if (!summary.failure.empty()) break;
    ++summary.totals.steps;
    if (coupling.time() >= next - 1e-9 * h || coupling.time() >= model.end * (1 - 1e-12)) {
      record();
      next = std::max(next + model.every, coupling.time() + (model.every > 0 ? 1e-9 * h : 0));
    }
    if (writer) writer->write(StepRecord{coupling.time(), h, 0, 0, 0, 0});
    if (options.progress) options.progress({coupling.time(), model.end, h, summary.totals.steps});
    if (options.cancelled && options.cancelled()) {
      summary.status = "interrupted";
      break;
    }
    if (!(coupling.motions().cwiseAbs().maxCoeff() < 1e100))
      summary.failure = "motions grow without bound: the coupling is unstable, see 'hooke stability'";
  }
  summary.wall_time = timer.seconds();
  summary.end = coupling.time();
  if (!summary.failure.empty()) summary.status = "failed";
  summary.notes.push_back(formatted(
      "coupling: extrapolation left joints open by at most {:.2g} before each exchange", coupling.gap()));
  if (writer) writer->finish(summary.status, summary.failure);
  return summary;
}

}  // namespace hooke
