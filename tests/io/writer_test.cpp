// A problem written as a file is the same problem when it is read again.
#include "hooke/io/document/writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "document_helper.h"
#include "hooke/bodies/modal_data.h"
#include "hooke/catalog/build.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

namespace fs = std::filesystem;

Problem parsed(const std::string& text, const std::string& name = "m.yaml") {
  Diagnostics diagnostics;
  Problem problem = parse_model(text, name, {}, diagnostics);
  diagnostics.throw_if_errors();
  return problem;
}

bool same_values(const void* a, const void* b, auto member) {
  using Owner = decltype([]<class C, class T>(T C::*) -> C { return {}; }(member));
  return static_cast<const Owner*>(a)->*member == static_cast<const Owner*>(b)->*member;
}

bool same(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

/// Values that are written in a way of their own, none of it by way of the writer.
bool same_special(std::string_view name, const void* a, const void* b) {
  const auto both = [&]<class T>(T member) { return same_values(a, b, member); };
  if (name == "inertia") return both(&InertiaValue::matrix) && both(&InertiaValue::given);
  if (name == "matrix") return both(&MatrixValue::matrix);
  if (name == "damping") return both(&DampingValue::times);
  if (name == "joint-or-point")
    return *static_cast<const JointOrPoint*>(a) == *static_cast<const JointOrPoint*>(b);
  if (name == "formula") return both(&Formula::text);
  if (name == "law") return both(&LawFormula::text);
  if (name == "code") return both(&BlockCode::name);
  if (name != "function") ADD_FAILURE() << "how are two values of '" << name << "' compared?";
  const auto &f = *static_cast<const Function*>(a), &g = *static_cast<const Function*>(b);
  if (f.signal_formula() || g.signal_formula())
    return f.signal_formula() && g.signal_formula() && *f.signal_formula() == *g.signal_formula();
  for (const double x : {-1.3, -0.2, 0.0, 0.1, 0.7, 1.0, 2.9, 11.0}) {
    const Sample at_x = f(x), there = g(x);
    for (const auto part : {&Sample::value, &Sample::d1, &Sample::d2})
      if (at_x.*part != there.*part && !(std::isnan(at_x.*part) && std::isnan(there.*part))) return false;
  }
  return true;
}

/// The keys at which two values differ, all that a type describes compared to the last bit.
void find_differences(const TypeInfo& type, const void* a, const void* b, const std::string& path,
                      std::vector<std::string>& found) {
  using Kind = TypeInfo::Kind;
  const auto equal = [&]<class T>(const T*) {
    return *static_cast<const T*>(a) == *static_cast<const T*>(b);
  };
  const auto note_unless = [&](bool same) {
    if (!same) found.push_back(path);
  };
  switch (type.kind) {
    case Kind::number:
      return note_unless(equal(static_cast<const double*>(nullptr)));
    case Kind::whole:
      return note_unless(equal(static_cast<const int*>(nullptr)));
    case Kind::boolean:
      return note_unless(equal(static_cast<const bool*>(nullptr)));
    case Kind::text:
      return note_unless(equal(static_cast<const std::string*>(nullptr)));
    case Kind::word:
      return note_unless(type.get_word(a) == type.get_word(b));
    case Kind::list:
    case Kind::named:
    case Kind::optional:
      if (type.size(a) != type.size(b)) return note_unless(false);
      for (std::size_t i = 0; i < type.size(a); ++i) {
        if (type.key && type.key_of(a, i) != type.key_of(b, i)) note_unless(false);
        const std::string item = type.key                  ? "." + type.key_of(a, i)
                                 : type.kind == Kind::list ? formatted("[{}]", i)
                                                           : "";
        find_differences(type.item_type(), type.item_of(a, i), type.item_of(b, i), path + item, found);
      }
      return;
    case Kind::structure:
      for (const FieldInfo& field : type.fields)
        find_differences(field.type(), field.in(a), field.in(b),
                         path + (path.empty() || !*field.key ? "" : ".") + field.key, found);
      return;
    case Kind::choice:
    case Kind::open:
      if (type.chosen(a) != type.chosen(b)) return note_unless(false);
      if (type.chosen(a))
        find_differences(*type.chosen(a), type.chosen_of(a), type.chosen_of(b), path, found);
      return;
    case Kind::special:
      return note_unless(same_special(type.name, a, b));
  }
}

std::vector<std::string> differences(const Problem& a, const Problem& b) {
  std::vector<std::string> found;
  find_differences(type_of<Problem>(), &a, &b, "", found);
  return found;
}

/// To the last bit.
void expect_same(const BuiltModel& a, const BuiltModel& b) {
  EXPECT_EQ(a.bodies, b.bodies);
  const State first = a.system->initial_state(), second = b.system->initial_state();
  EXPECT_TRUE(same(first.q, second.q));
  EXPECT_TRUE(same(first.v, second.v));
  EXPECT_TRUE(same(first.memory, second.memory));
  EXPECT_EQ(first.t, second.t);
  const KktStructure &sizes = a.system->structure(), &others = b.system->structure();
  EXPECT_EQ(sizes.dof_sizes, others.dof_sizes);
  EXPECT_EQ(sizes.body_blocks, others.body_blocks);
  EXPECT_EQ(sizes.couplings, others.couplings);
  EXPECT_EQ(sizes.weak_couplings, others.weak_couplings);
  EXPECT_EQ(sizes.row_sizes, others.row_sizes);
  EXPECT_EQ(sizes.constraint_blocks, others.constraint_blocks);
  EXPECT_EQ(a.system->forces(), b.system->forces());
  EXPECT_EQ(a.system->gravity(), b.system->gravity());
  EXPECT_EQ(a.held_position, b.held_position);
  EXPECT_EQ(a.held_velocity, b.held_velocity);

  // what acts on it at the start: the settings of forces, sections and materials are in there
  const auto residual = [](const System& system, State state) {
    const auto workspace = system.workspace();
    state.v.setConstant(0.1);
    system.update(state, *workspace);
    VectorX r;
    system.residual(state, *workspace, r);
    return r;
  };
  EXPECT_TRUE(same(residual(*a.system, first), residual(*b.system, second)));
}

class ModelOfTheRepository : public testing::TestWithParam<std::string> {};

TEST_P(ModelOfTheRepository, IsTheSameWhenWrittenAndReadAgain) {
  const std::string path = HOOKE_ROOT "/models/" + GetParam();
  const Problem problem = parsed(read_text_file(path), path);
  const std::string text = write_model(problem);
  SCOPED_TRACE(text);
  const Problem again = parsed(text, path);  // files are looked for next to it
  EXPECT_EQ(write_model(again), text);
  EXPECT_EQ(differences(problem, again), std::vector<std::string>());
  expect_same(build(problem.model), build(again.model));
}

/// All but those of linear subsystems and participants, which are no problems, and studies of another file.
std::vector<std::string> models() {
  const fs::path folder = HOOKE_ROOT "/models";
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") {
      const std::string text = "\n" + read_text_file(entry.path().string());
      const auto has = [&](const char* key) {
        return text.find(formatted("\n{}:", key)) != std::string::npos;
      };
      if (has("hooke") && !has("linear") && !has("participants"))
        all.push_back(fs::relative(entry.path(), folder).string());
    }
  std::sort(all.begin(), all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Every, ModelOfTheRepository, testing::ValuesIn(models()), [](const auto& test) {
  std::string name = test.param.substr(0, test.param.size() - 5);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(Writer, AllModelsAreFound) { EXPECT_GT(models().size(), 25u); }

/// Everything that has a notation of its own, and everything that may be left out.
TEST(Writer, KeepsWhateverAFileCanSay) {
  const std::string text = write_model(parsed(R"yaml(hooke: 1
title: "Everything: # 'and' \"more\""
parameters: {k: 3, l: 0.1}
gravity: -z
ground: {frames: {base: {at: [1, 2, 3], rotate: {axis: x, angle: 0.3}}}}
bodies:
  Kurbel-ä:
    rigid: {mass: 3, inertia: [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]], centre: [0.1, 0, 0], points: [{mass: 0.5, at: [0, 0, 1]}]}
    at: [0, 0, 0.1]
    quaternion: [0.6, 0, 0.8, 0]
    velocity: [1, 0, 0]
    hold: true
    frames: {tip: {at: [1, 0, 0]}, heel: {}}
    geometry: [{box: [0.1, 0.2, 0.3], at: [0, 0, 1], colour: "#a0b1c2"}, {sphere: 0.2}]
  rod: {rigid: {shape: {cylinder: {radius: 0.01, length: 1}}, density: 7800}, between: [A, [4, 5, 6]]}
  beam:
    ffrf: {section: {tube: {outer: 0.02, inner: 0.01}}, material: {young: 2e11, density: 7800}, length: 2, modes: 8, reference: start, damping: [1e-3, 0, 0, 0, 0, 1e-4]}
    matrix: [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
  wire: {cosserat: {section: {general: {stiffness: [1e5, 1e5, 1e6, 10, 20, 30], mass: 1, inertia: [0.1, 0.2, 0.3]}}, length: 1, damping: 1e-3}}
  block: {solid: {mesh: {box: {size: [1, 0.1, 0.1], divisions: [4, 1, 1]}}, material: {young: 1e7, density: 1000}, components: 2}}
joints:
  A: {revolute: [ground.base, Kurbel-ä.heel], at: [0, 0, 0], axis: -x, friction: {viscous: 0.1, breakaway: 0.2}, start: {angle: {value: 1, rate: 2}}}
  B: {screw: [Kurbel-ä.tip, rod], pitch: 0.01, axis: z, start: {displacement: 0.5}}
  C: {gear: [A, B.angle], ratio: -2}
  D: {universal: [ground, beam.start], axis: x, axis2: y}
  E: {tie: [ground, block.x_min]}
drives:
  motor: {joint: A, function: "k*t + 0.1*sin(t)"}
  push: {body: wire.end, coordinate: angle_y, function: {sum: [1, {harmonic: {amplitude: 1, frequency: 2}}, {polynomial: [0, 1, 2]}]}}
forces:
  S: {spring: [Kurbel-ä, rod], points: [[1, 1, 1], null], stiffness: 100, free: 0.2, elastic: {table: [[0, 0], [1, 2], [2, 5]]}}
  T: {torsion-spring: [Kurbel-ä, rod], at: [0, 1, 0], axis: y, damping: 2, viscous: "k*v^3"}
  J: {joint-force: B.displacement, law: "k*x + l*v"}
  U: {bushing: [Kurbel-ä.tip, rod], stiffness: 7, damping: [1, 2, 3, 4, 5, 6], preload: [0, 0, 1, 0, 0, 0]}
  L: {load: Kurbel-ä.tip, force: [1, t, {smooth_step: {from: [0, 0], to: [1, 2]}}], at: [9, 9, 9], in: body}
  W: {distributed-load: beam, torque: [0, 0, "sin(t)"]}
run: {analysis: inverse-dynamics, integrator: {newmark: {beta: 0.25, gamma: 0.5, form: index3}}, step: 1e-2, end: 3, tolerance: 1e-5}
outputs: {every: 0}
subsystems:
  one: {bodies: [Kurbel-ä, rod], steps: 3, integrator: dormand-prince}
  two: [wire]
coupling: {scheme: jacobi}
)yaml"));
  const Problem again = parsed(text);
  EXPECT_EQ(write_model(again), text);
  const Model& model = again.model;
  EXPECT_EQ(model.title, "Everything: # 'and' \"more\"");
  EXPECT_EQ(model.bodies.names(), (std::vector<std::string>{"Kurbel-ä", "rod", "beam", "wire", "block"}));
  EXPECT_EQ(model.bodies.at("Kurbel-ä").formulation.get_if<RigidSettings>()->inertia.matrix(1, 2), 0.3);
  EXPECT_EQ(model.bodies.at("beam").formulation.get_if<FfrfSettings>()->reference, RodReference::start);
  EXPECT_EQ(model.bodies.at("block").formulation.get_if<SolidSettings>()->components, 2);
  EXPECT_EQ(model.forces.at("J").get_if<JointForceSettings>()->law.make()(2, 3, 0).force, 3 * 2 + 0.1 * 3);
  EXPECT_EQ(model.forces.at("T").get_if<TorsionSpringSettings>()->law.make()(0, 2, 0).force, 2 * 2 + 3 * 8);
  EXPECT_FALSE(model.forces.at("S").get_if<SpringSettings>()->points[1].has_value());
  EXPECT_EQ(model.drives.at("motor").get_if<JointDriveSettings>()->function(2).value,
            6 + 0.1 * std::sin(2.0));
  EXPECT_EQ(type_of<AnalysisSettings>().chosen(&again.run.analysis)->name, std::string("inverse-dynamics"));
  EXPECT_EQ(again.run.integrator.get_if<NewmarkChoice>()->form, ConstraintForm::index3);
  EXPECT_EQ(again.run.tolerance, 1e-5);
  EXPECT_EQ(again.outputs.every, 0);
  EXPECT_EQ(again.subsystems.at("one").integrator->name(), "dormand-prince");
  EXPECT_EQ(again.subsystems.at("two").bodies, std::vector<std::string>{"wire"});
  EXPECT_EQ(again.coupling.scheme, CouplingScheme::jacobi);
}

/// What the comparison above rests on.
TEST(Writer, AKeyThatGotLostWouldBeSeen) {
  const std::string path = HOOKE_ROOT "/models/coupled/engine_on_boom.yaml";
  const Problem problem = parsed(read_text_file(path), path);
  const auto seen = [&](auto change) {
    Problem other = problem;
    change(other);
    return differences(problem, other);
  };
  using testing::ElementsAre;
  EXPECT_THAT(seen([](Problem&) {}), ElementsAre());
  EXPECT_THAT(seen([](Problem& p) { p.run.step *= 2; }), ElementsAre("run.step"));
  EXPECT_THAT(seen([](Problem& p) { p.run.tolerance = 1; }), ElementsAre("run.tolerance"));
  EXPECT_THAT(seen([](Problem& p) { p.run.solver = SolverSettings<"dense">{}; }), ElementsAre("run.solver"));
  EXPECT_THAT(seen([](Problem& p) { p.outputs.every += 1; }), ElementsAre("outputs.every"));
  EXPECT_THAT(seen([](Problem& p) { p.coupling.relaxation = 0.5; }), ElementsAre("coupling.relaxation"));
  EXPECT_THAT(seen([](Problem& p) { p.subsystems.begin()->second.steps += 1; }),
              ElementsAre("subsystems." + problem.subsystems.begin()->first + ".steps"));
  EXPECT_THAT(seen([](Problem& p) { p.model.bodies.begin()->second.hold ^= true; }),
              ElementsAre(testing::EndsWith(".hold")));
}

TEST(Writer, LeavesOutWhatIsTheDefault) {
  EXPECT_EQ(write_model({}), "hooke: 1\n");
  Problem problem;
  problem.model.bodies["a"].formulation = RigidSettings{.mass = 1, .inertia = {Mat3::Identity(), true}};
  EXPECT_EQ(write_model(problem), "hooke: 1\nbodies:\n  a: {rigid: {mass: 1, inertia: [1, 1, 1]}}\n");
}

TEST(Writer, NumbersComeBackToTheLastBit) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, 2e49, -5e-324, 123456789.123456789, 1e16}) {
    Problem problem;
    problem.model.gravity = Vec3(x, -x, 0);
    EXPECT_EQ(parsed(write_model(problem)).model.gravity, problem.model.gravity) << x;
  }
}

TEST(Writer, SaysWhatNoFileCanHold) {
  Problem function, law, modes;
  function.model.drives["motor"] = JointDriveSettings{.joint = "A", .function = Function::of([](double t) {
                                                                      return Sample{t, 1, 0};
                                                                    })};
  EXPECT_THROW(write_model(function), Error);
  law.model.forces["spring"] = SpringSettings{
      .between = {"a", "b"}, .law = {.code = Law::of([](const LawInput&) { return LawSample{}; })}};
  EXPECT_THROW(write_model(law), Error);
  ModalSettings modal;
  modal.data = std::make_shared<const ModalData>();
  modes.model.bodies["body"].formulation = modal;
  EXPECT_THROW(write_model(modes), Error) << "modes that are in no file";
}

TEST(Yaml, ShortEntriesStandOnOneLine) {
  EXPECT_EQ(
      to_yaml(Json::Object{{"a", 1}, {"b", Json::List{1, "x", true}}, {"c", Json::Object{{"d", Json()}}}}),
      "a: 1\nb: [1, \"x\", true]\nc:\n  d: null\n");
  const std::string wide(60, 'w');
  EXPECT_EQ(to_yaml(Json::Object{{"a", Json::List{wide, wide}}}),
            "a:\n  - \"" + wide + "\"\n  - \"" + wide + "\"\n");
  EXPECT_EQ(to_yaml(Json::Object{{"not plain", 1}}), "\"not plain\": 1\n");
}

}  // namespace
}  // namespace hooke
