// A force, a joint and a drive of a program's own: as good as Hooke's in files, schema, tables and runs.
#include "hooke/catalog/catalog.h"

#include <gmock/gmock.h>

#include "hooke/catalog/builder.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"
#include "support/mechanisms.h"

namespace hooke::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// ---- the program's own ----

/// f = -c v at the origin of a frame.
struct Drag {
  static constexpr int frames = 1;
  double coefficient = 0;

  void evaluate(const FrameInputs<1>& in, Vec6& w) const {
    w << -coefficient * in.twist[0]->head<3>(), zero3;
  }
  void tangent(const FrameInputs<1>&, Mat6& K, Mat6& D) const {
    K.setZero();
    D.setZero();
    D.topLeftCorner<3, 3>() = -coefficient * identity3;
  }
};

struct DragSettings {
  static constexpr const char* name = "drag";
  std::string on;
  double coefficient = 0;

  static void describe(auto& field) {
    field("drag", &DragSettings::on, Doc{.text = "body that the air slows down", .required = true});
    field("coefficient", &DragSettings::coefficient,
          Doc{.text = "force over speed", .unit = "N s/m", .required = true, .check = positive});
  }
  void add_force(const std::string& force, Builder& to) const {
    if (const auto at = to.attachment(on, "forces." + force + ".drag"))
      to.add_force(Drag{coefficient}, std::array{to.add_frame(*at, false)}, force, name);
  }
};

/// The second frame stays so far above the first one.
struct SameHeight {
  static constexpr int frames = 2, rows = 1;
  static constexpr bool flat = true;
  static constexpr std::array<const char*, rows> labels() { return {"lift"}; }
  double above = 0;

  void evaluate(const FrameInputs<2>& in, Rows<1>& out) const {
    out.g[0] = in.pose[1]->p.z() - in.pose[0]->p.z() - above;
    out.G.setZero();
    out.G(0, 2) = -1;
    out.G(0, 8) = 1;
  }
  void add_stiffness(const FrameInputs<2>&, const Eigen::Matrix<double, 1, 1>&, Mat12&) const {}
};

struct SameHeightSettings {
  static constexpr const char* name = "same-height";
  std::array<std::string, 2> between;
  double above = 0;

  static void describe(auto& field) {
    field("same-height", &SameHeightSettings::between, Doc{.text = "two bodies or frames", .required = true});
    field("above", &SameHeightSettings::above,
          Doc{.text = "how far the second is above the first", .unit = "m"});
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, Builder& to) const {
    if (to.is_taken(joint)) return;
    const auto A = to.attachment(between[0], "joints." + joint + ".same-height[0]"),
               B = to.attachment(between[1], "joints." + joint + ".same-height[1]");
    if (!A || !B) return;
    const std::array ends{to.add_frame(*A), to.add_frame(*B, false)};
    BuiltJoint built{joint, name, to.add_constraint(SameHeight{above}, ends, joint), ends, {}};
    to.add_coordinate(built, "height", Displacement{Axis::z});
    to.add(std::move(built));
  }
};

/// A joint turns at a rate.
struct SpinSettings {
  static constexpr const char* name = "spin";
  std::string joint;
  double rate = 1;

  static void describe(auto& field) {
    field("spin", &SpinSettings::joint, Doc{.text = "joint that turns", .required = true});
    field("rate", &SpinSettings::rate, Doc{.text = "how fast", .unit = "rad/s"});
  }
  void add_drive(const std::string& drive, Builder& to) const {
    JointDriveSettings{joint, Function::polynomial({0, rate})}.add_drive(drive, to);
  }
};

Catalog with_own() {
  Catalog catalog = Catalog::built_in();
  return catalog.add<DragSettings>().add<SameHeightSettings>().add<SpinSettings>();
}

