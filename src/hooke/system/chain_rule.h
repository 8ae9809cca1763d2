#pragma once
#include "hooke/frames/constraint.h"
#include "hooke/frames/frame_table.h"
#include "hooke/linalg/kkt.h"

/// The chain rule from frames to bodies, written once: generalised force J^T w, constraint rows G J and
/// stiffness J^T H J. Nearly all frames move with one block of six dofs; that case has fixed sizes.
namespace hooke {

/// At most so many dofs in a block, for what is kept on the stack.
inline constexpr int most_block_dofs = 64;
template <int R, int C>
using BlockTemporary = Eigen::Matrix<double, R, C, R == 1 && C != 1 ? Eigen::RowMajor : Eigen::ColMajor, R,
                                     C == Eigen::Dynamic ? most_block_dofs : C>;

/// J = [I arm; 0 R] of a frame that moves rigidly with one block of six dofs, at a third of the cost of a
/// full one.
struct RigidJacobian {
  static constexpr int ColsAtCompileTime = 6;
  Eigen::Map<const Mat6> full;
  auto arm() const { return full.topRightCorner<3, 3>(); }
  auto R() const { return full.bottomRightCorner<3, 3>(); }
};

template <int R>
Eigen::Matrix<double, R, 6> rows_times(const auto& G, const RigidJacobian& J) {
  Eigen::Matrix<double, R, 6> rows;
  rows.template leftCols<3>() = G.template leftCols<3>();
  rows.template rightCols<3>() = G.template leftCols<3>().lazyProduct(J.arm());
  rows.template rightCols<3>() += G.template rightCols<3>().lazyProduct(J.R());
  return rows;
}
template <int R, class Jacobian>
BlockTemporary<R, Jacobian::ColsAtCompileTime> rows_times(const auto& G, const Jacobian& J) {
  return G * J;
}

/// f(6 x n Jacobian columns, entry) for each dof block the frame moves with.
template <class Function>
inline void for_each_entry(const FrameMap& map, const std::vector<double>& jacobians, int frame,
                           Function&& f) {
  const FrameLayout& layout = map.frames[frame];
  const double* J = jacobians.data() + layout.jacobian;
  if (layout.rigid) return f(RigidJacobian{Eigen::Map<const Mat6>(J)}, map.entries[layout.first_entry], 0);
  for (int e = layout.first_entry; e < layout.last_entry; ++e) {
    const FrameEntry& entry = map.entries[e];
    if (entry.size == 6)
      f(Eigen::Map<const Mat6>(J + 6 * entry.column), entry, e - layout.first_entry);
    else
      f(Eigen::Map<const Mat6X>(J + 6 * entry.column, 6, entry.size), entry, e - layout.first_entry);
  }
}

/// r += J^T w
void add_generalised_force(const FrameMap& map, const FrameTable& table, int frame, const Vec6& wrench,
                           VectorX& r);
/// J a + J' v: the acceleration of a frame
Vec6 frame_acceleration(const FrameMap& map, const FrameTable& table, int frame, const VectorX& a);

/// Where an item of N frames writes into the matrix: found once, used at every tangent.
struct ItemHandles {
  std::vector<BlockHandle> G, Gt;  ///< per frame entry, frame by frame
  std::vector<BlockHandle> C;      ///< per pair of frame entries
};

template <std::size_t N>
inline std::vector<FrameEntry> entries_of(const FrameMap& map, const std::array<int, N>& frames) {
  std::vector<FrameEntry> all;
  for (int f : frames) {
    const auto entries = map.entries_of(f);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

/// G J into the rows of a constraint, and its transpose.
template <int R, int N>
void add_rows(const FrameMap& map, const FrameTable& table, const std::array<int, N>& frames,
              const Eigen::Matrix<double, R, 6 * N>& G, const ItemHandles& handles, BlockMatrix& matrix) {
  int k = 0;
  for (int i = 0; i < N; ++i)
    for_each_entry(map, table.jacobians, frames[i], [&](const auto& J, const FrameEntry&, int) {
      constexpr int columns = std::decay_t<decltype(J)>::ColsAtCompileTime;
      const BlockTemporary<R, columns> rows = rows_times<R>(G.template middleCols<6>(6 * i), J);
      if constexpr (columns == 6) {
        matrix.block<R, 6>(handles.G[k]) += rows;
        matrix.block<6, R>(handles.Gt[k]) += rows.transpose();
      } else {
        matrix.block(handles.G[k]) += rows;
        matrix.block(handles.Gt[k]) += rows.transpose();
      }
      ++k;
    });
}

/// The Jacobian as an ordinary matrix.
inline const auto& full(const RigidJacobian& J) { return J.full; }
inline const auto& full(const auto& J) { return J; }

/// J^T H V into C, where V is the Jacobian again (how frames move) or FrameTable::twist_changes.
template <int N>
void add_stiffness(const FrameMap& map, const FrameTable& table, const std::array<int, N>& frames,
                   const Eigen::Matrix<double, 6 * N, 6 * N>& H, const std::vector<double>& V,
                   const ItemHandles& handles, BlockMatrix& matrix) {
  int k = 0;
  for (int i = 0; i < N; ++i)
    for_each_entry(map, table.jacobians, frames[i], [&](const auto& J_i, const FrameEntry&, int) {
      constexpr int rows = std::decay_t<decltype(J_i)>::ColsAtCompileTime;
      for (int j = 0; j < N; ++j)
        for_each_entry(map, V, frames[j], [&](const auto& V_j, const FrameEntry&, int) {
          constexpr int columns = std::decay_t<decltype(V_j)>::ColsAtCompileTime;
          const BlockTemporary<6, columns> HV = H.template block<6, 6>(6 * i, 6 * j) * full(V_j);
          if constexpr (rows == 6 && columns == 6)
            matrix.block<6, 6>(handles.C[k]).noalias() += full(J_i).transpose() * HV;
          else
            matrix.block(handles.C[k]).noalias() += full(J_i).transpose().lazyProduct(HV);
          ++k;
        });
    });
}

// Those of all joints and of most forces are compiled once, in chain_rule.cpp.
extern template void add_stiffness<1>(const FrameMap&, const FrameTable&, const std::array<int, 1>&,
                                      const Eigen::Matrix<double, 6, 6>&, const std::vector<double>&,
                                      const ItemHandles&, BlockMatrix&);
extern template void add_stiffness<2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                      const Eigen::Matrix<double, 12, 12>&, const std::vector<double>&,
                                      const ItemHandles&, BlockMatrix&);
extern template void add_rows<1, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 1, 12>&, const ItemHandles&, BlockMatrix&);
extern template void add_rows<2, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 2, 12>&, const ItemHandles&, BlockMatrix&);
extern template void add_rows<3, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 3, 12>&, const ItemHandles&, BlockMatrix&);
extern template void add_rows<4, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 4, 12>&, const ItemHandles&, BlockMatrix&);
extern template void add_rows<5, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 5, 12>&, const ItemHandles&, BlockMatrix&);
extern template void add_rows<6, 2>(const FrameMap&, const FrameTable&, const std::array<int, 2>&,
                                    const Eigen::Matrix<double, 6, 12>&, const ItemHandles&, BlockMatrix&);

}  // namespace hooke
