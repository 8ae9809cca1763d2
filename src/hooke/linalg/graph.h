#pragma once
#include <vector>

namespace hooke {

/// Who is next to whom, in both directions and without loops: the neighbours of v are
/// adjacent[start[v]] ... adjacent[start[v + 1] - 1].
struct Graph {
  std::vector<int> start{0}, adjacent;
  int size() const { return static_cast<int>(start.size()) - 1; }
};

/// The vertices in an order of elimination with little fill and a shallow tree: what separates two halves
/// comes after both, and so on inside each. By METIS, or without it by level sets, whose separators are
/// larger unless the graph is long.
std::vector<int> nested_dissection(const Graph& graph);

/// The cluster each vertex belongs to: about the same number in each, and few edges between them. In a connected graph
/// every cluster is connected. A cluster may be empty where that cannot be.
std::vector<int> partition(const Graph& graph, int clusters);

/// Vertices between two halves of about the same size: the cluster of each, 0 or 1, or 2 for those between.
std::vector<char> vertex_separator(const Graph& graph);

/// The first two without METIS, whatever the build has.
std::vector<int> nested_dissection_by_levels(const Graph& graph);
std::vector<int> partition_by_levels(const Graph& graph, int clusters);

}  // namespace hooke
