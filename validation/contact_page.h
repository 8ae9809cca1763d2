#pragma once
#include "validation/cases.h"

/// What the files of the section on contact share.
namespace hooke::validation {

constexpr double g = 9.81;

/// One table, and the statements below it.
struct Page {
  struct Statement {
    std::string what;
    double value, limit;
  };
  std::vector<std::vector<std::string>> rows;
  std::vector<Statement> statements;

  /// `errors` at steps that are halved each time.
  void add(const std::string& model, const std::string& what, const std::string& reference, double first_step,
           const std::vector<double>& errors) {
    for (std::size_t i = 0; i < errors.size(); ++i)
      rows.push_back({i ? "" : "`" + model + "`", i ? "" : what, i ? "" : reference,
                      short_number(first_step / std::exp2(i)), scientific(errors[i]),
                      i && errors[i] > 1e-12 ? order_of(errors[i - 1], errors[i]) : ""});
  }
  void expect(const std::string& what, double value, double limit) {
    statements.push_back({what, value, limit});
  }
};

inline Trajectory run_contact(const std::string& model, double step, Overrides more = {}) {
  more.push_back(fmt::format("run.step={:.17g}", step));
  return Trajectory("contact/" + model + ".yaml", more);
}

template <class Error>
std::vector<double> halving(double step, int times, Error&& error) {
  std::vector<double> errors;
  for (int k = 0; k < times; ++k, step *= 0.5) errors.push_back(error(step));
  return errors;
}

inline double order(const std::vector<double>& errors) {
  return std::log2(errors[errors.size() - 2] / errors.back());
}

/// contact_elements.cpp: what engineers build of contacts.
void capstan(Page& page);
void pulley(Page& page);
void belt(Page& page);
void journal(Page& page);
void clearance(Page& page);
void slot(Page& page);
void raceway(Page& page);
void gripper(Page& page);

}  // namespace hooke::validation
