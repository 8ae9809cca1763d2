// The iteration over participants that are simple formulas.
#include "hooke/coupling/relaxation.h"

#include <gmock/gmock.h>

namespace hooke::test {
namespace {

using ::testing::HasSubstr;

/// y_end = y + h (a + c u), with u at the end.
class Formula final : public Participant {
 public:
  Formula(std::string name, double a, double c) : name_(std::move(name)), a_(a), c_(c) {}
  const std::string& name() const override { return name_; }
  int inputs() const override { return 1; }
  int outputs() const override { return 1; }
  void save() override { saved_ = y_; }
  void restore() override { y_ = saved_; }
  void set_input(const VectorX& u) override { u_ = u[0]; }
  Report advance(double h) override {
    y_ += h * (a_ + c_ * u_);
    Report report;
    if (fails) report.failure = "it broke";
    return report;
  }
  void output(VectorX& y) const override { y[0] = y_; }
  std::string output_name(int) const override { return "the value"; }

  double value() const { return y_; }
  bool fails = false;

 private:
  std::string name_;
  double a_, c_, y_ = 0, saved_ = 0, u_ = 0;
};

struct Pair {
  Formula left{"left", 1, 0.8}, right{"right", 2, -0.5};
  Relaxation relaxation;
  explicit Pair(CouplingSettings settings, std::shared_ptr<Team> team = nullptr)
      : relaxation({&left, &right}, {{1}, {0}}, VectorX::Ones(2), settings, std::move(team)) {}
};

/// x = h (1 + 0.8 y), y = h (2 - 0.5 x)
Eigen::Vector2d solution(double h) {
  Eigen::Matrix2d A;
  A << 1, -0.8 * h, 0.5 * h, 1;
  return A.inverse() * Eigen::Vector2d(h, 2 * h);
}

TEST(Relaxation, EverySchemeFindsTheSameSolution) {
  std::vector<int> counts;
  for (const CouplingScheme scheme : {CouplingScheme::gauss_seidel, CouplingScheme::jacobi})
    for (const Acceleration acceleration : {Acceleration::none, Acceleration::aitken, Acceleration::iqn_ils})
      for (const int threads : {1, 2}) {
        CouplingSettings settings{
            .scheme = scheme, .acceleration = acceleration, .tolerance = 1e-12, .iterations = 100};
        Pair pair(settings, threads > 1 ? std::make_shared<Team>(threads) : nullptr);
        VectorX y = VectorX::Zero(2);
        const auto& report = pair.relaxation.step(y, 1);
        ASSERT_TRUE(report.converged);
        EXPECT_LT((y - solution(1)).norm(), 1e-11);
        EXPECT_NEAR(pair.left.value(), y[0], 1e-12);
        if (threads == 1) counts.push_back(report.iterations);
      }
  const auto [seidel, seidel_aitken, seidel_iqn, jacobi, jacobi_aitken, jacobi_iqn] =
      std::tuple{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  EXPECT_LT(seidel, jacobi);
  EXPECT_LE(seidel_aitken, 4);  // one unknown
  EXPECT_LE(seidel_iqn, 4);
  EXPECT_LE(jacobi_iqn, 5);
  EXPECT_GT(jacobi_aitken, 0);
}

TEST(Relaxation, AGoodFirstGuessNeedsOneIteration) {
  Pair pair({});
  VectorX y = solution(1);
  EXPECT_EQ(pair.relaxation.step(y, 1).iterations, 1);
  EXPECT_EQ(pair.relaxation.totals().steps, 1);
}

TEST(Relaxation, SaysWhatDoesNotConvergeAndGoesBack) {
  CouplingSettings settings{.acceleration = Acceleration::none, .iterations = 20};
  Pair pair(settings);
  VectorX y = VectorX::Zero(2);
  const auto& report = pair.relaxation.step(y, 3);  // 9 * 0.4 > 1
  EXPECT_FALSE(report.converged);
  EXPECT_THAT(report.failure, HasSubstr("diverges"));
  EXPECT_THAT(report.failure, HasSubstr("the value of 'right'"));
  EXPECT_THAT(report.failure, HasSubstr("iqn-ils"));
  EXPECT_EQ(pair.left.value(), 0);
  EXPECT_EQ(pair.right.value(), 0);

  settings.acceleration = Acceleration::iqn_ils;
  Pair helped(settings);
  y.setZero();
  EXPECT_TRUE(helped.relaxation.step(y, 3).converged);
  EXPECT_LT((y - solution(3)).norm(), 1e-8);
}

TEST(Relaxation, AParticipantThatFailsIsNamed) {
  Pair pair({});
  pair.right.fails = true;
  VectorX y = VectorX::Zero(2);
  const auto& report = pair.relaxation.step(y, 1);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.failure, "subsystem 'right': it broke");
  EXPECT_EQ(pair.left.value(), 0);
  pair.right.fails = false;
  EXPECT_TRUE(pair.relaxation.step(y, 1).converged);
}

}  // namespace
}  // namespace hooke::test
