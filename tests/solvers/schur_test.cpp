// The Schur solver on bodies whose matrix is a constant one turned: the same solution as with all entries
// written out.
#include "hooke/solvers/schur.h"

#include <Eigen/LU>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/bodies/rigid.h"
#include "hooke/fe/partition.h"
#include "hooke/joints/joints.h"
#include "hooke/solvers/catalog.h"
#include "hooke/system/system.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

/// Two solids of one kind joined to each other at nodes, one to the ground by a node, the other to a rigid
/// body by a patch.
struct Machine {
  System system;
  std::unique_ptr<Workspace> workspace;
  State state;

  explicit Machine(Corotation corotation, Random& random) {
    CorotationalSolid solid(std::make_shared<const SolidModel>(
        box_mesh(Vec3(3, 1, 1), {6, 2, 2}), std::vector{SolidMaterial::isotropic({20, 0.3, 1})},
        SolidOptions{}));
    solid.corotation = corotation;
    const SolidMesh& mesh = solid.model->mesh;
    const int first = system.add_body(solid, "first");
    solid.start.p = Vec3(3, 0, 0);
    const int second = system.add_body(solid, "second");
    RigidBody weight{.mass = 2, .start = {identity3, Vec3(4.5, 0, 0)}};
    const int third = system.add_body(weight, "weight");
    const auto node = [&](int body, const Vec3& at) {
      return system.add_frame<CorotationalSolid>(body, solid.attach_node(mesh.nearest_node(at)), false);
    };
    system.add_constraint(joints::Spherical{},
                          std::array{system.add_ground_frame({identity3, Vec3(-1.5, -0.5, -0.5)}),
                                     node(first, Vec3(-1.5, -0.5, -0.5))},
                          "pivot");
    for (int node_number : mesh.set("x_max")) {
      const Vec3 at = mesh.nodes[node_number];
      system.add_constraint(joints::Spherical{},
                            std::array{node(first, at), node(second, at - Vec3(3, 0, 0))}, "tie");
    }
    const int face = system.add_frame<CorotationalSolid>(
        second, solid.attach({identity3, Vec3(1.5, 0, 0)}, mesh.set("x_max")));
    system.add_constraint(joints::Revolute{},
                          std::array{face, system.add_frame<RigidBody>(third, weight.attach({}))}, "hinge");
    system.finish(Vec3(0, 0, -9.81));
    workspace = system.workspace();
    state = system.initial_state();
    // turned as a whole: undeformed, so that nothing but the weak couplings of multipliers is left out
    const Mat3 R = random_pose(random).R;
    for (int i = 0; i < 2 * solid.nq(); i += 3) state.q.segment<3>(i) = (R * state.q.segment<3>(i)).eval();
  }

  KktMatrix matrix(bool turned, double k = 0.0025) {
    KktMatrix kkt(system.structure());
    kkt.accept_turned(turned);
    VectorX r;
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    system.tangent(state, {.m = 1, .d = 0.05, .k = k, .geometric = false}, *workspace, kkt);
    kkt.set_regularisation(VectorX::Constant(system.nc(), 1e-8));
    return kkt;
  }
};

TEST(SchurSolver, SolvesWithTurnedConstantsAsWithAllEntries) {
  Random random(1);
  Machine machine(Corotation::component, random);
  const KktMatrix full = machine.matrix(false), turned = machine.matrix(true);
  const VectorX b = random_vector(full.matrix.size(), random);
  VectorX x = b, y = b, z = b;
  const auto direct = make_solver("sparse", full.structure());
  ASSERT_TRUE(direct->factorize(full));
  direct->solve(x);
  SchurSolver schur, general;
  ASSERT_TRUE(schur.factorize(turned));
  schur.solve(y);
  EXPECT_MATRIX_NEAR(y, x, 1e-2);  // single precision
  ASSERT_TRUE(general.factorize(full));
  general.solve(z);
  EXPECT_MATRIX_NEAR(z, x, 1e-8);
}

