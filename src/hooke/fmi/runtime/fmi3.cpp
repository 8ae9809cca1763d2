// The functions of FMI 3.0 of an FMU that Hooke exported.
#include "hooke/fmi/fmi3.h"

#include <limits>

#include "hooke/fmi/runtime/component.h"

#pragma GCC visibility push(default)

namespace {

using namespace hooke;
using namespace hooke::fmu_phases;
using Severity = FmuComponent::Severity;

struct Component3 : FmuComponent {
  bool is_exchange = false, uses_events = false, may_return_early = false;
  fmi3InstanceEnvironment environment = nullptr;
  fmi3IntermediateUpdateCallback intermediate = nullptr;
};

fmi3Status call(fmi3Instance c, const char* function, std::initializer_list<P> allowed, auto&& work) {
  if (!c) return fmi3Error;
  return static_cast<fmi3Status>(static_cast<Component3*>(c)->call(function, allowed, work));
}

/// What both versions have (component.h).
template <class... Arguments>
fmi3Status shared(fmi3Instance c, FmuComponent::Severity (FmuComponent::*work)(const char*, Arguments...),
                  const char* function, std::type_identity_t<Arguments>... arguments) {
  if (!c) return fmi3Error;
  return static_cast<fmi3Status>((static_cast<Component3*>(c)->*work)(function, arguments...));
}

/// The model has numbers alone.
fmi3Status refuse(fmi3Instance c, const char* function, std::size_t count, const char* why) {
  return shared(c, &FmuComponent::refuse, function, count, why);
}
constexpr const char* floats_only = "all variables of this FMU are of type Float64";
constexpr const char* no_clocks = "this FMU has no clocks";

Component3* make(fmi3String name, fmi3String token, fmi3String resources, bool logging,
                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  auto made = std::make_unique<Component3>();
  made->name = name ? name : "";
  made->logs = logging;
  made->environment = environment;
  if (log)
    made->log = [log, environment](Severity severity, const char* category, const std::string& text) {
      log(environment, static_cast<fmi3Status>(severity), category, text.c_str());
    };
  try {
    made->instance = std::make_unique<FmuInstance>(folder_of(resources), token ? token : "");
    made->listen();
  } catch (const std::exception& error) {
    made->say(Severity::error, formatted("fmi3Instantiate: {}", error.what()));
    return nullptr;
  }
  return made.release();
}

/// visit(value reference of a component, place in the values) for all that the references name.
void for_each_value(const FmuInstance& fmu, const fmi3ValueReference* references, std::size_t count,
                    std::size_t values, auto&& visit) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < fmu.width(references[i]); ++k, ++at) {
      if (at >= values)
        throw Error(ExitCode::usage, "there are fewer values than these variables have components");
      visit(references[i] + static_cast<std::uint32_t>(k), at);
    }
  if (at != values)
    throw Error(ExitCode::usage, "there are more values than these variables have components");
}

std::vector<std::uint32_t> components(const FmuInstance& fmu, const fmi3ValueReference* references,
                                      std::size_t count, std::size_t values) {
  std::vector<std::uint32_t> all;
  for_each_value(fmu, references, count, values, [&](std::uint32_t r, std::size_t) { all.push_back(r); });
  return all;
}

}  // namespace

extern "C" {

const char* fmi3GetVersion() { return "3.0"; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, std::size_t count,
                               const fmi3String* categories) {
  return shared(c, &FmuComponent::set_logging, "fmi3SetDebugLogging", on, count, categories);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean,
                                         fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference*, std::size_t,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback intermediate) {
  Component3* made = make(name, token, resources, logging, environment, log);
  if (!made) return nullptr;
  made->uses_events = event_mode;
  made->may_return_early = early_return;
  made->intermediate = intermediate;
  return made;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  Component3* made = make(name, token, resources, logging, environment, log);
  if (made) made->is_exchange = true;
  return made;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  if (log) log(environment, fmi3Error, "logStatusError", "this FMU is not made for scheduled execution");
  return nullptr;
}

void fmi3FreeInstance(fmi3Instance c) { delete static_cast<Component3*>(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean, fmi3Float64, fmi3Float64 start,
                                       fmi3Boolean, fmi3Float64) {
  return call(c, "fmi3EnterInitializationMode", fresh, [&](FmuInstance& fmu) {
    fmu.set_start(start);
    fmu.time();
    fmu.phase = P::initialising;
  });
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  return call(c, "fmi3ExitInitializationMode", initialising, [&](FmuInstance& fmu) {
    const auto& component = *static_cast<Component3*>(c);
    fmu.end_initialising();
    if (component.is_exchange) fmu.begin_exchange();
    fmu.phase = component.is_exchange || component.uses_events ? P::event : P::step;
  });
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  return shared(c, &FmuComponent::enter_event_mode, "fmi3EnterEventMode", true);
}
fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  return call(c, "fmi3EnterStepMode", event, [](FmuInstance& fmu) { fmu.phase = P::step; });
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  return shared(c, &FmuComponent::enter_continuous_time, "fmi3EnterContinuousTimeMode");
}
fmi3Status fmi3Terminate(fmi3Instance c) { return shared(c, &FmuComponent::terminate, "fmi3Terminate"); }
fmi3Status fmi3Reset(fmi3Instance c) { return shared(c, &FmuComponent::reset, "fmi3Reset"); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
  return refuse(c, "fmi3EnterConfigurationMode", 1, "this FMU has no structural parameters");
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
  return refuse(c, "fmi3ExitConfigurationMode", 1, "this FMU has no structural parameters");
}

// --- values

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                          fmi3Float64* values, std::size_t value_count) {
  return call(c, "fmi3GetFloat64", getting, [&](FmuInstance& fmu) {
    for_each_value(fmu, references, count, value_count,
                   [&](std::uint32_t reference, std::size_t at) { values[at] = fmu.value(reference); });
  });
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                          const fmi3Float64* values, std::size_t value_count) {
  return call(c, "fmi3SetFloat64", setting, [&](FmuInstance& fmu) {
    for_each_value(fmu, references, count, value_count,
                   [&](std::uint32_t reference, std::size_t at) { fmu.set(reference, values[at]); });
  });
}

