// Surfaces and contacts of a model: each pair of surfaces becomes the features of one against the distance field of the other.
#include <set>
#include <typeinfo>

#include "hooke/bodies/modal_data.h"
#include "hooke/catalog/builder.h"
#include "hooke/catalog/contact_shapes.h"
#include "hooke/contact/contact_point.h"
#include "hooke/contact/face_contacts.h"
#include "hooke/contact/rigid_contacts.h"
#include "hooke/fe/boundary_triangles.h"
#include "hooke/math/so3.h"

namespace hooke {

/// The outside of a body that deforms: all its triangles between nodes, and which nodes are of a surface.
struct Skin {
  std::vector<Vec3> nodes;
  std::vector<FacetedSurface::Triangle> triangles;
  std::vector<int> set;

  /// f(s, is_outwards) wherever x + s `way`, s > 0, goes through it.
  void for_each_crossing(const Vec3& x, const Vec3& way, auto&& f) const {
    constexpr double rounding = 1e-9;
    for (const auto& t : triangles) {
      const auto at = [&](std::size_t k) -> const Vec3& { return nodes[static_cast<std::size_t>(t[k])]; };
      Mat3 edges;
      edges << at(0) - at(1), at(0) - at(2), way;
      const double volume = edges.col(0).cross(edges.col(1)).dot(way);
      if (volume == 0) continue;
      const Vec3 s = edges.inverse() * (at(0) - x);
      if (s[0] >= -rounding && s[1] >= -rounding && s[0] + s[1] <= 1 + rounding && s[2] > 0)
        f(s[2], volume > 0);
    }
  }
  /// Whether there is matter at x: along a line that edges of meshes do not cross by design, it ends once more than it begins.
  bool holds(const Vec3& x) const {
    int ends = 0;
    for_each_crossing(x, Vec3(0.48, 0.31, 0.82),
                      [&](double, bool is_outwards) { ends += is_outwards ? 1 : -1; });
    return ends > 0;
  }
};

/// Makes surfaces when they are first asked for, and the contacts between them.
class ContactBuilder {
 public:
  explicit ContactBuilder(Builder& builder) : to_(builder) {}
  void run();

 private:
  const Surface* surface(const std::string& name, const std::string& path);
  void add_rod(const RodSurface& rod, const Attachment& at, const std::string& path, Surface& made);
  void add_faces(Skin skin, const FramePose& body, Surface& made);
  void add_pressure(const Attachment& at, const std::string& set, const Surface& made);
  void add_nodes(const NodesSurface& nodes, const Attachment& at, const std::string& path, Surface& made);
  void find_joined();
  using Surfaces = std::vector<const Surface*>;
  using SurfacesApart = std::set<std::pair<const Surface*, const Surface*>>;  ///< the lower address first
  SurfacesApart apart(const ContactSettings& contact, const std::array<Surfaces, 2>& lists,
                      const std::string& path);
  Surfaces surfaces(const std::vector<std::string>& names, const std::string& path);
  void add(const std::string& name, const ContactSettings& contact);
  bool coincide(const Surface& first, const Surface& second) const;
  bool can_meet(const Surface& first, const Surface& second, bool is_rigid, const std::string& path);
  void add_pair(const ContactSettings& contact, const std::string& path, const Surface& first,
                const Surface& second, BuiltContact& built);
  void add_pieces(const Surface::Feature& feature, const Surface& other, std::size_t from,
                  const ContactPoint& law, bool is_first, BuiltContact& built);
  void add_on_faces(const Surface& featured, const Surface& other, const ContactPoint& law, bool is_first,
                    BuiltContact& built);
  std::optional<double> stiffness_of(const ContactSettings& contact, const std::string& path,
                                     const Surface& a, const Surface& b);
  void warn_of_overlap(const Surface& first, const Surface& second, const std::string& path);
  void warn_of_start(const BuiltContact& built, const NormalLaw& law, const std::string& path);
  void add_rigid(const ContactSettings& contact, const std::array<Surfaces, 2>& lists,
                 const SurfacesApart& except, BuiltContact& built);
  void add_lists(const ContactSettings& contact, const std::array<Surfaces, 2>& lists,
                 const SurfacesApart& except, SurfacePairs& to);
  void finish_rigid();