/// Of a turned body no more is zeroed and written than is read.
TEST(SchurSolver, TakesTangentsWrittenIntoTheSameMatrixAndTurnedOnesAfterOthers) {
  Random random(1);
  Machine machine(Corotation::component, random);
  const KktMatrix fresh = machine.matrix(true);
  const VectorX b = random_vector(fresh.matrix.size(), random);
  VectorX expected = b;
  SchurSolver first, second;
  ASSERT_TRUE(first.factorize(fresh));
  first.solve(expected);
  KktMatrix kkt = machine.matrix(false);
  for (const bool turned : {true, true, false, true}) {
    kkt.accept_turned(turned);
    machine.system.tangent(machine.state, {.m = 1, .d = 0.05, .k = 0.0025, .geometric = false},
                           *machine.workspace, kkt);
    kkt.regularise(1e-8, machine.system.row_compliance());
    kkt.set_regularisation(VectorX::Constant(machine.system.nc(), 1e-8));
    VectorX x = b;
    ASSERT_TRUE(second.factorize(kkt));
    second.solve(x);
    if (turned)
      EXPECT_EQ(x, expected);
    else
      EXPECT_MATRIX_NEAR(x, expected, 1e-2);  // the turned one is in single precision
  }
}

/// The frames of deformed components turn: a term of rank 6 each, by Woodbury's formula.
TEST(SchurSolver, FollowsTheFramesOfDeformedComponents) {
  Random random(3);
  Machine machine(Corotation::component, random);
  VectorX bent = machine.state.q;
  for (int i = 0; i < machine.system.nv() - 6; i += 3) bent[i + 1] += 0.05 * std::pow(machine.state.q[i], 2);
  machine.state.q = bent;
  const KktMatrix constant = machine.matrix(false, 10), turned = machine.matrix(true, 10);
  MatrixX A = constant.matrix.dense();
  for (int b = 0, at = 0; b < 2; ++b) {
    const TurnedBody& t = turned.turned[b];
    ASSERT_TRUE(t.frame_matters);
    MatrixX U = t.U;
    for (int i = 0; i < U.rows(); i += 3) U.middleRows<3>(i) = (t.R * U.middleRows<3>(i)).eval();
    A.block(at, at, U.rows(), U.rows()) += U * t.B * U.transpose();
    at += static_cast<int>(U.rows());
  }
  const VectorX b = random_vector(constant.matrix.size(), random);
  VectorX x = A.partialPivLu().solve(b), y = b;
  SchurSolver schur;
  ASSERT_TRUE(schur.factorize(turned));
  EXPECT_TRUE(schur.should_renew());
  schur.solve(y);
  const VectorX without = constant.matrix.dense().partialPivLu().solve(b);
  EXPECT_GT((x - without).lpNorm<Eigen::Infinity>(), 1e-3 * x.lpNorm<Eigen::Infinity>());
  EXPECT_MATRIX_NEAR(y, x, 1e-9);  // in double precision, since the frames matter
}

/// Forces of elements with the constant matrix: what turns the body as a whole turns the forces that it has. In statics the
/// elements take their own tangent.
TEST(SchurSolver, AConstantMatrixTurnsTheForcesOfElements) {
  System system;
  CorotationalSolid body(std::make_shared<const SolidModel>(
      box_mesh(Vec3(6, 1, 1), {6, 1, 1}), std::vector{SolidMaterial::isotropic({20, 0.3, 1})},
      SolidOptions{}));
  body.corotation = Corotation::element, body.constant_tangent = true;
  system.add_body(body, "bar");
  system.finish(zero3);
  State state = system.initial_state();
  for (int i = 0; i < system.nv(); i += 3) state.q[i + 1] += 0.05 * std::pow(state.q[i], 2);
  const auto workspace = system.workspace();
  VectorX forces;
  system.update(state, *workspace);
  system.residual(state, *workspace, forces);
  KktMatrix kkt(system.structure());
  kkt.accept_turned(true);
  system.tangent(state, {.m = 1e-12, .d = 1e-12, .k = 1}, *workspace, kkt);
  const TurnedBody& t = kkt.turned[0];
  ASSERT_TRUE(t.matrices && t.frame_matters);
  const Vec3 omega(0.3, -0.2, 0.5);
  VectorX turned(system.nv()), expected(system.nv());
  for (int i = 0; i < system.nv(); i += 3) {
    turned.segment<3>(i) = t.R.transpose() * omega.cross(Vec3(state.q.segment<3>(i)));
    expected.segment<3>(i) = t.R.transpose() * omega.cross(Vec3(forces.segment<3>(i)));
  }
  const MatrixX C = MatrixX(t.matrices->K) + t.U * t.B * t.U.transpose();
  EXPECT_MATRIX_NEAR(C * turned, expected, 1e-9 * (1 + expected.norm()));
  EXPECT_GT(expected.norm(), 1e-3);
  KktMatrix at_rest(system.structure());
  at_rest.accept_turned(true);
  system.tangent(state, {.m = 1, .d = 0, .k = 1}, *workspace, at_rest);
  EXPECT_EQ(at_rest.turned[0].matrices, nullptr);
}

