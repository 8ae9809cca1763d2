// VTK's unstructured grids in XML: data arrays as text or base64.
#include <cstdint>
#include <cstring>

#include "hooke/base/text.h"
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

std::string decode_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) continue;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((held += 6) >= 8) bytes.push_back(static_cast<char>(bits >> (held -= 8) & 0xff));
  }
  return bytes;
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
      const auto last = static_cast<std::size_t>(offsets[c]);
      if (last > connectivity.size() || last < first)
        fail_mesh(path_, "the offsets of the cells do not fit their nodes");
      std::vector<long> nodes;
      for (std::size_t k = first; k < last; ++k) nodes.push_back(static_cast<long>(connectivity[k]));
      first = last;
      add_cell(static_cast<int>(types[c]), nodes, c < material.size() ? formatted("{:g}", material[c]) : "");
    }
    add_sets(points.size() / 3);
    return builder_.finish();
  }

 private:
  std::string_view tag_from(std::size_t at) const {
    if (at == text_.npos) fail_mesh(path_, "it is not a VTK file of type UnstructuredGrid");
    return text_.substr(at, text_.find('>', at) - at);
  }
  std::string_view element(const std::string& name) const {
    const std::size_t open = text_.find("<" + name), close = text_.find("</" + name + ">");
    return open == text_.npos || close == text_.npos ? std::string_view() : text_.substr(open, close - open);
  }
  /// The first array of that name; of any name where it is empty.
  std::vector<double> array(std::string_view in, const std::string& name, bool required = true) const {
    for (std::size_t at = in.find("<DataArray"); at != in.npos; at = in.find("<DataArray", at + 1)) {
      const std::size_t end = in.find('>', at);
      const std::string_view tag = in.substr(at, end - at);
      if (!name.empty() && attribute(tag, "Name") != name) continue;
      return values(tag, in.substr(end + 1, in.find("</DataArray>", end) - end - 1), name);
    }
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
                                     text.substr(start, end - start), name));
        numbers.push_back(*value);
        text.remove_prefix(end);
      }
      return numbers;
    }
    if (format != "binary") fail_mesh(path_, "its data are appended: write it as text or binary");
    const std::string bytes = decode_base64(text).substr(wide_header_ ? 8 : 4);
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

  void add_cell(int type, const std::vector<long>& nodes, const std::string& material) {
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
    const std::string_view data = element("PointData");
    for (std::size_t at = data.find("<DataArray"); at != data.npos; at = data.find("<DataArray", at + 1)) {
      const std::string_view tag = data.substr(at, data.find('>', at) - at);
      const std::string name = attribute(tag, "Name"), type = attribute(tag, "type");
      if (type.starts_with("Float")) continue;
      const std::vector<double> marks = array(data, name);
      for (std::size_t k = 0; k < marks.size() && marks.size() == nodes; ++k)
        if (marks[k] != 0) builder_.add_to_set(name, static_cast<long>(k));
    }
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
