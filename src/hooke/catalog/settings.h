#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hooke/base/fields.h"
#include "hooke/catalog/made_body.h"
#include "hooke/catalog/solid_settings.h"
#include "hooke/fe/modal_reduction.h"
#include "hooke/fe/section.h"
#include "hooke/frames/frame.h"
#include "hooke/math/function.h"
#include "hooke/math/values.h"

/// What a user can set, as plain structs that describe themselves (base/fields.h): the model file, the
/// schema, the reference tables in docs/ and the C++ interface all come from here. All in SI units, angles in
/// rad.
namespace hooke {

/// Whether an angle in rad was meant in degrees: beyond a full turn, and whole or half, as no multiple of pi is.
bool seems_degrees(double angle);
/// What is said then.
std::string degrees_text(double angle);

struct AxisAngle {
  Vec3 axis = unit_z;
  double angle = 0;

  static void describe(auto& field) {
    field("axis", &AxisAngle::axis, Doc{.text = "axis of rotation", .required = true});
    field("angle", &AxisAngle::angle, Doc{.text = "right-handed angle", .unit = "rad", .required = true});
  }
  void doubt(const Complain& warn) const {
    if (seems_degrees(angle)) warn("angle", degrees_text(angle));
  }
};

/// Two axes of a frame; the first is met exactly, the second as nearly as it can be.
struct AxesSettings {
  std::optional<Vec3> x, y, z;

  static void describe(auto& field) {
    field("x", &AxesSettings::x, Doc{.text = "direction of the x axis"});
    field("y", &AxesSettings::y, Doc{.text = "direction of the y axis"});
    field("z", &AxesSettings::z, Doc{.text = "direction of the z axis"});
  }
  void check(const Complain& complain) const;
  Mat3 rotation() const;
};

/// A position and, in one of four ways, an orientation.
struct PlacementSettings {
  std::optional<Vec3> at;
  std::optional<Vec4> quaternion;
  std::optional<AxisAngle> rotate;
  std::optional<std::array<Vec3, 3>> matrix;
  std::optional<AxesSettings> axes;

  static void describe(auto& field) {
    field("at", &PlacementSettings::at, Doc{.text = "position", .unit = "m", .default_text = "the origin"});
    field("quaternion", &PlacementSettings::quaternion, Doc{.text = "orientation as w, x, y, z"});
    field("rotate", &PlacementSettings::rotate, Doc{.text = "orientation as a turn about an axis"});
    field("matrix", &PlacementSettings::matrix,
          Doc{.text = "orientation as three rows of a rotation matrix"});
    field("axes", &PlacementSettings::axes,
          Doc{.text = "orientation by the directions of one or two axes; the first is exact, the second is "
                      "made perpendicular to it"});
  }
  void check(const Complain& complain) const;
  bool has_orientation() const { return quaternion || rotate || matrix || axes; }
  FramePose pose() const;
};

/// A frame on a body: given in the body frame or, on a rod, in the section at an arc length, on a solid at
/// the mean of some nodes.
struct FrameSettings : PlacementSettings {
  std::optional<double> arc;
  std::optional<std::string> nodes;