/// A bar cut into slabs: the inner ones have the same matrices; a thread takes some of them.
TEST(SchurSolver, SolvesTheSameWithAnyNumberOfThreads) {
  Random random(5);
  const SolidMesh whole = box_mesh(Vec3(6, 1, 1), {12, 2, 2});
  CutMesh parts = cut_mesh(whole, slabs(whole, 6));
  System system;
  std::vector<CorotationalSolid> pieces;
  for (SolidMesh& mesh : parts.meshes)
    system.add_body(
        pieces.emplace_back(std::make_shared<const SolidModel>(
            std::move(mesh), std::vector{SolidMaterial::isotropic({20, 0.3, 1})}, SolidOptions{})),
        "slab");
  const auto frame = [&](int piece, int node) {
    return system.add_frame<CorotationalSolid>(piece, pieces[piece].attach_node(node), false);
  };
  for (const ComponentTie& tie : parts.ties) {
    const auto &a = pieces[tie.a].model->mesh.set(tie.set), &b = pieces[tie.b].model->mesh.set(tie.set);
    for (std::size_t k = 0; k < a.size(); ++k)
      system.add_constraint(joints::Spherical{}, std::array{frame(tie.a, a[k]), frame(tie.b, b[k])}, "tie");
  }
  system.finish(Vec3(0, 0, -9.81));
  State state = system.initial_state();
  for (int i = 0; i < system.nv(); i += 3) state.q[i + 1] += 0.05 * std::pow(state.q[i], 2);
  const auto workspace = system.workspace();
  VectorX r;
  system.update(state, *workspace);
  system.residual(state, *workspace, r);
  const auto matrix = [&](bool turned) {
    KktMatrix kkt(system.structure());
    kkt.accept_turned(turned);
    system.tangent(state, {.m = 1, .d = 0.05, .k = 10, .geometric = false}, *workspace, kkt);
    kkt.set_regularisation(VectorX::Constant(system.nc(), 1e-8));
    return kkt;
  };
  const KktMatrix kkt = matrix(true);
  const VectorX b = random_vector(kkt.matrix.size(), random);
  VectorX alone = b;
  SchurSolver schur;
  ASSERT_TRUE(schur.factorize(kkt));
  EXPECT_EQ(schur.factors(), 1);
  schur.solve(alone);

  MatrixX A = matrix(false).matrix.dense();
  for (int piece = 0, at = 0; piece < 6; at += pieces[piece++].nv()) {
    const TurnedBody& t = kkt.turned[piece];
    MatrixX U = t.U;
    for (int i = 0; i < U.rows(); i += 3) U.middleRows<3>(i) = (t.R * U.middleRows<3>(i)).eval();
    if (t.frame_matters) A.block(at, at, U.rows(), U.rows()) += U * t.B * U.transpose();
  }
  EXPECT_MATRIX_NEAR(alone, VectorX(A.partialPivLu().solve(b)), 1e-7);
  for (int members : {2, 3}) {
    SchurSolver shared(std::make_shared<Team>(members));
    VectorX together = b;
    ASSERT_TRUE(shared.factorize(kkt));
    shared.solve(together);
    EXPECT_EQ(together, alone) << members << " threads";
  }
}

TEST(SchurSolver, FactorizesSolidsWithFramesForElements) {
  Random random(2);
  Machine machine(Corotation::element, random);
  const KktMatrix full = machine.matrix(true);
  const VectorX b = random_vector(full.matrix.size(), random);
  VectorX x = b, y = b;
  const auto direct = make_solver("sparse", full.structure());
  ASSERT_TRUE(direct->factorize(full));
  direct->solve(x);
  SchurSolver schur;
  ASSERT_TRUE(schur.factorize(full));
  schur.solve(y);
  EXPECT_MATRIX_NEAR(y, x, 1e-8);
}

}  // namespace
}  // namespace hooke::test
