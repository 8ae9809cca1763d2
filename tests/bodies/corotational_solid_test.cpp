// Solids of finite elements: what their forces derive from, what they leave unchanged, and what frames on
// them do. (That all their derivatives are right on every joint is in tests/system.)
#include "hooke/bodies/corotational_solid.h"

#include "hooke/fe/best_fit.h"
#include "hooke/fe/stress_matrix.h"
#include "hooke/system/system.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

const SolidMaterial rubber = SolidMaterial::isotropic({3.0, 0.3, 2.0});

CorotationalSolid block(Corotation corotation, FrameFit fit, bool consistent,
                        ElementType type = ElementType::hex8) {
  CorotationalSolid solid(std::make_shared<const SolidModel>(box_mesh(Vec3(2, 1, 1.5), {2, 1, 1}, type),
                                                             std::vector{rubber}, SolidOptions{}));
  solid.corotation = corotation;
  solid.fit = fit;
  solid.consistent = consistent;
  return solid;
}

/// Somewhere, turned, and moderately deformed.
struct At {
  VectorX q, v, a;
  At(const CorotationalSolid& solid, Random& random, double deformation = 0.1)
      : q(solid.nq()), v(solid.nv()), a(random_vector(solid.nv(), random)) {
    solid.place(random_pose(random), zero6, q.data(), v.data());
    q += deformation * random_vector(solid.nq(), random);
    v = random_vector(solid.nv(), random);
  }
};

VectorX elastic_force(const CorotationalSolid& solid, const VectorX& q) {
  VectorX r = VectorX::Zero(q.size());
  solid.add_residual(q.data(), r.data(), r.data(), zero3, r.data());
  return r;
}

Vec3 moment(const VectorX& x, const VectorX& f) {
  Vec3 sum = zero3;
  for (int i = 0; i < x.size(); i += 3) sum += x.segment<3>(i).cross(f.segment<3>(i));
  return sum;
}

struct Choice {
  Corotation corotation;
  FrameFit fit;
};
const std::vector<Choice> choices{{Corotation::component, FrameFit::best},
                                  {Corotation::component, FrameFit::three_nodes},
                                  {Corotation::element, FrameFit::best},
                                  {Corotation::element, FrameFit::three_nodes}};

TEST(BestFit, FindsTheRotationOfPointsInSpaceAndInAPlane) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3 R = random_pose(random).R;
    Mat3X points = random_vector(15, random).reshaped(3, 5);
    if (trial % 2) points.row(1).setZero();
    points.row(2) *= std::pow(10, -trial % 4);
    EXPECT_MATRIX_NEAR(BestFit::rotation_of(R * points * points.transpose()), R, 1e-10);
  }
}

TEST(CorotationalSolid, ConsistentForcesAreTheDerivativeOfTheStrainEnergy) {
  Random random(2);
  for (const Choice& c : choices)
    for (const ElementType type :
         {ElementType::hex8, ElementType::tet4, ElementType::tet10, ElementType::hex20}) {
      const CorotationalSolid solid = block(c.corotation, c.fit, true, type);
      const At at(solid, random);
      const MatrixX gradient = finite_difference(
          [&](const VectorX& x) {
            const VectorX q = at.q + x;
            return VectorX::Constant(1, solid.strain_energy(q.data()));
          },
          solid.nv());
      EXPECT_MATRIX_NEAR(elastic_force(solid, at.q), gradient.transpose(), 1e-8);
    }
}

/// No force and, of consistent ones, no moment; the simplified ones leave a moment of second order.
TEST(CorotationalSolid, InternalForcesAreInBalance) {
  Random random(3);
  for (const Choice& c : choices) {
    const CorotationalSolid exact = block(c.corotation, c.fit, true),
                            simple = block(c.corotation, c.fit, false);
    const At at(exact, random);
    const VectorX f = elastic_force(exact, at.q), g = elastic_force(simple, at.q);
    for (const VectorX* force : {&f, &g})
      EXPECT_LT(force->reshaped(3, f.size() / 3).rowwise().sum().norm(), 1e-13);
    EXPECT_LT(moment(at.q, f).norm(), 1e-13);
    EXPECT_GT(moment(at.q, g).norm(), 1e-4);
  }
  const CorotationalSolid simple = block(Corotation::component, FrameFit::best, false);
  Random same(4), again(4);
  const At large(simple, same, 0.1), small(simple, again, 0.001);
  const double ratio = moment(large.q, elastic_force(simple, large.q)).norm() /
                       moment(small.q, elastic_force(simple, small.q)).norm();
  EXPECT_NEAR(std::log10(ratio), 4, 0.3);
}

