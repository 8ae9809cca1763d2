#include "hooke/simulation/linear_run.h"

#include <Eigen/Cholesky>
#include <filesystem>

#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/simulation/checkpoints.h"
#include "hooke/simulation/coupling_stability.h"
#include "hooke/simulation/stepper_run.h"

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
class LinearMember {
 public:
  LinearMember(const LinearSubsystem& subsystem, const StateSpace& system, bool is_displaced)
      : subsystem_(subsystem), is_displaced_(is_displaced) {
    VectorX start = subsystem.state;
    if (!subsystem.system && is_displaced) {
      const DisplacedStateSpace displaced = displaced_state_space(displaced_matrices(subsystem));
      P_ = displaced.P, Q_ = displaced.Q;
      const Eigen::LLT<MatrixX> mass(P_.transpose() * subsystem.mass * P_);
      start = both(mass.solve(P_.transpose() * subsystem.mass * subsystem.position),
                   mass.solve(P_.transpose() * subsystem.mass * subsystem.velocity));
    } else if (!subsystem.system) {
      start = both(subsystem.position, subsystem.velocity);
    }
    const int m = static_cast<int>(is_displaced ? system.C.rows() : system.B.cols());
    participant_ = std::make_unique<LinearParticipant>(subsystem.name, system, start,
                                                       is_displaced ? rates_among(m) : std::vector<int>{});
  }

  LinearParticipant& participant() { return *participant_; }
  int size() const {
    return static_cast<int>(subsystem_.system ? subsystem_.system->A.rows() : subsystem_.mass.rows());
  }

  RecordedItems::Joint names() const {
    RecordedItems::Joint result{subsystem_.name, "linear", {}};
    for (int k = 1; k <= size(); ++k)
      result.coordinates.push_back({formatted("{}{}", subsystem_.system ? 'x' : 'z', k)});
    return result;
  }

  /// Where its coordinates are and how they move, with these values at the interface.
  void read(const VectorX& motions, const VectorX& forces, Eigen::Ref<VectorX> value,
            Eigen::Ref<VectorX> rate) const {
    const VectorX& x = participant_->state();
    if (subsystem_.system) {
      value = x;
      rate = subsystem_.system->A * x + subsystem_.system->B * (is_displaced_ ? motions : forces);
    } else if (is_displaced_) {
      const auto m = Q_.cols(), f = P_.cols();
      value = P_ * x.head(f) - Q_ * motions.head(m);
      rate = P_ * x.tail(f) - Q_ * motions.segment(m, m);
    } else {
      value = x.head(size()), rate = x.tail(size());
    }
  }

 private:
  const LinearSubsystem& subsystem_;
  bool is_displaced_;
  MatrixX P_, Q_;
  std::unique_ptr<LinearParticipant> participant_;
};

/// Both, coupled. Of a state, q has the coordinates of one after those of the other, v their rates, lambda
/// the forces on the one that is not displaced.
class LinearStepper final : public Stepper {
 public:
  LinearStepper(const LinearModel& model, const LinearPair& pair)
      : forced_(model.forced(model.settings.displaced), pair.forced, false),
        displaced_(model.displaced(model.settings.displaced), pair.displaced, true),
        coupling_({{static_cast<int>(pair.forced.B.cols()), static_cast<int>(pair.forced.B.cols())}},
                  {{&forced_.participant(), {0}}},
                  {{&displaced_.participant(), {0}, [mass = pair.joint_mass] { return mass; }}},
                  model.settings) {
    now_.q.setZero(forced_.size() + displaced_.size());
    now_.v = now_.q;
    if (const std::string failure = coupling_.begin(0); !failure.empty())
      throw Error(ExitCode::step_failed, failure);
    read();
  }

  double time() const override { return now_.t; }
  void set_time(double t) override { now_.t = t; }
  int order() const override { return 1; }
  void save() override { before_ = now_; }
  void restore() override {
    coupling_.restore();
    now_ = before_;
  }
  StepReport step(double h) override {
    const Participant::Report made = coupling_.step(now_.t + h - coupling_.time());
    if (!made.failure.empty()) return {.failure = made.failure};
    if (!(coupling_.motions().cwiseAbs().maxCoeff() < 1e100))
      throw Error(ExitCode::step_failed,
                  "motions grow without bound: the coupling is unstable, see 'hooke stability'");
    read();
    return {.accepted = true};
  }
  /// In between, coordinates follow the cubic through values and rates at both ends, all else a line.
  const State& state(double t) override {
    if (t == now_.t) return now_;
    const double h = now_.t - before_.t, s = (t - before_.t) / h;
    const double a = s * s * (3 - 2 * s), b = h * s * (1 - s) * (1 - s), c = h * s * s * (s - 1);
    between_.t = t;
    between_.q = (1 - a) * before_.q + a * now_.q + b * before_.v + c * now_.v;
    between_.v = (1 - s) * before_.v + s * now_.v;
    between_.lambda = (1 - s) * before_.lambda + s * now_.lambda;
    return between_;
  }

