#include "hooke/io/mesh/mesh_file.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/base/text.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/mesh/glb_file.h"

namespace hooke {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file, formatted("'{}' is not a mesh that can be read: {}", path, why));
}

/// The words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr const char* blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t start; (start = line.find_first_not_of(blanks)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, start), line.size());
    words.push_back(line.substr(start, end - start));
    line.remove_prefix(end);
  }
  return words;
}

/// f(words, number of the line) for every line that is not empty.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (const auto words = words_of(text.substr(0, end)); !words.empty()) f(words, number);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

Vec3 read_point(const std::vector<std::string_view>& words, int line, const std::string& path) {
  Vec3 point;
  for (int k = 0; k < 3; ++k) {
    const auto number = words.size() > static_cast<std::size_t>(k) + 1
                            ? parse_number(words[static_cast<std::size_t>(k) + 1])
                            : std::nullopt;
    if (!number || !std::isfinite(*number))
      fail(path, formatted("line {}: expected three numbers after '{}'", line, words[0]));
    point[k] = *number;
  }
  return point;
}

/// Corners that several triangles share become one point.
class Corners {
 public:
  explicit Corners(TriangleMesh& mesh) : mesh_(mesh) {}
  int operator()(const Vec3& p) {
    const auto [found, is_new] =
        known_.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(p);
    return found->second;
  }

 private:
  TriangleMesh& mesh_;
  std::map<std::array<double, 3>, int> known_;
};

/// 80 bytes of anything, the number of triangles, and 50 bytes each: normal, three corners, two bytes unused.
constexpr std::size_t stl_head = 84, stl_triangle = 50;

std::size_t stl_count(std::string_view contents) {
  std::uint32_t count = 0;
  if (contents.size() >= stl_head)
    std::memcpy(&count, contents.data() + stl_head - sizeof count, sizeof count);
  return count;
}

TriangleMesh parse_binary_stl(std::string_view contents, const std::string& path) {
  TriangleMesh mesh;
  Corners corner(mesh);
  for (std::size_t at = stl_head; at + stl_triangle <= contents.size(); at += stl_triangle) {
    std::array<float, 12> numbers;
    std::memcpy(numbers.data(), contents.data() + at, sizeof numbers);
    std::array<int, 3> triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 p(numbers[3 * k + 3], numbers[3 * k + 4], numbers[3 * k + 5]);
      if (!p.allFinite())
        fail(path, formatted("triangle {} has a corner nowhere", mesh.triangles.size() + 1));
      triangle[k] = corner(p);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh parse_text_stl(std::string_view contents, const std::string& path) {
  TriangleMesh mesh;
  Corners corner(mesh);
  std::vector<int> facet;
  for_each_line(contents, [&](const auto& words, int line) {
    if (words[0] == "vertex") facet.push_back(corner(read_point(words, line, path)));
    if (words[0] != "endfacet") return;
    if (facet.size() != 3) fail(path, formatted("line {}: a facet with {} corners", line, facet.size()));
    mesh.triangles.push_back({facet[0], facet[1], facet[2]});
    facet.clear();
  });
  return mesh;
}

/// Corner "7", "7/1", "7//3" or "-1" (the last point so far) of a face.
int obj_corner(std::string_view word, std::size_t points, int line, const std::string& path) {
  const auto number = parse_number(word.substr(0, word.find('/')));
  const double count = static_cast<double>(points);
  const double index = !number ? -1 : *number < 0 ? count + *number : *number - 1;
  if (!(index >= 0 && index < count) || index != std::floor(index))
    fail(path, formatted("line {}: there is no point '{}'", line, word));
  return static_cast<int>(index);
}

TriangleMesh parse_obj(std::string_view contents, const std::string& path) {
  TriangleMesh mesh;
  for_each_line(contents, [&](const auto& words, int line) {
    if (words[0] == "v") mesh.points.push_back(read_point(words, line, path));
    if (words[0] != "f") return;
    std::vector<int> face;
    for (std::size_t k = 1; k < words.size(); ++k)
      face.push_back(obj_corner(words[k], mesh.points.size(), line, path));
    for (std::size_t k = 2; k < face.size(); ++k) mesh.triangles.push_back({face[0], face[k - 1], face[k]});
  });
  return mesh;
}

std::string ending_of(const std::string& path) {
  std::string ending = path.substr(std::min(path.rfind('.'), path.size()));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending;
}

}  // namespace

TriangleMesh parse_mesh(std::string_view contents, const std::string& path) {
  const std::string ending = ending_of(path);
  TriangleMesh mesh;
  if (ending == ".obj")
    mesh = parse_obj(contents, path);
  else if (ending == ".glb" || ending == ".gltf")
    mesh = parse_glb(contents, path);
  else if (ending != ".stl")
    fail(path, "its name should end in .stl, .obj, .glb or .gltf");
  else if (contents.size() == stl_head + stl_triangle * stl_count(contents))
    mesh = parse_binary_stl(contents, path);
  else if (contents.starts_with("solid"))
    mesh = parse_text_stl(contents, path);
  else
    fail(path, formatted("{} triangles are announced, which does not fit {} bytes", stl_count(contents),
                         contents.size()));
  if (mesh.triangles.empty()) fail(path, "it holds no triangles");
  const std::size_t larger = std::max(mesh.points.size(), mesh.triangles.size());
  if (const std::string excess = limits::triangles.excess(static_cast<double>(larger)); !excess.empty())
    fail(path, excess);
  const auto is_somewhere = [](const Vec3& p) { return p.cwiseAbs().maxCoeff() <= limits::number.most; };
  if (!std::all_of(mesh.points.begin(), mesh.points.end(), is_somewhere))
    fail(path, "a point is beyond all numbers");
  return mesh;
}

TriangleMesh read_mesh_file(const std::string& path) { return parse_mesh(read_text_file(path), path); }

}  // namespace hooke