  Builder& to_;
  std::map<std::string, std::optional<Surface>> made_;
  std::set<std::pair<int, int>> joined_;  ///< bodies
  struct Matter {
    Skin skin;                 ///< in the axes of the world, at the start
    std::vector<Vec3> inside;  ///< half way to the other side below each triangle of the surface
  };
  std::map<const FacetedSurface*, Matter> matter_;
  std::unique_ptr<RigidContacts> rigid_;
  SurfacePairs all_;  ///< rigid or compliant
  std::map<const SurfacePairs*, std::map<const Surface*, int>> numbers_;
};

RigidContactsBase::Sum contact_sum(const BuiltContact& contact, const System& system, const State& state,
                                   const SystemWorkspace& workspace) {
  if (contact.rigid >= 0) return system.rigid_contacts()->sum(contact.rigid, state, workspace.frames);
  RigidContactsBase::Sum all{.gap = std::numeric_limits<double>::infinity()};
  Vec3 weighted = zero3, nearest = zero3;
  double weights = 0;
  const BuiltContact::Poses pose = [&](int frame) {
    return workspace.frames.pose[static_cast<std::size_t>(frame)];
  };
  const BuiltContact::Point* point = nullptr;
  const auto add = [&](int k, const ContactGap& at) {
    const int force = point->force + k;
    const double side = point->is_first ? -1 : 1;
    all.impulse += side * TouchMemory::impulse(&state.memory[system.angles_of_force(force).first]);
    if (at.gap < all.gap) all.gap = at.gap, nearest = at.place;
    if (at.gap >= 0) return;
    const Vec3 f = system.force_wrench(force, 0, state, workspace).head<3>();
    all.force += side * f;
    weighted += f.norm() * at.place;
    weights += f.norm();
    ++all.points;
  };
  const BuiltContact::TakeGap take = [&add](int k, const ContactGap& at) { add(k, at); };
  for (const BuiltContact::Point& each : contact.points) {
    point = &each;
    each.gaps(pose, take);
  }
  all.place = weights > 0 ? Vec3(weighted / weights) : nearest;
  return all;
}

std::vector<Vec3> contact_forces(const BuiltModel& model, const State& state, SystemWorkspace& workspace) {
  const System& system = *model.system;
  std::set<const ForceBatchBase*> batches;  // of contacts, all of it
  for (const BuiltContact& contact : model.contacts)
    for (const BuiltContact::Point& point : contact.points)
      batches.insert(system.force_item(point.force).first);
  std::vector<FrameWrench>& wrenches = workspace.frames.wrench;
  std::vector<FrameWrench> others(wrenches.size(), FrameWrench::Zero());
  wrenches.swap(others);
  for (const ForceBatchBase* batch : batches) batch->subtract_wrenches(state, workspace.frames);
  if (system.rigid_contacts()) system.rigid_contacts()->subtract_shown(state, workspace.frames);
  wrenches.swap(others);
  std::vector<Vec3> forces;
  for (const FrameWrench& w : others) forces.push_back(-w.head<3>());
  return forces;
}

void Builder::add_contacts() { ContactBuilder(*this).run(); }

void ContactBuilder::run() {
  find_joined();
  for (const auto& [name, contact] : to_.model_->contacts) add(name, contact);
  finish_rigid();
  if (!all_.contacts.empty()) {
    all_.joined = joined_;
    all_.finish();
    to_.system().set_passages(std::make_unique<SurfacePassages>(std::move(all_)));
  }
  for (const auto& [name, surface] : to_.model_->surfaces)
    if (!made_.contains(name)) to_.warning("surfaces." + name, "no contact names it, so it touches nothing");
}

const Surface* ContactBuilder::surface(const std::string& name, const std::string& path) {
  const SurfaceSettings* settings = to_.model_->surfaces.find(name);
  if (!settings) {
    to_.error(path, "no surface named '{}'{}", name, suggest(name, to_.model_->surfaces.names()));
    return nullptr;
  }
  const auto [known, is_new] = made_.try_emplace(name);
  if (!is_new) return known->second ? &*known->second : nullptr;
  const std::string own = "surfaces." + name;
  auto at = to_.attachment(settings->body, own + ".body");
  if (!at) return nullptr;
  at->X_WF = at->X_WF * settings->place.pose();
  Surface made{.body = at->body, .young = settings->young, .poisson = settings->poisson};
  std::visit(
      [&](const auto& shape) {
        using T = std::decay_t<decltype(shape)>;
        if constexpr (std::is_same_v<T, RodSurface>) {
          add_rod(shape, *at, own, made);
        } else if constexpr (std::is_same_v<T, NodesSurface>) {
          add_nodes(shape, *at, own, made);
        } else {
          if constexpr (std::is_same_v<T, HalfSpaceSurface>) {
            if (shape.normal.norm() == 0) return to_.error(own + ".half-space", "the normal has no length");
            at->X_WF.R = at->X_WF.R * rotation_from_z(shape.normal.normalized());
          }
          made.frame = to_.add_frame(*at);
          if (const std::string problem = shape_surface(shape, settings->rounding_of(shape), made);
              !problem.empty())
            to_.error(own + "." + T::name, "{}", problem);
        }
      },
      settings->shape);
  if (!made.field && made.features.empty()) return nullptr;  // for a reason that was said
  known->second = std::move(made);
  return &*known->second;
}

void ContactBuilder::add_rod(const RodSurface& rod, const Attachment& at, const std::string& path,
                             Surface& made) {
  if (at.body < 0 || !to_.made(at.body).section)
    return to_.error(path + ".body", "is no rod; other bodies have surfaces of their own shape");
  const MadeBody& body = to_.made(at.body);
  const int spheres = rod.spheres.value_or(2 * body.elements + 1);
  made.is_round = true;
  const double spacing = body.length / (spheres - 1);
  for (int k = 0; k < spheres; ++k) {
    if (k > 0) made.pieces.push_back({rod.radius, spacing, k == 1, k == spheres - 1});
    Attachment place = at;
    place.arc = spacing * k;
    place.X_WF = to_.pose_of(at.body) * body.section(*place.arc);
    made.features.push_back({to_.add_frame(place), {.radius = rod.radius}});
  }
}

/// The faces of a solid, or of all its components, between nodes of the set.
void ContactBuilder::add_pressure(const Attachment& at, const std::string& set, const Surface& made) {
  ContactPressure pressed;
  std::map<std::array<double, 3>, int> number_at;  // copies of a node are at one place
  const std::vector<Vec3> places = to_.set_places(at, set);
  for (std::size_t k = 0; k < places.size(); ++k) {
    number_at[{places[k].x(), places[k].y(), places[k].z()}] = static_cast<int>(k);
    pressed.nodes.push_back({made.features[k].frame, {}});
  }
  std::map<std::set<int>, std::vector<std::array<int, 4>>> faces;  // one that two components share is inside
  for (const int body : to_.components_of(at)) {
    const auto solid = std::find_if(to_.built_.solids.begin(), to_.built_.solids.end(),
                                    [&](const BuiltSolid& one) { return one.body == body; });
    if (solid == to_.built_.solids.end() || !to_.has_set(body, set)) continue;
    const SolidMesh& mesh = solid->model->mesh;
    std::map<int, int> number;  // of a node of the mesh
    for (const int node : mesh.set(set)) {
      const Vec3& place = mesh.nodes[static_cast<std::size_t>(node)];
      const int k = number_at.at({place.x(), place.y(), place.z()});
      number[node] = k;
      pressed.nodes[static_cast<std::size_t>(k)].copies.push_back({body, node});
    }
    for (const BoundaryFace& face : boundary_faces(mesh)) {
      std::array<int, 4> corners = face.corners;
      const bool is_known = std::all_of(corners.begin(), corners.end(),
                                        [&](int node) { return node < 0 || number.contains(node); });
      if (!is_known) continue;
      solid->touches = true;
      for (int& corner : corners)
        if (corner >= 0) corner = number.at(corner);
      faces[{corners.begin(), corners.end()}].push_back(corners);
    }
    for (const auto& [ends, middle] : middles_of(mesh))
      if (number.contains(ends.first) && number.contains(ends.second) && number.contains(middle))
        pressed.middles.push_back({number.at(middle), {number.at(ends.first), number.at(ends.second)}});
  }
  for (const auto& [corners, found] : faces)
    if (found.size() == 1) pressed.faces.push_back(found.front());
  if (!pressed.faces.empty()) to_.built_.pressed.push_back(std::move(pressed));
}

void ContactBuilder::add_nodes(const NodesSurface& nodes, const Attachment& at, const std::string& path,
                               Surface& made) {
  if (at.body < 0 || (!to_.made(at.body).set_places && !to_.made(at.body).modal))
    return to_.error(path + ".body",
                     "is no solid, nor a body with modes whose file tells its triangles; "
                     "other bodies have surfaces of their own shape");
  made.is_of_points = true;
  if (const auto& modal = to_.made(at.body).modal) {
    if (nodes.set != "surface")
      return to_.error(path + ".nodes",
                       "of a body with modes the only set is 'surface': all nodes of its "
                       "triangles");
    Skin skin{.triangles = modal->triangles};
    std::set<int> set;
    for (const auto& triangle : skin.triangles) set.insert(triangle.begin(), triangle.end());
    for (const ModalData::Node& node : modal->nodes) skin.nodes.push_back(node.at.p);
    skin.set.assign(set.begin(), set.end());
    for (const int k : skin.set) {
      Attachment node = at;
      node.X_WF = to_.pose_of(at.body) * FramePose{identity3, skin.nodes[static_cast<std::size_t>(k)]};
      made.features.push_back({to_.add_frame(node), {}});
    }
    return add_faces(std::move(skin), to_.pose_of(at.body), made);
  }
  try {
    for (const Vec3& place : to_.set_places(at, nodes.set)) {
      Attachment node = at;
      node.X_WF = to_.pose_of(at.body) * FramePose{Mat3::Identity(), place};
      made.features.push_back({to_.add_frame(node, false), {}});
    }
    if (const auto& solid = to_.made(at.body).solid; solid && !at.cut)
      add_faces({solid->mesh.nodes, boundary_triangles(solid->mesh), solid->mesh.set(nodes.set)},
                to_.pose_of(at.body), made);
    add_pressure(at, nodes.set, made);
  } catch (const std::invalid_argument& problem) {
    to_.error(path + ".nodes", "{}", problem.what());
  }
}

/// How thick the solid is below a triangle: to where the line inwards from its middle comes out.
static double depth_below(const Vec3& middle, const Vec3& inwards, const Skin& skin) {
  double depth = std::numeric_limits<double>::infinity();
  skin.for_each_crossing(middle, inwards, [&](double way, bool is_outwards) {
    if (is_outwards) depth = std::min(depth, way);
  });
  return depth;
}

/// The faces of the boundary between nodes of the set.
void ContactBuilder::add_faces(Skin skin, const FramePose& body, Surface& made) {
  std::map<int, int> feature_of;
  std::vector<Vec3> rest;
  for (const int node : skin.set) {
    feature_of[node] = static_cast<int>(rest.size());
    rest.push_back(skin.nodes[static_cast<std::size_t>(node)]);
  }
  std::vector<FacetedSurface::Triangle> triangles;
  std::vector<double> depths;
  Matter matter;
  for (const auto& t : skin.triangles) {
    if (!std::all_of(t.begin(), t.end(), [&](int node) { return feature_of.contains(node); })) continue;
    triangles.push_back({feature_of[t[0]], feature_of[t[1]], feature_of[t[2]]});
    const auto at = [&](std::size_t k) -> const Vec3& { return skin.nodes[static_cast<std::size_t>(t[k])]; };
    const Vec3 middle = (at(0) + at(1) + at(2)) / 3,
               inwards = -(at(1) - at(0)).cross(at(2) - at(0)).normalized();
    depths.push_back(depth_below(middle, inwards, skin));
    if (std::isfinite(depths.back()))
      matter.inside.push_back(body.p + body.R * (middle + 0.5 * depths.back() * inwards));
  }
  if (triangles.empty()) return;
  made.faces = std::make_shared<const FacetedSurface>(triangles, rest, depths);
  for (Vec3& p : skin.nodes) p = body.p + body.R * p;
  matter.skin = std::move(skin);
  matter_[made.faces.get()] = std::move(matter);
}

void ContactBuilder::find_joined() {
  const auto& frames = to_.system().frame_map().frames;
  const auto body = [&](int frame) { return frames[static_cast<std::size_t>(frame)].body; };
  for (const BuiltJoint& joint : to_.built_.joints)
    joined_.insert(std::minmax(body(joint.frames[0]), body(joint.frames[1])));
}

ContactBuilder::Surfaces ContactBuilder::surfaces(const std::vector<std::string>& names,
                                                  const std::string& path) {
  Surfaces all;
  for (const std::string& name : names)
    if (const Surface* found = surface(name, path)) all.push_back(found);
  return all;
}

/// The pairs that are named as not touching.
ContactBuilder::SurfacesApart ContactBuilder::apart(const ContactSettings& contact,
                                                    const std::array<Surfaces, 2>& lists,
                                                    const std::string& path) {
  SurfacesApart all;
  for (const auto& pair : contact.exclude) {
    if (pair.size() != 2) continue;  // which the settings complain of
    std::array<const Surface*, 2> found{};
    for (const std::size_t k : {0, 1}) {
      const auto known = made_.find(pair[k]);
      if (known == made_.end())
        to_.error(path + ".exclude", "'{}' is none of the surfaces of this contact", pair[k]);
      else if (known->second)
        found[k] = &*known->second;
    }
    const auto is_listed = [&](const Surface* s) {
      return std::any_of(lists.begin(), lists.end(), [&](const Surfaces& list) {
        return std::find(list.begin(), list.end(), s) != list.end();
      });
    };
    if (!found[0] || !found[1]) continue;  // for a reason that was said
    if (!is_listed(found[0]) || !is_listed(found[1]))
      to_.error(path + ".exclude", "'{}' and '{}' do not meet by this contact anyway", pair[0], pair[1]);
    else
      all.insert(std::minmax(found[0], found[1]));
  }
  return all;
}

void ContactBuilder::add(const std::string& name, const ContactSettings& contact) {
  const std::string path = "contacts." + name;
  BuiltContact built{.name = name};
  std::array<Surfaces, 2> lists;
  const bool is_among = !contact.between_surfaces;
  if (is_among) {
    lists[0] = surfaces(contact.among, path + ".among");
  } else {
    for (const std::size_t k : {0, 1})
      lists[k] = surfaces((*contact.between_surfaces)[k], formatted("{}.between[{}]", path, k));
  }
  const bool is_rigid = contact.law == ContactLaw::rigid;
  const SurfacesApart except = apart(contact, lists, path);
  for (std::size_t i = 0; i < lists[0].size(); ++i)
    for (std::size_t j = is_among ? i + 1 : 0; j < lists[is_among ? 0 : 1].size(); ++j) {
      const Surface &a = *lists[0][i], &b = *lists[is_among ? 0 : 1][j];
      if (is_among &&
          (a.body == b.body || (!contact.neighbours && joined_.contains(std::minmax(a.body, b.body)))))
        continue;
      if (except.contains(std::minmax(&a, &b))) continue;
      if (to_.is_frozen() && !a.field && !b.field) continue;  // nothing deforms while the start is assembled
      if (can_meet(a, b, is_rigid, path) && !is_rigid) add_pair(contact, path, a, b, built);
    }
  if (is_rigid) add_rigid(contact, lists, except, built);
  add_lists(contact, lists, except, all_);
  to_.built_.contacts.push_back(std::move(built));
}

/// The same shape at the same place: nothing tells which way they part.
bool ContactBuilder::coincide(const Surface& first, const Surface& second) const {
  constexpr double same = 1e-9;
  if (to_.is_frozen() || !first.field || !second.field) return false;
  const DistanceField &a = *first.field, &b = *second.field;
  const FramePose A = to_.start_of_frame(first.frame), B = to_.start_of_frame(second.frame);
  return typeid(a) == typeid(b) && std::abs(a.bound() - b.bound()) <= same * a.bound() &&
         (A.p - B.p).norm() <= same * a.bound() && (a.round() > 0 || (A.R - B.R).norm() <= same);
}

bool ContactBuilder::can_meet(const Surface& first, const Surface& second, bool is_rigid,
                              const std::string& path) {
  const char* problem =
      first.body == second.body && (&first != &second || first.pieces.empty())
          ? "two surfaces of one body (or both of the ground) cannot touch each other; a rod can touch itself"
      : is_rigid && !first.field && !second.field && (first.faces || second.faces)
          ? "solids touch rods and each other by the compliant law only"
      : !first.field && !second.field && !Meeting(first, second).is_possible()
          ? "solids that are cut into components touch rigid surfaces only"
      : !Meeting(first, second).is_possible()
          ? "neither of the two has corners or edges that could touch the other"
      : coincide(first, second) ? "the surfaces of two bodies coincide at the start, so that nothing tells "
                                  "which way they part; place the "
                                  "bodies apart"
                                : nullptr;
  if (problem) to_.error(path, "{}", problem);
  return !problem;
}

/// Of Hertz: k = 4/3 E sqrt(R), of the moduli and radii of both.
std::optional<double> ContactBuilder::stiffness_of(const ContactSettings& contact, const std::string& path,
                                                   const Surface& a, const Surface& b) {
  if (contact.stiffness) return contact.stiffness;
  const Surface& ball = a.features.size() == 1 && b.field ? a : b;
  const Surface& other = &ball == &a ? b : a;
  const double radius = ball.features.size() == 1 ? ball.features[0].feature.radius : 0;
  const double round = other.field ? other.field->round() : -1;
  const double curvature = radius > 0 ? 1 / radius + round : 0;
  const bool is_hollow =
      round < 0 && other.field && dynamic_cast<const HollowSphereField*>(other.field.get());
  if (!(radius > 0) || (round < 0 && !is_hollow) || !(curvature > 0)) {
    to_.error(path, "give a 'stiffness': Hertz knows spheres and planes only");
    return {};
  }
  if (!a.young || !b.young || contact.exponent != 1.5) {
    to_.error(path, "give a 'stiffness', or 'young' of both surfaces and the exponent 1.5 (Hertz)");
    return {};
  }
  const auto compliance = [](const Surface& s) { return (1 - s.poisson * s.poisson) / *s.young; };
  return 4.0 / 3 / (compliance(a) + compliance(b)) / std::sqrt(curvature);
}

static double loss_of(const ContactSettings& contact) {
  switch (contact.restitution_law) {
    case RestitutionLaw::hunt_crossley:
      return NormalLaw::loss_of_hunt_crossley(contact.restitution);
    case RestitutionLaw::lankarani_nikravesh:
      return NormalLaw::loss_of_lankarani_nikravesh(contact.restitution);
    default:
      return NormalLaw::loss_of(contact.restitution);
  }
}

void ContactBuilder::add_pair(const ContactSettings& contact, const std::string& path, const Surface& first,
                              const Surface& second, BuiltContact& built) {
  ContactPoint point;
  const auto stiffness = stiffness_of(contact, path, first, second);
  if (!stiffness) return;
  point.normal = {.stiffness = *stiffness,
                  .exponent = contact.exponent,
                  .loss = loss_of(contact),
                  .rest_speed = contact.rest_speed,
                  .damping = contact.damping.value_or(0)};
  if (contact.friction) {
    const ContactFrictionSettings& f = *contact.friction;
    point.friction = {.coefficient = f.coefficient,
                      .stick_speed = f.stick_speed,
                      .bristle = f.bristle.value_or(0),
                      .settling = f.settling,
                      .rolling = f.rolling,
                      .spinning = f.spinning};
    if ((f.rolling > 0 || f.spinning > 0) && (first.is_of_points || second.is_of_points))
      return to_.error(
          path + ".friction",
          "'rolling' and 'spinning' are of surfaces that turn; nodes are points, and their faces "
          "take no moments");
  }
  const Meeting meeting(first, second);
  for (const int side : {0, 1}) {
    const Surface &featured = side == 0 ? first : second, &other = side == 0 ? second : first;
    if (!meeting.by(side)) continue;
    if (other.faces && !other.field) {
      add_on_faces(featured, other, point, side == 0, built);
      continue;
    }
    for (const Surface::Feature& feature : featured.features) {
      if (!other.field) {
        const auto number = static_cast<std::size_t>(&feature - featured.features.data());
        const std::size_t from =
            &first == &second ? number + static_cast<std::size_t>(first.own_neighbours()) : 0;
        add_pieces(feature, other, from, point, side == 0, built);
        continue;
      }
      if (!meeting.counts(side, feature.feature, *other.field) || feature.feature.is_rigid()) continue;
      point.feature = meeting.as_met(side, feature.feature);
      point.field = other.field;
      point.share = featured.share();
      const std::array<int, 2> frames{feature.frame, other.frame};
      const int force = to_.system().add_force(point, frames, "contact " + built.name);
      built.points.push_back({[point, frames](const auto& pose, const auto& take) {
                                take(0, point.gap_at(pose(frames[0]), pose(frames[1])));
                              },
                              force, side == 0});
    }
  }
  warn_of_start(built, point.normal, path);
  warn_of_overlap(first, second, path);
}

/// A feature of what deforms against all pieces (of a rod, from one on) of another that does.
void ContactBuilder::add_pieces(const Surface::Feature& feature, const Surface& other, std::size_t from,
                                const ContactPoint& law, bool is_first, BuiltContact& built) {
  for (std::size_t k = from; k < other.pieces.size(); ++k) {
    const PieceContact<RodPiece> contact{feature.feature.radius, other.pieces[k], law.normal, law.friction};
    const std::array frames{feature.frame, other.features[k].frame, other.features[k + 1].frame};
    const int force = to_.system().add_force(contact, frames, "contact " + built.name);
    built.points.push_back({[contact, frames](const auto& pose, const auto& take) {
                              const std::array at{pose(frames[0]), pose(frames[1]), pose(frames[2])};
                              take(0, contact.gap_at({&at[0], &at[1], &at[2]}));
                            },
                            force, is_first});
  }
}

/// All features of what deforms against the faces of a solid.
void ContactBuilder::add_on_faces(const Surface& featured, const Surface& other, const ContactPoint& law,
                                  bool is_first, BuiltContact& built) {
  FaceContacts made;
  for (const Surface::Feature& feature : featured.features)
    made.balls.push_back({feature.frame, feature.feature.radius});
  made.surface = other.faces;
  for (const Surface::Feature& node : other.features) made.nodes.push_back(node.frame);
  made.normal = law.normal;
  made.friction = law.friction;
  const auto known = std::make_shared<const FaceContacts>(made);
  const int first =
      to_.system().add_forces(std::make_unique<FaceContacts>(std::move(made)),
                              std::vector<std::string>(featured.features.size(), "contact " + built.name));
  built.points.push_back(
      {[known](const auto& pose, const auto& take) { known->for_each_gap(pose, take); }, first, is_first});
}

void ContactBuilder::add_lists(const ContactSettings& contact, const std::array<Surfaces, 2>& lists,
                               const SurfacesApart& except, SurfacePairs& to) {
  SurfacePairs::Contact made{.is_among = !contact.between_surfaces, .with_neighbours = contact.neighbours};
  for (const std::size_t k : {0, 1})
    for (const Surface* surface : lists[k]) {
      const auto [known, is_new] = numbers_[&to].try_emplace(surface, static_cast<int>(to.surfaces.size()));
      if (is_new) to.surfaces.push_back(*surface);
      made.lists[k].push_back(known->second);
    }
  for (const auto& [first, second] : except)
    made.except.insert(std::minmax(numbers_[&to].at(first), numbers_[&to].at(second)));
  to.contacts.push_back(std::move(made));
}

/// All rigid contacts are one batch, which is added at the end.
void ContactBuilder::add_rigid(const ContactSettings& contact, const std::array<Surfaces, 2>& lists,
                               const SurfacesApart& except, BuiltContact& built) {
  if (!rigid_) rigid_ = std::make_unique<RigidContacts>();
  built.rigid = static_cast<int>(rigid_->laws.size());
  rigid_->laws.push_back({.name = built.name,
                          .restitution = contact.restitution,
                          .friction = contact.friction ? contact.friction->coefficient : 0,
                          .rest_speed = contact.rest_speed,
                          .locates = contact.locate});
  add_lists(contact, lists, except, rigid_->pairs);
  for (Surface& surface : rigid_->pairs.surfaces) surface.faces = nullptr;  // they are no places to remember
}

void ContactBuilder::finish_rigid() {
  if (!rigid_) return;
  rigid_->pairs.joined = joined_;
  rigid_->finish();
  std::vector<FramePose> poses;
  for (int f = 0; f < static_cast<int>(to_.system().frame_map().frames.size()); ++f)
    poses.push_back(to_.start_of_frame(f));
  for (std::size_t c = 0; c < rigid_->laws.size(); ++c)
    if (const double depth = rigid_->depth(static_cast<int>(c), poses); depth > 1e-6)
      to_.error("contacts." + rigid_->laws[c].name,
                "the surfaces of a rigid contact start {:.3g} m deep in each other", depth);
  to_.system().add_rigid_contacts(std::move(rigid_), {"contacts"});
}

/// Where faces lie far within each other, or face the same way, no gap tells that there is matter of both.
void ContactBuilder::warn_of_overlap(const Surface& first, const Surface& second, const std::string& path) {
  const auto a = matter_.find(first.faces.get()), b = matter_.find(second.faces.get());
  if (a == matter_.end() || b == matter_.end()) return;
  const auto is_inside = [](const Matter& one, const Matter& other) {
    return std::any_of(one.inside.begin(), one.inside.end(),
                       [&](const Vec3& x) { return other.skin.holds(x); });
  };
  if (is_inside(a->second, b->second) || is_inside(b->second, a->second))
    to_.warning(path, "the two bodies start inside each other, where nothing parts them: place them apart");
}

void ContactBuilder::warn_of_start(const BuiltContact& built, const NormalLaw& law, const std::string& path) {
  constexpr double touching = 1e-6;  // m, as of rigid surfaces
  double deepest = 0;
  for (const BuiltContact::Point& point : built.points)
    point.gaps([&](int frame) { return to_.start_of_frame(frame); },
               [&](int, const ContactGap& at) { deepest = std::min(deepest, at.gap); });
  const double force = law(-deepest, 0, 0).force;
  if (deepest < -touching)
    to_.warning(path, "the surfaces start {:.3g} m deep in each other, with a force of {:.3g} N", -deepest,
                force);
}

}  // namespace hooke
