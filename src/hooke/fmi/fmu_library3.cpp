// An FMU in this process by the functions of FMI 3.0.
#include "hooke/fmi/fmi3.h"
#include "hooke/fmi/fmu_library.h"

namespace hooke {
namespace {

using Type = FmuDescription::Type;

class Fmu3 final : public LoadedFmu {
 public:
  Fmu3(const FmuFile& file, const std::string& instance, bool for_exchange)
      : library_(file, instance, for_exchange),
        has_events_(!for_exchange && file.description.has_event_mode),
        completes_steps_(file.description.completes_steps) {
    const std::string resources = library_.resources + '/', &token = file.description.token;
    if (for_exchange) {
      instance_ = library_.find<decltype(fmi3InstantiateModelExchange)>("fmi3InstantiateModelExchange")(
          library_.name.c_str(), token.c_str(), resources.c_str(), false, false, this, log);
    } else {
      do_step_ = library_.find<decltype(fmi3DoStep)>("fmi3DoStep");
      instance_ = library_.find<decltype(fmi3InstantiateCoSimulation)>("fmi3InstantiateCoSimulation")(
          library_.name.c_str(), token.c_str(), resources.c_str(), false, false, has_events_, false, nullptr,
          0, this, log, nullptr);
    }
    if (!instance_) library_.expect(fmi3Error, "fmi3Instantiate");
    if (for_exchange ? file.description.exchange_saves_states : file.description.saves_states) {
      get_state_ = library_.find<decltype(fmi3GetFMUState)>("fmi3GetFMUState");
      set_state_ = library_.find<decltype(fmi3SetFMUState)>("fmi3SetFMUState");
    }
  }
  ~Fmu3() override {
    if (state_) library_.find<decltype(fmi3FreeFMUState)>("fmi3FreeFMUState")(instance_, &state_);
    library_.find<decltype(fmi3FreeInstance)>("fmi3FreeInstance")(instance_);
  }

  void begin(double start, std::span<const Value> settings, std::span<const Value> inputs) override {
    for (const Value& s : settings) set({&s.of, 1}, {&s.value, 1});
    call<decltype(fmi3EnterInitializationMode)>("fmi3EnterInitializationMode", false, 0, start, false, 0);
    for (const Value& s : inputs) set({&s.of, 1}, {&s.value, 1});
    call<decltype(fmi3ExitInitializationMode)>("fmi3ExitInitializationMode");
    if (!has_events_) return;
    update_events();
    call<decltype(fmi3EnterStepMode)>("fmi3EnterStepMode");
  }

  void set(std::span<const FmuNumber> which, std::span<const double> values) override {
    for (std::size_t i = 0; i < which.size();) {
      const FmuNumber& first = which[i];
      const std::size_t end = end_of_variable(which, i);
      buffer_.resize(first.width);
      if (end - i < first.width) take(first, buffer_);  // the other entries stay as they are
      for (std::size_t k = i; k < end; ++k) buffer_[which[k].entry] = values[k];
      put(first, buffer_);
      i = end;
    }
  }

  void get(std::span<const FmuNumber> which, std::span<double> values) override {
    for (std::size_t i = 0; i < which.size();) {
      const std::size_t end = end_of_variable(which, i);
      buffer_.resize(which[i].width);
      take(which[i], buffer_);
      for (std::size_t k = i; k < end; ++k) values[k] = buffer_[which[k].entry];
      i = end;
    }
  }

  void set_derivatives(std::span<const FmuNumber>, int, std::span<const double>) override {
    throw Error(ExitCode::internal, "FMI 3.0 has no derivatives of inputs");
  }

