#include "hooke/io/mesh/glb_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/base/text.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/yaml.h"
#include "hooke/io/mesh/base64.h"

namespace hooke {
namespace {

using Transform = Eigen::Affine3d;

/// The JSON text and the bytes of a file, and the way through them. Every number in it is checked before it
/// is used: the file may come from anywhere.
class Glb {
 public:
  Glb(std::string_view bytes, const std::string& path) : path_(path) {
    bytes.starts_with("glTF") ? read_binary(bytes) : read_text(bytes);
  }

  TriangleMesh triangles() {
    const Value* scenes = root_.find("scenes");
    const Value* scene = scenes ? item(*scenes, index(root_.find("scene"), 0)) : nullptr;
    if (const Value* nodes = scene ? scene->find("nodes") : nullptr)
      for (const Value& node : nodes->children) add_node(index(&node, 0), Transform::Identity(), 0);
    return std::move(mesh_);
  }

 private:
  void read_binary(std::string_view bytes) {
    if (bytes.size() < 20 || read<std::uint32_t>(bytes, 4) != 2) fail("it is not binary glTF 2");
    const std::size_t size = read<std::uint32_t>(bytes, 12);
    if (bytes.substr(16, 4) != "JSON" || size > bytes.size() - 20) fail("its JSON is missing");
    Budget budget;
    root_ = parse_yaml(std::string(bytes.substr(20, size)), path_, budget);
    if (bytes.size() > 28 + size) block_ = bytes.substr(28 + size);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ExitCode::file, formatted("'{}' is not a mesh that can be read: {}", path_, why));
  }

  template <class Number>
  static Number read(std::string_view bytes, std::size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  }

  /// A .gltf file is the JSON text alone; its bytes follow in the text or lie in a file beside it.
  void read_text(std::string_view text) {
    Budget budget;
    root_ = parse_yaml(std::string(text), path_, budget);
    if (!root_.find("asset")) fail("it is not glTF 2");
    const Value* buffers = root_.find("buffers");
    const Value* uri = buffers && !buffers->children.empty() ? buffers->children[0].find("uri") : nullptr;
    if (!uri) return;
    constexpr std::string_view mark = ";base64,";
    if (const std::size_t start = uri->text.find(mark);
        uri->text.starts_with("data:") && start != uri->text.npos)
      bytes_ = base64(std::string_view(uri->text).substr(start + mark.size()));
    else if (uri->text.find(':') == uri->text.npos)
      bytes_ = read_text_file((std::filesystem::path(path_).parent_path() / unescaped(uri->text)).string());
    else
      fail(formatted("its numbers lie elsewhere ('{}')", excerpt(uri->text)));
    block_ = bytes_;
  }

  std::string base64(std::string_view text) const {
    const auto bytes = decode_base64(text);
    if (!bytes) fail("its bytes are not base64");
    return *bytes;
  }

