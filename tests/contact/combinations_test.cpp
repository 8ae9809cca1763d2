// Laws, integrators, bodies and ways of friction with each other, each on one small model; and what is refused or warned of.
#include <numbers>

#include "control/support.h"
#include "hooke/contact/contact_law.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;

struct Rested {
  Summary summary;
  double z = 0, force = 0;
};

Rested rested(const std::string& text) {
  Simulation simulation(problem(text));
  Rested last;
  last.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
    last.z = simulation.system().motion(0, state).pose.p.z();
    last.force = contact_sum(simulation.built().contacts[0], simulation.system(), state, workspace).force.z();
  }});
  return last;
}

/// A ball falls a little way, bounces or not, and comes to rest: every integrator, by either law.
TEST(ContactCombinations, EveryIntegratorByEitherLaw) {
  for (const char* integrator :
       {"generalized-alpha", "hht", "newmark", "trapezoidal", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm",
        "energy-momentum", "stabilised-ode", "dormand-prince", "merson", "linearly-implicit"})
    for (const char* law : {"law: rigid, restitution: 0.3", "stiffness: 1e4, exponent: 1, damping: 30"}) {
      const std::string which = std::string(integrator) + ", " + law;
      const Rested ball = rested(fmt::format(
          "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{ball: {{rigid: {{mass: 1, inertia: 0.004}}, at: "
          "[0, 0, 0.105]}}}}\nsurfaces: {{ball: {{sphere: 0.1, body: ball}}, floor: {{half-space: [0, 0, "
          "1]}}}}\ncontacts: {{touch: {{between: [floor, ball], friction: 0.3, {}}}}}\n"
          "run: {{integrator: {}, step: 5e-4, end: 1}}\noutputs: {{every: 1}}\n",
          law, integrator));
      EXPECT_EQ(ball.summary.status, RunStatus::finished) << which << ": " << ball.summary.failure;
      EXPECT_NEAR(ball.force, 9.81, 0.02 * 9.81) << which;
      EXPECT_NEAR(ball.z, 0.1, 1.1e-3) << which;
    }
}

/// Every kind of body lies on a floor in the end, by either law, and the floor carries its weight.
TEST(ContactCombinations, EveryBodyOnAFloorByEitherLaw) {
  const std::string material = "material: {young: 1e7, poisson: 0.3, density: 1000}",
                    rod = "section: {circle: 0.02}, " + material + ", length: 0.5, elements: 4",
                    lies = ", at: [-0.25, 0, 0.021], axes: {z: x}", as_rod = "rod: {radius: 0.02}";
  const double rod_mass = 1000 * std::numbers::pi * 4e-4 * 0.5;
  const std::string modes =
      (std::filesystem::temp_directory_path() / fmt::format("hooke_block_{}.modes", ::getpid())).string();
  std::ofstream(modes) << "hooke_modes: 1\nreduce:\n  mesh: {box: {size: [0.1, 0.1, 0.05], divisions: [2, 2, "
                          "1]}}\n  "
                       << material << "\n  interfaces: [x_min]\n  modes: 6\n  damping_ratio: 0.1\n";
  struct Kind {
    std::string body, surface;
    double mass;
  };
  for (const Kind& kind :
       std::vector<Kind>{{"{rigid: {mass: 1, inertia: 0.01}, at: [0, 0, 0.026]}", "box: [0.1, 0.1, 0.05]", 1},
                         {"{cosserat: {" + rod + ", damping: 1e-2}" + lies + "}", as_rod, rod_mass},
                         {"{ancf: {" + rod + ", damping: 1e-2}" + lies + "}", as_rod, rod_mass},
                         {"{ffrf: {" + rod + ", damping_ratio: 0.1}" + lies + "}", as_rod, rod_mass},
                         {"{modal: {file: " + modes + "}, at: [0, 0, 0.026]}", "nodes: surface", 0.5},
                         {"{solid: {mesh: {box: {size: [0.1, 0.1, 0.05], divisions: [2, 2, 1]}}, " +
                              material + ", stiffness_damping: 1e-3}, at: [0, 0, 0.026]}",
                          "nodes: z_min", 0.5}})
    for (const char* law :
         {"law: rigid, restitution: 0", "stiffness: 1e4, exponent: 1, damping: 10, friction: 0.3"}) {
      const Rested body = rested(fmt::format(
          "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{body: {}}}\nsurfaces: {{body: {{{}, body: body}}, "
          "floor: {{half-space: [0, 0, 1]}}}}\ncontacts: {{touch: {{between: [body, floor], {}}}}}\n"
          "run: {{step: 1e-3, end: 1}}\noutputs: {{every: 1}}\n",
          kind.body, kind.surface, law));
      const std::string which = kind.body + ", " + law;
      EXPECT_EQ(body.summary.status, RunStatus::finished) << which << ": " << body.summary.failure;
      EXPECT_NEAR(-body.force, kind.mass * 9.81, 0.03 * kind.mass * 9.81) << which;
    }
}

