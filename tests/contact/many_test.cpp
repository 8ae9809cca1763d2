// Many surfaces at once, shapes from files, and what must not depend on how a model is written or run.
#include <numbers>

#include "control/support.h"
#include "hooke/base/team.h"

namespace hooke::test {
namespace {

using testing::HasSubstr;
constexpr double g = 9.81;

/// Balls of 0.05 m radius above a bin; `order` is that in which they stand in the model.
std::string pile(const std::vector<int>& order, const std::string& rest = "") {
  std::string bodies, surfaces, names;
  for (const int k : order) {
    const int i = k % 2, j = k / 2 % 2, l = k / 4;
    bodies += fmt::format("  b{}: {{rigid: {{mass: 1, inertia: 0.001}}, at: [{}, {}, {}]}}\n", k,
                          0.11 * i + 0.003 * (l % 2), 0.11 * j + 0.002 * (k % 4), 0.08 + 0.12 * l);
    surfaces += fmt::format("  b{}: {{sphere: 0.05, body: b{}}}\n", k, k);
    names += fmt::format("{}b{}", names.empty() ? "" : ", ", k);
  }
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "surfaces:\n" + surfaces +
         "  floor: {half-space: [0, 0, 1]}\n  west: {half-space: [1, 0, 0], at: [-0.06, 0, 0]}\n"
         "  east: {half-space: [-1, 0, 0], at: [0.18, 0, 0]}\n  south: {half-space: [0, 1, 0], at: [0, "
         "-0.06, 0]}\n"
         "  north: {half-space: [0, -1, 0], at: [0, 0.18, 0]}\n"
         "contacts:\n  balls: {among: [" +
         names + "], law: rigid, friction: 0.3, restitution: 0.2}\n  bin: {between: [[" + names +
         "], [floor, west, east, south, north]], law: rigid, friction: 0.3, restitution: 0.2}\n"
         "run: {step: 1e-3, end: 1}\noutputs: {every: 0.05}\n" +
         rest;
}

std::vector<int> counting(int n) {
  std::vector<int> order;
  for (int k = 0; k < n; ++k) order.push_back(k);
  return order;
}

struct Places {
  std::vector<std::vector<Vec3>> at;  ///< by output and body
  Summary summary;
};

Places run(const Problem& of) {
  Simulation simulation(of);
  Places places;
  places.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
    auto& now = places.at.emplace_back();
    for (int b = 0; b < simulation.system().bodies(); ++b)
      now.push_back(simulation.system().motion(b, state).pose.p);
  }});
  EXPECT_EQ(places.summary.status, RunStatus::finished) << places.summary.failure;
  return places;
}

TEST(ManyContacts, APileStaysInItsBinAndApart) {
  const Places places = run(problem(pile(counting(16)), {"run.end=2"}));
  for (const auto& now : places.at)
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_GT(now[i].z(), 0.05 - 1e-6);
      EXPECT_GT(now[i].x(), -0.01 - 1e-6);
      EXPECT_LT(now[i].x(), 0.13 + 1e-6);
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT((now[i] - now[j]).norm(), 0.1 - 1e-5);
    }
  const auto &last = places.at.back(), &before = places.at[places.at.size() - 3];
  for (std::size_t i = 0; i < last.size(); ++i) EXPECT_LT((last[i] - before[i]).norm(), 1e-3);  // at rest
}

TEST(ManyContacts, OrderOfBodiesDoesNotMatter) {
  std::vector<int> order = counting(8);
  const Places forward = run(problem(pile(order)));
  std::reverse(order.begin(), order.end());
  const Places backward = run(problem(pile(order)));
  double most = 0;
  for (std::size_t t = 0; t < forward.at.size(); ++t) {
    for (std::size_t i = 0; i < 8; ++i)
      most = std::max(most, (forward.at[t][i] - backward.at[t][7 - i]).norm());
  }
  EXPECT_LT(most, 1e-8);
}

