#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hooke {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (Damerau-Levenshtein, optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// " (did you mean 'x'?)" for the candidate a typing slip away from `word`, or "" when none is near.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b or c"
std::string list_words(const std::vector<std::string>& words, std::string_view last = "or");

/// The words with `separator` between them.
std::string join(const std::vector<std::string>& words, std::string_view separator);

std::string_view trim(std::string_view text);

/// Why `name` cannot be that of a body, joint, drive or force, or nothing when it can. A name stands before a dot
/// ("crank.tip"), in a path of the results file and in tables; letters of any alphabet will do.
std::string name_fault(std::string_view name);

/// The number that `text` spells from end to end, in any notation of C (1e3, .5, +2, 0x1f), else nothing.
/// "inf" and "nan" are numbers here; who needs finite ones says so.
std::optional<double> parse_number(std::string_view text);

/// The shortest text that reads back as the same number; whole numbers without decimals.
std::string format_number(double value);

}  // namespace hooke
