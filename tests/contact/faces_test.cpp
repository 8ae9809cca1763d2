// The faces of a solid as a surface: continuous over edges, with derivatives that are right and a force that has a potential.

#include "control/support.h"
#include "hooke/contact/face_contacts.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

using Triangle = FacetedSurface::Triangle;

/// n x m squares, cut in two, on a grid of x and y; z as told.
struct Sheet {
  std::vector<Vec3> nodes;
  std::vector<Triangle> triangles;
  Sheet(int n, int m, double width, const std::function<double(double, double)>& z) {
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= n; ++i) {
        const double x = width * (static_cast<double>(i) / n - 0.5), y = width * (static_cast<double>(j) / n);
        nodes.emplace_back(x, y, z(x, y));
      }
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < n; ++i) {
        const int a = j * (n + 1) + i;
        triangles.push_back({a, a + 1, a + n + 2});
        triangles.push_back({a, a + n + 2, a + n + 1});
      }
  }
  FacetedSurface surface(double depth = 1) const {
    return {triangles, nodes, std::vector<double>(triangles.size(), depth)};
  }
};

double bowl(double x, double y) { return 0.3 * x * x - 0.2 * y * y + 0.1 * x * y; }

FacetedSurface::Posed posed(const FacetedSurface& surface, const std::vector<Vec3>& at) {
  FacetedSurface::Posed now{.at = at, .boxes = {}};
  surface.enclose(now);
  return now;
}

FacetedSurface::Patch met(const FacetedSurface& surface, const Vec3& x, double radius,
                          const std::vector<Vec3>& at, bool with_bend = false) {
  FacetedSurface::Patch patch;
  EXPECT_TRUE(surface.meet(x, radius, posed(surface, at), 1, with_bend, patch)) << x.transpose();
  return patch;
}

TEST(FacetedSurface, SlopesAreDerivatives) {
  const Sheet sheet(4, 4, 2, bowl);
  const FacetedSurface surface = sheet.surface();
  Random random{3};
  for (int trial = 0; trial < 30; ++trial)
    for (const double radius : {0.0, 0.2}) {
      const Vec3 in_plane = 0.6 * random_vector(3, random) + Vec3(0, 1, 0);
      const Vec3 x(in_plane.x(), in_plane.y(), bowl(in_plane.x(), in_plane.y()) + radius - 0.03);
      const FacetedSurface::Patch patch = met(surface, x, radius, sheet.nodes, true);
      const auto n = static_cast<int>(patch.dofs());
      const auto moved = [&](const VectorX& dx) {
        std::vector<Vec3> nodes = sheet.nodes;
        for (std::size_t k = 0; k < patch.nodes.size(); ++k)
          nodes[static_cast<std::size_t>(patch.nodes[k])] += dx.segment<3>(3 + 3 * static_cast<int>(k));
        return met(surface, x + dx.head<3>(), radius, nodes);
      };
      // Triangles come into reach with a weight of third order.
      const MatrixX slope = finite_difference(
          [&](const VectorX& dx) { return VectorX::Constant(1, moved(dx).distance); }, n, 1e-5);
      EXPECT_MATRIX_NEAR(patch.slope.head(n).transpose(), slope, 1e-8);
      double shares = 0;
      for (std::size_t k = 0; k < patch.nodes.size(); ++k) shares += patch.share(k);
      EXPECT_NEAR(shares, 1, 1e-12);
      const MatrixX bend = finite_difference(
          [&](const VectorX& dx) {
            const FacetedSurface::Patch there = moved(dx);
            VectorX of = VectorX::Zero(n);
            of.head<3>() = there.slope.head<3>();
            for (std::size_t k = 0; k < patch.nodes.size(); ++k)
              for (std::size_t l = 0; l < there.nodes.size(); ++l)
                if (there.nodes[l] == patch.nodes[k])
                  of.segment<3>(3 + 3 * static_cast<int>(k)) = there.slope_of(l);
            return of;
          },
          n, 1e-6);
      EXPECT_MATRIX_NEAR(patch.bend.topLeftCorner(n, n), bend, 1e-6);
    }
}

