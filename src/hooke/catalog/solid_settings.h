#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hooke/base/fields.h"
#include "hooke/bodies/corotational_solid.h"
#include "hooke/catalog/made_body.h"
#include "hooke/catalog/material_settings.h"

/// What a user can set of a solid of finite elements (bodies/corotational_solid.h).
namespace hooke {

constexpr auto names(ElementType) { return std::array{"hex8", "hex20", "tet4", "tet10"}; }
constexpr auto names(Corotation) { return std::array{"component", "element"}; }
constexpr auto names(FrameFit) { return std::array{"best-fit", "three-nodes"}; }
enum class SolidTangent { exact, constant };
constexpr auto names(SolidTangent) { return std::array{"exact", "constant"}; }
enum class CorotationalForce { consistent, simplified };
constexpr auto names(CorotationalForce) { return std::array{"consistent", "simplified"}; }
enum class MassLumping { consistent, lumped };
constexpr auto names(MassLumping) { return std::array{"consistent", "lumped"}; }

/// How a solid is cut into components.
enum class SolidCut { longest, x, y, z, metis };
constexpr auto names(SolidCut) { return std::array{"longest", "x", "y", "z", "metis"}; }

struct BoxMesh {
  static constexpr const char* name = "box";
  static constexpr const char* definition = "box-mesh";
  Vec3 size = Vec3::Ones();
  std::array<int, 3> divisions{1, 1, 1};
  ElementType element = ElementType::hex8;

  static void describe(auto& field) {
    field("size", &BoxMesh::size,
          Doc{.text = "edges along x, y, z, about the origin",
              .unit = "m",
              .required = true,
              .check = positive});
    field("divisions", &BoxMesh::divisions,
          Doc{.text = "elements along x, y, z", .required = true, .check = at_least(1)});
    field("element", &BoxMesh::element, Doc{.text = "hex8, hex20, tet4 or tet10"});
  }
  void check(const Complain& complain) const;
  SolidMesh make() const { return box_mesh(size, divisions, element); }
};

struct RevolvedMesh {
  static constexpr const char* name = "revolved";
  std::vector<Vec3> profile;
  int across = 2, around = 16, along = 8;
  ElementType element = ElementType::hex8;

  static void describe(auto& field) {
    field("profile", &RevolvedMesh::profile,
          Doc{.text = "stations [z, outer radius, inner radius] along the axis, z ascending; a body with all "
                      "inner radii 0 is solid",
              .unit = "m",
              .required = true});
    field("across", &RevolvedMesh::across,
          Doc{.text = "elements across the diameter, or through the wall of a hollow body",
              .check = at_least(1)});
    field("around", &RevolvedMesh::around,
          Doc{.text = "elements around a hollow body", .check = at_least(3)});
    field("along", &RevolvedMesh::along, Doc{.text = "elements along the axis", .check = at_least(1)});
    field("element", &RevolvedMesh::element, Doc{.text = "hex8, hex20, tet4 or tet10"});
  }
  void check(const Complain& complain) const;
  SolidMesh make() const;
};

/// Elements from a file. `mesh` and `materials` are filled by who reads it (io/mesh/solid_mesh_file.h).
struct MeshFile {
  static constexpr const char* name = "file";
  static constexpr const char* definition = "mesh-file";
  static constexpr const char* shorthand = "path";
  std::string path;
  std::optional<double> scale;
  std::shared_ptr<const SolidMesh> mesh;
  std::vector<std::pair<std::string, std::optional<SolidMaterial>>> materials;

