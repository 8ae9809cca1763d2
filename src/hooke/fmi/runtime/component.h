#pragma once
#include <initializer_list>

#include "hooke/base/format.h"
#include "hooke/fmi/runtime/instance.h"

namespace hooke {

/// What the functions of both versions share: an instance, whom it tells what is wrong, and in which order it may be called.
struct FmuComponent {
  enum class Severity { ok, warning, discard, error, fatal };
  using Phase = FmuInstance::Phase;

  std::unique_ptr<FmuInstance> instance;
  std::string name;
  bool logs = false;
  std::vector<std::string> categories{};  ///< that are told; empty: all
  std::function<void(Severity, const char* category, const std::string& message)> log;

  void say(Severity severity, const std::string& message) const {
    constexpr std::array names{"logEvents", "logStatusWarning", "logStatusDiscard", "logStatusError",
                               "logStatusFatal"};
    const char* const category = names[static_cast<std::size_t>(severity)];
    const bool is_wanted = logs && (categories.empty() || std::find(categories.begin(), categories.end(),
                                                                    category) != categories.end());
    if (log && (is_wanted || severity >= Severity::error)) log(severity, category, message);
  }

  /// What happens in the instance goes to the log, too.
  void listen() {
    instance->on_event = [this](double t, const std::string& text) {
      say(Severity::ok, formatted("t = {:.10g} s: {}", t, text));
    };
    instance->on_warning = [this](const std::string& text) { say(Severity::warning, text); };
  }

  /// Runs one function of the standard: its reasons for failing go to the log.
  Severity call(const char* function, std::initializer_list<Phase> allowed, auto&& work) {
    try {
      if (std::find(allowed.begin(), allowed.end(), instance->phase) == allowed.end())
        throw Error(ExitCode::usage, "is not allowed in this state of the instance");
      if constexpr (std::is_void_v<decltype(work(*instance))>) {
        work(*instance);
        return Severity::ok;
      } else {
        return work(*instance);
      }
    } catch (const std::exception& error) {
      say(Severity::error, formatted("{}: {}", function, error.what()));
    } catch (...) {
      say(Severity::error, formatted("{}: an error without a name", function));
    }
    return Severity::error;
  }

  /// Without a list, all categories. Errors are told in any case.
  Severity set_logging(const char* function, bool on, std::size_t count, const char* const* names);

  // --- what both versions have but for its name, which the log is told

  /// Where `count` values are asked for that there are not.
  Severity refuse(const char* function, std::size_t count, const char* why);
  Severity reset(const char* function);
  Severity terminate(const char* function);

  /// A state is a text of bytes.
  Severity get_state(const char* function, void** state);
  Severity set_state(const char* function, void* state);
  Severity free_state(const char* function, void** state);
  Severity state_size(const char* function, void* state, std::size_t* size);
  Severity write_state(const char* function, void* state, char* bytes, std::size_t size);
  Severity read_state(const char* function, const char* bytes, std::size_t size, void** state);

  // --- of model exchange
  Severity enter_event_mode(const char* function, bool from_steps);
  Severity enter_continuous_time(const char* function);
  Severity set_time(const char* function, double t);
  Severity complete_step(const char* function, bool* wants_event);
  Severity set_states(const char* function, const double* x, std::size_t count);
  Severity get_states(const char* function, double* x, std::size_t count);
  Severity get_derivatives(const char* function, double* rates, std::size_t count);
  Severity get_nominals(const char* function, double* sizes, std::size_t count);
  Severity get_indicators(const char* function, double* values, std::size_t count);

 private:
  Severity with_states(const char* function, std::initializer_list<Phase> allowed, std::size_t count,
                       auto&& work);
};

namespace fmu_phases {
using P = FmuInstance::Phase;
inline constexpr std::initializer_list<P> any{P::instantiated, P::initialising, P::event,     P::step,
                                              P::continuous,   P::failed,       P::terminated},
    fresh{P::instantiated}, initialising{P::initialising},
    setting{P::instantiated, P::initialising, P::event, P::step, P::continuous},
    getting{P::initialising, P::event, P::step, P::continuous, P::failed, P::terminated},
    running{P::event, P::step, P::continuous, P::failed}, stepping{P::step}, continuous{P::continuous},
    event{P::event}, exchanging{P::event, P::continuous};
}  // namespace fmu_phases

/// The folder that a file URI or a path names.
std::string folder_of(const char* location);

}  // namespace hooke
