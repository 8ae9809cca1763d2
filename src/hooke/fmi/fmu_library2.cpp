// An FMU in this process by the functions of FMI 2.0.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "hooke/fmi/fmi2.h"
#include "hooke/fmi/fmu_library.h"

namespace hooke {
namespace {

using Type = FmuDescription::Type;

/// visit(first, last) for runs of numbers of the same type, each the first entry of a variable that is wholly in the list.
template <class Work>
void for_each_run(std::span<const FmuNumber> which, Work&& work) {
  for (std::size_t i = 0; i < which.size();) {
    std::size_t end = i + 1;
    while (end < which.size() && which[end].type == which[i].type) ++end;
    work(i, end);
    i = end;
  }
}

class Fmu2 final : public LoadedFmu {
 public:
  Fmu2(const FmuFile& file, const std::string& instance, bool for_exchange)
      : library_(file, instance, for_exchange),
        token_(file.description.token),
        callbacks_{log, std::calloc, std::free, nullptr, this},
        completes_steps_(file.description.completes_steps) {
    const std::string location = "file://" + library_.resources;
    component_ = library_.find<decltype(fmi2Instantiate)>("fmi2Instantiate")(
        library_.name.c_str(), for_exchange ? fmi2ModelExchange : fmi2CoSimulation, token_.c_str(),
        location.c_str(), &callbacks_, 0, 0);
    if (!component_) library_.expect(fmi2Error, "fmi2Instantiate");
    if (!for_exchange) do_step_ = library_.find<decltype(fmi2DoStep)>("fmi2DoStep");
    if (for_exchange ? file.description.exchange_saves_states : file.description.saves_states) {
      get_state_ = library_.find<decltype(fmi2GetFMUstate)>("fmi2GetFMUstate");
      set_state_ = library_.find<decltype(fmi2SetFMUstate)>("fmi2SetFMUstate");
    }
  }
  ~Fmu2() override {
    if (state_) library_.find<decltype(fmi2FreeFMUstate)>("fmi2FreeFMUstate")(component_, &state_);
    library_.find<decltype(fmi2FreeInstance)>("fmi2FreeInstance")(component_);
  }

  void begin(double start, std::span<const Value> settings, std::span<const Value> inputs) override {
    for (const Value& s : settings) set({&s.of, 1}, {&s.value, 1});
    call<decltype(fmi2SetupExperiment)>("fmi2SetupExperiment", 0, 0, start, 0, 0);
    call<decltype(fmi2EnterInitializationMode)>("fmi2EnterInitializationMode");
    for (const Value& s : inputs) set({&s.of, 1}, {&s.value, 1});
    call<decltype(fmi2ExitInitializationMode)>("fmi2ExitInitializationMode");
  }

  void set(std::span<const FmuNumber> which, std::span<const double> values) override {
    for_each_run(which, [&](std::size_t from, std::size_t to) {
      references(which.subspan(from, to - from));
      const auto put = [&]<class T>(auto* function, const char* name, std::vector<T>& buffer) {
        buffer.assign(values.begin() + static_cast<long>(from), values.begin() + static_cast<long>(to));
        library_.expect(function(component_, references_.data(), references_.size(), buffer.data()), name);
      };
      if (which[from].type == Type::real)
        put(set_real_, "fmi2SetReal", reals_);
      else if (which[from].type == Type::boolean)
        put(library_.find<decltype(fmi2SetBoolean)>("fmi2SetBoolean"), "fmi2SetBoolean", wholes_);
      else
        put(library_.find<decltype(fmi2SetInteger)>("fmi2SetInteger"), "fmi2SetInteger", wholes_);
    });
  }

  void get(std::span<const FmuNumber> which, std::span<double> values) override {
    for_each_run(which, [&](std::size_t from, std::size_t to) {
      references(which.subspan(from, to - from));
      const auto take = [&]<class T>(auto* function, const char* name, std::vector<T>& buffer) {
        buffer.resize(to - from);
        library_.expect(function(component_, references_.data(), references_.size(), buffer.data()), name);
        std::copy(buffer.begin(), buffer.end(), values.begin() + static_cast<long>(from));
      };
      if (which[from].type == Type::real)
        take(get_real_, "fmi2GetReal", reals_);
      else if (which[from].type == Type::boolean)
        take(library_.find<decltype(fmi2GetBoolean)>("fmi2GetBoolean"), "fmi2GetBoolean", wholes_);
      else
        take(library_.find<decltype(fmi2GetInteger)>("fmi2GetInteger"), "fmi2GetInteger", wholes_);
    });
  }

  void set_derivatives(std::span<const FmuNumber> which, int order, std::span<const double> values) override {
    references(which);
    const std::vector<fmi2Integer> orders(which.size(), order);
    call<decltype(fmi2SetRealInputDerivatives)>("fmi2SetRealInputDerivatives", references_.data(),
                                                references_.size(), orders.data(), values.data());
  }

