#pragma once
#include <cstdint>
#include <vector>

#include "hooke/gpu/front.h"

/// How the fronts of a forest are shared out to the blocks and warps of a device. Everything is fixed beforehand, so that
/// sums are the same in every run, and the same in plain C++ (reference.h).
///
/// Forward, from the leaves up, a front makes of what it has of the right-hand side, b, and of what its children left
/// on its nodes:    y = D^-1 b on its own nodes,   z = (children's) - W b on its border,   W = A_border,own D^-1
/// Backward, from the root down:   x = y - W^T x_border.
/// D^-1 stands there as it is, so that a stage is one product of dense matrices by vectors.
namespace hooke::gpu {

struct Dissection;

constexpr int threads_in_block = 512, warps_in_block = threads_in_block / 32;
constexpr int rows_in_unit = 4, columns_in_unit = 32;  ///< of a matrix, that a warp takes at once

/// Rows of the matrix of a front that one block multiplies in one stage.
struct alignas(16) Segment {
  enum Kind { forward, backward, root };
  int kind;
  int first_row, rows;  ///< rows in whole units
  int own, border;      ///< dofs of the front
  int own_at;           ///< first own dof
  int border_at;        ///< first entry in z
  int gather_at;        ///< first of its nodes in `gathers`; -1: nothing comes from children
  int border_nodes_at;  ///< first border node in `border_nodes`
  int columns;          ///< in units
  int units;
  int front;
  int unused[4];
};
static_assert(sizeof(Segment) == 64);

/// Where children left something for a node: first entries in z of two of them (a place that is always zero where there
/// is none), and of the others, listed in `more`.
struct alignas(16) Gather {
  int first, second, more, count;
};

struct Layout {
  int blocks = 0, stages = 0, dofs = 0;
  int z_size = 0;  ///< three entries more are zero for good
  std::vector<Front> fronts;
  std::vector<Segment> segments;
  std::vector<int> first_segment;  ///< of block b and stage t: [b * stages + t]
  std::vector<int> unit_at;        ///< of each segment and warp: its first unit in the stream of the warp
  std::vector<std::int64_t> stream_at;  ///< of each block and warp, in units of 32 x 16 bytes
  std::vector<int> stream_chunks;       ///< of four units
  std::int64_t stream_units = 0;
  std::vector<Gather> gathers;
  std::vector<int> more, border_nodes;
  std::vector<std::int64_t> forward_at, backward_at;  ///< of each front's matrices in the plain factor
  std::int64_t plain_size = 0;
  int widest = 0;         ///< columns of a front, padded
  int most_groups = 0;    ///< of four rows in a segment
  int most_segments = 0;  ///< of a block

  double bytes() const { return 512.0 * static_cast<double>(stream_units); }
};

/// Of several bodies, one after the other: each has its dissection.
Layout make_layout(const std::vector<Dissection>& bodies, int blocks);

}  // namespace hooke::gpu
