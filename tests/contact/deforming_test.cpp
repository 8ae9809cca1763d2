// Contact between what deforms: rods on rods, solids on solids.
#include <numbers>

#include "control/support.h"
#include "hooke/contact/piece_contact.h"
#include "rope.h"
#include "slip.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

const std::vector<FrictionLaw> frictions{{},
                                         {.coefficient = 0.4, .stick_speed = 0.5},
                                         {.coefficient = 0.4, .bristle = 8, .settling = 0.3},
                                         {.coefficient = 0.4, .bristle = 0.05, .settling = 0.3},
                                         {.rolling = 0.3, .spinning = 0.2, .stick_spin = 0.5}};

/// A ball near the piece, somewhere above it.
template <class Contact>
void check_derivatives(Contact contact, const std::function<void(Frames&, Random&)>& put) {
  constexpr int N = Contact::frames, size = 6 * N;
  Random random{11};
  contact.normal = {.stiffness = 3, .exponent = 1.5, .loss = 0.4, .rest_speed = 0.1};
  for (const FrictionLaw& friction : frictions)
    for (int i = 0; i < 5; ++i) {
      contact.friction = friction;
      Frames frames = Frames::random(N, random);
      frames.memory.assign(TouchMemory::size, 0.0);
      frames.memory[0] = 1.3;
      frames.memory[2] = frames.t - 0.2;
      for (int k = 3; k < 9; ++k) frames.memory[k] = 0.2 * random_vector(1, random)[0];
      put(frames, random);
      const auto wrench = [&](const Frames& at) -> VectorX {
        Eigen::Matrix<double, size, 1> w;
        contact.evaluate(at.inputs<N>(), w);
        return w;
      };
      const VectorX w = wrench(frames);
      ASSERT_GT(w.norm(), 1e-3) << "does not touch";
      Eigen::Matrix<double, size, size> K, D;
      contact.tangent(frames.inputs<N>(), K, D);
      EXPECT_MATRIX_NEAR(
          K, finite_difference([&](const VectorX& dx) { return wrench(frames.moved(dx)); }, size), 2e-6);
      EXPECT_MATRIX_NEAR(
          D, finite_difference([&](const VectorX& du) { return wrench(frames.sped_up(du)); }, size), 2e-6);
      Vec3 net = zero3;
      double power = 0;
      VectorX motion(size);
      for (int k = 0; k < N; ++k) {
        net += w.segment<3>(6 * k);
        power += w.segment<6>(6 * k).dot(frames.twist[k]);
        motion.segment<6>(6 * k) = frames.twist[k];
      }
      EXPECT_MATRIX_NEAR(net, zero3, 1e-12 * (1 + w.norm()));
      const double h = 1e-6;
      const auto energy = [&](double s) { return contact.energy(frames.moved(s * motion).inputs<N>()); };
      const double rate = (energy(h) - energy(-h)) / (2 * h),
                   lost = contact.power(frames.inputs<N>()).dissipated;
      EXPECT_NEAR(power, -rate - lost, 1e-6 * (1 + std::abs(power)));
    }
}

TEST(PieceContact, TangentsOnARodAreDerivatives) {
  check_derivatives(PieceContact<RodPiece>{.radius = 0.3, .piece = {.radius = 0.4, .length = 1.2}},
                    [](Frames& frames, Random& random) {
                      const FramePose start = frames.pose[1];
                      frames.pose[2] = start * FramePose{exp_so3(Vec3(0.3, -0.2, 0.1)), Vec3(0.1, 0.15, 1.1)};
                      frames.pose[0].p =
                          start.p + start.R * (Vec3(0.55, 0.1, 0.5) + 0.05 * random_vector(3, random));
                    });
}