  FrameSettings() = default;
  FrameSettings(const PlacementSettings& place)
      : PlacementSettings(place) {}  // NOLINT: a placement is a frame
  static void describe(auto& field) {
    PlacementSettings::describe(field);
    field("arc", &FrameSettings::arc,
          Doc{.text = "on a rod: arc length from its first end; position and orientation are then relative "
                      "to the section there",
              .unit = "m",
              .check = non_negative});
    field("nodes", &FrameSettings::nodes,
          Doc{.text = "on a solid: node set that carries the frame; position and orientation are then "
                      "relative to the mean of its nodes"});
  }
};

struct BoxShape {
  static constexpr const char* name = "box";
  static constexpr const char* shorthand = "size";
  Vec3 size = Vec3::Ones();
  static void describe(auto& field) {
    field("size", &BoxShape::size,
          Doc{.text = "edges along x, y, z", .unit = "m", .required = true, .check = positive});
  }
  double volume() const { return size.prod(); }
  Mat3 inertia_per_mass() const;
};
struct CylinderShape {
  static constexpr const char* name = "cylinder";
  double radius = 0, length = 0;
  static void describe(auto& field) {
    field("radius", &CylinderShape::radius,
          Doc{.text = "radius", .unit = "m", .required = true, .check = positive});
    field("length", &CylinderShape::length,
          Doc{.text = "length along z", .unit = "m", .required = true, .check = positive});
  }
  double volume() const;
  Mat3 inertia_per_mass() const;
};
struct SphereShape {
  static constexpr const char* name = "sphere";
  static constexpr const char* shorthand = "radius";
  double radius = 0;
  static void describe(auto& field) {
    field("radius", &SphereShape::radius,
          Doc{.text = "radius", .unit = "m", .required = true, .check = positive});
  }
  double volume() const;
  Mat3 inertia_per_mass() const;
};
using ShapeSettings = std::variant<BoxShape, CylinderShape, SphereShape>;

/// Triangles from a file. `points` and `triangles` are filled by who reads the file (io/mesh/mesh_file.h).
struct MeshShape {
  static constexpr const char* name = "mesh";
  static constexpr const char* shorthand = "file";
  std::string file;
  double scale = 1;
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
  std::string not_writable() const {
    return !points.empty() && file.empty() ? "triangles that come from no file" : "";
  }
  static void describe(auto& field) {
    field("file", &MeshShape::file,
          Doc{.text = "STL, OBJ or glTF (.glb, .gltf) file; path relative to the model file",
              .required = true});
    field("scale", &MeshShape::scale,
          Doc{.text = "length of the file's unit, such as 1e-3", .unit = "m", .check = positive});
  }
};

/// Something that a body looks like; it has no mass.
struct GeometryEntry {
  static constexpr const char* example = "{box: [0.1, 0.2, 0.3], at: [...]}";
  std::variant<BoxShape, CylinderShape, SphereShape, MeshShape> shape;
  PlacementSettings place;
  std::optional<std::string> colour;
  static void describe(auto& field) {
    field("", &GeometryEntry::shape, Doc{.text = "shape"});
    field.flat(&GeometryEntry::place);
    field("colour", &GeometryEntry::colour, Doc{.text = "as '#rrggbb'", .default_text = "one for each body"});
  }
  void check(const Complain& complain) const;
};

/// A mass point that belongs to a body.
struct PointMass {
  double mass = 0;
  Vec3 at = Vec3::Zero();
  static void describe(auto& field) {
    field("mass", &PointMass::mass, Doc{.text = "mass", .unit = "kg", .required = true, .check = positive});
    field("at", &PointMass::at, Doc{.text = "position in the body", .unit = "m", .required = true});
  }
};

/// rotation: R^3 x SO(3) (bodies/rigid.h); euler_parameters: four of them, and their length as a constraint.
enum class RigidCoordinates { rotation, euler_parameters };
constexpr auto names(RigidCoordinates) { return std::array{"rotation", "euler-parameters"}; }

struct RigidSettings {
  static constexpr const char* name = "rigid";
  std::optional<double> mass;
  InertiaValue inertia;
  Vec3 centre = Vec3::Zero();
  std::optional<PlacementSettings> inertia_frame;
  std::optional<ShapeSettings> shape;
  std::optional<double> density;
  std::vector<PointMass> points;
  RigidCoordinates coordinates = RigidCoordinates::rotation;

