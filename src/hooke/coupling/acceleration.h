#pragma once
#include <vector>

#include "hooke/coupling/settings.h"
#include "hooke/math/types.h"

namespace hooke {

/// Finds the next x of a fixed-point iteration x = H(x) from those seen, with r = H(x) - x:
///
///   none      x + w r
///   aitken    the same with w from the last two r, as if all of r shrank by one factor:
///             Irons, Tuck, Int. J. Numer. Methods Eng. 1 (1969)
///   iqn-ils   H(x) + W c, where V c = -r in the least-squares sense; the columns of V and W are changes
///             of r and of H(x) between iterations, of this step and of some before. A column that is
///             nearly a combination of newer ones is left out:
///             Degroote, Bathe, Vierendeels, Comput. Struct. 87 (2009)
///
/// Vectors must be scaled so that their entries can be compared.
class FixedPointAcceleration {
 public:
  FixedPointAcceleration(int size, const CouplingSettings& settings);

  /// A new fixed-point problem, near the last one; `forget` when it is not.
  void begin(bool forget);
  /// x for the next iteration in place of x, for which H(x) = x + r. Returns how far H(x) is from the
  /// solution as far as can be told, largest entry: by how much the method would still correct it, or,
  /// without one, from the rate at which r shrinks.
  double next(VectorX& x, const VectorX& r);

  int columns() const { return used_; }  ///< of the last least-squares problem

 private:
  void add_column(const VectorX& r);
  void drop_oldest();
  double quasi_newton(VectorX& x, const VectorX& r);

  CouplingSettings settings_;
  int iteration_ = 0, count_ = 0, used_ = 0;
  double factor_;
  VectorX last_r_, last_image_, image_, rest_;
  struct Column {
    VectorX r, image;
    int age = 0;  // in steps
  };
  std::vector<Column> columns_;  // the first `count_`, oldest first
  std::vector<int> kept_;
  MatrixX Q_, R_;
  VectorX coefficients_;
};

}  // namespace hooke
