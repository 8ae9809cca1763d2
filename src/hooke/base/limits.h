#pragma once
// Whatever input can make large has a limit, so that a slip or a hostile file ends in a message, not in a full memory or
// a hang. This is the one list of them; docs/limits.md is its table.
//
// An environment variable raises (or lowers) a limit: HOOKE_LIMIT_BODIES=1e6. Some cannot be raised: they protect the
// call stack or the range of numbers, or a table in the code has that size.
#include <array>
#include <string>

namespace hooke {

struct Limit {
  const char* name;  ///< of the variable, after HOOKE_LIMIT_
  double most;
  const char* text;  ///< what it bounds, as it follows a number: "1000 files that a model includes"
  bool is_fixed = false;

  /// The number that holds now. Throws Error when the variable is no positive number.
  double value() const;
  bool holds(double amount) const { return amount <= value(); }
  /// "the limit is 1000, the environment variable HOOKE_LIMIT_INCLUDES raises it"
  std::string advice() const;
  /// "2000 files that a model includes: the limit is ...", or nothing where it holds.
  std::string excess(double amount) const;
};

namespace limits {

inline constexpr Limit file_size{"FILE_SIZE", 64, "MiB of a file that is read"};
inline constexpr Limit values{"VALUES", 5e6, "values of a model, with those made by loops and aliases"};
inline constexpr Limit includes{"INCLUDES", 1000, "files that a model includes"};
inline constexpr Limit parameters{"PARAMETERS", 10'000, "parameters"};
inline constexpr Limit nesting{"NESTING", 100, "levels of lists and mappings", true};
inline constexpr Limit formula{"FORMULA", 10'000, "characters of a formula", true};
inline constexpr Limit name{"NAME", 100, "characters of a name", true};
inline constexpr Limit number{"NUMBER", 1e50, "as a number, positive or negative", true};
inline constexpr Limit bodies{"BODIES", 1e5, "bodies"};
inline constexpr Limit rod_elements{"ROD_ELEMENTS", 1e5, "elements of a rod"};
inline constexpr Limit solid_elements{"SOLID_ELEMENTS", 1e6, "elements of a solid"};
inline constexpr Limit modes{"MODES", 58, "modes of a body", true};
inline constexpr Limit set_members{"SET_MEMBERS", 1e8, "members of the sets of a mesh file"};
inline constexpr Limit triangles{"TRIANGLES", 5e6, "triangles or corners of a mesh for pictures"};
inline constexpr Limit steps{"STEPS", 1e10, "steps of a run"};
inline constexpr Limit outputs{"OUTPUTS", 1e9, "outputs of a run"};
inline constexpr Limit iterations{"ITERATIONS", 1e4, "Newton iterations of a step"};
inline constexpr Limit threads{"THREADS", 64, "threads", true};
inline constexpr Limit check_seconds{"CHECK_SECONDS", 10,
                                     "seconds to open a results file, and one more for 20 MB"};
inline constexpr Limit check_memory{"CHECK_MEMORY", 1024,
                                    "MiB to open a results file, and four times its size"};

inline constexpr std::array all{file_size,      values,     includes,    parameters,    nesting,
                                formula,        name,       number,      bodies,        rod_elements,
                                solid_elements, modes,      set_members, triangles,     steps,
                                outputs,        iterations, threads,     check_seconds, check_memory};

}  // namespace limits

/// Positive numbers below this one count as zero: their squares and quotients would.
inline constexpr double smallest_positive = 1e-50;

/// Complains of a variable HOOKE_LIMIT_... that is none of these, or is no number. Throws Error.
void check_limits();

}  // namespace hooke
