// How contacts press on the surfaces of solids: what is seen and what acts are the same.

#include "control/support.h"
#include "hooke/contact/contact_pressure.h"
#include "hooke/record/record.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

/// Sum of pressure times area over the faces of a surface, as it is deformed.
double pressed_by(const BuiltSolid& solid, const std::string& set, const Record& record) {
  const auto body = static_cast<std::size_t>(solid.body);
  const SolidMesh& mesh = solid.model->mesh;
  const std::vector<int>& nodes = mesh.set(set);
  const auto is_in = [&](int node) {
    return node < 0 || std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  double sum = 0;
  for (const BoundaryFace& face : boundary_faces(mesh)) {
    if (!std::all_of(face.corners.begin(), face.corners.end(), is_in)) continue;
    const double corners = face.corners[3] < 0 ? 3 : 4;
    const double area = face_area(face.corners, [&](int n) {
                          return record.nodes[body][static_cast<std::size_t>(n)].p;
                        }).norm();
    for (const int node : face.corners)
      if (node >= 0) sum += area / corners * record.pressure[body][static_cast<std::size_t>(node)];
  }
  return sum;
}

std::string lying_block(const std::string& element, const std::string& more, const std::string& law) {
  return fmt::format(
      "hooke: 1\ngravity: [0, 0, -9.81]\n"
      "bodies:\n  block:\n    solid: {{mesh: {{box: {{size: [0.2, 0.1, 0.1], divisions: [4, 2, 2], element: "
      "{}}}}}, "
      "material: {{young: 1e6, poisson: 0, density: 1000}}, stiffness_damping: 1e-3{}}}\n    at: [0, 0, "
      "0.05]\n"
      "surfaces: {{floor: {{half-space: [0, 0, 1]}}, bottom: {{nodes: z_min, body: block}}}}\n"
      "contacts: {{stand: {{between: [bottom, floor], {}}}}}\n"
      "run: {{step: 1e-3, end: 0.15}}\noutputs: {{every: 0.01}}\n",
      element, more, law);
}

const std::string stiff = "stiffness: 1e4, exponent: 1, damping: 10", hard = "law: rigid";

/// At all times, of all elements and laws, whether the solid is one or cut.
TEST(ContactPressure, TimesAreaIsTheForce) {
  for (const auto& [element, more, law] : {std::tuple{"hex8", "", stiff},
                                           {"hex20", "", stiff},
                                           {"tet4", "", stiff},
                                           {"tet10", "", stiff},
                                           {"hex8", "", hard},
                                           {"hex8", ", components: 2", stiff}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", element, more, law));
    Simulation simulation(problem(lying_block(element, more, law)));
    double last = 0;
    const Summary summary = simulation.run({.on_record = [&](const Record& record) {
      double sum = 0;
      for (const BuiltSolid& solid : simulation.built().solids) sum += pressed_by(solid, "z_min", record);
      EXPECT_NEAR(sum, -record.contacts[0].force.z(), 1e-4 * 19.62) << record.t;
      last = sum;
    }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
    EXPECT_NEAR(last, 2 * 9.81, 0.01 * 2 * 9.81);
  }
}

/// A pressure on the top of a block comes out at the bottom as it is: at corners and edges, too.
TEST(ContactPressure, IsThatOnTheOtherSide) {
  for (const std::string element : {"hex8", "tet4"}) {
    Simulation simulation(
        problem(lying_block(element, ", surface_loads: [{nodes: z_max, pressure: 1000}]", hard),
                {"gravity=[0, 0, 0]", "bodies.block.solid.material.poisson=0.3"}));
    std::vector<double> last;
    simulation.run({.on_record = [&](const Record& record) { last = record.pressure[0]; }});
    const SolidMesh& mesh = simulation.built().solids[0].model->mesh;
    for (const int node : mesh.set("z_min"))
      EXPECT_NEAR(last[static_cast<std::size_t>(node)], 1000, 5) << element << " " << node;
    for (const int node : mesh.set("z_max")) EXPECT_EQ(last[static_cast<std::size_t>(node)], 0);
  }
}

/// On the one that touches and on the one that is touched.
TEST(ContactPressure, OfSolidsOnEachOther) {
  Simulation simulation(load(std::string(HOOKE_ROOT) + "/models/contact/solid_on_solid.yaml", {}));
  Record last;
  const Summary summary = simulation.run({.on_record = [&](const Record& record) { last = record; }});
  EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
  const auto& solids = simulation.built().solids;
  const auto sum = [&](std::size_t k, const char* set) { return pressed_by(solids[k], set, last); };
  const double upper = -last.contacts[0].force.z(), lower = -last.contacts[1].force.z();
  EXPECT_NEAR(sum(1, "z_min"), upper, 0.01 * upper);
  EXPECT_NEAR(sum(0, "z_max"), upper, 0.01 * upper);
  EXPECT_NEAR(sum(0, "z_min"), lower, 0.01 * lower);
}

/// What a constant pressure makes of a crooked quadrilateral's nodes, by Gauss' rule, is a constant pressure again; middle nodes
/// give theirs to the corners.
TEST(ContactPressure, OfCrookedFacesIsExact) {
  const std::vector<Vec3> corners{{0, 0, 0}, {2, 0.3, 0}, {1.5, 1.9, 0}, {-0.4, 1, 0}};
  ContactPressure surface;
  std::vector<std::vector<FramePose>> places(1);
  for (int k = 0; k < 4; ++k) {
    surface.nodes.push_back({k, {{0, k}}});
    places[0].push_back({identity3, corners[static_cast<std::size_t>(k)]});
  }
  surface.faces = {{0, 1, 2, 3}};
  std::vector<Vec3> forces(5, zero3);
  const double g = 1 / std::sqrt(3.0), p = 7;
  for (const double x : {-g, g})
    for (const double y : {-g, g}) {
      Vec3 by_x = zero3, by_y = zero3;
      const std::array<double, 4> sx{-1, 1, 1, -1}, sy{-1, -1, 1, 1};
      for (std::size_t k = 0; k < 4; ++k) {
        by_x += 0.25 * sx[k] * (1 + sy[k] * y) * corners[k];
        by_y += 0.25 * sy[k] * (1 + sx[k] * x) * corners[k];
      }
      for (std::size_t k = 0; k < 4; ++k)
        forces[k] -= p * 0.25 * (1 + sx[k] * x) * (1 + sy[k] * y) * by_x.cross(by_y);
    }
  std::vector<std::vector<double>> pressure{std::vector<double>(5, 0.0)};
  surface.find(forces, places, pressure);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(pressure[0][k], p, 1e-12);

  surface.nodes.push_back({4, {{0, 4}}});  // between the first two, which it relieves
  places[0].push_back({identity3, 0.5 * (corners[0] + corners[1])});
  surface.middles = {{4, {0, 1}}};
  forces[4] = 2 * Vec3(0, 0, -1);
  for (const std::size_t k : {0, 1}) forces[k].z() += 1;
  pressure[0].assign(5, 0.0);
  surface.find(forces, places, pressure);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(pressure[0][k], p, 1e-12);
  EXPECT_EQ(pressure[0][4], 0);
}

}  // namespace
}  // namespace hooke::test