/// Boxes on a floor and on each other, one of them on a slider that runs into them.
std::string boxes(const std::vector<int>& order, const std::string& law) {
  const std::array places{"at: [0, 0, 0.0501]", "at: [0.02, 0.01, 0.1503]",
                          "at: [0.3, 0, 0.0502], rotate: {axis: z, angle: 0.4}",
                          "at: [-0.4, 0, 0.0505], velocity: [1, 0, 0]"};
  std::string bodies, surfaces;
  for (const int k : order) {
    bodies += fmt::format("  b{}: {{rigid: {{mass: 1, inertia: 0.002}}, {}}}\n", k,
                          places[static_cast<std::size_t>(k)]);
    surfaces += fmt::format("  b{}: {{box: [0.1, 0.1, 0.1], body: b{}}}\n", k, k);
  }
  const std::string names = "b0, b1, b2, b3";
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "surfaces:\n" + surfaces +
         "  floor: {half-space: [0, 0, 1]}\njoints: {guide: {prismatic: [ground, b3], at: [-0.4, 0, 0.0505], "
         "axis: x}}\ncontacts:\n  boxes: {among: [" +
         names + "], " + law + "}\n  floor: {between: [[" + names + "], floor], " + law +
         "}\nrun: {step: 5e-4, end: 0.5}\noutputs: {every: 0.05}\n";
}

/// Which list names a surface first tells whose edges meet whose, and stays as it is.
TEST(ManyContacts, OrderOfBoxesOnJointsDoesNotMatter) {
  for (const char* law :
       {"law: rigid, friction: 0.3, restitution: 0.2",
        "stiffness: 1e5, exponent: 1, damping: 20, friction: {coefficient: 0.3, bristle: 1e-5}"}) {
    const std::vector<int> order{0, 1, 2, 3}, other{2, 3, 0, 1};
    const Places one = run(problem(boxes(order, law))), two = run(problem(boxes(other, law)));
    double most = 0, moved = 0;
    for (std::size_t t = 0; t < one.at.size(); ++t)
      for (std::size_t k = 0; k < 4; ++k) {
        const auto there = static_cast<std::size_t>(
            std::find(other.begin(), other.end(), static_cast<int>(k)) - other.begin());
        most = std::max(most, (one.at[t][k] - two.at[t][there]).norm());
        moved = std::max(moved, (one.at[t][k] - one.at[0][k]).norm());
      }
    EXPECT_LT(most, 1e-8) << law;
    EXPECT_GT(moved, 0.05) << law;
  }
}

/// The state after some steps, with a team of so many, which all take part in the first step (TeamSize); systems of fewer than 600 dofs
/// do without it.
VectorX after_steps(const std::string& model, int threads) {
  Simulation simulation(problem(model, {fmt::format("run.threads={}", threads)}));
  EXPECT_GE(simulation.system().nv(), 6 * worth_sharing);
  VectorX last;
  double impulse = 0;
  const Summary summary =
      simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
        last.resize(state.q.size() + state.v.size() + state.memory.size());
        last << state.q, state.v, state.memory;
        impulse = 0;
        for (const BuiltContact& contact : simulation.built().contacts)
          impulse += contact_sum(contact, simulation.system(), state, workspace).impulse.norm();
      }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  EXPECT_GT(impulse, 0) << "nothing has touched";
  return last;
}