/// Where all triangles lie in one plane it is that plane, whatever the mesh is and however deep the point.
TEST(FacetedSurface, IsAPlaneWhereItIsFlat) {
  const Sheet sheet(5, 5, 2, [](double x, double y) { return 0.2 * x - 0.3 * y; });
  const FacetedSurface surface = sheet.surface(10);
  const Vec3 normal = Vec3(-0.2, 0.3, 1).normalized();
  Random random{4};
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 x = 0.8 * random_vector(3, random) + Vec3(0, 1, 0);
    const FacetedSurface::Patch patch = met(surface, x, 0, sheet.nodes);
    EXPECT_NEAR(patch.distance, normal.dot(x), 1e-13);
    EXPECT_MATRIX_NEAR(patch.normal, normal, 1e-13);
    EXPECT_NEAR(patch.steep, 1, 1e-13);
  }
}

/// Along a path over many edges, convex and concave, inside and outside: the changes of distance and normal go down with the steps. The normals
/// of the triangles themselves jump by as much as they did.
TEST(FacetedSurface, NormalsAreContinuous) {
  const Sheet sheet(8, 8, 2, [](double x, double y) { return 0.2 * std::cos(2 * x) * std::sin(1.5 * y); });
  const FacetedSurface surface = sheet.surface();
  for (const double radius : {0.0, 0.3})
    for (const double depth : {0.0, 0.03}) {
      const auto most_turned = [&](int steps) {
        double most = 0;
        Vec3 last = zero3;
        for (int k = 0; k <= steps; ++k) {
          const double s = static_cast<double>(k) / steps, x = 1.7 * s - 0.85, y = 0.2 + 1.5 * s * s;
          const Vec3 at(x, y, 0.2 * std::cos(2 * x) * std::sin(1.5 * y) + radius - depth);
          const Vec3 normal = met(surface, at, radius, sheet.nodes).normal;
          if (k > 0) most = std::max(most, (normal - last).norm());
          last = normal;
        }
        return most;
      };
      const double coarse = most_turned(10000), fine = most_turned(40000);
      EXPECT_LT(coarse, 5e-3) << radius << " " << depth;
      EXPECT_NEAR(fine, 0.25 * coarse, 0.05 * coarse) << radius << " " << depth;
    }
}

/// A sharp edge stays one: of the sides of a box each is as flat as without the other.
TEST(FacetedSurface, SharpEdgesAreNotBlended) {
  std::vector<Vec3> nodes{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, -1}, {1, 1, -1}};
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
  const FacetedSurface surface(triangles, nodes, std::vector<double>(4, 1.0));
  EXPECT_MATRIX_NEAR(met(surface, {0.98, 0.5, -0.01}, 0, nodes).normal, unit_z, 1e-15);
  EXPECT_MATRIX_NEAR(met(surface, {0.99, 0.5, -0.02}, 0, nodes).normal, unit_x, 1e-15);
}

/// Beside its border and below the solid there is no surface.
TEST(FacetedSurface, EndsAtItsBorder) {
  const Sheet sheet(2, 2, 1, [](double, double) { return 0.0; });
  const FacetedSurface surface = sheet.surface(0.1);
  const FacetedSurface::Posed now = posed(surface, sheet.nodes);
  FacetedSurface::Patch patch;
  EXPECT_TRUE(surface.meet({0.49, 0.5, -0.05}, 0, now, 1, false, patch));
  EXPECT_FALSE(surface.meet({0.52, 0.5, -0.05}, 0, now, 1, false, patch));
  EXPECT_FALSE(surface.meet({0.1, 0.5, -0.11}, 0, now, 1, false, patch));
}

double distance_from(const Vec3& x, const Triangle& t, const std::vector<Vec3>& nodes) {
  const auto at = [&](std::size_t k) -> const Vec3& { return nodes[static_cast<std::size_t>(t[k % 3])]; };
  const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
  bool is_over = true;
  double least = 1e300;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 side = at(k + 1) - at(k), to = x - at(k);
    is_over &= normal.cross(side).dot(to) >= 0;
    least = std::min(least, (to - std::clamp(to.dot(side) / side.squaredNorm(), 0.0, 1.0) * side).norm());
  }
  return is_over ? std::abs(normal.dot(x - at(0))) : least;
}