// --- friction

std::string on_floor(const std::string& body, const std::string& surface, const std::string& law) {
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {body: {" + body + "}}\nsurfaces: {body: {" + surface +
         ", body: body}, floor: {half-space: [0, 0, 1]}}\ncontacts: {touch: {between: [body, floor], " + law +
         "}}\nrun: {step: 1e-3, end: 0.5}\noutputs: {every: 0.5}\n";
}

/// A cone of friction without a width: nothing is held, nothing is lost, by either law.
TEST(ContactFriction, OfACoefficientOfZeroIsNone) {
  for (const char* law :
       {"law: rigid, restitution: 0, friction: 0", "stiffness: 1e5, exponent: 1, damping: 30, friction: 0",
        "stiffness: 1e5, exponent: 1, damping: 30, friction: {coefficient: 0, bristle: 1e-5}"})
    for (const auto& [body, surface] :
         {std::pair{"rigid: {mass: 1, inertia: 0.01}, at: [0, 0, 0.05], velocity: [1, 0.2, 0]",
                    "box: [0.2, 0.2, 0.1]"},
          {"rigid: {mass: 1, inertia: 0.01}, at: [0, 0, 0.1], velocity: [1, 0.2, 0]", "sphere: 0.1"}}) {
      Simulation simulation(problem(on_floor(body, surface, law)));
      Vec6 last = Vec6::Zero();
      const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
        last = simulation.system().motion(0, state).twist;
      }});
      EXPECT_EQ(summary.status, RunStatus::finished) << law << summary.failure;
      EXPECT_MATRIX_NEAR(last.head<2>(), Vec2(1, 0.2), 1e-9);
      EXPECT_MATRIX_NEAR(last.tail<3>(), zero3, 1e-6);
    }
}

/// A block meets a beam that is held at one end, in the middle of the free half: the beam as a solid, all nodes of its end held, and as a
/// body with the modes of the same mesh.
TEST(ContactCombinations, ABlockOnABodyWithModesMovesAsOnTheSolid) {
  const std::string mesh = "mesh: {box: {size: [0.4, 0.04, 0.02], divisions: [16, 2, 1], element: hex20}}",
                    material = "material: {young: 2e9, poisson: 0.3, density: 1000}";
  const std::string modes =
      (std::filesystem::temp_directory_path() / fmt::format("hooke_beam_{}.modes", ::getpid())).string();
  std::ofstream(modes) << "hooke_modes: 1\nreduce:\n  " << mesh << "\n  " << material
                       << "\n  interfaces: [x_min]\n  modes: 30\n  reference: x_min\n";
  const auto heights = [&](const std::string& body, const std::string& joint, const std::string& set) {
    Simulation simulation(problem(
        "hooke: 1\nbodies:\n  block: {rigid: {mass: 0.05, inertia: 1e-4}, at: [0.15, 0.004, 0.0305], "
        "velocity: "
        "[0, 0, -0.5]}\n  beam: " +
        body + "\njoints: {held: {" + joint +
        "}}\nsurfaces: {block: {box: [0.04, 0.04, 0.04], body: block}, beam: {nodes: " + set +
        ", body: beam}}\ncontacts: {hit: {between: [block, beam], stiffness: 1e5, exponent: 1, damping: "
        "10}}\n"
        "run: {step: 2.5e-5, end: 0.03, integrator: {generalized-alpha: 1}}\noutputs: {every: 1e-3}\n"));
    std::vector<double> all;
    const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      all.push_back(simulation.system().motion(0, state).pose.p.z());
    }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
    return all;
  };
  const auto solid = heights("{solid: {" + mesh + ", " + material + ", corotation: component}}",
                             "tie: [ground, beam.x_min]", "z_max"),
             modal = heights("{modal: {file: " + modes + "}}",
                             "fixed: [ground, beam.x_min], at: [-0.2, 0, 0]", "surface");
  ASSERT_EQ(solid.size(), modal.size());
  double lowest = 1, apart = 0;
  for (std::size_t k = 0; k < solid.size(); ++k) {
    lowest = std::min(lowest, solid[k]);
    apart = std::max(apart, std::abs(solid[k] - modal[k]));
  }
  EXPECT_LT(lowest, 0.0305 - 1e-3);  // it bends
  EXPECT_LT(apart, 0.01 * (0.0305 - lowest)) << lowest;
}