  static void describe(auto& field) {
    field("mass", &RigidSettings::mass,
          Doc{.text = "mass (or give a shape and a density)", .unit = "kg", .check = positive});
    field("inertia", &RigidSettings::inertia,
          Doc{.text = "moments of inertia: one number, [xx, yy, zz], [xx, yy, zz, xy, xz, yz] (entries of "
                      "the matrix), or 3 rows",
              .unit = "kg m2",
              .default_text = "of the shape"});
    field("centre", &RigidSettings::centre, Doc{.text = "mass centre in the body frame", .unit = "m"});
    field("inertia_frame", &RigidSettings::inertia_frame,
          Doc{.text = "frame in the body whose axes 'inertia' refers to",
              .default_text = "mass centre, body axes"});
    field("shape", &RigidSettings::shape,
          Doc{.text =
                  "box, cylinder or sphere centred at the mass centre: gives the inertia and what is drawn"});
    field("density", &RigidSettings::density,
          Doc{.text = "density of the shape: gives the mass", .unit = "kg/m3", .check = positive});
    field("points", &RigidSettings::points, Doc{.text = "point masses added to the body"});
    field("coordinates", &RigidSettings::coordinates,
          Doc{.text = "unknowns of its turning: rotation (three, without constraints), or euler-parameters "
                      "(four, whose length is a constraint), to compare with other programs and papers"});
  }
  void check(const Complain& complain) const;
  static constexpr bool is_rigid = true;
  bool is_conservative() const { return true; }
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

struct CircleSection {
  static constexpr const char* name = "circle";
  static constexpr const char* shorthand = "radius";
  double radius = 0;
  static void describe(auto& field) {
    field("radius", &CircleSection::radius,
          Doc{.text = "radius", .unit = "m", .required = true, .check = positive});
  }
  SectionShape shape(double poisson) const { return SectionShape::circle(radius, poisson); }
};
struct TubeSection {
  static constexpr const char* name = "tube";
  double outer = 0, inner = 0;
  static void describe(auto& field) {
    field("outer", &TubeSection::outer,
          Doc{.text = "outer radius", .unit = "m", .required = true, .check = positive});
    field("inner", &TubeSection::inner,
          Doc{.text = "inner radius", .unit = "m", .required = true, .check = non_negative});
  }
  void check(const Complain& complain) const {
    if (inner >= outer) complain("inner", "must be smaller than the outer radius");
  }
  SectionShape shape(double poisson) const { return SectionShape::tube(outer, inner, poisson); }
};
struct RectangleSection {
  static constexpr const char* name = "rectangle";
  static constexpr const char* shorthand = "size";
  Vec2 size = Vec2::Ones();
  static void describe(auto& field) {
    field(
        "size", &RectangleSection::size,
        Doc{.text = "edges along x and y of the section", .unit = "m", .required = true, .check = positive});
  }
  SectionShape shape(double poisson) const { return SectionShape::rectangle(size.x(), size.y(), poisson); }
};
/// Any section, by its stiffness and mass per length.
struct GeneralSection {
  static constexpr const char* name = "general";
  MatrixValue stiffness;
  double mass = 0;
  InertiaValue inertia;
  Vec2 centre = Vec2::Zero();
  static void describe(auto& field) {
    field("stiffness", &GeneralSection::stiffness,
          Doc{.text = "stiffness for shear along x and y, extension, bending about x and y, torsion: six "
                      "numbers, or six rows of a symmetric matrix",
              .unit = "N, N m2",
              .required = true});
    field("mass", &GeneralSection::mass,
          Doc{.text = "mass per length", .unit = "kg/m", .required = true, .check = positive});
    field("inertia", &GeneralSection::inertia,
          Doc{.text = "rotary inertia per length about the rod's line, [xx, yy, zz] or as for a rigid body",
              .unit = "kg m",
              .required = true});
    field("centre", &GeneralSection::centre, Doc{.text = "mass centre in the section, x and y", .unit = "m"});
  }
  void check(const Complain& complain) const;
};
using SectionSettings = std::variant<CircleSection, TubeSection, RectangleSection, GeneralSection>;

/// What all rods have, whatever their formulation: a change of the one word that names it is a change of
/// formulation. The rod lies along the z axis of its body frame, which is at half its length.
struct RodSettings {
  SectionSettings section;
  std::optional<MaterialSettings> material;
  std::optional<double> length;
  int elements = 8;
  std::optional<double> shear_factor, torsion_constant;
  DampingValue damping;

