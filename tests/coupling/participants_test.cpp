// The force-displacement coupling knows its participants by the contract alone: a subsystem of a Hooke model,
// a linear system, a formula are coupled to each other.
#include <gtest/gtest.h>

#include "../papers/schneider/two_masses.h"
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/coupling/linear_sides.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/results/results_reader.h"
#include "hooke/simulation/force_displacement.h"
#include "hooke/simulation/linear_run.h"

namespace hooke {
namespace {

constexpr int rate_of_position[] = {-1, 0, -1};
const std::vector<int> rates(rate_of_position, rate_of_position + 3);

ForceDisplacementSettings settings(int force, int motion, CouplingForces forces) {
  return {{"F"}, force, motion, forces};
}

/// Both sides of the two masses of the paper, from matrices.
LinearSides two_sides() {
  const TwoMasses m;
  LinearSides sides;
  const auto one = [](double value) { return MatrixX::Constant(1, 1, value); };
  sides.forced = {one(m.m_R), one(m.d_R), one(m.c_R), one(1)};
  const MatrixX springs = (MatrixX(2, 2) << 1, -1, -1, 2).finished();
  sides.displaced = {Eigen::Vector2d(m.m_F, m.m_in).asDiagonal(), m.d_F * springs, m.c_F * springs,
                     (MatrixX(1, 2) << 1, 0).finished(), one(-1)};
  sides.displaced.inner_rows = MatrixX::Zero(0, 2);
  sides.displaced.joint_mass = joint_mass(sides.displaced);
  return sides;
}

/// Positions of both masses at the macro points.
double error_of_two(CouplingForces forces, int of_force, int of_motion, double h) {
  const LinearPair pair = pair_of(two_sides());
  LinearParticipant R("R", pair.forced, Eigen::Vector2d(1, 0)),
      F("F", pair.displaced, Eigen::Vector2d(1, 0), rates);
  ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}, [&] { return pair.joint_mass; }}},
                                     settings(of_force, of_motion, forces));
  EXPECT_EQ(coupling.begin(0), "");
  const MatrixX E = MatrixX(h * TwoMasses{}.whole()).exp();
  VectorX exact = Vec4(1, 1, 0, 0);
  double worst = 0;
  for (int k = 0; k < static_cast<int>(std::lround(2 / h)); ++k) {
    EXPECT_EQ(coupling.step(h).failure, "");
    exact = (E * exact).eval();
    worst = std::max({worst, std::abs(R.state()[0] - exact[0]), std::abs(F.state()[0] - exact[1])});
  }
  return worst;
}

TEST(Participants, LinearOnesConvergeToTheExponential) {
  for (const CouplingForces forces :
       {CouplingForces::exact, CouplingForces::small, CouplingForces::approximate})
    EXPECT_NEAR(std::log2(error_of_two(forces, 0, 1, 2.5e-3) / error_of_two(forces, 0, 1, 1.25e-3)), 1, 0.05);
  EXPECT_NEAR(std::log2(error_of_two(CouplingForces::exact, 1, 2, 2.5e-3) /
                        error_of_two(CouplingForces::exact, 1, 2, 1.25e-3)),
              2, 0.05);
}

TEST(Participants, AMacroStepThatIsTakenBackIsRepeatedToTheLastBit) {
  const LinearPair pair = pair_of(two_sides());
  LinearParticipant R("R", pair.forced, Eigen::Vector2d(1, 0)),
      F("F", pair.displaced, Eigen::Vector2d(1, 0), rates);
  ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}}},
                                     settings(1, 2, CouplingForces::exact));
  ASSERT_EQ(coupling.begin(0), "");
  for (int k = 0; k < 3; ++k) coupling.step(0.01);
  const VectorX before = coupling.motions();
  coupling.step(0.01);
  const VectorX once = R.state(), w = coupling.reactions();
  coupling.restore();
  EXPECT_EQ(coupling.motions(), before);
  coupling.step(0.02);
  coupling.restore();
  coupling.step(0.01);
  EXPECT_EQ(R.state(), once);
  EXPECT_EQ(coupling.reactions(), w);
}

