#include "hooke/solvers/compliant_rows.h"

#include <algorithm>

namespace hooke {
namespace {

/// X: a load on the dofs of a body at B as the same wrench loads those of a body at A.
///   (f, m)  ->  (f, R_A^T ((p_B - p_A) x f + R_B m))
Mat6 transport(const BlockPose& A, const BlockPose& B, const Mat6& load) {
  const Vec3 r = B.p - A.p;
  Mat6 moved = load;
  Mat36 moment = B.R * load.bottomRows<3>();
  for (int c = 0; c < 6; ++c) moment.col(c) += r.cross(load.col(c).head<3>());
  moved.bottomRows<3>().noalias() = A.R.transpose() * moment;
  return moved;
}

bool is_spring(const KktStructure& s, std::pair<int, int> pair) {
  return std::binary_search(s.springs.begin(), s.springs.end(),
                            std::pair<int, int>(std::minmax(pair.first, pair.second)));
}

}  // namespace

KktStructure with_compliant_rows(const KktStructure& s) {
  KktStructure made = s;
  for (auto* pairs : {&made.couplings, &made.weak_couplings})
    std::erase_if(*pairs, [&](const auto& pair) { return is_spring(s, pair); });
  for (const auto& [a, b] : s.springs) {
    made.row_sizes.push_back(6);
    made.constraint_blocks.push_back({a, b});
  }
  made.springs.clear();
  return made;
}

CompliantRows::CompliantRows(const KktMatrix& kkt)
    : structure_(with_compliant_rows(kkt.structure())), matrix_(structure_) {
  const KktStructure& s = kkt.structure();
  const int constraints = static_cast<int>(s.row_sizes.size());
  std::vector<Body> bodies(s.dof_sizes.size());
  const auto copy_both = [&](int i, int j) {
    copies_.push_back({kkt.C(i, j), matrix_.C(i, j)});
    copies_.push_back({kkt.C(j, i), matrix_.C(j, i)});
  };
  for (const auto* pairs : {&structure_.couplings, &structure_.weak_couplings})
    for (const auto& [i, j] : *pairs) copy_both(i, j);
  for (int c = 0; c < constraints; ++c)
    for (int b : s.constraint_blocks[c]) {
      copies_.push_back({kkt.G(c, b), matrix_.G(c, b)});
      copies_.push_back({kkt.Gt(c, b), matrix_.Gt(c, b)});
    }
  for (int k = 0; k < static_cast<int>(s.springs.size()); ++k) {
    const auto [a, b] = s.springs[k];
    const int row = constraints + k;
    bodies[a].sides.push_back({true, a, b, kkt.C(b, a), matrix_.G(row, a), matrix_.Gt(row, a)});
    bodies[b].sides.push_back({false, b, a, kkt.C(a, b), matrix_.G(row, b), matrix_.Gt(row, b)});
    matrix_.matrix.block(matrix_.Gt(row, a)).setIdentity();  // for good
  }
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    bodies[b].diagonal = {kkt.C(b, b), matrix_.C(b, b)};
    if (bodies[b].sides.empty())
      copies_.push_back(bodies[b].diagonal);
    else
      bodies_.push_back(std::move(bodies[b]));
  }
  eps_.setOnes(matrix_.rows());
}

/// Every block is written by one thread, and what it adds up is in the order of the springs.
void CompliantRows::update(const KktMatrix& kkt, Team* team) {
  const BlockMatrix& from = kkt.matrix;
  BlockMatrix& to = matrix_.matrix;
  share_out(team, [&](Share share) {
    for (auto [k, end] = share.of_loop(static_cast<int>(copies_.size())); k < end; ++k)
      to.block(copies_[k].to) = from.block(copies_[k].from);
    for (auto [k, end] = share.of_loop(static_cast<int>(bodies_.size())); k < end; ++k) {
      Mat6 C = from.block(bodies_[k].diagonal.from);
      for (const Side& side : bodies_[k].sides) {
        const BlockPose &own = kkt.poses[side.own], &other = kkt.poses[side.other];
        const Mat6 coupling = from.block(side.coupling), moved = transport(own, other, coupling);
        C += moved;
        if (side.first) {
          to.block<6, 6>(side.rows) = -moved;
        } else {
          to.block<6, 6>(side.rows) = coupling;
          to.block<6, 6>(side.columns) = -transport(own, other, identity6);
        }
      }
      to.block<6, 6>(bodies_[k].diagonal.to) = C;
    }
  });
  eps_.head(kkt.rows()) = kkt.regularisation();
  matrix_.set_regularisation(eps_);
}

}  // namespace hooke
