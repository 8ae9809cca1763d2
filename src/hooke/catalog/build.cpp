#include "hooke/catalog/build.h"

#include <limits>

#include "hooke/base/validate.h"
#include "hooke/catalog/builder.h"
#include "hooke/catalog/components.h"
#include "hooke/fe/solid_model.h"
#include "hooke/math/so3.h"

namespace hooke {

Builder::Builder(std::shared_ptr<const Model> model, StartRows start_rows, Flexibility flexibility)
    : model_(std::move(model)), start_rows_(start_rows), flexibility_(flexibility) {
  doubt(type_of<Model>(), model_.get(), "",
        [&](const std::string& path, const std::string& message) { warning(path.substr(1), "{}", message); });
  if (has_components(*model_)) model_ = std::make_shared<const Model>(with_components(*model_, diagnostics_));
}

BuiltModel Builder::run() {
  built_.model = model_;
  built_.system = std::make_unique<System>();
  if (model_->locations.empty())  // made by a program; a file was checked when it was read
    check_model();
  if (const std::string excess = limits::bodies.excess(static_cast<double>(model_->bodies.size()));
      !excess.empty())
    error("bodies", "{}", excess);
  diagnostics_.throw_if_errors();
  add_bodies();
  if (model_->bodies.empty()) error("bodies", "the model has no bodies: there is nothing to compute");
  diagnostics_.throw_if_errors();  // nothing can be attached to what is not there
  for (const bool joins_joints : {false, true})
    for (const auto& [name, joint] : model_->joints)
      if (joint->joins_joints == joins_joints) add_item("joints", name, joint);
  for (const auto& [name, drive] : model_->drives) add_item("drives", name, drive);
  for (const auto& [name, force] : model_->forces) add_item("forces", name, force);
  add_contacts();
  diagnostics_.throw_if_errors();
  add_control();
  diagnostics_.throw_if_errors();
  system().finish(model_->gravity);
  note_held();
  for (const Diagnostic& warning : diagnostics_.warnings()) built_.warnings.push_back(to_string(warning));
  return std::move(built_);
}

/// What the reader of a file would have said.
void Builder::check_model() {
  validate(type_of<Model>(), model_.get(), "", [&](const std::string& path, const std::string& message) {
    error(path.substr(1), "{}", message);
  });
  const auto check_names = [&](const char* key, const auto& named) {
    for (const auto& [name, item] : named)
      if (const std::string fault = name_fault(name); !fault.empty()) error(key, "{}: '{}'", fault, name);
  };
  check_names("bodies", model_->bodies);
  check_names("joints", model_->joints);
  check_names("drives", model_->drives);
  check_names("forces", model_->forces);
  check_names("surfaces", model_->surfaces);
  check_names("contacts", model_->contacts);
  check_names("signals", model_->signals);
  check_names("control", model_->control);
  check_names("events", model_->events);
  check_names("limits", model_->limits);
}

/// What cannot be made of settings is an error of the model, whoever notices.
template <class Item>
void Builder::add_item(const char* key, const std::string& name, const Item& item) {
  try {
    item->add(item.data(), name, *this);
  } catch (const std::invalid_argument& problem) {
    error(formatted("{}.{}", key, name), "{}", problem.what());
  }
}

void Builder::add_bodies() {
  for (const auto& [name, body] : model_->bodies) {
    const std::string path = "bodies." + name;
    if (name == "ground") error(path, "'ground' is the world itself; choose another name");
    if (!number_of_body_.try_emplace(name, static_cast<int>(poses_.size())).second)
      error(path, "there are two bodies named '{}'", name);
    if (!body.component_of.empty()) first_component_.try_emplace(body.component_of, number_of_body_[name]);
    BodyStart start;
    try {
      start = start_of(body, path);
    } catch (const std::invalid_argument& problem) {
      error(path, "{}", problem.what());
    }
    poses_.push_back(start.pose);
    constexpr double far = 1e8;  // m; where positions are rounded to 1.5e-8 m
    if (const double distance = start.pose.p.norm(); distance > far)
      warning(path, "starts {:.2g} m from the origin, where positions are rounded to {:.1g} m", distance,
              distance * std::numeric_limits<double>::epsilon());
    add_body(name, body, start, path);
    built_.bodies.push_back(name);
  }
}

void Builder::add_body(const std::string& name, const BodyEntry& body, BodyStart& start,
                       const std::string& path) {
  if (body.velocity) start.twist.head<3>() = *body.velocity;
  if (body.angular_velocity) start.twist.tail<3>() = *body.angular_velocity;
  if (body.angular_velocity_world)
    start.twist.tail<3>() = start.pose.R.transpose() * *body.angular_velocity_world;
  try {
    made_.push_back(body.formulation->make(body.formulation.data(), system(), name, start, flexibility_));
  } catch (const std::invalid_argument& problem) {
    error(path, "{}", problem.what());
    made_.emplace_back();
  }
  if (made_.back().solid)
    built_.solids.push_back(
        {static_cast<int>(built_.bodies.size()), made_.back().solid, made_.back().has_one_frame});
  if (made_.back().modal && !is_frozen())
    built_.modal.push_back({static_cast<int>(built_.bodies.size()), made_.back().modal});
  if (const double frequency = made_.back().soft_frequency; frequency > 0)
    built_.soft.push_back({static_cast<int>(built_.bodies.size()), frequency});
  built_.has_flexible_bodies |= !body.formulation->is_rigid;
}

BodyStart Builder::start_of(const BodyEntry& body, const std::string& path) {
  BodyStart start{body.place.pose()};
  FramePose& X = start.pose;
  if (!body.between) return start;
  if (body.place.at) error(path + ".between", "and 'at' cannot both be given");
  const Vec3 first = point((*body.between)[0], path + ".between[0]"),
             second = point((*body.between)[1], path + ".between[1]");
  X.p = 0.5 * (first + second);
  start.span = (second - first).norm();
  if (*start.span > 0)
    turn_along((second - first) / *start.span, body, path, X.R);
  else if (!body.place.has_orientation())
    error(path + ".between", "the two points coincide, so the z axis has no direction");
  return start;
}

/// z along the line; x or y may be given besides, and an orientation that is given as a whole must agree.
void Builder::turn_along(const Vec3& line, const BodyEntry& body, const std::string& path, Mat3& R) {
  constexpr double close = 1e-3;  // rad
  if (!body.place.has_orientation()) {
    R = rotation_from_z(line);
    return;
  }
  const auto& axes = body.place.axes;
  if (axes && !axes->z && axes->x.has_value() != axes->y.has_value()) {
    const Vec3 given = (axes->x ? *axes->x : *axes->y).normalized();
    const Vec3 across = axes->x ? Vec3(line.cross(given)) : Vec3(given.cross(line));
    if (across.norm() < close)
      return error(path + ".axes", "{} cannot be along the line of 'between', which is z",
                   axes->x ? "x" : "y");
    R.col(2) = line;
    R.col(axes->x ? 1 : 0) = across.normalized();
    R.col(axes->x ? 0 : 1) = axes->x ? R.col(1).cross(line) : line.cross(R.col(0));
    return;
  }
  const double off = std::acos(std::clamp(R.col(2).dot(line), -1.0, 1.0));
  if (off > close)
    error(path + ".between",
          "and the orientation contradict each other: z, which is along the line of 'between', would be "
          "turned by {:.3g} rad from it. Give 'axes' with x or y alone, or leave one of them out",
          off);
}

Vec3 Builder::point(const JointOrPoint& where, const std::string& path) {
  if (const Vec3* p = std::get_if<Vec3>(&where)) return *p;
  const std::string& name = std::get<std::string>(where);
  const AnyJoint* joint = model_->joints.find(name);
  if (!joint) {
    error(path, "no joint named '{}'{}", name, suggest(name, model_->joints.names()));
    return Vec3::Zero();
  }
  const std::optional<Vec3> at = (*joint)->place(joint->data());
  if (!at) error(path, "joint '{}' has no 'at'", name);
  return at.value_or(Vec3::Zero());
}

void Builder::note_held() {
  built_.held_position.assign(system().nv(), 0);
  built_.held_velocity.assign(system().nv(), 0);
  const KktStructure& structure = system().structure();
  int dof = 0, b = 0;
  for (const auto& [name, body] : model_->bodies) {
    // Of a flexible body the velocities given are held while it is frozen.
    const bool rigid = flexibility_ == Flexibility::frozen || body.formulation->is_rigid;
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

bool Builder::is_rigid(const Attachment& a) const {
  return a.body < 0 || model_->bodies[static_cast<std::size_t>(a.body)].second.formulation->is_rigid;
}

static Vec6 tie_reaction(const BuiltJoint& tie, const System& system, const State& state,
                         const SystemWorkspace& workspace) {
  const auto place = [&](int constraint) -> const Vec3& {
    return workspace.frames.pose[static_cast<std::size_t>(system.constraint_frame(constraint, 1))].p;
  };
  Vec3 middle = zero3;
  for (int pair : tie.pairs) middle += place(pair) / static_cast<double>(tie.pairs.size());
  Vec6 sum = Vec6::Zero();
  for (int pair : tie.pairs) {
    const Vec6 w = system.reaction(pair, 1, state, workspace);
    sum += w;
    sum.tail<3>() += (place(pair) - middle).cross(w.head<3>());
  }
  return sum;
}

Vec6 joint_reaction(const BuiltJoint& joint, const System& system, const State& state,
                    const SystemWorkspace& workspace, ReactionAxes axes) {
  if (!joint.pairs.empty()) return tie_reaction(joint, system, state, workspace);
  Vec6 wrench = system.reaction(joint.constraint, 1, state, workspace);
  if (axes == ReactionAxes::world) return wrench;
  const int frame = system.constraint_frame(joint.constraint, axes == ReactionAxes::first ? 0 : 1);
  const Mat3& R = workspace.frames.pose[static_cast<std::size_t>(frame)].R;
  wrench << R.transpose() * wrench.head<3>(), R.transpose() * wrench.tail<3>();
  return wrench;
}

Mat3X solid_displacements(const SolidModel& solid, const FramePose& X, const std::vector<FramePose>& nodes) {
  Mat3X u(3, solid.nodes());
  for (int n = 0; n < solid.nodes(); ++n)
    u.col(n) = X.R.transpose() * (nodes[static_cast<std::size_t>(n)].p - X.p) -
               solid.mesh.nodes[static_cast<std::size_t>(n)];
  return u;
}

BuiltModel build(const Model& model, StartRows start_rows, Flexibility flexibility) {
  return Builder(std::make_shared<const Model>(model), start_rows, flexibility).run();
}

}  // namespace hooke
