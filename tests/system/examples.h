#pragma once
#include <functional>
#include <string>
#include <vector>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/signal_settings.h"
#include "support/finite_difference.h"
#include "support/mechanisms.h"

/// Everything a model may contain, as small models with two bodies: what the tests of this folder run
/// through.
///   body_types()   a new body formulation is one line there; the ground and rigid bodies come first
///   items()        a new joint type is found by itself; a new kind of drive or force is one line there
namespace hooke::test {

// ---- bodies -------------------------------------------------------------------------------------

struct BodyType {
  std::string name;
  std::function<AnyBody(Random&)> random;  ///< empty: the ground
  bool is_conservative = true;
  bool is_exact =
      true;  ///< forces and inertia are those of its energies: not of constant mass, or simplified
};

/// Mass centre off the origin, inertia with all its products.
inline AnyBody random_rigid(Random& random) {
  RigidSettings rigid;
  rigid.mass = 2 + random_vector(1, random)[0];
  rigid.centre = 0.4 * random_vector(3, random);
  const Mat3 root = random_vector(9, random).reshaped(3, 3);
  const Mat3 S = root * root.transpose();  // int rho r r^T
  rigid.inertia = {S.trace() * identity3 - S + identity3, true};
  return rigid;
}

inline AnyBody random_euler_parameters(Random& random) {
  AnyBody body = random_rigid(random);
  body.get_if<RigidSettings>()->coordinates = RigidCoordinates::euler_parameters;
  return body;
}

inline Mat6 random_positive(Random& random) {
  const Mat6 root = random_vector(36, random).reshaped(6, 6);
  return root * root.transpose() + identity6;
}

/// All strains coupled, the mass centre off the line.
inline RodSettings random_rod(Random& random) {
  GeneralSection section;
  section.stiffness.matrix = random_positive(random);
  section.mass = 2 + random_vector(1, random)[0];
  section.centre = 0.3 * random_vector(2, random);
  const Vec3 centre(section.centre.x(), section.centre.y(), 0);
  const Mat3 root = random_vector(9, random).reshaped(3, 3);
  section.inertia = {root * root.transpose() + identity3 +
                         section.mass * (centre.squaredNorm() * identity3 - centre * centre.transpose()),
                     true};
  RodSettings rod;
  rod.section = section;
  rod.length = 1.2;
  return rod;
}

inline CosseratSettings random_cosserat(int order, Random& random) {
  CosseratSettings rod;
  static_cast<RodSettings&>(rod) = random_rod(random);
  rod.order = order;
  rod.elements = 3 - order;  // three nodes
  rod.curvature = random_vector(3, random);
  return rod;
}

inline AnyBody random_damped_cosserat(Random& random) {
  CosseratSettings rod = random_cosserat(2, random);
  rod.damping.times << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
  return rod;
}

inline AncfSettings random_ancf(Random& random) {
  AncfSettings rod;
  rod.section = RectangleSection{Vec2(1.2, 0.7)};
  rod.material = MaterialSettings{2 + random_vector(1, random)[0], 0.3, 1};
  rod.length = 1.2;
  rod.elements = 1;
  return rod;
}

inline AnyBody random_damped_ancf(Random& random) {
  AncfSettings rod = random_ancf(random);
  rod.damping.times << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6;
  return rod;
}

inline FfrfSettings random_ffrf(ModalBasis basis, Random& random) {
  FfrfSettings rod;
  static_cast<RodSettings&>(rod) = random_rod(random);
  rod.elements = 2;
  rod.modes = 7;
  rod.basis = basis;
  return rod;
}

inline AnyBody random_simple_ffrf(Random& random) {
  FfrfSettings rod = random_ffrf(ModalBasis::clamped, random);
  rod.mass = ModalMass::constant;
  rod.stiffening = true;
  rod.reference = RodReference::start;
  rod.damping.times.setConstant(0.2);
  rod.damping_ratio = 0.1;
  return rod;
}

inline SolidSettings random_solid(Random& random) {
  SolidSettings solid;
  solid.mesh = BoxMesh{Vec3(1.2, 1.0, 0.9)};
  solid.material = MaterialSettings{2 + random_vector(1, random)[0], 0.3, 1};
  solid.corotation = Corotation::element;  // a component's matrix is not exact
  return solid;
}

inline AnyBody random_damped_solid(Random& random) {
  SolidSettings solid = random_solid(random);
  solid.mesh = BoxMesh{Vec3(1.2, 1.0, 0.9), {1, 1, 1}, ElementType::tet4};
  solid.frame = FrameFit::three_nodes;
  solid.force = CorotationalForce::simplified;
  solid.mass_damping = 0.3;
  solid.stiffness_damping = 0.2;
  return solid;
}

/// A box whose modes come from a mesh.
inline AnyBody random_modal(Random& random) {
  const SolidMesh mesh = box_mesh(Vec3(0.5, 0.7, 1.2), {1, 1, 2});
  const Material material{2 + random_vector(1, random)[0], 0.3, 3};
  ModalSettings settings;
  settings.data = std::make_shared<ModalData>(
      modal_data(mesh, {SolidMaterial::isotropic(material)}, {.modes = 8, .interfaces = {"z_min", "z_max"}}));
  return settings;
}

inline std::vector<BodyType> body_types() {
  return {{"ground", {}},
          {"rigid", random_rigid},
          {"euler_parameters", random_euler_parameters},
          {"cosserat1", [](Random& random) { return random_cosserat(1, random); }},
          {"cosserat2", [](Random& random) { return random_cosserat(2, random); }},
          {"damped_cosserat2", random_damped_cosserat, false},
          {"ancf", random_ancf},
          {"damped_ancf", random_damped_ancf, false},
          {"ffrf", [](Random& random) { return random_ffrf(ModalBasis::craig_bampton, random); }},
          {"simple_ffrf", random_simple_ffrf, false, false},
          {"modal", random_modal},
          {"solid", random_solid},
          {"damped_solid", random_damped_solid, false, false}};
}

struct BodyPair {
  BodyType first, second;
  bool is_one_body = false;  ///< both frames on one body, which must be flexible
  std::string name() const { return first.name + (is_one_body ? " with itself" : "-" + second.name); }
  bool is_conservative() const { return first.is_conservative && second.is_conservative; }
  bool is_exact() const { return first.is_exact && second.is_exact; }
};

/// Every type on both sides of the ground, every two types (and two bodies of one), and a flexible body
/// joined to itself.
inline std::vector<BodyPair> body_pairs() {
  std::vector<BodyPair> pairs;
  const std::vector<BodyType> types = body_types();
  const BodyType& ground = types[0];
  for (std::size_t i = 1; i < types.size(); ++i) {
    pairs.insert(pairs.end(), {{ground, types[i]}, {types[i], ground}});
    for (std::size_t j = 1; j <= i; ++j) pairs.push_back({types[j], types[i]});
    if (i > 2) pairs.push_back({types[i], types[i], true});
  }
  return pairs;
}

// ---- what is between them -----------------------------------------------------------------------

/// Puts something between the frames "A.f1" or "A.f2" and "B.f1" or "B.f2"; B may be the ground as well as A.
struct Item {
  std::string name;
  std::function<void(Model&, const std::string& A, const std::string& B, Random&)> add;
  bool is_conservative = false;
};
inline void PrintTo(const Item& item, std::ostream* stream) { *stream << item.name; }

inline NamedJoint joint_between(const std::string& type, const std::string& A, const std::string& B) {
  AnyJoint joint = joint_of(type, A, B);
  if (type == "screw") field_of<double>(joint, "pitch") = 0.3;
  if (type == "distance") field_of<std::optional<double>>(joint, "length") = 0.7;
  return {type, std::move(joint)};
}

inline Item joint_item(const std::string& type) {
  if (type == "gear")
    return {type,
            [](Model& model, const std::string& A, const std::string& B, Random&) {
              for (const char* n : {"1", "2"}) {
                model.joints.push_back(joint_between("revolute", A + ".f" + n, B + ".f" + n));
                model.joints.back().first += n;
              }
              model.joints["gear"] = GearSettings{.between = {"revolute1", "revolute2"}, .ratio = -2.5};
            },
            true};
  if (type == "rack-and-pinion")
    return {
        type,
        [](Model& model, const std::string& A, const std::string& B, Random&) {
          model.joints.push_back(joint_between("prismatic", A + ".f1", B + ".f1"));
          model.joints.push_back(joint_between("revolute", A + ".f2", B + ".f2"));
          model.joints["rack"] = RackAndPinionSettings{.between = {"prismatic", "revolute"}, .ratio = 0.4};
        },
        true};
  return {type,
          [type](Model& model, const std::string& A, const std::string& B, Random&) {
            model.joints.push_back(joint_between(type, A + ".f1", B + ".f1"));
          },
          true};
}

inline Item joint_drive(const std::string& type, const std::string& coordinate) {
  return {"drive_" + type + "_" + coordinate,
          [=](Model& model, const std::string& A, const std::string& B, Random&) {
            model.joints.push_back(joint_between(type, A + ".f1", B + ".f1"));
            model.drives["motor"] = JointDriveSettings{.joint = type + "." + coordinate,
                                                       .function = Function::harmonic(0.8, 1.7, 0.2, 0.9)};
          }};
}

inline Item body_drive(BodyCoordinate coordinate) {
  return {"drive_body_" + to_word(coordinate),
          [=](Model& model, const std::string& A, const std::string& B, Random&) {
            model.drives["motor"] = BodyDriveSettings{.body = (A == "ground" ? B : A) + ".f1",
                                                      .coordinate = coordinate,
                                                      .function = Function::expression("0.3 + 0.5*t^2")};
          }};
}

inline Item friction_in(const std::string& type) {
  return {"friction_" + type, [=](Model& model, const std::string& A, const std::string& B, Random&) {
            model.joints.push_back(joint_between(type, A + ".f1", B + ".f1"));
            field_of<std::optional<FrictionSettings>>(model.joints.back().second,
                                                      "friction") = FrictionSettings{
                .viscous = 0.7, .coulomb = 1.2, .breakaway = 1.9, .stick_rate = 0.3, .stribeck_rate = 0.6};
          }};
}

struct NamedLaw {
  std::string name;
  LawSettings law;
  bool is_conservative;
};

inline std::vector<NamedLaw> laws() {
  LawSettings linear, damped, functions, formula;
  linear.stiffness = 3, linear.free = 0.4, linear.preload = 0.2;
  damped = linear, damped.damping = 2;
  functions.elastic = Function::spline({-2, 0.2, 1, 4}, {-2, 0, 1.5, 9});
  functions.viscous = Function::polynomial({0, 1, 0, 0.5});
  functions.active = Function::harmonic(2, 3);
  formula.law = LawFormula{"2*x^2*v + sin(x) + x*cos(t)"};
  return {{"linear", linear, true},
          {"damped", damped, false},
          {"functions", functions, false},
          {"formula", formula, false}};
}

inline void add_spring_items(std::vector<Item>& all) {
  for (const NamedLaw& law : laws()) {
    for (const char* type : {"spring", "torsion-spring"})
      all.push_back(
          {fmt::format("{}_{}", type, law.name),
           [=](Model& model, const std::string& A, const std::string& B, Random&) {
             if (std::string_view(type) == "spring")
               model.forces["spring"] = SpringSettings{.between = {A + ".f1", B + ".f1"}, .law = law.law};
             else
               model.forces["spring"] =
                   TorsionSpringSettings{.between = {A + ".f1", B + ".f1"}, .law = law.law};
           },
           law.is_conservative});
    for (const char* where :
         {"cylindrical.displacement", "cylindrical.angle", "universal.angle_x", "planar.x"})
      all.push_back({fmt::format("joint_force_{}_{}", where, law.name),
                     [=](Model& model, const std::string& A, const std::string& B, Random&) {
                       model.joints.push_back(joint_between(
                           std::string(where).substr(0, std::string(where).find('.')), A + ".f1", B + ".f1"));
                       model.forces["spring"] = JointForceSettings{.coordinate = where, .law = law.law};
                     },
                     law.is_conservative});
  }
}

inline Item bushing_item(bool damped) {
  return {
      damped ? "bushing_damped" : "bushing",
      [=](Model& model, const std::string& A, const std::string& B, Random& random) {
        BushingSettings bushing{.between = {A + ".f1", B + ".f1"}, .stiffness = {random_positive(random)}};
        bushing.preload = random_vector(6, random);
        if (damped) bushing.damping.matrix = random_positive(random);
        model.forces["bushing"] = bushing;
      },
      !damped};
}

inline Item load_item(bool follower) {
  return {follower ? "load_follower" : "load_dead",
          [=](Model& model, const std::string& A, const std::string& B, Random&) {
            LoadSettings load{.on = (A == "ground" ? B : A) + ".f1"};
            load.force = {Function::harmonic(1, 2), 0.7, Function::polynomial({0, 1, -2})};
            load.torque = {0.4, Function::expression("1 + t^2"), -0.6};
            load.in = follower ? LoadAxes::body : LoadAxes::world;
            model.forces["load"] = load;
          }};
}

/// On a rod, where there is one.
inline Item distributed_load_item(bool follower) {
  return {follower ? "distributed_load_follower" : "distributed_load",
          [=](Model& model, const std::string&, const std::string&, Random&) {
            for (const auto& [name, body] : model.bodies) {
              if (body.formulation.get_if<RigidSettings>() || body.formulation.get_if<ModalSettings>() ||
                  body.formulation.get_if<SolidSettings>())
                continue;
              DistributedLoadSettings load{.on = name};
              load.force = {Function::harmonic(1, 2), 0.7, Function::polynomial({0, 1, -2})};
              load.torque = {0.4, Function::expression("1 + t^2"), -0.6};
              load.in = follower ? LoadAxes::body : LoadAxes::world;
              model.forces["load_" + name] = load;
            }
          }};
}

/// Signals of all kinds, blocks with states, and forces that follow them.
inline Item control_item() {
  return {"control", [](Model& model, const std::string& A, const std::string& B, Random&) {
            const RelativeSettings from{.relative_to = A + ".f1", .axis = AxisName::y};
            model.signals["distance"] = DistanceSignal{.between = {A + ".f2", B + ".f1"}};
            model.signals["closing"] = DistanceSignal{.between = {A + ".f2", B + ".f1"}, .rate = true};
            model.signals["place"] = PositionSignal{.of = B + ".f1", .from = from};
            model.signals["speed"] = VelocitySignal{.of = B + ".f1", .from = from};
            model.signals["spin"] = AngularVelocitySignal{.of = B + ".f1", .from = from};
            model.signals["turn"] = AngleSignal{.of = B + ".f1", .from = from};
            model.signals["turning"] = AngleSignal{.of = B + ".f1", .from = from, .rate = true};
            model.signals["mixed"] =
                FormulaSignal{{"sin(distance)*spin + place*speed + closing^2 + cos(turn) - turning*t + pid"}};
            model.control["pid"] =
                PidBlock{.input = {"place - 0.3*turn"}, .kp = 2, .ki = 3, .kd = 0.4, .filter = 0.2};
            model.control["smooth"] =
                LowPassBlock{.input = {"mixed*smooth + force.passive.tension"}, .time = 0.3};
            model.control["table"] = LookUp2Block{.inputs = {Formula{"spin"}, Formula{"smooth"}},
                                                  .x = {-9, 9},
                                                  .y = {-9, 9},
                                                  .values = {{1, 2}, {-1, 4}}};
            model.forces["passive"] =
                SpringSettings{.between = {A + ".f2", B + ".f2"}, .law = {.stiffness = 2, .damping = 0.3}};
            model.forces["strut"] =
                SpringSettings{.between = {A + ".f1", B + ".f1"},
                               .law = {.law = LawFormula{"2*x*v + pid*x + smooth + table"}}};
            model.forces["hinge"] = TorsionSpringSettings{
                .between = {A + ".f1", B + ".f1"},
                .law = {.stiffness = 1.5, .active = Function::of_signals("mixed + 0.2*smooth")}};
            LoadSettings load{.on = (A == "ground" ? B : A) + ".f1"};
            load.force = {Function::of_signals("mixed"), 0.7, Function::of_signals("smooth*place")};
            load.torque = {0.4, Function::of_signals("pid"), Function::expression("1 + t^2")};
            load.in = LoadAxes::body;
            model.forces["load"] = load;
          }};
}

inline std::vector<Item> items() {
  std::vector<Item> all;
  all.push_back(control_item());
  for (const std::string& type : Catalog::built_in().names("joint"))
    if (type != "tie") all.push_back(joint_item(type));  // spherical joints between nodes
  for (const auto& [type, coordinate] :
       std::vector<std::pair<std::string, std::string>>{{"revolute", "angle"},
                                                        {"prismatic", "displacement"},
                                                        {"screw", "angle"},
                                                        {"universal", "angle_x"},
                                                        {"constant-velocity", "angle_y"},
                                                        {"planar", "y"}})
    all.push_back(joint_drive(type, coordinate));
  for (int coordinate = 0; coordinate < 6; ++coordinate)
    all.push_back(body_drive(static_cast<BodyCoordinate>(coordinate)));
  for (const char* type : {"revolute", "prismatic", "cylindrical", "universal"})
    all.push_back(friction_in(type));
  add_spring_items(all);
  for (bool damped : {false, true}) all.push_back(bushing_item(damped));
  for (bool follower : {false, true}) {
    all.push_back(load_item(follower));
    all.push_back(distributed_load_item(follower));
  }
  return all;
}

/// The item between two random bodies of the given types, in random gravity.
inline Model model_with(const Item& item, const BodyPair& pair, Random& random) {
  const auto placement = [&random](double reach) {
    const FramePose X = random_pose(random);
    const Quat turn(X.R);
    PlacementSettings place;
    place.at = reach * X.p;
    place.quaternion = Vec4(turn.w(), turn.x(), turn.y(), turn.z());
    return place;
  };
  Model model;
  model.gravity = 3 * random_vector(3, random);
  const auto add = [&](const BodyType& type, const std::string& name) -> std::string {
    if (!type.random) {
      for (const char* f : {"f1", "f2"}) model.ground.frames.emplace_back(f, placement(1));
      return "ground";
    }
    BodyEntry body{.formulation = type.random(random), .place = placement(1)};
    for (const char* f : {"f1", "f2"}) body.frames.emplace_back(f, placement(0.8));
    model.bodies.emplace_back(name, std::move(body));
    return name;
  };
  const std::string A = add(pair.first, "A");
  if (pair.is_one_body)  // "A.other.f1" is the frame "other.f1" of A
    for (int k : {0, 1}) {
      PlacementSettings opposite = placement(0.8);
      opposite.at = -*model.bodies[0].second.frames[k].second.at;
      model.bodies[0].second.frames.emplace_back(fmt::format("other.f{}", k + 1), opposite);
    }
  const std::string B = pair.is_one_body ? "A.other" : add(pair.second, "B");
  item.add(model, A, B, random);
  return model;
}

}  // namespace hooke::test
