#include "hooke/fmi/members.h"

#include <algorithm>
#include <cmath>

#include "hooke/base/text.h"
#include "hooke/coupling/realisation.h"
#include "hooke/fmi/observable.h"

namespace hooke {
namespace {

constexpr std::size_t most_recorded = 1000;

int place_among(std::vector<std::string>& names, const std::string& wanted, auto&& add) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  add();
  names.push_back(wanted);
  return static_cast<int>(names.size()) - 1;
}

// ---- an FMU

class FmuMember final : public Member {
 public:
  FmuMember(const std::string& name, const ParticipantSettings& settings, const std::string& path)
      : Member(name),
        file_(path),
        is_integrated_(integration_of(file_, settings.exchange).has_value()),
        link_(open_fmu(file_, settings.runs, name, settings.exchange)) {
    for (const auto& [variable, value] : settings.set) set(variable, value);
    for (const auto& [variable, number] : file_.numbers("output")) {
      const bool is_wanted = settings.record.empty()
                                 ? recorded_.size() < most_recorded
                                 : std::count(settings.record.begin(), settings.record.end(), variable) > 0;
      if (!is_wanted) continue;
      recorded_.push_back({variable, unit_of(variable)});
      recorded_numbers_.push_back(number);
    }
    for (const std::string& wanted : settings.record)
      file_.number(wanted, "output");  // or says what there is
  }

  bool can_go_back() const override {
    const FmuDescription& about = file_.description;
    return is_integrated_ ? about.exchange_saves_states : about.saves_states;
  }
  std::string terminal_variable(const std::string& terminal, const std::string& member) const override {
    std::vector<std::string> known;
    for (const FmuDescription::Terminal& each : file_.description.terminals) {
      known.push_back(each.name);
      if (each.name != terminal) continue;
      for (const auto& [name, variable] : each.members)
        if (name == member) return variable;
      return "";
    }
    throw Error(ExitCode::bad_model,
                formatted("{}: has no terminal '{}'{}", file_.path, terminal, suggest(terminal, known)));
  }
  bool passes_through(int input, int output) const override {
    const auto whole = [](const std::string& name) { return name.substr(0, name.find('[')); };
    const auto* known = file_.description.find(whole(output_name(output)));
    if (!known) return false;
    const auto& on = known->dependencies;
    return on == std::vector<std::string>{"*"} ||
           std::count(on.begin(), on.end(), whole(input_name(input))) > 0;
  }
  StateSpace linearise(double h) override {
    const FmuDescription& about = file_.description;
    if (is_integrated_) return link_->linearise(inputs_, outputs_);
    if (!about.model_exchange) return linear_answers(about.varies_step ? h : about.step.value_or(h));
    const auto other = open_fmu(file_, FmuHome::process, name(), ExchangeSettings());
    other->begin(t_, settings_, start_inputs_);
    return other->linearise(inputs_, outputs_);
  }

  void output(VectorX& y) const override {
    y.resize(outputs());
    if (!outputs_.empty()) link_->get(outputs_, {y.data(), outputs_.size()});
  }

  std::vector<Recorded> recorded() const override { return recorded_; }
  void record(double* values) override { link_->get(recorded_numbers_, {values, recorded_numbers_.size()}); }

 private:
  VectorX start(double t) override {
    t_ = t;
    link_->begin(t, settings_, start_inputs_);
    VectorX u(inputs());
    link_->get(inputs_, {u.data(), inputs_.size()});
    return u;
  }
  void keep() override {
    if (can_go_back()) link_->save();
    saved_t_ = t_;
  }
  void go_back() override {
    link_->restore();
    end_.clear();
    t_ = saved_t_;
  }
  void tell(const VectorX& u) override {
    if (!inputs_.empty()) link_->set(inputs_, {u.data(), inputs_.size()});
  }
  /// An FMU that does not interpolate has the values in the middle all the time, which is accurate to second order as well; or
  /// those that were told, where those of the end are not known.
  Report go(double h) override {
    try {
      const bool varies = !is_constant(),
                 follows = varies && (is_integrated_ || file_.description.interpolates_inputs);
      tell(course_at(follows ? 0 : is_iterated_ ? 0.5 : 1));
      double factor = 1;
      for (Eigen::Index k = 1; follows && k < course_.cols(); ++k) {
        factor *= static_cast<double>(k) / h;
        const VectorX derivative = factor * course_.col(k);
        link_->set_derivatives(inputs_, static_cast<int>(k), {derivative.data(), inputs_.size()});
      }
      const FmuLink::Step step = link_->step(t_, h);
      if (step.has_ended)
        end_ = formatted("FMU '{}' ended the run at t = {:.6g} s", name(), step.t);
      else if (!step.is_complete)
        return {.failure = formatted("FMU '{}' got only to t = {:.6g} s: {}", name(), step.t, step.text)};
      t_ += h;
      if (varies) tell(course_at(1));
    } catch (const Error& error) {
      throw Error(ExitCode::step_failed, formatted("at t = {:.6g} s: {}", t_, error.what()));
    }
    return {.steps = 1};
  }
  void add_input(const std::string& variable) override { inputs_.push_back(file_.number(variable, "input")); }
  void add_output(const std::string& variable) override {
    outputs_.push_back(file_.number(variable, "output"));
  }
  std::string unit_of(const std::string& variable) const {
    const auto* found = file_.description.find(variable.substr(0, variable.find('[')));
    return found ? found->unit : "";
  }
  void set(const std::string& variable, double value) {
    const auto* known = file_.description.find(variable.substr(0, variable.find('[')));
    if (known && known->causality == "input")
      start_inputs_.push_back({file_.number(variable, "input"), value});
    else
      settings_.push_back({file_.number(variable, "parameter"), value});
  }

