#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/catalog/build.h"
#include "hooke/control/controls.h"
#include "hooke/frames/coordinates.h"
#include "hooke/system/system.h"

struct hooke_block;  // of a plugin, see plugin.h

namespace hooke {

/// A place on a body (-1: the ground), in the world at the start; `named` when the user named a frame there.
struct Attachment {
  int body = -1;
  FramePose X_WF;
  bool named = false;
  std::optional<double> arc = {};  ///< of a frame named on a rod
  std::string nodes = {};          ///< set that a frame on a solid goes with
  std::string place = {};          ///< named on a body with modes, that a frame goes with
  bool cut = false;                ///< on a solid in components; `body` is the first of them
};

/// A coordinate of a joint, with the frames it is measured between.
struct FoundCoordinate {
  AnyCoordinate first;
  std::array<int, 2> second;
  int observed = -1;  ///< in the System; -1: not yet
};

/// Makes a System of a model: bodies first, then joints, drives and forces, which add themselves to it through what
/// stands here (joint_settings.cpp, drive_settings.cpp, force_settings.cpp; a user's own in the same way). What is
/// wrong is noted, and thrown together at the end.
class Builder {
 public:
  Builder(std::shared_ptr<const Model> model, StartRows start_rows, Flexibility flexibility);
  BuiltModel run();

  System& system() { return *built_.system; }
  StartRows start_rows() const { return start_rows_; }
  bool is_frozen() const { return flexibility_ == Flexibility::frozen; }
  template <class... Args>
  void error(const std::string& path, Format<Args...> text, const Args&... args) {
    diagnostics_.error<Args...>(model_->locate(path), path, text, args...);
  }

  /// What is allowed but seldom meant.
  template <class... Args>
  void warning(const std::string& path, Format<Args...> text, const Args&... args) {
    diagnostics_.warning<Args...>(model_->locate(path), path, text, args...);
  }
  /// For the user to know, in the summary of a run.
  void note(std::string text) { built_.notes.push_back(std::move(text)); }

  // --- places on bodies: "body", "body.frame", "ground"; nothing after a complaint about the key at `path`
  std::optional<Attachment> attachment(const std::string& text, const std::string& path);
  const FramePose& pose_of(int body) const { return poses_[static_cast<std::size_t>(body)]; }
  const MadeBody& made(int body) const { return made_[static_cast<std::size_t>(body)]; }
  bool is_rigid(const Attachment& a) const;
  /// Both are components of one solid: what holds them together is no joint of the user's.
  bool are_of_one_solid(const Attachment& a, const Attachment& b) const;
  /// Where the nodes of a set are in the body; nodes that components share, once.
  std::vector<Vec3> set_places(const Attachment& a, const std::string& set) const;
  /// A frame of the System there. Not `oriented`: a point will do.
  int add_frame(const Attachment& a, bool oriented = true);
  const FramePose& start_of_frame(int frame) const { return frame_starts_[static_cast<std::size_t>(frame)]; }

  // --- constraints and their coordinates
  /// Whether the name is taken, after a complaint.
  bool is_taken(const std::string& joint);
  template <class C, std::size_t N>
  int add_constraint(const C& constraint, const std::array<int, N>& frames, const std::string& name) {
    std::vector<std::string> labels;
    if constexpr (requires { C::labels(); })
      for (const char* label : C::labels()) labels.emplace_back(label);
    return system().add_constraint(constraint, frames, name, labels);
  }
  template <class C>
  void add_coordinate(BuiltJoint& joint, std::string name, const C& coordinate, double first = 0) {
    joint.coordinates.push_back(
        {std::move(name), system().add_coordinate(coordinate, joint.frames, first), C::periodic});
    coordinates_.emplace(std::pair{joint.name, joint.coordinates.back().name},
                         FoundCoordinate{coordinate, joint.frames, joint.coordinates.back().number});
  }
  /// Makes the joint known to users, by its name.
  void add(BuiltJoint joint) { built_.joints.push_back(std::move(joint)); }
  enum class CoordinateKind { any, angle, displacement };
  /// "A" (the coordinate of joint A if it has one of that kind) or "A.angle".
  std::optional<FoundCoordinate> find_coordinate(const std::string& text, const std::string& path,
                                                 CoordinateKind kind = CoordinateKind::any);
  double start_value(const FoundCoordinate& c) const;
  /// Its number in the System.
  int observe(const FoundCoordinate& c) {
    return c.observed >= 0 ? c.observed : system().add_coordinate(c.first, c.second);
  }

  /// A drive that is told where to go by a formula of signals, at every interval.
  void add_servo(const std::string& drive, const std::string& joint, const FoundCoordinate& along,
                 const std::string& formula, double every);