/// Of 20000 triangles a few dozen are looked at, also where the sheet has been bent so that the tree is not what it would be made like
/// now; and none of all is nearer than those that are found.
TEST(FacetedSurface, FindsTheNearestOfManyByFew) {
  Sheet sheet(100, 100, 2, [](double x, double y) { return 0.05 * std::sin(9 * x) * std::cos(7 * y); });
  const FacetedSurface surface = sheet.surface(10);
  for (Vec3& node : sheet.nodes) node = Vec3(std::sin(node.x()), node.y(), node.z() + std::cos(node.x()));
  const FacetedSurface::Posed now = posed(surface, sheet.nodes);
  Random random{8};
  FacetedSurface::Patch patch;
  int most = 0;
  double sum = 0;
  constexpr int trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    const Vec3 in_plane = 0.7 * random_vector(3, random) + Vec3(0, 1, 0);
    const Vec3 x(std::sin(in_plane.x()), in_plane.y(), 0.02 * in_plane.z() + std::cos(in_plane.x()));
    ASSERT_TRUE(surface.meet(x, 0, now, 1, false, patch));
    most = std::max(most, patch.looked_at);
    sum += patch.looked_at;
    double least = 1;
    Triangle nearest{};
    for (const Triangle& t : sheet.triangles)
      if (const double here = distance_from(x, t, sheet.nodes); here < least) least = here, nearest = t;
    for (const int node : nearest) EXPECT_THAT(patch.nodes, testing::Contains(node)) << trial;
  }
  EXPECT_EQ(surface.size(), 20000);
  EXPECT_LT(most, 400);
  EXPECT_LT(sum / trials, 40);
}

// --- forces

const std::string soft_block =
    "solid: {mesh: {box: {size: [0.03, 0.03, 0.03], divisions: [1, 1, 1]}}, material: *m}, at: [0.01, "
    "0.003, 0.025]";

/// A small block, or something else, on a plate of a solid, both displaced at will.
struct Blocks {
  Simulation simulation;
  const System& system = simulation.system();
  std::unique_ptr<Workspace> workspace = system.workspace();
  State state = system.initial_state();

  explicit Blocks(const std::string& contact, const std::string& element = "hex8", int across = 3,
                  const std::string& block = soft_block, const std::string& surface = "nodes: z_min")
      : simulation(problem(fmt::format(
            "hooke: 1\nbodies:\n"
            "  plate: {{solid: {{mesh: {{box: {{size: [0.2, 0.1, 0.02], divisions: [6, {}, 1], element: "
            "{}}}}}, "
            "material: &m {{young: 2e6, poisson: 0.3, density: 1100}}}}}}\n"
            "  block: {{{}}}\n"
            "surfaces: {{top: {{nodes: z_max, body: plate}}, block: {{{}, body: block}}}}\n"
            "{}run: {{end: 0.01}}\n",
            across, element, block, surface, contact))) {}

  /// Moves the nodes of a body from where they are by f.
  void displace(int body, const std::function<Vec3(const Vec3&)>& f) {
    const auto nodes = system.nodes(body, state);
    VectorX x = VectorX::Zero(system.nv());
    for (std::size_t k = 0; k < nodes.size(); ++k)
      x.segment<3>(system.place_of(body).v + 3 * static_cast<int>(k)) = f(nodes[k].p);
    const VectorX q = state.q;
    system.plus(q, x, state.q);
    const auto moved = system.nodes(body, state);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      EXPECT_MATRIX_NEAR(moved[k].p, nodes[k].p + f(nodes[k].p), 1e-9);
  }
  VectorX residual(const VectorX& dx, const VectorX& dv) {
    State there = state;
    system.plus(state.q, dx, there.q);
    there.v += dv;
    VectorX r;
    system.update(there, *workspace);
    system.residual(there, *workspace, r);
    return r;
  }
  double energy(const VectorX& dx) {
    State there = state;
    system.plus(state.q, dx, there.q);
    system.update(there, *workspace);
    return system.energy(there, *workspace).potential;
  }
  MatrixX tangent(const Weights& weights) {
    const VectorX zero = VectorX::Zero(system.nv());
    residual(zero, zero);
    KktMatrix kkt(system.structure());
    system.tangent(state, weights, *workspace, kkt);
    return kkt.matrix.dense();
  }
  RigidContactsBase::Sum contact() {
    auto& w = static_cast<SystemWorkspace&>(*workspace);
    system.update(state, w);
    return contact_sum(simulation.built().contacts[0], system, state, w);
  }
};

const std::vector<std::string> friction_keys{"", ", friction: {coefficient: 0.4, stick_speed: 0.05}",
                                             ", friction: {coefficient: 0.4, bristle: 0.05}",
                                             ", friction: {coefficient: 0.4, bristle: 1e-3}"};