  static void describe(auto& field) {
    field("section", &RodSettings::section,
          Doc{.text = "circle, tube, rectangle or general, with its dimensions", .required = true});
    field("material", &RodSettings::material, Doc{.text = "material (not for a general section)"});
    field("length", &RodSettings::length,
          Doc{.text = "length", .unit = "m", .check = positive, .default_text = "the distance of 'between'"});
    field("elements", &RodSettings::elements, Doc{.text = "number of elements", .check = at_least(1)});
    field("shear_factor", &RodSettings::shear_factor,
          Doc{.text = "shear correction factor", .check = positive, .default_text = "Cowper's"});
    field("torsion_constant", &RodSettings::torsion_constant,
          Doc{.text = "torsion constant: torsional stiffness divided by the shear modulus",
              .unit = "m4",
              .check = positive,
              .default_text = "Saint-Venant's"});
    field("damping", &RodSettings::damping,
          Doc{.text = "Kelvin-Voigt damping time: stress = stiffness (strain + time strain rate). One "
                      "number, or six for shear x, y, extension, bending x, y, torsion",
              .unit = "s",
              .default_text = "0"});
  }
  void check(const Complain& complain) const;
  Section section_of() const;
  SectionShape shape() const;  ///< not of a general section
  bool is_conservative() const { return damping.times.isZero(0); }
};

/// Geometrically exact rod (bodies/cosserat_rod.h).
struct CosseratSettings : RodSettings {
  static constexpr const char* name = "cosserat";
  int order = 2;
  Vec3 curvature = Vec3::Zero();

  static void describe(auto& field) {
    RodSettings::describe(field);
    field("order", &CosseratSettings::order,
          Doc{.text = "order of the elements: 1 (two nodes) or 2 (three nodes)", .check = between(1, 2)});
    field("curvature", &CosseratSettings::curvature,
          Doc{.text = "curvature of the undeformed rod: bending about x and y of the section, twist about z",
              .unit = "1/m"});
  }
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

/// Rod in absolute nodal coordinates (bodies/ancf_rod.h).
struct AncfSettings : RodSettings {
  static constexpr const char* name = "ancf";
  static void describe(auto& field) { RodSettings::describe(field); }
  void check(const Complain& complain) const;
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

/// constant: accelerations meet the mass matrix of the undeformed body.
enum class ModalMass { exact, constant };
constexpr auto names(ModalMass) { return std::array{"exact", "constant"}; }
constexpr auto names(ModalBasis) { return std::array{"free", "clamped", "craig-bampton"}; }

constexpr auto names(RodReference) { return std::array{"mean", "start"}; }

/// Rod as a floating frame with modes (bodies/ffrf_rod.h).
struct FfrfSettings : RodSettings {
  static constexpr const char* name = "ffrf";
  int modes = 6;
  std::optional<RodReference> reference;
  ModalBasis basis = ModalBasis::craig_bampton;
  ModalMass mass = ModalMass::exact;
  double damping_ratio = 0;
  bool stiffening = false;

  static void describe(auto& field) {
    RodSettings::describe(field);
    field("modes", &FfrfSettings::modes,
          Doc{.text = "number of modes", .check = between(1, limits::modes.most)});
    field("basis", &FfrfSettings::basis,
          Doc{.text = "modes: free, clamped (first end held), or craig-bampton (static shapes of unit "
                      "motions of the ends, and modes with both ends held)"});
    field("reference", &FfrfSettings::reference,
          Doc{.text = "reference condition: the frame follows the mean of the rod, or is fixed at its start",
              .default_text = "mean; start, if that is clamped"});
    field("mass", &FfrfSettings::mass,
          Doc{.text = "mass matrix: exact, or constant (that of the undeformed body)"});
    field("damping_ratio", &FfrfSettings::damping_ratio,
          Doc{.text = "damping ratio of each mode (1: critical)", .check = non_negative});
    field(
        "stiffening", &FfrfSettings::stiffening,
        Doc{.text = "geometric stiffening: what pulls at the rod (spinning, gravity, joints, loads) makes it "
                    "stiffer; for small deformations"});
  }
  void check(const Complain& complain) const;
  bool is_conservative() const { return RodSettings::is_conservative() && damping_ratio == 0; }
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

/// A body of any shape as a floating frame with modes from a file (bodies/modal_data.h, io/mesh/modal_file.h).
struct ModalSettings {
  static constexpr const char* name = "modal";
  std::string file;
  ModalMass mass = ModalMass::exact;
  bool stiffening = true;
  std::shared_ptr<const ModalData> data;  ///< what is in the file

