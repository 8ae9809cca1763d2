#include "hooke/coupling/linear_participant.h"

namespace hooke {

LinearParticipant::LinearParticipant(std::string name, StateSpace system, const VectorX& start,
                                     std::vector<int> rate_of)
    : name_(std::move(name)), system_(std::move(system)), rate_of_(std::move(rate_of)), x_(start) {
  rate_of_.resize(static_cast<std::size_t>(system_.B.cols()), -1);
  saved_ = next_ = x_;
  u_.setZero(system_.B.cols());
}

void LinearParticipant::set_input(const VectorX& u) {
  u_ = u;
  course_ = u;  // constant
}

void LinearParticipant::set_course(const MatrixX& course) { course_ = course; }

Participant::Report LinearParticipant::advance(double h) {
  if (h == 0) return {};
  for (std::size_t i = 0; i < rate_of_.size(); ++i) {
    if (rate_of_[i] < 0 || course_.cols() < 2) continue;
    const auto row = static_cast<Eigen::Index>(i);
    for (Eigen::Index j = 1; j < course_.cols(); ++j)
      course_(row, j - 1) = static_cast<double>(j) / h * course_(rate_of_[i], j);
    course_(row, course_.cols() - 1) = 0;
  }
  const auto powers = static_cast<std::size_t>(course_.cols());
  if (h != h_ || step_.inputs.size() < powers) {
    step_ = linear_step(system_, h, static_cast<int>(powers));
    h_ = h;
  }
  next_.noalias() = step_.E * x_;
  for (std::size_t j = 0; j < powers; ++j)
    next_.noalias() += step_.inputs[j] * course_.col(static_cast<Eigen::Index>(j));
  x_.swap(next_);
  u_ = course_.rowwise().sum();
  return {.steps = 1};
}

void LinearParticipant::output(VectorX& y) const {
  y.noalias() = system_.C * x_;
  y.noalias() += system_.D * u_;
}

}  // namespace hooke
