#pragma once
#include <fmt/format.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

/// Collects a page of docs/ section by section, and the numbers of its figures as CSV files.
namespace hooke::validation {

class Report {
 public:
  /// `data`: folder for the CSV files, which must exist.
  explicit Report(std::string data) : data_(std::move(data)) {}

  void heading(const std::string& title);
  void subheading(const std::string& title);
  void text(const std::string& paragraph);
  void command(const std::string& line);
  void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
  /// docs/figures/NAME.svg, which validation/plot.py draws.
  void figure(const std::string& name, const std::string& caption);
  /// A statement with a limit, checked: `value` is at most `limit`. Shown with whether it holds.
  void expect(const std::string& what, double value, double limit);
  void expect(const std::string& what, bool holds);
  /// Makes a part of the page. One that ends with an exception (a run that fails, say) is a statement that does not hold,
  /// and the page goes on.
  void attempt(const std::function<void()>& part);
  /// Each for itself.
  void attempt(std::initializer_list<void (*)(Report&)> parts) {
    for (const auto part : parts) attempt([&] { part(*this); });
  }

  /// NAME.csv for a figure; columns may differ in length.
  void data(const std::string& name, const std::vector<std::string>& header,
            const std::vector<std::vector<double>>& columns) const;

  const std::string& body() const { return body_; }
  int expectations() const { return expectations_; }
  int failures() const { return failures_; }
  /// "All 25 statements hold."
  std::string verdict() const;

 private:
  void statement(const std::string& text, bool holds);

  std::string data_, body_;
  int expectations_ = 0, failures_ = 0;
  bool in_list_ = false;
};

struct Section {
  const char* name;
  void (*write)(Report&);
};

/// The program behind a page: PROGRAM DATA_FOLDER PAGE [SECTION...] writes the page, `introduction` and the
/// sections (those named, or all of them), and returns the exit status: 1 when a statement does not hold.
int write_page(int argc, char** argv, std::span<const Section> sections,
               const std::function<std::string(const Report&)>& introduction);

/// 1.2e-09
inline std::string scientific(double x) { return fmt::format("{:.1e}", x); }
/// Three digits that matter.
inline std::string short_number(double x) { return fmt::format("{:.3g}", x); }
inline std::string seconds(double x) {
  return x < 0.0995 ? fmt::format("{:.2g} ms", 1e3 * x) : fmt::format("{:.2g} s", x);
}

}  // namespace hooke::validation