/// The moment against rolling and spinning: the normal force times their lengths, on the ball, and on the piece its opposite.
TEST(PieceContact, ResistsRollingAndSpinning) {
  PieceContact<RodPiece> contact{.radius = 0.3,
                                 .piece = {.radius = 0.4, .length = 1},
                                 .normal = {.stiffness = 3},
                                 .friction = {.rolling = 0.03, .spinning = 0.02, .stick_spin = 1e-9}};
  std::vector<double> memory(TouchMemory::size);
  std::array<FramePose, 3> pose{FramePose{identity3, Vec3(0.6, 0, 0.5)}, {}, {identity3, Vec3(0, 0, 1)}};
  std::array<FrameTwist, 3> twist;
  for (auto& t : twist) t.setZero();
  const double force = 3 * std::pow(0.1, 1.5);
  for (const auto& [spin, moment] : {std::pair{Vec3(2, 0, 0), Vec3(-0.02, 0, 0)},
                                     {Vec3(0, 0, -3), Vec3(0, 0, 0.03)},
                                     {Vec3(-1, 3, 4), Vec3(0.02, -0.03 * 0.6, -0.03 * 0.8)}}) {
    twist[0].tail<3>() = spin;
    FrameInputs<3> in;
    for (std::size_t k = 0; k < 3; ++k) in.pose[k] = &pose[k], in.twist[k] = &twist[k];
    in.memory = memory.data();
    Eigen::Matrix<double, 18, 1> w;
    contact.evaluate(in, w);
    EXPECT_MATRIX_NEAR(w.head<3>(), Vec3(force, 0, 0), 1e-12);
    EXPECT_MATRIX_NEAR(w.segment<3>(3), force * moment, 1e-9);
    Vec3 about_origin = zero3;
    for (int k = 0; k < 3; ++k)
      about_origin +=
          w.segment<3>(6 * k + 3) + pose[static_cast<std::size_t>(k)].p.cross(w.segment<3>(6 * k));
    EXPECT_MATRIX_NEAR(about_origin, zero3, 1e-12);
  }
}

/// Along a rod of several pieces gap and normal are continuous, also where pieces meet.
TEST(PieceContact, IsContinuousAlongARod) {
  std::vector<FramePose> sections;
  for (int k = 0; k < 6; ++k) {
    const double s = 0.2 * k;
    sections.push_back({rotation_from_z(Vec3(s, 0.1, 1).normalized()), Vec3(0.5 * s * s, 0.1 * s, s)});
  }
  double last = 0;
  Vec3 normal = zero3;
  for (int i = 0; i <= 2000; ++i) {
    const double s = 0.05 + 0.9 * i / 2000;
    const FramePose ball{identity3, Vec3(0.5 * s * s - 0.25, 0.05, s)};
    int found = 0;
    ContactGap at;
    for (std::size_t k = 0; k + 1 < sections.size(); ++k) {
      const PieceContact<RodPiece> contact{.radius = 0.1,
                                           .piece = {0.1, 0.2, k == 0, k + 2 == sections.size()}};
      const ContactGap here = contact.gap_at({&ball, &sections[k], &sections[k + 1]});
      if (std::isfinite(here.gap)) at = here, ++found;
    }
    ASSERT_EQ(found, 1) << s;
    if (i > 0) {
      EXPECT_NEAR(at.gap, last, 1e-3) << s;
      EXPECT_LT((at.normal - normal).norm(), 5e-3) << s;
    }
    last = at.gap, normal = at.normal;
  }
}

std::string rods(const std::string& law, double young) {
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  across: {cosserat: {section: {circle: 0.01}, material: &m {young: " +
         fmt::format("{}", young) +
         ", poisson: 0.3, density: 1000}, elements: "
         "8, damping: 1e-2}, between: [[-0.5, 0, 0.03], [0.5, 0, 0.03]], axes: {z: x}}\n"
         "  left: {cosserat: &below {section: {circle: 0.02}, material: *m, elements: 4, damping: 1e-2}, "
         "between: "
         "[[-0.25, -0.2, 0], [-0.25, 0.2, 0]], axes: {z: y}}\n"
         "  right: {cosserat: *below, between: [[0.25, -0.2, 0], [0.25, 0.2, 0]], axes: {z: y}}\n"
         "joints: {l: {fixed: [ground, left.start]}, r: {fixed: [ground, right.start]}, l2: {fixed: [ground, "
         "left.end]}, "
         "r2: {fixed: [ground, right.end]}}\n"
         "surfaces: {across: {rod: {radius: 0.01}, body: across}, left: {rod: {radius: 0.02}, body: left}, "
         "right: {rod: "
         "{radius: 0.02}, body: right}}\n"
         "contacts: {touch: {between: [across, [left, right]], " +
         law + "}}\nrun: {step: 1e-3, end: 0.5}\noutputs: {every: 0.1}\n";
}

/// A rod lies across two others, by either law: they carry its weight.
TEST(RodOnRod, LiesAcrossTwoOthers) {
  const double weight = std::numbers::pi * 1e-4 * 1000 * 9.81;
  const std::string compliant =
      "stiffness: 1e5, exponent: 1, damping: 20, friction: {coefficient: 0.4, bristle: 1e-5}";
  for (const auto& [law, young] :
       {std::pair{std::string("law: rigid, friction: 0.4"), 1e8}, {compliant, 1e10}}) {
    Simulation simulation(problem(rods(law, young)));
    RigidContactsBase::Sum last;
    double height = 0;
    const Summary summary =
        simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
          last = contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace);
          height = simulation.system().nodes(0, state)[8].p.z();
        }});
    EXPECT_EQ(summary.status, RunStatus::finished) << law << ": " << summary.failure;
    EXPECT_NEAR(last.force.z(), -weight, 0.02 * weight) << law;
    EXPECT_NEAR(last.gap, 0, 1e-4) << law;
    EXPECT_NEAR(height, 0.03, 2e-3) << law;
  }
}