#define HOOKE_NO_VALUES(Type)                                                                               \
  fmi3Status fmi3Get##Type(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3##Type*,       \
                           std::size_t) {                                                                   \
    return refuse(c, "fmi3Get" #Type, count, floats_only);                                                  \
  }                                                                                                         \
  fmi3Status fmi3Set##Type(fmi3Instance c, const fmi3ValueReference*, std::size_t count, const fmi3##Type*, \
                           std::size_t) {                                                                   \
    return refuse(c, "fmi3Set" #Type, count, floats_only);                                                  \
  }
HOOKE_NO_VALUES(Float32)
HOOKE_NO_VALUES(Int8)
HOOKE_NO_VALUES(UInt8)
HOOKE_NO_VALUES(Int16)
HOOKE_NO_VALUES(UInt16)
HOOKE_NO_VALUES(Int32)
HOOKE_NO_VALUES(UInt32)
HOOKE_NO_VALUES(Int64)
HOOKE_NO_VALUES(UInt64)
HOOKE_NO_VALUES(Boolean)
HOOKE_NO_VALUES(String)
#undef HOOKE_NO_VALUES
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference*, std::size_t count, std::size_t*,
                         fmi3Binary*, std::size_t) {
  return refuse(c, "fmi3GetBinary", count, floats_only);
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference*, std::size_t count, const std::size_t*,
                         const fmi3Binary*, std::size_t) {
  return refuse(c, "fmi3SetBinary", count, floats_only);
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3Clock*) {
  return refuse(c, "fmi3GetClock", count, no_clocks);
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference*, std::size_t count, const fmi3Clock*) {
  return refuse(c, "fmi3SetClock", count, no_clocks);
}

// --- structure, states, derivatives

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference, std::size_t*) {
  return refuse(c, "fmi3GetNumberOfVariableDependencies", 1, "dependencies are in modelDescription.xml");
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference, std::size_t*, fmi3ValueReference*,
                                       std::size_t*, fmi3DependencyKind*, std::size_t) {
  return refuse(c, "fmi3GetVariableDependencies", 1, "dependencies are in modelDescription.xml");
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  return shared(c, &FmuComponent::get_state, "fmi3GetFMUState", state);
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return shared(c, &FmuComponent::set_state, "fmi3SetFMUState", state);
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  return shared(c, &FmuComponent::free_state, "fmi3FreeFMUState", state);
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, std::size_t* size) {
  return shared(c, &FmuComponent::state_size, "fmi3SerializedFMUStateSize", state, size);
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte* bytes, std::size_t size) {
  return shared(c, &FmuComponent::write_state, "fmi3SerializeFMUState", state, reinterpret_cast<char*>(bytes),
                size);
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte* bytes, std::size_t size,
                                   fmi3FMUState* state) {
  return shared(c, &FmuComponent::read_state, "fmi3DeserializeFMUState", reinterpret_cast<const char*>(bytes),
                size, state);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference* unknowns,
                                        std::size_t unknown_count, const fmi3ValueReference* knowns,
                                        std::size_t known_count, const fmi3Float64* seed,
                                        std::size_t seed_count, fmi3Float64* sensitivity,
                                        std::size_t sensitivity_count) {
  return call(c, "fmi3GetDirectionalDerivative", getting, [&](FmuInstance& fmu) {
    fmu.directional_derivative(components(fmu, unknowns, unknown_count, sensitivity_count),
                               components(fmu, knowns, known_count, seed_count), {seed, seed_count},
                               {sensitivity, sensitivity_count});
  });
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference* unknowns,
                                    std::size_t unknown_count, const fmi3ValueReference* knowns,
                                    std::size_t known_count, const fmi3Float64* seed, std::size_t seed_count,
                                    fmi3Float64* sensitivity, std::size_t sensitivity_count) {
  return call(c, "fmi3GetAdjointDerivative", getting, [&](FmuInstance& fmu) {
    fmu.adjoint_derivative(components(fmu, unknowns, unknown_count, seed_count),
                           components(fmu, knowns, known_count, sensitivity_count), {seed, seed_count},
                           {sensitivity, sensitivity_count});
  });
}

