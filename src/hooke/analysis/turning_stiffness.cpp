#include "hooke/analysis/turning_stiffness.h"

#include <algorithm>

namespace hooke {
namespace {

bool has_turned(const KktStructure& structure) {
  const auto& kinds = structure.body_kinds;
  return std::find(kinds.begin(), kinds.end(), BodyKind::turned) != kinds.end();
}

}  // namespace

std::vector<TurningStiffness> turning_stiffness(const Dae& dae, const State& state, Workspace& workspace,
                                                KktMatrix& kkt) {
  const KktStructure& structure = dae.structure();
  std::vector<TurningStiffness> all;
  if (!has_turned(structure)) return all;
  kkt.accept_turned(true);
  dae.tangent(state, {.m = 0, .k = 1}, workspace, kkt);
  for (TurnedBody& body : kkt.turned) body.harmless = -1;  // none is too small to be told
  dae.tangent(state, {.m = 0, .k = 1}, workspace, kkt);
  for (std::size_t b = 0; b < kkt.turned.size(); ++b) {
    const TurnedBody& body = kkt.turned[b];
    if (!body.matrices || !body.frame_matters) continue;
    const auto in_world = [&](const auto& of_body) {
      Eigen::Matrix<double, Eigen::Dynamic, 6> turned = of_body;
      for (int i = 0; i < turned.rows(); i += 3)
        turned.middleRows<3>(i) = body.R * turned.middleRows<3>(i).eval();
      return turned;
    };
    all.push_back({kkt.matrix.offsets()[structure.body_blocks[b]], in_world(body.U),
                   in_world(body.other_side()), body.B});
  }
  kkt.accept_turned(false);
  return all;
}

Eigen::SparseMatrix<double> damping_in_components(const Dae& dae, const State& state, Workspace& workspace,
                                                  KktMatrix& kkt) {
  const KktStructure& structure = dae.structure();
  Eigen::SparseMatrix<double> all(dae.nv(), dae.nv());
  if (!has_turned(structure)) return all;
  kkt.accept_turned(true);
  dae.tangent(state, {.m = 0, .k = 1}, workspace, kkt);
  std::vector<char> is_constant;  // where forces of elements have their own derivatives nothing is left out
  for (const TurnedBody& body : kkt.turned) is_constant.push_back(body.matrices != nullptr);
  dae.tangent(state, {.m = 0, .d = 1}, workspace, kkt);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t b = 0; b < kkt.turned.size(); ++b) {
    const TurnedBody& body = kkt.turned[b];
    if (!is_constant[b] || !body.matrices || body.stiffness == 0) continue;
    const auto& K = body.matrices->K;
    const int first = kkt.matrix.offsets()[structure.body_blocks[b]];
    for (int j = 0; j < K.cols(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(K, j); entry; ++entry) {
        const int i = static_cast<int>(entry.row());
        const Mat3 turned =
            body.stiffness * entry.value() * body.R.col(i % 3) * body.R.col(j % 3).transpose();
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            entries.emplace_back(first + i - i % 3 + k, first + j - j % 3 + l, turned(k, l));
      }
  }
  all.setFromTriplets(entries.begin(), entries.end());
  kkt.accept_turned(false);
  return all;
}

}  // namespace hooke
