#pragma once
#include <vector>

#include "hooke/gpu/front.h"
#include "hooke/linalg/graph.h"
#include "hooke/math/types.h"

/// How a sparse matrix of nodes is eliminated in a few wide stages, for a machine on which a stage costs as much as
/// some megabytes of reading.
namespace hooke::gpu {

struct Dissection {
  std::vector<int> order;     ///< node of the graph that is eliminated as number k
  std::vector<Front> fronts;  ///< children before parents
  int levels = 0;
  double bytes = 0;  ///< that a solve reads, in single precision
};

/// What a solve costs: seconds for a byte and for a stage. Fitted to eight plans on an H200.
struct SolveCost {
  double per_byte = 1 / 4.0e12, per_stage = 5.3e-6;
  double per_front = 0;  ///< where one block takes them one after the other
};

/// Halves the nodes again and again by separators, then merges levels of that binary tree into the wide levels that the
/// cost model finds best. Separators are those of the graph (METIS, where it is there) or planes across an axis,
/// whichever are smaller.
Dissection dissect(const Graph& graph, const Mat3X& positions, const SolveCost& cost = {});

}  // namespace hooke::gpu
