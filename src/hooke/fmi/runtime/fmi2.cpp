// The functions of FMI 2.0 of an FMU that Hooke exported.
#include "hooke/fmi/fmi2.h"

#include <limits>

#include "hooke/fmi/runtime/component.h"

#pragma GCC visibility push(default)

namespace {

using namespace hooke;
using namespace hooke::fmu_phases;
using Severity = FmuComponent::Severity;

struct Component2 : FmuComponent {
  bool is_exchange = false;
  double last_time = 0;
  bool has_ended = false;
};

/// Of the versions' severities both begin alike.
fmi2Status status_of(Severity severity) { return static_cast<fmi2Status>(severity); }

fmi2Status call(fmi2Component c, const char* function, std::initializer_list<P> allowed, auto&& work) {
  if (!c) return fmi2Error;
  return status_of(static_cast<Component2*>(c)->call(function, allowed, work));
}

/// What both versions have (component.h).
template <class... Arguments>
fmi2Status shared(fmi2Component c, FmuComponent::Severity (FmuComponent::*work)(const char*, Arguments...),
                  const char* function, std::type_identity_t<Arguments>... arguments) {
  if (!c) return fmi2Error;
  return static_cast<fmi2Status>((static_cast<Component2*>(c)->*work)(function, arguments...));
}

/// The model has numbers alone.
fmi2Status refuse(fmi2Component c, const char* function, std::size_t count, const char* why) {
  return shared(c, &FmuComponent::refuse, function, count, why);
}
constexpr const char* reals_only = "all variables of this FMU are of type Real";

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return "default"; }
const char* fmi2GetVersion() { return "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, std::size_t count,
                               const fmi2String* categories) {
  return shared(c, &FmuComponent::set_logging, "fmi2SetDebugLogging", on != 0, count, categories);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean, fmi2Boolean logging) {
  auto made = std::make_unique<Component2>();
  made->name = name ? name : "";
  made->logs = logging != 0;
  made->is_exchange = type == fmi2ModelExchange;
  if (functions && functions->logger)
    made->log = [f = *functions, c = made.get()](Severity severity, const char* category,
                                                 const std::string& text) {
      f.logger(f.componentEnvironment, c->name.c_str(), status_of(severity), category, "%s", text.c_str());
    };
  try {
    made->instance = std::make_unique<FmuInstance>(folder_of(resources), guid ? guid : "");
    made->listen();
  } catch (const std::exception& error) {
    made->say(Severity::error, formatted("fmi2Instantiate: {}", error.what()));
    return nullptr;
  }
  return made.release();
}

void fmi2FreeInstance(fmi2Component c) { delete static_cast<Component2*>(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean,
                               fmi2Real) {
  return call(c, "fmi2SetupExperiment", fresh, [&](FmuInstance& fmu) { fmu.set_start(start); });
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return call(c, "fmi2EnterInitializationMode", fresh,
              [](FmuInstance& fmu) { fmu.time(), fmu.phase = P::initialising; });
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return call(c, "fmi2ExitInitializationMode", initialising, [&](FmuInstance& fmu) {
    fmu.end_initialising();
    const bool exchanges = static_cast<Component2*>(c)->is_exchange;
    if (exchanges) fmu.begin_exchange();
    fmu.phase = exchanges ? P::event : P::step;
  });
}

fmi2Status fmi2Terminate(fmi2Component c) { return shared(c, &FmuComponent::terminate, "fmi2Terminate"); }

fmi2Status fmi2Reset(fmi2Component c) { return shared(c, &FmuComponent::reset, "fmi2Reset"); }

// --- values

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                       fmi2Real* values) {
  return call(c, "fmi2GetReal", getting, [&](FmuInstance& fmu) {
    for (std::size_t i = 0; i < count; ++i) values[i] = fmu.value(references[i]);
  });
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                       const fmi2Real* values) {
  return call(c, "fmi2SetReal", setting, [&](FmuInstance& fmu) {
    for (std::size_t i = 0; i < count; ++i) fmu.set(references[i], values[i]);
  });
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference*, std::size_t count, fmi2Integer*) {
  return refuse(c, "fmi2GetInteger", count, reals_only);
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference*, std::size_t count, fmi2Boolean*) {
  return refuse(c, "fmi2GetBoolean", count, reals_only);
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference*, std::size_t count, fmi2String*) {
  return refuse(c, "fmi2GetString", count, reals_only);
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference*, std::size_t count, const fmi2Integer*) {
  return refuse(c, "fmi2SetInteger", count, reals_only);
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference*, std::size_t count, const fmi2Boolean*) {
  return refuse(c, "fmi2SetBoolean", count, reals_only);
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference*, std::size_t count, const fmi2String*) {
  return refuse(c, "fmi2SetString", count, reals_only);
}

