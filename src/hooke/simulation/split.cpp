#include "hooke/simulation/split.h"

#include <algorithm>

#include "hooke/base/timer.h"
#include "hooke/coupling/adapter/excerpt.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

/// First dof of each body, and the end.
std::vector<int> first_dofs(const KktStructure& structure) {
  std::vector<int> first{0};
  for (std::size_t b = 0; b + 1 < structure.body_blocks.size(); ++b) {
    first.push_back(first.back());
    for (int k = structure.body_blocks[b]; k < structure.body_blocks[b + 1]; ++k)
      first.back() += structure.dof_sizes[k];
  }
  return first;
}

std::vector<int> body_of_block(const KktStructure& structure) {
  std::vector<int> body(structure.dof_sizes.size());
  for (std::size_t b = 0; b + 1 < structure.body_blocks.size(); ++b)
    for (int k = structure.body_blocks[b]; k < structure.body_blocks[b + 1]; ++k)
      body[k] = static_cast<int>(b);
  return body;
}

/// Bodies joined to each body.
std::vector<std::vector<int>> neighbours(const KktStructure& structure) {
  const std::vector<int> body = body_of_block(structure);
  std::vector<std::vector<int>> result(structure.body_blocks.size() - 1);
  const auto add = [&](int a, int b) {
    if (a != b) result[a].push_back(b), result[b].push_back(a);
  };
  for (const auto& blocks : structure.constraint_blocks)
    for (const int a : blocks)
      for (const int b : blocks) add(body[a], body[b]);
  for (const auto& [a, b] : structure.couplings) add(body[a], body[b]);
  for (auto& list : result) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return result;
}

/// All bodies, nearest to the first one first; what is not joined to it follows.
std::vector<int> by_distance(const std::vector<std::vector<int>>& near, int start) {
  std::vector<int> order;
  std::vector<char> seen(near.size(), 0);
  for (std::size_t k = 0; order.size() < near.size(); ++k) {
    if (k == order.size()) {
      const auto next = k == 0 ? start : std::find(seen.begin(), seen.end(), 0) - seen.begin();
      order.push_back(static_cast<int>(next));
      seen[next] = 1;
    }
    for (const int b : near[order[k]])
      if (!seen[b]) seen[b] = 1, order.push_back(b);
  }
  return order;
}

}  // namespace

std::vector<std::vector<int>> propose_split(const System& system, int count) {
  const auto near = neighbours(system.structure());
  const std::vector<int> first = first_dofs(system.structure());
  const std::vector<int> order = by_distance(near, by_distance(near, 0).back());
  std::vector<std::vector<int>> result(static_cast<std::size_t>(count));
  const int bodies = static_cast<int>(order.size());
  int done = 0, at = 0;
  for (int k = 0; k < bodies; ++k) {
    const int size = first[order[k] + 1] - first[order[k]];
    // Where half of it lies decides, but every subsystem gets a body.
    const int wanted = std::min(count - 1, (2 * done + size) * count / (2 * first.back()));
    const bool must_go_on = bodies - k <= count - 1 - at;
    if (!result[at].empty() && (wanted > at || must_go_on)) ++at;
    result[at].push_back(order[k]);
    done += size;
  }
  for (auto& list : result) std::sort(list.begin(), list.end());
  return result;
}

std::vector<int> cut_constraints(const System& system, const std::vector<int>& subsystem_of) {
  std::vector<int> result;
  for (int c = 0; c < system.constraints(); ++c)
    if (touched_subsystems(system, system.frames_of_constraint(c), subsystem_of).size() > 1)
      result.push_back(c);
  return result;
}

std::vector<std::vector<int>> connected_groups(const System& system, const std::vector<int>& bodies) {
  const auto near = neighbours(system.structure());
  std::vector<char> is_left(near.size(), 0);
  for (const int body : bodies) is_left[body] = 1;
  std::vector<std::vector<int>> result;
  for (const int body : bodies) {
    if (!is_left[body]) continue;
    std::vector<int>& group = result.emplace_back(1, body);
    is_left[body] = 0;
    for (std::size_t k = 0; k < group.size(); ++k)
      for (const int next : near[group[k]])
        if (is_left[next]) is_left[next] = 0, group.push_back(next);
    std::sort(group.begin(), group.end());
  }
  return result;
}

Pace pace_of(Problem problem, double patience) {
  problem.run.realtime.reset();
  Pace pace;
  std::optional<double> first;
  double last = 0;
  Timer timer;
  RunOptions options;
  options.progress = [&](const Progress& now) {
    if (!first) first = now.t, timer.restart();
    last = now.t;
    if (last > *first) pace.seconds = timer.seconds() / (last - *first);
  };
  options.cancelled = [&] { return pace.seconds > 0 && timer.seconds() > patience; };
  try {
    Simulation simulation(std::move(problem));
    pace.failure = simulation.run(options).failure;
  } catch (const Error& error) {
    pace.failure = error.what();
  }
  if (pace.failure.empty() && pace.seconds == 0) pace.failure = "the run has one step only";
  return pace;
}

}  // namespace hooke
