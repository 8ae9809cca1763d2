// Geometric stiffening of floating frames: a body that spins or is pulled is stiffer.
#include <Eigen/Dense>
#include <numbers>

#include "hooke/bodies/ffrf_rod.h"
#include "hooke/bodies/ffrf_solid.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/joints/drive.h"
#include "hooke/joints/joints.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

using std::numbers::pi;

MatrixX tangent_of_modes(const FfrfBody& body, const VectorX& q, const VectorX& v, const VectorX& a,
                         const Weights& weights) {
  const std::vector<std::pair<int, int>> places{{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  BlockMatrix matrix(body.block_sizes(), places);
  std::vector<BlockHandle> handles;
  for (auto [i, j] : places) handles.push_back(matrix.handle(i, j));
  body.add_tangent(q.data(), v.data(), a.data(), zero3, weights, nullptr, BodyBlocks{matrix, handles.data()});
  return matrix.dense().bottomRightCorner(body.modes(), body.modes());
}

/// Of a body of unit length along z whose frame, fixed in its end, turns about x through that end; lowest first.
std::vector<double> frequencies(const FfrfBody& body, double speed) {
  const int n = body.modes();
  VectorX q(body.nq()), v(body.nv()), a = VectorX::Zero(body.nv());
  const Vec3 omega(speed, 0, 0), arm(0, 0, 0.5);
  Vec6 twist;
  twist << omega.cross(arm), omega;
  body.place({}, twist, q.data(), v.data());
  a.head<3>() = omega.cross(omega.cross(arm));
  for (int k = 0; k < 8; ++k) {  // the pull stretches it
    VectorX r = VectorX::Zero(body.nv());
    body.add_residual(q.data(), v.data(), a.data(), zero3, r.data());
    q.tail(n) -= tangent_of_modes(body, q, v, a, {.m = 0, .k = 1}).partialPivLu().solve(r.tail(n));
  }
  const auto mass = tangent_of_modes(body, q, v, a, {.m = 1}).partialPivLu();
  MatrixX A = MatrixX::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -mass.solve(tangent_of_modes(body, q, v, a, {.m = 0, .k = 1}));
  A.bottomRightCorner(n, n) = -mass.solve(tangent_of_modes(body, q, v, a, {.m = 0, .d = 1}));
  std::vector<double> found;
  for (double omega_i : VectorX(A.eigenvalues().imag()))
    if (omega_i > 0) found.push_back(omega_i);
  std::sort(found.begin(), found.end());
  return found;
}

/// In the plane of turning the square of a frequency is less by that of the speed.
void expect_those_of_a_rotating_beam(const FfrfBody& body, double unit, double tolerance) {
  for (const double eta : {0.0, 2.0, 6.0, 12.0}) {
    const VectorX exact = rotating_beam(eta);
    const std::vector<double> found = frequencies(body, eta * unit);
    for (int k : {0, 1}) {
      const double in_plane = std::sqrt(exact[k] * exact[k] - eta * eta);
      EXPECT_NEAR(found[2 * k] / unit / in_plane, 1, tolerance) << eta;
      EXPECT_NEAR(found[2 * k + 1] / unit / exact[k], 1, tolerance) << eta;
    }
    // Southwell: omega^2 = omega_0^2 + 1.193 speed^2, with the shape at rest, is an upper bound
    const double southwell = std::sqrt(3.51602 * 3.51602 + 1.193 * eta * eta);
    EXPECT_LT(found[1] / unit / southwell, 1.002) << eta;
    if (eta <= 6) {
      EXPECT_NEAR(found[1] / unit / southwell, 1, 0.011) << eta;
    }
  }
}

TEST(Stiffening, ARotatingRod) {
  const double radius = 2e-3, unit = std::sqrt(2e11 / 7800) * radius / 2;
  const CosseratRod<3> rod(Section::of(SectionShape::circle(radius, 0.3), {2e11, 0.3, 7800}), 1, 12);
  for (const ModalBasis basis : {ModalBasis::clamped, ModalBasis::craig_bampton})
    for (const bool with_constant_mass : {false, true})
      expect_those_of_a_rotating_beam(
          FfrfBody(modal_data(rod, basis, 16, RodReference::start, 0, true), with_constant_mass), unit, 2e-3);
  const FfrfBody linear(modal_data(rod, ModalBasis::clamped, 16, RodReference::start));
  EXPECT_NEAR(frequencies(linear, 6 * unit)[0] / unit, 3.516, 1e-3);
}

TEST(Stiffening, ARotatingBarWithModesOfAMesh) {
  const double edge = 0.01, unit = std::sqrt(2e11 / 7800 / 12) * edge;
  const std::vector<SolidMaterial> material{SolidMaterial::isotropic({2e11, 0, 7800})};
  for (const ElementType type : {ElementType::hex8, ElementType::hex20})
    for (const ModalBasis basis : {ModalBasis::clamped, ModalBasis::craig_bampton})
      expect_those_of_a_rotating_beam(
          FfrfBody(modal_data(box_mesh(Vec3(edge, edge, 1), {1, 1, 30}, type), material,
                              {.basis = basis,
                               .modes = 12,
                               .interfaces = {"z_min", "z_max"},
                               .reference = "z_min",
                               .stiffening = true})),
          unit, 5e-3);
}

/// Rotating beam of Simo and Vu-Quoc (tests/bodies/rod_dynamics_test.cpp) as a bar: it lags behind by 0.574 m while it spins up,
/// whatever the frame follows.
TEST(Stiffening, ASpinUpOfABarWithModesOfAMeshInAnyFrame) {
  const double edge = 0.15, density = 1.2 / (edge * edge), EI = 1.4e4;
  const auto material = SolidMaterial::isotropic({12 * EI / std::pow(edge, 4), 0, density});
  for (const char* reference : {"z_min", ""})
    for (const bool with_constant_mass : {false, true}) {
      FfrfBody body(modal_data(box_mesh(Vec3(edge, edge, 10), {1, 1, 30}, ElementType::hex20), {material},
                               {.basis = ModalBasis::craig_bampton,
                                .modes = 12,
                                .interfaces = {"z_min", "z_max"},
                                .reference = reference,
                                .stiffening = true}),
                    with_constant_mass);
      body.start.R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
      body.start.p = Vec3(5, 0, 0);
      System system;
      const int number = system.add_body(body, "bar");
      const std::array axle{
          system.add_ground_frame({identity3, zero3}),
          system.add_frame<FfrfBody>(number, body.attach({body.start.R.transpose(), Vec3(0, 0, -5)}))};
      system.add_constraint(joints::Revolute{}, axle, "axle");
      system.add_constraint(
          Drive<Angle>{Angle::about_z(),
                       Function::expression("6*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))/15")},
          axle, "motor");
      system.finish(zero3);
      GeneralizedAlpha integrator(
          system,
          {AlphaParameters::generalized_alpha(0.9), ConstraintForm::stabilised, Projection::none, {}});
      State state = system.initial_state();
      double lag = 0;
      for (int k = 0; k < 800; ++k) {
        ASSERT_TRUE(integrator.step(state, 0.01).accepted);
        const int end = static_cast<int>(body.data.nodes.size()) - 1;
        const FramePose hub = body.node(end - 1, state.q.data()), tip = body.node(end, state.q.data());
        lag = std::max(lag, (hub.R.transpose() * (tip.p - hub.p)).head<2>().norm());
      }
      EXPECT_NEAR(lag / 0.574, 1, 0.003) << reference;
    }
}

/// A column under a load along it: the square of the frequency falls in a straight line to zero at Euler's load, and a
/// pull raises it.
TEST(Stiffening, AColumnUnderALoad) {
  const RodSettings settings = rod(CircleSection{2e-3}, 2e11, 0.3, 7800, 1);
  const double EI = 2e11 * pi * 16e-12 / 4, euler = pi * pi * EI / 4;
  const auto square = [&](const RodType& type, double force) {
    Model model = cantilever(type, settings, 12);
    model.forces = {tip_load(Vec3(force, 0, 0))};
    const Equilibrium found = equilibrium(model);
    EXPECT_TRUE(found.result.converged);
    const double f = linearise(*found.built.system, found.state).modes[0].frequency;
    return f * f;
  };
  for (const ModalBasis basis : {ModalBasis::clamped, ModalBasis::craig_bampton}) {
    const RodType stiffening = ffrf(12, basis, true);
    for (const double part : {-0.9, -0.5, 1.0})
      EXPECT_NEAR(square(stiffening, part * euler) / square(cosserat(2), part * euler), 1, 5e-3) << part;
  }
  EXPECT_GT(square(ffrf(12), -0.5 * euler) / square(cosserat(2), -0.5 * euler), 1.1);
}

/// The power of all forces but damping is the rate of the energy, with any acceleration.
TEST(Stiffening, EquationsAreThoseOfTheEnergy) {
  const CosseratRod<3> rod(Section::of(SectionShape::circle(0.05, 0.3), {1e6, 0.3, 1000}), 1, 3);
  const FfrfBody body(modal_data(rod, ModalBasis::craig_bampton, 7, RodReference::mean, 0.1, true));
  const int n = body.nv(), m = body.modes();
  const Vec3 gravity(0.5, -9, 2);
  VectorX q(body.nq()), v(n), scale(n);
  body.place({exp_so3(Vec3(0.3, -0.5, 1)), Vec3(1, 2, 3)}, zero6, q.data(), v.data());
  body.scale(1, scale.data());
  const VectorX some = VectorX::LinSpaced(n, -0.7, 0.9), other = some.reverse().cwiseAbs2();
  q.tail(m) = 0.1 * some.tail(m).cwiseProduct(scale.tail(m));
  v = other.cwiseProduct(scale);
  const VectorX a = some.cwiseProduct(scale);
  const auto residual = [&](const VectorX& at, const VectorX& rate) {
    VectorX r = VectorX::Zero(n);
    body.add_residual(at.data(), rate.data(), a.data(), gravity, r.data());
    return r;
  };
  const auto moved = [&](const VectorX& x) {
    VectorX result(body.nq());
    body.plus(q.data(), x.data(), result.data());
    return result;
  };
  const auto energy = [&](double t) {
    const VectorX at = moved(t * v), rate = v + t * a;
    return body.energy(at.data(), rate.data(), gravity).total();
  };
  const double h = 1e-4, slope = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h);
  const double power = v.dot(residual(q, v)) - body.power(q.data(), v.data()).dissipated;
  EXPECT_NEAR(slope / power, 1, 1e-8);
}

}  // namespace
}  // namespace hooke::test