  static void describe(auto& field) {
    field("file", &ModalSettings::file,
          Doc{.text = "file with the modes; path relative to the model file", .required = true});
    field("mass", &ModalSettings::mass,
          Doc{.text = "mass matrix: exact, or constant (that of the undeformed body)"});
    field("stiffening", &ModalSettings::stiffening,
          Doc{.text = "geometric stiffening, where the file has second order shapes"});
  }
  std::string not_writable() const { return data && file.empty() ? "modes that come from no file" : ""; }
  bool is_conservative() const;
  MadeBody make_body(System& system, const std::string& body, const BodyStart& start, Flexibility) const;
};

/// Friction along each free coordinate of a joint (forces/friction.h).
struct FrictionSettings {
  double viscous = 0, coulomb = 0;
  std::optional<double> breakaway, stick_rate, stribeck_rate;

  static void describe(auto& field) {
    field("viscous", &FrictionSettings::viscous,
          Doc{.text = "viscous coefficient", .unit = "N s/m or N m s", .check = non_negative});
    field("coulomb", &FrictionSettings::coulomb,
          Doc{.text = "friction force or moment while sliding", .unit = "N or N m", .check = non_negative});
    field("breakaway", &FrictionSettings::breakaway,
          Doc{.text = "largest friction force or moment at rest",
              .unit = "N or N m",
              .check = non_negative,
              .default_text = "coulomb"});
    field(
        "stick_rate", &FrictionSettings::stick_rate,
        Doc{.text =
                "rate below which the joint counts as sticking; dry friction rises as tanh(rate/stick_rate)",
            .unit = "m/s or rad/s",
            .check = positive,
            .default_text = "1e-3"});
    field("stribeck_rate", &FrictionSettings::stribeck_rate,
          Doc{.text = "rate over which friction falls from breakaway to coulomb",
              .unit = "m/s or rad/s",
              .check = positive,
              .default_text = "10 stick_rate"});
  }
  void doubt(const Complain& warn) const {
    if (viscous == 0 && coulomb == 0 && breakaway.value_or(0) == 0)
      warn("", "does nothing: give it viscous, coulomb or breakaway");
  }
};

/// A scalar force law along a coordinate, tension positive (math/function.h).
struct LawSettings {
  double stiffness = 0, damping = 0, preload = 0;
  std::optional<double> free;
  std::optional<Function> elastic, viscous, active;
  std::optional<LawFormula> law;
  std::optional<Law> code;  ///< a program's own law (Law::of), instead of all the others; no file can say it

  static void describe(auto& field) {
    field("stiffness", &LawSettings::stiffness, Doc{.text = "linear stiffness", .unit = "N/m or N m/rad"});
    field("damping", &LawSettings::damping, Doc{.text = "linear damping", .unit = "N s/m or N m s/rad"});
    field("preload", &LawSettings::preload, Doc{.text = "tension at the free length", .unit = "N or N m"});
    field("free", &LawSettings::free,
          Doc{.text = "free length or angle", .unit = "m or rad", .default_text = "0"});
    field("elastic", &LawSettings::elastic,
          Doc{.text = "tension as a function of (x - free)", .unit = "N or N m"});
    field("viscous", &LawSettings::viscous,
          Doc{.text = "tension as a function of the rate", .unit = "N or N m"});
    field("active", &LawSettings::active, Doc{.text = "tension as a function of time", .unit = "N or N m"});
    field("law", &LawSettings::law,
          Doc{.text = "tension as a formula of x, v and t, such as 'k*x + c*v^3'", .unit = "N or N m"});
  }
  void check(const Complain& complain) const;
  void doubt(const Complain& warn) const;
  Law make() const;
  bool uses_signals() const;
  /// What of it no file can hold.
  std::string not_writable() const { return code ? "a law that is code" : ""; }
  /// Only stores: no damping, nothing that depends on the rate or on time.
  bool is_conservative() const { return damping == 0 && !viscous && !active && !law && !code; }
};

}  // namespace hooke
