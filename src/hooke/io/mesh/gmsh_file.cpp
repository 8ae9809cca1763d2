// gmsh's MSH format, versions 2.2 and 4.1, text and binary; gmsh reference manual, section "MSH file format".
#include <cstdint>
#include <cstring>

#include "hooke/base/text.h"
#include "hooke/io/mesh/solid_mesh_builder.h"

namespace hooke {
namespace {

/// Nodes of each of gmsh's element types from 1 on; 0: none of that number.
constexpr int gmsh_nodes[] = {0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13};
/// From gmsh's order to ours.
constexpr int gmsh_tet10[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
constexpr int gmsh_hex20[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& path) : text_(text), path_(path), builder_(path) {}

  SolidMeshFile read() {
    while (next_section()) {
      if (section_ == "MeshFormat")
        read_format();
      else if (section_ == "PhysicalNames")
        read_names();
      else if (section_ == "Entities")
        read_entities();
      else if (section_ == "Nodes")
        version_ < 4 ? read_nodes_2() : read_nodes_4();
      else if (section_ == "Elements")
        version_ < 4 ? read_elements_2() : read_elements_4();
    }
    if (version_ == 0) fail("it does not begin with $MeshFormat");
    return builder_.finish();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    fail_mesh(path_, binary_ ? formatted("in ${}: {}", section_, why) : formatted("line {}: {}", line, why));
  }

  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return found;
  }
  /// Goes to the next $Name; what is between, and $EndName, is passed over.
  bool next_section() {
    while ((at_ = text_.find('$', at_)) != text_.npos) {
      section_ = std::string(trim(line().substr(1)));
      if (!section_.starts_with("End")) return true;
    }
    at_ = text_.size();
    return false;
  }

