#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/catalog/settings.h"

/// What a user can set of a force. Attachments are written as for joints.
namespace hooke {

/// Along the line between two points.
struct SpringSettings {
  static constexpr const char* name = "spring";
  std::array<std::string, 2> between;
  std::array<std::optional<Vec3>, 2> points;
  LawSettings law;

  static void describe(auto& field) {
    field("spring", &SpringSettings::between,
          Doc{.text = "bodies or frames at the two ends", .required = true});
    field("points", &SpringSettings::points,
          Doc{.text = "initial end points, world axes (null: the frame named)",
              .unit = "m",
              .default_text = "origins of the bodies or frames named"});
    field.flat(&SpringSettings::law);
  }
  bool is_conservative() const { return law.is_conservative(); }
  void add_force(const std::string& force, Builder& to) const;
};

/// About an axis.
struct TorsionSpringSettings {
  static constexpr const char* name = "torsion-spring";
  std::array<std::string, 2> between;
  std::optional<Vec3> at, axis;
  LawSettings law;

  static void describe(auto& field) {
    field("torsion-spring", &TorsionSpringSettings::between,
          Doc{.text = "bodies or frames at the two ends", .required = true});
    field("at", &TorsionSpringSettings::at,
          Doc{.text = "initial position, world axes", .unit = "m", .default_text = "the frames named"});
    field("axis", &TorsionSpringSettings::axis,
          Doc{.text = "initial direction of the axis, world axes", .default_text = "z of the frames named"});
    field.flat(&TorsionSpringSettings::law);
  }
  bool is_conservative() const { return law.is_conservative(); }
  void add_force(const std::string& force, Builder& to) const;
};

/// Along a joint coordinate.
struct JointForceSettings {
  static constexpr const char* name = "joint-force";
  std::string coordinate;
  LawSettings law;

  static void describe(auto& field) {
    field("joint-force", &JointForceSettings::coordinate,
          Doc{.text = "joint coordinate it acts along: 'A' or, if the joint has several, 'A.angle'",
              .required = true});
    field.flat(&JointForceSettings::law);
  }
  bool is_conservative() const { return law.is_conservative(); }
  void add_force(const std::string& force, Builder& to) const;
};

/// A motor on a joint: torque at the shaft = command * curve(speed), or stall * (command - speed / no_load), within
/// +-stall; the joint turns `gear` times slower.
struct MotorSettings {
  static constexpr const char* name = "motor";
  std::string coordinate;
  Formula command{"1"};
  std::optional<double> stall, no_load;
  std::optional<Function> curve;
  double gear = 1;

  static void describe(auto& field) {
    field("motor", &MotorSettings::coordinate,
          Doc{.text = "joint coordinate it drives: 'A' or, if the joint has several, 'A.angle'",
              .required = true});
    field("command", &MotorSettings::command,
          Doc{.text = "formula of signals; from -1 to 1, beyond it is limited"});
    field("stall", &MotorSettings::stall,
          Doc{.text = "torque (force) at rest with command 1", .unit = "N m or N", .check = positive});
    field("no_load", &MotorSettings::no_load,
          Doc{.text = "speed of the shaft at which the torque is zero",
              .unit = "rad/s or m/s",
              .check = positive});
    field("curve", &MotorSettings::curve,
          Doc{.text = "instead of both: torque over the speed of the shaft (a formula calls it t)",
              .unit = "N m or N"});
    field("gear", &MotorSettings::gear,
          Doc{.text = "turns of the shaft for one of the joint; torques grow by as much", .check = positive});
  }
  void check(const Complain& complain) const {
    if (curve ? stall || no_load : !(stall && no_load))
      complain("", "give 'stall' and 'no_load', or a 'curve'");
    if (curve && curve->signal_formula())
      complain("curve", "is a function of speed alone; signals go into 'command'");
  }
  void add_force(const std::string& force, Builder& to) const;
};

struct BushingSettings {
  static constexpr const char* name = "bushing";
  std::array<std::string, 2> between;
  PlacementSettings place;  ///< world, at the start; default: the named frames
  MatrixValue stiffness, damping;
  Vec6 preload = Vec6::Zero();

  static void describe(auto& field) {
    field("bushing", &BushingSettings::between,
          Doc{.text = "bodies or frames that it connects", .required = true});
    field.flat(&BushingSettings::place);
    field("stiffness", &BushingSettings::stiffness,
          Doc{.text = "along x, y, z and about x, y, z of the first frame: one number, six, or six rows of a "
                      "symmetric matrix",
              .unit = "N/m, N m/rad",
              .required = true});
    field("damping", &BushingSettings::damping,
          Doc{.text = "likewise", .unit = "N s/m, N m s/rad", .default_text = "0"});
    field("preload", &BushingSettings::preload,
          Doc{.text = "force and moment on the second frame where both coincide", .unit = "N, N m"});
  }
  void check(const Complain& complain) const;
  void doubt(const Complain& warn) const;
  bool is_conservative() const { return damping.matrix.isZero(0); }
  void add_force(const std::string& force, Builder& to) const;
};

enum class LoadAxes { world, body };
constexpr auto names(LoadAxes) { return std::array{"world", "body"}; }
using LoadComponents = std::optional<std::array<Function, 3>>;

struct LoadSettings {
  static constexpr const char* name = "load";
  std::string on;
  std::optional<Vec3> at;
  LoadComponents force, torque;
  LoadAxes in = LoadAxes::world;

  static void describe(auto& field) {
    field("load", &LoadSettings::on, Doc{.text = "body or frame that it acts on", .required = true});
    field("force", &LoadSettings::force,
          Doc{.text = "three components, each a function of time", .unit = "N"});
    field("torque", &LoadSettings::torque,
          Doc{.text = "three components, each a function of time", .unit = "N m"});
    field("at", &LoadSettings::at,
          Doc{.text = "initial point of application, world axes",
              .unit = "m",
              .default_text = "origin of the body or frame"});
    field("in", &LoadSettings::in,
          Doc{.text = "axes of the components: those of the world, or of the body (they turn with it)"});
  }
  void check(const Complain& complain) const {
    if (!force && !torque) complain("force", "give a force, a torque or both");
  }
  void add_force(const std::string& load, Builder& to) const;
};

/// Per length of a rod. At two Gauss points an element: exact for all rods here, whose lines are cubic at most. Its
/// points are not put out one by one.
struct DistributedLoadSettings {
  static constexpr const char* name = "distributed-load";
  std::string on;
  LoadComponents force, torque;
  LoadAxes in = LoadAxes::world;

  static void describe(auto& field) {
    field("distributed-load", &DistributedLoadSettings::on,
          Doc{.text = "rod that it acts on, over its whole length", .required = true});
    field("force", &DistributedLoadSettings::force,
          Doc{.text = "per length: three components, each a function of time", .unit = "N/m"});
    field("torque", &DistributedLoadSettings::torque, Doc{.text = "likewise", .unit = "N"});
    field("in", &DistributedLoadSettings::in,
          Doc{.text = "axes of the components: those of the world, or of each section"});
  }
  void check(const Complain& complain) const {
    if (!force && !torque) complain("force", "give a force, a torque or both");
  }
  void add_force(const std::string& load, Builder& to) const;
};

}  // namespace hooke
