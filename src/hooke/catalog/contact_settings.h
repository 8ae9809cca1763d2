#pragma once
#include "hooke/catalog/settings.h"

/// What a user can set of surfaces that may touch, and of what happens where they do.
namespace hooke {

struct HalfSpaceSurface {
  static constexpr const char* name = "half-space";
  static constexpr const char* shorthand = "normal";
  Vec3 normal = Vec3::UnitZ();
  static void describe(auto& field) {
    field("normal", &HalfSpaceSurface::normal,
          Doc{.text = "out of the matter, in the axes of the frame", .required = true});
  }
};

struct CapsuleSurface {
  static constexpr const char* name = "capsule";
  double radius = 0, length = 0;
  static void describe(auto& field) {
    field("radius", &CapsuleSurface::radius,
          Doc{.text = "radius", .unit = "m", .required = true, .check = positive});
    field("length", &CapsuleSurface::length,
          Doc{.text = "distance of the centres of its ends, along z",
              .unit = "m",
              .required = true,
              .check = positive});
  }
};

struct ConeSurface {
  static constexpr const char* name = "cone";
  double bottom = 0, top = 0, length = 0;
  static void describe(auto& field) {
    field("bottom", &ConeSurface::bottom,
          Doc{.text = "radius at z = -length/2", .unit = "m", .check = non_negative});
    field("top", &ConeSurface::top,
          Doc{.text = "radius at z = length/2", .unit = "m", .check = non_negative});
    field("length", &ConeSurface::length,
          Doc{.text = "length along z", .unit = "m", .required = true, .check = positive});
  }
};

/// Matter all around.
struct HollowSphereSurface {
  static constexpr const char* name = "hollow-sphere";
  static constexpr const char* shorthand = "radius";
  double radius = 0;
  static void describe(auto& field) {
    field("radius", &HollowSphereSurface::radius,
          Doc{.text = "radius of the hollow", .unit = "m", .required = true, .check = positive});
  }
};
struct BoreSurface {
  static constexpr const char* name = "bore";
  static constexpr const char* shorthand = "radius";
  double radius = 0;
  static void describe(auto& field) {
    field("radius", &BoreSurface::radius,
          Doc{.text = "of a hole along z, without ends", .unit = "m", .required = true, .check = positive});
  }
};

/// The least convex shape around points, given or of a file (which fills `mesh`, as that of MeshShape).
struct HullSurface {
  static constexpr const char* name = "hull";
  static constexpr const char* shorthand = "corners";
  std::vector<Vec3> corners;
  std::optional<MeshShape> mesh;
  static void describe(auto& field) {
    field("corners", &HullSurface::corners, Doc{.text = "points that it goes around", .unit = "m"});
    field("mesh", &HullSurface::mesh, Doc{.text = "or a file, whose points it goes around"});
  }
  void check(const Complain& complain) const {
    if (corners.empty() == !mesh) complain("", "give 'corners' or a 'mesh', one of them");
  }
};

/// Matter below heights over a grid.
struct HeightFieldSurface {
  static constexpr const char* name = "height-field";
  std::vector<std::vector<double>> heights;
  Vec2 spacing = Vec2::Zero();
  static void describe(auto& field) {
    field(
        "heights", &HeightFieldSurface::heights,
        Doc{.text = "rows along y of heights along x, centred at the origin", .unit = "m", .required = true});
    field("spacing", &HeightFieldSurface::spacing,
          Doc{.text = "of the grid along x and y", .unit = "m", .required = true, .check = positive});
  }
  void check(const Complain& complain) const {
    for (const auto& row : heights)
      if (row.size() != heights.front().size()) return complain("heights", "rows have different lengths");
    if (heights.size() < 2 || heights.front().size() < 2)
      complain("heights", "needs two rows and two columns");
  }
};

/// A rod: spheres along its axis and the smooth surface swept between them.
struct RodSurface {
  static constexpr const char* name = "rod";
  static constexpr const char* definition = "rod-surface";
  double radius = 0;
  std::optional<int> spheres;
  static void describe(auto& field) {
    field("radius", &RodSurface::radius,
          Doc{.text = "of its section", .unit = "m", .required = true, .check = positive});
    field("spheres", &RodSurface::spheres,
          Doc{.text = "number of spheres along it", .check = at_least(2), .default_text = "two per element"});
  }
};

/// Nodes of a solid or of a body with modes.
struct NodesSurface {
  static constexpr const char* name = "nodes";
  static constexpr const char* definition = "nodes-surface";
  static constexpr const char* shorthand = "set";
  std::string set;
  static void describe(auto& field) {
    field("set", &NodesSurface::set,
          Doc{.text = "node set of the solid that may touch; of a body with modes, 'surface'",
              .required = true});
  }
};

using SurfaceShape = std::variant<SphereShape, HalfSpaceSurface, BoxShape, CapsuleSurface, CylinderShape,
                                  ConeSurface, HullSurface, MeshShape, HeightFieldSurface,
                                  HollowSphereSurface, BoreSurface, RodSurface, NodesSurface>;

struct SurfaceSettings {
  static constexpr const char* example = "{sphere: 0.1, body: ball}";
  SurfaceShape shape;
  std::string body = "ground";
  PlacementSettings place;
  std::optional<double> young, edge_radius;
  double poisson = 0.3;

