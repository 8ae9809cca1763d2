#include "hooke/linalg/graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#if HOOKE_WITH_METIS
#include <metis.h>

#include <array>
#include <mutex>
#include <new>
#include <stdexcept>
#endif

namespace hooke {
namespace {

/// Cuts sets of vertices in two, again and again. Every vertex has a label; a search stays among equal ones.
class Bisection {
 public:
  explicit Bisection(const Graph& graph) : graph_(graph), label_(graph.size(), 0) {}

  /// The `wanted` ones of the set that are nearest to one end of it, and the others, all of which hang
  /// together: clusters that hang on the first ones alone go to these.
  std::pair<std::vector<int>, std::vector<int>> split(const std::vector<int>& set, std::size_t wanted) {
    mark(set);
    const int end = flood(set[0]).back(), reached = labels_;
    std::vector<int> near = flood(end);
    for (int v : set)  // what does not hang together with it
      if (label_[v] < reached)
        for (int other : flood(v)) near.push_back(other);

    std::vector<int> far(near.begin() + static_cast<std::ptrdiff_t>(wanted), near.end()), largest;
    near.resize(wanted);
    const int unseen = mark(far);
    for (int v : far) {
      if (label_[v] != unseen) continue;
      std::vector<int> cluster = flood(v);
      if (cluster.size() > largest.size()) std::swap(cluster, largest);
      near.insert(near.end(), cluster.begin(), cluster.end());
    }
    return {std::move(near), std::move(largest)};
  }

  /// Divides the first set into those with a neighbour in the second, which come last, and the others; their
  /// number.
  std::size_t put_border_last(std::vector<int>& set, const std::vector<int>& other) {
    const int there = mark(other);
    const auto border = std::stable_partition(set.begin(), set.end(), [&](int v) {
      return std::none_of(graph_.adjacent.begin() + graph_.start[v],
                          graph_.adjacent.begin() + graph_.start[v + 1],
                          [&](int n) { return label_[n] == there; });
    });
    return static_cast<std::size_t>(border - set.begin());
  }

 private:
  int mark(const std::vector<int>& set) {
    ++labels_;
    for (int v : set) label_[v] = labels_;
    return labels_;
  }
  /// All that can be reached, nearest first; they get a new label.
  std::vector<int> flood(int from) {
    const int old = label_[from];
    std::vector<int> found{from};
    label_[from] = ++labels_;
    for (std::size_t k = 0; k < found.size(); ++k)
      for (int e = graph_.start[found[k]]; e < graph_.start[found[k] + 1]; ++e)
        if (const int v = graph_.adjacent[e]; label_[v] == old) label_[v] = labels_, found.push_back(v);
    return found;
  }

