#include "hooke/fe/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "hooke/base/format.h"
#include "hooke/linalg/graph.h"

namespace hooke {
namespace {

void check(const SolidMesh& mesh, int components) {
  if (components < 1 || components > static_cast<int>(mesh.elements.size()))
    throw std::invalid_argument(formatted("a mesh of {} elements cannot be cut into {} components",
                                          mesh.elements.size(), components));
}

/// Elements with a face in common are neighbours.
Graph graph_of_faces(const SolidMesh& mesh) {
  constexpr int corners_of_face = 3;  // at least
  const auto corners_of = [](const SolidMesh& of, const SolidMesh::Element& e) {
    return std::span(of.nodes_of(e)).first(static_cast<std::size_t>(corner_count(e.type)));
  };
  const int count = static_cast<int>(mesh.elements.size());
  std::vector<std::vector<int>> at_node(mesh.nodes.size());
  for (int e = 0; e < count; ++e)
    for (int node : corners_of(mesh, mesh.elements[e])) at_node[node].push_back(e);
  Graph graph;
  std::vector<int> shared(mesh.elements.size(), 0), found;
  for (int e = 0; e < count; ++e) {
    found.clear();
    for (int node : corners_of(mesh, mesh.elements[e]))
      for (int other : at_node[node])
        if (other != e && ++shared[other] == 1) found.push_back(other);
    for (int other : found) {
      if (shared[other] >= corners_of_face) graph.adjacent.push_back(other);
      shared[other] = 0;
    }
    graph.start.push_back(static_cast<int>(graph.adjacent.size()));
  }
  return graph;
}

}  // namespace

std::vector<int> slabs(const SolidMesh& mesh, int components, int axis, double grading) {
  check(mesh, components);
  Vec3 low = mesh.nodes[0], high = low;
  for (const Vec3& x : mesh.nodes) low = low.cwiseMin(x), high = high.cwiseMax(x);
  if (axis < 0) (high - low).maxCoeff(&axis);
  // Middles to a billionth of the length, so that round-off does not tell elements of one layer apart.
  std::vector<double> middle;
  for (const SolidMesh::Element& e : mesh.elements)
    middle.push_back(
        std::round(1e9 * (mesh.positions_of(e).row(axis).mean() - low[axis]) / (high - low)[axis]));
  std::vector<int> order(mesh.elements.size()), component(order.size());
  if (grading != 1) {
    std::vector<char> filled(components, 0);
    for (std::size_t k = 0; k < component.size(); ++k) {
      component[k] =
          std::min(components - 1, static_cast<int>(components * std::pow(1e-9 * middle[k], 1 / grading)));
      filled[component[k]] = 1;
    }
    if (const auto empty = std::find(filled.begin(), filled.end(), 0); empty != filled.end())
      throw std::invalid_argument(
          formatted("component {} of {} is thinner than an element with a grading of {}: take fewer, or a "
                    "grading nearer 1",
                    empty - filled.begin() + 1, components, grading));
    return component;
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return middle[a] < middle[b]; });
  for (std::size_t k = 0; k < order.size(); ++k)
    component[order[k]] = static_cast<int>(k * components / order.size());
  return component;
}

std::vector<int> metis_components(const SolidMesh& mesh, int components) {
  check(mesh, components);
  if (components == 1) return std::vector<int>(mesh.elements.size(), 0);
  const std::vector<int> of_element = partition(graph_of_faces(mesh), components);
  if (const auto used = std::set(of_element.begin(), of_element.end()).size();
      static_cast<int>(used) < components)
    throw std::invalid_argument(
        formatted("the mesh falls into {} components, not {}: ask for fewer, or for slabs along an axis",
                  used, components));
  return of_element;
}

CutMesh cut_mesh(const SolidMesh& mesh, const std::vector<int>& component_of_element) {
  const int components = 1 + *std::max_element(component_of_element.begin(), component_of_element.end());
  CutMesh result;
  result.meshes.resize(components);
  // The number of each node in each component that has it.
  std::vector<std::vector<std::pair<int, int>>> copies(mesh.nodes.size());
  const auto number_in = [&](int node, int component) {
    for (const auto& [of, number] : copies[node])
      if (of == component) return number;
    SolidMesh& piece = result.meshes[component];
    piece.nodes.push_back(mesh.nodes[node]);
    return copies[node].emplace_back(component, static_cast<int>(piece.nodes.size()) - 1).second;
  };
  std::vector<int> local;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const SolidMesh::Element& element = mesh.elements[e];
    local.clear();
    for (int node : mesh.nodes_of(element)) local.push_back(number_in(node, component_of_element[e]));
    result.meshes[component_of_element[e]].add_element(element.type, local, element.material);
  }
  for (const auto& [name, set] : mesh.node_sets)
    for (int node : set)
      for (const auto& [component, number] : copies[node])
        result.meshes[component].node_sets[name].push_back(number);

  std::map<std::pair<int, int>, std::string> names;
  for (auto& of : copies) {
    std::sort(of.begin(), of.end());
    for (std::size_t k = 1; k < of.size(); ++k) {
      const auto [a, in_a] = of[0];
      const auto [b, in_b] = of[k];
      auto [name, is_new] = names.try_emplace({a, b}, formatted("cut_{}_{}", a + 1, b + 1));
      if (is_new) result.ties.push_back({a, b, name->second});
      result.meshes[a].node_sets[name->second].push_back(in_a);
      result.meshes[b].node_sets[name->second].push_back(in_b);
    }
  }
  return result;
}

}  // namespace hooke