  // --- forces that are signals
  /// A force whose size is a signal, along a coordinate: the tension is a formula of x, v, t and signals or, without one,
  /// what the law gives, with its active share a formula.
  void add_actuator(const std::string& force, const std::string& type, const FoundCoordinate& along,
                    const LawSettings& law);
  /// Components of a force and of a torque on a frame, some of which are formulas of signals.
  void add_actuator(const std::string& load, const std::string& type, int frame,
                    const std::optional<std::array<Function, 3>>& force,
                    const std::optional<std::array<Function, 3>>& torque, bool turns);

  void add_motor(const std::string& force, const struct MotorSettings& motor, const FoundCoordinate& along);

  // --- forces
  template <class F, std::size_t N>
  void add_force(F force, const std::array<int, N>& frames, const std::string& name,
                 const std::string& type) {
    built_.forces.push_back({name,
                             type,
                             system().add_force(std::move(force), frames, name),
                             static_cast<int>(N),
                             {frames.front(), frames.back()}});
  }
  /// On bodies or frames by name; nothing after a complaint.
  template <class F>
  void add_force(F force, const std::array<std::string, F::frames>& on, const std::string& name) {
    std::array<int, F::frames> frames;
    for (std::size_t i = 0; i < on.size(); ++i) {
      const auto at = attachment(on[i], "forces." + name);
      if (!at) return;
      frames[i] = add_frame(*at);
    }
    add_force(std::move(force), frames, name, F::name);
  }
  /// The last force acts along a coordinate, which is put out with it.
  void note_spring(const FoundCoordinate& along) {
    built_.springs.push_back(
        {static_cast<int>(built_.forces.size()) - 1, observe(along), along.first, along.second});
  }
  /// What a spring is called by formulas: its length or angle, and its law.
  void note_law(const std::string& force, FoundCoordinate along, const Law& law) {
    laws_.insert_or_assign(force, std::pair{std::move(along), law});
  }

 private:
  friend class ControlBuilder;
  friend class ContactBuilder;
  void check_model();
  void add_contacts();
  void add_control();
  void open_plugins();
  void add_bodies();
  template <class Item>
  void add_item(const char* key, const std::string& name, const Item& item);
  void add_body(const std::string& name, const BodyEntry& body, BodyStart& start, const std::string& path);
  BodyStart start_of(const BodyEntry& body, const std::string& path);
  void turn_along(const Vec3& line, const BodyEntry& body, const std::string& path, Mat3& R);
  void doubt_lever(const Attachment& a);
  Vec3 point(const JointOrPoint& where, const std::string& path);
  void note_held();

  std::optional<Attachment> ground_attachment(const std::string& frame, const std::string& path);
  /// Puts the attachment at a frame the user named or, on a rod, at its start or end.
  bool named_on_body(Attachment& a, const std::string& frame, const std::string& path);
  /// The body, or all components of the solid.
  std::vector<int> components_of(const Attachment& a) const;
  std::vector<std::string> sets_of(const Attachment& a) const;
  bool has_set(int body, const std::string& set) const;
  /// The component that has all nodes of the set or, without one, the node nearest to the place.
  int component(const Attachment& a) const;
  FramePose in_body(const Attachment& a) const { return inverse(poses_[a.body]) * a.X_WF; }
  /// Puts the attachment at the mean of a solid's nodes.
  bool at_nodes(Attachment& a, const std::string& set, const std::string& path);
  const BuiltJoint* joint_of(const std::string& name) const;

  std::shared_ptr<const Model> model_;
  StartRows start_rows_;
  Flexibility flexibility_;
  Diagnostics diagnostics_;
  BuiltModel built_;
  std::unordered_map<std::string, int> number_of_body_, first_component_;
  std::vector<FramePose> poses_, frame_starts_;
  std::vector<MadeBody> made_;
  std::map<std::pair<std::string, std::string>, FoundCoordinate> coordinates_;
  std::map<std::string, std::pair<FoundCoordinate, Law>> laws_;
  /// Forces that are signals, to be made when all else is there; `number` in BuiltModel::forces.
  struct PendingForce {
    std::size_t number;
    std::function<Controls::Force(class ControlBuilder&)> make;
  };
  std::vector<PendingForce> pending_;
  /// In the System, of BuiltModel::forces, known when all are there.
  std::shared_ptr<std::vector<int>> force_numbers_ = std::make_shared<std::vector<int>>();
  struct PendingServo {
    std::string name, formula;
    FoundCoordinate along;
    int constraint;
    double every, start;
  };
  std::vector<PendingServo> servos_;
  std::map<std::string, const hooke_block*> code_;  ///< of the plugins
};

}  // namespace hooke
