// An FMU in this process: its library, by the functions of its version.
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "hooke/base/error.h"
#include "hooke/fmi/fmi2.h"
#include "hooke/fmi/fmi3.h"
#include "hooke/fmi/fmu_link.h"

namespace hooke {
namespace {

using Type = FmuDescription::Type;

/// The library and what the FMU said last, for messages.
class Library {
 public:
  Library(const FmuFile& file, const std::string& instance)
      : resources((file.folder.path() / "resources").string()), name(instance), path_(file.path) {
    handle_ = dlopen(file.library().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
      throw Error(ExitCode::file, formatted("{}: its library cannot be loaded: {}", path_, dlerror()));
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { dlclose(handle_); }

  template <class Function>
  Function* find(const char* function) const {
    void* found = dlsym(handle_, function);
    if (!found)
      throw Error(ExitCode::file, formatted("{}: its library has no function {}, which the standard asks for",
                                            path_, function));
    return reinterpret_cast<Function*>(found);
  }
  void say(const std::string& text) {
    if (said_.size() < 4000) said_ += (said_.empty() ? "" : "; ") + text;
  }
  std::string said() { return std::exchange(said_, {}); }
  /// Both versions: 0 ok, 1 a warning, 2 discard, 3 error, 4 fatal.
  void expect(int status, const char* function) {
    if (status <= 1) return;
    const std::string said = this->said();
    throw Error(ExitCode::step_failed, formatted("{}: {} failed{}{}", path_, function,
                                                 said.empty() ? " without a word" : ": ", said));
  }

  std::string resources, name;

 private:
  std::string path_, said_;
  void* handle_;
};

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

// ---- FMI 2.0

class Fmu2 final : public FmuLink {
 public:
  Fmu2(const FmuFile& file, const std::string& instance)
      : library_(file, instance),
        token_(file.description.token),
        callbacks_{log, std::calloc, std::free, nullptr, this} {
    const std::string location = "file://" + library_.resources;
    component_ = library_.find<decltype(fmi2Instantiate)>("fmi2Instantiate")(
        library_.name.c_str(), fmi2CoSimulation, token_.c_str(), location.c_str(), &callbacks_, 0, 0);
    if (!component_) library_.expect(fmi2Error, "fmi2Instantiate");
    if (file.description.saves_states) {
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
    library_.expect(
        library_.find<decltype(fmi2SetupExperiment)>("fmi2SetupExperiment")(component_, 0, 0, start, 0, 0),
        "fmi2SetupExperiment");
    library_.expect(
        library_.find<decltype(fmi2EnterInitializationMode)>("fmi2EnterInitializationMode")(component_),
        "fmi2EnterInitializationMode");
    for (const Value& s : inputs) set({&s.of, 1}, {&s.value, 1});
    library_.expect(
        library_.find<decltype(fmi2ExitInitializationMode)>("fmi2ExitInitializationMode")(component_),
        "fmi2ExitInitializationMode");
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
    library_.expect(library_.find<decltype(fmi2SetRealInputDerivatives)>("fmi2SetRealInputDerivatives")(
                        component_, references_.data(), references_.size(), orders.data(), values.data()),
                    "fmi2SetRealInputDerivatives");
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

 private:
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

  Library library_;
  std::string token_;
  fmi2CallbackFunctions callbacks_;
  fmi2Component component_ = nullptr;
  fmi2FMUstate state_ = nullptr;
  decltype(fmi2GetReal)* get_real_ = library_.find<decltype(fmi2GetReal)>("fmi2GetReal");
  decltype(fmi2SetReal)* set_real_ = library_.find<decltype(fmi2SetReal)>("fmi2SetReal");
  decltype(fmi2DoStep)* do_step_ = library_.find<decltype(fmi2DoStep)>("fmi2DoStep");
  decltype(fmi2GetFMUstate)* get_state_ = nullptr;
  decltype(fmi2SetFMUstate)* set_state_ = nullptr;
  std::vector<fmi2ValueReference> references_;
  std::vector<fmi2Real> reals_;
  std::vector<fmi2Integer> wholes_;
};

// ---- FMI 3.0

class Fmu3 final : public FmuLink {
 public:
  Fmu3(const FmuFile& file, const std::string& instance)
      : library_(file, instance), has_events_(file.description.has_event_mode) {
    const std::string resources = library_.resources + '/';
    instance_ = library_.find<decltype(fmi3InstantiateCoSimulation)>("fmi3InstantiateCoSimulation")(
        library_.name.c_str(), file.description.token.c_str(), resources.c_str(), false, false, has_events_,
        false, nullptr, 0, this, log, nullptr);
    if (!instance_) library_.expect(fmi3Error, "fmi3InstantiateCoSimulation");
    if (file.description.saves_states) {
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
    library_.expect(library_.find<decltype(fmi3EnterInitializationMode)>("fmi3EnterInitializationMode")(
                        instance_, false, 0, start, false, 0),
                    "fmi3EnterInitializationMode");
    for (const Value& s : inputs) set({&s.of, 1}, {&s.value, 1});
    library_.expect(
        library_.find<decltype(fmi3ExitInitializationMode)>("fmi3ExitInitializationMode")(instance_),
        "fmi3ExitInitializationMode");
    if (has_events_) update_events();
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
        library_.expect(library_.find<decltype(fmi3EnterEventMode)>("fmi3EnterEventMode")(instance_),
                        "fmi3EnterEventMode");
        if (update_events()) return {false, true, reached, library_.said()};
      }
      if (!early || !(end - reached > 1e-12 * (1 + std::abs(end))))
        return {true, false, end, library_.said()};
      now = reached;
    }
  }

  void save() override { library_.expect(get_state_(instance_, &state_), "fmi3GetFMUState"); }
  void restore() override { library_.expect(set_state_(instance_, state_), "fmi3SetFMUState"); }

 private:
  static void log(fmi3InstanceEnvironment self, fmi3Status status, fmi3String, fmi3String text) {
    if (status != fmi3OK && text) static_cast<Fmu3*>(self)->library_.say(std::string(text).substr(0, 1000));
  }
  /// Whether it ends the run.
  bool update_events() {
    bool needed = true, terminate = false, nominals = false, values = false, has_next = false;
    double next = 0;
    for (int pass = 0; needed && pass < 1000; ++pass)
      library_.expect(library_.find<decltype(fmi3UpdateDiscreteStates)>("fmi3UpdateDiscreteStates")(
                          instance_, &needed, &terminate, &nominals, &values, &has_next, &next),
                      "fmi3UpdateDiscreteStates");
    library_.expect(library_.find<decltype(fmi3EnterStepMode)>("fmi3EnterStepMode")(instance_),
                    "fmi3EnterStepMode");
    return terminate;
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

  Library library_;
  bool has_events_;
  fmi3Instance instance_ = nullptr;
  fmi3FMUState state_ = nullptr;
  decltype(fmi3GetFloat64)* get_ = library_.find<decltype(fmi3GetFloat64)>("fmi3GetFloat64");
  decltype(fmi3SetFloat64)* set_ = library_.find<decltype(fmi3SetFloat64)>("fmi3SetFloat64");
  decltype(fmi3DoStep)* do_step_ = library_.find<decltype(fmi3DoStep)>("fmi3DoStep");
  decltype(fmi3GetFMUState)* get_state_ = nullptr;
  decltype(fmi3SetFMUState)* set_state_ = nullptr;
  std::vector<double> buffer_;
};

}  // namespace

std::unique_ptr<FmuLink> load_fmu(const FmuFile& file, const std::string& instance) {
  if (file.description.version == 3) return std::make_unique<Fmu3>(file, instance);
  return std::make_unique<Fmu2>(file, instance);
}

}  // namespace hooke
