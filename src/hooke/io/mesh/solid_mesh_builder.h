#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/io/mesh/solid_mesh_file.h"

/// What the readers of all formats share.
namespace hooke {

[[noreturn]] inline void fail_mesh(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file, formatted("'{}' is not a mesh that can be read: {}", path, why));
}

/// The number of a node, an element or a set; nothing where `value` cannot be one.
inline std::optional<long> whole_number(double value) {
  constexpr double most = 1e15;  // beyond, doubles are not exact
  if (!(std::abs(value) <= most) || value != std::trunc(value)) return {};
  return static_cast<long>(value);
}

/// Numbers from first to last: "1 THRU 100", "GENERATE".
struct NumberRange {
  long first = 0, last = 0, step = 1;
  bool holds(long number) const { return first <= number && number <= last && (number - first) % step == 0; }
};

/// Collects nodes by their numbers in the file, in any order; then keeps what solid elements use.
class SolidMeshBuilder {
 public:
  explicit SolidMeshBuilder(std::string path) : path_(std::move(path)) {}

  void add_node(long number, const Vec3& at) {
    if (!(at.cwiseAbs().maxCoeff() <= limits::number.most))
      fail_mesh(path_, formatted("node {} is at a place beyond all numbers", number));
    if (!places_.emplace(number, at).second)
      fail_mesh(path_, formatted("there are two nodes with number {}", number));
  }
  /// Nodes in the order of Hooke; the number of the material's name is found at the end.
  void add_element(ElementType type, std::vector<long> nodes, std::string material) {
    elements_.push_back({type, std::move(nodes), std::move(material)});
  }
  void add_to_set(const std::string& set, long node) {
    count_members(1);
    sets_[set].insert(node);
  }
  /// Those of the nodes in the file, wherever they stand in it: a range may be far longer than the mesh.
  void add_to_set(const std::string& set, const NumberRange& range) { ranges_.emplace_back(set, range); }
  /// Sets may name the same nodes over and over.
  void count_members(std::size_t more) {
    members_ += more;
    if (static_cast<double>(members_) > most_members_)
      fail_mesh(path_, limits::set_members.excess(static_cast<double>(members_)));
  }
  void set_material(const std::string& name, const SolidMaterial& values) { values_[name] = values; }
  std::string& material_of(std::size_t element) { return elements_[element].material; }
  std::size_t elements() const { return elements_.size(); }
  const std::vector<long>& nodes_of(std::size_t element) const { return elements_[element].nodes; }

  SolidMeshFile finish() {
    SolidMeshFile file;
    if (elements_.empty())
      fail_mesh(path_, "it holds no solid elements (tetrahedra or hexahedra); was only the surface written?");
    if (const std::string excess = limits::solid_elements.excess(static_cast<double>(elements_.size()));
        !excess.empty())
      fail_mesh(path_, excess);
    fill_ranges();
    std::unordered_map<long, int> number;
    std::map<std::string, int> materials;
    for (const Element& e : elements_) {
      std::vector<int> nodes;
      for (long node : e.nodes) {
        const auto place = places_.find(node);
        if (place == places_.end())
          fail_mesh(path_, formatted("an element has the node {}, which is not there", node));
        const auto [at, is_new] = number.emplace(node, static_cast<int>(file.mesh.nodes.size()));
        if (is_new) file.mesh.nodes.push_back(place->second);
        nodes.push_back(at->second);
      }
      const auto [at, is_new] = materials.emplace(e.material, static_cast<int>(materials.size()));
      if (is_new) {
        const auto known = values_.find(e.material);
        file.materials.push_back(
            {e.material, known == values_.end() ? std::nullopt : std::optional(known->second)});
      }
      file.mesh.add_element(e.type, nodes, at->second);
    }
    for (const auto& [name, nodes] : sets_)
      for (long node : nodes)
        if (const auto at = number.find(node); at != number.end())
          file.mesh.node_sets[name].push_back(at->second);
    return file;
  }

 private:
  void fill_ranges() {
    std::vector<long> numbers;
    for (const auto& [number, place] : places_) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (const auto& [set, range] : ranges_) {
      const auto first = std::lower_bound(numbers.begin(), numbers.end(), range.first),
                 last = std::upper_bound(first, numbers.end(), range.last);
      count_members(static_cast<std::size_t>(last - first));
      std::copy_if(first, last, std::inserter(sets_[set], sets_[set].end()),
                   [&range = range](long number) { return range.holds(number); });
    }
  }

  struct Element {
    ElementType type;
    std::vector<long> nodes;
    std::string material;
  };
  std::string path_;
  std::unordered_map<long, Vec3> places_;
  std::vector<Element> elements_;
  std::map<std::string, std::set<long>> sets_;
  std::vector<std::pair<std::string, NumberRange>> ranges_;
  std::size_t members_ = 0;
  double most_members_ = limits::set_members.value();
  std::map<std::string, SolidMaterial> values_;
};

SolidMeshFile parse_gmsh(std::string_view text, const std::string& path);
SolidMeshFile parse_abaqus(std::string_view text, const std::string& path);
SolidMeshFile parse_nastran(std::string_view text, const std::string& path);
SolidMeshFile parse_vtu(std::string_view text, const std::string& path);

}  // namespace hooke