/// A ball, and a capsule, on a block of a solid whose elements are as large as they are: its weight is carried, by either law.
TEST(ContactCombinations, BallsAndCapsulesOnASolid) {
  for (const auto& [surface, z] :
       {std::pair{"sphere: 0.03", 0.0801}, {"capsule: {radius: 0.03, length: 0.06}", 0.0801}})
    for (const char* law : {"law: rigid, restitution: 0, friction: 0.3",
                            "stiffness: 1e5, exponent: 1, damping: 10, friction: 0.3"}) {
      const Rested body = rested(
          fmt::format("hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n  body: {{rigid: {{mass: 0.2, inertia: "
                      "1e-4}}, at: [0, 0, "
                      "{}], axes: {{z: x}}}}\n  block: {{solid: {{mesh: {{box: {{size: [0.1, 0.1, 0.1], "
                      "divisions: [4, 4, 4]}}}}, "
                      "material: {{young: 1e6, poisson: 0.3, density: 1000}}, stiffness_damping: 1e-2}}}}\n"
                      "joints: {{held: {{fixed: [ground, block.z_min]}}}}\nsurfaces: {{body: {{{}, body: "
                      "body}}, top: {{nodes: "
                      "z_max, body: block}}}}\ncontacts: {{touch: {{between: [body, top], {}}}}}\nrun: "
                      "{{step: 1e-3, end: "
                      "0.5}}\noutputs: {{every: 0.5}}\n",
                      z, surface, law));
      const std::string which = fmt::format("{}, {}", surface, law);
      EXPECT_EQ(body.summary.status, RunStatus::finished) << which << ": " << body.summary.failure;
      EXPECT_NEAR(-body.force, 0.2 * 9.81, 0.01 * 0.2 * 9.81) << which;
    }
}

/// Nodes are points: they take no moments, and say so.
TEST(ContactFriction, RollingOnNodesIsRefused) {
  const std::string solid =
      "solid: {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}}, material: {young: 1e6, poisson: "
      "0.3, density: 1000}}, at: [0, 0, 0.06]";
  for (const char* key : {"rolling", "spinning"})
    EXPECT_THAT(
        complaint(on_floor(solid, "nodes: z_min",
                           fmt::format("stiffness: 1e5, friction: {{coefficient: 0.3, {}: 1e-3}}", key))),
        HasSubstr("nodes are points"));
}

// --- starts

std::vector<std::string> start_warnings(const std::string& text) {
  return build(problem(text).model).warnings;
}

/// However little force it makes.
TEST(ContactStart, DeepOnesAreWarnedOf) {
  const auto at = [](double z) {
    return start_warnings(on_floor(fmt::format("rigid: {{mass: 1, inertia: 0.004}}, at: [0, 0, {}]", z),
                                   "sphere: 0.1", "stiffness: 10"));
  };
  EXPECT_THAT(at(0.05), testing::ElementsAre(HasSubstr("0.05 m deep")));
  EXPECT_THAT(at(0.1), testing::IsEmpty());
  EXPECT_THAT(at(0.2), testing::IsEmpty());
}

