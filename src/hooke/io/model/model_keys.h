#pragma once
// What stands under each key of a model file, as structs that describe themselves. Reading (model_file.cpp),
// the JSON Schema and the tables of docs/model-file.md (model_schema.cpp) all follow from these descriptions;
// the plain Model (catalog/model.h) is filled from them.
#include "hooke/catalog/model.h"
#include "hooke/integrators/settings.h"
#include "hooke/io/document/function_reader.h"
#include "hooke/io/model/linear_keys.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/schema.h"

namespace hooke {

// ---- values that may be written in several ways ----

bool read(const Value& value, InertiaValue& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<InertiaValue>, const Doc& doc);

bool read(const Value& value, DampingValue& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<DampingValue>, const Doc& doc);

bool read(const Value& value, MatrixValue& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<MatrixValue>, const Doc& doc);

/// A joint by name, or a point in the world.
using JointOrPoint = std::variant<std::string, Vec3>;
bool read(const Value& value, JointOrPoint& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<JointOrPoint>, const Doc& doc);

/// A number is the start value; the rate is then free.

/// What the document has already made into numbers.
struct ParameterValues {};
inline bool read(const Value&, ParameterValues&, Diagnostics&) { return true; }
Json schema(Schema& all, Type<ParameterValues>, const Doc& doc);

/// A shape with its place on the body, such as {box: [1, 2, 3], at: [0, 0, 1]}.
bool read(const Value& value, GeometryEntry& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<GeometryEntry>, const Doc& doc);

/// Reads the file that a mesh names, as seen from the file `value` is in.
bool load_solid_mesh(const Value& value, MeshFile& file, Diagnostics& diagnostics);

// ---- bodies, joints, drives: beside these keys stands the kind, such as `rigid:` or `revolute:` ----

struct BodyKeys : BodyEntry, PlacementSettings {
  std::optional<std::array<JointOrPoint, 2>> ends;
  static void describe(auto& field) {
    PlacementSettings::describe(field);
    field("between", &BodyKeys::ends,
          Doc{.text = "two joints or points: the body frame is half way between them, its z axis from the "
                      "first to the second"});
    BodyEntry::describe_rest(field);
  }
  void check(const Complain& complain) const {
    PlacementSettings::check(complain);
    if (angular_velocity && angular_velocity_world)
      complain("angular_velocity_world", "and angular_velocity exclude each other");
  }
};
bool read(const Value& value, BodyKeys& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<BodyKeys>, const Doc& doc);

struct JointKeys : JointEntry {
  static void describe(auto& field) { JointEntry::describe_rest(field); }
};
bool read(const Value& value, JointKeys& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<JointKeys>, const Doc& doc);

Json schema(Schema& all, Type<DriveEntry>, const Doc& doc);

// ---- forces: the kind's own key is one of those described ----

struct SpringKeys : LawSettings {
  static constexpr const char* name = "spring";
  std::array<std::string, 2> between;
  std::array<std::optional<Vec3>, 2> points;
  static void describe(auto& field) {
    field("spring", &SpringKeys::between, Doc{.text = "bodies or frames at the two ends", .required = true});
    field("points", &SpringKeys::points,
          Doc{.text = "end points in the world at the start (null: as named)",
              .unit = "m",
              .default_text = "origins of the bodies or frames named"});
    LawSettings::describe(field);
  }
};

struct TorsionSpringKeys : LawSettings {
  static constexpr const char* name = "torsion-spring";
  std::array<std::string, 2> between;
  std::optional<Vec3> at, axis;
  static void describe(auto& field) {
    field("torsion-spring", &TorsionSpringKeys::between,
          Doc{.text = "bodies or frames at the two ends", .required = true});
    field("at", &TorsionSpringKeys::at,
          Doc{.text = "where it is at the start, world", .unit = "m", .default_text = "the frames named"});
    field("axis", &TorsionSpringKeys::axis,
          Doc{.text = "axis at the start, world", .default_text = "z of the frames named"});
    LawSettings::describe(field);
  }
};

struct JointForceKeys : LawSettings {
  static constexpr const char* name = "joint-force";
  std::string coordinate;
  static void describe(auto& field) {
    field("joint-force", &JointForceKeys::coordinate,
          Doc{.text = "joint whose coordinate it acts along: 'A' or, if it has several, 'A.angle'",
              .required = true});
    LawSettings::describe(field);
  }
};

struct BushingKeys : PlacementSettings {
  static constexpr const char* name = "bushing";
  std::array<std::string, 2> between;
  MatrixValue stiffness, damping;
  Vec6 preload = Vec6::Zero();
  static void describe(auto& field) {
    field("bushing", &BushingKeys::between,
          Doc{.text = "bodies or frames that it connects", .required = true});
    PlacementSettings::describe(field);
    field("stiffness", &BushingKeys::stiffness,
          Doc{.text = "along x, y, z and about x, y, z of the first frame: one number, six, or six rows of a "
                      "symmetric matrix",
              .unit = "N/m, N m/rad",
              .required = true});
    field("damping", &BushingKeys::damping,
          Doc{.text = "likewise", .unit = "N s/m, N m s/rad", .default_text = "0"});
    field("preload", &BushingKeys::preload,
          Doc{.text = "force and moment on the second frame where both coincide", .unit = "N, N m"});
  }
  void check(const Complain& complain) const;
};

enum class LoadAxes { world, body };
constexpr auto names(LoadAxes) { return std::array{"world", "body"}; }

struct LoadKeys {
  static constexpr const char* name = "load";
  std::string on;
  std::optional<Vec3> at;
  std::optional<std::array<Function, 3>> force, torque;
  LoadAxes in = LoadAxes::world;
  static void describe(auto& field) {
    field("load", &LoadKeys::on, Doc{.text = "body or frame that it acts on", .required = true});
    field("force", &LoadKeys::force, Doc{.text = "three components, each a function of time", .unit = "N"});
    field("torque", &LoadKeys::torque,
          Doc{.text = "three components, each a function of time", .unit = "N m"});
    field("at", &LoadKeys::at,
          Doc{.text = "point of application in the world at the start",
              .unit = "m",
              .default_text = "origin of the body or frame"});
    field("in", &LoadKeys::in,
          Doc{.text = "whose axes the components are along; those of the body turn with it"});
  }
  void check(const Complain& complain) const {
    if (!force && !torque) complain("force", "give a force, a torque or both");
  }
};

struct DistributedLoadKeys {
  static constexpr const char* name = "distributed-load";
  std::string on;
  std::optional<std::array<Function, 3>> force, torque;
  LoadAxes in = LoadAxes::world;
  static void describe(auto& field) {
    field("distributed-load", &DistributedLoadKeys::on,
          Doc{.text = "rod that it acts on, over its whole length", .required = true});
    field("force", &DistributedLoadKeys::force,
          Doc{.text = "per length: three components, each a function of time", .unit = "N/m"});
    field("torque", &DistributedLoadKeys::torque, Doc{.text = "likewise", .unit = "N"});
    field("in", &DistributedLoadKeys::in,
          Doc{.text = "whose axes the components are along: the world's, or those of each section"});
  }
  void check(const Complain& complain) const {
    if (!force && !torque) complain("force", "give a force, a torque or both");
  }
};

struct ForceKeys {
  std::variant<SpringKeys, TorsionSpringKeys, JointForceKeys, BushingKeys, LoadKeys, DistributedLoadKeys>
      kind;
};
bool read(const Value& value, ForceKeys& out, Diagnostics& diagnostics);
Json schema(Schema& all, Type<ForceKeys>, const Doc& doc);

// ---- the whole file ----

struct GroundKeys {
  std::vector<std::pair<std::string, PlacementSettings>> frames;
  static void describe(auto& field) {
    field("frames", &GroundKeys::frames, Doc{.text = "named frames in the world"});
  }
};

struct FileKeys {
  static constexpr int version = 1;
  int hooke = version;
  std::vector<std::string> include;
  ParameterValues parameters;
  std::string title;
  Vec3 gravity = Vec3::Zero();
  GroundKeys ground;
  std::vector<std::pair<std::string, BodyKeys>> bodies;
  std::vector<std::pair<std::string, JointKeys>> joints;
  std::vector<std::pair<std::string, DriveEntry>> drives;
  std::vector<std::pair<std::string, ForceKeys>> forces;
  RunSettings run;
  OutputSettings outputs;
  std::vector<std::pair<std::string, SubsystemEntry>> subsystems;
  CouplingSettings coupling;
  std::vector<std::pair<std::string, LinearSubsystemKeys>> linear;