  std::string_view word() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::size_t start = at_;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (start == at_) fail("the file ends too early");
    return text_.substr(start, at_ - start);
  }
  template <class T>
  T raw() {
    if (at_ + sizeof(T) > text_.size()) fail("the file ends too early");
    T value;
    std::memcpy(&value, text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  double text_number() {
    const std::string_view w = word();
    const auto value = parse_number(w);
    if (!value || !std::isfinite(*value)) fail(formatted("expected a number, not '{}'", w.substr(0, 20)));
    return *value;
  }
  long text_integer() {
    const auto whole = whole_number(text_number());
    if (!whole) fail("expected a whole number");
    return *whole;
  }
  long integer() { return binary_ ? raw<std::int32_t>() : text_integer(); }
  long size() { return binary_ ? static_cast<long>(raw<std::uint64_t>()) : text_integer(); }
  double real() { return binary_ ? raw<double>() : text_number(); }
  /// A count of things that take at least a byte each.
  long count(long value) {
    if (value < 0 || static_cast<std::size_t>(value) > text_.size())
      fail(formatted("{} cannot be a number of things", value));
    return value;
  }
  Vec3 point() {
    const double x = real(), y = real();
    return {x, y, real()};
  }

  void read_format() {
    version_ = text_number();
    binary_ = text_integer() == 1;
    const long size = text_integer();
    if (version_ != 2.2 && version_ != 4.1)
      fail(formatted("version {:g} of the format is not known; write 4.1 or 2.2 (gmsh -format msh41)",
                     version_));
    if (size != 8) fail("numbers must have 8 bytes");
    line();
    if (binary_ && raw<std::int32_t>() != 1) fail("it was written on a machine with another byte order");
  }
  void read_names() {
    const long n = count(text_integer());
    line();
    for (long k = 0; k < n; ++k) {
      const std::string_view whole = line();
      const auto open = whole.find('"'), close = whole.rfind('"');
      int dimension = 0, tag = 0;
      if (open == whole.npos || close == open ||
          std::sscanf(std::string(whole).c_str(), "%d %d", &dimension, &tag) != 2)
        fail("expected a dimension, a number and a name in quotes");
      names_[{dimension, tag}] = std::string(whole.substr(open + 1, close - open - 1));
    }
  }
  std::string name_of(int dimension, long tag) const {
    const auto known = names_.find({dimension, static_cast<int>(tag)});
    return known != names_.end() ? known->second : formatted("group{}", tag);
  }

  void read_entities() {
    long counts[4];
    for (long& n : counts) n = count(size());
    for (int dimension = 0; dimension < 4; ++dimension)
      for (long k = 0; k < counts[dimension]; ++k) {
        const long tag = integer();
        for (int c = 0; c < (dimension == 0 ? 3 : 6); ++c) real();
        for (long p = count(size()); p > 0; --p) groups_[{dimension, tag}].push_back(std::abs(integer()));
        if (dimension > 0)
          for (long b = count(size()); b > 0; --b) integer();
      }
  }

  void read_nodes_2() {
    const long n = count(text_integer());
    line();
    for (long k = 0; k < n; ++k) {
      const long number = integer();
      builder_.add_node(number, point());
    }
  }
  void read_nodes_4() {
    const long blocks = count(size());
    for (int k = 0; k < 3; ++k) size();
    for (long b = 0; b < blocks; ++b) {
      const long dimension = integer();
      integer();
      const bool parametric = integer() != 0;
      std::vector<long> numbers(count(size()));
      for (long& number : numbers) number = size();
      for (long number : numbers) {
        builder_.add_node(number, point());
        for (long p = parametric ? dimension : 0; p > 0; --p) real();
      }
    }
  }

  void add(int type, const std::vector<long>& nodes, int dimension, const std::vector<long>& groups) {
    for (long group : groups)
      for (long node : nodes) builder_.add_to_set(name_of(dimension, group), node);
    if (dimension < 3) return;
    const std::string material = groups.empty() ? "" : name_of(3, groups[0]);
    const auto in_order = [&](const auto& order) {
      std::vector<long> sorted;
      for (int k : order) sorted.push_back(nodes[k]);
      return sorted;
    };
    switch (type) {
      case 4:
        return builder_.add_element(ElementType::tet4, nodes, material);
      case 5:
        return builder_.add_element(ElementType::hex8, nodes, material);
      case 11:
        return builder_.add_element(ElementType::tet10, in_order(gmsh_tet10), material);
      case 17:
        return builder_.add_element(ElementType::hex20, in_order(gmsh_hex20), material);
    }
    fail(
        formatted("elements of type {} ({} nodes) are not known; tetrahedra and hexahedra with 4, 10, 8 or "
                  "20 nodes are",
                  type, nodes.size()));
  }
  int nodes_of(long type) {
    if (type < 1 || type >= static_cast<long>(std::size(gmsh_nodes)))
      fail(formatted("element type {} is not known", type));
    return gmsh_nodes[type];
  }
  static int dimension_of(long type) {
    switch (type) {
      case 15:
        return 0;
      case 1:
      case 8:
        return 1;
      case 2:
      case 3:
      case 9:
      case 10:
      case 16:
        return 2;
    }
    return 3;
  }

  void read_elements_2() {
    const long n = count(text_integer());
    line();
    long type = 0, follow = 0, tags = 0;
    for (long k = 0; k < n; ++k) {
      if (binary_) {
        if (follow == 0) type = integer(), follow = count(integer()), tags = count(integer());
        --follow;
        integer();
      } else {
        integer();
        type = integer(), tags = count(integer());
      }
      std::vector<long> groups(tags), nodes(nodes_of(type));
      for (long& tag : groups) tag = integer();
      for (long& node : nodes) node = integer();
      groups.resize(groups.empty() || groups[0] == 0 ? 0 : 1);  // the first is the physical group
      add(static_cast<int>(type), nodes, dimension_of(type), groups);
    }
  }
  void read_elements_4() {
    const long blocks = count(size());
    for (int k = 0; k < 3; ++k) size();
    for (long b = 0; b < blocks; ++b) {
      const auto dimension = static_cast<int>(integer());
      const long entity = integer(), type = integer(), n = count(size());
      std::vector<long> nodes(nodes_of(type));
      for (long k = 0; k < n; ++k) {
        size();
        for (long& node : nodes) node = size();
        add(static_cast<int>(type), nodes, dimension, groups_[{dimension, entity}]);
      }
    }
  }

  std::string_view text_;
  std::string path_, section_;
  std::size_t at_ = 0;
  double version_ = 0;
  bool binary_ = false;
  SolidMeshBuilder builder_;
  std::map<std::pair<int, int>, std::string> names_;
  std::map<std::pair<int, long>, std::vector<long>> groups_;  ///< of each entity
};

}  // namespace

SolidMeshFile parse_gmsh(std::string_view text, const std::string& path) {
  return GmshReader(text, path).read();
}

}  // namespace hooke
