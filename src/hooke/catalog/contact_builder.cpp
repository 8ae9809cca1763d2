// Surfaces and contacts of a model: each pair of surfaces becomes the features of one against the distance field of the other.
#include <numbers>

#include "hooke/catalog/builder.h"
#include "hooke/contact/rigid_contacts.h"
#include "hooke/math/so3.h"

namespace hooke {

/// A surface as contact sees it: features on frames and a distance field on one of them, either of which it may lack.
struct MadeSurface {
  struct Feature {
    int frame;
    TouchingFeature feature;
  };
  std::vector<Feature> features;
  std::shared_ptr<const DistanceField> field;
  int frame = -1;         ///< of the field
  bool is_round = false;  ///< its features tell all of it: the features of the other need not meet its field
  bool is_of_points = false;  ///< its frames have no axes
  int body = -1;
  std::optional<double> young;
  double poisson = 0;
};

namespace {

using Kind = TouchingFeature::Kind;

void add_box(const Vec3& size, double rounding, std::vector<TouchingFeature>& to) {
  const Vec3 half = 0.5 * size - Vec3::Constant(rounding);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    to.push_back({.centre = half.cwiseProduct(sign), .radius = rounding});
    for (int axis = 0; axis < 3; ++axis) {  // edges from the corner that is the lower end
      if (sign[axis] > 0) continue;
      TouchingFeature edge{.kind = Kind::segment, .centre = half.cwiseProduct(sign), .radius = rounding};
      edge.centre[axis] = 0;
      edge.axis[axis] = half[axis];
      to.push_back(edge);
    }
  }
}

/// Four points of a rim, which turn with its deepest: on a plane that it lies flat on they carry it evenly.
void add_rim(double radius, double z, double rounding, std::vector<TouchingFeature>& to) {
  if (radius == 0) return to.push_back({.centre = Vec3(0, 0, z)});
  for (int quarter = 0; quarter < 4; ++quarter)
    to.push_back({.kind = Kind::rim,
                  .centre = Vec3(0, 0, z),
                  .axis = Vec3::UnitZ(),
                  .rim_radius = radius,
                  .turn = 0.5 * std::numbers::pi * quarter,
                  .radius = rounding});
}

std::vector<TouchingFeature> features_of(const auto& shape, double rounding) {
  using T = std::decay_t<decltype(shape)>;
  std::vector<TouchingFeature> all;
  if constexpr (std::is_same_v<T, SphereShape>) {
    all.push_back({.radius = shape.radius});
  } else if constexpr (std::is_same_v<T, BoxShape>) {
    add_box(shape.size, rounding, all);
  } else if constexpr (std::is_same_v<T, CapsuleSurface>) {
    const Vec3 half(0, 0, 0.5 * shape.length);
    all.push_back({.centre = half, .radius = shape.radius});
    all.push_back({.centre = -half, .radius = shape.radius});
    all.push_back({.kind = Kind::segment, .axis = half, .radius = shape.radius});
  } else if constexpr (std::is_same_v<T, CylinderShape>) {
    add_rim(shape.radius - rounding, -0.5 * shape.length + rounding, rounding, all);
    add_rim(shape.radius - rounding, 0.5 * shape.length - rounding, rounding, all);
  } else if constexpr (std::is_same_v<T, ConeSurface>) {
    add_rim(shape.bottom, -0.5 * shape.length, 0, all);
    add_rim(shape.top, 0.5 * shape.length, 0, all);
  }
  return all;
}

std::shared_ptr<const DistanceField> field_of(const auto& shape, double rounding) {
  using T = std::decay_t<decltype(shape)>;
  if constexpr (std::is_same_v<T, SphereShape>)
    return std::make_shared<SphereField>(shape.radius);
  else if constexpr (std::is_same_v<T, HalfSpaceSurface>)
    return std::make_shared<HalfSpaceField>();
  else if constexpr (std::is_same_v<T, BoxShape>)
    return std::make_shared<BoxField>(shape.size, rounding);
  else if constexpr (std::is_same_v<T, CapsuleSurface>)
    return std::make_shared<CapsuleField>(shape.radius, shape.length);
  else if constexpr (std::is_same_v<T, CylinderShape>)
    return std::make_shared<RevolvedField>(
        RevolvedField::cylinder(shape.radius - rounding, shape.length - 2 * rounding), rounding);
  else if constexpr (std::is_same_v<T, ConeSurface>)
    return std::make_shared<RevolvedField>(RevolvedField::cone(shape.bottom, shape.top, shape.length));
  else if constexpr (std::is_same_v<T, HollowSphereSurface>)
    return std::make_shared<HollowSphereField>(shape.radius);
  else if constexpr (std::is_same_v<T, BoreSurface>)
    return std::make_shared<BoreField>(shape.radius);
  else
    return nullptr;
}

}  // namespace

/// Makes surfaces when they are first asked for, and the contacts between them.
class ContactBuilder {
 public:
  explicit ContactBuilder(Builder& builder) : to_(builder) {}
  void run();