TEST(ManyContacts, ThreadsDoNotMatter) {
  const std::string
      rod =
          "{cosserat: {section: {circle: 0.01}, material: {young: 1e7, poisson: 0.3, density: "
          "1000}, length: 0.6, elements: 25, damping: 1e-2}, ",
      solid =
          "{solid: {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [4, 4, 3]}}, material: "
          "{young: 2e5, poisson: 0.3, density: 1000}, stiffness_damping: 2e-3}, ",
      law = "stiffness: 1e4, exponent: 1, damping: 5, friction: {coefficient: 0.3, bristle: 1e-5}",
      head = "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n";
  std::vector<std::string> models;
  std::string balls = pile(counting(108));
  balls.replace(balls.find("end: 1}"), 7, "end: 0.1}");  // the lowest reach the floor after 0.08 s
  models.push_back(balls);
  models.push_back(head + "  a: " + rod + "at: [-0.3, 0, 0.0305], axes: {z: x}}\n  b: " + rod +
                   "at: [0, -0.3, 0.0101], axes: {z: y}}\n"
                   "surfaces: {a: {rod: {radius: 0.01}, body: a}, b: {rod: {radius: 0.01}, body: b}, floor: "
                   "{half-space: [0, 0, 1]}}\ncontacts: {rods: {between: [a, b], " +
                   law + "}, floor: {between: [[a, b], floor], " + law +
                   "}}\nrun: {step: 1e-3, end: 0.02}\noutputs: {every: 0.02}\n");
  models.push_back(
      head + "  a: " + solid + "at: [0, 0, 0.0501]}\n  b: " + solid +
      "at: [0.01, 0.02, 0.1502], rotate: {axis: z, angle: 0.3}}\n"
      "surfaces: {top: {nodes: z_max, body: a}, below: {nodes: z_min, body: a}, b: {nodes: z_min, "
      "body: b}, floor: {half-space: [0, 0, 1]}}\ncontacts: {blocks: {between: [b, top], " +
      law + "}, floor: {between: [below, floor], " + law +
      "}}\nrun: {step: 1e-3, end: 0.02}\noutputs: {every: 0.02}\n");
  for (const std::string& model : models) {
    const VectorX alone = after_steps(model, 1);
    for (const int threads : {2, 3, 4})
      EXPECT_EQ(after_steps(model, threads), alone) << threads << " threads\n" << model.substr(0, 200);
  }
}

/// A block that falls on its corner, as a box, as the hull of its corners, and as a mesh from a file.
std::string block(const std::string& surface) {
  return "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {block: {rigid: {mass: 2, shape: {box: [0.2, 0.3, "
         "0.1]}}, "
         "at: [0, 0, 0.3], rotate: {axis: [1, 0.4, 0.2], angle: 0.5}}}\nsurfaces: {block: {" +
         surface +
         ", body: block}, floor: {half-space: [0, 0, 1]}}\ncontacts: {touch: {between: [block, floor], law: "
         "rigid, "
         "friction: 0.4, restitution: 0.3, locate: true}}\nrun: {step: 1e-3, end: 0.5}\noutputs: {every: "
         "0.05}\n";
}

const char* corners =
    "[[-0.1, -0.15, -0.05], [0.1, -0.15, -0.05], [-0.1, 0.15, -0.05], [0.1, 0.15, -0.05], [-0.1, -0.15, "
    "0.05], "
    "[0.1, -0.15, 0.05], [-0.1, 0.15, 0.05], [0.1, 0.15, 0.05]]";

std::string obj_file(const char* name, const std::string& faces) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("{}_{}.obj", name, ::getpid())).string();
  std::ofstream out(path);
  for (int k = 0; k < 8; ++k)
    out << fmt::format("v {} {} {}\n", k & 1 ? 100 : -100, k & 2 ? 150 : -150, k & 4 ? 50 : -50);
  out << faces;
  return path;
}

TEST(ManyContacts, HullAndMeshOfABoxMoveAsTheBox) {
  const Places box = run(problem(block("box: [0.2, 0.3, 0.1], edge_radius: 1e-12")));
  const Places hull = run(problem(block(fmt::format("hull: {}", corners))));
  const std::string file =
      obj_file("hooke_block", "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n");
  const Places mesh = run(problem(block(fmt::format("mesh: {{file: {}, scale: 1e-3}}", file))));
  for (std::size_t t = 0; t < box.at.size(); ++t) {
    EXPECT_LT((box.at[t][0] - hull.at[t][0]).norm(), 1e-7) << t;
    EXPECT_LT((hull.at[t][0] - mesh.at[t][0]).norm(), 1e-7) << t;
  }
}

