#include "hooke/io/mesh/mesh_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "hooke/base/error.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

TEST(MeshFile, ReadsTextAndBinaryStlAlike) {
  const TriangleMesh text = parse_mesh(
      "solid a\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1e0 0\n "
      "endloop\nendfacet\n"
      "facet normal 0 0 1\n outer loop\n  vertex 1 0 0\n  vertex 1 1 0\n  vertex 0 1 0\n "
      "endloop\nendfacet\nendsolid\n",
      "a.stl");
  ASSERT_EQ(text.triangles.size(), 2u);
  EXPECT_EQ(text.points.size(), 4u);  // two are shared

  std::string bytes(80, 's');
  const std::uint32_t count = 1;
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  const float numbers[] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  bytes.append(2, '\0');
  const TriangleMesh binary = parse_mesh(bytes, "A.STL");
  ASSERT_EQ(binary.triangles.size(), 1u);
  EXPECT_EQ(binary.points[1], Vec3(1, 0, 0));
}

TEST(MeshFile, ReadsPolygonsOfObj) {
  const TriangleMesh mesh =
      parse_mesh("# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2//1 3 -1\n", "a.obj");
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.triangles[1], (std::array{0, 2, 3}));
}

/// One triangle, given by indices of two bytes, on a node that is moved and scaled.
std::string small_glb(const std::string& nodes, const std::string& index = "2") {
  std::string json =
      R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": )" + nodes +
      R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "buffers": [{"byteLength": 44}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                  {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}]})";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string data;
  const auto append = [&data](auto number) {
    data.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const float x : {0, 0, 0, 1, 0, 0, 0, 1, 0}) append(x);
  for (const int k : {0, 1, std::stoi(index)}) append(static_cast<std::uint16_t>(k));
  append(static_cast<std::uint16_t>(0));
  std::string file = "glTF";
  const auto number = [&file](std::size_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    file.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  number(2);
  number(28 + json.size() + data.size());
  number(json.size());
  file += "JSON" + json;
  number(data.size());
  return file + std::string("BIN\0", 4) + data;
}

TEST(MeshFile, ReadsGltfWhereItsNodesPutIt) {
  const TriangleMesh mesh = parse_mesh(
      small_glb(
          R"([{"children": [1], "translation": [5, 0, 0]}, {"mesh": 0, "scale": [2, 2, 2], "rotation": [0, 0, 0.70710678, 0.70710678]}])"),
      "a.glb");
  ASSERT_EQ(mesh.triangles.size(), 1u);
  EXPECT_LT((mesh.points[1] - Vec3(5, 2, 0)).norm(), 1e-6);
  EXPECT_LT((mesh.points[2] - Vec3(3, 0, 0)).norm(), 1e-6);
}

/// The same triangle as text, its bytes at `uri`.
std::string small_gltf(const std::string& uri) {
  const std::string glb = small_glb(R"([{"mesh": 0}])");
  std::uint32_t size = 0;
  std::memcpy(&size, glb.data() + 12, sizeof size);
  std::string json = glb.substr(20, size);
  const std::string length = R"("byteLength": 44)";
  return json.replace(json.find(length), length.size(), length + R"(, "uri": ")" + uri + '"');
}

TEST(MeshFile, ReadsGltfAsText) {
  const std::string inside =  // 0 0 0, 1 0 0, 0 1 0 as floats, then 0 1 2 0 as two bytes each
      "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA=";
  const std::string folder = testing::TempDir() + "hooke_gltf/";
  std::filesystem::create_directories(folder);
  const std::string glb = small_glb(R"([{"mesh": 0}])");
  std::ofstream(folder + "a b.bin", std::ios::binary) << glb.substr(glb.size() - 44);
  for (const std::string& uri : {inside, std::string("a%20b.bin")}) {
    const TriangleMesh mesh = parse_mesh(small_gltf(uri), folder + "a.gltf");
    ASSERT_EQ(mesh.triangles.size(), 1u) << uri;
    EXPECT_EQ(mesh.points[1], Vec3(1, 0, 0));
    EXPECT_EQ(mesh.points[2], Vec3(0, 1, 0));
  }
  for (const char* bad : {"data:;base64,AA==", "data:;base64,?", "nothing.bin", "https://example.org/a.bin"})
    EXPECT_THROW(parse_mesh(small_gltf(bad), folder + "a.gltf"), Error) << bad;
  EXPECT_THROW(parse_mesh("{}", "a.gltf"), Error);
}

TEST(MeshFile, RefusesDamagedGltf) {
  const std::string good = small_glb(R"([{"mesh": 0}])");
  EXPECT_EQ(parse_mesh(good, "a.glb").triangles.size(), 1u);
  for (const std::string& bad : {small_glb(R"([{"mesh": 1}])"), small_glb(R"([{"mesh": -1}])"),
                                 small_glb(R"([{"children": [0]}])"), small_glb(R"([{"mesh": 0}])", "3"),
                                 good.substr(0, good.size() - 20), good.substr(0, 10), std::string("glTF")})
    EXPECT_THROW(parse_mesh(bad, "a.glb"), Error);
}

TEST(MeshFile, SaysWhatIsWrong) {
  const auto complaint = [](const std::string& text, const std::string& name) -> std::string {
    try {
      parse_mesh(text, name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint("v 0 0\n", "a.obj").find("line 1: expected three numbers after 'v'"),
            std::string::npos);
  EXPECT_NE(complaint("v 0 0 0\nf 1 2 3\n", "a.obj").find("line 2: there is no point '2'"),
            std::string::npos);
  EXPECT_NE(complaint("v 0 0 nan\n", "a.obj").find("line 1"), std::string::npos);
  EXPECT_NE(complaint("", "a.obj").find("no triangles"), std::string::npos);
  EXPECT_NE(complaint("solid\n", "a.stl").find("no triangles"), std::string::npos);
  EXPECT_NE(complaint("PK", "a.stl").find("does not fit"), std::string::npos);
  EXPECT_NE(complaint("", "a.step").find(".stl, .obj, .glb or .gltf"), std::string::npos);
}

TEST(Geometry, IsReadAndChecked) {
  Diagnostics diagnostics;
  const Problem file = parse_model(
      "hooke: 1\nbodies:\n  a:\n    rigid: {mass: 1, inertia: 1}\n    geometry:\n"
      "      - {box: [1, 2, 3], at: [0, 0, 1], colour: '#a0b1c2'}\n      - {cylinder: {radius: 1, length: "
      "2}}\n",
      "m.yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  const std::vector<GeometryEntry>& geometry = file.model.bodies.at("a").geometry;
  ASSERT_EQ(geometry.size(), 2u);
  EXPECT_EQ(geometry[0].place.at, Vec3(0, 0, 1));
  EXPECT_EQ(std::get<CylinderShape>(geometry[1].shape).length, 2);

  const auto complaint = [](const std::string& text) {
    Diagnostics found;
    parse_model("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}, geometry: " + text + "}}\n", "m.yaml",
                {}, found);
    return found.errors().empty() ? "" : to_string(found.errors()[0]);
  };
  EXPECT_NE(complaint("{box: [1, 2, 3], colour: red}").find("six hexadecimal digits"), std::string::npos);
  EXPECT_NE(complaint("{box: [1, 2, -3]}").find("positive"), std::string::npos);
  EXPECT_NE(complaint("{cone: 1}").find("box"), std::string::npos);
  EXPECT_NE(complaint("{mesh: nowhere.stl}").find("nowhere.stl"), std::string::npos);
}

}  // namespace
}  // namespace hooke