 private:
  const MadeSurface* surface(const std::string& name, const std::string& path);
  void add_rod(const RodSurface& rod, const Attachment& at, const std::string& path, MadeSurface& made);
  void add_nodes(const NodesSurface& nodes, const Attachment& at, const std::string& path, MadeSurface& made);
  void add(const std::string& name, const ContactSettings& contact);
  void add_pair(const ContactSettings& contact, const std::string& path, const MadeSurface& first,
                const MadeSurface& second, BuiltContact& built);
  std::optional<double> stiffness_of(const ContactSettings& contact, const std::string& path,
                                     const MadeSurface& a, const MadeSurface& b);
  void add_points(const ContactSettings& contact, const ContactPoint& pattern, const MadeSurface& featured,
                  const MadeSurface& other, bool is_first, bool with_edges, BuiltContact& built);
  void warn_of_start(const BuiltContact& built, const NormalLaw& law, const std::string& path);
  bool are_joined(int a, int b) const;
  int add_rigid(const ContactSettings& contact, const ContactPoint& point, const std::array<int, 2>& frames,
                const std::string& name);
  void add_rigid_batch();

  Builder& to_;
  std::map<std::string, std::optional<MadeSurface>> made_;
  std::unique_ptr<RigidContacts> rigid_;
};

void Builder::add_contacts() { ContactBuilder(*this).run(); }

void ContactBuilder::run() {
  for (const auto& [name, contact] : to_.model_->contacts) add(name, contact);
  add_rigid_batch();
  for (const auto& [name, surface] : to_.model_->surfaces)
    if (!made_.contains(name)) to_.warning("surfaces." + name, "no contact names it, so it touches nothing");
}

const MadeSurface* ContactBuilder::surface(const std::string& name, const std::string& path) {
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
  MadeSurface made{.body = at->body, .young = settings->young, .poisson = settings->poisson};
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
          const double rounding = settings->rounding_of(shape);
          made.field = field_of(shape, rounding);
          made.frame = to_.add_frame(*at);
          made.is_round = std::is_same_v<T, SphereShape> || std::is_same_v<T, CapsuleSurface>;
          for (const TouchingFeature& feature : features_of(shape, rounding))
            made.features.push_back({made.frame, feature});
        }
      },
      settings->shape);
  known->second = std::move(made);
  return &*known->second;
}

void ContactBuilder::add_rod(const RodSurface& rod, const Attachment& at, const std::string& path,
                             MadeSurface& made) {
  if (at.body < 0 || !to_.made(at.body).section)
    return to_.error(path + ".body", "is no rod; other bodies have surfaces of their own shape");
  const MadeBody& body = to_.made(at.body);
  const int spheres = rod.spheres.value_or(2 * body.elements + 1);
  made.is_round = true;
  for (int k = 0; k < spheres; ++k) {
    Attachment place = at;
    place.arc = body.length * k / (spheres - 1);
    place.X_WF = to_.pose_of(at.body) * body.section(*place.arc);
    made.features.push_back({to_.add_frame(place), {.radius = rod.radius}});
  }
}

void ContactBuilder::add_nodes(const NodesSurface& nodes, const Attachment& at, const std::string& path,
                               MadeSurface& made) {
  if (at.body < 0 || !to_.made(at.body).set_places)
    return to_.error(path + ".body", "is no solid; other bodies have surfaces of their own shape");
  made.is_of_points = true;
  try {
    for (const Vec3& place : to_.set_places(at, nodes.set)) {
      Attachment node = at;
      node.X_WF = to_.pose_of(at.body) * FramePose{Mat3::Identity(), place};
      made.features.push_back({to_.add_frame(node, false), {}});
    }
  } catch (const std::invalid_argument& problem) {
    to_.error(path + ".nodes", "{}", problem.what());
  }
}

bool ContactBuilder::are_joined(int a, int b) const {
  const auto& frames = to_.system().frame_map().frames;
  return std::any_of(to_.built_.joints.begin(), to_.built_.joints.end(), [&](const BuiltJoint& joint) {
    const int first = frames[static_cast<std::size_t>(joint.frames[0])].body,
              second = frames[static_cast<std::size_t>(joint.frames[1])].body;
    return (first == a && second == b) || (first == b && second == a);
  });
}

void ContactBuilder::add(const std::string& name, const ContactSettings& contact) {
  const std::string path = "contacts." + name;
  BuiltContact built{name, {}};
  std::vector<std::pair<const MadeSurface*, const MadeSurface*>> pairs;
  if (contact.between_surfaces) {
    for (const std::string& a : (*contact.between_surfaces)[0])
      for (const std::string& b : (*contact.between_surfaces)[1])
        pairs.emplace_back(surface(a, path + ".between[0]"), surface(b, path + ".between[1]"));
  } else {
    for (std::size_t i = 0; i < contact.among.size(); ++i)
      for (std::size_t j = i + 1; j < contact.among.size(); ++j) {
        const MadeSurface *a = surface(contact.among[i], path + ".among"),
                          *b = surface(contact.among[j], path + ".among");
        if (a && b && (a->body == b->body || (!contact.neighbours && are_joined(a->body, b->body)))) continue;
        pairs.emplace_back(a, b);
      }
  }
  for (const auto& [a, b] : pairs)
    if (a && b) add_pair(contact, path, *a, *b, built);
  to_.built_.contacts.push_back(std::move(built));
}

