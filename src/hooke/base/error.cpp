#include "hooke/base/error.h"

#include <algorithm>

namespace hooke {

std::string to_string(const Location& at) {
  if (at.line == 0) return at.file;
  return formatted("{}:{}:{}", at.file, at.line, at.column);
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = to_string(diagnostic.at);
  const auto append = [&text](const std::string& part) {
    if (!text.empty() && !part.empty()) text += ": ";
    text += part;
  };
  append(diagnostic.path);
  append(diagnostic.message);
  return text;
}

static std::string lines_of(const std::vector<Diagnostic>& diagnostics, int left_out) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  if (left_out > 0) text += formatted("\nand {} more errors", left_out);
  return text;
}

ModelError::ModelError(std::vector<Diagnostic> diagnostics, int left_out)
    : Error(ExitCode::bad_model, lines_of(diagnostics, left_out)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(Diagnostic diagnostic) {
  auto& list = diagnostic.severity == Diagnostic::Severity::error ? errors_ : warnings_;
  const bool known = std::any_of(list.begin(), list.end(), [&](const Diagnostic& other) {
    return other.at == diagnostic.at && other.message == diagnostic.message &&
           (diagnostic.at.line > 0 || other.path == diagnostic.path);
  });
  if (known) return;
  if (static_cast<int>(list.size()) < limit)
    list.push_back(std::move(diagnostic));
  else if (&list == &errors_)
    ++left_out_;
}

void Diagnostics::throw_if_errors() const {
  if (has_errors()) throw ModelError(errors_, left_out_);
}

}  // namespace hooke