  static void describe(auto& field) {
    field("", &SurfaceSettings::shape, Doc{.text = "shape"});
    field("body", &SurfaceSettings::body, Doc{.text = "body or frame that it belongs to"});
    field.flat(&SurfaceSettings::place);
    field("edge_radius", &SurfaceSettings::edge_radius,
          Doc{.text =
                  "by which edges of boxes and cylinders are rounded, so that normals are continuous; hulls "
                  "and meshes grow by it",
              .unit = "m",
              .check = positive,
              .default_text = "2 % of the least dimension; 0 of hulls and meshes"});
    field("young", &SurfaceSettings::young,
          Doc{.text = "Young's modulus of the matter, for contacts without a stiffness of their own",
              .unit = "Pa",
              .check = positive});
    field("poisson", &SurfaceSettings::poisson,
          Doc{.text = "Poisson's ratio of the matter", .check = between(0, 0.5)});
  }
  double rounding_of(const auto& of) const {
    double least = 0;
    if constexpr (requires { of.size; }) least = of.size.minCoeff();
    if constexpr (std::is_same_v<std::decay_t<decltype(of)>, CylinderShape>)
      least = std::min(2 * of.radius, of.length);
    return least > 0 ? std::min(edge_radius.value_or(0.02 * least), 0.49 * least) : edge_radius.value_or(0);
  }
};

/// Coulomb's, smoothed at rest, or with bristles that let it stick.
struct ContactFrictionSettings {
  static constexpr const char* shorthand = "coefficient";
  double coefficient = 0, stick_speed = 1e-3, settling = 1e-3, rolling = 0, spinning = 0;
  std::optional<double> bristle;
  static void describe(auto& field) {
    field("coefficient", &ContactFrictionSettings::coefficient,
          Doc{.text = "largest force along the surface as a part of the normal force",
              .required = true,
              .check = non_negative});
    field("bristle", &ContactFrictionSettings::bristle,
          Doc{.text = "how far what sticks gives way before it slips: what sticks then stays where it is",
              .unit = "m",
              .check = positive,
              .default_text = "no bristles: what should stick creeps"});
    field("stick_speed", &ContactFrictionSettings::stick_speed,
          Doc{.text = "without bristles: speed that counts as rest", .unit = "m/s", .check = positive});
    field("settling", &ContactFrictionSettings::settling,
          Doc{.text = "of bristles: time constant of their damping", .unit = "s", .check = non_negative});
    field("rolling", &ContactFrictionSettings::rolling,
          Doc{.text = "moment against rolling as the normal force times this length",
              .unit = "m",
              .check = non_negative});
    field("spinning", &ContactFrictionSettings::spinning,
          Doc{.text = "moment against spinning about the normal, likewise",
              .unit = "m",
              .check = non_negative});
  }
};

enum class ContactLaw { compliant, rigid };
constexpr auto names(ContactLaw) { return std::array{"compliant", "rigid"}; }

/// Which damping a coefficient of restitution means.
enum class RestitutionLaw { exact, hunt_crossley, lankarani_nikravesh };
constexpr auto names(RestitutionLaw) { return std::array{"exact", "hunt-crossley", "lankarani-nikravesh"}; }

struct ContactSettings {
  static constexpr const char* example = "{between: [ball, floor], stiffness: 1e6, restitution: 0.8}";
  std::optional<std::array<std::vector<std::string>, 2>> between_surfaces;
  std::vector<std::string> among;
  std::vector<std::vector<std::string>> exclude;
  bool neighbours = false;
  ContactLaw law = ContactLaw::compliant;
  RestitutionLaw restitution_law = RestitutionLaw::exact;
  bool locate = false;
  std::optional<double> stiffness, damping;
  double exponent = 1.5, restitution = 1, rest_speed = 1e-2;
  std::optional<ContactFrictionSettings> friction;