  RecordedItems items() const {
    RecordedItems items;
    items.joints = {forced_.names(), displaced_.names()};
    return items;
  }
  Record record(const State& state) const {
    Record record;
    record.t = state.t;
    Vec6 force = Vec6::Zero();
    const auto shown = std::min<Eigen::Index>(6, state.lambda.size());
    force.head(shown) = state.lambda.head(shown);
    const auto add = [&](const auto& q, const auto& v, const Vec6& reaction) {
      record.joints.push_back({{q.begin(), q.end()}, {v.begin(), v.end()}, reaction});
    };
    add(state.q.head(forced_.size()), state.v.head(forced_.size()), Vec6::Zero());
    add(state.q.tail(displaced_.size()), state.v.tail(displaced_.size()), force);
    return record;
  }
  double gap() const { return coupling_.gap(); }
  /// What the further steps depend on.
  void archive(Archive& a) { a(now_, coupling_, forced_.participant(), displaced_.participant()); }

 private:
  void read() {
    const VectorX &motions = coupling_.motions(), &forces = coupling_.reactions();
    const int n = forced_.size(), m = displaced_.size();
    now_.t = coupling_.time();
    forced_.read(motions, forces, now_.q.head(n), now_.v.head(n));
    displaced_.read(motions, forces, now_.q.tail(m), now_.v.tail(m));
    now_.lambda = forces;
  }

  LinearMember forced_, displaced_;
  ForceDisplacementCoupling coupling_;
  State now_, before_, between_;
};

/// Of a model, but for the end, which a continued run may change.
void describe(const LinearModel& model, Checkpoint& checkpoint) {
  checkpoint.text = model.text;
  checkpoint.file = model.file.empty() ? "" : std::filesystem::absolute(model.file).string();
  checkpoint.overrides = model.overrides;
  std::erase_if(checkpoint.overrides, [](const std::string& each) { return each.starts_with("run.end="); });
  checkpoint.end = model.end;
}

void check_fits(const Checkpoint& checkpoint, const LinearModel& model) {
  Checkpoint own;
  describe(model, own);
  if (own.text != checkpoint.text || own.overrides != checkpoint.overrides)
    throw Error(ExitCode::bad_model,
                "the model is not that of the checkpoint: its file, or what --set changes in it, is "
                "another\nRun it anew, without --continue.");
}

}  // namespace

std::optional<LinearModel> continued_linear_model(const std::string& results) {
  const Checkpoint checkpoint = read_checkpoint(checkpoint_path(results));
  if (checkpoint.text.empty()) return {};
  auto model = parse_linear_model(checkpoint.text, checkpoint.file, checkpoint.overrides);
  if (model) model->end = checkpoint.end;
  return model;
}

std::string stability_warning(const LinearModel& model) {
  if (model.settings.corrections > 0) return {};  // it is about macro steps that are not repeated
  return sentence_about(judge(model.pair(model.settings.displaced), model.settings, {model.step}),
                        model.step);
}

Summary run(const LinearModel& model, const RunOptions& options) {
  LinearStepper stepper(model, model.pair(model.settings.displaced));
  Summary summary;
  summary.integrator = "force-displacement";
  summary.solver = "exact";
  summary.degrees_of_freedom = summary.coordinates = static_cast<int>(stepper.state(0).q.size());
  if (std::string warning = stability_warning(model); !warning.empty())
    summary.warnings.push_back(std::move(warning));
  Checkpoints checkpoints(options, model.checkpoint, summary,
                          [&](Checkpoint& checkpoint) { describe(model, checkpoint); });
  if (options.is_continued)
    checkpoints.go_on(model.end, [&](const Checkpoint& from) { check_fits(from, model); });
  const Checkpoint* from = checkpoints.from();
  const Resumable resumable{checkpoints, from ? from->run : new_run_mark(),
                            [&](Archive& a) { stepper.archive(a); }};

  run_stepper(stepper,
              {.march = {.end = model.end, .step = model.step, .output_every = model.every},
               .items = stepper.items(),
               .title = model.title,
               .text = model.text,
               .facts = {{"subsystems", "2"}, {"coordinates", std::to_string(summary.coordinates)}},
               .record = [&](const State& state) { return stepper.record(state); },
               .end =
                   [&](Summary& all) {
                     all.notes.push_back(formatted(
                         "coupling: extrapolation left joints open by at most {:.2g} before each exchange",
                         stepper.gap()));
                   },
               .resumable = &resumable},
              options, summary);
  return summary;
}

}  // namespace hooke