  FmuFile file_;
  bool is_integrated_;
  std::unique_ptr<FmuLink> link_;
  std::vector<FmuLink::Value> settings_, start_inputs_;
  std::vector<FmuNumber> inputs_, outputs_, recorded_numbers_;
  std::vector<Recorded> recorded_;
  double t_ = 0, saved_t_ = 0;
};

// ---- a model of Hooke

class ModelMember final : public Member {
 public:
  ModelMember(const std::string& name, const ParticipantSettings& settings, const std::string& path,
              const std::vector<std::string>& overrides)
      : Member(name), simulation_(load(path, overrides_of(settings, path, overrides))) {
    all_ = observables_of(simulation_.built());
    workspace_ = simulation_.system().workspace();
    for (const auto& [variable, value] : settings.set)
      if (is_input(variable)) simulation_.set_input(variable, value);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Observable& o = all_[i];
      const bool is_usual =
          o.name.starts_with("signal.") || (o.name.starts_with("joint.") && o.components.empty());
      const bool is_wanted = settings.record.empty()
                                 ? is_usual && recorded_.size() < most_recorded
                                 : std::count(settings.record.begin(), settings.record.end(), o.name) > 0;
      for (int k = 0; is_wanted && k < o.width(); ++k) {
        recorded_.push_back({component_name(o, k), o.unit});
        recorded_places_.push_back({i, static_cast<std::size_t>(k)});
      }
    }
  }

  bool can_go_back() const override { return true; }
  std::string terminal_variable(const std::string&, const std::string&) const override {
    throw Error(ExitCode::bad_model,
                formatted("model '{}' has no terminals: name the variables, or make an FMU of it", name()));
  }
  bool passes_through(int input, int output) const override {
    const Place& place = output_places_[static_cast<std::size_t>(output)];
    return !direct_inputs(all_[place.observable], simulation_.system(), {input_name(input)}).empty();
  }
  StateSpace linearise(double h) override { return linear_answers(h); }

  void output(VectorX& y) const override {
    y.resize(outputs());
    read(output_places_, y.data());
  }
  std::vector<Recorded> recorded() const override { return recorded_; }
  void record(double* values) override { read(recorded_places_, values); }