  static void describe(auto& field) {
    field("between", &ContactSettings::between_surfaces,
          Doc{.text = "two surfaces, or two lists of them, each of the first against each of the second"});
    field("among", &ContactSettings::among, Doc{.text = "or one list: each against each other"});
    field("exclude", &ContactSettings::exclude,
          Doc{.text = "pairs of surfaces that do not touch: [[a, b], ...]"});
    field("neighbours", &ContactSettings::neighbours,
          Doc{.text = "of a list: also surfaces of bodies that a joint connects"});
    field("law", &ContactSettings::law,
          Doc{.text = "compliant: a force that grows with the depth; rigid: no depth, impacts are impulses"});
    field("locate", &ContactSettings::locate,
          Doc{.text =
                  "of a rigid contact: steps end where surfaces meet, so that impacts are as accurate as the "
                  "motion between them"});
    field("stiffness", &ContactSettings::stiffness,
          Doc{.text = "k of the normal force k depth^exponent",
              .unit = "N/m^exponent",
              .check = positive,
              .default_text = "Hertz, from Young's moduli and radii"});
    field("exponent", &ContactSettings::exponent,
          Doc{.text = "1.5 for round surfaces (Hertz), 1 for a spring", .check = between(1, 3)});
    field("restitution", &ContactSettings::restitution,
          Doc{.text = "speed after an impact as a part of that before; it comes out as asked for",
              .check = between(0, 1)});
    field("restitution_law", &ContactSettings::restitution_law,
          Doc{.text = "of a compliant contact, the damping that a restitution means: exact, or a published "
                      "one that is right near 1"});
    field("damping", &ContactSettings::damping,
          Doc{.text = "or c of the normal force k depth^exponent (1 + c rate)",
              .unit = "s/m",
              .check = non_negative});
    field(
        "rest_speed", &ContactSettings::rest_speed,
        Doc{.text = "slower impacts are damped as one at this speed; of a rigid contact, they do not rebound",
            .unit = "m/s",
            .check = positive});
    field("friction", &ContactSettings::friction,
          Doc{.text = "along the surfaces: a coefficient, or {coefficient: ..., bristle: ...}",
              .default_text = "none"});
  }
  void check(const Complain& complain) const {
    if (between_surfaces.has_value() == !among.empty())
      complain("", "give 'between' (two surfaces or lists) or 'among' (one list), one of them");
    for (const auto& pair : exclude)
      if (pair.size() != 2) return complain("exclude", "is a list of pairs: [[a, b], ...]");
    if (law == ContactLaw::rigid) {
      if (restitution_law != RestitutionLaw::exact) complain("restitution_law", "is for compliant contacts");
      if (stiffness || damping) complain(stiffness ? "stiffness" : "damping", "is for compliant contacts");
      if (friction && (friction->bristle || friction->rolling > 0 || friction->spinning > 0))
        complain("friction", "of a rigid contact is a coefficient alone");
    } else {
      if (restitution < 0.01) complain("restitution", "of a compliant contact is at least 0.01");
      if (locate) complain("locate", "is for rigid contacts");
    }
    if (damping && restitution != 1) complain("damping", "and 'restitution' exclude each other");
  }
  bool is_conservative() const { return restitution == 1 && damping.value_or(0) == 0 && !friction; }
};

}  // namespace hooke
