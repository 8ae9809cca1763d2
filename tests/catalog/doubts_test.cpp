// What is allowed in a model but seldom meant: units, signs and laws that were mistyped. Warnings, with their place.
#include <gmock/gmock.h>

#include "hooke/io/model/model_file.h"
#include "support/mechanisms.h"

namespace hooke::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const std::string& text) {
  Diagnostics diagnostics;
  const Problem problem = parse_model("hooke: 1\n" + text, "m.yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  return build(problem.model).warnings;
}

/// Of one force between two bodies that a slider joins.
std::vector<std::string> about_force(const std::string& force) {
  return warnings(R"(
bodies:
  left: {rigid: {mass: 1, inertia: 1}}
  right: {rigid: {mass: 1, inertia: 1}, at: [1, 0, 0]}
joints: {slide: {prismatic: [left, right], at: [1, 0, 0], axis: x}}
forces:
  it: )" + force + "\n");
}

std::vector<std::string> about_material(const std::string& material) {
  return warnings("bodies: {rod: {cosserat: {section: {circle: 0.01}, length: 1, material: " + material +
                  "}}}\n");
}

std::vector<std::string> about_start(const std::string& joint, const std::string& start) {
  return warnings("bodies: {arm: {rigid: {mass: 1, inertia: 1}}}\njoints:\n  A: {" + joint +
                  ": [ground, arm], at: [0, 0, 0], axis: z, start: " + start + "}\n");
}

TEST(Doubts, AForceWithoutALaw) {
  EXPECT_THAT(
      about_force("{spring: [left, right]}"),
      ElementsAre(
          "m.yaml:8:7: forces.it: has no law, so it does nothing: give it a stiffness, a damping or a law"));
  EXPECT_THAT(about_force("{spring: [left, right], free: 0.3}"), ElementsAre(HasSubstr("has no law")));
  EXPECT_THAT(about_force("{torsion-spring: [left, right], axis: x}"), ElementsAre(HasSubstr("has no law")));
  EXPECT_THAT(about_force("{joint-force: slide}"), ElementsAre(HasSubstr("has no law")));
  EXPECT_THAT(about_force("{bushing: [left, right], stiffness: 0}"),
              ElementsAre(HasSubstr("forces.it: does nothing")));
  EXPECT_THAT(warnings("bodies: {arm: {rigid: {mass: 1, inertia: 1}}}\n"
                       "joints: {A: {revolute: [ground, arm], axis: z, friction: {stick_rate: 1}}}\n"),
              ElementsAre(HasSubstr("joints.A.friction: does nothing")));
  for (const char* law :
       {"stiffness: 1", "damping: 1", "preload: 1", "elastic: \"x^3\"", "active: \"t\"", "law: \"v\""})
    EXPECT_THAT(about_force("{spring: [left, right], " + std::string(law) + "}"), IsEmpty()) << law;
}

TEST(Doubts, NegativeStiffnessAndDamping) {
  EXPECT_THAT(about_force("{spring: [left, right], stiffness: -5, damping: -0.1}"),
              ElementsAre(HasSubstr("forces.it.stiffness: is negative"),
                          HasSubstr("forces.it.damping: is negative: it feeds energy in")));
  EXPECT_THAT(about_force("{bushing: [left, right], stiffness: [1, 1, 1, 1, -1, 1], damping: -1}"),
              ElementsAre(HasSubstr("forces.it.stiffness"), HasSubstr("forces.it.damping")));
  EXPECT_THAT(about_force("{bushing: [left, right], stiffness: 1, damping: 1}"), IsEmpty());
}

TEST(Doubts, AFormulaWhoseTensionFallsWithTheRate) {
  for (const char* kind :
       {"spring: [left, right]", "torsion-spring: [left, right], axis: x", "joint-force: slide"})
    EXPECT_THAT(about_force("{" + std::string(kind) + ", law: \"4*sin(3*t) - 2*v - 0.5*x\"}"),
                ElementsAre(AllOf(HasSubstr("forces.it.law: falls with the rate v (by 2 "),
                                  HasSubstr("feeds energy in"))));
  EXPECT_THAT(about_force("{spring: [left, right], viscous: \"-v\"}"),
              ElementsAre(HasSubstr("forces.it.viscous")));
  EXPECT_THAT(about_force("{spring: [left, right], law: \"-(12 - 0.4*v)*step(t, 0, 0.1)\"}"), IsEmpty())
      << "a motor";
  EXPECT_THAT(about_force("{spring: [left, right], law: \"-1e6*max(0, 0.3 - x)\"}"), IsEmpty()) << "a stop";
}

TEST(Doubts, MaterialsInOtherUnits) {
  const auto is_doubted = [](const std::string& key) {
    return ElementsAre(HasSubstr("bodies.rod.cosserat.material." + key + ": "));
  };
  EXPECT_THAT(about_material("{young: 210000, density: 7850}"), is_doubted("young")) << "steel, MPa";
  EXPECT_THAT(about_material("{young: 210, density: 7850}"), is_doubted("young")) << "steel, GPa";
  EXPECT_THAT(about_material("{young: 7e4, density: 2700}"), is_doubted("young")) << "aluminium, MPa";
  EXPECT_THAT(about_material("{young: 3, density: 1200}"), is_doubted("young")) << "a polymer, GPa";
  EXPECT_THAT(about_material("{young: 2.1e14, density: 7850}"), is_doubted("young"));
  EXPECT_THAT(about_material("{young: 2.1e11, density: 7.85}"), is_doubted("density")) << "g/cm3";
  EXPECT_THAT(about_material("{young: 2.1e5, density: 7.85e-9}"), is_doubted("density")) << "t/mm3, MPa";
  EXPECT_THAT(about_material("{young: 2.1e11, density: 7850000}"), is_doubted("density"));
  for (const char* real :
       {"{young: 2.1e11, density: 7850}", "{young: 1.6e10, density: 11340}", "{young: 1e5, density: 1000}",
        "{young: 1e3, density: 1000}", "{young: 1e6, density: 3000}", "{young: 1.2e12, density: 3500}",
        "{young: 5e6, density: 20}", "{young: 1.3e11, density: 1600}"})
    EXPECT_THAT(about_material(real), IsEmpty()) << real;
}

TEST(Doubts, OneMaterialIsDoubtedOnce) {
  EXPECT_THAT(warnings("parameters: {n: 3}\nbodies:\n  for i in 1..n:\n    rod${i}: {cosserat: {section: "
                       "{circle: 0.01}, length: 1, "
                       "material: {young: 2e5, density: 7850}}}\n"),
              ElementsAre(HasSubstr("m.yaml:5:")));
}

TEST(Doubts, AnglesInDegrees) {
  EXPECT_THAT(
      about_start("revolute", "{angle: 90}"),
      ElementsAre(
          "m.yaml:4:71: joints.A.start.angle: 90 rad is 14.3 turns; for 90 degrees write \"${90*pi/180}\""));
  EXPECT_THAT(about_start("revolute", "{angle: {value: -30, rate: 1}}"),
              ElementsAre(HasSubstr("joints.A.start.angle")));
  EXPECT_THAT(about_start("revolute", "{angle: 22.5}"), ElementsAre(HasSubstr("22.5 degrees")));
  EXPECT_THAT(about_start("revolute", "{angle: 12.6}"), ElementsAre(HasSubstr("2.01 turns")));
  EXPECT_THAT(about_start("revolute", "{angle: 6}"), IsEmpty());
  EXPECT_THAT(about_start("revolute", "{angle: {rate: 90}}"), IsEmpty()) << "90 rad/s are nothing odd";
  EXPECT_THAT(about_start("prismatic", "{displacement: 90}"), IsEmpty()) << "in m";
  const auto turned = [](const char* angle) {
    return warnings("bodies: {arm: {rigid: {mass: 1, inertia: 1}, rotate: {axis: z, angle: " +
                    std::string(angle) + "}}}\n");
  };
  EXPECT_THAT(turned("90"), ElementsAre(HasSubstr("bodies.arm.rotate.angle: 90 rad is 14.3 turns")));
  EXPECT_THAT(turned("\"${5*pi}\""), IsEmpty()) << "of a loop, perhaps";
}

TEST(Doubts, AJointPlacedElsewhereThanItsFrame) {
  const auto with_place = [](const std::string& place) {
    return warnings(
        "bodies: {rod: {cosserat: {section: {circle: 0.01}, length: 1, material: {young: 2e11, poisson: 0.3, "
        "density: 7850}, elements: 2}, "
        "between: [[0, 0, 0], [1, 0, 0]]}}\njoints: {A: {revolute: [ground, rod.start], axis: y" +
        place + "}}\n");
  };
  EXPECT_THAT(with_place(", at: [0, 0, 0.2]"), ElementsAre(HasSubstr("0.2 m from 'rod.start'")));
  EXPECT_THAT(with_place(", at: [0, 0, 0]"), IsEmpty());
  EXPECT_THAT(with_place(""), IsEmpty());
}

}  // namespace
}  // namespace hooke::test
