#pragma once
// Errors that say where. Everything that can be wrong with a user's input becomes a Diagnostic: the place in
// the file, the key path, and a sentence about what would be right:
//
//   slider_crank.yaml:41:7: joints.B.frames[0]: no body named 'crnak' (did you mean 'crank'?)
//
// A reader collects them in a Diagnostics and throws them together, so that one run shows all mistakes of a
// file. What is not about one place in a model is a plain Error with an exit code.
#include "hooke/base/format.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hooke {

/// Exit status of the program; documented for scripts, so the numbers never change.
enum class ExitCode {
  ok = 0,
  internal = 1,
  usage = 2,
  bad_model = 3,
  not_assembled = 4,  // no consistent start, or contradictory constraints
  step_failed = 5,
  file = 6,
  not_trusted = 7,  // the run was computed and cannot be right: energy from nowhere, joints apart
  interrupted = 130,
};

/// A place in an input file, counted from 1. Line 0: the whole file, or input that is not a file.
struct Location {
  std::string file;
  int line = 0, column = 0;

  bool operator==(const Location&) const = default;
};

struct Diagnostic {
  enum class Severity { error, warning };

  Location at;
  std::string path;  // such as joints.B.axis[1]; may be empty
  std::string message;
  Severity severity = Severity::error;
};

std::string to_string(const Location& at);
/// Place, path and message; that it is an error or a warning is said by who prints it.
std::string to_string(const Diagnostic& diagnostic);

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }
  /// The motion could not be computed, or is not to be believed: a run ends so, and what it recorded is kept.
  bool is_of_motion() const { return code_ == ExitCode::step_failed || code_ == ExitCode::not_trusted; }

 private:
  ExitCode code_;
};

/// All that is wrong with a model; what() has one line per diagnostic.
class ModelError : public Error {
 public:
  explicit ModelError(std::vector<Diagnostic> diagnostics, int left_out = 0);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Collects what is wrong. The same complaint about the same place is kept once (a loop would repeat it), and
/// after `limit` errors the rest is only counted.
class Diagnostics {
 public:
  static constexpr int limit = 100;

  template <class... Args>
  void error(Location at, std::string path, Format<Args...> text, const Args&... args) {
    add({std::move(at), std::move(path), formatted<Args...>(text, args...)});
  }
  template <class... Args>
  void warning(Location at, std::string path, Format<Args...> text, const Args&... args) {
    add({std::move(at), std::move(path), formatted<Args...>(text, args...), Diagnostic::Severity::warning});
  }
  void add(Diagnostic diagnostic);

  bool has_errors() const { return !errors_.empty(); }
  bool is_full() const { return static_cast<int>(errors_.size()) >= limit; }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> errors_, warnings_;
  int left_out_ = 0;
};

}  // namespace hooke
