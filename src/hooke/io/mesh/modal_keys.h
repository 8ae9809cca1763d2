#pragma once
// What stands in a file with modes (modal_file.h), as structs that describe themselves: read by reader.h, and
// the tables of docs/model-file.md.
#include "hooke/catalog/settings.h"
#include "hooke/io/document/reader.h"
#include "hooke/math/types.h"

namespace hooke {

struct ModeKeys {
  std::vector<double> stiffness, damping;
  Vec3 momentum = Vec3::Zero();
  std::array<Vec3, 3> with_position{zero3, zero3, zero3};
  std::vector<std::array<Vec3, 3>> with_modes;
  std::vector<Vec3> second_momentum;
  std::vector<std::array<Vec3, 3>> second_with_position;
  static void describe(auto& field) {
    field("stiffness", &ModeKeys::stiffness,
          Doc{.text = "its row of the stiffness matrix, one entry for each mode", .required = true});
    field("damping", &ModeKeys::damping, Doc{.text = "likewise", .default_text = "0"});
    field("momentum", &ModeKeys::momentum, Doc{.text = "int rho S_i", .required = true});
    field("with_position", &ModeKeys::with_position,
          Doc{.text = "int rho u0 S_i^T, three rows", .required = true});
    field("with_modes", &ModeKeys::with_modes,
          Doc{.text = "int rho S_i S_j^T, three rows for each mode j", .required = true});
    field("second_momentum", &ModeKeys::second_momentum,
          Doc{.text = "int rho s_ij, for each mode j; of all modes or none"});
    field("second_with_position", &ModeKeys::second_with_position,
          Doc{.text = "int rho u0 s_ij^T, three rows for each mode j; with second_momentum"});
  }
};

struct ModalNodeKeys {
  std::string name;
  Vec3 at = Vec3::Zero();
  std::vector<Vec3> shift, rotation;
  std::vector<Vec6> stress;
  std::vector<Vec3> second_shift, second_rotation;
  static void describe(auto& field) {
    field("name", &ModalNodeKeys::name, Doc{.text = "of an interface: frames attach to 'body.name'"});
    field("at", &ModalNodeKeys::at, Doc{.text = "where it is, undeformed", .unit = "m", .required = true});
    field("shift", &ModalNodeKeys::shift,
          Doc{.text = "S_i there: three numbers for each mode", .required = true});
    field("rotation", &ModalNodeKeys::rotation,
          Doc{.text = "rotation vector of the node for a unit of each mode", .required = true});
    field("stress", &ModalNodeKeys::stress,
          Doc{.text = "xx, yy, zz, xy, yz, zx for a unit of each mode; of all nodes or none", .unit = "Pa"});
    field("second_shift", &ModalNodeKeys::second_shift,
          Doc{.text = "s_ij there: three numbers for each i and j, row after row; may be left out"});
    field("second_rotation", &ModalNodeKeys::second_rotation,
          Doc{.text = "rotation vector that goes with s_ij; with second_shift"});
  }
};

/// Instead of modes, a mesh to make them of (bodies/ffrf_solid.h).
struct ReductionKeys {
  MeshSettings mesh;
  std::optional<MaterialSettings> material;
  std::optional<OrthotropicSettings> orthotropic;
  std::vector<std::pair<std::string, MaterialSettings>> materials;
  std::vector<std::string> interfaces;
  ModalBasis basis = ModalBasis::craig_bampton;
  int modes = 12;
  std::string reference;
  double damping_ratio = 0;
  bool stiffening = false;
  static void describe(auto& field) {
    field("mesh", &ReductionKeys::mesh,
          Doc{.text = "box or revolved with its dimensions, or file, as for a solid", .required = true});
    field("material", &ReductionKeys::material, Doc{.text = "isotropic material"});
    field("orthotropic", &ReductionKeys::orthotropic, Doc{.text = "orthotropic material, instead"});
    field("materials", &ReductionKeys::materials,
          Doc{.text = "materials of the element groups of a mesh file, by name"});
    field("interfaces", &ReductionKeys::interfaces,
          Doc{.text = "node sets that joints will hold; each becomes a node with its name"});
    field("basis", &ReductionKeys::basis,
          Doc{.text = "modes: free, clamped (first interface held), or craig-bampton (static shapes of unit "
                      "motions of the rigid interfaces, and modes with all of them held)"});
    field("modes", &ReductionKeys::modes,
          Doc{.text = "number of modes", .check = between(1, limits::modes.most)});
    field("reference", &ReductionKeys::reference,
          Doc{.text = "interface in which the body frame is fixed",
              .default_text = "the frame follows the mean"});
    field("damping_ratio", &ReductionKeys::damping_ratio,
          Doc{.text = "damping ratio of each mode (1: critical)", .check = non_negative});
    field("stiffening", &ReductionKeys::stiffening,
          Doc{.text = "second order shapes, for geometric stiffening by inertia and by what acts on the "
                      "interfaces"});
  }
};

struct ReductionFileKeys {
  int hooke_modes = 1;
  ReductionKeys reduce;
  static void describe(auto& field) {
    field("hooke_modes", &ReductionFileKeys::hooke_modes,
          Doc{.text = "version of the file format: 1", .required = true});
    field("reduce", &ReductionFileKeys::reduce, Doc{.text = "mesh to reduce", .required = true});
  }
};

struct ModalKeys {
  int hooke_modes = 1;
  double mass = 0;
  Vec3 first_moment = Vec3::Zero();
  std::array<Vec3, 3> second_moment{zero3, zero3, zero3};
  std::vector<ModeKeys> modes;
  std::vector<ModalNodeKeys> nodes;
  std::vector<std::array<int, 3>> triangles;
  static void describe(auto& field) {
    field("hooke_modes", &ModalKeys::hooke_modes,
          Doc{.text = "version of the file format: 1", .required = true});
    field("mass", &ModalKeys::mass,
          Doc{.text = "int rho", .unit = "kg", .required = true, .check = positive});
    field("first_moment", &ModalKeys::first_moment,
          Doc{.text = "int rho u0", .unit = "kg m", .required = true});
    field("second_moment", &ModalKeys::second_moment,
          Doc{.text = "int rho u0 u0^T, three rows", .unit = "kg m2", .required = true});
    field("modes", &ModalKeys::modes, Doc{.text = "one entry for each", .required = true});
    field("nodes", &ModalKeys::nodes,
          Doc{.text = "nodes that joints and forces can be attached to", .required = true});
    field("triangles", &ModalKeys::triangles,
          Doc{.text = "surface, for pictures: three numbers of nodes each, from 0"});
  }
  void check(const Complain& complain) const;
};

}  // namespace hooke