TEST(CorotationalSolid, ForcesTurnWithTheBody) {
  Random random(5);
  for (const Choice& c : choices)
    for (bool consistent : {true, false}) {
      const CorotationalSolid solid = block(c.corotation, c.fit, consistent);
      const At at(solid, random);
      const FramePose X = random_pose(random);
      VectorX moved = at.q, turned = elastic_force(solid, at.q);
      for (int i = 0; i < moved.size(); i += 3) {
        moved.segment<3>(i) = X.p + X.R * at.q.segment<3>(i);
        turned.segment<3>(i) = (X.R * turned.segment<3>(i)).eval();
      }
      EXPECT_MATRIX_NEAR(elastic_force(solid, moved), turned, 1e-13);
    }
}

/// Damping by the stiffness acts on the rate of deformation: none where a deformed body turns as a whole, no force or
/// moment in sum, and the power that the account of energy has.
TEST(CorotationalSolid, DampingDoesNotBrakeABodyThatTurns) {
  Random random(15);
  for (const Choice& c : choices)
    for (bool consistent : {true, false}) {
      CorotationalSolid solid = block(c.corotation, c.fit, consistent);
      const At at(solid, random);
      const auto damping = [&](const VectorX& v) {
        VectorX with = VectorX::Zero(v.size()), zero = with;
        solid.stiffness_damping = 0.3;
        solid.add_residual(at.q.data(), v.data(), zero.data(), zero3, with.data());
        solid.stiffness_damping = 0;
        return VectorX(with - elastic_force(solid, at.q));
      };
      VectorX turning(solid.nv());
      Vec6 twist;
      twist << 1, 2, 3, 4, -5, 6;
      solid.rigid_motion(at.q.data(), twist, turning.data());
      EXPECT_LT(damping(turning).norm(), 1e-12);
      const VectorX f = damping(at.v);
      EXPECT_GT(f.norm(), 0.1);
      EXPECT_LT(f.reshaped(3, f.size() / 3).rowwise().sum().norm(), 1e-13);
      EXPECT_LT(consistent ? moment(at.q, f).norm() : 0, 1e-12);
      solid.stiffness_damping = 0.3;
      EXPECT_NEAR(solid.power(at.q.data(), at.v.data()).dissipated, f.dot(at.v), 1e-12);
    }
}

/// Four elements at a time, alike or each of its own shape, also where some are turned inside out; and in every bit the
/// same, however many threads take part.
TEST(CorotationalSolid, ForcesOfManyElements) {
  Random random(21);
  Team two(2), three(3);
  for (const bool is_regular : {true, false})
    for (const ElementType type :
         {ElementType::hex8, ElementType::tet4, ElementType::tet10, ElementType::hex20})
      for (const Choice& c : choices) {
        SolidMesh mesh = box_mesh(Vec3(2, 1, 1.5), {9, 10, 12}, type);
        for (Vec3& node : mesh.nodes)
          if (!is_regular) node += 1e-3 * random_vector(3, random);
        CorotationalSolid solid(
            std::make_shared<const SolidModel>(std::move(mesh), std::vector{rubber}, SolidOptions{}));
        solid.corotation = c.corotation, solid.fit = c.fit;
        EXPECT_GT(solid.model->sums_of_elements.shares(), 1);
        EXPECT_EQ(solid.model->fours[0].one_stiffness, is_regular);
        const At at(solid, random, 0.01);
        solid.stiffness_damping = 0.3, solid.mass_damping = 0.2;
        const auto force = [&](Team* team) {
          VectorX r = VectorX::Zero(solid.nv());
          solid.add_residual(at.q.data(), at.v.data(), at.a.data(), Vec3(1, 2, 3), r.data(), team);
          return r;
        };
        const VectorX alone = force(nullptr);
        for (Team* team : {&two, &three}) EXPECT_EQ((force(team) - alone).cwiseAbs().maxCoeff(), 0);

        solid.stiffness_damping = solid.mass_damping = 0;
        for (const double turned_inside_out : {0.0, 0.3}) {
          const VectorX q = at.q + turned_inside_out * random_vector(solid.nq(), random),
                        x = at.v / at.v.norm();
          const auto energy = [&](double step) {
            const VectorX moved = q + step * x;
            return solid.strain_energy(moved.data());
          };
          const double h = 1e-5, slope = (energy(h) - energy(-h)) / (2 * h);
          EXPECT_NEAR(elastic_force(solid, q).dot(x) / slope, 1, 1e-5);
        }
      }
}

