// Orders of elimination and partitions, by METIS where the build has it and without.
#include "hooke/linalg/graph.h"

#include <algorithm>
#include <set>

#include "support/finite_difference.h"

namespace hooke::test {
namespace {

/// A grid of points, each next to four others.
Graph grid(int rows, int columns) {
  Graph graph;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      for (const auto& [a, b] : {std::pair(i - 1, j), {i, j - 1}, {i, j + 1}, {i + 1, j}})
        if (a >= 0 && b >= 0 && a < rows && b < columns) graph.adjacent.push_back(a * columns + b);
      graph.start.push_back(static_cast<int>(graph.adjacent.size()));
    }
  return graph;
}

/// Entries of L below the diagonal.
int fill_of(const Graph& graph, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
  std::vector<std::set<int>> later(order.size());
  for (int v = 0; v < graph.size(); ++v)
    for (int e = graph.start[v]; e < graph.start[v + 1]; ++e)
      if (place[graph.adjacent[e]] > place[v]) later[place[v]].insert(place[graph.adjacent[e]]);
  int entries = 0;
  for (auto& of : later) {
    entries += static_cast<int>(of.size());
    if (of.empty()) continue;
    const int parent = *of.begin();
    later[parent].insert(std::next(of.begin()), of.end());
  }
  return entries;
}

bool is_connected(const Graph& graph, const std::vector<int>& part, int number) {
  const auto first = std::find(part.begin(), part.end(), number);
  std::set<int> seen{static_cast<int>(first - part.begin())};
  std::vector<int> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const int v = open.back();
    open.pop_back();
    for (int e = graph.start[v]; e < graph.start[v + 1]; ++e)
      if (const int n = graph.adjacent[e]; part[n] == number && seen.insert(n).second) open.push_back(n);
  }
  return static_cast<int>(seen.size()) == std::count(part.begin(), part.end(), number);
}

TEST(Graph, NestedDissectionTakesEveryVertexOnceAndFillsLittle) {
  const Graph graph = grid(20, 20);
  std::vector<int> natural(graph.size());
  for (int v = 0; v < graph.size(); ++v) natural[v] = v;
  for (const auto& order : {nested_dissection(graph), nested_dissection_by_levels(graph)}) {
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, natural);
    EXPECT_LT(fill_of(graph, order), 0.8 * fill_of(graph, natural));
  }
}

TEST(Graph, NestedDissectionTakesGraphsWithoutEdgesAndInPieces) {
  EXPECT_EQ(nested_dissection(Graph{}).size(), 0u);
  EXPECT_EQ(nested_dissection(Graph{.start = {0, 0}}).size(), 1u);
  const Graph apart{.start = {0, 0, 0, 1, 2, 2, 2}, .adjacent = {3, 2}};
  for (const auto& order : {nested_dissection(apart), nested_dissection_by_levels(apart)})
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 6u);
}

TEST(Graph, PartsAreConnectedAndAboutAsLarge) {
  const Graph graph = grid(12, 15);
  for (int parts : {1, 2, 3, 5, 8})
    for (const auto& part : {partition(graph, parts), partition_by_levels(graph, parts)}) {
      SCOPED_TRACE(parts);
      for (int p = 0; p < parts; ++p) {
        const auto size = std::count(part.begin(), part.end(), p);
        EXPECT_GT(size, 0.6 * graph.size() / parts);
        EXPECT_LT(size, 1.5 * graph.size() / parts);
        EXPECT_TRUE(is_connected(graph, part, p));
      }
    }
}

}  // namespace
}  // namespace hooke::test