/// What the contact adds to the system: its forces, their derivatives by all coordinates and velocities, its energy and what it dissipates.
void check_face_derivatives(const std::string& element, const std::string& block, const std::string& surface,
                            int points) {
  for (const std::string& friction : friction_keys) {
    Blocks with(
        "contacts: {touch: {between: [block, top], stiffness: 1e4, restitution: 0.5, rest_speed: 0.1" +
            friction + "}}\n",
        element, 3, block, surface),
        without("", element, 3, block, surface);
    Random random{5};
    const int n = with.system.nv();
    const VectorX displaced = 1.5e-3 * random_vector(n, random);
    const VectorX speeds = 0.2 * random_vector(n, random);
    for (Blocks* each : {&with, &without}) {
      each->displace(0, [](const Vec3& p) { return Vec3(0, 0, -1.5 * p.x() * p.x() + 2 * p.x() * p.y()); });
      const VectorX q = each->state.q;
      each->system.plus(q, displaced, each->state.q);
      each->state.v = speeds;
      each->state.t = 0.2;
    }
    with.state.memory = 0.3 * random_vector(static_cast<int>(with.state.memory.size()), random);
    for (int m = 0; m + TouchMemory::size <= with.state.memory.size(); m += TouchMemory::size)
      with.state.memory[m + 2] = 0.19;
    const VectorX zero = VectorX::Zero(n);
    const auto added = [&](const VectorX& dx, const VectorX& dv) -> VectorX {
      return with.residual(dx, dv) - without.residual(dx, dv);
    };
    ASSERT_GE(with.contact().points, points) << friction << element;
    const double unit = added(zero, zero).lpNorm<Eigen::Infinity>();
    ASSERT_GT(unit, 1e-3);
    const auto K = [&](const Weights& weights) -> MatrixX {
      return (with.tangent(weights) - without.tangent(weights)) / unit;
    };
    const MatrixX by_x =
                      finite_difference([&](const VectorX&dx) { return VectorX(added(dx, zero)); }, n, 1e-7) /
                      unit,
                  by_v =
                      finite_difference([&](const VectorX&dv) { return VectorX(added(zero, dv)); }, n, 1e-5) /
                      unit;
    EXPECT_LT((K({.k = 1}) - by_x).lpNorm<Eigen::Infinity>(), 1e-5 * by_x.lpNorm<Eigen::Infinity>())
        << friction << element;
    EXPECT_LT((K({.d = 1}) - by_v).lpNorm<Eigen::Infinity>(), 1e-6 * by_v.lpNorm<Eigen::Infinity>())
        << friction << element;
    const double h = 1e-6, power = -added(zero, zero).dot(speeds),
                 rate = (with.energy(h * speeds) - without.energy(h * speeds) - with.energy(-h * speeds) +
                         without.energy(-h * speeds)) /
                        (2 * h);
    with.residual(zero, zero), without.residual(zero, zero);
    const double lost = with.system.power(with.state, *with.workspace).dissipated -
                        without.system.power(without.state, *without.workspace).dissipated;
    EXPECT_NEAR(power, -rate - lost, 1e-6 * std::max(1.0, std::abs(power))) << friction << element;

    // Action is reaction: neither a resultant nor a moment is left.
    FrameTable& frames = static_cast<SystemWorkspace&>(*with.workspace).frames;
    for (FrameWrench& w : frames.wrench) w.setZero();
    const int force = with.simulation.built().contacts[0].points.front().force;
    with.system.force_item(force).first->subtract_wrenches(with.state, frames);
    Vec3 net = zero3, moment = zero3;
    double most = 0;
    for (std::size_t f = 0; f < frames.wrench.size(); ++f) {
      net += frames.wrench[f].head<3>();
      moment += frames.wrench[f].tail<3>() + frames.pose[f].p.cross(frames.wrench[f].head<3>());
      most = std::max(most, frames.wrench[f].head<3>().norm());
    }
    EXPECT_LT(net.norm(), 1e-12 * most) << friction << element;
    EXPECT_LT(moment.norm(), (surface.starts_with("nodes") ? 1e-2 : 1e-13) * most) << friction << element;
  }
}

TEST(FaceContacts, TangentsAreDerivatives) {
  const std::string deep = soft_block.substr(0, soft_block.rfind("0.025")) + "0.0225]";
  for (const char* element : {"hex8", "tet10"}) check_face_derivatives(element, deep, "nodes: z_min", 2);
}