TEST(ManyContacts, WhatIsWrongWithAMeshIsNamed) {
  const auto of = [](const char* name, const char* faces) {
    return complaint(block(fmt::format("mesh: {{file: {}, scale: 1e-3}}", obj_file(name, faces))));
  };
  EXPECT_THAT(of("open", "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\n"), HasSubstr("is open"));
  EXPECT_THAT(of("inverted", "f 2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 6 8 4 2\nf 8 7 3 4\nf 7 5 1 3\n"),
              HasSubstr("inside out"));
  EXPECT_THAT(complaint(block("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]")), HasSubstr("one plane"));
  EXPECT_THAT(complaint(block("mesh: nowhere.stl")), HasSubstr("nowhere.stl"));
  EXPECT_THAT(complaint(block("height-field: {heights: [[0, 0], [0]], spacing: [1, 1]}")),
              HasSubstr("different lengths"));
}

/// Heights of a plane: the ball slides down it as on a plane.
TEST(ManyContacts, BallOnAHeightField) {
  std::string rows;
  for (int r = 0; r < 12; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c < 40; ++c)
      rows += fmt::format("{}{}", c ? ", " : "", -0.02 * (c - 19.5));  // slope -0.2
    rows += "]";
  }
  const double n = std::hypot(1, 0.2), z = 0.05 * n;
  const std::string model = fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{ball: {{rigid: {{mass: 1, inertia: 0.001}}, at: [-0.8, 0, "
      "{}]}}}}\n"
      "surfaces: {{ball: {{sphere: 0.05, body: ball}}, track: {{height-field: {{heights: [{}], spacing: "
      "[0.1, 0.1]}}}}}}\n"
      "contacts: {{roll: {{between: [ball, track], law: rigid, restitution: 0}}}}\n"
      "run: {{step: 1e-3, end: 0.5}}\noutputs: {{every: 0.1}}\n",
      z + 0.16, rows);
  const Places places = run(problem(model));
  const double along = 0.5 * g * 0.2 / n * 0.25;
  EXPECT_NEAR(places.at.back()[0].x(), -0.8 + along / n, 1e-6);
  EXPECT_NEAR(places.at.back()[0].z(), z + 0.16 - 0.2 * along / n, 1e-6);
}

/// At 500 m/s it moves half a metre in a step, and the plate is 2 mm thick.
TEST(ManyContacts, NothingGoesThroughAPlateUnseen) {
  for (const char* law : {"law: rigid, restitution: 0.5", "stiffness: 1e9, restitution: 0.5"})
    for (const double start : {1.0, 1.1, 1.2, 1.3, 1.4}) {
      const Places places = run(problem(
          fmt::format("hooke: 1\nbodies: {{ball: {{rigid: {{mass: 1, inertia: 0.001}}, at: [0, 0, {}], "
                      "velocity: [0, 0, -500]}}}}\n"
                      "surfaces: {{ball: {{sphere: 0.05, body: ball}}, plate: {{box: [1, 1, 0.002]}}}}\n"
                      "contacts: {{hit: {{between: [ball, plate], {}}}}}\nrun: {{step: 1e-3, end: 0.01}}\n",
                      start, law)));
      EXPECT_GT(places.at.back()[0].z(), 0.5) << law << " from " << start;
    }
}

/// A rod of 5 mm meets another at 20 m/s: 20 mm in a step, four times its thickness. From 0.04 m a step ends where their axes meet.
TEST(ManyContacts, NoRodGoesThroughAnotherUnseen) {
  for (const char* law : {"law: rigid, restitution: 0", "stiffness: 1e8, restitution: 0.5"})
    for (const double start : {0.03, 0.04, 0.045, 0.05, 0.055}) {
      Simulation simulation(problem(fmt::format(
          "hooke: 1\nbodies:\n  held: {{cosserat: &rod {{section: {{circle: 2.5e-3}}, material: {{young: "
          "1e11, "
          "poisson: 0.3, density: 1000}}, length: 0.4, elements: 8}}, at: [0, 0, 0], axes: {{z: x}}}}\n"
          "  flies: {{cosserat: *rod, at: [0.2, -0.2, {}], axes: {{z: y}}, velocity: [0, 0, -20]}}\n"
          "joints: {{a: {{fixed: [ground, held.start]}}, b: {{fixed: [ground, held.end]}}}}\n"
          "surfaces: {{held: {{rod: {{radius: 2.5e-3}}, body: held}}, flies: {{rod: {{radius: 2.5e-3}}, "
          "body: "
          "flies}}}}\ncontacts: {{hit: {{between: [flies, held], {}}}}}\n"
          "run: {{step: 1e-3, end: 0.004}}\noutputs: {{every: 1e-3}}\n",
          start, law)));
      double apart = 0;
      const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
        const auto middle = [&](int body) {  // where they cross
          double z = 0, nearest = 1;
          for (const FramePose& node : simulation.system().nodes(body, state))
            if (const double way = (node.p - Vec3(0.2, 0, 0)).head<2>().norm(); way < nearest)
              nearest = way, z = node.p.z();
          return z;
        };
        apart = middle(1) - middle(0);
      }});
      // Steps of a tenth of a millisecond do not resolve a compliant impact: a run that gains energy in it says so.
      if (std::string_view(law).starts_with("law: rigid") || summary.code != ExitCode::not_trusted)
        EXPECT_EQ(summary.status, RunStatus::finished) << law << ": " << summary.failure;
      EXPECT_GT(apart, 2e-3) << law << " from " << start;
    }
}