  Step step(double t, double h) override {
    const double end = t + h;
    for (double now = t;;) {
      bool event = false, terminate = false, early = false;
      double reached = now;
      const fmi3Status status =
          do_step_(instance_, now, end - now, get_state_ == nullptr, &event, &terminate, &early, &reached);
      if (status == fmi3Discard) return {false, terminate, reached, library_.said()};
      library_.expect(status, "fmi3DoStep");
      if (terminate) return {false, true, reached, library_.said()};
      if (event && has_events_) {
        call<decltype(fmi3EnterEventMode)>("fmi3EnterEventMode");
        if (update_events().has_ended) return {false, true, reached, library_.said()};
        call<decltype(fmi3EnterStepMode)>("fmi3EnterStepMode");
      }
      if (!early || !(end - reached > 1e-12 * (1 + std::abs(end))))
        return {true, false, end, library_.said()};
      now = reached;
    }
  }

  void save() override { library_.expect(get_state_(instance_, &state_), "fmi3GetFMUState"); }
  void restore() override { library_.expect(set_state_(instance_, state_), "fmi3SetFMUState"); }

  void set_time(double t) override { call<decltype(fmi3SetTime)>("fmi3SetTime", t); }
  void set_states(std::span<const double> x) override {
    call<decltype(fmi3SetContinuousStates)>("fmi3SetContinuousStates", x.data(), x.size());
  }
  void get_states(std::span<double> x) override {
    call<decltype(fmi3GetContinuousStates)>("fmi3GetContinuousStates", x.data(), x.size());
  }
  void get_rates(std::span<double> rates) override {
    call<decltype(fmi3GetContinuousStateDerivatives)>("fmi3GetContinuousStateDerivatives", rates.data(),
                                                      rates.size());
  }
  void get_nominals(std::span<double> sizes) override {
    call<decltype(fmi3GetNominalsOfContinuousStates)>("fmi3GetNominalsOfContinuousStates", sizes.data(),
                                                      sizes.size());
  }
  void get_indicators(std::span<double> values) override {
    call<decltype(fmi3GetEventIndicators)>("fmi3GetEventIndicators", values.data(), values.size());
  }
  void derivatives(std::span<const FmuNumber> of, const FmuNumber& by, std::span<double> values) override {
    std::vector<double> seed(by.width, 0.0);
    seed[by.entry] = 1;
    for (std::size_t i = 0; i < of.size();) {
      const std::size_t end = end_of_variable(of, i);
      buffer_.resize(of[i].width);
      call<decltype(fmi3GetDirectionalDerivative)>("fmi3GetDirectionalDerivative", &of[i].reference, 1,
                                                   &by.reference, 1, seed.data(), seed.size(), buffer_.data(),
                                                   buffer_.size());
      for (std::size_t k = i; k < end; ++k) values[k] = buffer_[of[k].entry];
      i = end;
    }
  }
  Event happen(bool at_start) override {
    if (!at_start) call<decltype(fmi3EnterEventMode)>("fmi3EnterEventMode");
    const Event event = update_events();
    call<decltype(fmi3EnterContinuousTimeMode)>("fmi3EnterContinuousTimeMode");
    return event;
  }
  Completed complete_step() override {
    Completed completed;
    if (completes_steps_)
      call<decltype(fmi3CompletedIntegratorStep)>("fmi3CompletedIntegratorStep", true, &completed.wants_event,
                                                  &completed.has_ended);
    return completed;
  }

 private:
  template <class Function>
  void call(const char* function, auto... arguments) {
    library_.expect(library_.find<Function>(function)(instance_, arguments...), function);
  }
  static void log(fmi3InstanceEnvironment self, fmi3Status status, fmi3String, fmi3String text) {
    if (status != fmi3OK && text) static_cast<Fmu3*>(self)->library_.say(std::string(text).substr(0, 1000));
  }
  Event update_events() {
    Event event;
    bool needed = true, nominals = false, values = false, has_next = false;
    double next = 0;
    for (int pass = 0; needed && !event.has_ended && pass < most_passes; ++pass)
      call<decltype(fmi3UpdateDiscreteStates)>("fmi3UpdateDiscreteStates", &needed, &event.has_ended,
                                               &nominals, &values, &has_next, &next);
    if (has_next) event.next_time = next;
    return event;
  }
  static std::size_t end_of_variable(std::span<const FmuNumber> which, std::size_t i) {
    std::size_t end = i + 1;
    while (end < which.size() && which[end].reference == which[i].reference) ++end;
    return end;
  }

