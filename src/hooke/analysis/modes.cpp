#include "hooke/analysis/modes.h"

#include "hooke/analysis/reduced_modes.h"
#include "hooke/analysis/steady_motion.h"
#include "hooke/analysis/turning_stiffness.h"
#include "hooke/math/dense.h"

namespace hooke {

Tangents tangents(const Dae& dae, const State& state) {
  auto workspace = dae.workspace();
  KktMatrix kkt(dae.structure());
  VectorX r;
  dae.update(state, *workspace);
  dae.residual(state, *workspace, r);
  const int n = dae.nv();
  const auto tangent = [&](const Weights& weights) {
    dae.tangent(state, weights, *workspace, kkt);
    return kkt.matrix.dense();
  };
  const MatrixX mass = tangent({.m = 1});
  Tangents all{mass.topLeftCorner(n, n), tangent({.m = 0, .d = 1}).topLeftCorner(n, n),
               tangent({.m = 0, .k = 1}).topLeftCorner(n, n), mass.bottomLeftCorner(dae.nc(), n)};
  for (const TurningStiffness& of : turning_stiffness(dae, state, *workspace, kkt))
    all.K.block(of.first, of.first, of.U.rows(), of.V.rows()) += of.U * of.B * of.V.transpose();
  return all;
}

Linearisation linearise(const Dae& dae, const State& state) {
  Tangents full = tangents(dae, state);
  if (!is_at_rest(dae, state)) {
    const SteadyMotion motion = steady_motion(dae, state);
    full.K += (full.D - MatrixX(motion.seen)) * motion.W + full.M * (motion.T * motion.W);
    full.D += full.M * MatrixX(motion.W + motion.T);
  }
  const int states = dae.first_order_states();
  const auto m = full.M.rows() - states;
  Linearisation result;
  result.N = null_space(full.G.leftCols(m), 1e-9);
  const MatrixX& N = result.N;
  const auto reduced = [&](const MatrixX& A) -> MatrixX { return N.transpose() * A.topLeftCorner(m, m) * N; };
  result.M = reduced(full.M);
  result.D = reduced(full.D);
  result.K = reduced(full.K);
  ReducedSystem system{result.M, result.D, result.K};
  if (states > 0) {
    system.D_z = N.transpose() * full.D.topRightCorner(m, states);
    system.K_y = full.K.bottomLeftCorner(states, m) * N;
    system.D_y = full.D.bottomLeftCorner(states, m) * N;
    system.D_zz = full.D.bottomRightCorner(states, states);
  }
  const double highest =
      N.cols() ? result.K.diagonal().cwiseAbs().cwiseQuotient(result.M.diagonal()).maxCoeff() : 0;
  for (const ReducedMode& mode : modes_of(system, relative_noise * highest)) {
    Eigen::VectorXcd motion(m + mode.z.size());
    motion << N * mode.y, mode.z;
    result.modes.push_back(make_mode(mode.eigenvalue, motion, dae.dof_scale()));
  }
  return result;
}

}  // namespace hooke