/// Rigid contact of a body that deforms: a rod falls on the floor, bounces and settles on it.
struct FallenRod {
  Summary summary;
  double lowest = 1;
  double last = 0, least = 1e300, gained = 0;  ///< energy, J
};

FallenRod fallen_rod(double young, double damping) {
  FallenRod found;
  Simulation simulation(problem(fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\nbodies: {{rod: {{cosserat: {{section: {{circle: 0.01}}, material: "
      "{{young: {}, poisson: 0.3, density: 1000}}, length: 1, elements: 8, damping: {}}}, at: [0, 0, 0.2], "
      "axes: {{z: [1, 0, 0.2]}}}}}}\n"
      "surfaces: {{rod: {{rod: {{radius: 0.01}}, body: rod}}, floor: {{half-space: [0, 0, 1]}}}}\n"
      "contacts: {{touch: {{between: [rod, floor], law: rigid, restitution: 0, friction: 0.3}}}}\n"
      "run: {{step: 1e-3, end: 1}}\noutputs: {{every: 1e-3}}\n",
      young, damping)));
  found.summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace& workspace) {
    for (const FramePose& node : simulation.system().nodes(0, state))
      found.lowest = std::min(found.lowest, node.p.z());
    found.last = simulation.system().energy(state, workspace).total();
    found.gained = std::max(found.gained, found.last - found.least);
    found.least = std::min(found.least, found.last);
  }});
  return found;
}

TEST(ManyContacts, ARodFallsOnTheFloor) {
  const FallenRod rod = fallen_rod(1e7, 1e-2);
  EXPECT_EQ(rod.summary.status, RunStatus::finished) << rod.summary.failure;
  EXPECT_GT(rod.lowest, 0.01 - 1e-4);
}

/// However stiff it is, and however little of its vibrations a step resolves: nothing gives it energy.
TEST(ManyContacts, ARodComesToRestOnTheFloor) {
  const double weight = std::numbers::pi * 1e-4 * 1000 * g, at_rest = 0.01 * weight;
  for (const auto& [young, damping] : {std::pair{1e7, 1e-2}, {1e7, 0.0}, {1e9, 0.0}, {1e11, 0.0}}) {
    const std::string which = fmt::format("{:.0e} Pa, damping {}", young, damping);
    const FallenRod rod = fallen_rod(young, damping);
    const double fell = rod.summary.first_energy - at_rest;
    EXPECT_EQ(rod.summary.status, RunStatus::finished) << which << ": " << rod.summary.failure;
    EXPECT_GT(rod.lowest, 0.01 - 5e-4) << which;
    EXPECT_LT(rod.lowest, 0.011) << which;
    EXPECT_LT(rod.gained, 5e-3 * fell) << which;
    EXPECT_NEAR(rod.last, at_rest, 0.02 * fell) << which;
  }
}

}  // namespace
}  // namespace hooke::test