  /// %20 is a space.
  static std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t k = 0; k < text.size(); ++k) {
      unsigned code = 0;
      const char* const hex = text.data() + k + 1;
      if (text[k] == '%' && k + 2 < text.size() && std::from_chars(hex, hex + 2, code, 16).ptr == hex + 2) {
        plain += static_cast<char>(code);
        k += 2;
      } else {
        plain += text[k];
      }
    }
    return plain;
  }

  double number(const Value* value, double otherwise) const {
    if (!value) return otherwise;
    const auto parsed = parse_number(value->text);
    if (!parsed || !std::isfinite(*parsed)) fail(formatted("'{}' should be a number", excerpt(value->text)));
    return *parsed;
  }

  std::size_t index(const Value* value, double otherwise) const {
    const double parsed = number(value, otherwise);
    if (parsed < 0 || parsed > 1e9 || parsed != std::floor(parsed)) fail("an index in it is none");
    return static_cast<std::size_t>(parsed);
  }

  const Value* item(const Value& list, std::size_t k) const {
    if (k >= list.children.size()) fail("it points to something that is not there");
    return &list.children[k];
  }

  const Value& entry(const char* list, std::size_t k) const {
    const Value* all = root_.find(list);
    if (!all) fail(formatted("it has no {}", list));
    return *item(*all, k);
  }

  std::vector<double> numbers(const Value& node, const char* key, std::vector<double> otherwise) const {
    const Value* list = node.find(key);
    if (!list) return otherwise;
    if (list->children.size() != otherwise.size()) fail(formatted("'{}' has the wrong length", key));
    for (std::size_t k = 0; k < otherwise.size(); ++k) otherwise[k] = number(&list->children[k], 0);
    return otherwise;
  }

  Transform transform_of(const Value& node) const {
    Transform local = Transform::Identity();
    if (node.find("matrix")) {
      const std::vector<double> m = numbers(node, "matrix", std::vector<double>(16));
      local.matrix() = Eigen::Map<const Mat4>(m.data());
      return local;
    }
    const std::vector<double> t = numbers(node, "translation", {0, 0, 0}),
                              q = numbers(node, "rotation", {0, 0, 0, 1}),
                              s = numbers(node, "scale", {1, 1, 1});
    local.translate(Vec3(t.data())).rotate(Quat(q[3], q[0], q[1], q[2]).normalized()).scale(Vec3(s.data()));
    return local;
  }

  void add_node(std::size_t number, const Transform& parent, int depth) {
    if (!limits::nesting.holds(depth)) fail("its nodes are nested without end");
    const Value& node = entry("nodes", number);
    if (!visited_.insert(number).second) fail(formatted("node {} has two parents", number));
    const Transform X = parent * transform_of(node);
    if (const Value* mesh = node.find("mesh"))
      if (const Value* parts = entry("meshes", index(mesh, 0)).find("primitives"))
        for (const Value& part : parts->children) add_part(part, X);
    if (const Value* children = node.find("children"))
      for (const Value& child : children->children) add_node(index(&child, 0), X, depth + 1);
  }

  void add_part(const Value& part, const Transform& X) {
    constexpr std::size_t triangles = 4;  // of GL
    const Value* attributes = part.find("attributes");
    const Value* position = attributes ? attributes->find("POSITION") : nullptr;
    if (!position || index(part.find("mode"), triangles) != triangles) return;
    const int first = static_cast<int>(mesh_.points.size());
    const std::vector<double> points = accessor(index(position, 0), "VEC3", 3);
    for (std::size_t k = 0; k < points.size(); k += 3) mesh_.points.push_back(X * Vec3(&points[k]));
    const int count = static_cast<int>(points.size() / 3);
    std::vector<double> corners;
    if (const Value* indices = part.find("indices"))
      corners = accessor(index(indices, 0), "SCALAR", 1);
    else
      for (int k = 0; k < count; ++k) corners.push_back(k);
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
      for (std::size_t j = 0; j < 3; ++j)
        if (!(corners[k + j] >= 0 && corners[k + j] < count))
          fail("a triangle has a corner that is not there");
      const auto at = [&](std::size_t j) { return first + static_cast<int>(corners[k + j]); };
      mesh_.triangles.push_back({at(0), at(1), at(2)});
    }
    const std::size_t more = std::max(mesh_.points.size(), mesh_.triangles.size());
    if (const std::string excess = limits::triangles.excess(static_cast<double>(more)); !excess.empty())
      fail(excess);
  }

  /// The numbers of an accessor, whatever they are stored as.
  std::vector<double> accessor(std::size_t which, std::string_view type, std::size_t width) const {
    const Value& about = entry("accessors", which);
    const Value *kind = about.find("type"), *view_number = about.find("bufferView");
    if (!kind || kind->text != type || !view_number || about.find("sparse"))
      fail("compressed, sparse or unusual data are not understood");
    const Value& view = entry("bufferViews", index(view_number, 0));
    const std::size_t component = index(about.find("componentType"), 0),
                      count = index(about.find("count"), 0);
    const std::size_t size = component == 5126 || component == 5125 ? 4
                             : component == 5123                    ? 2
                             : component == 5121                    ? 1
                                                                    : 0;
    if (index(view.find("buffer"), 0) != 0 || size == 0)
      fail("its numbers lie outside, or are of an unusual kind");
    const std::size_t stride = index(view.find("byteStride"), static_cast<double>(size * width)),
                      start = index(view.find("byteOffset"), 0) + index(about.find("byteOffset"), 0);
    if (count > 0 && (stride < size * width || start + stride * (count - 1) + size * width > block_.size()))
      fail("it ends early");
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t j = 0; j < width; ++j) {
        const std::size_t at = start + stride * k + size * j;
        values.push_back(component == 5126   ? read<float>(block_, at)
                         : component == 5125 ? read<std::uint32_t>(block_, at)
                         : component == 5123 ? read<std::uint16_t>(block_, at)
                                             : read<std::uint8_t>(block_, at));
        if (!std::isfinite(values.back())) fail("a point is nowhere");
      }
    return values;
  }

  std::string path_;
  Value root_;
  std::string bytes_;  ///< of a buffer that is not in the file itself
  std::string_view block_;
  TriangleMesh mesh_;
  std::set<std::size_t> visited_;  ///< nodes
};

}  // namespace

TriangleMesh parse_glb(std::string_view bytes, const std::string& path) {
  return Glb(bytes, path).triangles();
}

}  // namespace hooke
