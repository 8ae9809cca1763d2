#pragma once
#include <dlfcn.h>

#include <limits>

#include "hooke/base/error.h"
#include "hooke/fmi/fmu_link.h"

namespace hooke {

/// The library and what the FMU said last, for messages.
class FmuLibrary {
 public:
  FmuLibrary(const FmuFile& file, const std::string& instance, bool for_exchange)
      : resources((file.folder.path() / "resources").string()), name(instance), path_(file.path) {
    handle_ = dlopen(file.library(for_exchange).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
      throw Error(ExitCode::file, formatted("{}: its library cannot be loaded: {}", path_, dlerror()));
  }
  FmuLibrary(const FmuLibrary&) = delete;
  FmuLibrary& operator=(const FmuLibrary&) = delete;
  ~FmuLibrary() { dlclose(handle_); }

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

/// An FMU in this process. Of model exchange, x' = f(x, u, t) and events between which f is smooth: what Hooke needs to
/// integrate it (fmu_exchange.cpp).
class LoadedFmu : public FmuLink {
 public:
  virtual void set_time(double t) = 0;
  virtual void set_states(std::span<const double> x) = 0;
  virtual void get_states(std::span<double> x) = 0;
  virtual void get_rates(std::span<double> rates) = 0;
  virtual void get_nominals(std::span<double> sizes) = 0;
  virtual void get_indicators(std::span<double> values) = 0;
  struct Event {
    bool has_ended = false;
    double next_time = std::numeric_limits<double>::infinity();
  };
  /// Event mode, in which it is at the start, until nothing changes any more; then continuous time.
  virtual Event happen(bool at_start) = 0;
  struct Completed {
    bool wants_event = false, has_ended = false;
  };
  virtual Completed complete_step() = 0;
  static constexpr int most_passes = 1000;  ///< of events at one moment
  /// Directional derivatives of some numbers by one, where the FMU offers them.
  virtual void derivatives(std::span<const FmuNumber> of, const FmuNumber& by, std::span<double> values) = 0;

  StateSpace linearise(std::span<const FmuNumber>, std::span<const FmuNumber>) override {
    throw Error(ExitCode::usage, "an FMU that takes its own steps does not tell its equations");
  }
};

/// By the functions of FMI 2.0 (fmu_library2.cpp) and 3.0 (fmu_library3.cpp).
std::unique_ptr<LoadedFmu> load_fmu2(const FmuFile& file, const std::string& instance, bool for_exchange);
std::unique_ptr<LoadedFmu> load_fmu3(const FmuFile& file, const std::string& instance, bool for_exchange);
/// With Hooke's integrators (fmu_exchange.cpp).
std::unique_ptr<FmuLink> integrate_fmu(std::unique_ptr<LoadedFmu> fmu, const FmuFile& file,
                                       const ExchangeSettings& settings);

}  // namespace hooke