/// Two rods, or two solids, at the same place: those that have no side to part to are refused or warned of, by either law.
TEST(ContactStart, CoincidentRodsAndSolidsAreWarnedOf) {
  const auto two = [](const std::string& body, const std::string& surface, const std::string& law) {
    return "hooke: 1\nbodies: {a: {" + body + "}, b: {" + body + "}}\nsurfaces: {a: {" + surface +
           ", body: a}, b: {" + surface + ", body: b}}\ncontacts: {touch: {between: [a, b], " + law +
           "}}\nrun: {step: 1e-3, end: 1e-3}\n";
  };
  const std::string rod =
                        "cosserat: {section: {circle: 0.02}, material: {young: 1e7, poisson: 0.3, density: "
                        "1000}, length: 0.5, elements: 4}",
                    solid =
                        "solid: {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}, material: "
                        "{young: 1e6, poisson: 0.3, density: 1000}}";
  EXPECT_THAT(start_warnings(two(rod, "rod: {radius: 0.02}", "stiffness: 10")),
              testing::ElementsAre(HasSubstr("0.04 m deep")));
  EXPECT_THAT(complaint(two(rod, "rod: {radius: 0.02}", "law: rigid")), HasSubstr("0.04 m deep"));
  EXPECT_THAT(start_warnings(two(solid, "nodes: x_max", "stiffness: 10")),
              testing::ElementsAre(HasSubstr("start inside each other")));
}

/// Solids far inside each other, and such that only touch or whose faces are flush.
TEST(ContactStart, SolidsInsideEachOtherAreWarnedOf) {
  const auto warnings = [](double size, const std::string& at, const std::string& sets) {
    return start_warnings(fmt::format(
        "hooke: 1\nbodies:\n  a: {{solid: {{mesh: {{box: {{size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}}}}, "
        "material: &m {{young: 1e6, poisson: 0.3, density: 1000}}}}}}\n"
        "  b: {{solid: {{mesh: {{box: {{size: [{0}, {0}, {0}], divisions: [1, 1, 1]}}}}, material: *m}}, at: "
        "{1}}}\n"
        "surfaces: {{a: {{nodes: z_max, body: a}}, b: {{nodes: {2}, body: b}}}}\n"
        "contacts: {{touch: {{between: [b, a], stiffness: 10}}}}\nrun: {{step: 1e-3, end: 1e-3}}\n",
        size, at, sets));
  };
  const auto inside = testing::Contains(HasSubstr("start inside each other"));
  EXPECT_THAT(warnings(0.02, "[0, 0, 0]", "z_max"), inside);
  EXPECT_THAT(warnings(0.3, "[0, 0, 0]", "z_max"), inside);
  EXPECT_THAT(warnings(0.1, "[0.02, 0, 0]", "z_max"), inside);
  EXPECT_THAT(warnings(0.1, "[0, 0, 0.1]", "z_min"), testing::IsEmpty());
  EXPECT_THAT(warnings(0.1, "[0.1, 0, 0]", "z_max"), testing::IsEmpty());
  EXPECT_THAT(warnings(0.1, "[0.3, 0, 0.2]", "z_min"), testing::IsEmpty());
}

/// Also where it stands exactly in the middle, so that no side is the nearest.
TEST(ContactStart, APinThickerThanItsBoreIsNamed) {
  const auto fit = [](const char* shape, const char* law) {
    return fmt::format(
        "hooke: 1\nbodies: {{pin: {{rigid: {{mass: 1, inertia: 1e-3}}}}}}\nsurfaces: {{pin: {{{}, body: "
        "pin}}, bore: {{bore: 0.01}}}}\ncontacts: {{fit: {{between: [pin, bore], {}}}}}\nrun: {{step: 1e-4, "
        "end: 1e-3}}\n",
        shape, law);
  };
  for (const char* shape : {"sphere: 0.011", "cylinder: {radius: 0.011, length: 0.02}"}) {
    EXPECT_THAT(start_warnings(fit(shape, "stiffness: 1e9")),
                testing::ElementsAre(HasSubstr("contacts.fit: the surfaces start 0.001 m deep")));
    EXPECT_THAT(complaint(fit(shape, "law: rigid")),
                HasSubstr("contacts.fit: the surfaces of a rigid contact"));
  }
  EXPECT_THAT(start_warnings(fit("sphere: 0.01", "stiffness: 1e9")), testing::IsEmpty());
}

