#include "hooke/coupling/realisation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "hooke/coupling/linear_participant.h"

namespace hooke {
namespace {

/// Masses in a row on springs and dampers: forces on all of them, positions, rates and accelerations of the first.
StateSpace chain_of_masses(int masses, double stiffness, double damping) {
  const Eigen::Index n = masses;
  MatrixX K = MatrixX::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) K.block(i, i, 2, 2) += (MatrixX(2, 2) << 1, -1, -1, 1).finished();
  const MatrixX I = MatrixX::Identity(n, n), O = MatrixX::Zero(n, n);
  StateSpace s{MatrixX(2 * n, 2 * n), MatrixX(2 * n, n), MatrixX::Zero(3, 2 * n), MatrixX::Zero(3, n)};
  s.A << O, I, -stiffness * K, -damping * K;
  s.B << O, I;
  s.C(0, 0) = s.C(1, n) = 1;
  s.C.row(2) = s.A.row(n);
  s.D(2, 0) = 1;
  return s;
}

/// How far two systems are apart as their inputs and outputs see them, at some frequencies.
double distance(const StateSpace& a, const StateSpace& b, const std::vector<double>& frequencies) {
  const auto response = [](const StateSpace& s, double w) -> Eigen::MatrixXcd {
    const Eigen::MatrixXcd pole =
        std::complex<double>(0, w) * Eigen::MatrixXcd::Identity(s.A.rows(), s.A.rows()) -
        s.A.cast<std::complex<double>>();
    return s.C * pole.fullPivLu().solve(s.B.cast<std::complex<double>>()) + s.D;
  };
  double worst = 0;
  for (const double w : frequencies) {
    const Eigen::MatrixXcd exact = response(b, w), off = response(a, w) - exact;
    worst = std::max(worst, (off.cwiseAbs().array() / exact.cwiseAbs().array().max(1e-12)).maxCoeff());
  }
  return worst;
}

/// Masses that are free together: states that do not come back are among those found.
TEST(Realisation, FindsTheEquationsOfMasses) {
  for (const int masses : {1, 2, 3}) {
    const StateSpace exact = chain_of_masses(masses, 400, 1);
    LinearParticipant participant("masses", exact, VectorX::LinSpaced(2 * masses, 0.1, 1));
    const VectorX before = participant.state();
    const Realisation found = realise(participant, VectorX::Zero(masses), 0.01);
    EXPECT_EQ(found.system.A.rows(), 2 * masses);
    EXPECT_LT(found.error, 1e-6);
    EXPECT_LT(distance(found.system, exact, {1, 10, 30, 100}), 1e-4);
    EXPECT_EQ(participant.state(), before);
  }
}

/// A formula has no states, and D is all of it.
TEST(Realisation, AFormulaHasNoStates) {
  const MatrixX D = (MatrixX(1, 3) << -500, -2, -0.5).finished();
  LinearParticipant formula("formula", {MatrixX(0, 0), MatrixX(0, 3), MatrixX(1, 0), D}, VectorX());
  const Realisation found = realise(formula, Vec3(1, 2, 3), 1e-3);
  EXPECT_EQ(found.system.A.rows(), 0);
  EXPECT_LT((found.system.D - D).norm(), 1e-9 * D.norm());
}

/// What a program rounds, and an integrator does of its own from step to step, is no state of the mechanism.
TEST(Realisation, LeavesOutNoiseAndWhatAlternates) {
  const StateSpace exact = chain_of_masses(1, 0, 0);
  const double h = 0.01;
  const LinearStep step = linear_step(exact, h, 1);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-1e-7, 1e-7);
  MatrixX x = MatrixX::Zero(2, 1);
  std::vector<MatrixX> answers;
  for (int k = 0; k < 33; ++k) {
    x = (step.E * x + step.inputs[0]).eval();
    answers.emplace_back(exact.C * x + exact.D);
    answers.back()(2, 0) += 0.02 * std::pow(-0.5, k) + noise(random);
  }
  const Realisation found = realise(answers, h);
  EXPECT_EQ(found.system.A.rows(), 2);
  EXPECT_LT(found.error, 0.05);
  EXPECT_NEAR(found.system.D(2, 0), 1, 0.03);
}

}  // namespace
}  // namespace hooke
