// What the balances of energy and momentum are made of, for every kind of body, force and drive.
#include "hooke/catalog/drive_settings.h"
#include "support/drift.h"

namespace hooke::test {
namespace {

RodSettings damped_rod() {
  RodSettings settings = rod(RectangleSection{{0.05, 0.03}}, 1e7, 0.3, 1000, 1);
  settings.damping.times.setConstant(1e-3);
  return settings;
}

Model one(AnyBody formulation) {
  Model model;
  model.gravity = {0.1, 0.2, -9.81};
  model.bodies = {along_x(std::move(formulation), 1)};
  return model;
}

std::vector<std::pair<std::string, Model>> bodies() {
  SolidSettings solid;
  solid.mesh = BoxMesh{Vec3(1, 0.2, 0.2), {3, 1, 1}};
  solid.material = MaterialSettings{1e6, 0.3, 1000};
  SolidSettings elements = solid;
  elements.corotation = Corotation::element;
  return {{"rigid", tumbling_body()},
          {"cosserat1", one(cosserat(1).make(damped_rod(), 3))},
          {"cosserat2", one(cosserat(2).make(damped_rod(), 2))},
          {"ancf", one(ancf().make(damped_rod(), 3))},
          {"ffrf", one(ffrf(8).make(damped_rod(), 4))},
          {"solid", one(solid)},
          {"solid of elements", one(elements)}};
}

/// Deformed and in motion.
struct Stirred {
  explicit Stirred(const Model& model) : moving(hooke::test::moving(model)), state(moving.start) {
    Random random(7);
    const VectorX scale = system().dof_scale();
    system().plus(moving.start.q, 0.01 * random_vector(system().nv(), random).cwiseProduct(scale), state.q);
    state.v = random_vector(system().nv(), random).cwiseProduct(scale);
    workspace = system().workspace();
    system().update(state, *workspace);
  }
  const System& system() const { return moving.system(); }
  Moving moving;
  State state;
  std::unique_ptr<Workspace> workspace;
};

TEST(Balance, MassTimesVelocityIsThatOfTheResidual) {
  for (const auto& [name, model] : bodies()) {
    Stirred s(model);
    VectorX direct, by_residual;
    s.system().times_mass(s.state, *s.workspace, s.state.v, direct);
    s.system().Dae::times_mass(s.state, *s.workspace, s.state.v, by_residual);
    EXPECT_LT((direct - by_residual).norm(), 1e-10 * direct.norm()) << name;
    EXPECT_NEAR(0.5 * direct.dot(s.state.v) / s.system().energy(s.state, *s.workspace).kinetic, 1, 1e-12)
        << name;
  }
}

/// Nodes, or the reference frame, move by the twist, and nothing is strained.
TEST(Balance, RigidMotionsAreThoseOfTheWorld) {
  constexpr double eps = 1e-6;
  for (const auto& [name, model] : bodies()) {
    Model weightless = model;
    weightless.gravity.setZero();
    Stirred s(weightless);
    MatrixX T;
    ASSERT_TRUE(s.system().rigid_motions(s.state.q, T));
    for (int k = 0; k < 6; ++k) {
      State there = s.state, back = s.state;
      s.system().plus(s.state.q, eps * T.col(k), there.q);
      s.system().plus(s.state.q, -eps * T.col(k), back.q);
      const auto poses = [&](const State& state) {
        std::vector<FramePose> all = s.system().nodes(0, state);
        all.push_back(s.system().motion(0, state).pose);
        return all;
      };
      const auto now = poses(s.state), ahead = poses(there), behind = poses(back);
      const Vec3 along = Vec6::Unit(k).head<3>(), about = Vec6::Unit(k).tail<3>();
      for (std::size_t i = 0; i < now.size(); ++i) {
        const Vec3 velocity = (ahead[i].p - behind[i].p) / (2 * eps);
        EXPECT_LT((velocity - along - about.cross(now[i].p)).norm(), 1e-8) << name;
      }
      const auto potential = [&](const State& state) {
        s.system().update(state, *s.workspace);
        return s.system().energy(state, *s.workspace).potential;
      };
      const double scale = 1 + potential(s.state);
      EXPECT_NEAR((potential(there) - potential(back)) / (2 * eps * scale), 0, 1e-6) << name;
    }
  }
}

/// The rate of the energy, by differences along the motion, is the power.
void expect_power(const std::string& name, const Model& model) {
  constexpr double h = 2e-7;
  const Moving of = stirred(model, 0.3);
  State state = of.start;
  state.t = 0.1;
  const System& system = of.system();
  Projector projector(system, {});
  ASSERT_TRUE(projector.positions(state).converged) << name;
  ASSERT_TRUE(projector.velocities(state).converged) << name;
  ASSERT_TRUE(projector.accelerations(state).converged) << name;
  const auto workspace = system.workspace();
  const auto energy_at = [&](double t) {
    State there = state;
    there.t += t;
    system.plus(state.q, t * state.v + 0.5 * t * t * state.a, there.q);
    there.v += t * state.a;
    system.update(there, *workspace);
    return system.energy(there, *workspace).total();
  };
  const double rate = (energy_at(h) - energy_at(-h)) / (2 * h);
  VectorX r;
  system.update(state, *workspace);
  system.residual(state, *workspace, r);
  const double scale = 1e-3 + system.energy(state, *workspace).kinetic;
  EXPECT_NEAR(system.power(state, *workspace).net() / scale, rate / scale,
              2e-6 * (1 + std::abs(rate / scale)))
      << name;
}

TEST(Balance, DampedBodiesLoseTheirPower) {
  for (auto [name, model] : bodies()) {
    if (auto* solid = model.bodies[0].second.formulation.get_if<SolidSettings>()) {
      solid->mass_damping = 0.3;
      solid->stiffness_damping = 1e-3;
    }
    expect_power(name, model);
  }
}

TEST(Balance, ForcesAndDrivesGiveTheirPower) {
  const auto with = [](const std::string& name, auto&& change) {
    Model model = slider_crank();
    change(model);
    expect_power(name, model);
  };
  const auto spring = [](LawSettings law) {
    return SpringSettings{.between = {"ground", "slider"},
                          .points = {Vec3(0.6, 0, 0.1), Vec3(0.2, 0, 0)},
                          .law = std::move(law)};
  };
  with("nothing", [](Model&) {});
  with("spring", [&](Model& m) { m.forces["s"] = spring({.stiffness = 30, .damping = 2}); });
  with("formula", [&](Model& m) { m.forces["s"] = spring({.law = LawFormula{"30*(x - 0.3)^3 + 2*v"}}); });
  with("active", [&](Model& m) { m.forces["s"] = spring({.law = LawFormula{"30*(x - 0.3) + sin(t)"}}); });
  with("load", [](Model& m) {
    m.forces["l"] = LoadSettings{.on = "slider", .force = {{1, 2, 3}}, .torque = {{0, 1, 0}}};
  });
  with("friction", [](Model& m) {
    m.joints["A"].get_if<RevoluteSettings>()->friction = FrictionSettings{.viscous = 0.01, .coulomb = 0.1};
  });
  with("drive", [](Model& m) {
    m.bodies.push_back(rigid("fan", 0.1, {1e-4, 1e-4, 1e-4}, {0, 0.5, 0}));
    m.joints.push_back(joint("shaft", "revolute", "ground", "fan", Vec3(0, 0.5, 0), unit_y));
    m.drives["motor"] = JointDriveSettings{.joint = "shaft", .function = Function::expression("3*t^2")};
  });
}

}  // namespace
}  // namespace hooke::test
