#pragma once
#include "hooke/coupling/linear_coupling.h"
#include "hooke/coupling/participant.h"

namespace hooke {

/// A linear state-space system as a participant: it follows the course of its inputs exactly, or by one
/// linearly implicit step.
class LinearParticipant final : public Participant {
 public:
  /// `rate_of[i]`: input whose rate input i is, so that it follows the derivative of that one's course; -1,
  /// or an empty list: none.
  LinearParticipant(std::string name, StateSpace system, const VectorX& start, std::vector<int> rate_of = {});

  const std::string& name() const override { return name_; }
  int inputs() const override { return static_cast<int>(system_.B.cols()); }
  int outputs() const override { return static_cast<int>(system_.C.rows()); }
  void save() override { saved_ = x_; }
  void restore() override { x_ = saved_; }
  void set_input(const VectorX& u) override;
  void set_course(const MatrixX& course) override;
  Report advance(double h) override;
  void output(VectorX& y) const override;
  std::string output_name(int i) const override { return "output " + std::to_string(i + 1); }

  const VectorX& state() const { return x_; }
  void archive(auto& a) { a(x_, u_); }
  const StateSpace& system() const { return system_; }

 private:
  std::string name_;
  StateSpace system_;
  std::vector<int> rate_of_;
  VectorX x_, saved_, next_, u_;
  MatrixX course_;
  LinearStep step_;
  double h_ = 0;  // that step_ is of
};

}  // namespace hooke
