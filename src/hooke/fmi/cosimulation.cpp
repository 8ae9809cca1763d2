#include "hooke/fmi/cosimulation.h"

#include <algorithm>
#include <functional>

#include "hooke/base/text.h"
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/relaxation.h"
#include "hooke/fmi/members.h"
#include "hooke/io/document/document.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/text_file.h"
#include "hooke/simulation/stepper_run.h"

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
    all.members.push_back(make_member(name, settings, folder, file));
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

/// Who is forced and who displaced: on each side, the inputs and outputs of its interfaces in their order.
struct Sides {
  std::vector<ForceDisplacementCoupling::Side> forced, displaced;
  int interfaces = 0;
};

/// Forces and motions of an interface by its variables, whichever way it names them.
InterfaceSettings by_variables(InterfaceSettings at, const Member& R, const Member& F) {
  if (at.terminals[0].empty()) return at;
  const auto pair = [&](const char* member) -> std::array<std::string, 2> {
    return {R.terminal_variable(at.terminals[0], member), F.terminal_variable(at.terminals[1], member)};
  };
  at.force = pair("force");
  if (at.force[0].empty()) at.force = pair("torque");
  at.position = pair("position"), at.rate = pair("rate"), at.acceleration = pair("acceleration");
  for (const auto& [member, found] : {std::pair{"force or torque", &at.force},
                                      {"position", &at.position},
                                      {"rate", &at.rate},
                                      {"acceleration", &at.acceleration}})
    for (std::size_t k = 0; k < 2; ++k)
      if ((*found)[k].empty())
        throw Error(ExitCode::bad_model, formatted("terminal '{}' has no {}", at.terminals[k], member));
  return at;
}

Sides sides_of(const Cosimulation& file, const Wiring& wiring) {
  const ForceDisplacementSettings& settings = *file.coupling.force_displacement;
  Sides all;
  const auto add = [&](std::vector<ForceDisplacementCoupling::Side>& sides, Member& member) {
    for (auto& known : sides)
      if (known.participant == &member) return known.interfaces.push_back(all.interfaces);
    ForceDisplacementCoupling::Side made;
    made.participant = &member;
    made.interfaces = {all.interfaces};
    made.feels_rates = true;
    sides.push_back(std::move(made));
  };
  for (const auto& [name, given] : file.interfaces) {
    try {
      Member &R = wiring.named(given.between[0]), &F = wiring.named(given.between[1]);
      const InterfaceSettings at = by_variables(given, R, F);
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
      add(all.forced, R), add(all.displaced, F);
      ++all.interfaces;
    } catch (const Error& error) {
      throw Error(ExitCode::bad_model, formatted("{}: interfaces.{}: {}", file.file, name, error.what()));
    }
  }
  return all;
}

std::unique_ptr<ForceDisplacementCoupling> couple(const Cosimulation& file, const Wiring& wiring) {
  Sides sides = sides_of(file, wiring);
  return std::make_unique<ForceDisplacementCoupling>(
      std::vector<CouplingInterface>(static_cast<std::size_t>(sides.interfaces)), std::move(sides.forced),
      std::move(sides.displaced), *file.coupling.force_displacement);
}

/// One side's participants as one system: forces by interface, motions with positions first, then rates, then accelerations.
StateSpace joined(const std::vector<ForceDisplacementCoupling::Side>& sides, int interfaces, bool is_forced,
                  double h) {
  std::vector<StateSpace> parts;
  Eigen::Index n = 0;
  for (const auto& side : sides) {
    parts.push_back(static_cast<Member*>(side.participant)->linearise(h));
    n += parts.back().A.rows();
  }
  const int m = interfaces, inputs = is_forced ? m : 3 * m, outputs = is_forced ? 3 * m : m;
  StateSpace all{MatrixX::Zero(n, n), MatrixX::Zero(n, inputs), MatrixX::Zero(outputs, n),
                 MatrixX::Zero(outputs, inputs)};
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    std::vector<int> forces, motions;
    for (const int interface : sides[i].interfaces) {
      forces.push_back(interface);
      for (int kind = 0; kind < 3; ++kind) motions.push_back(kind * m + interface);
    }
    const auto &in = is_forced ? forces : motions, &out = is_forced ? motions : forces;
    const auto states = Eigen::seqN(first, parts[i].A.rows());
    all.A(states, states) = parts[i].A;
    all.B(states, in) = parts[i].B;
    all.C(out, states) = parts[i].C;
    all.D(out, in) = parts[i].D;
    first += parts[i].A.rows();
  }
  return all;
}

