#include "hooke/fmi/cosimulation.h"

#include <algorithm>

#include "hooke/base/text.h"
#include "hooke/base/timer.h"
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/relaxation.h"
#include "hooke/fmi/members.h"
#include "hooke/io/document/document.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/results/results.h"

namespace hooke {
namespace {

/// Who is connected to whom, as the coupling wants it: all outputs in one list Y.
struct Wiring {
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::vector<int>> sources;  ///< of each member: where in Y its inputs are
  std::vector<int> offsets;

  Member& named(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& member : members) {
      if (member->name() == name) return *member;
      known.push_back(member->name());
    }
    throw Error(ExitCode::bad_model, formatted("no participant named '{}'{}", name, suggest(name, known)));
  }
  Member& find(const std::string& path, std::string& variable) const {
    const std::size_t dot = path.find('.');
    const std::string name = path.substr(0, dot);
    std::vector<std::string> known;
    for (const auto& member : members) {
      if (member->name() == name && dot != path.npos) return variable = path.substr(dot + 1), *member;
      known.push_back(member->name());
    }
    throw Error(ExitCode::bad_model, formatted("connections: '{}' is no variable PARTICIPANT.NAME of {}{}",
                                               path, list_words(known), suggest(name, known)));
  }
};

Wiring wire(const Cosimulation& file) {
  Wiring all;
  const std::string folder = std::filesystem::path(file.file).parent_path().string();
  for (const auto& [name, settings] : file.participants)
    all.members.push_back(make_member(name, settings, folder));
  struct Wire {
    Member *to, *from;
    int input, output;
  };
  std::vector<Wire> wires;
  for (const auto& [to, from] : file.connections) {
    try {
      std::string input, output;
      Member &target = all.find(to, input), &source = all.find(from, output);
      wires.push_back({&target, &source, target.place_of_input(input), source.place_of_output(output)});
    } catch (const Error& error) {
      throw Error(ExitCode::bad_model, formatted("{}: connections.{}: {}", file.file, to, error.what()));
    }
  }
  int offset = 0;
  for (const auto& member : all.members) {
    all.offsets.push_back(offset);
    offset += member->outputs();
    all.sources.emplace_back(static_cast<std::size_t>(member->inputs()), -1);
  }
  const auto number = [&](const Member* member) {
    return static_cast<std::size_t>(std::find_if(all.members.begin(), all.members.end(),
                                                 [&](const auto& m) { return m.get() == member; }) -
                                    all.members.begin());
  };
  for (const Wire& w : wires)
    all.sources[number(w.to)][static_cast<std::size_t>(w.input)] = all.offsets[number(w.from)] + w.output;
  all.offsets.push_back(offset);
  return all;
}

/// The coupling of a file with interfaces: on each side, the inputs and outputs of its interfaces in their order.
std::unique_ptr<ForceDisplacementCoupling> couple(const Cosimulation& file, const Wiring& wiring) {
  const ForceDisplacementSettings& settings = *file.coupling.force_displacement;
  std::vector<ForceDisplacementCoupling::Side> forced, displaced;
  const auto side = [](std::vector<ForceDisplacementCoupling::Side>& sides, Member& member, int interface) {
    for (auto& known : sides)
      if (known.participant == &member) return known.interfaces.push_back(interface);
    ForceDisplacementCoupling::Side made;
    made.participant = &member;
    made.interfaces = {interface};
    made.feels_rates = true;
    sides.push_back(std::move(made));
  };
  int number = 0;
  for (const auto& [name, at] : file.interfaces) {
    try {
      Member &R = wiring.named(at.between[0]), &F = wiring.named(at.between[1]);
      if (std::count(settings.displaced.begin(), settings.displaced.end(), F.name()) == 0 ||
          std::count(settings.displaced.begin(), settings.displaced.end(), R.name()) > 0)
        throw Error(ExitCode::bad_model,
                    "the second of 'between', and not the first, must be among "
                    "coupling.force-displacement.displaced");
      R.place_of_input(at.force[0]);
      F.place_of_output(at.force[1]);
      for (const auto* motion : {&at.position, &at.rate, &at.acceleration}) {
        R.place_of_output((*motion)[0]);
        F.place_of_input((*motion)[1]);
      }
      side(forced, R, number), side(displaced, F, number);
      ++number;
    } catch (const Error& error) {
      throw Error(ExitCode::bad_model, formatted("{}: interfaces.{}: {}", file.file, name, error.what()));
    }
  }
  return std::make_unique<ForceDisplacementCoupling>(
      std::vector<CouplingInterface>(static_cast<std::size_t>(number)), std::move(forced),
      std::move(displaced), settings);
}

/// All participants, coupled. Of a state, q has what is recorded.
class CosimulationStepper final : public Stepper {
 public:
  explicit CosimulationStepper(const Cosimulation& file)
      : wiring_(wire(file)), scheme_(file.coupling.scheme) {
    now_.t = file.run.start;
    if (file.coupling.force_displacement) coupling_ = couple(file, wiring_);
    for (const auto& member : wiring_.members) {
      if (!member->can_go_back()) cannot_go_back_.push_back(member->name());
      try {
        member->begin(now_.t);
      } catch (const Error& error) {
        throw Error(error.code(), formatted("participant '{}': {}", member->name(), error.what()));
      }
    }
    if (coupling_) {
      if (const std::string failure = coupling_->begin(now_.t); !failure.empty())
        throw Error(ExitCode::step_failed, failure);
      read();
      return;
    }
    const int size = wiring_.offsets.back();
    Y_.setZero(size);
    if (iterates() && size > 0) {
      std::vector<Participant*> all;
      for (const auto& member : wiring_.members) all.push_back(member.get());
      relaxation_ = std::make_unique<Relaxation>(all, wiring_.sources, VectorX::Ones(size), file.coupling);
    }
    settle_start(file.coupling);
    read();
  }

