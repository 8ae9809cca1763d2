#include "hooke/coupling/realisation.h"

#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

#include "hooke/base/error.h"
#include "hooke/math/dense.h"

namespace hooke {
namespace {

/// Largest entries of rows or columns over time, or 1 where all are zero: outputs and inputs have units of their own.
VectorX sizes(const std::vector<MatrixX>& all, const VectorX& row_scale, bool of_columns) {
  VectorX largest = VectorX::Zero(of_columns ? all[0].cols() : all[0].rows());
  for (const MatrixX& one : all) {
    const MatrixX scaled = (row_scale.cwiseInverse().asDiagonal() * one).cwiseAbs();
    if (of_columns)
      largest = largest.cwiseMax(scaled.colwise().maxCoeff().transpose());
    else
      largest = largest.cwiseMax(scaled.rowwise().maxCoeff());
  }
  return (largest.array() > 0).select(largest, 1.0);
}

/// Blocks [i, j] = differences[i + j + first].
MatrixX hankel(const std::vector<MatrixX>& differences, Eigen::Index blocks, Eigen::Index first) {
  const Eigen::Index p = differences[0].rows(), m = differences[0].cols();
  MatrixX H(blocks * p, blocks * m);
  for (Eigen::Index i = 0; i < blocks; ++i)
    for (Eigen::Index j = 0; j < blocks; ++j)
      H.block(i * p, j * m, p, m) = differences[static_cast<std::size_t>(i + j + first)];
  return H;
}

/// Of eigenvalues that alternate from sample to sample, or have died out within one: they have no logarithm that is a motion.
MatrixX vectors_of_alternating(const MatrixX& Ad) {
  const GeneralEigen all = general_eigen(Ad);
  MatrixX found(Ad.rows(), 0);
  const auto add = [&](const VectorX& vector) {
    found.conservativeResize(Eigen::NoChange, found.cols() + 1);
    found.rightCols(1) = vector;
  };
  for (Eigen::Index k = 0; k < all.values.size(); ++k) {
    const std::complex<double> s = all.values[k];
    if (std::abs(s) > 1e-3 && std::abs(std::arg(s)) < 0.9 * std::numbers::pi) continue;
    if (s.imag() >= 0) add(all.vectors.col(k).real());
    if (s.imag() > 0) add(all.vectors.col(k).imag());
  }
  return found;
}

/// x' = Ad x + ..., seen through C and reached through B, without the states that alternate.
void leave_out_alternating(MatrixX& Ad, MatrixX& B, MatrixX& C) {
  if (Ad.size() == 0) return;
  const MatrixX right = vectors_of_alternating(Ad), left = vectors_of_alternating(Ad.transpose());
  if (right.cols() == 0) return;
  const MatrixX kept = null_space(left.transpose(), 1e-9);  // what the others span
  B = (kept.transpose() * (B - right * (pseudo_inverse(left.transpose() * right) * (left.transpose() * B))))
          .eval();
  C = (C * kept).eval();
  Ad = (kept.transpose() * Ad * kept).eval();
}

double error_of(const StateSpace& system, const std::vector<MatrixX>& answers, double h,
                const VectorX& scale) {
  const LinearStep step = linear_step(system, h, 1);
  MatrixX x = MatrixX::Zero(system.A.rows(), system.B.cols());
  double worst = 0;
  for (const MatrixX& answer : answers) {
    x = (step.E * x + step.inputs[0]).eval();
    const MatrixX off = scale.cwiseInverse().asDiagonal() * (system.C * x + system.D - answer);
    worst = std::max(worst, off.cwiseAbs().maxCoeff());
  }
  return worst;
}

}  // namespace

Realisation realise(const std::vector<MatrixX>& answers, double h, double tolerance) {
  const Eigen::Index p = answers[0].rows(), m = answers[0].cols();
  const VectorX outputs = sizes(answers, VectorX::Ones(p), false), inputs = sizes(answers, outputs, true);
  std::vector<MatrixX> differences;
  for (std::size_t k = 1; k < answers.size(); ++k)
    differences.emplace_back(outputs.cwiseInverse().asDiagonal() * (answers[k] - answers[k - 1]) *
                             inputs.cwiseInverse().asDiagonal());
  const auto blocks = static_cast<Eigen::Index>(differences.size() / 2);
  const MatrixX H = hankel(differences, blocks, 0), later = hankel(differences, blocks, 1);
  const SymmetricEigen squares = symmetric_eigen(H.transpose() * H);  // of singular values, the largest last
  Eigen::Index n = 0;
  const Eigen::Index all = squares.values.size();
  const double largest = std::sqrt(std::max(0.0, squares.values[all - 1]));
  const auto singular = [&](Eigen::Index k) { return std::sqrt(std::max(0.0, squares.values[all - 1 - k])); };
  while (n < std::min(all, blocks * p) && singular(n) > tolerance * largest && singular(n) > 1e-12) ++n;

  // H = U root^2 V^T, of which U root = H V / root
  const MatrixX V = squares.vectors.rightCols(n).rowwise().reverse();
  const VectorX root = squares.values.tail(n).reverse().cwiseSqrt().cwiseSqrt(), over = root.cwiseInverse();
  MatrixX Ad = over.array().cube().matrix().asDiagonal() * V.transpose() * H.transpose() * later * V *
               over.asDiagonal(),
          C = outputs.asDiagonal() * (H * V * over.asDiagonal()).topRows(p),
          reached = root.asDiagonal() * V.transpose().leftCols(m) * inputs.asDiagonal();  // Ad Bd
  leave_out_alternating(Ad, reached, C);
  n = Ad.rows();
  const MatrixX Bd = n > 0 ? solve_general(Ad, reached) : MatrixX(0, m);

  MatrixX held = MatrixX::Identity(n + m, n + m);
  held.topLeftCorner(n, n) = Ad;
  held.topRightCorner(n, m) = Bd;
  const MatrixX rates = n > 0 ? MatrixX(held.log() / h) : held;
  Realisation found{{rates.topLeftCorner(n, n), rates.topRightCorner(n, m), C, answers[0] - C * Bd}};
  found.error = error_of(found.system, answers, h, outputs);
  return found;
}

Realisation realise(Participant& participant, const VectorX& u, double h) {
  constexpr int samples = 33;      // 16 states of each input or output
  constexpr double raised = 1e-3;  // of an input or of 1: far above rounding, and answers are still linear
  const Eigen::Index p = participant.outputs(), m = participant.inputs();
  std::vector<MatrixX> answers(samples, MatrixX::Zero(p, m));
  VectorX y;
  participant.save();
  for (Eigen::Index i = 0; i < m; ++i)
    for (const double side : {1.0, -1.0}) {
      const double by = raised * std::max(1.0, std::abs(u[i]));
      MatrixX held = u;
      held(i, 0) += side * by;
      for (MatrixX& answer : answers) {
        participant.set_course(held);
        if (const auto report = participant.advance(h); !report.failure.empty())
          throw Error(ExitCode::step_failed, report.failure);
        participant.output(y);
        answer.col(i) += side / (2 * by) * y;
      }
      participant.restore();
    }
  return realise(answers, h);
}

}  // namespace hooke
