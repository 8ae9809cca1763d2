#pragma once
#include <map>
#include <tuple>

#include "hooke/base/team.h"
#include "hooke/linalg/body_matrices.h"
#include "hooke/linalg/supernodal_cholesky.h"
#include "hooke/solvers/schur_group.h"

namespace hooke {

/// The factors of mass M + stiffness K that turned bodies (linalg/kkt.h) share, each for a pair of weights,
/// and what they do to the dofs that joints hold. Single precision is kept where that solves a smooth test
/// vector to a hundredth: it is only a Newton matrix.
class TurnedFactors {
 public:
  explicit TurnedFactors(CholeskyKind kind) : kind_(kind) {}

  /// Matrices, the weights of both, and whether the frame's turning matters, which single precision would
  /// lose.
  using Key = std::tuple<const BodyMatrices*, double, double, bool>;
  /// What C0^-1 does to unit forces on the dofs that rows act on.
  struct Compliance {
    MatrixX of_all;      ///< size x touched
    MatrixX of_touched;  ///< touched x touched
  };

  /// The first matrices there were that are the same to round-off, such as those of slabs a box is cut into.
  const BodyMatrices* first_like(const BodyMatrices& matrices);
  /// Null when it is not positive definite.
  std::shared_ptr<const SupernodalCholesky> factor(const Key& key, const TurnedBody& body, Team* team);
  std::shared_ptr<const Compliance> compliance(const Key& key, const std::vector<int>& touched);
  int count() const { return static_cast<int>(factors_.size()); }

 private:
  CholeskyKind kind_;
  std::vector<const BodyMatrices*> kinds_;
  std::map<Key, std::shared_ptr<const SupernodalCholesky>> factors_;
  std::map<std::pair<Key, std::vector<int>>, std::shared_ptr<const Compliance>> compliances_;
};

/// A body whose C is a constant matrix turned. A new tangent costs no more than its rows of G: what C^-1 does
/// to the few nodes that joints hold is kept (Kan et al. (41)), and how the frame of a deformed body turns is
/// a term of low rank, which Woodbury's formula adds.
class TurnedGroup final : public GroupFactor {
 public:
  TurnedGroup(int size, int body, const TurnedBody& turned, std::shared_ptr<TurnedFactors> factors)
      : GroupFactor(size),
        body_(body),
        factors_(std::move(factors)),
        like_(factors_->first_like(*turned.matrices)) {}

  bool prepare(const KktMatrix& kkt, const RowsOnGroup& rows, Team* team) override;
  bool factorize(const KktMatrix& kkt, Team* team) override;
  void solve(Eigen::Ref<MatrixX> b, Team* team) override;
  const Mat3* axes() const override { return &R_; }
  void respond(const RowsOnGroup& rows, MatrixX& on_touched, Team* team) override;
  void subtract_response(const RowsOnGroup& rows, const MatrixX& lambda, MatrixX& b) override;
  bool is_renewed_cheaply(const RowsOnGroup& rows) const override { return rows.count == 0 || compliance_; }
  double operations_of_substitution() const override { return 4 * static_cast<double>(factor_->nonzeros()); }
  bool should_renew() const override { return frame_matters_; }

 private:
  using Six = Eigen::Matrix<double, Eigen::Dynamic, 6>;
  const Six& other_side() const { return Z_.size() ? Z_ : Y_; }

  int body_;
  std::shared_ptr<TurnedFactors> factors_;
  const BodyMatrices* like_;
  Mat3 R_ = Mat3::Identity();
  TurnedFactors::Key key_{};
  std::shared_ptr<const SupernodalCholesky> factor_;             ///< of C0
  std::shared_ptr<const TurnedFactors::Compliance> compliance_;  ///< null: too many columns
  bool frame_matters_ = false;                                   ///< C^-1 = C0^-1 - Y Q Z^T
  Six Y_, Z_;                                                    ///< C0^-1 U and V; Z is empty where it is Y
  Mat6 Q_;
  Six Y_Q_, Z_touched_;                             ///< of the touched dofs
  Eigen::Matrix<double, 6, Eigen::Dynamic> along_;  ///< scratch: Z^T of right-hand sides
  MatrixX held_, forces_;                           ///< scratch
};

}  // namespace hooke