  Step step(double t, double h) override {
    const fmi2Status status = do_step_(component_, t, h, get_state_ ? 0 : 1);
    if (status != fmi2Discard) {
      library_.expect(status, "fmi2DoStep");
      return {true, false, t + h, library_.said()};
    }
    fmi2Real reached = t;
    fmi2Boolean ended = 0;
    library_.find<decltype(fmi2GetRealStatus)>("fmi2GetRealStatus")(component_, fmi2LastSuccessfulTime,
                                                                    &reached);
    library_.find<decltype(fmi2GetBooleanStatus)>("fmi2GetBooleanStatus")(component_, fmi2Terminated, &ended);
    return {false, ended != 0, reached, library_.said()};
  }

  void save() override { library_.expect(get_state_(component_, &state_), "fmi2GetFMUstate"); }
  void restore() override { library_.expect(set_state_(component_, state_), "fmi2SetFMUstate"); }

  void set_time(double t) override { call<decltype(fmi2SetTime)>("fmi2SetTime", t); }
  void set_states(std::span<const double> x) override {
    call<decltype(fmi2SetContinuousStates)>("fmi2SetContinuousStates", x.data(), x.size());
  }
  void get_states(std::span<double> x) override {
    call<decltype(fmi2GetContinuousStates)>("fmi2GetContinuousStates", x.data(), x.size());
  }
  void get_rates(std::span<double> rates) override {
    call<decltype(fmi2GetDerivatives)>("fmi2GetDerivatives", rates.data(), rates.size());
  }
  void get_nominals(std::span<double> sizes) override {
    call<decltype(fmi2GetNominalsOfContinuousStates)>("fmi2GetNominalsOfContinuousStates", sizes.data(),
                                                      sizes.size());
  }
  void get_indicators(std::span<double> values) override {
    call<decltype(fmi2GetEventIndicators)>("fmi2GetEventIndicators", values.data(), values.size());
  }
  void derivatives(std::span<const FmuNumber> of, const FmuNumber& by, std::span<double> values) override {
    references(of);
    const fmi2Real one = 1;
    call<decltype(fmi2GetDirectionalDerivative)>("fmi2GetDirectionalDerivative", references_.data(),
                                                 references_.size(), &by.reference, 1, &one, values.data());
  }
  Event happen(bool at_start) override {
    if (!at_start) call<decltype(fmi2EnterEventMode)>("fmi2EnterEventMode");
    Event event;
    fmi2EventInfo info{};
    info.newDiscreteStatesNeeded = 1;
    for (int pass = 0; info.newDiscreteStatesNeeded && !event.has_ended && pass < most_passes; ++pass) {
      call<decltype(fmi2NewDiscreteStates)>("fmi2NewDiscreteStates", &info);
      event.has_ended = info.terminateSimulation != 0;
    }
    if (info.nextEventTimeDefined) event.next_time = info.nextEventTime;
    call<decltype(fmi2EnterContinuousTimeMode)>("fmi2EnterContinuousTimeMode");
    return event;
  }
  Completed complete_step() override {
    fmi2Boolean wants_event = 0, terminates = 0;
    if (completes_steps_)
      call<decltype(fmi2CompletedIntegratorStep)>("fmi2CompletedIntegratorStep", 1, &wants_event,
                                                  &terminates);
    return {wants_event != 0, terminates != 0};
  }

 private:
  template <class Function>
  void call(const char* function, auto... arguments) {
    library_.expect(library_.find<Function>(function)(component_, arguments...), function);
  }
  static void log(fmi2ComponentEnvironment self, fmi2String, fmi2Status status, fmi2String, fmi2String format,
                  ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format ? format : "", arguments);
    va_end(arguments);
    if (status != fmi2OK) static_cast<Fmu2*>(self)->library_.say(text);
  }
  void references(std::span<const FmuNumber> which) {
    references_.clear();
    for (const FmuNumber& number : which) references_.push_back(number.reference);
  }

  FmuLibrary library_;
  std::string token_;
  fmi2CallbackFunctions callbacks_;
  bool completes_steps_;
  fmi2Component component_ = nullptr;
  fmi2FMUstate state_ = nullptr;
  decltype(fmi2GetReal)* get_real_ = library_.find<decltype(fmi2GetReal)>("fmi2GetReal");
  decltype(fmi2SetReal)* set_real_ = library_.find<decltype(fmi2SetReal)>("fmi2SetReal");
  decltype(fmi2DoStep)* do_step_ = nullptr;  ///< of co-simulation
  decltype(fmi2GetFMUstate)* get_state_ = nullptr;
  decltype(fmi2SetFMUstate)* set_state_ = nullptr;
  std::vector<fmi2ValueReference> references_;
  std::vector<fmi2Real> reals_;
  std::vector<fmi2Integer> wholes_;
};

}  // namespace

std::unique_ptr<LoadedFmu> load_fmu2(const FmuFile& file, const std::string& instance, bool for_exchange) {
  return std::make_unique<Fmu2>(file, instance, for_exchange);
}

}  // namespace hooke
