// Inputs that the world sets between steps, and code in place of formulas.
#include <gmock/gmock.h>

#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

/// An arm on a hinge, without gravity, with a torque on it.
Problem driven(LawSettings law) {
  Problem problem;
  problem.model.bodies["arm"] = {RigidSettings{.mass = 1.0, .shape = BoxShape{{0.1, 1, 0.1}}}, {}};
  problem.model.joints["pivot"] = RevoluteSettings{.between = {"ground", "arm"}, .at = zero3, .axis = unit_x};
  problem.model.forces["motor"] = JointForceSettings{.coordinate = "pivot", .law = std::move(law)};
  problem.run.step = 1e-3;
  return problem;
}

constexpr double inertia = (1 + 0.01) / 12;

TEST(Inputs, ActFromNowOn) {
  Problem problem = driven({.active = Function::of_signals("-torque")});
  problem.model.control["torque"] = ParameterBlock{.value = 0};
  Simulation simulation(problem);
  simulation.step();
  EXPECT_EQ(simulation.joint("pivot").angle(), 0);
  simulation.set_input("torque", 2);
  EXPECT_EQ(simulation.input("torque"), 2);
  EXPECT_NEAR(simulation.body("arm").angular_acceleration().x(), 2 / inertia, 1e-9);
  for (int i = 0; i < 100; ++i) simulation.step();
  EXPECT_NEAR(simulation.joint("pivot").angle(), 0.5 * 2 / inertia * 0.01, 1e-9);
  simulation.set_input("torque", 0);
  EXPECT_NEAR(simulation.body("arm").angular_acceleration().x(), 0, 1e-9);
  EXPECT_THAT([&] { simulation.set_input("torqe", 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("did you mean 'torque'")));
}

TEST(Inputs, AdvanceCanBeCancelled) {
  Simulation simulation(driven({.stiffness = 1}));
  int steps = 0;
  simulation.advance(1, [&] { return ++steps == 5; });
  EXPECT_NEAR(simulation.time(), 5e-3, 1e-12);
}

/// A document as a program in another language makes it: values, and code where a formula would stand.
TEST(UserCode, StandsWhereAFormulaDoes) {
  const auto code =
      std::make_shared<UserCode>(UserCode{[](std::span<const double> in, std::span<double> slopes) {
                                            if (!slopes.empty()) slopes[0] = 3, slopes[1] = 0.5;
                                            return 3 * in[0] + 0.5 * in[1] - 1;
                                          },
                                          true});
  const auto read_with = [&](std::shared_ptr<const UserCode> law) {
    Diagnostics diagnostics;
    Document document = parse_document(
        "hooke: 1\nbodies: {arm: {rigid: {mass: 1, inertia: 0.1}}}\njoints: {pivot: {revolute: [ground, "
        "arm], "
        "at: [0, 0, 0], axis: x}}\nforces: {motor: {joint-force: pivot, law: '3*x + 0.5*v - 1'}}",
        "text", {}, diagnostics);
    Value root = document.root();
    root.find("forces")->find("motor")->find("law")->code = std::move(law);
    Problem problem = read_model(Document(std::move(root), {}), diagnostics);
    diagnostics.throw_if_errors();
    return problem;
  };
  Simulation by_formula(read_with(nullptr)), by_code(read_with(code));
  by_formula.advance(1);
  by_code.advance(1);
  EXPECT_NEAR(by_code.joint("pivot").angle(), by_formula.joint("pivot").angle(), 1e-12);
  EXPECT_THAT([&] { write_model(by_code.problem()); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("cannot be written")));
}

}  // namespace
}  // namespace hooke
