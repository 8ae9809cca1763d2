#pragma once
#include "hooke/gpu/small_world.h"

/// What rows do to each other, S = G C^-1 G^T, and the solution for them.
///
/// Up to `rows_in_block` rows are inverted as a whole, by each block for itself. More of them are factorized in blocks,
/// with the inverses of those on the diagonal, so that a substitution is a product by each of them and has few moments at
/// which all must have come as far. That factor is one for all blocks, and they make it together: `all` are the lanes of all
/// of them, `own` those of one. W = A_ik D_k^-1 lies after the matrix. Both by columns.
namespace hooke::gpu {

HOOKE_HD double entry_of_rows(const StepData& d, const SmallWorld& world, int r, int c) {
  return compliance_between(d, world, r, c) * (r == c ? 1 + d.settings.regularisation : 1.0);
}

template <class All, class Own>
HOOKE_HD void factorize_rows(const StepData& d, const SmallWorld& world, const All& all, const Own& own) {
  const int n = d.rows;
  double* const S = world.S;
  if (n <= rows_in_block) {
    for (int e = own.lane; e < n * n; e += own.lanes) S[e] = entry_of_rows(d, world, e % n, e / n);
    own.sync();
    return invert_in_place(S, n, own);
  }
  double *const W = S + static_cast<long>(n) * n, *const D = world.block;
  for (int e = all.lane; e < n * n; e += all.lanes) S[e] = entry_of_rows(d, world, e % n, e / n);
  all.sync();
  for (int from = 0; from < n; from += rows_in_block) {
    const int to = n < from + rows_in_block ? n : from + rows_in_block, m = to - from, left = n - to;
    for (int e = own.lane; e < m * m; e += own.lanes) D[e] = S[from + e % m + n * (from + e / m)];
    own.sync();
    invert_in_place(D, m, own);
    for (int e = all.lane; e < m * m; e += all.lanes) W[from + e % m + n * (from + e / m)] = D[e];
    for (int e = all.lane; e < left * m; e += all.lanes) {
      const int i = to + e % left, j = e / left;
      double sum = 0;
      for (int k = 0; k < m; ++k) sum += S[i + n * (from + k)] * D[k + m * j];
      W[i + n * (from + j)] = sum;
    }
    all.sync();
    for (int e = all.lane; e < left * left; e += all.lanes) {
      const int i = to + e % left, j = to + e / left;
      double sum = S[i + n * j];
      for (int k = from; k < to; ++k) sum -= W[i + n * k] * S[k + n * j];
      S[i + n * j] = sum;
    }
    all.sync();
  }
}

/// mu = S^-1 b, both columns. b is used up.
template <class Own>
HOOKE_HD void substitute_rows(const StepData& d, const SmallWorld& world, const Own& own) {
  const int n = d.rows, blocks = (n + rows_in_block - 1) / rows_in_block;
  const double* const W = n > rows_in_block ? world.S + static_cast<long>(n) * n : world.S;
  for (int block = 0; block + 1 < blocks; ++block) {
    const int from = block * rows_in_block, to = from + rows_in_block;
    for (int e = own.lane; e < 2 * (n - to); e += own.lanes) {
      const int i = to + e / 2;
      double *const b = world.b + e % 2 * n, sum = b[i];
      for (int k = from; k < to; ++k) sum -= W[i + n * k] * b[k];
      b[i] = sum;
    }
    own.sync();
  }
  for (int block = blocks - 1; block >= 0; --block) {
    const int from = block * rows_in_block, to = n < from + rows_in_block ? n : from + rows_in_block;
    for (int e = own.lane; e < 2 * (to - from) && to < n; e += own.lanes) {
      const int i = from + e / 2, at = e % 2 * n;
      double sum = world.b[at + i];
      for (int k = to; k < n; ++k) sum -= world.S[i + n * k] * world.mu[at + k];
      world.b[at + i] = sum;
    }
    own.sync();
    for (int e = own.lane; e < 2 * (to - from); e += own.lanes) {
      const int i = from + e / 2, at = e % 2 * n;
      double sum = 0;
      for (int k = from; k < to; ++k) sum += W[i + n * k] * world.b[at + k];
      world.mu[at + i] = sum;
    }
    own.sync();
  }
}

}  // namespace hooke::gpu