  /// work(a value of the type, its name in the functions' names)
  static void with_type(Type type, auto&& work) {
    switch (type) {
      case Type::float32:
        return work(fmi3Float32(), "Float32");
      case Type::int8:
        return work(fmi3Int8(), "Int8");
      case Type::uint8:
        return work(fmi3UInt8(), "UInt8");
      case Type::int16:
        return work(fmi3Int16(), "Int16");
      case Type::uint16:
        return work(fmi3UInt16(), "UInt16");
      case Type::integer:
      case Type::int32:
        return work(fmi3Int32(), "Int32");
      case Type::uint32:
        return work(fmi3UInt32(), "UInt32");
      case Type::int64:
        return work(fmi3Int64(), "Int64");
      case Type::uint64:
        return work(fmi3UInt64(), "UInt64");
      case Type::boolean:
        return work(fmi3Boolean(), "Boolean");
      case Type::real:
      case Type::text:
      case Type::other:
        break;
    }
    work(fmi3Float64(), "Float64");
  }
  void take(const FmuNumber& variable, std::span<double> values) {
    if (variable.type == Type::real)
      return library_.expect(get_(instance_, &variable.reference, 1, values.data(), values.size()),
                             "fmi3GetFloat64");
    with_type(variable.type, [&]<class T>(T, const char* name) {
      const auto buffer = std::make_unique<T[]>(values.size());
      const std::string function = formatted("fmi3Get{}", name);
      using Get = fmi3Status(fmi3Instance, const fmi3ValueReference*, std::size_t, T*, std::size_t);
      library_.expect(library_.find<Get>(function.c_str())(instance_, &variable.reference, 1, buffer.get(),
                                                           values.size()),
                      function.c_str());
      std::copy(buffer.get(), buffer.get() + values.size(), values.begin());
    });
  }
  void put(const FmuNumber& variable, std::span<const double> values) {
    if (variable.type == Type::real)
      return library_.expect(set_(instance_, &variable.reference, 1, values.data(), values.size()),
                             "fmi3SetFloat64");
    with_type(variable.type, [&]<class T>(T, const char* name) {
      const auto buffer = std::make_unique<T[]>(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) buffer[k] = static_cast<T>(values[k]);
      const std::string function = formatted("fmi3Set{}", name);
      using Set = fmi3Status(fmi3Instance, const fmi3ValueReference*, std::size_t, const T*, std::size_t);
      library_.expect(library_.find<Set>(function.c_str())(instance_, &variable.reference, 1, buffer.get(),
                                                           values.size()),
                      function.c_str());
    });
  }

  FmuLibrary library_;
  bool has_events_, completes_steps_;
  fmi3Instance instance_ = nullptr;
  fmi3FMUState state_ = nullptr;
  decltype(fmi3GetFloat64)* get_ = library_.find<decltype(fmi3GetFloat64)>("fmi3GetFloat64");
  decltype(fmi3SetFloat64)* set_ = library_.find<decltype(fmi3SetFloat64)>("fmi3SetFloat64");
  decltype(fmi3DoStep)* do_step_ = nullptr;  ///< of co-simulation
  decltype(fmi3GetFMUState)* get_state_ = nullptr;
  decltype(fmi3SetFMUState)* set_state_ = nullptr;
  std::vector<double> buffer_;
};

}  // namespace

std::unique_ptr<LoadedFmu> load_fmu3(const FmuFile& file, const std::string& instance, bool for_exchange) {
  return std::make_unique<Fmu3>(file, instance, for_exchange);
}

}  // namespace hooke
