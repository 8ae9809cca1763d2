#pragma once
// The types and functions of FMI 3.0, as the standard names them; see fmi2.h.
#include <cstddef>
#include <cstdint>

extern "C" {

using fmi3Instance = void*;
using fmi3InstanceEnvironment = void*;
using fmi3FMUState = void*;
using fmi3ValueReference = std::uint32_t;
using fmi3Float32 = float;
using fmi3Float64 = double;
using fmi3Int8 = std::int8_t;
using fmi3UInt8 = std::uint8_t;
using fmi3Int16 = std::int16_t;
using fmi3UInt16 = std::uint16_t;
using fmi3Int32 = std::int32_t;
using fmi3UInt32 = std::uint32_t;
using fmi3Int64 = std::int64_t;
using fmi3UInt64 = std::uint64_t;
using fmi3Boolean = bool;
using fmi3Clock = bool;
using fmi3String = const char*;
using fmi3Byte = std::uint8_t;
using fmi3Binary = const fmi3Byte*;

enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal };
enum fmi3DependencyKind {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
};
enum fmi3IntervalQualifier { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged };

using fmi3LogMessageCallback = void (*)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                        fmi3String message);
using fmi3ClockUpdateCallback = void (*)(fmi3InstanceEnvironment);
using fmi3IntermediateUpdateCallback = void (*)(fmi3InstanceEnvironment, fmi3Float64 time,
                                                fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                                fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                                fmi3Boolean* early_return_requested,
                                                fmi3Float64* early_return_time);
using fmi3LockPreemptionCallback = void (*)();
using fmi3UnlockPreemptionCallback = void (*)();

// Life.
const char* fmi3GetVersion();
fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean on, std::size_t count,
                               const fmi3String categories[]);
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         std::size_t intermediate_count, fmi3InstanceEnvironment,
                                         fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment,
                                          fmi3LogMessageCallback);
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback);
void fmi3FreeInstance(fmi3Instance);
fmi3Status fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop);
fmi3Status fmi3ExitInitializationMode(fmi3Instance);
fmi3Status fmi3EnterEventMode(fmi3Instance);
fmi3Status fmi3Terminate(fmi3Instance);
fmi3Status fmi3Reset(fmi3Instance);
fmi3Status fmi3EnterConfigurationMode(fmi3Instance);
fmi3Status fmi3ExitConfigurationMode(fmi3Instance);

// Values.
#define HOOKE_FMI3_VALUES(Type)                                                                       \
  fmi3Status fmi3Get##Type(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3##Type[],       \
                           std::size_t);                                                              \
  fmi3Status fmi3Set##Type(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3##Type[], \
                           std::size_t);
HOOKE_FMI3_VALUES(Float32)
HOOKE_FMI3_VALUES(Float64)
HOOKE_FMI3_VALUES(Int8)
HOOKE_FMI3_VALUES(UInt8)
HOOKE_FMI3_VALUES(Int16)
HOOKE_FMI3_VALUES(UInt16)
HOOKE_FMI3_VALUES(Int32)
HOOKE_FMI3_VALUES(UInt32)
HOOKE_FMI3_VALUES(Int64)
HOOKE_FMI3_VALUES(UInt64)
HOOKE_FMI3_VALUES(Boolean)
HOOKE_FMI3_VALUES(String)
#undef HOOKE_FMI3_VALUES
fmi3Status fmi3GetBinary(fmi3Instance, const fmi3ValueReference[], std::size_t, std::size_t sizes[],
                         fmi3Binary[], std::size_t);
fmi3Status fmi3SetBinary(fmi3Instance, const fmi3ValueReference[], std::size_t, const std::size_t sizes[],
                         const fmi3Binary[], std::size_t);
fmi3Status fmi3GetClock(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3Clock[]);
fmi3Status fmi3SetClock(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3Clock[]);

// Structure, states, derivatives.
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance, fmi3ValueReference, std::size_t*);
fmi3Status fmi3GetVariableDependencies(fmi3Instance, fmi3ValueReference dependent, std::size_t elements[],
                                       fmi3ValueReference independents[], std::size_t independent_elements[],
                                       fmi3DependencyKind[], std::size_t);
fmi3Status fmi3GetFMUState(fmi3Instance, fmi3FMUState*);
fmi3Status fmi3SetFMUState(fmi3Instance, fmi3FMUState);
fmi3Status fmi3FreeFMUState(fmi3Instance, fmi3FMUState*);
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState, std::size_t*);
fmi3Status fmi3SerializeFMUState(fmi3Instance, fmi3FMUState, fmi3Byte[], std::size_t);
fmi3Status fmi3DeserializeFMUState(fmi3Instance, const fmi3Byte[], std::size_t, fmi3FMUState*);
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance, const fmi3ValueReference unknowns[], std::size_t,
                                        const fmi3ValueReference knowns[], std::size_t,
                                        const fmi3Float64 seed[], std::size_t, fmi3Float64 sensitivity[],
                                        std::size_t);
fmi3Status fmi3GetAdjointDerivative(fmi3Instance, const fmi3ValueReference unknowns[], std::size_t,
                                    const fmi3ValueReference knowns[], std::size_t, const fmi3Float64 seed[],
                                    std::size_t, fmi3Float64 sensitivity[], std::size_t);

// Clocks and events.
fmi3Status fmi3GetIntervalDecimal(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3Float64[],
                                  fmi3IntervalQualifier[]);
fmi3Status fmi3GetIntervalFraction(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3UInt64[],
                                   fmi3UInt64[], fmi3IntervalQualifier[]);
fmi3Status fmi3GetShiftDecimal(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3Float64[]);
fmi3Status fmi3GetShiftFraction(fmi3Instance, const fmi3ValueReference[], std::size_t, fmi3UInt64[],
                                fmi3UInt64[]);
fmi3Status fmi3SetIntervalDecimal(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3Float64[]);
fmi3Status fmi3SetIntervalFraction(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3UInt64[],
                                   const fmi3UInt64[]);
fmi3Status fmi3SetShiftDecimal(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3Float64[]);
fmi3Status fmi3SetShiftFraction(fmi3Instance, const fmi3ValueReference[], std::size_t, const fmi3UInt64[],
                                const fmi3UInt64[]);
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance);
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance, fmi3Boolean* needs_update, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* has_next_event, fmi3Float64* next_event);

// Co-simulation, scheduled execution.
fmi3Status fmi3EnterStepMode(fmi3Instance);
fmi3Status fmi3GetOutputDerivatives(fmi3Instance, const fmi3ValueReference[], std::size_t,
                                    const fmi3Int32 orders[], fmi3Float64[], std::size_t);
fmi3Status fmi3DoStep(fmi3Instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_time);
fmi3Status fmi3ActivateModelPartition(fmi3Instance, fmi3ValueReference clock, fmi3Float64 time);

// Model exchange.
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance);
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance, fmi3Boolean no_rollback, fmi3Boolean* enter_event_mode,
                                       fmi3Boolean* terminate);
fmi3Status fmi3SetTime(fmi3Instance, fmi3Float64);
fmi3Status fmi3SetContinuousStates(fmi3Instance, const fmi3Float64[], std::size_t);
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance, fmi3Float64[], std::size_t);
fmi3Status fmi3GetEventIndicators(fmi3Instance, fmi3Float64[], std::size_t);
fmi3Status fmi3GetContinuousStates(fmi3Instance, fmi3Float64[], std::size_t);
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance, fmi3Float64[], std::size_t);
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance, std::size_t*);
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance, std::size_t*);
}
