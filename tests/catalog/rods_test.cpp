// Rods in a model: where they lie, what is attached to them, how they start.
#include "support/rods.h"
#include "hooke/analysis/assembly.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;

std::vector<RodType> all_types() { return {cosserat(1), cosserat(2), ancf(), ffrf(8)}; }

RodSettings steel() { return rod(CircleSection{8.21036e-3}, 2.07e11, 0.29, 7870, 0.3); }

std::string problem(const Model& model) {
  try {
    build(model);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Rods, LieBetweenTwoPointsAsRigidBodiesDo) {
  for (const RodType& type : all_types()) {
    RodSettings settings = steel();
    settings.length.reset();
    Model model;
    model.bodies["rod"] = {.formulation = type.make(settings, 4),
                           .between = {{Vec3(1, 0, 0), Vec3(1, 2, 0)}}};
    const BuiltModel built = build(model);
    const auto nodes = built.system->nodes(0, built.system->initial_state());
    EXPECT_LT((nodes.front().p - Vec3(1, 0, 0)).norm(), 1e-12) << type.name;
    EXPECT_LT((nodes.back().p - Vec3(1, 2, 0)).norm(), 1e-12) << type.name;
    EXPECT_LT((nodes.back().R.col(2) - unit_y).norm(), 1e-12) << type.name;
    EXPECT_NEAR(built.system->mass_properties(0).mass, 7870 * M_PI * 8.21036e-3 * 8.21036e-3 * 2, 1e-9);
    model.bodies["rod"].between.reset();
    EXPECT_THAT(problem(model), HasSubstr("bodies.rod: a rod needs its 'length'"));
  }
}

/// A frame at an arc length is where a frame at the same place is, and both hold.
TEST(Rods, FramesByArcLengthAndByPlace) {
  for (const RodType& type : all_types()) {
    Model model;
    model.bodies = {along_x(type.make(steel(), 4), 0.3)};
    FrameSettings arc, place;
    arc.arc = 0.2;
    arc.at = Vec3(0.01, 0, 0);
    place.at = Vec3(0.01, 0, 0.05);
    model.bodies["rod"].frames = {{"arc", arc}, {"place", place}};
    for (const std::string frame : {"arc", "place", "start", "end"})
      model.joints["at_" + frame] = SphericalSettings{.between = {"ground", "rod." + frame}};
    const BuiltModel built = build(model);
    auto workspace = built.system->workspace();
    built.system->update(built.system->initial_state(), *workspace);
    const auto& poses = static_cast<SystemWorkspace&>(*workspace).frames.pose;
    const Vec3 expected[] = {{0.2, 0.01, 0}, {0.2, 0.01, 0}, {0, 0, 0}, {0.3, 0, 0}};
    for (int k = 0; k < 4; ++k)
      EXPECT_LT((poses[built.joints[k].frames[1]].p - expected[k]).norm(), 1e-12) << type.name << k;
  }
}

TEST(Rods, WrongFrames) {
  Model model = cantilever(cosserat(2), steel(), 4);
  model.joints["clamp"] = FixedSettings{.between = {"ground", "rod.strat"}};
  EXPECT_THAT(problem(model), HasSubstr("body 'rod' has no frame named 'strat' (did you mean 'start'?)"));
  FrameSettings frame;
  frame.arc = 0.4;
  model.bodies["rod"].frames = {{"far", frame}};
  model.joints["clamp"] = FixedSettings{.between = {"ground", "rod.far"}};
  EXPECT_THAT(problem(model), HasSubstr("bodies.rod.frames.far.arc: the rod is only 0.3 m long"));
  model.bodies["rod"].formulation = rigid("", 1, {1, 1, 1}, zero3).second.formulation;
  EXPECT_THAT(problem(model), HasSubstr("only a rod has an arc length"));
}

/// The crank turns with 6 rad/s at the start; the rod moves as a rigid one would, and is not strained.
TEST(Rods, StartUndeformed) {
  double rigid_energy = 0;
  for (int k = -1; k < 4; ++k) {
    Model model = slider_crank();
    model.gravity.setZero();
    model.bodies["crank"].angular_velocity.reset();
    model.joints.at("A").get_if<RevoluteSettings>()->start["angle"].rate = 6;
    model.joints.at("C").get_if<UniversalSettings>()->axis2 = Vec3(0, 0.2, -0.1);
    if (k < 0) {
      RigidSettings rod;
      rod.shape = CylinderShape{8.21036e-3, 0.3};
      rod.density = 7870;
      model.bodies["rod"].formulation = rod;
    } else {
      model.bodies["rod"].formulation = all_types()[k].make(steel(), 4);
    }
    const BuiltModel built = build(model);
    const Start start = assemble_start(model, built, {}, 0);
    auto workspace = built.system->workspace();
    built.system->update(start.state, *workspace);
    const Energy energy = built.system->energy(start.state, *workspace);
    if (k < 0) rigid_energy = energy.kinetic;
    EXPECT_LT(energy.potential, 1e-15);
    EXPECT_NEAR(energy.kinetic / rigid_energy, 1, 1e-6) << k;
    EXPECT_TRUE(start.warnings.empty());
  }
}

}  // namespace
}  // namespace hooke::test