// --- clocks, of which there are none

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3Float64*,
                                  fmi3IntervalQualifier*) {
  return refuse(c, "fmi3GetIntervalDecimal", count, no_clocks);
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3UInt64*,
                                   fmi3UInt64*, fmi3IntervalQualifier*) {
  return refuse(c, "fmi3GetIntervalFraction", count, no_clocks);
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3Float64*) {
  return refuse(c, "fmi3GetShiftDecimal", count, no_clocks);
}
fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t count, fmi3UInt64*,
                                fmi3UInt64*) {
  return refuse(c, "fmi3GetShiftFraction", count, no_clocks);
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t count,
                                  const fmi3Float64*) {
  return refuse(c, "fmi3SetIntervalDecimal", count, no_clocks);
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t count,
                                   const fmi3UInt64*, const fmi3UInt64*) {
  return refuse(c, "fmi3SetIntervalFraction", count, no_clocks);
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t count,
                               const fmi3Float64*) {
  return refuse(c, "fmi3SetShiftDecimal", count, no_clocks);
}
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t count,
                                const fmi3UInt64*, const fmi3UInt64*) {
  return refuse(c, "fmi3SetShiftFraction", count, no_clocks);
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference, fmi3Float64) {
  return refuse(c, "fmi3ActivateModelPartition", 1, no_clocks);
}

// --- events

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  return call(c, "fmi3EvaluateDiscreteStates", {P::initialising, P::event}, [](FmuInstance&) {});
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* needs_update, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* has_next_event, fmi3Float64* next_event) {
  return call(c, "fmi3UpdateDiscreteStates", event, [&](FmuInstance& fmu) {
    const FmuInstance::Update update = fmu.update();
    *needs_update = *nominals_changed = false;
    *terminate = update.has_ended;
    *values_changed = update.has_changed;
    *has_next_event = update.next_time < std::numeric_limits<double>::infinity();
    *next_event = *has_next_event ? update.next_time : 0;
  });
}

// --- co-simulation

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference*, std::size_t count,
                                    const fmi3Int32*, fmi3Float64*, std::size_t) {
  return refuse(c, "fmi3GetOutputDerivatives", count, "this FMU gives no derivatives of outputs by time");
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean, fmi3Boolean* event_needed,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* last_time) {
  return call(c, "fmi3DoStep", stepping, [&](FmuInstance& fmu) {
    auto& component = *static_cast<Component3*>(c);
    *event_needed = *early_return = false;
    const auto interrupt = [&](double now) {
      if (component.uses_events && fmu.has_event() && now < t + h) return *event_needed = true;
      bool wanted = false;
      double when = now;
      if (component.intermediate) {
        fmu.look_again();
        const bool goes_on = t + h - now > 1e-9 * h;
        component.intermediate(component.environment, now, goes_on, true, true, component.may_return_early,
                               &wanted, &when);
      }
      return wanted && component.may_return_early;
    };
    const FmuInstance::Step step = fmu.advance(t, h, interrupt);
    *terminate = step.has_ended;
    *last_time = step.t;
    if (component.uses_events && fmu.has_event()) *event_needed = true;
    if (step.is_complete || step.has_ended) return Severity::ok;
    if (step.failure.empty()) {
      *early_return = true;
      return Severity::ok;
    }
    fmu.phase = P::failed;
    component.say(Severity::discard, "fmi3DoStep: " + step.failure);
    return Severity::discard;
  });
}

// --- model exchange

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean, fmi3Boolean* enter_event_mode,
                                       fmi3Boolean* terminate) {
  *terminate = false;
  return shared(c, &FmuComponent::complete_step, "fmi3CompletedIntegratorStep", enter_event_mode);
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) {
  return shared(c, &FmuComponent::set_time, "fmi3SetTime", t);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64* x, std::size_t count) {
  return shared(c, &FmuComponent::set_states, "fmi3SetContinuousStates", x, count);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64* rates, std::size_t count) {
  return shared(c, &FmuComponent::get_derivatives, "fmi3GetContinuousStateDerivatives", rates, count);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64* x, std::size_t count) {
  return shared(c, &FmuComponent::get_states, "fmi3GetContinuousStates", x, count);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64* sizes, std::size_t count) {
  return shared(c, &FmuComponent::get_nominals, "fmi3GetNominalsOfContinuousStates", sizes, count);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64* values, std::size_t count) {
  return shared(c, &FmuComponent::get_indicators, "fmi3GetEventIndicators", values, count);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, std::size_t* count) {
  return call(c, "fmi3GetNumberOfEventIndicators", any,
              [&](FmuInstance& fmu) { *count = static_cast<std::size_t>(fmu.indicators()); });
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, std::size_t* count) {
  return call(c, "fmi3GetNumberOfContinuousStates", any,
              [&](FmuInstance& fmu) { *count = static_cast<std::size_t>(fmu.states()); });
}

}  // extern "C"

#pragma GCC visibility pop
