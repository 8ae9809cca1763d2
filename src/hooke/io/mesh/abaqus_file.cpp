// Abaqus input files: keywords with parameters, then lines of numbers.
#include <algorithm>

#include "hooke/base/text.h"
#include "hooke/io/mesh/solid_mesh_builder.h"

namespace hooke {
namespace {

std::string upper(std::string_view text) {
  std::string result(trim(text));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    cells.emplace_back(trim(line.substr(start, end - start)));
    start = end + 1;
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

class AbaqusReader {
 public:
  AbaqusReader(std::string_view text, const std::string& path) : text_(text), path_(path), builder_(path) {}

  SolidMeshFile read() {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++line_;
      take(trim(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    for (const auto& [set, material] : sections_)
      if (const auto known = element_sets_.find(set); known != element_sets_.end())
        for (std::size_t e : known->second) builder_.material_of(e) = material;
    return builder_.finish();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    fail_mesh(path_, formatted("line {}: {}", line_, why));
  }

  void take(std::string_view line) {
    if (line.empty() || line.starts_with("**")) return;
    if (line[0] == '*') return begin(line);
    std::vector<std::string> cells = cells_of(line);
    if (keyword_ == "NODE")
      take_node(cells);
    else if (keyword_ == "ELEMENT")
      take_element(cells);
    else if (keyword_ == "NSET" || keyword_ == "ELSET")
      take_set(cells);
    else if (keyword_ == "ELASTIC")
      for (const auto& c : cells) elastic_.push_back(number(c));
    else if (keyword_ == "DENSITY")
      take_density(cells);
    if (keyword_ == "ELASTIC" || keyword_ == "DENSITY") set_material();
  }

  void begin(std::string_view line) {
    parameters_.clear();
    const std::vector<std::string> cells = cells_of(line.substr(1));
    keyword_ = cells.empty() ? "" : upper(cells[0]);
    for (std::size_t k = 1; k < cells.size(); ++k) {
      const auto equal = cells[k].find('=');
      parameters_[upper(cells[k].substr(0, equal))] =
          equal == std::string::npos ? "" : std::string(trim(std::string_view(cells[k]).substr(equal + 1)));
    }
    element_.clear();
    if (keyword_ == "ELEMENT") type_ = upper(parameters_["TYPE"]);
    if (keyword_ == "MATERIAL") material_ = parameters_["NAME"], elastic_.clear(), density_ = 0;
    if (keyword_ == "SOLID SECTION")
      sections_.emplace_back(upper(parameters_["ELSET"]), parameters_["MATERIAL"]);
    if (keyword_ == "INSTANCE" && ++instances_ > 1)
      fail("several instances of parts are not put together; write a flat mesh of one part");
  }

  double number(const std::string& cell) const {
    const auto value = parse_number(cell);
    if (!value || !std::isfinite(*value)) fail(formatted("expected a number, not '{}'", cell));
    return *value;
  }
  long integer(const std::string& cell) const {
    const auto whole = whole_number(number(cell));
    if (!whole) fail(formatted("expected a whole number, not '{}'", cell));
    return *whole;
  }

  void take_node(const std::vector<std::string>& cells) {
    if (cells.size() < 4) fail("a node needs its number and three coordinates");
    const long node = integer(cells[0]);
    builder_.add_node(node, {number(cells[1]), number(cells[2]), number(cells[3])});
    if (const auto set = parameters_.find("NSET"); set != parameters_.end())
      builder_.add_to_set(set->second, node);
  }

  void take_density(const std::vector<std::string>& cells) {
    if (cells.empty()) fail("*DENSITY needs a number here");
    density_ = number(cells[0]);
  }

  std::optional<ElementType> type() const {
    if (!type_.starts_with("C3D")) return {};  // beams, shells, springs, masses
    const std::string nodes = type_.substr(3, type_.find_first_not_of("0123456789", 3) - 3);
    if (nodes == "4") return ElementType::tet4;
    if (nodes == "8") return ElementType::hex8;
    if (nodes == "10") return ElementType::tet10;
    if (nodes == "20") return ElementType::hex20;
    fail(formatted("elements of type {} are not known; C3D4, C3D8, C3D10 and C3D20 are", type_));
  }
  /// May go over several lines.
  void take_element(const std::vector<std::string>& cells) {
    const auto kind = type();
    if (!kind) return;
    for (const std::string& cell : cells) element_.push_back(integer(cell));
    const auto wanted = static_cast<std::size_t>(node_count(*kind)) + 1;
    if (element_.size() < wanted) return;
    if (element_.size() > wanted) fail(formatted("an element of type {} has {} nodes", type_, wanted - 1));
    elements_[element_[0]] = builder_.elements();
    if (const auto set = parameters_.find("ELSET"); set != parameters_.end())
      add_to_element_set(set->second, builder_.elements());
    builder_.add_element(*kind, {element_.begin() + 1, element_.end()}, "");
    if (const auto set = parameters_.find("ELSET"); set != parameters_.end())
      for (std::size_t k = 1; k < element_.size(); ++k) builder_.add_to_set(set->second, element_[k]);
    element_.clear();
  }
  void add_to_element_set(const std::string& set, std::size_t element) {
    element_sets_[upper(set)].push_back(element);
  }

  void take_set(const std::vector<std::string>& cells) {
    const std::string name = parameters_[keyword_];
    if (parameters_.contains("GENERATE")) {
      if (cells.size() < 2) fail("GENERATE needs the first and the last number, and the step");
      const NumberRange range{integer(cells[0]), integer(cells[1]), cells.size() > 2 ? integer(cells[2]) : 1};
      if (range.step <= 0) fail("the step must be positive");
      if (keyword_ == "NSET") return builder_.add_to_set(name, range);
      const auto end = elements_.upper_bound(range.last);
      for (auto e = elements_.lower_bound(range.first); range.first <= range.last && e != end; ++e) {
        builder_.count_members(1);
        if (range.holds(e->first)) add_to_set(name, e->first);
      }
      return;
    }
    for (const std::string& cell : cells)
      if (parse_number(cell)) add_to_set(name, integer(cell));  // otherwise the name of another set
  }
  void add_to_set(const std::string& name, long member) {
    if (keyword_ == "NSET") return builder_.add_to_set(name, member);
    const auto element = elements_.find(member);
    if (element == elements_.end()) return;
    add_to_element_set(name, element->second);
    for (long node : builder_.nodes_of(element->second)) builder_.add_to_set(name, node);
  }

  void set_material() {
    if (density_ <= 0) return;
    if (parameters_.contains("TYPE") && upper(parameters_["TYPE"]) == "ENGINEERING CONSTANTS")
      kind_ = "ORTHOTROPIC";
    if (elastic_.size() >= 9 && kind_ == "ORTHOTROPIC") {  // E1 E2 E3 nu12 nu13 nu23 G12 G13 G23
      const auto& c = elastic_;
      builder_.set_material(material_,
                            SolidMaterial::orthotropic({c[0], c[1], c[2]}, {c[3], c[5], c[4] * c[2] / c[0]},
                                                       {c[6], c[8], c[7]}, density_));
    } else if (elastic_.size() >= 2 && elastic_.size() < 9) {
      builder_.set_material(material_, SolidMaterial::isotropic({elastic_[0], elastic_[1], density_}));
    }
  }

  std::string_view text_;
  std::string path_, keyword_, type_, material_, kind_;
  int line_ = 0, instances_ = 0;
  SolidMeshBuilder builder_;
  std::map<std::string, std::string> parameters_;
  std::vector<long> element_;
  std::map<long, std::size_t> elements_;
  std::map<std::string, std::vector<std::size_t>> element_sets_;
  std::vector<std::pair<std::string, std::string>> sections_;
  std::vector<double> elastic_;
  double density_ = 0;
};

}  // namespace

SolidMeshFile parse_abaqus(std::string_view text, const std::string& path) {
  return AbaqusReader(text, path).read();
}

}  // namespace hooke
