#pragma once
#include "hooke/coupling/participant.h"
#include "hooke/fmi/cosimulation.h"
#include "hooke/fmi/fmu_link.h"

namespace hooke {

/// A participant of a co-simulation file. Its inputs and outputs are those that are connected; what is recorded is read apart.
class Member : public Participant {
 public:
  explicit Member(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  int inputs() const override { return static_cast<int>(input_names_.size()); }
  int outputs() const override { return static_cast<int>(output_names_.size()); }
  std::string output_name(int i) const override { return output_names_[static_cast<std::size_t>(i)]; }

  void save() override;
  void restore() override;
  void set_input(const VectorX& u) override;
  void set_course(const MatrixX& course) override { course_ = course; }
  Report advance(double h) override;

  /// The place of an input or output in u or y; it is taken up when it is first asked for. Throws Error for what is not there.
  int place_of_input(const std::string& variable);
  int place_of_output(const std::string& variable);
  virtual bool can_go_back() const = 0;
  /// The variable that is this member of a terminal; empty: it has none. Throws Error where there is no such terminal.
  virtual std::string terminal_variable(const std::string& terminal, const std::string& member) const = 0;
  /// Inputs are told once a macro step, as they were at its start or are at its end.
  void exchange_once() { is_iterated_ = false; }
  /// It asked for the end of the run, in words; empty: it did not.
  const std::string& end() const { return end_; }
  /// Whether an input acts on an output at once, not only through what moves meanwhile.
  virtual bool passes_through(int input, int output) const = 0;
  /// Its equations near the start, from its inputs to its outputs; by its answers to steps of h where it does not tell them.
  /// Throws Error where they cannot be known.
  virtual StateSpace linearise(double h) = 0;
  /// Once, after all connections are known.
  void begin(double start);
  struct Recorded {
    std::string name, unit;
  };
  virtual std::vector<Recorded> recorded() const = 0;
  virtual void record(double* values) = 0;

 protected:
  /// The values its inputs start with.
  virtual VectorX start(double t) = 0;
  virtual void keep() = 0;
  virtual void go_back() = 0;
  virtual void tell(const VectorX& u) = 0;
  /// Over a step of h, with inputs that follow course_; at its end they have the values there.
  virtual Report go(double h) = 0;
  VectorX course_at(double tau) const {
    VectorX u = VectorX::Zero(course_.rows());
    for (Eigen::Index k = course_.cols() - 1; k >= 0; --k) u = u * tau + course_.col(k);
    return u;
  }
  bool is_constant() const {
    return course_.rows() == 0 || course_.cols() < 2 ||
           course_.rightCols(course_.cols() - 1).cwiseAbs().maxCoeff() == 0;
  }
  /// From its answers (coupling/realisation.h).
  StateSpace linear_answers(double h);
  std::string end_;
  bool is_iterated_ = true;
  MatrixX course_;  ///< of inputs: column k times tau^k, tau from 0 to 1 over the step
  virtual void add_input(const std::string& variable) = 0;
  virtual void add_output(const std::string& variable) = 0;
  const std::string& input_name(int i) const { return input_names_[static_cast<std::size_t>(i)]; }

 private:
  std::string name_;
  std::vector<std::string> input_names_, output_names_;
  VectorX last_, before_;  ///< inputs as they were told last, and at the last `save`
};

std::unique_ptr<Member> make_member(const std::string& name, const ParticipantSettings& settings,
                                    const std::string& folder, const Cosimulation& file);

}  // namespace hooke