/// However stiff the rods are, and however little of their vibrations a step resolves: nothing gives them energy.
TEST(RodOnRod, RigidContactGainsNoEnergy) {
  for (const double young : {1e6, 1e9, 1e11}) {
    Simulation simulation(problem(rods("law: rigid, friction: 0.4", young),
                                  {"bodies.across.cosserat.damping=0", "outputs.every=1e-3"}));
    double least = 1e300, gained = 0;
    const Summary summary =
        simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
          const double energy = simulation.system().energy(state, workspace).total();
          gained = std::max(gained, energy - least);
          least = std::min(least, energy);
        }});
    EXPECT_EQ(summary.status, RunStatus::finished) << young << ": " << summary.failure;
    EXPECT_LT(gained, 1e-4) << young;  // J; in 0.1 m it falls through 0.3 J
  }
}

/// A rope falls upright on the floor, and lies down on itself.
TEST(RodOnItself, ARopePilesUp) {
  const Heap heap = fallen_rope("law: rigid, friction: 0.4", 12, 0.9);
  EXPECT_EQ(heap.summary.status, RunStatus::finished) << heap.summary.failure;
  EXPECT_GT(heap.nearest, 0.038);
  EXPECT_GT(heap.touched, 5);
}

TEST(RodOnRod, ACableSlipsAroundARod) {
  EXPECT_NEAR(test::slip_ratio("rod_on_rod.yaml"), std::exp(0.3 * std::numbers::pi / 1.02), 0.025);
}

/// A block falls tilted on a rigid floor, soft or stiff: it lies there in the end, and gained nothing.
TEST(SolidOnFloor, RigidContactGainsNoEnergy) {
  const double weight = 0.06 * 0.06 * 0.06 * 1100 * 9.81, at_rest = 0.03 * weight;
  for (const double young : {2e5, 2e7, 2e9}) {
    Simulation simulation(
        problem(fmt::format("hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{block: {{solid: {{mesh: {{box: "
                            "{{size: [0.06, 0.06, 0.06], "
                            "divisions: [3, 3, 3]}}}}, material: {{young: {}, poisson: 0.4, density: "
                            "1100}}}}, at: [0, 0, 0.1], rotate: "
                            "{{axis: [1, 0.3, 0], angle: 0.1}}}}}}\nsurfaces: {{block: {{nodes: z_min, body: "
                            "block}}, floor: {{half-space: "
                            "[0, 0, 1]}}}}\ncontacts: {{floor: {{between: [block, floor], law: rigid, "
                            "restitution: 0, friction: 0.5}}}}\n"
                            "run: {{step: 1e-3, end: 0.5}}\noutputs: {{every: 1e-3}}\n",
                            young)));
    double least = 1e300, gained = 0, last = 0;
    const Summary summary =
        simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
          last = simulation.system().energy(state, workspace).total();
          gained = std::max(gained, last - least);
          least = std::min(least, last);
        }});
    EXPECT_EQ(summary.status, RunStatus::finished) << young << ": " << summary.failure;
    EXPECT_LT(gained, 0.02 * (summary.first_energy - at_rest)) << young;
    EXPECT_LT(last, 0.1 * summary.first_energy + 0.9 * at_rest) << young;
  }
}

/// Each block carries what is above it.
TEST(SolidOnSolid, CarriesItsWeight) {
  Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/contact/solid_on_solid.yaml", {}));
  std::array<RigidContactsBase::Sum, 2> last;
  const Summary summary =
      simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
        for (std::size_t k : {0, 1})
          last[k] = contact_sum(simulation.built().contacts[k], simulation.system(), state, workspace);
      }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  const double upper = 0.06 * 0.06 * 0.06 * 1100 * 9.81, lower = 0.1 * 0.1 * 0.05 * 1100 * 9.81;
  EXPECT_NEAR(last[0].force.z(), -upper, 1e-3 * upper);
  EXPECT_NEAR(last[1].force.z(), -(upper + lower), 1e-3 * (upper + lower));
}

}  // namespace
}  // namespace hooke::test
