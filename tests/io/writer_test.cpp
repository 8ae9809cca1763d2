// A problem written as a file is the same problem when it is read again.
#include "hooke/io/document/writer.h"

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

bool same(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
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
  expect_same(build(problem.model), build(again.model));
}

/// All but those of linear subsystems and participants, which are no problems, and studies.
std::vector<std::string> models() {
  const fs::path folder = HOOKE_ROOT "/models";
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml" && entry.path().parent_path().filename() != "studies" &&
        read_text_file(entry.path().string()).find("\nlinear:") == std::string::npos &&
        read_text_file(entry.path().string()).find("\nparticipants:") == std::string::npos)
      all.push_back(fs::relative(entry.path(), folder).string());
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