// --- states

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return shared(c, &FmuComponent::get_state, "fmi2GetFMUstate", state);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return shared(c, &FmuComponent::set_state, "fmi2SetFMUstate", state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return shared(c, &FmuComponent::free_state, "fmi2FreeFMUstate", state);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, std::size_t* size) {
  return shared(c, &FmuComponent::state_size, "fmi2SerializedFMUstateSize", state, size);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* bytes, std::size_t size) {
  return shared(c, &FmuComponent::write_state, "fmi2SerializeFMUstate", state, bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, std::size_t size,
                                   fmi2FMUstate* state) {
  return shared(c, &FmuComponent::read_state, "fmi2DeSerializeFMUstate", bytes, size, state);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknowns,
                                        std::size_t unknown_count, const fmi2ValueReference* knowns,
                                        std::size_t known_count, const fmi2Real* seed,
                                        fmi2Real* sensitivity) {
  return call(c, "fmi2GetDirectionalDerivative", getting, [&](FmuInstance& fmu) {
    fmu.directional_derivative({unknowns, unknown_count}, {knowns, known_count}, {seed, known_count},
                               {sensitivity, unknown_count});
  });
}

// --- co-simulation

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference* references,
                                       std::size_t count, const fmi2Integer* orders, const fmi2Real* values) {
  return call(c, "fmi2SetRealInputDerivatives", setting, [&](FmuInstance& fmu) {
    for (std::size_t i = 0; i < count; ++i) fmu.set_input_derivative(references[i], orders[i], values[i]);
  });
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t count,
                                        const fmi2Integer*, fmi2Real*) {
  return refuse(c, "fmi2GetRealOutputDerivatives", count, "this FMU gives no derivatives of outputs by time");
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean) {
  return call(c, "fmi2DoStep", stepping, [&](FmuInstance& fmu) {
    auto& component = *static_cast<Component2*>(c);
    const FmuInstance::Step step = fmu.advance(t, h);
    component.last_time = step.t;
    component.has_ended = step.has_ended;
    if (step.is_complete) return Severity::ok;
    if (!step.failure.empty()) fmu.phase = P::failed;
    component.say(Severity::discard,
                  "fmi2DoStep: " + (step.has_ended ? "an event of the model ended it" : step.failure));
    return Severity::discard;
  });
}

fmi2Status fmi2CancelStep(fmi2Component c) {
  return refuse(c, "fmi2CancelStep", 1, "steps are not asynchronous");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind, fmi2Status*) {
  return refuse(c, "fmi2GetStatus", 1, "steps are not asynchronous");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  return call(c, "fmi2GetRealStatus", any, [&](FmuInstance&) {
    if (kind != fmi2LastSuccessfulTime)
      throw Error(ExitCode::usage, "the time of the last step is all there is");
    *value = static_cast<Component2*>(c)->last_time;
  });
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) {
  return refuse(c, "fmi2GetIntegerStatus", 1, "there is no status of this type");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  return call(c, "fmi2GetBooleanStatus", any, [&](FmuInstance&) {
    if (kind != fmi2Terminated) throw Error(ExitCode::usage, "whether it ended is all there is");
    *value = static_cast<Component2*>(c)->has_ended ? 1 : 0;
  });
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind, fmi2String*) {
  return refuse(c, "fmi2GetStringStatus", 1, "there is no status of this type");
}

// --- model exchange

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  return shared(c, &FmuComponent::enter_event_mode, "fmi2EnterEventMode", false);
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  return call(c, "fmi2NewDiscreteStates", event, [&](FmuInstance& fmu) {
    const FmuInstance::Update update = fmu.update();
    const bool has_next = update.next_time < std::numeric_limits<double>::infinity();
    *info = {0, update.has_ended, 0, update.has_changed, has_next, has_next ? update.next_time : 0};
  });
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return shared(c, &FmuComponent::enter_continuous_time, "fmi2EnterContinuousTimeMode");
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean* enter_event_mode,
                                       fmi2Boolean* terminate) {
  bool wants_event = false;
  const fmi2Status status =
      shared(c, &FmuComponent::complete_step, "fmi2CompletedIntegratorStep", &wants_event);
  *enter_event_mode = wants_event ? 1 : 0;
  *terminate = 0;
  return status;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  return shared(c, &FmuComponent::set_time, "fmi2SetTime", t);
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real* x, std::size_t count) {
  return shared(c, &FmuComponent::set_states, "fmi2SetContinuousStates", x, count);
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real* rates, std::size_t count) {
  return shared(c, &FmuComponent::get_derivatives, "fmi2GetDerivatives", rates, count);
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real* x, std::size_t count) {
  return shared(c, &FmuComponent::get_states, "fmi2GetContinuousStates", x, count);
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real* sizes, std::size_t count) {
  return shared(c, &FmuComponent::get_nominals, "fmi2GetNominalsOfContinuousStates", sizes, count);
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real* values, std::size_t count) {
  return shared(c, &FmuComponent::get_indicators, "fmi2GetEventIndicators", values, count);
}

}  // extern "C"

#pragma GCC visibility pop