/// A structure a hundred times as heavy as what moves it. Reactions by approximate forces grow without bound; corrected
/// ones do not, and converge to the whole, with second order where forces are interpolated linearly.
TEST(Participants, CorrectionsLiftTheLimitOfTheMasses) {
  const auto error = [](double ratio, int corrections, double h) {
    LinearSides sides = two_sides();
    sides.displaced.M *= ratio;
    sides.displaced.joint_mass = joint_mass(sides.displaced);
    const LinearPair pair = pair_of(sides);
    LinearParticipant R("R", pair.forced, Eigen::Vector2d(1, 0)),
        F("F", pair.displaced, Eigen::Vector2d(1, 0), rates);
    ForceDisplacementSettings chosen = settings(1, 2, CouplingForces::approximate);
    chosen.corrections = corrections;
    ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}}}, chosen);
    EXPECT_EQ(coupling.begin(0), "");
    TwoMasses masses;
    masses.m_F *= ratio, masses.m_in *= ratio;
    const MatrixX E = MatrixX(h * masses.whole()).exp();
    VectorX exact = Vec4(1, 1, 0, 0);
    double worst = 0;
    for (int k = 0; k < static_cast<int>(std::lround(1 / h)) && worst < 1e6; ++k) {
      EXPECT_EQ(coupling.step(h).failure, "");
      exact = (E * exact).eval();
      worst = std::max({worst, std::abs(R.state()[0] - exact[0]), std::abs(F.state()[0] - exact[1])});
    }
    EXPECT_LT(coupling.left(), 1e-9);
    return worst;
  };
  for (const double ratio : {0.01, 1.0, 100.0}) {
    EXPECT_LT(error(ratio, 8, 5e-3), 0.05) << ratio;
    EXPECT_NEAR(std::log2(error(ratio, 8, 5e-3) / error(ratio, 8, 2.5e-3)), 2, 0.15) << ratio;
  }
  EXPECT_GT(error(100, 0, 5e-3), 1e3);
}

/// What is run is what is analysed: the macro step as a matrix (51) and as participants, to the last digits.
TEST(Participants, LinearOnesDoWhatTheAnalysisSays) {
  const LinearPair pair = pair_of(two_sides());
  const double h = 0.02;
  for (const CouplingForces forces : {CouplingForces::exact, CouplingForces::approximate})
    for (const CouplingOrder order : {CouplingOrder::jacobi, CouplingOrder::gauss_seidel})
      for (const CouplingExchange exchange : {CouplingExchange::side_by_side, CouplingExchange::in_turn}) {
        ForceDisplacementSettings chosen = settings(1, 1, forces);
        chosen.order = order, chosen.exchange = exchange;
        LinearParticipant R("R", pair.forced, Eigen::Vector2d(1, 0)),
            F("F", pair.displaced, Eigen::Vector2d(1, 0), rates);
        ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}}}, chosen);
        ASSERT_EQ(coupling.begin(0), "");
        VectorX u(5);  // w; x, v, accelerations without and with reaction
        const double w = coupling.reactions()[0], free = (pair.forced.C * R.state())[2];
        u << w, coupling.motions()[0], coupling.motions()[1], free, coupling.motions()[2];
        const MatrixX expected = simulate(couple(pair, chosen), h, 30, Vec4(1, 0, 1, 0), u);
        for (int k = 0; k < 30; ++k) ASSERT_EQ(coupling.step(h).failure, "");
        EXPECT_LT((expected.col(30).head(2) - R.state()).norm(), 1e-9) << to_word(forces) << to_word(order);
        EXPECT_LT((expected.col(30).tail(2) - F.state()).norm(), 1e-9) << to_word(forces) << to_word(order);
      }
}

/// Another program, or here a formula: a spring and a damper, which know no courses but values only.
class Spring final : public Participant {
 public:
  const std::string& name() const override { return name_; }
  int inputs() const override { return 3; }
  int outputs() const override { return 1; }
  void save() override {}
  void restore() override {}
  void set_input(const VectorX& u) override { u_ = u; }
  Report advance(double) override { return {}; }
  void output(VectorX& y) const override { y[0] = -50 * u_[0] - 2 * u_[1]; }
  std::string output_name(int) const override { return "force"; }

 private:
  std::string name_ = "spring";
  VectorX u_;
};

TEST(Participants, AFormulaOnALinearSystem) {
  const auto error = [](double h) {
    StateSpace mass;  // 2 x'' = w
    mass.A = (MatrixX(2, 2) << 0, 1, 0, 0).finished();
    mass.B = (MatrixX(2, 1) << 0, 0.5).finished();
    mass.C = (MatrixX(3, 2) << 1, 0, 0, 1, 0, 0).finished();
    mass.D = (MatrixX(3, 1) << 0, 0, 0.5).finished();
    LinearParticipant R("mass", mass, Eigen::Vector2d(1, 0));
    Spring F;
    ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}}},
                                       settings(1, 1, CouplingForces::approximate));
    EXPECT_EQ(coupling.begin(0), "");
    for (int k = 0; k < static_cast<int>(std::lround(1 / h)); ++k) EXPECT_EQ(coupling.step(h).failure, "");
    const double omega = std::sqrt(25 - 0.25);
    return std::abs(R.state()[0] - std::exp(-0.5) * (std::cos(omega) + 0.5 / omega * std::sin(omega)));
  };
  EXPECT_LT(error(1e-3), 1e-4);
  EXPECT_NEAR(std::log2(error(2e-3) / error(1e-3)), 2, 0.1);
}

