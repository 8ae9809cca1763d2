#include "hooke/simulation/subsystems.h"

#include <algorithm>

#include "hooke/base/text.h"

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

/// By its name, or by that of the solid it was cut from.
bool is_meant(const std::string& word, std::size_t body, const BuiltModel& built) {
  const auto& [name, entry] = *(built.model->bodies.begin() + static_cast<std::ptrdiff_t>(body));
  return name == word || entry.component_of == word;
}

}  // namespace

std::vector<Subsystem> subsystems_of(const Problem& file, const BuiltModel& built) {
  Diagnostics diagnostics;
  std::vector<std::string> owner(built.bodies.size());
  std::vector<Subsystem> result;
  const auto add = [&](Subsystem& to, std::size_t body) {
    to.bodies.push_back(static_cast<int>(body));
    owner[body] = to.name;
  };
  const auto* of_run = file.run.integrator.get_if<StabilisedOdeChoice>();
  const OdeMethod method = of_run ? of_run->method : OdeMethod::implicit_alpha;
  for (const auto& [name, entry] : file.subsystems) {
    Subsystem& subsystem = result.emplace_back(Subsystem{name, {}, entry.steps_in(file.run.step), method});
    if (entry.integrator)
      if (const auto* own = entry.integrator->get_if<StabilisedOdeChoice>()) subsystem.method = own->method;
    for (std::size_t k = 0; k < entry.bodies.size(); ++k) {
      const std::string& word = entry.bodies[k];
      const std::string path = formatted("subsystems.{}[{}]", name, k);
      bool is_found = false;
      for (std::size_t body = 0; body < built.bodies.size(); ++body) {
        if (!is_meant(word, body, built)) continue;
        is_found = true;
        if (owner[body].empty())
          add(subsystem, body);
        else
          diagnostics.error(file.model.locate(path), path, "'{}' belongs to subsystem '{}' already", word,
                            owner[body]);
      }
      if (!is_found)
        diagnostics.error(file.model.locate(path), path, "no body named '{}'{}", word,
                          suggest(word, built.bodies));
    }
    if (entry.bodies.empty())
      diagnostics.error(file.model.locate("subsystems." + name), "subsystems." + name, "names no body");
  }
  Subsystem rest{"rest", {}, 1, method};
  const bool has_rest = std::find(owner.begin(), owner.end(), "") != owner.end();
  for (std::size_t body = 0; body < owner.size(); ++body)
    if (owner[body].empty()) add(rest, body);
  if (has_rest) result.push_back(std::move(rest));
  if (result.size() < 2)
    diagnostics.error(file.model.locate("subsystems"), "subsystems",
                      "all bodies are in one: name several subsystems, or none");
  diagnostics.throw_if_errors();
  return result;
}

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

}  // namespace hooke