/// Outputs that depend on themselves at once, through inputs and outputs of several participants: the first circle of them, in
/// words; empty: there is none.
std::string algebraic_loop(const Wiring& wiring) {
  const auto count = static_cast<std::size_t>(wiring.offsets.back());
  std::vector<std::vector<int>> uses(count);  // of each entry of Y: those it depends on at once
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < wiring.members.size(); ++i) {
    const Member& member = *wiring.members[i];
    for (int output = 0; output < member.outputs(); ++output) {
      const auto at = static_cast<std::size_t>(wiring.offsets[i] + output);
      names[at] = member.name() + '.' + member.output_name(output);
      for (int input = 0; input < member.inputs(); ++input)
        if (const int source = wiring.sources[i][static_cast<std::size_t>(input)];
            source >= 0 && member.passes_through(input, output))
          uses[at].push_back(source);
    }
  }
  enum { unseen, open, done };
  std::vector<char> seen(count, unseen);
  std::vector<int> path;
  const std::function<bool(int)> closes = [&](int at) {
    path.push_back(at);
    seen[static_cast<std::size_t>(at)] = open;
    for (const int next : uses[static_cast<std::size_t>(at)]) {
      if (seen[static_cast<std::size_t>(next)] == open) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), next));
        return true;
      }
      if (seen[static_cast<std::size_t>(next)] == unseen && closes(next)) return true;
    }
    seen[static_cast<std::size_t>(at)] = done;
    path.pop_back();
    return false;
  };
  for (std::size_t at = 0; at < count; ++at) {
    if (seen[at] != unseen || !closes(static_cast<int>(at))) continue;
    std::string words = names[static_cast<std::size_t>(path.front())];
    for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
      words += " -> " + names[static_cast<std::size_t>(*entry)];
    return words;
  }
  return "";
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
    if (!iterates())
      for (const auto& member : wiring_.members) member->exchange_once();
    settle_start(file.coupling);
    read();
  }

  double time() const override { return now_.t; }
  void set_time(double t) override { now_.t = t; }
  int order() const override { return 1; }
  void save() override {
    before_ = now_, before_Y_ = Y_;
    if (relaxation_) return;
    if (!coupling_)
      for (const auto& member : wiring_.members) member->save();
  }
  void keep() override {
    if (!relaxation_) return;
    slope_ = (Y_ - before_Y_) / (now_.t - before_.t);
    last_h_ = now_.t - before_.t;
  }
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
    if (relaxation_) report.error = line_error(h);
    if (!Y_.allFinite() || (Y_.size() > 0 && Y_.cwiseAbs().maxCoeff() > 1e100))
      throw Error(ExitCode::step_failed,
                  "exchanged values grow without bound: the coupling is unstable; take a smaller "
                  "run.step, or participants that can be taken back");
    now_.t += h;
    read();
    return report;
  }
  bool happen() override { return end().empty(); }
  /// Of the participant that asked for the end of the run.
  std::string end() const {
    for (const auto& member : wiring_.members)
      if (!member->end().empty()) return member->end();
    return "";
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
  std::string loop() const { return coupling_ ? "" : algebraic_loop(wiring_); }
  static Record record(const State& state) {
    Record record;
    record.t = state.t;
    record.signals.assign(state.q.begin(), state.q.end());
    return record;
  }

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

  /// Between macro points inputs go along lines. How far they are off, h^2 u''/8, shows in how far outputs are from where the
  /// last two points lead, h (h + last h) u''/2.
  double line_error(double h) const {
    if (last_h_ == 0 || Y_.size() == 0) return 0;  // the first step is as long as the file says
    return (Y_ - before_Y_ - h * slope_).cwiseAbs().maxCoeff() * h / (4 * (h + last_h_));
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
  VectorX slope_;      ///< of Y over the last macro step
  double last_h_ = 0;  ///< 0: there was none
  State now_, before_, between_;
};

/// In a file that has a model as well, `run` has keys for that, which the participant takes from it.
Value without_keys_of_model(Value root) {
  if (Value* run = root.find("run")) {
    const std::vector<std::string> known{"start", "step", "end", "tolerance"};
    std::erase_if(run->children, [&](const Value& entry) {
      return std::find(known.begin(), known.end(), entry.key) == known.end();
    });
  }
  const std::vector<std::string> known{"hooke",      "title",    "participants", "connections",
                                       "interfaces", "coupling", "run",          "outputs"};
  std::erase_if(root.children, [&](const Value& entry) {
    return std::find(known.begin(), known.end(), entry.key) == known.end();
  });
  return root;
}

bool has_model(const Value& participants) {
  return std::any_of(participants.children.begin(), participants.children.end(), [](const Value& one) {
    const Value* model = one.find("model");
    return model && model->text == ParticipantSettings::this_file;
  });
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
  const Value root = has_model(*participants) ? without_keys_of_model(document.root()) : document.root();
  Reader(diagnostics).read_structure(root, type_of<Cosimulation>(), &file, {"parameters"});
  check_names(participants, diagnostics);
  if (file.coupling.scheme == CouplingScheme::multirate)
    diagnostics.error(
        participants->location(), "coupling.scheme",
        "multirate couples subsystems of a model, not participants: take gauss-seidel or jacobi");
  if (file.coupling.force_displacement.has_value() == file.interfaces.empty())
    diagnostics.error(participants->location(), "interfaces",
                      "go with coupling.force-displacement, and it with them");
  if (!file.interfaces.empty() && !file.connections.empty())
    diagnostics.error(participants->location(), "connections", "and interfaces exclude each other");
  if (file.coupling.force_displacement && file.coupling.force_displacement->advised)
    diagnostics.error(participants->location(), "coupling.force-displacement.advised",
                      "goes with subsystems of a model, not with participants: leave it out");
  if (file.run.tolerance && !file.interfaces.empty())
    diagnostics.error(participants->location(), "run.tolerance",
                      "macro steps with interfaces do not adapt: leave it out");
  diagnostics.throw_if_errors();
  file.file = path;
  file.text = text;
  file.overrides = overrides;
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

LinearPair linearise(const Cosimulation& file) {
  if (file.interfaces.empty())
    throw Error(ExitCode::bad_model,
                formatted("{}: has no interfaces, where motions and forces are exchanged", file.file));
  const Wiring wiring = wire(file);
  const Sides sides = sides_of(file, wiring);
  for (const auto& member : wiring.members) member->begin(file.run.start);
  const double h = file.run.step / 4;
  LinearPair pair{joined(sides.forced, sides.interfaces, true, h),
                  joined(sides.displaced, sides.interfaces, false, h),
                  {}};
  pair.joint_mass = -pair.displaced.D.rightCols(sides.interfaces);  // what they show when they are asked
  return pair;
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
  if (file.run.tolerance && !stepper.iterates())
    throw Error(
        ExitCode::bad_model,
        formatted("{}: run.tolerance: a macro step that was too long must be taken back, which {} cannot",
                  file.file, list_words(stepper.cannot_go_back())));
  if (const std::string loop = stepper.loop(); !loop.empty()) {
    const std::string words = "algebraic loop: " + loop;
    if (stepper.iterates())
      summary.notes.push_back(words + ", solved by the iteration of macro steps");
    else
      summary.warnings.push_back(words + ", which one exchange a macro step leaves open");
  }
  run_stepper(stepper,
              {.march = {.end = file.run.end,
                         .step = file.run.step,
                         .tolerance = file.run.tolerance,
                         .output_every = file.outputs.every},
               .items = stepper.items(),
               .title = file.title,
               .text = file.text,
               .facts = {{"participants", std::to_string(file.participants.size())},
                         {"connections", std::to_string(file.connections.size() + file.interfaces.size())}},
               .record = CosimulationStepper::record,
               .end =
                   [&](Summary& all) {
                     if (const std::string end = stepper.end(); !end.empty()) all.notes.push_back(end);
                     if (const Relaxation* relaxation = stepper.relaxation())
                       all.notes.push_back(
                           formatted("coupling: {:.3g} iterations a macro step", relaxation->iterations()));
                   }},
              options, summary);
  return summary;
}

}  // namespace hooke