  double time() const override { return now_.t; }
  void set_time(double t) override { now_.t = t; }
  int order() const override { return 1; }
  void save() override { before_ = now_, before_Y_ = Y_; }
  void restore() override {
    if (coupling_)
      coupling_->restore();
    else
      for (const auto& member : wiring_.members) member->restore();
    now_ = before_, Y_ = before_Y_;
  }

  StepReport step(double h) override {
    StepReport report = coupling_ ? extrapolate(h) : relaxation_ ? iterate(h) : exchange_once(h);
    if (!report.accepted) return report;
    if (!Y_.allFinite() || (Y_.size() > 0 && Y_.cwiseAbs().maxCoeff() > 1e100))
      throw Error(ExitCode::step_failed,
                  "exchanged values grow without bound: the coupling is unstable; take a smaller "
                  "run.step, or participants that can be taken back");
    now_.t += h;
    read();
    return report;
  }
  const State& state(double t) override {
    if (t == now_.t) return now_;
    const double s = (t - before_.t) / (now_.t - before_.t);
    between_.t = t;
    between_.q = (1 - s) * before_.q + s * now_.q;
    return between_;
  }

  RecordedItems items() const {
    RecordedItems items;
    for (const auto& member : wiring_.members)
      for (const Member::Recorded& r : member->recorded())
        items.signals.push_back({member->name() + '.' + r.name, r.unit});
    return items;
  }
  bool iterates() const { return cannot_go_back_.empty(); }
  const std::vector<std::string>& cannot_go_back() const { return cannot_go_back_; }
  const Relaxation* relaxation() const { return relaxation_.get(); }

 private:
  void tell(std::size_t i, const VectorX& Y) {
    VectorX u(wiring_.members[i]->inputs());
    for (Eigen::Index k = 0; k < u.size(); ++k) u[k] = Y[wiring_.sources[i][static_cast<std::size_t>(k)]];
    wiring_.members[i]->set_input(u);
  }
  void hear(std::size_t i, VectorX& Y) {
    VectorX y;
    wiring_.members[i]->output(y);
    Y.segment(wiring_.offsets[i], y.size()) = y;
  }

  /// Outputs at the start that agree with each other: evaluated in turn until they do.
  void settle_start(const CouplingSettings& settings) {
    for (std::size_t i = 0; i < wiring_.members.size(); ++i) hear(i, Y_);
    for (int pass = 0; pass < settings.iterations; ++pass) {
      const VectorX last = Y_;
      for (std::size_t i = 0; i < wiring_.members.size(); ++i) {
        tell(i, Y_);
        if (const auto report = wiring_.members[i]->advance(0); !report.failure.empty())
          throw Error(ExitCode::not_assembled, report.failure);
        hear(i, Y_);
      }
      if (Y_.size() == 0 || (Y_ - last).cwiseAbs().maxCoeff() <= settings.tolerance) return;
    }
  }

  StepReport extrapolate(double h) {
    const Participant::Report made = coupling_->step(h);
    if (!made.failure.empty()) return {.failure = made.failure};
    Y_ = coupling_->motions();
    return {.accepted = true};
  }

  StepReport iterate(double h) {
    const Relaxation::Report& made = relaxation_->step(Y_, h);
    if (made.converged) return {.accepted = true, .iterations = made.iterations};
    return {.failure = made.failure};
  }

  /// Gauss and Seidel's order or Jacobi's, without a second look.
  StepReport exchange_once(double h) {
    const VectorX told = Y_;
    for (std::size_t i = 0; i < wiring_.members.size(); ++i) {
      wiring_.members[i]->save();
      tell(i, scheme_ == CouplingScheme::jacobi ? told : Y_);
      if (const auto report = wiring_.members[i]->advance(h); !report.failure.empty())
        throw Error(ExitCode::step_failed, report.failure);
      hear(i, Y_);
    }
    return {.accepted = true, .iterations = 1};
  }