  static void describe(auto& field) {
    field("hooke", &FileKeys::hooke, Doc{.text = "version of the file format: 1", .required = true});
    field("include", &FileKeys::include, Doc{.text = "files to start from"});
    field("parameters", &FileKeys::parameters, Doc{.text = "numbers by name, for use in expressions"});
    field("title", &FileKeys::title, Doc{.text = "one line about the model"});
    field("gravity", &FileKeys::gravity, Doc{.text = "acceleration of free fall", .unit = "m/s2"});
    field("ground", &FileKeys::ground, Doc{.text = "the world"});
    field("bodies", &FileKeys::bodies, Doc{.text = "what moves"});
    field("joints", &FileKeys::joints, Doc{.text = "what holds it together"});
    field("drives", &FileKeys::drives, Doc{.text = "motions prescribed over time"});
    field("forces", &FileKeys::forces, Doc{.text = "what acts on it, besides gravity"});
    field("run", &FileKeys::run, Doc{.text = "what to compute and how"});
    field("outputs", &FileKeys::outputs, Doc{.text = "what to write"});
    field("subsystems", &FileKeys::subsystems,
          Doc{.text = "parts that are integrated one by one and iterated, by the bodies in them; bodies not "
                      "named make one more, `rest`"});
    field("coupling", &FileKeys::coupling, Doc{.text = "how the subsystems are iterated"});
    field("linear", &FileKeys::linear,
          Doc{.text = "instead of bodies: two linear subsystems, by their matrices, that are coupled"});
  }
};

}  // namespace hooke
