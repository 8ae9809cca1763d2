#include "hooke/fmi/runtime/component.h"

#include <cstring>

namespace hooke {

using namespace fmu_phases;
using Severity = FmuComponent::Severity;

static std::string& bytes_of(void* state) {
  if (!state) throw Error(ExitCode::usage, "there is no such state");
  return *static_cast<std::string*>(state);
}

Severity FmuComponent::refuse(const char* function, std::size_t count, const char* why) {
  return call(function, any, [&](FmuInstance&) {
    if (count > 0) throw Error(ExitCode::usage, why);
  });
}
Severity FmuComponent::set_logging(const char* function, bool on, std::size_t count,
                                   const char* const* names) {
  return call(function, any, [&](FmuInstance&) {
    logs = on;
    categories.assign(names, names + count);
  });
}
Severity FmuComponent::reset(const char* function) {
  return call(function, any, [](FmuInstance& fmu) { fmu.reset(); });
}
Severity FmuComponent::terminate(const char* function) {
  return call(function, running, [](FmuInstance& fmu) { fmu.phase = P::terminated; });
}

// --- states

Severity FmuComponent::get_state(const char* function, void** state) {
  return call(function, any, [&](FmuInstance& fmu) {
    auto saved = std::make_unique<std::string>(fmu.save());
    if (*state)
      bytes_of(*state) = std::move(*saved);
    else
      *state = saved.release();
  });
}
Severity FmuComponent::set_state(const char* function, void* state) {
  return call(function, any, [&](FmuInstance& fmu) { fmu.restore(bytes_of(state)); });
}
Severity FmuComponent::free_state(const char* function, void** state) {
  return call(function, any, [&](FmuInstance&) {
    if (state) delete static_cast<std::string*>(std::exchange(*state, nullptr));
  });
}
Severity FmuComponent::state_size(const char* function, void* state, std::size_t* size) {
  return call(function, any, [&](FmuInstance&) { *size = bytes_of(state).size(); });
}
Severity FmuComponent::write_state(const char* function, void* state, char* bytes, std::size_t size) {
  return call(function, any, [&](FmuInstance&) {
    const std::string& saved = bytes_of(state);
    if (size < saved.size()) throw Error(ExitCode::usage, formatted("the state has {} bytes", saved.size()));
    std::memcpy(bytes, saved.data(), saved.size());
  });
}
Severity FmuComponent::read_state(const char* function, const char* bytes, std::size_t size, void** state) {
  return call(function, any, [&](FmuInstance&) {
    if (*state)
      bytes_of(*state).assign(bytes, size);
    else
      *state = new std::string(bytes, size);
  });
}

// --- model exchange

Severity FmuComponent::enter_event_mode(const char* function, bool from_steps) {
  const auto enter = [](FmuInstance& fmu) { fmu.phase = P::event; };
  return from_steps ? call(function, {P::step, P::continuous}, enter) : call(function, exchanging, enter);
}
Severity FmuComponent::enter_continuous_time(const char* function) {
  return call(function, event, [](FmuInstance& fmu) { fmu.phase = P::continuous; });
}
Severity FmuComponent::set_time(const char* function, double t) {
  return call(function, exchanging, [&](FmuInstance& fmu) { fmu.set_time(t); });
}
Severity FmuComponent::complete_step(const char* function, bool* wants_event) {
  return call(function, continuous, [&](FmuInstance& fmu) { *wants_event = fmu.complete_step(); });
}

Severity FmuComponent::with_states(const char* function, std::initializer_list<Phase> allowed,
                                   std::size_t count, auto&& work) {
  return call(function, allowed, [&](FmuInstance& fmu) {
    if (count != static_cast<std::size_t>(fmu.states()))
      throw Error(ExitCode::usage, formatted("the FMU has {} continuous states", fmu.states()));
    work(fmu);
  });
}
Severity FmuComponent::set_states(const char* function, const double* x, std::size_t count) {
  return with_states(function, exchanging, count, [&](FmuInstance& fmu) { fmu.set_states({x, count}); });
}
Severity FmuComponent::get_states(const char* function, double* x, std::size_t count) {
  return with_states(function, getting, count, [&](FmuInstance& fmu) { fmu.get_states({x, count}); });
}
Severity FmuComponent::get_derivatives(const char* function, double* rates, std::size_t count) {
  return with_states(function, getting, count, [&](FmuInstance& fmu) {
    fmu.get_derivatives({rates, count});
  });
}
Severity FmuComponent::get_nominals(const char* function, double* sizes, std::size_t count) {
  return with_states(function, any, count, [&](FmuInstance& fmu) { fmu.get_nominals({sizes, count}); });
}
Severity FmuComponent::get_indicators(const char* function, double* values, std::size_t count) {
  return call(function, getting, [&](FmuInstance& fmu) {
    if (count != static_cast<std::size_t>(fmu.indicators()))
      throw Error(ExitCode::usage, formatted("the FMU has {} event indicators", fmu.indicators()));
    fmu.get_indicators({values, count});
  });
}

// --- where it is

std::string folder_of(const char* location) {
  if (!location || !*location)
    throw Error(ExitCode::file, "the FMU was told no folder of its resources, where its model is");
  std::string text = location;
  if (text.starts_with("file:")) {
    text.erase(0, 5);
    if (text.starts_with("//")) text.erase(0, std::min(text.find('/', 2), text.size()));
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        plain += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
        i += 2;
      } else {
        plain += text[i];
      }
    }
    text = plain;
  }
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace hooke