/// Of a component the matrix leaves out how the frame turns with the deformation: exact where there is none,
/// off by the strain elsewhere. As a turned constant it is the same matrix.
TEST(CorotationalSolid, TheComponentsMatrixIsExactWithoutDeformation) {
  Random random(6);
  System system;
  CorotationalSolid solid = block(Corotation::component, FrameFit::best, true);
  solid.stiffness_damping = 0.3;
  solid.mass_damping = 0.2;
  system.add_body(solid, "block");
  system.finish(zero3);
  const auto workspace = system.workspace();
  const auto error = [&](double deformation) {
    State state = system.initial_state();
    state.q = At(solid, random, deformation).q;
    KktMatrix kkt(system.structure());
    const auto residual = [&](const VectorX& x) {
      State moved = state;
      moved.q += x;
      VectorX r;
      system.update(moved, *workspace);
      system.residual(moved, *workspace, r);
      return r;
    };
    const MatrixX K = finite_difference(residual, system.nv());
    VectorX r;
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    system.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
    const double difference = (kkt.matrix.dense() - K).cwiseAbs().maxCoeff();

    system.tangent(state, {.m = 1, .d = 0.5, .k = 0.7}, *workspace, kkt);
    KktMatrix turned(system.structure());
    turned.accept_turned(true);
    system.tangent(state, {.m = 1, .d = 0.5, .k = 0.7}, *workspace, turned);
    const TurnedBody& t = turned.turned[0];
    MatrixX C = t.mass * MatrixX(of_all_coordinates(t.matrices->M)) + t.stiffness * MatrixX(t.matrices->K);
    const int nodes = system.nv() / 3;
    for (int i = 0; i < nodes; ++i) {
      C.middleCols<3>(3 * i) = (C.middleCols<3>(3 * i) * t.R.transpose()).eval();
    }
    for (int i = 0; i < nodes; ++i) C.middleRows<3>(3 * i) = (t.R * C.middleRows<3>(3 * i)).eval();
    EXPECT_MATRIX_NEAR(kkt.matrix.dense(), C, 1e-13);
    return difference;
  };
  EXPECT_LT(error(0), 1e-9);
  EXPECT_LT(error(1e-3), 1e-2);
  EXPECT_GT(error(0.1), 1e-2);
}

/// With how the frame turns the matrix is exact for the simplified force, and for the consistent one off only
/// by what is of second order in the deformation.
TEST(CorotationalSolid, TheFrameTermCompletesTheMatrixOfAComponent) {
  for (const FrameFit fit : {FrameFit::best, FrameFit::three_nodes})
    for (const bool consistent : {true, false}) {
      System system;
      const CorotationalSolid solid = block(Corotation::component, fit, consistent);
      system.add_body(solid, "block");
      system.finish(zero3);
      const auto workspace = system.workspace();
      const auto errors = [&](double deformation) {  // with the term and without
        Random random(8);
        State state = system.initial_state();
        state.q = At(solid, random, deformation).q;
        const MatrixX exact = finite_difference(
            [&](const VectorX& x) { return elastic_force(solid, state.q + x); }, system.nv());
        KktMatrix kkt(system.structure());
        kkt.accept_turned(true);
        VectorX r;
        system.update(state, *workspace);
        system.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
        const TurnedBody& t = kkt.turned[0];
        EXPECT_TRUE(t.frame_matters);
        const auto error = [&](MatrixX K) {
          for (int i = 0; i < K.cols(); i += 3) {
            K.middleCols<3>(i) = (K.middleCols<3>(i) * t.R.transpose()).eval();
          }
          for (int i = 0; i < K.rows(); i += 3) K.middleRows<3>(i) = (t.R * K.middleRows<3>(i)).eval();
          return (K - exact).norm();
        };
        const MatrixX constant = t.matrices->K;
        return std::pair(error(constant + t.U * t.B * t.U.transpose()), error(constant));
      };
      const auto [large, large_without] = errors(0.03);
      const auto [small, small_without] = errors(0.003);
      EXPECT_LT(small, 0.1 * small_without);
      if (consistent) {
        EXPECT_NEAR(std::log10(large / small), 2, 0.5);
      } else {
        EXPECT_LT(large, 1e-8 * large_without);
      }
      EXPECT_NEAR(std::log10(large_without / small_without), 1, 0.2);
    }
}