/// Of a ball, and of a rod, which friction turns.
TEST(FaceContacts, TangentsOnWhatTurnsAreDerivatives) {
  for (const char* element : {"hex8", "tet10"}) {
    check_face_derivatives(element, "rigid: {mass: 0.1, inertia: 1e-5}, at: [0.01, 0.003, 0.0235]",
                           "sphere: 0.015", 1);
    check_face_derivatives(
        element,
        "cosserat: {section: {circle: 0.005}, material: *m, elements: 2}, between: [[-0.02, "
        "0.003, 0.0135], [0.03, 0.003, 0.0135]], axes: {z: x}",
        "rod: {radius: 0.005}", 2);
  }
}

/// Thrown along a plate of a solid, what is round slides and then rolls: a ball at 5/7 of its speed, a rod at 2/3.
TEST(FaceContacts, WhatIsRoundComesToRoll) {
  const double v = 0.5;
  for (const auto& [body, surface, rolls] :
       {std::tuple{std::string("rigid: {mass: 0.1, inertia: 4e-6}, at: [-0.15, 0, 0.02]"),
                   std::string("sphere: 0.01"), 5.0 / 7},
        {"cosserat: {section: {circle: 0.01}, material: {young: 1e9, poisson: 0.3, density: 3000}, elements: "
         "2, damping: 1e-3}, between: [[-0.15, -0.03, 0.02], [-0.15, 0.03, 0.02]], axes: {z: y}",
         "rod: {radius: 0.01}", 2.0 / 3}}) {
    Simulation simulation(problem(fmt::format(
        "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n  body: {{{}, velocity: [{}, 0, 0]}}\n"
        "  plate: {{solid: {{mesh: {{box: {{size: [0.4, 0.1, 0.02], divisions: [8, 2, 1]}}}}, material: "
        "{{young: 1e9, poisson: 0.3, density: 2000}}, stiffness_damping: 1e-4}}}}\n"
        "joints: {{held: {{fixed: [ground, plate.z_min]}}}}\n"
        "surfaces: {{top: {{nodes: z_max, body: plate}}, body: {{{}, body: body}}}}\n"
        "contacts: {{touch: {{between: [body, top], stiffness: 1e5, exponent: 1, damping: 50, friction: "
        "{{coefficient: 0.3, bristle: 1e-6}}}}}}\n"
        "run: {{step: 5e-4, end: 0.3}}\noutputs: {{every: 0.1}}\n",
        body, v, surface)));
    Vec3 last = zero3;
    const Summary summary = simulation.run({.on_output = [&](const State& state, const SystemWorkspace&) {
      last = simulation.system().motion(0, state).twist.head<3>();
    }});
    EXPECT_EQ(summary.status, RunStatus::finished) << summary.failure;
    EXPECT_NEAR(last.x(), rolls * v, 0.01 * v) << surface;
    EXPECT_NEAR(last.y(), 0, 0.01 * v) << surface;
  }
}

/// The block is moved along a plate that is bent into an arch of triangles 33 mm long, 0.2 rad from each to the next, at a constant depth
/// below the arch. The force turns and grows steadily: what it changes in a step goes down with the step.
TEST(FaceContacts, SlidesOverAnArchWithoutJumps) {
  const double bend = 3;  // 1/m: half the curvature
  for (const char* element : {"hex8", "tet4", "hex20"}) {
    const auto most_changed = [&](int steps) {
      Blocks on("contacts: {touch: {between: [block, top], stiffness: 1e4, exponent: 1}}\n", element, 3);
      on.displace(0, [&](const Vec3& p) { return Vec3(0, 0, -bend * p.x() * p.x()); });
      Vec3 last = zero3;
      double most = 0, largest = 0, x = 0;
      for (int k = 0; k <= steps; ++k) {
        const double to = 0.1 * (static_cast<double>(k) / steps) - 0.04;
        const double from = k == 0 ? 0 : x;
        x = to;
        const auto z = [&](double s) { return -bend * s * s; };
        on.displace(1, [&](const Vec3&) {
          return Vec3(to - from, 0, z(0.01 + to) - (k == 0 ? 1.5e-3 : z(0.01 + from)));
        });
        const Vec3 f = on.contact().force;
        if (k > 0) most = std::max(most, (f - last).norm());
        largest = std::max(largest, f.norm());
        last = f;
      }
      return most / largest;
    };
    const double coarse = most_changed(500), fine = most_changed(2000);
    fmt::print("{}: {:.4f} in steps of 0.2 mm, {:.4f} in steps of 0.05 mm\n", element, coarse, fine);
    EXPECT_LT(fine, 0.35 * coarse) << element;
  }
}

}  // namespace
}  // namespace hooke::test