/// The linear structure at a body of a Hooke model, on a rail along x: from the frame's motion to its own.
class OnRail final : public Participant {
 public:
  explicit OnRail(LinearParticipant& inner) : inner_(inner) {}
  const std::string& name() const override { return inner_.name(); }
  int inputs() const override { return frame_motions; }
  int outputs() const override { return 6; }
  void save() override { inner_.save(); }
  void restore() override { inner_.restore(); }
  void set_input(const VectorX& u) override { inner_.set_input(u(along_x)); }
  void set_course(const MatrixX& course) override { inner_.set_course(course(along_x, Eigen::all)); }
  Report advance(double h) override { return inner_.advance(h); }
  void output(VectorX& y) const override {
    VectorX w(1);
    inner_.output(w);
    y.setZero();
    y[0] = w[0];
  }
  std::string output_name(int i) const override { return inner_.output_name(i); }

 private:
  static constexpr std::array along_x{0, 7, 13};
  LinearParticipant& inner_;
};

const char* const carriage = R"(
hooke: 1
bodies:
  R: {rigid: {mass: 5, inertia: 1}}
  dummy: {rigid: {mass: 1, inertia: 1}}
joints:
  rail: {prismatic: [ground, R], axis: x, start: {displacement: 1}}
  weld: {fixed: [R, dummy], at: [0, 0, 0]}
forces:
  c_R: {joint-force: rail, stiffness: 100, damping: 1}
subsystems: {multibody: [R], structure: [dummy]}
coupling: {force-displacement: {displaced: structure}}
run: {integrator: dormand-prince, step: 1e-3, end: 1}
)";

TEST(Participants, ALinearSystemOnAHookeModel) {
  const LinearPair pair = pair_of(two_sides());
  const auto error = [&](double h) {
    Diagnostics diagnostics;
    const Problem file = parse_model(carriage, "test.yaml", {}, diagnostics);
    diagnostics.throw_if_errors();
    const Simulation simulation(file);
    const auto made = make_force_displacement(file, simulation.built());  // of it, the forced side is used
    EXPECT_EQ(made->begin(simulation.start().state), "");
    LinearParticipant structure("structure", pair.displaced, Eigen::Vector2d(1, 0), rates);
    OnRail F(structure);
    ForceDisplacementCoupling coupling({{frame_positions, frame_rates}}, {{&made->forced(), {0}}},
                                       {{&F, {0}}}, settings(1, 2, CouplingForces::exact));
    EXPECT_EQ(coupling.begin(0), "");
    const int steps = static_cast<int>(std::lround(1 / h));
    for (int k = 0; k < steps; ++k) EXPECT_EQ(coupling.step(h).failure, "");
    const VectorX exact = MatrixX(TwoMasses{}.whole()).exp() * Vec4(1, 1, 0, 0);
    return std::max(std::abs(coupling.motions()[0] - exact[0]), std::abs(structure.state()[0] - exact[1]));
  };
  EXPECT_LT(error(2e-3), 1e-4);
  EXPECT_NEAR(std::log2(error(4e-3) / error(2e-3)), 2, 0.1);
}

/// models/coupled/two_masses.yaml as a user runs it, in both forms, against the exponential.
TEST(LinearRun, IsTheExponential) {
  const auto error = [](double h, const char* file) {
    const auto model =
        read_linear_model(std::string(HOOKE_ROOT "/models/coupled/") + file, {fmt::format("run.step={}", h)});
    const std::string path = ::testing::TempDir() + "linear.h5";
    const Summary summary = run(*model, {.results = path});
    EXPECT_EQ(summary.failure, "");
    const ResultsReader results(path);
    const std::vector<double> t = results.read("time"), R = results.read("linear.multibody.z1"),
                              inner = results.read(model->subsystems[1].system ? "linear.structure.x1"
                                                                               : "linear.structure.z2");
    double worst = 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      const VectorX exact = MatrixX(t[k] * TwoMasses{}.whole()).exp() * Vec4(1, 1, 0, 0);
      worst = std::max({worst, std::abs(R[k] - exact[0]), std::abs(inner[k] - exact[1])});
    }
    EXPECT_NEAR(t.back(), 2, 1e-12);
    return worst;
  };
  for (const char* file : {"two_masses.yaml", "state_space.yaml"}) {
    EXPECT_LT(error(2.5e-3, file), 1e-4);
    EXPECT_NEAR(std::log2(error(2.5e-3, file) / error(1.25e-3, file)), 2, 0.05) << file;
  }
}

TEST(LinearRun, SaysWhenItGrows) {
  const auto model = read_linear_model(HOOKE_ROOT "/models/coupled/two_masses.yaml",
                                       {"coupling.force-displacement.forces=approximate",
                                        "coupling.force-displacement.force_degree=2", "run.end=100"});
  EXPECT_NE(stability_warning(*model).find("unstable at the start"), std::string::npos);
  const Summary summary = run(*model);
  EXPECT_EQ(summary.status, RunStatus::failed);
  EXPECT_NE(summary.failure.find("hooke stability"), std::string::npos);
}

}  // namespace
}  // namespace hooke
