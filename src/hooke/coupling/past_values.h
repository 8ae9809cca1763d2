#pragma once
#include <array>

#include "hooke/math/types.h"

namespace hooke {

/// Values of some signals at past macro points, newest first, and the polynomial through the newest of them.
class PastValues {
 public:
  static constexpr int most = 4;

  explicit PastValues(Eigen::Index size = 0) {
    for (VectorX& value : values_) value.setZero(size);
  }
  void clear() { count_ = 0; }
  void push(double t, const VectorX& value) {
    count_ = std::min(count_ + 1, most);
    for (int i = count_ - 1; i > 0; --i) t_[i] = t_[i - 1], values_[i].swap(values_[i - 1]);
    t_[0] = t, values_[0] = value;
  }

  void archive(auto& a) {
    a(t_, count_);
    for (VectorX& value : values_) a(value);
  }

  const VectorX& newest() const { return values_[0]; }
  int count() const { return count_; }

  /// The signals at t + tau h as the sum of column j times tau^j, with the degree as far as enough is known.
  void course(int degree, double t, double h, MatrixX& result) const {
    const int n = std::min(degree + 1, count_);
    result.setZero();
    for (int i = 0; i < n; ++i) {
      // Lagrange's polynomial, the product over j of (tau - tau_j)/(tau_i - tau_j), factor by factor
      std::array<double, most> c{1};
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        const double scale = h / (t_[i] - t_[j]), root = (t_[j] - t) / h;
        for (int k = n - 1; k >= 0; --k) c[k] = scale * ((k > 0 ? c[k - 1] : 0) - root * c[k]);
      }
      for (int k = 0; k < n; ++k) result.col(k) += c[k] * values_[i];
    }
  }

 private:
  std::array<double, most> t_{};
  std::array<VectorX, most> values_;
  int count_ = 0;
};

}  // namespace hooke
