// VTK's unstructured grids in XML: data arrays as text or base64.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hooke/base/text.h"
#include "hooke/io/mesh/base64.h"
#include "hooke/io/mesh/solid_mesh_builder.h"

namespace hooke {
namespace {

std::string attribute(std::string_view tag, std::string_view name) {
  const std::string key = std::string(name) + "=";
  for (std::size_t at = tag.find(key); at != tag.npos; at = tag.find(key, at + 1)) {
    const std::size_t quote = at + key.size();
    if (at == 0 || !std::isspace(static_cast<unsigned char>(tag[at - 1])) || quote >= tag.size()) continue;
    const std::size_t end = tag.find(tag[quote], quote + 1);
    if (end != tag.npos) return std::string(tag.substr(quote + 1, end - quote - 1));
  }
  return "";
}

class VtuReader {
 public:
  VtuReader(std::string_view text, const std::string& path) : text_(text), path_(path), builder_(path) {}

  SolidMeshFile read() {
    const std::string_view head = tag_from(text_.find("<VTKFile"));
    if (attribute(head, "type") != "UnstructuredGrid")
      fail_mesh(path_, "it is not a VTK file of type UnstructuredGrid");
    if (!attribute(head, "compressor").empty())
      fail_mesh(path_, "its data are compressed: write it without compression, as text or binary");
    if (attribute(head, "byte_order") == "BigEndian")
      fail_mesh(path_, "its byte order is BigEndian; write it as text");
    wide_header_ = attribute(head, "header_type") == "UInt64";

    const std::vector<double> points = array(element("Points"), "");
    for (std::size_t k = 0; k + 2 < points.size(); k += 3)
      builder_.add_node(static_cast<long>(k / 3), Vec3(&points[k]));
    const std::string_view cells = element("Cells"), data = element("CellData");
    const std::vector<double> connectivity = array(cells, "connectivity"), offsets = array(cells, "offsets"),
                              types = array(cells, "types"), material = array(data, "material", false);
    if (offsets.size() != types.size()) fail_mesh(path_, "there are not as many offsets as types of cells");
    std::size_t first = 0;
    for (std::size_t c = 0; c < types.size(); ++c) {
      const double last = offsets[c];
      if (!(last >= static_cast<double>(first) && last <= static_cast<double>(connectivity.size())))
        fail_mesh(path_,
                  formatted("the offset {:g} of cell {} does not fit the nodes of the cells", last, c));
      std::vector<long> nodes;
      for (; first < static_cast<std::size_t>(last); ++first)
        nodes.push_back(integer(connectivity[first], "connectivity"));
      add_cell(integer(types[c], "types"), nodes, c < material.size() ? formatted("{:g}", material[c]) : "");
    }
    add_sets(points.size() / 3);
    return builder_.finish();
  }