// --- who meets whom, and damping

TEST(ContactPairs, ExcludedOnesGoThroughEachOther) {
  const auto model = [](const std::string& contact) {
    return "hooke: 1\nbodies:\n  a: {rigid: {mass: 1, inertia: 0.004}, at: [-0.3, 0, 0], velocity: [1, 0, "
           "0]}\n"
           "  b: {rigid: {mass: 1, inertia: 0.004}}\n  c: {rigid: {mass: 1, inertia: 0.004}, at: [0.3, 0, "
           "0]}\n"
           "surfaces: {a: {sphere: 0.1, body: a}, b: {sphere: 0.1, body: b}, c: {sphere: 0.1, body: c}}\n"
           "contacts: {all: {" +
           contact + "}}\nrun: {step: 1e-3, end: 1}\noutputs: {every: 1}\n";
  };
  const auto speeds = [&](const std::string& contact) {
    Simulation simulation(problem(model(contact)));
    Vec3 v = zero3;
    const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      for (int b = 0; b < 3; ++b) v[b] = simulation.system().motion(b, state).twist[0];
    }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
    return v;
  };
  for (const std::string law : {", law: rigid", ", stiffness: 1e6"}) {
    EXPECT_MATRIX_NEAR(speeds("among: [a, b, c]" + law), Vec3(0, 0, 1), 0.01);
    EXPECT_MATRIX_NEAR(speeds("among: [a, b, c], exclude: [[b, a]]" + law), Vec3(0, 0, 1), 0.01);
    EXPECT_MATRIX_NEAR(speeds("among: [a, b, c], exclude: [[a, b], [c, a]]" + law), Vec3(1, 0, 0), 1e-9);
    EXPECT_MATRIX_NEAR(speeds("between: [[a], [b, c]], exclude: [[c, a]]" + law), Vec3(0, 1, 0), 0.01);
  }
  EXPECT_THAT(complaint(model("among: [a, b], exclude: [[a, c]]")), HasSubstr("'c' is none of the surfaces"));
  EXPECT_THAT(complaint(model("among: [a, b], exclude: [[a]]")), HasSubstr("list of pairs"));
}

/// D = c v of the published laws in place of the exact one; what then comes out is (1 + e) D = ln((1 + D)/(1 - e D)).
TEST(ContactDamping, PublishedLawsAreThemselves) {
  const auto leaves = [](const std::string& law, double e) {
    Simulation simulation(problem(fmt::format(
        "hooke: 1\nbodies: {{ball: {{rigid: {{mass: 1, inertia: 0.004}}, at: [0, 0, 0.1001], velocity: [0, "
        "0, "
        "-1]}}}}\nsurfaces: {{ball: {{sphere: 0.1, body: ball}}, floor: {{half-space: [0, 0, 1]}}}}\n"
        "contacts: {{touch: {{between: [ball, floor], stiffness: 1e7, restitution: {}, restitution_law: "
        "{}}}}}\nrun: {{integrator: dormand-prince, tolerance: 1e-10, step: 1e-5, end: 0.02}}\noutputs: "
        "{{every: 0.02}}\n",
        e, law)));
    double v = 0;
    simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      v = simulation.system().motion(0, state).twist[2];
    }});
    return v;
  };
  const auto comes_out = [](double D) {
    double low = 0, high = 1;
    for (int pass = 0; pass < 100; ++pass) {
      const double e = 0.5 * (low + high);
      (NormalLaw::loss_of(e) > D ? low : high) = e;
    }
    return low;
  };
  for (const double e : {0.9, 0.5}) {
    EXPECT_NEAR(leaves("exact", e), e, 1e-4);
    EXPECT_NEAR(leaves("hunt-crossley", e), comes_out(1.5 * (1 - e)), 1e-4);
    EXPECT_NEAR(leaves("lankarani-nikravesh", e), comes_out(0.75 * (1 - e * e)), 1e-4);
  }
  EXPECT_NEAR(comes_out(0.75 * (1 - 0.9 * 0.9)), 0.9, 0.015);  // near 1 they agree
  EXPECT_GT(comes_out(0.75 * (1 - 0.5 * 0.5)), 0.55);          // and not far from it
}

}  // namespace
}  // namespace hooke::test
