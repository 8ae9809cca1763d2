#pragma once
#include "hooke/base/team.h"
#include "hooke/coupling/adapter/excerpt.h"
#include "hooke/integrators/integrator.h"

namespace hooke {

/// The stabilising increment of a system in parts: the least u, in the metric of M, with
///
///   G (v + u) + s = 0,     s = g_t + beta g
///
/// as `Projector::drift` finds it of the whole. Here each part p has a factor of its own M and of the rows G that are its
/// own, and the multipliers of the cut rows B are found between them:
///
///   K_p z_p = - (0, s_p),    (sum B_p K_p^-1 B_p^T + eps) mu = s_cut + sum B_p z_p,    u_p = z_p - K_p^-1 B_p^T mu
///
/// So no matrix is larger than a part's, and parts are worked on at the same time. Factors of a state near by serve as
/// long as every pass leaves at most a tenth of what was there; passes remove the effect of eps, too.
class DriftInParts {
 public:
  struct Part {
    const Excerpt& excerpt;
    const State& state;          ///< of the excerpt, ghosts included
    SystemWorkspace& workspace;  ///< up to date with it whenever `find` is called
  };
  DriftInParts(const System& whole, const std::vector<Part>& parts, const NewtonSettings& settings,
               std::shared_ptr<Team> team);

  /// False: the mass matrix of a part is singular.
  bool find(double beta);
  /// What was found for part p, by its dofs; ghosts have none.
  const VectorX& of(int p) const { return sides_[static_cast<std::size_t>(p)].u; }

 private:
  struct Cut {
    int constraint, row, rows;  ///< numbers in the part
    int there;                  ///< first of its rows among the cut ones
    bool is_mine;               ///< what is missing of it is read here
  };
  struct Side {
    Side(const Part& part, const NewtonSettings& settings);
    Part part;
    KktMatrix kkt;
    std::unique_ptr<NewtonSolver> solver;
    std::vector<Cut> cuts;
    std::vector<int> there;  ///< of each column of B_t
    MatrixX B_t, W, A;       ///< the cut rows on the own bodies, K^-1 B^T and B K^-1 B^T
    VectorX eps, u, z, missing, bias, s, mu, moved;
    State along;
    double size = 0, bias_size = 0;
    bool is_regular = false;
  };
  void look(Side& side, double beta) const;
  void factorize(Side& side) const;
  bool factorize();
  void solve();
  void see_what_is_left(Side& side, double unit) const;
  double left();
  void for_each_side(auto&& work);

  std::vector<Side> sides_;
  MatrixX S_;
  Eigen::PartialPivLU<MatrixX> factor_;
  VectorX cut_eps_, cut_missing_, cut_s_, mu_;
  bool has_factors_ = false;
  std::shared_ptr<Team> team_;
};

}  // namespace hooke
