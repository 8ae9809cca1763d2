#include "hooke/system/chain_rule.h"

namespace hooke {
namespace {

void add_transposed(const RigidJacobian& J, const Vec6& wrench, auto&& r) {
  r.template head<3>() += wrench.head<3>();
  r.template tail<3>().noalias() +=
      J.arm().transpose() * wrench.head<3>() + J.R().transpose() * wrench.tail<3>();
}
void add_transposed(const auto& J, const Vec6& wrench, auto&& r) { r.noalias() += J.transpose() * wrench; }

void add_product(const RigidJacobian& J, const auto& a, Vec6& result) {
  const Vec3 turning = a.template tail<3>();
  result.head<3>() += a.template head<3>() + J.arm() * turning;
  result.tail<3>().noalias() += J.R() * turning;
}
void add_product(const auto& J, const auto& a, Vec6& result) { result.noalias() += J * a; }

}  // namespace

void add_generalised_force(const FrameMap& map, const FrameTable& table, int frame, const Vec6& wrench,
                           VectorX& r) {
  for_each_entry(map, table.jacobians, frame, [&](const auto& J, const FrameEntry& entry, int) {
    add_transposed(J, wrench, r.segment<std::decay_t<decltype(J)>::ColsAtCompileTime>(entry.dof, entry.size));
  });
}

Vec6 frame_acceleration(const FrameMap& map, const FrameTable& table, int frame, const VectorX& a) {
  Vec6 result = table.bias[frame];
  for_each_entry(map, table.jacobians, frame, [&](const auto& J, const FrameEntry& entry, int) {
    add_product(J, a.segment<std::decay_t<decltype(J)>::ColsAtCompileTime>(entry.dof, entry.size), result);
  });
  return result;
}

template void add_stiffness<1>(const FrameMap&, const FrameTable&, const std::array<int, 1>&,
                               const Eigen::Matrix<double, 6, 6>&, const std::vector<double>&,
                               const ItemHandles&, BlockMatrix&);
template void add_stiffness<2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                               const Eigen::Matrix<double, 12, 12>&, const std::vector<double>&,
                               const ItemHandles&, BlockMatrix&);
template void add_rows<1, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 1, 12>&, const ItemHandles&, BlockMatrix&);
template void add_rows<2, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 2, 12>&, const ItemHandles&, BlockMatrix&);
template void add_rows<3, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 3, 12>&, const ItemHandles&, BlockMatrix&);
template void add_rows<4, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 4, 12>&, const ItemHandles&, BlockMatrix&);
template void add_rows<5, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 5, 12>&, const ItemHandles&, BlockMatrix&);
template void add_rows<6, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                             const Eigen::Matrix<double, 6, 12>&, const ItemHandles&, BlockMatrix&);

}  // namespace hooke
