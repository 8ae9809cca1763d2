#pragma once
#include "hooke/base/team.h"
#include "hooke/linalg/kkt.h"

/// Springs as joints that give way, so that divide and conquer keeps each body a leaf of its own.
///
/// What forces between bodies a and b add to C stands off its diagonal in E = C_ab and F = C_ba. Their load on a is an
/// unknown of its own, six rows: lambda = Z_a dq_a + Z_b dq_b. It acts on b with the opposite sign, moved there by
/// X_ba, the action of one wrench on the dofs of either body (X_ab its inverse):
///
///     [ C_aa  E    ]      [ C_aa - Z_a    0                I     ]      Z_a = -X_ab F,   Z_b = E
///     [ F     C_bb ]  ->  [ 0             C_bb + X_ba Z_b  -X_ba ]
///                         [ Z_a           Z_b              -1    ]
///
/// Eliminating lambda gives the left side back, whatever E and F are: forces that are not symmetric (damping with
/// rotations, friction, a user's own) stay exact. With X as it is the diagonal keeps the bodies' own inertia and stiffness: the
/// springs' share of it is -X_ab F and -X_ba E, but for loads that turn with a body. A spring without stiffness in
/// some direction, or in none, leaves rows of zeros in Z, and nothing is divided by its stiffness.
namespace hooke {

/// The structure with six rows for each pair of `springs` behind the constraints.
KktStructure with_compliant_rows(const KktStructure& structure);

class CompliantRows {
 public:
  explicit CompliantRows(const KktMatrix& kkt);
  /// Takes over new numbers.
  void update(const KktMatrix& kkt, Team* team);
  const KktMatrix& matrix() const { return matrix_; }

 private:
  struct Copy {
    BlockHandle from, to;
  };
  struct Side {
    bool first;
    int own, other;             ///< blocks
    BlockHandle coupling;       ///< F of the first side, E of the second
    BlockHandle rows, columns;  ///< Z, and how lambda acts on the body
  };
  struct Body {
    Copy diagonal;
    std::vector<Side> sides;
  };
  KktStructure structure_;
  KktMatrix matrix_;
  std::vector<Copy> copies_;
  std::vector<Body> bodies_;  ///< that have springs
  VectorX eps_;
};

}  // namespace hooke
