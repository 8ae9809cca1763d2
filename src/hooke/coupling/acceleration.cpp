#include "hooke/coupling/acceleration.h"

#include <algorithm>

namespace hooke {

namespace {
constexpr int most_columns = 40;
constexpr double new_direction = 1e-3;  ///< of a column, what newer ones must leave of it
}  // namespace

FixedPointAcceleration::FixedPointAcceleration(int size, const CouplingSettings& settings)
    : settings_(settings), factor_(settings.relaxation) {
  for (VectorX* v : {&last_r_, &last_image_, &image_, &rest_}) v->setZero(size);
  if (settings.acceleration != Acceleration::iqn_ils) return;
  columns_.assign(most_columns, {VectorX::Zero(size), VectorX::Zero(size)});
  kept_.reserve(most_columns);
  Q_.setZero(size, most_columns);
  R_.setZero(most_columns, most_columns);
  coefficients_.setZero(most_columns);
}

void FixedPointAcceleration::begin(bool forget) {
  iteration_ = 0;
  for (int k = 0; k < count_; ++k) ++columns_[k].age;
  while (count_ > 0 && (forget || columns_[0].age > settings_.reuse)) drop_oldest();
  if (settings_.acceleration == Acceleration::aitken) factor_ = settings_.relaxation;
}

double FixedPointAcceleration::next(VectorX& x, const VectorX& r) {
  image_ = x + r;
  const double size = r.lpNorm<Eigen::Infinity>();
  double left = size;
  switch (settings_.acceleration) {
    case Acceleration::none:
      if (iteration_ > 0) {
        const double rate = r.norm() / last_r_.norm();
        if (rate < 1) left = std::min(1.0, rate / (1 - rate)) * size;
      }
      x += factor_ * r;
      break;
    case Acceleration::aitken:
      if (iteration_ > 0) {
        last_r_ -= r;  // r_{k-1} - r_k
        const double square = last_r_.squaredNorm();
        if (square > 0) factor_ = std::clamp(factor_ * (last_r_.dot(r) / square + 1), -10.0, 10.0);
        left = std::abs(factor_ - 1) * size;
      }
      x += factor_ * r;
      break;
    case Acceleration::iqn_ils:
      if (iteration_ > 0) add_column(r);
      left = quasi_newton(x, r);
  }
  last_r_ = r;
  last_image_ = image_;
  ++iteration_;
  return left;
}

void FixedPointAcceleration::add_column(const VectorX& r) {
  if (count_ == most_columns) drop_oldest();
  Column& column = columns_[count_++];
  column.r = r - last_r_;
  column.image = image_ - last_image_;
  column.age = 0;
}

void FixedPointAcceleration::drop_oldest() {
  std::rotate(columns_.begin(), columns_.begin() + 1, columns_.begin() + count_);
  --count_;
}

/// V c = -r by Gram-Schmidt on the columns, newest first.
double FixedPointAcceleration::quasi_newton(VectorX& x, const VectorX& r) {
  kept_.clear();
  for (int j = count_ - 1; j >= 0; --j) {
    const int k = static_cast<int>(kept_.size());
    auto q = Q_.col(k);
    q = columns_[j].r;
    const double before = q.norm();
    for (int i = 0; i < k; ++i) {
      R_(i, k) = Q_.col(i).dot(q);
      q -= R_(i, k) * Q_.col(i);
    }
    R_(k, k) = q.norm();
    if (!(R_(k, k) > new_direction * before)) continue;
    q /= R_(k, k);
    kept_.push_back(j);
  }
  used_ = static_cast<int>(kept_.size());
  if (used_ == 0) {
    x += settings_.relaxation * r;
    return r.lpNorm<Eigen::Infinity>();
  }
  auto c = coefficients_.head(used_);
  c.noalias() = -(Q_.leftCols(used_).transpose() * r);
  rest_ = r;  // what no column has seen
  rest_.noalias() += Q_.leftCols(used_) * c;
  R_.topLeftCorner(used_, used_).triangularView<Eigen::Upper>().solveInPlace(c);
  x = image_;
  for (int k = 0; k < used_; ++k) x += c[k] * columns_[kept_[k]].image;
  return std::max((x - image_).lpNorm<Eigen::Infinity>(), rest_.lpNorm<Eigen::Infinity>());
}

}  // namespace hooke