/// A predicted motion is made one of the body as it is deformed.
TEST(CorotationalSolid, IsCarriedAsItIs) {
  Random random(9);
  const CorotationalSolid solid = block(Corotation::component, FrameFit::best, true);
  const At at(solid, random);
  VectorX x = 0.2 * random_vector(solid.nv(), random);
  const VectorX wanted = x;
  solid.carry(at.q.data(), x.data());
  const VectorX moved = at.q + x;
  EXPECT_NEAR(solid.strain_energy(moved.data()), solid.strain_energy(at.q.data()), 1e-12);
  VectorX again = x;
  solid.carry(at.q.data(), again.data());
  EXPECT_MATRIX_NEAR(again, x, 1e-13);
  const VectorX& w = solid.model->weight;  // its centre goes where it was to go
  EXPECT_MATRIX_NEAR(x.reshaped(3, w.size()) * w, wanted.reshaped(3, w.size()) * w, 1e-13);
}

/// A pressure that follows the faces has a stiffness, and acts on what they are now.
TEST(CorotationalSolid, FollowerPressuresHaveTheirTangent) {
  Random random(10);
  for (const ElementType type :
       {ElementType::hex8, ElementType::tet4, ElementType::tet10, ElementType::hex20}) {
    System system;
    CorotationalSolid solid = block(Corotation::element, FrameFit::best, true, type);
    solid.follower_pressures = {{solid.model->faces_of(solid.model->mesh.set("x_max")), 2.0}};
    system.add_body(solid, "block");
    system.finish(zero3);
    const auto workspace = system.workspace();
    State state = system.initial_state();
    state.q = At(solid, random).q;
    KktMatrix kkt(system.structure());
    system.update(state, *workspace);
    system.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
    const MatrixX exact =
        finite_difference([&](const VectorX& x) { return elastic_force(solid, state.q + x); }, system.nv());
    EXPECT_MATRIX_NEAR(kkt.matrix.dense(), exact, 1e-7);

    VectorX q(solid.nq()), v(solid.nv());  // turned without deformation, the load turns, too
    const FramePose X = random_pose(random);
    solid.place(X, zero6, q.data(), v.data());
    const VectorX f = elastic_force(solid, q);
    EXPECT_MATRIX_NEAR(f.reshaped(3, solid.nodes()).rowwise().sum(), X.R * Vec3(2.0 * 1.5, 0, 0), 1e-12);
  }
}

/// In the matrix of a component they turn with its frame, and do nothing else.
TEST(CorotationalSolid, FollowerPressuresTurnWithAComponent) {
  Random random(12);
  CorotationalSolid solid = block(Corotation::component, FrameFit::best, true);
  const VectorX q = At(solid, random, 0.03).q;
  const auto frame_term = [&](TurnedBody& t) {
    System system;
    system.add_body(solid, "block");
    system.finish(zero3);
    State state = system.initial_state();
    state.q = q;
    const auto workspace = system.workspace();
    KktMatrix kkt(system.structure());
    kkt.accept_turned(true);
    system.update(state, *workspace);
    system.tangent(state, {.m = 0, .k = 1}, *workspace, kkt);
    t = kkt.turned[0];
    return MatrixX(t.U * t.B * t.other_side().transpose());
  };
  TurnedBody t;
  const MatrixX without = frame_term(t);
  const VectorX f = elastic_force(solid, q);
  solid.follower_pressures = {{solid.model->faces_of(solid.model->mesh.set("x_max")), 2.0}};
  const MatrixX with = frame_term(t);
  const VectorX load = elastic_force(solid, q) - f;
  MatrixX turning(solid.nv(), 3);
  for (int i = 0; i < solid.nv(); i += 3)
    turning.middleRows<3>(i) = -hat(t.R.transpose() * load.segment<3>(i));
  EXPECT_GT(load.norm(), 0.1);
  EXPECT_MATRIX_NEAR(with - without, turning * t.U.leftCols<3>().transpose(), 1e-12);
}