 private:
  long integer(double value, const char* array) const {
    const auto whole = whole_number(value);
    if (!whole) fail_mesh(path_, formatted("{:g} in the array '{}' is not a whole number", value, array));
    return *whole;
  }
  std::string_view tag_from(std::size_t at) const {
    if (at == text_.npos) fail_mesh(path_, "it is not a VTK file of type UnstructuredGrid");
    return text_.substr(at, text_.find('>', at) - at);
  }
  std::string_view element(const std::string& name) const {
    const std::size_t open = text_.find("<" + name), close = text_.find("</" + name + ">");
    return open == text_.npos || close == text_.npos ? std::string_view() : text_.substr(open, close - open);
  }
  /// take(tag, text) for each array, until it returns true.
  static bool find_array(std::string_view in, auto&& take) {
    for (std::size_t at; (at = in.find("<DataArray")) != in.npos;) {
      const std::size_t end = std::min(in.find('>', at), in.size()),
                        close = std::min(in.find("</DataArray>", end), in.size());
      const bool is_empty = end == in.size() || in[end - 1] == '/';  // <DataArray .../>
      if (take(in.substr(at, end - at), is_empty ? std::string_view() : in.substr(end + 1, close - end - 1)))
        return true;
      in.remove_prefix(end);
    }
    return false;
  }
  /// The first array of that name; of any name where it is empty.
  std::vector<double> array(std::string_view in, const std::string& name, bool required = true) const {
    std::vector<double> found;
    const auto take = [&](std::string_view tag, std::string_view text) {
      if (!name.empty() && attribute(tag, "Name") != name) return false;
      found = values(tag, text, name.empty() ? "Points" : name);
      return true;
    };
    if (find_array(in, take)) return found;
    if (required) fail_mesh(path_, formatted("it has no data array '{}'", name.empty() ? "Points" : name));
    return {};
  }
  std::vector<double> values(std::string_view tag, std::string_view text, const std::string& name) const {
    const std::string format = attribute(tag, "format"), type = attribute(tag, "type");
    std::vector<double> numbers;
    if (format == "ascii") {
      for (std::size_t start; (start = text.find_first_not_of(" \t\r\n")) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", start), text.size());
        const auto value = parse_number(text.substr(start, end - start));
        if (!value)
          fail_mesh(path_, formatted("'{}' in the array '{}' is not a number",
                                     text.substr(start, std::min<std::size_t>(end - start, 20)), name));
        numbers.push_back(*value);
        text.remove_prefix(end);
      }
      return numbers;
    }
    if (format != "binary") fail_mesh(path_, "its data are appended: write it as text or binary");
    const auto decoded = decode_base64(text);
    if (!decoded) fail_mesh(path_, formatted("the array '{}' is not base64", name));
    std::string bytes = *decoded;
    const std::size_t header = wide_header_ ? 8 : 4;
    if (bytes.size() < header)
      fail_mesh(path_,
                formatted("the array '{}' ends early: base64 begins with the number of its bytes", name));
    std::uint64_t announced = 0;
    std::memcpy(&announced, bytes.data(), header);
    if (announced != bytes.size() - header)
      fail_mesh(path_, formatted("the array '{}' announces {} bytes and has {}", name, announced,
                                 bytes.size() - header));
    bytes.erase(0, header);
    const auto as = [&]<class T>(T) {
      for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof(T));
        numbers.push_back(static_cast<double>(value));
      }
      return numbers;
    };
    if (type == "Float64") return as(double());
    if (type == "Float32") return as(float());
    if (type == "Int64") return as(std::int64_t());
    if (type == "Int32") return as(std::int32_t());
    if (type == "UInt8") return as(std::uint8_t());
    fail_mesh(path_, formatted("numbers of type {} are not known", type));
  }

  void add_cell(long type, const std::vector<long>& nodes, const std::string& material) {
    const auto add = [&](ElementType kind) {
      if (nodes.size() != static_cast<std::size_t>(node_count(kind)))
        fail_mesh(path_, formatted("a cell of type {} has {} nodes", type, nodes.size()));
      builder_.add_element(kind, nodes, material);
    };
    switch (type) {
      case 10:
        return add(ElementType::tet4);
      case 12:
        return add(ElementType::hex8);
      case 24:
        return add(ElementType::tet10);
      case 25:
        return add(ElementType::hex20);
      case 13:
      case 14:
      case 26:
      case 27:
      case 29:
      case 42:
        fail_mesh(
            path_,
            formatted("cells of type {} are not known; tetrahedra and hexahedra (10, 12, 24, 25) are", type));
    }
  }
  void add_sets(std::size_t nodes) {
    find_array(element("PointData"), [&](std::string_view tag, std::string_view text) {
      const std::string name = attribute(tag, "Name");
      if (attribute(tag, "type").starts_with("Float")) return false;
      const std::vector<double> marks = values(tag, text, name);
      for (std::size_t k = 0; k < marks.size() && marks.size() == nodes; ++k)
        if (marks[k] != 0) builder_.add_to_set(name, static_cast<long>(k));
      return false;
    });
  }

  std::string_view text_;
  std::string path_;
  bool wide_header_ = false;
  SolidMeshBuilder builder_;
};

}  // namespace

SolidMeshFile parse_vtu(std::string_view text, const std::string& path) {
  return VtuReader(text, path).read();
}

}  // namespace hooke
