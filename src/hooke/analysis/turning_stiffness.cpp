#include "hooke/analysis/turning_stiffness.h"

#include <algorithm>

namespace hooke {

std::vector<TurningStiffness> turning_stiffness(const Dae& dae, const State& state, Workspace& workspace,
                                                KktMatrix& kkt) {
  const KktStructure& structure = dae.structure();
  const auto& kinds = structure.body_kinds;
  std::vector<TurningStiffness> all;
  if (std::find(kinds.begin(), kinds.end(), BodyKind::turned) == kinds.end()) return all;
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

}  // namespace hooke