TEST(CorotationalSolid, KnowsItsInertiaAndRigidMotion) {
  Random random(7);
  for (const ElementType type : {ElementType::hex8, ElementType::hex20, ElementType::tet10}) {
    const CorotationalSolid solid = block(Corotation::component, FrameFit::best, true, type);
    const MassProperties p = solid.mass_properties();
    EXPECT_NEAR(p.mass, 6, 1e-12);
    EXPECT_LT(p.centre.norm(), 1e-13);
    EXPECT_MATRIX_NEAR(p.inertia, MatrixX((0.5 * Vec3(1 + 2.25, 4 + 2.25, 5)).asDiagonal()), 1e-12);

    const FramePose X = random_pose(random);
    const Vec6 twist = random_vector(6, random);
    VectorX q(solid.nq()), v(solid.nv()), a(solid.nv());
    solid.place(X, twist, q.data(), v.data());
    const Vec3 omega = X.R * twist.tail<3>(), alpha = random_vector(3, random);
    for (int i = 0; i < q.size(); i += 3) {
      const Vec3 arm = q.segment<3>(i) - X.p;
      a.segment<3>(i) = alpha.cross(arm) + omega.cross(omega.cross(arm));
    }
    const BodyMotion m = solid.motion(q.data(), v.data(), a.data());
    EXPECT_MATRIX_NEAR(m.pose.R, X.R, 1e-12);
    EXPECT_MATRIX_NEAR(m.pose.p, X.p, 1e-12);
    Vec6 twist_W, acceleration_W;
    twist_W << twist.head<3>(), omega;
    acceleration_W << zero3, alpha;
    EXPECT_MATRIX_NEAR(m.twist, twist_W, 1e-12);
    EXPECT_MATRIX_NEAR(m.acceleration, acceleration_W, 1e-11);
    EXPECT_LT(solid.displacements(q.data()).norm(), 1e-12);
    EXPECT_NEAR(solid.energy(q.data(), v.data(), zero3).kinetic,
                0.5 * (6 * twist.head<3>().squaredNorm() + twist.tail<3>().dot(p.inertia * twist.tail<3>())),
                1e-11);
  }
}

TEST(SolidModel, LoadsOnFacesAddUp) {
  for (const ElementType type :
       {ElementType::hex8, ElementType::hex20, ElementType::tet4, ElementType::tet10}) {
    const SolidModel model(box_mesh(Vec3(2, 1, 1.5), {2, 2, 2}, type), {rubber}, {});
    const Vec3 traction(1, 2, 3);
    const Mat3X load = model.surface_load(model.mesh.set("x_max"), traction);
    EXPECT_MATRIX_NEAR(load.rowwise().sum(), 1.5 * traction, 1e-13);
    Vec3 turning = zero3;
    for (int i = 0; i < model.nodes(); ++i) turning += (model.mesh.nodes[i] - unit_x).cross(load.col(i));
    EXPECT_LT(turning.norm(), 1e-13);  // about the middle of the face
    EXPECT_MATRIX_NEAR(model.surface_load(model.mesh.set("x_max"), zero3, 4).rowwise().sum(), -6 * unit_x,
                       1e-13);
    EXPECT_THROW(model.surface_load({0}, traction), std::invalid_argument);
  }
}

/// Pulled along x, free to contract: the same stress at all nodes.
TEST(SolidModel, RecoversStressAtTheNodes) {
  for (const ElementType type :
       {ElementType::hex8, ElementType::hex20, ElementType::tet4, ElementType::tet10}) {
    const SolidModel model(box_mesh(Vec3(2, 1, 1.5), {2, 2, 2}, type), {rubber}, {});
    Mat3X u(3, model.nodes());
    for (int i = 0; i < model.nodes(); ++i)
      u.col(i) = Vec3(0.01, -0.003, -0.003).cwiseProduct(model.mesh.nodes[i]);
    const std::vector<int> some{model.nodes() - 1, 0, 5};
    const VectorX stress = stress_matrix(model.mesh, model.materials, model.options, some) * u.reshaped();
    Vec6 exact = zero6;
    exact[0] = 0.03;
    EXPECT_MATRIX_NEAR(stress, exact.replicate(3, 1), 1e-13);
  }
  Vec6 shear = zero6;
  shear[4] = 2;
  EXPECT_NEAR(von_mises(shear), 2 * std::sqrt(3), 1e-14);
}

TEST(CorotationalSolid, ExplainsFramesThatCannotBe) {
  const CorotationalSolid solid = block(Corotation::component, FrameFit::best, true);
  EXPECT_THROW(solid.attach({}, std::vector{0, 1, 2}), std::invalid_argument);  // along an edge
}

}  // namespace
}  // namespace hooke::test