/// Of Hertz: k = 4/3 E sqrt(R), of the moduli and radii of both.
std::optional<double> ContactBuilder::stiffness_of(const ContactSettings& contact, const std::string& path,
                                                   const MadeSurface& a, const MadeSurface& b) {
  if (contact.stiffness) return contact.stiffness;
  const MadeSurface& ball = a.features.size() == 1 && b.field ? a : b;
  const MadeSurface& other = &ball == &a ? b : a;
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
  const auto compliance = [](const MadeSurface& s) { return (1 - s.poisson * s.poisson) / *s.young; };
  return 4.0 / 3 / (compliance(a) + compliance(b)) / std::sqrt(curvature);
}

void ContactBuilder::add_pair(const ContactSettings& contact, const std::string& path,
                              const MadeSurface& first, const MadeSurface& second, BuiltContact& built) {
  if (first.body == second.body)
    return to_.error(path, "two surfaces of one body (or both of the ground) cannot touch each other");
  if (!first.field && !second.field)
    return to_.error(path, "rods and nodes of solids touch rigid surfaces only, not each other");
  if ((!second.field || first.features.empty()) && (!first.field || second.features.empty()))
    return to_.error(path, "neither of the two has corners or edges that could touch the other");
  ContactPoint point;
  const bool is_rigid = contact.law == ContactLaw::rigid;
  const auto stiffness = is_rigid ? 0.0 : stiffness_of(contact, path, first, second);
  if (!stiffness) return;
  point.normal = {.stiffness = *stiffness,
                  .exponent = contact.exponent,
                  .loss = is_rigid ? 0.0 : NormalLaw::loss_of(contact.restitution),
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
  }
  const bool by_first = second.field && !first.features.empty() && !(second.is_round && !first.is_round),
             by_second = first.field && !second.features.empty() && !(first.is_round && !second.is_round) &&
                         !(by_first && first.is_round);
  if (by_first) add_points(contact, point, first, second, true, true, built);
  if (by_second) add_points(contact, point, second, first, false, !by_first, built);
  warn_of_start(built, point.normal, path);
}

/// Edges against edges are met once, from one side.
void ContactBuilder::add_points(const ContactSettings& contact, const ContactPoint& pattern,
                                const MadeSurface& featured, const MadeSurface& other, bool is_first,
                                bool with_edges, BuiltContact& built) {
  for (const MadeSurface::Feature& feature : featured.features) {
    if (feature.feature.kind == Kind::segment && (!with_edges || other.field->round() == 0)) continue;
    ContactPoint point = pattern;
    point.feature = feature.feature;
    point.field = other.field;
    if (featured.is_of_points) point.share = 0;
    const std::array<int, 2> frames{feature.frame, other.frame};
    const int force = contact.law == ContactLaw::rigid
                          ? add_rigid(contact, point, frames, built.name)
                          : to_.system().add_force(point, frames, "contact " + built.name);
    built.points.push_back({point, force, frames, is_first});
  }
}

/// All of them are one batch, which is added at the end: until then they are counted below zero.
int ContactBuilder::add_rigid(const ContactSettings& contact, const ContactPoint& point,
                              const std::array<int, 2>& frames, const std::string& name) {
  if (!rigid_) rigid_ = std::make_unique<RigidContacts>();
  rigid_->items.push_back({point, frames, contact.restitution,
                           contact.friction ? contact.friction->coefficient : 0, contact.rest_speed,
                           contact.locate, name});
  return -static_cast<int>(rigid_->items.size());
}

void ContactBuilder::add_rigid_batch() {
  if (!rigid_) return;
  std::vector<std::string> names;
  for (const RigidContacts::Item& item : rigid_->items) names.push_back("contact " + item.name);
  const int first = to_.system().add_rigid_contacts(std::move(rigid_), names);
  for (BuiltContact& contact : to_.built_.contacts)
    for (BuiltContact::Point& point : contact.points)
      if (point.force < 0) point.force = first - 1 - point.force;
}

void ContactBuilder::warn_of_start(const BuiltContact& built, const NormalLaw& law, const std::string& path) {
  double deepest = 0;
  for (const BuiltContact::Point& point : built.points)
    deepest = std::min(
        deepest,
        point.contact.gap_at(to_.start_of_frame(point.frames[0]), to_.start_of_frame(point.frames[1])).gap);
  if (deepest < -1e-6 && law.stiffness == 0)
    to_.error(path, "the surfaces of a rigid contact start {:.3g} m deep in each other", -deepest);
  const double force = law(-deepest, 0, 0).force;
  if (deepest < -1e-9 && force > 1e3)
    to_.warning(path, "the surfaces start {:.3g} m deep in each other, with a force of {:.3g} N", -deepest,
                force);
}

}  // namespace hooke
