#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "hooke/base/text.h"
#include "hooke/catalog/build.h"
#include "hooke/forces/point_load.h"
#include "hooke/math/so3.h"

namespace hooke {

/// Makes a System of a model: bodies first (build.cpp), then joints (build_joints.cpp), drives and forces
/// (build_forces.cpp) on places of them (build_frames.cpp). What is wrong is noted, and thrown together at
/// the end.
class Builder {
 public:
  Builder(const Model& model, StartRows start_rows, Flexibility flexibility)
      : model_(model), start_rows_(start_rows), flexibility_(flexibility) {}
  Builder(const Model& model, const ModelPart& part)
      : model_(model),
        start_rows_(StartRows::none),
        flexibility_(Flexibility::as_modelled),
        part_(&part),
        items_(std::in_place, model, part) {}
  BuiltModel run();

 private:
  /// A place on a body (-1: the ground), in the world at the start; `named` when the user named a frame
  /// there.
  struct Attachment {
    int body = -1;
    FramePose X_WF;
    bool named = false;
    std::optional<double> arc = {};  ///< of a frame named on a rod
    std::string nodes = {};          ///< set that a frame on a solid goes with
    bool cut = false;                ///< on a solid in components; `body` is the first of them
  };
  enum class Kind { any, angle, displacement };
  using FoundCoordinate = std::pair<AnyCoordinate, std::array<int, 2>>;

  System& system() { return *built_.system; }
  bool is_inside(const BodyEntry& body) const { return !part_ || part_->bodies.contains(body.name); }
  bool is_wanted(const auto& item) const {
    return !items_ ||
           (items_->side(item) != PartItems::Side::outside && items_->side(item) != PartItems::Side::none);
  }
  template <class... Args>
  void error(const std::string& path, Format<Args...> text, const Args&... args) {
    diagnostics_.error<Args...>(model_.locate(path), path, text, args...);
  }

  // --- bodies
  void add_bodies();
  void add_body(const BodyEntry& body, BodyStart& start, const std::string& path);
  BodyStart start_of(const BodyEntry& body, const std::string& path);
  Vec3 point(const std::variant<std::string, Vec3>& where, const std::string& path);
  void note_held();

  // --- frames
  std::optional<Attachment> attachment(const std::string& text, const std::string& path);
  std::optional<Attachment> ground_attachment(const std::string& frame, const std::string& path);
  /// Puts the attachment at a frame the user named or, on a rod, at its start or end.
  bool named_on_body(Attachment& a, const std::string& frame, const std::string& path);
  /// The body, or all components of the solid.
  std::vector<int> pieces(const Attachment& a) const;
  std::vector<std::string> sets_of(const Attachment& a) const;
  /// Where the nodes of a set are; nodes that components share, once.
  std::vector<Vec3> set_places(const Attachment& a, const std::string& set) const;
  bool has_set(int body, const std::string& set) const;
  /// The component that has all nodes of the set or, without one, the node nearest to the place.
  int component(const Attachment& a) const;
  FramePose in_body(const Attachment& a) const { return inverse(poses_[a.body]) * a.X_WF; }
  /// Puts the attachment at the mean of a solid's nodes.
  bool at_nodes(Attachment& a, const std::string& set, const std::string& path);
  /// Not `oriented`: a point will do.
  int add_frame(const Attachment& a, bool oriented = true);

  // --- joints
  void add_joint(const JointEntry& joint);
  /// Every node of a set to the ground or a rigid body, or to the node of another set that lies at the same
  /// place: spherical joints, which are not put out one by one.
  void add_tie(const JointEntry& joint, const std::string& path);
  Mat3 poses_of(const Attachment& a) const { return a.body < 0 ? identity3 : poses_[a.body].R; }
  template <class J>
  void add_typed(const JointEntry& joint, J constraint, const std::string& path);
  template <class C, std::size_t N>
  int add_constraint(const C& constraint, const std::array<int, N>& frames, const std::string& name) {
    std::vector<std::string> labels;
    for (const char* label : C::labels()) labels.emplace_back(label);
    return system().add_constraint(constraint, frames, name, labels);
  }
  template <class C>
  void add_coordinate(BuiltJoint& joint, std::string name, const C& coordinate) {
    joint.coordinates.push_back(
        {std::move(name), system().add_coordinate(coordinate, joint.frames), C::periodic});
    coordinates_.emplace(std::pair{joint.name, joint.coordinates.back().name},
                         std::pair{AnyCoordinate(coordinate), joint.frames});
  }
  template <class C>
  void add_friction(const JointEntry& joint, const C& coordinate, const std::array<int, 2>& frames);
  template <class F, std::size_t N>
  void add_force(F force, const std::array<int, N>& frames, const std::string& name,
                 const std::string& type) {
    built_.forces.push_back({name,
                             type,
                             system().add_force(std::move(force), frames, name),
                             static_cast<int>(N),
                             {frames.front(), frames.back()}});
  }
  /// The start value and rate of a coordinate as a drive that exists only while the start is assembled.
  template <class C>
  void add_start_row(const JointEntry& joint, const std::string& name, const C& coordinate,
                     const std::array<int, 2>& frames, const FramePose& X_WA, const FramePose& X_WB);
  void check_start_names(const JointEntry& joint, const BuiltJoint& built, const std::string& path);
  /// Both joint frames in the world at the start; see model.h for the rules.
  std::optional<std::array<Attachment, 2>> place_joint(const JointEntry& joint, Attachment A, Attachment B,
                                                       const std::string& path);
  std::optional<std::array<Mat3, 2>> joint_axes(const JointEntry& joint, const Attachment& B,
                                                const std::string& path);
  const BuiltJoint* joint_of(const std::string& name) const;
  /// "A" (the coordinate of joint A if it has one of that kind) or "A.angle".
  std::optional<FoundCoordinate> find_coordinate(const std::string& text, const std::string& path,
                                                 Kind kind = Kind::any);
  void add_pair(const JointEntry& joint);
  template <class Pair, class First>
  void add_typed_pair(const JointEntry& joint, const FoundCoordinate& c1, const FoundCoordinate& c2);
  double start_value(const FoundCoordinate& c) const;

  // --- drives and forces
  void add_drive(const DriveEntry& drive);
  /// x, y, z or angle_x, angle_y, angle_z of a frame relative to the ground.
  std::optional<FoundCoordinate> body_coordinate(const DriveEntry& drive, const std::string& path);
  void add_spring(const SpringEntry& spring);
  void add_bushing(const BushingEntry& bushing);
  static PointLoad point_load(const LoadEntry& load);
  void add_load(const LoadEntry& load);
  /// At two Gauss points an element: exact for all rods here, whose lines are cubic at most. Its parts are
  /// not put out one by one.
  void add_distributed_load(const LoadEntry& load);

  const Model& model_;
  StartRows start_rows_;
  Flexibility flexibility_;
  const ModelPart* part_ = nullptr;
  std::optional<PartItems> items_ = {};
  System outside_ = {};  ///< where bodies go that are not of the part, for the places on them
  Diagnostics diagnostics_;
  BuiltModel built_;
  std::unordered_map<std::string, int> number_of_body_, first_component_;
  std::vector<FramePose> poses_, frame_starts_;
  std::vector<MadeBody> made_;
  std::map<std::pair<std::string, std::string>, FoundCoordinate> coordinates_;
};

}  // namespace hooke
