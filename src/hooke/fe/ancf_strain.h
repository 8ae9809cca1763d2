#pragma once
#include "hooke/fe/section.h"

/// Elastic energy of an ANCF rod at one place of its line, as a function of five vectors: the slopes a = r_z
/// along the rod, b = r_x and c = r_y of the section, and the changes b' and c' of these along the rod.
///
/// Green's strain of the solid r(z) + x b(z) + y c(z) is, to first order in x and y (Zhou et al. 2022, (24),
/// with z along the rod),
///
///   E = E0 + x K^x + y K^y,     E0 = (G^T G - I)/2,    G = [b c a]
///   K^i = (k_i e_z^T + e_z k_i^T)/2,    k_x = G^T b',    k_y = G^T c'
///
/// all of them scalar products of two of the five vectors. Integrated over the section, the energy is
///
///   A/2 E0 : C : E0  +  I_y/2 (E k_xz^2 + G k_xx^2)  +  I_x/2 (E k_yz^2 + G k_yy^2)
///                    +  G J/4 (k_xy^2 + k_yx^2)
///
/// with the full elasticity tensor C on the line (a stretched rod gets thinner), its shear against the
/// section's normal corrected as for beams, and E and G alone on the curvatures: a section that is linear in
/// x and y cannot get wider on one side and narrower on the other as bending wants, and with C it would be
/// (1-nu)/((1+nu)(1-2nu)) times too stiff (Poisson locking). J is the torsion constant; in every section one
/// half of a torsional moment comes from the stresses along x and one from those along y (Saint-Venant).
namespace hooke {

class AncfStrain {
 public:
  static constexpr int size = 12;  ///< E_xx E_yy E_zz 2E_yz 2E_xz 2E_xy  k_xx k_xy k_xz  k_yx k_yy k_yz
  using Vector = Eigen::Matrix<double, 15, 1>;  ///< a, b, c, b', c'
  using Strains = Eigen::Matrix<double, size, 1>;
  using Gradient = Eigen::Matrix<double, size, 15>;
  using Stiffness = Eigen::Matrix<double, size, size>;

  /// Which two of the five vectors each strain is the product of; the first three are halved.
  static constexpr int pairs[size][2] = {{1, 1}, {2, 2}, {0, 0}, {2, 0}, {1, 0}, {1, 2},
                                         {1, 3}, {2, 3}, {0, 3}, {1, 4}, {2, 4}, {0, 4}};

  static Vec3 part(const Vector& u, int i) { return u.segment<3>(3 * i); }

  static Strains strains(const Vector& u) {
    Strains s;
    for (int i = 0; i < size; ++i) s[i] = part(u, pairs[i][0]).dot(part(u, pairs[i][1]));
    s.head<3>() = 0.5 * (s.head<3>().array() - 1);
    return s;
  }

  /// d(strains)/du; being linear in u, it is also d(strain rates)/du where u is the rate.
  static Gradient gradient(const Vector& u) {
    Gradient B = Gradient::Zero();
    for (int i = 0; i < size; ++i) {
      const auto [m, n] = pairs[i];
      B.block<1, 3>(i, 3 * m) += (i < 3 ? 0.5 : 1.0) * part(u, n).transpose();
      B.block<1, 3>(i, 3 * n) += (i < 3 ? 0.5 : 1.0) * part(u, m).transpose();
    }
    return B;
  }

  /// The Hessian of  stress . strains  is made of multiples of the identity: those, for each pair of vectors.
  static Eigen::Matrix<double, 5, 5> hessian(const Strains& stress) {
    Eigen::Matrix<double, 5, 5> H = Eigen::Matrix<double, 5, 5>::Zero();
    for (int i = 0; i < size; ++i) {
      const auto [m, n] = pairs[i];
      H(m, n) += (i < 3 ? 0.5 : 1.0) * stress[i];
      H(n, m) += (i < 3 ? 0.5 : 1.0) * stress[i];
    }
    return H;
  }

  /// Energy is  strains . stiffness . strains / 2  per length.
  static Stiffness stiffness(const SectionShape& shape, const Material& material);
};

}  // namespace hooke