const char* const machine = R"(hooke: 1
gravity: [0, 0, -9.81]
bodies:
  bob: {rigid: {mass: 2, inertia: 1}, at: [0, 0, 1.5], velocity: [3, 0, 0]}
  wheel: {rigid: {mass: 1, inertia: 1}, at: [5, 0, 0]}
joints:
  level: {same-height: [ground, bob], above: 1.5}
  axle: {revolute: [ground, wheel], at: [5, 0, 0], axis: z}
drives:
  motor: {spin: axle, rate: 2}
forces:
  air: {drag: bob, coefficient: 0.5}
run: {step: 1e-3}
)";

Problem parsed(const std::string& text, const Catalog& catalog) {
  Diagnostics diagnostics;
  Problem problem = parse_model(text, "m.yaml", {}, diagnostics, catalog);
  diagnostics.throw_if_errors();
  return problem;
}

std::string complaint(std::string text, const std::string& what, const std::string& instead) {
  try {
    text.replace(text.find(what), what.size(), instead);
    build(parsed(text, with_own()).model);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

// ---- what Hooke makes of them ----

TEST(Catalog, KnowsWhatWasAddedToItAndNothingElseDoes) {
  const Catalog own = with_own();
  EXPECT_THAT(own.names("force"), AllOf(Contains("drag"), Contains("spring"), Not(Contains("spin"))));
  EXPECT_THAT(own.names("joint"), AllOf(Contains("same-height"), Contains("revolute")));
  EXPECT_EQ(own.names("drive"), (std::vector<std::string>{"joint", "body", "spin"}));
  EXPECT_THAT(Catalog::built_in().names("force"), Not(Contains("drag")));
  EXPECT_THROW(parsed(machine, Catalog::built_in()), ModelError);
}

TEST(Catalog, OwnTypesAreReadFromAFile) {
  const Problem problem = parsed(machine, with_own());
  const auto* drag = problem.model.forces.at("air").get_if<DragSettings>();
  const auto* level = problem.model.joints.at("level").get_if<SameHeightSettings>();
  const auto* spin = problem.model.drives.at("motor").get_if<SpinSettings>();
  ASSERT_TRUE(drag && level && spin);
  EXPECT_EQ(drag->on, "bob");
  EXPECT_EQ(drag->coefficient, 0.5);
  EXPECT_EQ(level->between, (std::array<std::string, 2>{"ground", "bob"}));
  EXPECT_EQ(level->above, 1.5);
  EXPECT_EQ(spin->joint, "axle");
  EXPECT_EQ(spin->rate, 2);
}

TEST(Catalog, MistakesInThemAreExplained) {
  EXPECT_THAT(complaint(machine, "drag: bob", "darg: bob"), HasSubstr("(did you mean 'drag'?)"));
  EXPECT_THAT(complaint(machine, ", coefficient: 0.5", ""),
              HasSubstr("m.yaml:12:8: forces.air: 'coefficient' is missing: force over speed [N s/m]"));
  EXPECT_THAT(complaint(machine, "coefficient: 0.5", "coefficient: -1"),
              HasSubstr("forces.air.coefficient: must be positive, got -1 N s/m"));
  EXPECT_THAT(complaint(machine, "rate: 2", "speed: 2"),
              HasSubstr("drives.motor.speed: unknown key 'speed'; known here: spin and rate"));
  EXPECT_THAT(complaint(machine, "drag: bob", "drag: bobb"),
              HasSubstr("m.yaml:12:15: forces.air.drag: no body named 'bobb' (did you mean 'bob'?)"));
  EXPECT_THAT(complaint(machine, "[ground, bob]", "[ground, bbo]"),
              HasSubstr("joints.level.same-height[1]: no body named 'bbo'"));
  EXPECT_THAT(complaint(machine, "spin: axle", "spin: axel"), HasSubstr("no joint named 'axel'"));
}

TEST(Catalog, OwnTypesMoveTheModel) {
  Simulation simulation(parsed(machine, with_own()));
  EXPECT_EQ(simulation.force("air").type(), "drag");
  EXPECT_NEAR(simulation.force("air").wrench()[0], -0.5 * 3, 1e-12);
  EXPECT_EQ(simulation.joint("level").type(), "same-height");
  simulation.advance(1);
  EXPECT_NEAR(simulation.body("bob").velocity().x(), 3 * std::exp(-0.25), 1e-6);
  EXPECT_NEAR(simulation.joint("level").coordinate("height"), 1.5, 1e-9) << "in spite of gravity";
  EXPECT_NEAR(simulation.joint("level").reaction()[2], 2 * 9.81, 1e-6);
  EXPECT_NEAR(simulation.joint("axle").angle(), 2, 1e-9);
}

TEST(Catalog, AModelInCppNeedsNone) {
  Model model;
  model.bodies = {rigid("bob", 2, {1, 1, 1}, zero3)};
  model.bodies["bob"].velocity = Vec3(0, 4, 0);
  EXPECT_TRUE(is_conservative(model));
  model.joints["level"] = SameHeightSettings{.between = {"ground", "bob"}};
  EXPECT_TRUE(is_conservative(model));
  model.forces["air"] = DragSettings{.on = "bob", .coefficient = 0.5};
  EXPECT_FALSE(is_conservative(model)) << "it does not say that it were";
  const BuiltModel built = build(model);
  EXPECT_EQ(built.system->nc(), 1);
  ASSERT_EQ(built.forces.size(), 1u);
  EXPECT_EQ(built.forces[0].name, "air");
}

TEST(Catalog, OwnTypesAreWrittenAndReadAgain) {
  const Catalog own = with_own();
  const std::string text = write_model(parsed(machine, own));
  EXPECT_THAT(text, HasSubstr("motor: {spin: \"axle\", rate: 2}"));
  EXPECT_EQ(write_model(parsed(text, own)), text);
}

TEST(Catalog, OwnTypesAreInTheSchemaAndTheTables) {
  const Catalog own = with_own();
  for (const char* key :
       {"\"drag\"", "\"coefficient\"", "\"same-height\"", "\"above\"", "\"spin\"", "\"rate\""})
    EXPECT_THAT(model_schema(own), HasSubstr(key));
  EXPECT_THAT(model_schema(), Not(HasSubstr("\"same-height\"")));

  const auto tables = model_tables(own);
  const auto table = [&](const std::string& name) -> std::string {
    for (const auto& [key, text] : tables)
      if (key == name) return text;
    return "none";
  };
  EXPECT_THAT(table("drag"),
              HasSubstr("| `coefficient` | force over speed | N s/m | required | positive |\n"));
  EXPECT_THAT(table("same-height"),
              HasSubstr("| `above` | how far the second is above the first | m | 0 |  |\n"));
  EXPECT_THAT(table("spin"), HasSubstr("| `rate` | how fast | rad/s | 1 |  |\n"));
  EXPECT_EQ(tables.size(), model_tables().size() + 3);
}

/// A spring that a program knows better.
struct OwnSpring {
  static constexpr const char* name = "spring";
  std::array<std::string, 2> between;
  double stretch = 7;
  static void describe(auto& field) {
    field("spring", &OwnSpring::between, Doc{.text = "ends", .required = true});
    field("stretch", &OwnSpring::stretch, Doc{.text = "of it"});
  }
  void add_force(const std::string&, Builder&) const {}
};

TEST(Catalog, OneOfTheSameNameTakesItsPlace) {
  Catalog own = Catalog::built_in();
  own.add<OwnSpring>();
  EXPECT_EQ(own.names("force"), Catalog::built_in().names("force"));
  const Problem problem = parsed("hooke: 1\nforces: {s: {spring: [a, b]}}\n", own);
  ASSERT_TRUE(problem.model.forces.at("s").get_if<OwnSpring>());
  EXPECT_EQ(problem.model.forces.at("s").get_if<OwnSpring>()->stretch, 7);
}

}  // namespace
}  // namespace hooke::test
