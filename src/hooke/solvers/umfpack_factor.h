#pragma once
#include <suitesparse/umfpack.h>

#include <vector>

#include "hooke/math/types.h"

namespace hooke {

/// Multifrontal LU of a compressed-column matrix, which stays where it is while the factor is used.
class UmfpackFactor {
 public:
  UmfpackFactor() {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // Newton refines by itself
  }
  ~UmfpackFactor() {
    umfpack_di_free_numeric(&numeric_);
    umfpack_di_free_symbolic(&symbolic_);
  }
  UmfpackFactor(const UmfpackFactor&) = delete;
  UmfpackFactor& operator=(const UmfpackFactor&) = delete;

  bool factorize(int n, const int* outer, const int* inner, const double* values) {
    outer_ = outer, inner_ = inner, values_ = values;
    if (!symbolic_) umfpack_di_symbolic(n, n, outer, inner, values, &symbolic_, control_, nullptr);
    umfpack_di_free_numeric(&numeric_);
    const int status = umfpack_di_numeric(outer, inner, values, symbolic_, &numeric_, control_, nullptr);
    integers_.resize(n);
    doubles_.resize(n);
    return status == UMFPACK_OK;
  }
  void solve(auto&& b) {
    solution_ = b;
    umfpack_di_wsolve(UMFPACK_A, outer_, inner_, values_, b.data(), solution_.data(), numeric_, control_,
                      nullptr, integers_.data(), doubles_.data());
  }

 private:
  const int *outer_ = nullptr, *inner_ = nullptr;
  const double* values_ = nullptr;
  void *symbolic_ = nullptr, *numeric_ = nullptr;
  double control_[UMFPACK_CONTROL];
  std::vector<int> integers_;
  std::vector<double> doubles_;
  VectorX solution_;
};

}  // namespace hooke