  void read() {
    std::size_t count = 0;
    for (const auto& member : wiring_.members) count += member->recorded().size();
    now_.q.resize(static_cast<Eigen::Index>(count));
    double* at = now_.q.data();
    for (const auto& member : wiring_.members) {
      member->record(at);
      at += member->recorded().size();
    }
  }

  Wiring wiring_;
  CouplingScheme scheme_;
  std::unique_ptr<Relaxation> relaxation_;
  std::unique_ptr<ForceDisplacementCoupling> coupling_;
  std::vector<std::string> cannot_go_back_;
  VectorX Y_, before_Y_;
  State now_, before_, between_;
};

void march(CosimulationStepper& stepper, const Cosimulation& file, const RunOptions& options,
           ResultsWriter* writer, Summary& summary) {
  March march({.end = file.run.end, .step = file.run.step, .output_every = file.outputs.every});
  bool stopped = false;
  march.on_output = [&](const State& state) {
    ++summary.frames;
    Record record;
    record.t = state.t;
    record.signals.assign(state.q.begin(), state.q.end());
    if (writer) writer->write(record);
  };
  march.on_step = [&](const StepRecord& step) {
    if (writer) writer->write(step);
    if (options.progress) options.progress({step.t, file.run.end, step.h, march.totals().steps});
  };
  march.cancelled = [&] { return stopped = options.cancelled && options.cancelled(); };
  try {
    march.run(stepper);
    if (stopped) summary.status = RunStatus::interrupted, summary.code = ExitCode::interrupted;
  } catch (const Error& error) {
    if (error.code() != ExitCode::step_failed) throw;
    summary.status = RunStatus::failed;
    summary.code = error.code();
    summary.failure = error.what();
  }
  summary.totals = march.totals();
  summary.end = stepper.time();
}

}  // namespace

std::optional<Cosimulation> read_cosimulation(const std::string& path,
                                              const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const std::string text = read_text_file(path);
  const Document document = parse_document(text, path, overrides, diagnostics);
  const Value* participants = document.root().find("participants");
  if (!participants) return {};
  Cosimulation file;
  Reader(diagnostics).read_structure(document.root(), type_of<Cosimulation>(), &file, {"parameters"});
  check_names(participants, diagnostics);
  if (file.coupling.force_displacement.has_value() == file.interfaces.empty())
    diagnostics.error(participants->location(), "interfaces",
                      "go with coupling.force-displacement, and it with them");
  if (!file.interfaces.empty() && !file.connections.empty())
    diagnostics.error(participants->location(), "connections", "and interfaces exclude each other");
  diagnostics.throw_if_errors();
  file.file = path;
  file.text = text;
  return file;
}

std::vector<std::vector<std::string>> describe_participants(const Cosimulation& file) {
  const Wiring all = wire(file);
  std::vector<std::vector<std::string>> rows{{"participant", "is", "inputs", "outputs", "can be taken back"}};
  for (const auto& member : all.members) {
    const ParticipantSettings& settings = *file.participants.find(member->name());
    rows.push_back({member->name(), settings.fmu.empty() ? settings.model : settings.fmu,
                    std::to_string(member->inputs()), std::to_string(member->outputs()),
                    member->can_go_back() ? "yes" : "no"});
  }
  return rows;
}

Summary run(const Cosimulation& file, const RunOptions& options) {
  CosimulationStepper stepper(file);
  Summary summary;
  summary.start = file.run.start;
  const bool has_interfaces = file.coupling.force_displacement.has_value();
  summary.integrator = has_interfaces       ? "force-displacement"
                       : stepper.iterates() ? "relaxed co-simulation"
                                            : "co-simulation";
  summary.solver = "of the participants";
  for (const std::string& name : stepper.cannot_go_back())
    summary.warnings.push_back(
        formatted("participant '{}' cannot be taken back: values are exchanged once in a macro step, which "
                  "is accurate to "
                  "first order and stable only for small steps",
                  name));
  std::unique_ptr<ResultsWriter> writer;
  if (!options.results.empty()) {
    writer = std::make_unique<ResultsWriter>(
        options.results, stepper.items(),
        ResultsInfo{
            .title = file.title,
            .model_text = file.text,
            .integrator = summary.integrator,
            .solver = summary.solver,
            .version = HOOKE_VERSION,
            .facts = {{"participants", std::to_string(file.participants.size())},
                      {"connections", std::to_string(file.connections.size() + file.interfaces.size())}},
            .warnings = summary.warnings});
    summary.results = options.results;
  }
  const Timer timer;
  march(stepper, file, options, writer.get(), summary);
  summary.wall_time = timer.seconds();
  if (const Relaxation* relaxation = stepper.relaxation())
    summary.notes.push_back(formatted("coupling: {:.3g} iterations a macro step", relaxation->iterations()));
  if (writer) writer->finish(to_word(summary.status), summary.failure, summary.notes, summary.warnings);
  return summary;
}

}  // namespace hooke