  std::string not_writable() const { return mesh && path.empty() ? "a mesh that comes from no file" : ""; }
  static void describe(auto& field) {
    field("path", &MeshFile::path,
          Doc{.text = "gmsh (.msh), Abaqus (.inp), Nastran (.bdf, .nas, .dat) or VTK (.vtu) file; path "
                      "relative to the model file",
              .required = true});
    field("scale", &MeshFile::scale,
          Doc{.text = "length of the file's unit, such as 1e-3",
              .unit = "m",
              .check = positive,
              .default_text = "1"});
  }
  /// Scaled; throws std::invalid_argument where it seems to be in another unit.
  SolidMesh make() const;
};
using MeshSettings = std::variant<BoxMesh, RevolvedMesh, MeshFile>;

struct OrthotropicSettings {
  Vec3 young = Vec3::Zero(), poisson = Vec3::Zero(), shear = Vec3::Zero();
  double density = 0;
  Vec3 x = unit_x, y = unit_y;
  static void describe(auto& field) {
    field("young", &OrthotropicSettings::young,
          Doc{.text = "Young's moduli along the axes of the material",
              .unit = "Pa",
              .required = true,
              .check = positive});
    field("poisson", &OrthotropicSettings::poisson,
          Doc{.text = "Poisson's ratios xy, yz, zx; ij is the contraction along j under stress along i",
              .required = true});
    field("shear", &OrthotropicSettings::shear,
          Doc{.text = "shear moduli xy, yz, zx", .unit = "Pa", .required = true, .check = positive});
    field("density", &OrthotropicSettings::density,
          Doc{.text = "density", .unit = "kg/m3", .required = true, .check = positive});
    field("x", &OrthotropicSettings::x, Doc{.text = "direction of the material's x axis in the body"});
    field("y", &OrthotropicSettings::y, Doc{.text = "direction of its y axis; made perpendicular to x"});
  }
  void check(const Complain& complain) const;
  void doubt(const Complain& warn) const { doubt_material(young.minCoeff(), density, warn); }
  SolidMaterial make() const;
};

struct SurfaceLoadSettings {
  std::string nodes;
  Vec3 traction = Vec3::Zero();
  double pressure = 0;
  bool follower = false;
  static void describe(auto& field) {
    field("nodes", &SurfaceLoadSettings::nodes,
          Doc{.text = "node set whose faces are loaded", .required = true});
    field("traction", &SurfaceLoadSettings::traction,
          Doc{.text = "force per area, world axes", .unit = "Pa"});
    field("pressure", &SurfaceLoadSettings::pressure,
          Doc{.text = "pressure against the faces", .unit = "Pa"});
    field("follower", &SurfaceLoadSettings::follower,
          Doc{.text = "whether the pressure follows the faces as they turn and stretch; otherwise it keeps "
                      "its initial forces"});
  }
};

struct SolidSettings {
  static constexpr const char* name = "solid";
  MeshSettings mesh;
  std::optional<MaterialSettings> material;
  std::optional<OrthotropicSettings> orthotropic;
  std::vector<std::pair<std::string, MaterialSettings>> materials;
  Corotation corotation = Corotation::component;
  int components = 1;
  SolidCut cut = SolidCut::longest;
  double grading = 1;
  FrameFit frame = FrameFit::best;
  SolidTangent tangent = SolidTangent::exact;
  CorotationalForce force = CorotationalForce::consistent;
  MassLumping mass = MassLumping::consistent;
  bool incompatible_modes = true;
  double mass_damping = 0, stiffness_damping = 0;
  std::vector<SurfaceLoadSettings> surface_loads;

  static void describe(auto& field) {
    field("mesh", &SolidSettings::mesh,
          Doc{.text = "box or revolved with its dimensions, or file", .required = true});
    field("material", &SolidSettings::material, Doc{.text = "isotropic material"});
    field("orthotropic", &SolidSettings::orthotropic, Doc{.text = "orthotropic material, instead"});
    field("materials", &SolidSettings::materials,
          Doc{.text = "materials of the element groups of a mesh file, by name; other groups have 'material' "
                      "or the material in the file"});
    field("corotation", &SolidSettings::corotation,
          Doc{.text = "co-rotational frame: one for the whole component, or one for each element"});
    field("tangent", &SolidSettings::tangent,
          Doc{.text = "Newton's matrix with a frame for each element: exact, or the constant one of the "
                      "component, whose "
                      "factor is kept: faster where elements turn little against the body. The results are "
                      "the same"});
    field("components", &SolidSettings::components,
          Doc{.text = "number of components the body is cut into; each is a body with its own frame, tied to "
                      "its neighbours",
              .check = at_least(1)});
    field(
        "cut", &SolidSettings::cut,
        Doc{.text = "how it is cut: into slabs along the longest side or an axis of the mesh, or by METIS"});
    field("grading", &SolidSettings::grading,
          Doc{.text = "grading of slabs: they end at (k/components)^grading of the length. Above 1 the first "
                      "are shorter, below 1 the last. Put short slabs where the body bends most",
              .check = positive});
    field("frame", &SolidSettings::frame,
          Doc{.text = "co-rotational frame: best fit to all nodes, or along three nodes"});
    field("force", &SolidSettings::force,
          Doc{.text = "elastic force: consistent (derivative of the strain energy), or simplified (neglects "
                      "the rotation of the frame)"});
    field("mass", &SolidSettings::mass, Doc{.text = "mass matrix: consistent or lumped"});
    field("incompatible_modes", &SolidSettings::incompatible_modes,
          Doc{.text = "hex8 with incompatible modes: bends without locking"});
    field("mass_damping", &SolidSettings::mass_damping,
          Doc{.text = "Rayleigh damping, factor of the mass matrix", .unit = "1/s", .check = non_negative});
    field(
        "stiffness_damping", &SolidSettings::stiffness_damping,
        Doc{.text = "Rayleigh damping, factor of the stiffness matrix", .unit = "s", .check = non_negative});
    field("surface_loads", &SolidSettings::surface_loads, Doc{.text = "loads on the surface"});
  }
  void check(const Complain& complain) const;
  std::shared_ptr<const SolidModel> model() const;
  bool is_conservative() const { return mass_damping == 0 && stiffness_damping == 0; }
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

}  // namespace hooke