 private:
  struct Place {
    std::size_t observable, component;
  };
  VectorX start(double) override {
    VectorX u(inputs());
    for (int i = 0; i < inputs(); ++i)
      u[i] = simulation_.state().memory[entries_[static_cast<std::size_t>(i)]];
    return u;
  }
  void keep() override { saved_ = simulation_.snapshot(); }
  void go_back() override { simulation_.restore(saved_); }
  void tell(const VectorX& u) override {
    simulation_.set_inputs(entries_, {u.data(), static_cast<std::size_t>(u.size())});
  }
  /// Inputs are held over each of its own steps, at the value in the middle.
  Report go(double h) override {
    const double start = simulation_.time(), step = simulation_.problem().run.step;
    const int pieces = is_constant() ? 1 : std::max(1, static_cast<int>(std::ceil(h / step - 1e-6)));
    try {
      for (int k = 0; k < pieces; ++k) {
        tell(course_at((k + 0.5) / pieces));
        if (!simulation_.go_on(start + h * (k + 1) / pieces))
          return {.failure = formatted("an event of model '{}' ended it at t = {:.6g} s", name(),
                                       simulation_.time())};
      }
    } catch (const Error& error) {
      if (!error.is_of_motion()) throw;
      return {.failure = formatted("model '{}': {}", name(), error.what())};
    }
    tell(course_at(1));
    return {.steps = pieces};
  }
  static std::string component_name(const Observable& o, int k) {
    return o.components.empty() ? o.name : o.name + '.' + o.components[static_cast<std::size_t>(k)];
  }
  bool is_input(const std::string& variable) const {
    const ControlsBase* controls = simulation_.system().controls();
    if (!controls) return false;
    const auto known = controls->inputs();
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& input) { return input.first == variable; });
  }
  /// What is set is a block of `control:` or else a parameter.
  static std::vector<std::string> overrides_of(const ParticipantSettings& settings, const std::string& path,
                                               std::vector<std::string> overrides) {
    const Simulation usual(load(path, overrides));
    const ControlsBase* controls = usual.system().controls();
    std::vector<std::string> inputs;
    if (controls)
      for (const auto& [input, entry] : controls->inputs()) inputs.push_back(input);
    for (const auto& [variable, value] : settings.set)
      if (std::count(inputs.begin(), inputs.end(), variable) == 0)
        overrides.push_back(formatted("parameters.{}={}", variable, format_number(value)));
    return overrides;
  }
  void add_input(const std::string& variable) override {
    entries_.push_back(simulation_.input_entry(variable));
  }
  void add_output(const std::string& variable) override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (int k = 0; k < all_[i].width(); ++k) {
        names.push_back(component_name(all_[i], k));
        if (names.back() != variable) continue;
        output_places_.push_back({i, static_cast<std::size_t>(k)});
        return;
      }
    throw Error(ExitCode::usage,
                formatted("model '{}' has no quantity '{}'{}", name(), variable, suggest(variable, names)));
  }
  void read(const std::vector<Place>& places, double* out) const {
    auto& workspace = static_cast<SystemWorkspace&>(*workspace_);
    const State& state = simulation_.recorded_state();
    simulation_.system().update(state, workspace);
    SeenState seen{simulation_.built(), state, workspace, simulation_.problem().outputs.reactions};
    for (std::size_t i = 0; i < places.size(); ++i) {
      double values[16];  // of a pose
      all_[places[i].observable].read(seen, values);
      out[i] = values[places[i].component];
    }
  }

  mutable Simulation simulation_;
  std::vector<Observable> all_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> entries_;
  std::vector<Place> output_places_, recorded_places_;
  std::vector<Recorded> recorded_;
  std::string saved_;
};

}  // namespace

void Member::begin(double t) {
  last_ = before_ = start(t);
  course_ = last_;
}
void Member::save() {
  keep();
  before_ = last_;
}
void Member::restore() {
  go_back();
  last_ = before_;
}
/// Between the ends of a step inputs go along lines.
void Member::set_input(const VectorX& u) {
  course_.resize(u.size(), 2);
  course_ << before_, u - before_;
}
Member::Report Member::advance(double h) {
  last_ = course_at(1);
  if (h > 0) return go(h);
  tell(last_);
  return {};
}

StateSpace Member::linear_answers(double h) {
  constexpr double enough = 0.1;
  if (!can_go_back())
    throw Error(ExitCode::bad_model,
                formatted("participant '{}' offers neither model exchange nor states to go back to, so that "
                          "its equations cannot be known",
                          name_));
  const Realisation found = realise(*this, last_, h);
  if (!(found.error < enough))
    throw Error(ExitCode::bad_model,
                formatted("participant '{}' is not linear near its start: a linear system differs from its "
                          "answers by {:.0f} %",
                          name_, 100 * found.error));
  return found.system;
}

int Member::place_of_input(const std::string& variable) {
  return place_among(input_names_, variable, [&] { add_input(variable); });
}
int Member::place_of_output(const std::string& variable) {
  return place_among(output_names_, variable, [&] { add_output(variable); });
}

std::unique_ptr<Member> make_member(const std::string& name, const ParticipantSettings& settings,
                                    const std::string& folder, const Cosimulation& file) {
  const auto path = [&](const std::string& relative) {
    return (std::filesystem::path(folder) / relative).string();
  };
  if (!settings.fmu.empty()) return std::make_unique<FmuMember>(name, settings, path(settings.fmu));
  if (settings.model != ParticipantSettings::this_file)
    return std::make_unique<ModelMember>(name, settings, path(settings.model), std::vector<std::string>());
  std::vector<std::string> overrides = file.overrides;
  for (const char* key : {"participants", "connections", "interfaces", "coupling"})
    overrides.push_back(formatted("{}=null", key));
  return std::make_unique<ModelMember>(name, settings, file.file, overrides);
}

}  // namespace hooke
