// What a System must be for every joint, drive and force between every pair of body types, at random states
// off the constraints: its matrices are the derivatives of its residual, its constraints of each other.
#include <Eigen/Dense>

#include "system/examples.h"

namespace hooke::test {
namespace {

/// Small enough for the angles of sections that are far from square.
MatrixX derivative(const std::function<VectorX(const VectorX&)>& f, int n) {
  return finite_difference(f, n, 3e-5);
}

/// A System at a state, evaluated with one call each.
struct Probe {
  const System& system;
  std::unique_ptr<Workspace> workspace = system.workspace();
  KktMatrix kkt{system.structure()};

  VectorX residual(const State& state) {
    VectorX r;
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    return r;
  }
  VectorX position(const State& state) { return constraints(&System::position_constraints, state); }
  VectorX velocity(const State& state) { return constraints(&System::velocity_constraints, state); }
  VectorX acceleration(const State& state) { return constraints(&System::acceleration_constraints, state); }
  double energy(const State& state) {
    system.update(state, *workspace);
    return system.energy(state, *workspace).total();
  }

  MatrixX tangent(const State& state, const Weights& weights) {
    residual(state);  // leaves the wrenches that the tangent needs
    system.tangent(state, weights, *workspace, kkt);
    return kkt.matrix.dense();
  }
  MatrixX C(const State& state, const Weights& weights) {
    return tangent(state, weights).topLeftCorner(system.nv(), system.nv());
  }
  MatrixX G(const State& state) {
    return tangent(state, {.m = 1}).bottomLeftCorner(system.nc(), system.nv());
  }

  State moved(State state, const VectorX& x) const {
    const VectorX q = state.q;
    system.plus(q, x, state.q);
    return state;
  }

 private:
  VectorX constraints(void (System::*which)(const State&, Workspace&, VectorX&) const, const State& state) {
    VectorX g;
    system.update(state, *workspace);
    (system.*which)(state, *workspace, g);
    return g;
  }
};

class SystemContract : public ::testing::TestWithParam<Item> {
 protected:
  Random random{3};

  /// Where an angle is near a position without direction its rate, and forces by it, drown all else.
  static bool is_without_direction(Probe& probe, const State& state) {
    return probe.residual(state).norm() > 1000 || probe.C(state, {.m = 0, .d = 0, .k = 1}).norm() > 1e4;
  }