  const Graph& graph_;
  std::vector<int> label_;
  int labels_ = 0;
};

std::vector<int> all_of(const Graph& graph) {
  std::vector<int> all(graph.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void dissect(Bisection& bisection, const std::vector<int>& set, std::vector<int>& order) {
  constexpr std::size_t few = 3;
  if (set.size() <= few) return void(order.insert(order.end(), set.begin(), set.end()));
  auto [near, far] = bisection.split(set, set.size() / 2);
  const auto inner = static_cast<std::ptrdiff_t>(bisection.put_border_last(near, far));
  dissect(bisection, {near.begin(), near.begin() + inner}, order);
  dissect(bisection, far, order);
  order.insert(order.end(), near.begin() + inner, near.end());
}

void number_clusters(Bisection& bisection, const std::vector<int>& set, int first, int clusters,
                     std::vector<int>& cluster) {
  if (clusters == 1 || set.empty())
    for (int v : set) cluster[v] = first;
  if (clusters == 1 || set.empty()) return;
  const int half = clusters / 2;
  const auto [near, far] = bisection.split(set, set.size() * static_cast<std::size_t>(half) / clusters);
  number_clusters(bisection, near, first, half, cluster);
  number_clusters(bisection, far, first + half, clusters - half, cluster);
}

}  // namespace

std::vector<int> nested_dissection_by_levels(const Graph& graph) {
  std::vector<int> order;
  Bisection bisection(graph);
  dissect(bisection, all_of(graph), order);
  return order;
}

std::vector<int> partition_by_levels(const Graph& graph, int clusters) {
  std::vector<int> cluster(graph.size(), 0);
  Bisection bisection(graph);
  number_clusters(bisection, all_of(graph), 0, clusters, cluster);
  return cluster;
}

#if HOOKE_WITH_METIS

namespace {

using Options = std::array<idx_t, METIS_NOPTIONS>;

/// METIS starts the random numbers of the C library anew and draws from them. Held by whoever calls it, so
/// that threads which order their matrices at the same time get the same orders every time.
std::mutex& metis_lock() {
  static std::mutex lock;
  return lock;
}

/// METIS writes to none of it, but does not say so, and its integers may be wider than ours.
struct MetisGraph {
  explicit MetisGraph(const Graph& graph)
      : size(graph.size()),
        start(graph.start.begin(), graph.start.end()),
        adjacent(graph.adjacent.begin(), graph.adjacent.end()) {
    METIS_SetDefaultOptions(options.data());
  }
  idx_t size;
  std::vector<idx_t> start, adjacent;
  Options options;
};

template <class Failure = std::runtime_error>
void check_metis(int status, const char* failure) {
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw Failure(failure);
}

}  // namespace

std::vector<int> nested_dissection(const Graph& graph) {
  if (graph.size() < 2 || graph.adjacent.empty()) return all_of(graph);
  MetisGraph metis(graph);
  metis.options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> order(graph.size()), place(graph.size());
  const std::lock_guard held(metis_lock());
  check_metis(METIS_NodeND(&metis.size, metis.start.data(), metis.adjacent.data(), nullptr,
                           metis.options.data(), order.data(), place.data()),
              "METIS finds no order of elimination");
  return {order.begin(), order.end()};
}

std::vector<int> partition(const Graph& graph, int clusters) {
  if (clusters < 2) return std::vector<int>(graph.size(), 0);
  MetisGraph metis(graph);
  metis.options[METIS_OPTION_CONTIG] = 1;
  idx_t weights = 1, wanted = clusters, cut = 0;
  std::vector<idx_t> cluster(graph.size());
  const std::lock_guard held(metis_lock());
  check_metis<std::invalid_argument>(
      METIS_PartGraphKway(&metis.size, &weights, metis.start.data(), metis.adjacent.data(), nullptr, nullptr,
                          nullptr, &wanted, nullptr, nullptr, metis.options.data(), &cut, cluster.data()),
      "METIS cannot cut the graph: it does not hang together");
  return {cluster.begin(), cluster.end()};
}

std::vector<char> vertex_separator(const Graph& graph) {
  MetisGraph metis(graph);
  metis.options[METIS_OPTION_SEED] = 1;
  idx_t count = 0;
  std::vector<idx_t> cluster(graph.size());
  const std::lock_guard held(metis_lock());
  check_metis(METIS_ComputeVertexSeparator(&metis.size, metis.start.data(), metis.adjacent.data(), nullptr,
                                           metis.options.data(), &count, cluster.data()),
              "METIS finds no separator");
  return {cluster.begin(), cluster.end()};
}

#else

std::vector<char> vertex_separator(const Graph& graph) {
  Bisection bisection(graph);
  auto [near, far] = bisection.split(all_of(graph), static_cast<std::size_t>(graph.size() / 2));
  std::vector<char> cluster(graph.size(), 1);
  const std::size_t inner = bisection.put_border_last(near, far);
  for (std::size_t k = 0; k < near.size(); ++k) cluster[near[k]] = k < inner ? 0 : 2;
  return cluster;
}

std::vector<int> nested_dissection(const Graph& graph) { return nested_dissection_by_levels(graph); }
std::vector<int> partition(const Graph& graph, int clusters) { return partition_by_levels(graph, clusters); }

#endif

}  // namespace hooke
