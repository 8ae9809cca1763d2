// Meshes from files: each format with each element, where the middles of edges must land, and what is said of
// bad ones.
#include "hooke/io/mesh/solid_mesh_file.h"

#include <cstring>

#include "hooke/base/error.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Vec3 hex[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
const Vec3 tet[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
using Edges = std::vector<std::array<int, 2>>;

/// Corners, then the middles of edges in the order a format has them.
std::vector<Vec3> with_middles(std::span<const Vec3> corners, const Edges& edges) {
  std::vector<Vec3> points(corners.begin(), corners.end());
  for (const auto& [a, b] : edges) points.push_back(0.5 * (corners[a] + corners[b]));
  return points;
}
const Edges none, vtk_tet{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    gmsh_tet{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}},
    vtk_hex{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    gmsh_hex{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
    nastran_hex{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5},
                {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}};

/// One element, all its nodes where they should be.
void expect_element(const SolidMeshFile& file, ElementType type) {
  ASSERT_EQ(file.mesh.elements.size(), 1u);
  const SolidMesh::Element& e = file.mesh.elements[0];
  ASSERT_EQ(e.type, type);
  EXPECT_THAT(mesh_faults(file.mesh), IsEmpty());
  const Mat3X x = file.mesh.positions_of(e);
  for (int k = corner_count(type); k < node_count(type); ++k) {
    const auto [a, b] = edges(type)[k - corner_count(type)];
    EXPECT_MATRIX_NEAR(x.col(k), 0.5 * (x.col(a) + x.col(b)), 1e-12);
  }
  EXPECT_NEAR(element_volumes(type, x).sum(), corner_count(type) == 8 ? 1 : 1.0 / 6, 1e-12);
}

struct Case {
  ElementType type;
  int gmsh;
  std::vector<Vec3> of_gmsh, of_abaqus, of_nastran;
  int vtk;
};
const std::vector<Case> cases{
    {ElementType::tet4, 4, with_middles(tet, none), with_middles(tet, none), with_middles(tet, none), 10},
    {ElementType::hex8, 5, with_middles(hex, none), with_middles(hex, none), with_middles(hex, none), 12},
    {ElementType::tet10, 11, with_middles(tet, gmsh_tet), with_middles(tet, vtk_tet),
     with_middles(tet, vtk_tet), 24},
    {ElementType::hex20, 17, with_middles(hex, gmsh_hex), with_middles(hex, vtk_hex),
     with_middles(hex, nastran_hex), 25}};

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

TEST(SolidMeshFile, ReadsGmsh2) {
  for (const Case& c : cases)
    for (bool binary : {false, true}) {
      std::string text = fmt::format("$MeshFormat\n2.2 {} 8\n", binary ? 1 : 0);
      if (binary) put(text, 1), text += "\n";
      text += "$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"end face\"\n3 8 \"steel\"\n$EndPhysicalNames\n";
      text += fmt::format("$Nodes\n{}\n", c.of_gmsh.size());
      for (std::size_t k = 0; k < c.of_gmsh.size(); ++k) {
        const Vec3& x = c.of_gmsh[k];
        if (binary) {
          put(text, static_cast<int>(k) + 1);
          for (double d : x) put(text, d);
        } else {
          text += fmt::format("{} {} {} {}\n", k + 1, x[0], x[1], x[2]);
        }
      }
      text += "$EndNodes\n$Elements\n2\n";
      const auto element = [&](int type, int group, std::vector<int> nodes) {
        if (binary) {
          for (int i : {type, 1, 2, 1, group, 1}) put(text, i);
          for (int node : nodes) put(text, node);
        } else {
          text += fmt::format("1 {} 2 {} 1 {}\n", type, group, fmt::join(nodes, " "));
        }
      };
      element(2, 7, {1, 2, 3});
      std::vector<int> all;
      for (std::size_t k = 0; k < c.of_gmsh.size(); ++k) all.push_back(static_cast<int>(k) + 1);
      element(c.gmsh, 8, all);
      text += "\n$EndElements\n";
      const SolidMeshFile file = parse_solid_mesh(text, "part.msh");
      expect_element(file, c.type);
      EXPECT_EQ(file.mesh.set("end face").size(), 3u);
      EXPECT_EQ(file.materials[0].name, "steel");
    }
}

TEST(SolidMeshFile, ReadsGmsh4) {
  for (const Case& c : cases)
    for (bool binary : {false, true}) {
      std::string text = fmt::format("$MeshFormat\n4.1 {} 8\n", binary ? 1 : 0);
      if (binary) put(text, 1), text += "\n";
      text +=
          "$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"end face\"\n3 8 "
          "\"steel\"\n$EndPhysicalNames\n$Entities\n";
      const auto integers = [&](std::initializer_list<int> values) {
        for (int value : values) binary ? put(text, value) : void(text += fmt::format("{} ", value));
      };
      const auto sizes = [&](std::initializer_list<std::size_t> values) {
        for (std::size_t value : values) binary ? put(text, value) : void(text += fmt::format("{} ", value));
      };
      const auto reals = [&](std::initializer_list<double> values) {
        for (double value : values) binary ? put(text, value) : void(text += fmt::format("{} ", value));
      };
      const std::size_t n = c.of_gmsh.size();
      sizes({0, 0, 1, 1});
      for (int group : {7, 8}) {
        integers({1}), reals({0, 0, 0, 1, 1, 1}), sizes({1}), integers({group}), sizes({1}), integers({5});
      }
      text += "\n$EndEntities\n$Nodes\n";
      sizes({1, n, 1, n}), integers({3, 1, 0}), sizes({n});
      for (std::size_t k = 1; k <= n; ++k) sizes({k});
      for (const Vec3& x : c.of_gmsh) reals({x[0], x[1], x[2]});
      text += "\n$EndNodes\n$Elements\n";
      sizes({2, 2, 1, 2}), integers({2, 1, 2}), sizes({1}), sizes({1, 1, 2, 3});
      integers({3, 1, c.gmsh}), sizes({1}), sizes({2});
      for (std::size_t k = 1; k <= n; ++k) sizes({k});
      text += "\n$EndElements\n";
      const SolidMeshFile file = parse_solid_mesh(text, "part.msh");
      expect_element(file, c.type);
      EXPECT_EQ(file.mesh.set("end face").size(), 3u);
      EXPECT_EQ(file.materials[0].name, "steel");
    }
}

TEST(SolidMeshFile, ReadsAbaqus) {
  for (const Case& c : cases) {
    std::string text = "*HEADING\nsomething\n** a comment\n*Node, nset=all\n";
    std::string numbers;
    for (std::size_t k = 0; k < c.of_abaqus.size(); ++k) {
      const Vec3& x = c.of_abaqus[k];
      text += fmt::format("{}, {}, {}, {}\n", k + 1, x[0], x[1], x[2]);
      numbers += fmt::format("{}{}", k + 1, k + 1 == c.of_abaqus.size() ? "\n" : k % 9 == 8 ? ",\n" : ", ");
    }
    text += fmt::format("*Element, type=C3D{}{}, elset=part\n11, ", c.of_abaqus.size(),
                        c.type == ElementType::hex20 ? "R" : "") +
            numbers;
    text +=
        "*Nset, nset=foot, generate\n1, 3, 2\n*Solid Section, elset=PART, material=steel\n*Material, "
        "name=steel\n*Elastic\n2e11, 0.3\n*Density\n7850\n";
    const SolidMeshFile file = parse_solid_mesh(text, "part.inp");
    expect_element(file, c.type);
    EXPECT_EQ(file.mesh.set("foot").size(), 2u);
    EXPECT_EQ(file.mesh.set("all").size(), c.of_abaqus.size());
    ASSERT_TRUE(file.materials[0].values);
    EXPECT_MATRIX_NEAR(file.materials[0].values->elasticity,
                       SolidMaterial::isotropic({2e11, 0.3, 7850}).elasticity, 1e-14);
  }
}

TEST(SolidMeshFile, ReadsNastran) {
  for (const Case& c : cases)
    for (bool free : {false, true}) {
      std::string text = "$ a comment\nBEGIN BULK\n";
      for (std::size_t k = 0; k < c.of_nastran.size(); ++k) {
        const Vec3& x = c.of_nastran[k];
        if (free)
          text += fmt::format("GRID,{},,{:.1f},{:.1f},{:.1f}\n", k + 1, x[0], x[1], x[2]);
        else if (k % 2)
          text += fmt::format("GRID    {:8}        {:8.1f}{:8.1f}{:8.1f}\n", k + 1, x[0], x[1], x[2]);
        else
          text += fmt::format("GRID*   {:16}                {:16.1f}{:16.1f}\n*       {:16.1f}\n", k + 1,
                              x[0], x[1], x[2]);
      }
      std::string card =
          free ? fmt::format("{},5,9",
                             c.of_nastran.size() % 8 == 2 || c.of_nastran.size() == 4 ? "CTETRA" : "CHEXA")
               : fmt::format("{:8}{:8}{:8}",
                             c.of_nastran.size() % 8 == 2 || c.of_nastran.size() == 4 ? "CTETRA" : "CHEXA", 5,
                             9);
      for (std::size_t k = 0; k < c.of_nastran.size(); ++k) {
        if (k == 6 || (k > 6 && (k - 6) % 8 == 0)) card += free ? "\n+" : "\n        ";
        card += free ? fmt::format(",{}", k + 1) : fmt::format("{:8}", k + 1);
      }
      text += card + "\nPSOLID,9,4\nMAT1,4,2.+11,,.3,7850.\nSPC1,1,123,1,THRU,3\nENDDATA\n";
      const SolidMeshFile file = parse_solid_mesh(text, "part.bdf");
      expect_element(file, c.type);
      EXPECT_EQ(file.mesh.set("spc1").size(), 3u);
      ASSERT_TRUE(file.materials[0].values);
      EXPECT_MATRIX_NEAR(file.materials[0].values->elasticity,
                         SolidMaterial::isotropic({2e11, 0.3, 7850}).elasticity, 1e-14);
    }
}

std::string base64(const std::string& bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    unsigned bits = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - k);
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < n ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

TEST(SolidMeshFile, ReadsVtu) {
  for (const Case& c : cases)
    for (bool binary : {false, true}) {
      const auto array = [&]<class T>(const char* name, const char* type, const std::vector<T>& values) {
        std::string body;
        if (binary) {
          std::string bytes;
          put(bytes, static_cast<std::uint32_t>(values.size() * sizeof(T)));
          for (T value : values) put(bytes, value);
          body = base64(bytes);
        } else {
          body = fmt::format("{}", fmt::join(values, " "));
        }
        return fmt::format("<DataArray type=\"{}\" Name=\"{}\" format=\"{}\">\n{}\n</DataArray>\n", type,
                           name, binary ? "binary" : "ascii", body);
      };
      std::vector<double> points;
      std::vector<std::int64_t> nodes;
      std::vector<std::int32_t> marks;
      for (const Vec3& x : c.of_abaqus) {
        for (double d : x) points.push_back(d);
        nodes.push_back(static_cast<std::int64_t>(nodes.size()));
        marks.push_back(nodes.size() <= 3 ? 1 : 0);
      }
      const std::string text =
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
          "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece>\n<PointData>\n" +
          array("end", "Int32", marks) + "</PointData>\n<Points>\n" + array("Points", "Float64", points) +
          "</Points>\n<Cells>\n" + array("connectivity", "Int64", nodes) +
          array("offsets", "Int64", std::vector<std::int64_t>{static_cast<std::int64_t>(nodes.size())}) +
          array("types", "UInt8", std::vector<std::uint8_t>{static_cast<std::uint8_t>(c.vtk)}) +
          "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
      const SolidMeshFile file = parse_solid_mesh(text, "part.vtu");
      expect_element(file, c.type);
      EXPECT_EQ(file.mesh.set("end").size(), 3u);
    }
}

std::string message(const std::string& text, const std::string& path) {
  try {
    parse_solid_mesh(text, path);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file);
    return error.what();
  }
  return "read";
}

TEST(SolidMeshFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(message("", "part.stl"), HasSubstr("should end in .msh"));
  EXPECT_THAT(message("", "part.msh"), HasSubstr("$MeshFormat"));
  EXPECT_THAT(message("$MeshFormat\n4.0 0 8\n", "part.msh"),
              HasSubstr("version 4 of the format is not known"));
  EXPECT_THAT(message("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 0 x 0\n", "part.msh"),
              HasSubstr("line 7: expected a number, not 'x'"));
  EXPECT_THAT(message("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9999999999\n", "part.msh"),
              HasSubstr("cannot be a number of things"));
  EXPECT_THAT(message("*NODE\n1, 0, 0\n", "part.inp"),
              HasSubstr("line 2: a node needs its number and three coordinates"));
  EXPECT_THAT(message("*ELEMENT, TYPE=C3D6\n1, 1,2,3,4,5,6\n", "part.inp"), HasSubstr("C3D6 are not known"));
  EXPECT_THAT(message("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "part.inp"),
              HasSubstr("node 2, which is not there"));
  EXPECT_THAT(message("GRID,1,3,0.,0.,0.\n", "part.bdf"),
              HasSubstr("line 1: GRID in a coordinate system of its own"));
  EXPECT_THAT(message("CHEXA,1,1,1,2,3\n", "part.nas"), HasSubstr("CHEXA has 3 nodes; it must have 8 or 20"));
  EXPECT_THAT(message("<VTKFile type=\"PolyData\">", "part.vtu"), HasSubstr("UnstructuredGrid"));
  EXPECT_THAT(message("*NODE\n1, 0, 0, 0\n", "part.inp"), HasSubstr("no solid elements"));
}

/// Whatever is cut off or garbled ends in a message, not in a crash.
TEST(SolidMeshFile, SurvivesBrokenFiles) {
  std::string text = "$MeshFormat\n4.1 1 8\n";
  put(text, 1);
  text += "\n$EndMeshFormat\n$Nodes\n";
  for (std::size_t n : {1ul, 4ul, 1ul, 4ul}) put(text, n);
  for (int i : {3, 1, 0}) put(text, i);
  put(text, 4ul);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_NE(message(text.substr(0, cut), "part.msh"), "read");
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::string garbled =
        "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4, ELSET=a\n1, 1, 2, 3, 4\n*NSET, NSET=b, GENERATE\n1, 4, 1\n";
    garbled[random() % garbled.size()] = static_cast<char>(random() % 256);
    EXPECT_NE(message(garbled, "part.inp"), "");
    EXPECT_NE(message(garbled, "part.bdf"), "");
  }
}

}  // namespace
}  // namespace hooke::test
