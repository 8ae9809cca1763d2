#include "catalog/build.h"

#include <unordered_map>

#include "base/text.h"
#include "bodies/rigid.h"
#include "forces/bushing.h"
#include "forces/coordinate_force.h"
#include "forces/driven_load.h"
#include "forces/friction.h"
#include "forces/point_load.h"
#include "joints/drive.h"
#include "joints/gear.h"
#include "joints/joints.h"
#include "math/quadrature.h"
#include "math/so3.h"

namespace hooke {

Location Model::locate(std::string path) const {
  for (;;) {
    if (const auto found = locations.find(path); found != locations.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    if (cut == std::string::npos) return {};
    path.resize(cut);
  }
}

namespace {

/// f(J{}) for the joint type of that name; false when there is none.
template <class F>
bool with_joint_type(std::string_view type, F&& f) {
  return std::apply(
      [&](auto... joint) { return ((decltype(joint)::name == type && (f(joint), true)) || ...); },
      joints::All{});
}

/// Joints whose frames need no direction from the user.
bool is_without_axis(std::string_view type) {
  return type == "fixed" || type == "spherical" || type == "distance";
}

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

  BuiltModel run() {
    built_.system = std::make_unique<System>();
    add_bodies();
    if (model_.bodies.empty()) error("bodies", "the model has no bodies: there is nothing to compute");
    if (diagnostics_.has_errors())
      diagnostics_.throw_if_errors();  // nothing can be attached to what is not there
    if (items_) items_->check(diagnostics_);
    for (const JointEntry& joint : model_.joints)
      if (joint.type != "gear" && joint.type != "rack-and-pinion" && is_wanted(joint)) add_joint(joint);
    for (const JointEntry& joint : model_.joints)
      if ((joint.type == "gear" || joint.type == "rack-and-pinion") && is_wanted(joint)) add_pair(joint);
    for (const DriveEntry& drive : model_.drives)
      if (is_wanted(drive)) add_drive(drive);
    for (const SpringEntry& spring : model_.springs)
      if (is_wanted(spring)) add_spring(spring);
    for (const BushingEntry& bushing : model_.bushings)
      if (is_wanted(bushing)) add_bushing(bushing);
    for (const LoadEntry& load : model_.loads)
      if (is_wanted(load)) add_load(load);
    diagnostics_.throw_if_errors();
    system().finish(model_.gravity);
    note_held();
    return std::move(built_);
  }

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

  System& system() { return *built_.system; }
  bool is_inside(const BodyEntry& body) const { return !part_ || part_->bodies.contains(body.name); }
  bool is_wanted(const auto& item) const {
    return !items_ ||
           (items_->side(item) != PartItems::Side::outside && items_->side(item) != PartItems::Side::none);
  }
  template <class... Args>
  void error(const std::string& path, fmt::format_string<Args...> text, Args&&... args) {
    diagnostics_.error(model_.locate(path), path, text, std::forward<Args>(args)...);
  }

  // --- bodies

  void add_bodies() {
    for (const BodyEntry& body : model_.bodies) {
      const std::string path = "bodies." + body.name;
      if (body.name == "ground") error(path, "'ground' is the world itself; choose another name");
      if (body.name.find('.') != std::string::npos) error(path, "a name must not contain a dot");
      if (!number_of_body_.try_emplace(body.name, static_cast<int>(poses_.size())).second)
        error(path, "there are two bodies named '{}'", body.name);
      if (!body.component_of.empty())
        first_component_.try_emplace(body.component_of, number_of_body_[body.name]);
      BodyStart start = start_of(body, path);
      poses_.push_back(start.pose);
      add_body(body, start, path);
      if (is_inside(body)) built_.bodies.push_back(body.name);
    }
  }

  void add_body(const BodyEntry& body, BodyStart& start, const std::string& path) {
    if (body.velocity) start.twist.head<3>() = *body.velocity;
    if (body.angular_velocity) start.twist.tail<3>() = *body.angular_velocity;
    if (body.angular_velocity_world)
      start.twist.tail<3>() = start.pose.R.transpose() * *body.angular_velocity_world;
    try {
      std::visit(
          [&](const auto& settings) {
            System& home = is_inside(body) ? system() : outside_;
            made_.push_back(make_body(home, body.name, settings, start, flexibility_));
          },
          body.formulation);
    } catch (const std::invalid_argument& problem) {
      error(path, "{}", problem.what());
      made_.emplace_back();
    }
    if (!is_inside(body)) return;
    if (made_.back().solid)
      built_.solids.push_back({static_cast<int>(built_.bodies.size()), made_.back().solid});
    if (made_.back().modal)
      built_.modal.push_back({static_cast<int>(built_.bodies.size()), made_.back().modal});
    built_.has_flexible_bodies |= !std::holds_alternative<RigidSettings>(body.formulation);
  }

  BodyStart start_of(const BodyEntry& body, const std::string& path) {
    BodyStart start{body.place.pose()};
    FramePose& X = start.pose;
    if (body.between.empty()) return start;
    if (body.between.size() != 2) {
      error(path + ".between", "expected two joints or points");
      return start;
    }
    if (body.place.at) error(path + ".between", "and 'at' cannot both be given");
    const Vec3 first = point(body.between[0], path + ".between[0]"),
               second = point(body.between[1], path + ".between[1]");
    X.p = 0.5 * (first + second);
    start.span = (second - first).norm();
    if (body.place.has_orientation()) return start;
    if (*start.span == 0)
      error(path + ".between", "the two points coincide, so the z axis has no direction");
    else
      X.R = rotation_from_z(second - first);
    return start;
  }

  Vec3 point(const std::variant<std::string, Vec3>& where, const std::string& path) {
    if (const Vec3* p = std::get_if<Vec3>(&where)) return *p;
    const std::string& name = std::get<std::string>(where);
    std::vector<std::string> known;
    for (const JointEntry& joint : model_.joints) {
      if (joint.name == name && joint.at) return *joint.at;
      if (joint.name == name) {
        error(path, "joint '{}' has no 'at'", name);
        return Vec3::Zero();
      }
      known.push_back(joint.name);
    }
    error(path, "no joint named '{}'{}", name, suggest(name, known));
    return Vec3::Zero();
  }

  void note_held() {
    built_.held_position.assign(system().nv(), 0);
    built_.held_velocity.assign(system().nv(), 0);
    const KktStructure& structure = system().structure();
    int dof = 0, b = 0;
    for (const BodyEntry& body : model_.bodies) {
      if (!is_inside(body)) continue;
      // Of a flexible body the velocities given are held while it is frozen.
      const bool rigid =
          flexibility_ == Flexibility::frozen || std::holds_alternative<RigidSettings>(body.formulation);
      const bool spin = rigid && (body.angular_velocity || body.angular_velocity_world);
      const bool shift = rigid && body.velocity;
      for (int block = structure.body_blocks[b]; block < structure.body_blocks[b + 1]; ++block)
        for (int k = 0; k < structure.dof_sizes[block]; ++k, ++dof) {
          built_.held_position[dof] = body.hold;
          built_.held_velocity[dof] = body.hold || (k < 3 ? shift : spin);
        }
      ++b;
    }
  }

  // --- frames

  std::optional<Attachment> attachment(const std::string& text, const std::string& path) {
    const auto dot = text.find('.');
    const std::string body = text.substr(0, dot),
                      frame = dot == std::string::npos ? "" : text.substr(dot + 1);
    if (body == "ground") return ground_attachment(frame, path);
    auto found = number_of_body_.find(body);
    const bool cut = found == number_of_body_.end();
    if (cut) found = first_component_.find(body);
    if (cut && found == first_component_.end()) {
      std::vector<std::string> known{"ground"};
      for (const BodyEntry& one : model_.bodies) known.push_back(one.name);
      error(path, "no body named '{}'{}", body, suggest(body, known));
      return {};
    }
    Attachment result;
    result.body = found->second;
    result.cut = cut;
    result.X_WF = poses_[result.body];
    if (frame.empty()) return result;
    return named_on_body(result, frame, path) ? std::optional(result) : std::nullopt;
  }

  std::optional<Attachment> ground_attachment(const std::string& frame, const std::string& path) {
    if (frame.empty()) return Attachment{};
    std::vector<std::string> known;
    for (const auto& [name, placement] : model_.ground_frames) {
      if (name == frame) return Attachment{.X_WF = placement.pose(), .named = true};
      known.push_back(name);
    }
    error(path, "the ground has no frame named '{}'{}", frame, suggest(frame, known));
    return {};
  }

  /// Puts the attachment at a frame the user named or, on a rod, at its start or end.
  bool named_on_body(Attachment& a, const std::string& frame, const std::string& path) {
    const BodyEntry& body = model_.bodies[a.body];
    const MadeBody& made = made_[a.body];
    const auto at_arc = [&](double arc) {
      a.arc = arc;
      a.X_WF = a.X_WF * made.section(arc);
    };
    a.named = true;
    std::vector<std::string> known;
    for (const auto& [name, placement] : body.frames) {
      known.push_back(name);
      if (name != frame) continue;
      const std::string place = fmt::format("bodies.{}.frames.{}.arc", body.name, name);
      if (placement.arc && !made.section) return error(place, "only a rod has an arc length"), false;
      if (placement.arc && *placement.arc > made.length * (1 + 1e-9))
        return error(place, "the rod is only {:g} m long", made.length), false;
      if (placement.arc) at_arc(*placement.arc);
      if (placement.nodes &&
          !at_nodes(a, *placement.nodes, fmt::format("bodies.{}.frames.{}.nodes", body.name, name)))
        return false;
      a.X_WF = a.X_WF * placement.pose();
      return true;
    }
    for (const auto& [name, X_BF] : made.named) {
      known.push_back(name);
      if (name == frame) return a.X_WF = a.X_WF * X_BF, true;
    }
    const std::vector<std::string> sets = sets_of(a);
    if (made.section && (frame == "start" || frame == "end"))
      return at_arc(frame == "start" ? 0.0 : made.length), true;
    if (std::find(sets.begin(), sets.end(), frame) != sets.end()) return at_nodes(a, frame, path);
    if (made.section) known.insert(known.end(), {"start", "end"});
    known.insert(known.end(), sets.begin(), sets.end());
    error(path, "body '{}' has no frame named '{}'{}", body.name, frame, suggest(frame, known));
    return false;
  }

  /// The body, or all components of the solid.
  std::vector<int> pieces(const Attachment& a) const {
    std::vector<int> all{a.body};
    for (std::size_t b = a.body + 1; a.cut && b < model_.bodies.size(); ++b)
      if (model_.bodies[b].component_of == model_.bodies[a.body].component_of)
        all.push_back(static_cast<int>(b));
    return all;
  }

  std::vector<std::string> sets_of(const Attachment& a) const {
    std::set<std::string> all;
    for (int b : pieces(a)) all.insert(made_[b].sets.begin(), made_[b].sets.end());
    return {all.begin(), all.end()};
  }

  /// Where the nodes of a set are; nodes that components share, once.
  std::vector<Vec3> set_places(const Attachment& a, const std::string& set) const {
    if (!a.cut) return made_[a.body].set_places(set);
    std::vector<Vec3> all;
    for (int b : pieces(a))
      if (has_set(b, set))
        for (const Vec3& place : made_[b].set_places(set))
          if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(place);
    return all.empty() ? made_[a.body].set_places(set) : all;  // which explains that there is none
  }
  bool has_set(int body, const std::string& set) const {
    const auto& sets = made_[body].sets;
    return std::find(sets.begin(), sets.end(), set) != sets.end();
  }

  /// The component that has all nodes of the set or, without one, the node nearest to the place.
  int component(const Attachment& a) const {
    if (!a.cut) return a.body;
    const auto distance = [&](int b) { return made_[b].distance(in_body(a).p); };
    int best = -1;
    for (int b : pieces(a)) {
      if (!a.nodes.empty() &&
          (!has_set(b, a.nodes) || made_[b].set_places(a.nodes).size() < set_places(a, a.nodes).size()))
        continue;
      if (best < 0 || (a.nodes.empty() && distance(b) < distance(best))) best = b;
    }
    if (best < 0)
      throw std::invalid_argument(
          fmt::format("the nodes of '{}' belong to several components; take a smaller set, or one of '{}'",
                      a.nodes, model_.bodies[a.body].name));
    return best;
  }
  FramePose in_body(const Attachment& a) const { return inverse(poses_[a.body]) * a.X_WF; }

  /// Puts the attachment at the mean of a solid's nodes.
  bool at_nodes(Attachment& a, const std::string& set, const std::string& path) {
    if (!made_[a.body].set_places) return error(path, "only a solid has node sets"), false;
    try {
      const std::vector<Vec3> places = set_places(a, set);
      Vec3 sum = zero3;
      for (const Vec3& place : places) sum += place;
      a.X_WF.p += a.X_WF.R * sum / static_cast<double>(places.size());
      a.nodes = set;
      return true;
    } catch (const std::invalid_argument& problem) {
      return error(path, "{}", problem.what()), false;
    }
  }

  /// Not `oriented`: a point will do.
  int add_frame(const Attachment& a, bool oriented = true) {
    frame_starts_.push_back(a.X_WF);  // frames are numbered as they are added
    if (a.body < 0) return system().add_ground_frame(a.X_WF);
    if (made_[a.body].add_patch) try {
        return made_[component(a)].add_patch(in_body(a), a.nodes, oriented);
      } catch (const std::invalid_argument& problem) {
        error("bodies." + model_.bodies[a.body].name, "{}", problem.what());
        return system().add_ground_frame(a.X_WF);
      }
    return made_[a.body].add_frame(in_body(a), a.arc);
  }

  // --- joints

  void add_joint(const JointEntry& joint) {
    const std::string path = "joints." + joint.name;
    if (joint.type == "tie") return add_tie(joint, path);
    if (!with_joint_type(joint.type, [&](auto type) { add_typed(joint, type, path); }))
      error(path, "no joint type '{}'{}", joint.type, suggest(joint.type, joint_types()));
  }

  /// Every node of a set to the ground or a rigid body, or to the node of another set that lies at the same
  /// place: spherical joints, which are not put out one by one.
  void add_tie(const JointEntry& joint, const std::string& path) {
    const auto A = attachment(joint.between[0], path + ".tie[0]"),
               B = attachment(joint.between[1], path + ".tie[1]");
    if (!A || !B) return;
    const auto is_rigid = [&](const Attachment& a) {
      return a.body < 0 || std::holds_alternative<RigidSettings>(model_.bodies[a.body].formulation);
    };
    const Attachment &held = is_rigid(*A) ? *B : *A, &other = is_rigid(*A) ? *A : *B;
    if (held.nodes.empty() || (!is_rigid(other) && other.nodes.empty()))
      return error(
          path,
          "ties node sets of solids, such as 'beam.x_min', to each other, to a rigid body or to the ground");
    const auto places = [&](const Attachment& a) {
      std::vector<Vec3> all = set_places(a, a.nodes);
      for (Vec3& p : all) p = poses_[a.body].p + poses_[a.body].R * p;
      return all;
    };
    const std::vector<Vec3> mine = places(held), theirs = is_rigid(other) ? mine : places(other);
    double extent = 0;
    for (const Vec3& p : mine) extent = std::max(extent, (p - held.X_WF.p).norm());
    for (const Vec3& p : mine) {
      const auto nearest = std::min_element(theirs.begin(), theirs.end(), [&](const Vec3& a, const Vec3& b) {
        return (a - p).squaredNorm() < (b - p).squaredNorm();
      });
      if ((*nearest - p).norm() > 1e-6 * extent)
        return error(
            path,
            "no node of '{}' is where '{}' has one, at {:.4g}, {:.4g}, {:.4g}: the meshes must match there",
            joint.between[&other == &*A ? 0 : 1], joint.between[&other == &*A ? 1 : 0], p.x(), p.y(), p.z());
      const auto at = [&](const Attachment& a) {
        return add_frame({.body = a.body, .X_WF = {poses_of(a), p}, .cut = a.cut}, false);
      };
      system().add_constraint(joints::Spherical{}, std::array{at(other), at(held)}, joint.name);
    }
  }
  Mat3 poses_of(const Attachment& a) const { return a.body < 0 ? identity3 : poses_[a.body].R; }

  template <class J>
  void add_typed(const JointEntry& joint, J constraint, const std::string& path) {
    if (joint_of(joint.name)) return error(path, "there are two joints named '{}'", joint.name);
    const auto A = attachment(joint.between[0], fmt::format("{}.{}[0]", path, joint.type));
    const auto B = attachment(joint.between[1], fmt::format("{}.{}[1]", path, joint.type));
    if (!A || !B) return;
    const auto is_rigid = [&](int body) {
      return body < 0 || std::holds_alternative<RigidSettings>(model_.bodies[body].formulation);
    };
    if (A->body == B->body && (is_rigid(A->body) || joint.between[0] == joint.between[1]))
      return error(path, "joins '{}' to itself", joint.between[0]);
    auto placed = place_joint(joint, *A, *B, path);
    if (!placed) return;
    const int cut = items_ && items_->side(joint) == PartItems::Side::both
                        ? (items_->owns(joint.between[0]) ? 1 : 0)
                        : -1;  // the frame outside
    if (cut >= 0 && part_->load) {
      const int frame = add_frame((*placed)[1 - cut], J::needs_orientation[1 - cut]);
      system().add_force(DrivenLoad{part_->load(joint.name)}, std::array{frame}, joint.name);
      built_.interfaces.push_back({joint.name, frame});
      return;
    }
    std::array<int, 2> frames{};
    for (int k = 0; k < 2; ++k) {
      const Attachment& at = (*placed)[k];
      if (k != cut) {
        frames[k] = add_frame(at, J::needs_orientation[k]);
      } else {
        frame_starts_.push_back(at.X_WF);
        frames[k] = system().add_driven_frame(part_->drive(joint.name, at.X_WF));
        built_.interfaces.push_back({joint.name, frames[k], system().constraints(), k});
      }
    }

    if constexpr (requires { constraint.pitch; }) {
      if (!joint.pitch) return error(path, "a screw needs its 'pitch' (advance per turn, m)");
      constraint.pitch = *joint.pitch;
    } else if (joint.pitch) {
      error(path + ".pitch", "only a screw has a pitch");
    }
    if constexpr (requires { constraint.length; })
      constraint.length = joint.length.value_or(((*placed)[1].X_WF.p - (*placed)[0].X_WF.p).norm());
    else if (joint.length)
      error(path + ".length", "only a distance joint has a length");
    if (joint.ratio) error(path + ".ratio", "only gears and rack-and-pinion have a ratio");

    BuiltJoint built{joint.name, joint.type, add_constraint(constraint, frames, joint.name), frames, {}};
    J::for_each_coordinate([&](std::string_view name, auto coordinate) {
      add_coordinate(built, std::string(name), coordinate);
      if (joint.friction) add_friction(joint, coordinate, frames);
      add_start_row(joint, std::string(name), coordinate, frames, (*placed)[0].X_WF, (*placed)[1].X_WF);
    });
    check_start_names(joint, built, path);
    if (joint.friction && built.coordinates.empty())
      error(path + ".friction", "a {} joint has no coordinate that friction could act along", joint.type);
    built_.joints.push_back(std::move(built));
  }

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
  void add_friction(const JointEntry& joint, const C& coordinate, const std::array<int, 2>& frames) {
    const FrictionSettings& s = *joint.friction;
    Friction law{.viscous = s.viscous, .kinetic = s.coulomb, .breakaway = s.breakaway.value_or(s.coulomb)};
    if (s.stick_rate) law.stick_rate = *s.stick_rate;
    law.stribeck_rate = s.stribeck_rate.value_or(10 * law.stick_rate);
    add_force(JointFriction<C>{coordinate, law}, frames, joint.name, "friction");
  }

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
                     const std::array<int, 2>& frames, const FramePose& X_WA, const FramePose& X_WB) {
    for (const auto& [key, start] : joint.start) {
      if (key != name) continue;
      const double value = start.value.value_or(coordinate.value(X_WA, X_WB));
      const bool wanted = start_rows_ == StartRows::positions
                              ? start.value.has_value()
                              : start_rows_ == StartRows::velocities && start.rate.has_value();
      if (wanted)
        add_constraint(Drive<C>{coordinate, Function::polynomial({value, start.rate.value_or(0)})}, frames,
                       joint.name + ".start." + name);
    }
  }

  void check_start_names(const JointEntry& joint, const BuiltJoint& built, const std::string& path) {
    std::vector<std::string> known;
    for (const BuiltCoordinate& c : built.coordinates) known.push_back(c.name);
    for (const auto& [key, start] : joint.start)
      if (std::find(known.begin(), known.end(), key) == known.end())
        error(path + ".start." + key, "a {} joint has no coordinate '{}'; it has {}", joint.type, key,
              known.empty() ? "none" : list_words(known, "and"));
  }

  /// Both joint frames in the world at the start; see model.h for the rules.
  std::optional<std::array<Attachment, 2>> place_joint(const JointEntry& joint, Attachment A, Attachment B,
                                                       const std::string& path) {
    if (joint.type == "distance") {
      if (joint.at || joint.axis)
        return error(path,
                     "a distance joint acts between two named frames or body origins: no 'at' or 'axis'"),
               std::nullopt;
      return {{A, B}};
    }
    if (joint.axis2 && joint.type != "universal" && joint.type != "constant-velocity" &&
        joint.type != "perpendicular-axes")
      error(path + ".axis2", "a {} joint has one axis", joint.type);
    const Attachment& guide = A.named ? A : B;  // a side that names no frame goes where the other is
    if (!A.named) A.X_WF = guide.X_WF;
    if (!B.named) B.X_WF = guide.X_WF;
    if (joint.at) A.X_WF.p = B.X_WF.p = *joint.at;

    if (joint.axis) {
      if (joint.axis->norm() == 0) return error(path + ".axis", "the axis must not be zero"), std::nullopt;
      const auto axes = joint_axes(joint, B, path);
      if (!axes) return std::nullopt;
      A.X_WF.R = (*axes)[0];
      B.X_WF.R = (*axes)[1];
    } else if (!guide.named) {
      if (!is_without_axis(joint.type))
        return error(path, "a {} joint needs an 'axis', or frames named on its bodies", joint.type),
               std::nullopt;
      A.X_WF.R = B.X_WF.R = identity3;
    }
    return {{A, B}};
  }

  std::optional<std::array<Mat3, 2>> joint_axes(const JointEntry& joint, const Attachment& B,
                                                const std::string& path) {
    const Vec3 axis = joint.axis->normalized();
    if (joint.type == "universal") {
      const Vec3 reach = B.body < 0 ? Vec3::Zero().eval() : Vec3(poses_[B.body].p - B.X_WF.p);
      Vec3 arm = joint.axis2 ? *joint.axis2 : reach.cross(axis).eval();
      if (!joint.axis2 && arm.norm() < 1e-9 * (1 + reach.norm())) arm = any_perpendicular(axis);
      if (arm.norm() == 0 || std::abs(arm.normalized().dot(axis)) > 1e-3)
        return error(path + ".axis2", "the arms of a universal joint must be perpendicular at the start"),
               std::nullopt;
      const Mat3 R = rotation_from_x(axis, arm);
      return {{R, R}};
    }
    const Mat3 R = rotation_from_z(axis);
    if (!joint.axis2) {
      if (joint.type != "perpendicular-axes") return {{R, R}};
      return error(path,
                   "a perpendicular-axes joint needs 'axis' on the first and 'axis2' on the second body"),
             std::nullopt;
    }
    if (joint.axis2->norm() == 0) return error(path + ".axis2", "the axis must not be zero"), std::nullopt;
    return {{R, rotation_between(axis, *joint.axis2) * R}};
  }

  const BuiltJoint* joint_of(const std::string& name) const {
    for (const BuiltJoint& joint : built_.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  using FoundCoordinate = std::pair<AnyCoordinate, std::array<int, 2>>;

  /// "A" (the coordinate of joint A if it has one of that kind) or "A.angle".
  template <class Wanted = void>
  std::optional<FoundCoordinate> find_coordinate(const std::string& text, const std::string& path) {
    const auto dot = text.find('.');
    const std::string name = text.substr(0, dot);
    std::vector<std::string> known;
    for (const BuiltJoint& joint : built_.joints) known.push_back(joint.name);
    const BuiltJoint* joint = joint_of(name);
    if (!joint) {
      error(path, "no joint named '{}'{}", name, suggest(name, known));
      return {};
    }
    std::vector<std::string> fitting;
    for (const BuiltCoordinate& c : joint->coordinates) {
      const bool fits = std::is_void_v<Wanted> ||
                        std::holds_alternative<std::conditional_t<std::is_void_v<Wanted>, Angle, Wanted>>(
                            coordinates_.at({name, c.name}).first);
      if (fits) fitting.push_back(c.name);
    }
    const std::string wanted = dot != std::string::npos ? text.substr(dot + 1)
                               : fitting.size() == 1    ? fitting[0]
                                                        : "";
    if (std::find(fitting.begin(), fitting.end(), wanted) != fitting.end())
      return coordinates_.at({name, wanted});
    if (fitting.empty())
      error(path, "joint '{}' ({}) has no {} to act on", name, joint->type,
            std::is_void_v<Wanted>          ? "coordinate"
            : std::is_same_v<Wanted, Angle> ? "angle"
                                            : "displacement");
    else if (wanted.empty())
      error(path, "joint '{}' has several coordinates: say which, '{}.{}'", name, name, fitting[0]);
    else
      error(path, "joint '{}' has no coordinate '{}'; it has {}", name, wanted, list_words(fitting, "and"));
    return {};
  }

  void add_pair(const JointEntry& joint) {
    const std::string path = "joints." + joint.name;
    if (joint_of(joint.name)) return error(path, "there are two joints named '{}'", joint.name);
    if (!joint.ratio) return error(path, "a {} needs its 'ratio'", joint.type);
    const std::string first = fmt::format("{}.{}[0]", path, joint.type),
                      second = fmt::format("{}.{}[1]", path, joint.type);
    const auto c2 = find_coordinate<Angle>(joint.between[1], second);
    if (joint.type == "gear") {
      const auto c1 = find_coordinate<Angle>(joint.between[0], first);
      if (c1 && c2) add_typed_pair<Gear, Angle>(joint, *c1, *c2);
    } else {
      const auto c1 = find_coordinate<Displacement>(joint.between[0], first);
      if (c1 && c2) add_typed_pair<RackAndPinion, Displacement>(joint, *c1, *c2);
    }
  }

  template <class Pair, class First>
  void add_typed_pair(const JointEntry& joint, const FoundCoordinate& c1, const FoundCoordinate& c2) {
    Pair pair{std::get<First>(c1.first), std::get<Angle>(c2.first), *joint.ratio};
    // The teeth mesh as the joints stand at the start: all joint frames coincide there, or are as the user
    // named them.
    const std::array<int, 4> frames{c1.second[0], c1.second[1], c2.second[0], c2.second[1]};
    pair.offset = start_value(c1) + *joint.ratio * start_value(c2);
    built_.joints.push_back(
        {joint.name, joint.type, add_constraint(pair, frames, joint.name), c1.second, {}});
  }

  double start_value(const FoundCoordinate& c) const {
    return std::visit(
        [&](const auto& x) { return x.value(frame_starts_[c.second[0]], frame_starts_[c.second[1]]); },
        c.first);
  }

  // --- drives and forces

  void add_drive(const DriveEntry& drive) {
    const std::string path = "drives." + drive.name;
    if (drive.joint.has_value() == drive.body.has_value())
      return error(path, "a drive needs either a 'joint' or a 'body'");
    if (drive.joint && drive.coordinate)
      return error(path + ".coordinate", "belongs to a driven body; write joint: {}.{}", *drive.joint,
                   *drive.coordinate);
    const auto c =
        drive.joint ? find_coordinate(*drive.joint, path + ".joint") : body_coordinate(drive, path);
    if (!c) return;
    std::visit(
        [&](const auto& coordinate) {
          using C = std::decay_t<decltype(coordinate)>;
          BuiltJoint built{drive.name,
                           "drive",
                           add_constraint(Drive<C>{coordinate, drive.function}, c->second, drive.name),
                           c->second,
                           {}};
          add_coordinate(built, C::periodic ? "angle" : "displacement", coordinate);
          built_.joints.push_back(std::move(built));
        },
        c->first);
  }

  /// x, y, z or angle_x, angle_y, angle_z of a frame relative to the ground.
  std::optional<FoundCoordinate> body_coordinate(const DriveEntry& drive, const std::string& path) {
    static const std::vector<std::string> words{"x", "y", "z", "angle_x", "angle_y", "angle_z"};
    const auto a = attachment(*drive.body, path + ".body");
    if (!a) return {};
    const std::string wanted = drive.coordinate.value_or("");
    const auto found = std::find(words.begin(), words.end(), wanted);
    if (found == words.end())
      return error(path + ".coordinate", "expected one of {}, got '{}'{}", list_words(words), wanted,
                   suggest(wanted, words)),
             std::nullopt;
    const auto k = found - words.begin();
    Attachment ground;
    if (k < 3) return {{Displacement{static_cast<Axis>(k)}, {add_frame(ground), add_frame(*a)}}};
    Attachment turned = *a;
    ground.X_WF.R = turned.X_WF.R = rotation_from_z(Vec3::Unit(k - 3));
    return {{Angle::about_z(), {add_frame(ground), add_frame(turned)}}};
  }

  void add_spring(const SpringEntry& spring) {
    const std::string path = "forces." + spring.name;
    Law law;
    try {
      law = spring.law.make();
    } catch (const std::exception& problem) {
      return error(path + ".law", "{}", problem.what());
    }
    if (spring.type == "joint-force") {
      if (const auto c = find_coordinate(spring.between[0], path + ".joint-force"))
        std::visit(
            [&](const auto& x) {
              add_force(CoordinateForce<std::decay_t<decltype(x)>>{x, law}, c->second, spring.name,
                        spring.type);
            },
            c->first);
      return;
    }
    auto A = attachment(spring.between[0], fmt::format("{}.{}[0]", path, spring.type));
    auto B = attachment(spring.between[1], fmt::format("{}.{}[1]", path, spring.type));
    if (!A || !B) return;
    if (spring.type == "torsion-spring") {
      if (spring.axis)
        A->X_WF.R = B->X_WF.R = rotation_from_z(*spring.axis);
      else if (!A->named || !B->named)
        return error(path, "a torsion spring needs an 'axis', or frames named on both bodies");
      if (spring.at) A->X_WF.p = B->X_WF.p = *spring.at;
      add_force(AngleForce{Angle::about_z(), law}, std::array{add_frame(*A), add_frame(*B)}, spring.name,
                spring.type);
      return;
    }
    if (spring.points[0]) A->X_WF.p = *spring.points[0];
    if (spring.points[1]) B->X_WF.p = *spring.points[1];
    if ((A->X_WF.p - B->X_WF.p).norm() == 0)
      error(path, "both ends are at the same point, so the force has no direction");
    add_force(DistanceForce{Distance{}, law}, std::array{add_frame(*A, false), add_frame(*B, false)},
              spring.name, spring.type);
  }

  void add_bushing(const BushingEntry& bushing) {
    const std::string path = "forces." + bushing.name;
    auto A = attachment(bushing.between[0], path + ".bushing[0]"),
         B = attachment(bushing.between[1], path + ".bushing[1]");
    if (!A || !B) return;
    if (bushing.place.at || bushing.place.has_orientation()) {
      A->X_WF = B->X_WF = bushing.place.pose();
    } else {
      const Attachment& guide = A->named ? *A : *B;
      if (!A->named) A->X_WF = guide.X_WF;
      if (!B->named) B->X_WF = guide.X_WF;
    }
    add_force(Bushing{bushing.stiffness, bushing.damping, bushing.preload},
              std::array{add_frame(*A), add_frame(*B)}, bushing.name, "bushing");
  }

  static PointLoad point_load(const LoadEntry& load) {
    PointLoad force{TimeVector(load.force[0], load.force[1], load.force[2]), {}, load.follower};
    if (load.has_torque) force.torque = TimeVector(load.torque[0], load.torque[1], load.torque[2]);
    return force;
  }

  void add_load(const LoadEntry& load) {
    if (load.distributed) return add_distributed_load(load);
    auto a = attachment(load.on, "forces." + load.name + ".load");
    if (!a) return;
    if (a->body < 0) return error("forces." + load.name + ".load", "a load on the ground does nothing");
    if (load.at) a->X_WF.p = *load.at;
    if (!a->named || load.at) a->X_WF.R = poses_[a->body].R;
    add_force(point_load(load), std::array{add_frame(*a, load.has_torque || load.follower)}, load.name,
              "load");
  }

  /// At two Gauss points an element: exact for all rods here, whose lines are cubic at most. Its parts are
  /// not put out one by one.
  void add_distributed_load(const LoadEntry& load) {
    const std::string path = "forces." + load.name + ".distributed-load";
    auto a = attachment(load.on, path);
    if (!a) return;
    if (a->body < 0 || a->named || !made_[a->body].section)
      return error(path, "a distributed load acts on a rod as a whole; name one, such as 'rod'");
    const MadeBody& rod = made_[a->body];
    const double h = rod.length / rod.elements;
    PointLoad force = point_load(load);
    for (int e = 0; e < rod.elements; ++e)
      for (int g = 0; g < 2; ++g) {
        a->arc = h * (e + 0.5 + 0.5 * gauss_legendre<2>.points[g]);
        a->X_WF = poses_[a->body] * rod.section(*a->arc);
        force.share = 0.5 * h * gauss_legendre<2>.weights[g];
        system().add_force(force, std::array{add_frame(*a)}, load.name);
      }
  }

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

}  // namespace

BuiltModel build(const Model& model, const ModelPart& part) { return Builder(model, part).run(); }

std::vector<std::string> joint_types() {
  std::vector<std::string> names;
  std::apply([&](auto... joint) { (names.emplace_back(decltype(joint)::name), ...); }, joints::All{});
  names.insert(names.end(), {"gear", "rack-and-pinion", "tie"});
  return names;
}

BuiltModel build(const Model& model, StartRows start_rows, Flexibility flexibility) {
  return Builder(model, start_rows, flexibility).run();
}

}  // namespace hooke
