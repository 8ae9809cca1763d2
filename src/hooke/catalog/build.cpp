#include "hooke/catalog/build.h"

#include "hooke/bodies/rigid.h"
#include "hooke/catalog/builder.h"
#include "hooke/joints/joints.h"

namespace hooke {

Location Model::locate(std::string path) const {
  for (;;) {
    if (const auto found = locations.find(path); found != locations.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    if (cut == std::string::npos) return {};
    path.resize(cut);
  }
}

BuiltModel Builder::run() {
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

void Builder::add_bodies() {
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

void Builder::add_body(const BodyEntry& body, BodyStart& start, const std::string& path) {
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

BodyStart Builder::start_of(const BodyEntry& body, const std::string& path) {
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

Vec3 Builder::point(const std::variant<std::string, Vec3>& where, const std::string& path) {
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

void Builder::note_held() {
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