  void on_random_states(const std::function<void(Probe&, const State&)>& check,
                        bool conservative_only = false, bool exact_only = false, double away = 0.5) {
    for (const BodyPair& pair : body_pairs())
      for (int i = 0; i < 2; ++i) {
        if (conservative_only && !pair.is_conservative()) continue;
        if (exact_only && !pair.is_exact()) continue;
        SCOPED_TRACE(pair.name());
        const BuiltModel built = build(model_with(GetParam(), pair, random));
        Probe probe{*built.system};
        const System& system = *built.system;
        State state;
        do {
          state = probe.moved(system.initial_state(), away * random_vector(system.nv(), random));
          state.t = 0.4;
          state.v = random_vector(system.nv(), random);
          state.a = random_vector(system.nv(), random);
          state.lambda = random_vector(system.nc(), random);
        } while (is_without_direction(probe, state));
        system.update(state, *probe.workspace);
        system.accept(state, *probe.workspace);
        check(probe, state);
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Every, SystemContract, ::testing::ValuesIn(items()), [](const auto& test) {
  std::string name = test.param.name;
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
});

TEST_P(SystemContract, MassDampingAndStiffnessAreTheDerivativesOfTheResidual) {
  on_random_states([](Probe& probe, const State& state) {
    const int n = probe.system.nv();
    // The residual is linear in a: unit steps are exact, and round-off of large elastic forces is not magnified.
    MatrixX M(n, n);
    State changed_a = state;
    changed_a.a.setZero();
    const VectorX without = probe.residual(changed_a);
    for (int i = 0; i < n; ++i) {
      changed_a.a = VectorX::Unit(n, i);
      M.col(i) = probe.residual(changed_a) - without;
    }
    const auto of_v = [&](const VectorX& x) {
      State changed = state;
      changed.v += x;
      return probe.residual(changed);
    };
    const auto of_q = [&](const VectorX& x) { return probe.residual(probe.moved(state, x)); };
    const MatrixX D = derivative(of_v, n), K = derivative(of_q, n);
    EXPECT_MATRIX_NEAR(probe.C(state, {.m = 1, .d = 0, .k = 0}), M, 1e-8);
    EXPECT_MATRIX_NEAR(probe.C(state, {.m = 0, .d = 1, .k = 0}), D, 1e-8);
    EXPECT_MATRIX_NEAR(probe.C(state, {.m = 0, .d = 0, .k = 1}), K, 1e-8);
    EXPECT_MATRIX_NEAR(probe.C(state, {.m = 2, .d = 0.3, .k = 0.7}), 2 * M + 0.3 * D + 0.7 * K, 1e-8);
  });
}

/// Second order shapes are an expansion in small deformation: a constant mass with them leaves out how much less they let a bent
/// body resist a push at its frame, and is positive only where modes move no node by more than about a twelfth of the length,
/// all together by a quarter (docs/theory/solids.md, 3.3). 0.05 is a twentieth, in each of seven modes.
TEST_P(SystemContract, MassIsSymmetricAndPositive) {
  const auto is_symmetric = [](Probe& probe, const State& state) {
    const MatrixX M = probe.C(state, {.m = 1});
    EXPECT_MATRIX_NEAR(M, M.transpose(), 1e-15);
  };
  const auto is_positive = [](Probe& probe, const State& state) {
    EXPECT_GT(probe.C(state, {.m = 1}).selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  };
  on_random_states(is_symmetric);
  on_random_states(is_positive, false, true);
  on_random_states(is_positive, false, false, 0.05);
}

/// The configuration of a step is q_n (+) x; v and a follow x, and an increment of q changes x by T^-1(x)
/// times as much.
TEST_P(SystemContract, TangentOfAStepCarriesTheTangentOfTheManifold) {
  on_random_states([this](Probe& probe, const State& before) {
    const System& system = probe.system;
    const double m = 2, d = 0.6, k = 0.3;
    VectorX x0;
    State state;
    do {
      x0 = random_vector(system.nv(), random);
      state = probe.moved(before, x0);
    } while (is_without_direction(probe, state));
    const auto step_map = [&](const VectorX& dq) {
      State changed = probe.moved(state, dq);
      VectorX x;
      system.minus(changed.q, before.q, x);
      changed.v += d / k * (x - x0);
      changed.a += m / k * (x - x0);
      return VectorX(k * probe.residual(changed));
    };
    EXPECT_MATRIX_NEAR(probe.C(state, {m, d, k, &x0}), derivative(step_map, system.nv()), 1e-8);
  });
}

TEST_P(SystemContract, RowsAreTheDerivativeOfThePositionConstraints) {
  on_random_states([](Probe& probe, const State& state) {
    const auto g = [&](const VectorX& x) { return probe.position(probe.moved(state, x)); };
    EXPECT_MATRIX_NEAR(probe.G(state), derivative(g, probe.system.nv()), 1e-8);
    const MatrixX kkt = probe.tangent(state, {.m = 1, .d = 2, .k = 3});
    const int n = probe.system.nv(), m = probe.system.nc();
    EXPECT_EQ(kkt.bottomLeftCorner(m, n), kkt.topRightCorner(n, m).transpose());
    EXPECT_TRUE(kkt.bottomRightCorner(m, m).isZero(0));
  });
}

TEST_P(SystemContract, VelocityConstraintsAreTheRateOfThePositionConstraints) {
  on_random_states([](Probe& probe, const State& state) {
    const auto g = [&](const VectorX& dt) {
      State later = state;
      later.t += dt[0];
      return probe.position(later);
    };
    const VectorX g_t = derivative(g, 1);
    EXPECT_MATRIX_NEAR(probe.velocity(state), probe.G(state) * state.v + g_t, 1e-8);
  });
}

TEST_P(SystemContract, AccelerationConstraintsAreTheRateOfTheVelocityConstraints) {
  on_random_states([](Probe& probe, const State& state) {
    const auto along = [&](const VectorX& dt) {
      State later = probe.moved(state, dt[0] * state.v);
      later.t += dt[0];
      later.v += dt[0] * state.a;
      return probe.velocity(later);
    };
    EXPECT_MATRIX_NEAR(probe.acceleration(state), derivative(along, 1), 1e-8);
  });
}

TEST_P(SystemContract, ReactionsDoNoWorkOnMotionsTheConstraintsAllow) {
  on_random_states([](Probe& probe, State state) {
    if (probe.system.nc() == 0) return;
    State at_rest = state;  // without g_t: the motions allowed at this instant
    at_rest.v.setZero();
    const VectorX g_t = probe.velocity(at_rest);
    const auto solve = probe.G(state).completeOrthogonalDecomposition();
    state.v -= solve.solve(probe.velocity(state) - g_t);
    ASSERT_LT((probe.velocity(state) - g_t).norm(), 1e-13);

    State unloaded = state;
    unloaded.lambda.setZero();
    const VectorX reactions = probe.residual(state) - probe.residual(unloaded);
    EXPECT_GT(reactions.norm(), 0);
    EXPECT_NEAR(state.v.dot(reactions), 0,
                1e-14 * (1 + state.v.cwiseAbs().dot(probe.residual(state).cwiseAbs())));

    double power = 0;  // the same, as the joints report it
    auto& w = static_cast<SystemWorkspace&>(*probe.workspace);
    probe.system.update(state, w);
    for (int c = 0; c < probe.system.constraints(); ++c) {
      const std::string& name = probe.system.constraint_name(c);
      const int frames = name == "gear" || name == "rack" ? 4 : 2;
      for (int k = 0; k < frames; ++k)
        power +=
            probe.system.reaction(c, k, state, w).dot(w.frames.twist[probe.system.constraint_frame(c, k)]);
    }
    EXPECT_NEAR(power, 0, 1e-13);
  });
}

TEST_P(SystemContract, WithoutDissipationThePowerOfForcesIsTheLossOfEnergy) {
  if (!GetParam().is_conservative) return;
  on_random_states(
      [](Probe& probe, State state) {
        state.lambda.setZero();
        state.a.setZero();
        const auto potential = [&](const VectorX& x) {
          State still = probe.moved(state, x);
          still.v.setZero();
          return VectorX(VectorX::Constant(1, probe.energy(still)));
        };
        State still = state;
        still.v.setZero();
        EXPECT_MATRIX_NEAR(probe.residual(still).transpose(), derivative(potential, probe.system.nv()), 1e-8);
        // and inertia forces at constant v take what the kinetic energy gains (nothing where the mass is
        // constant)
        const auto kinetic = [&](const VectorX& dt) {
          const State later = probe.moved(state, dt[0] * state.v);
          probe.system.update(later, *probe.workspace);
          return VectorX(VectorX::Constant(1, probe.system.energy(later, *probe.workspace).kinetic));
        };
        // Differences have round-off in the unit of the energy: with Euler parameters it is tens of joules.
        EXPECT_NEAR(state.v.dot(probe.residual(state) - probe.residual(still)), derivative(kinetic, 1)(0, 0),
                    1e-10 * std::max(1.0, kinetic(VectorX::Zero(1))[0]));
      },
      true);
}

TEST_P(SystemContract, WhatIsSuppliedAndDissipatedClosesTheAccountOfEnergy) {
  on_random_states(
      [](Probe& probe, State state) {
        state.lambda.setZero();
        state.a.setZero();
        state.v.tail(probe.system.first_order_states()).setZero();  // which have no energy
        const auto energy = [&](const VectorX& dt) {
          return VectorX(VectorX::Constant(1, probe.energy(probe.moved(state, dt[0] * state.v))));
        };
        probe.system.update(state, *probe.workspace);
        const double net = probe.system.power(state, *probe.workspace).net();
        const double rate = derivative(energy, 1)(0, 0);
        EXPECT_NEAR(rate, state.v.dot(probe.residual(state)) + net, 1e-8 * (1 + std::abs(rate)));
      },
      false, true);
}

TEST_P(SystemContract, KineticEnergyIsThatOfTheMassMatrix) {
  on_random_states([](Probe& probe, State state) {
    state.v.tail(probe.system.first_order_states()).setZero();
    probe.system.update(state, *probe.workspace);
    EXPECT_NEAR(probe.system.energy(state, *probe.workspace).kinetic,
                0.5 * state.v.dot(probe.C(state, {.m = 1}) * state.v), 1e-12);
  });
}

}  // namespace
}  // namespace hooke::test
