// Solids as floating frames: modes of a mesh, what its interfaces do, and its stresses.
#include "hooke/bodies/ffrf_solid.h"

#include <Eigen/Dense>
#include <numbers>

#include "support/rods.h"

namespace hooke::test {
namespace {

using std::numbers::pi;
constexpr double young = 2e11, density = 7800, length = 1, edge = 0.01;
const std::vector<SolidMaterial> steel{SolidMaterial::isotropic({young, 0.3, density})};
/// Of a material that does not contract across: a rigid end then holds nothing that a beam would not.
const std::vector<SolidMaterial> beam{SolidMaterial::isotropic({young, 0, density})};

/// Along z, as rods are; square, so that frequencies come in pairs.
SolidMesh bar(int elements = 30, ElementType type = ElementType::hex20) {
  return box_mesh(Vec3(edge, edge, length), {1, 1, elements}, type);
}
double euler_bernoulli(double beta_l) {  // rad/s
  return beta_l * beta_l / (length * length) * std::sqrt(young * edge * edge / 12 / density);
}
SolidReduction reduction(ModalBasis basis, int modes) {
  return {.basis = basis, .modes = modes, .interfaces = {"z_min", "z_max"}};
}

TEST(SparseModes, AreThoseOfTheDenseProblem) {
  const SolidMesh mesh = box_mesh(Vec3(0.3, 0.3, 1), {2, 2, 4});
  const SolidMatrices matrices = assemble(mesh, steel);
  const SparseMatrix M = of_all_coordinates(matrices.mass);
  MatrixX rigid(M.rows(), 6);
  for (std::size_t k = 0; k < mesh.nodes.size(); ++k)
    rigid.middleRows<3>(3 * static_cast<int>(k)) << identity3, -hat(mesh.nodes[k]);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> dense(MatrixX(matrices.stiffness), MatrixX(M));
  const Modes modes = lowest_modes(M, matrices.stiffness, 20, rigid);
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(modes.omega2[i] / dense.eigenvalues()[6 + i], 1, 1e-8) << i;
  EXPECT_MATRIX_NEAR(MatrixX(modes.shapes.transpose() * (M * modes.shapes)), MatrixX::Identity(20, 20),
                     1e-10);
  EXPECT_LT((rigid.transpose() * (M * modes.shapes)).norm(), 1e-8);

  // all there are, and not one more
  const int all = static_cast<int>(M.rows()) - 6;
  EXPECT_NEAR(
      lowest_modes(M, matrices.stiffness, all, rigid).omega2[all - 1] / dense.eigenvalues().maxCoeff(), 1,
      1e-6);
  EXPECT_THROW(lowest_modes(M, matrices.stiffness, all + 1, rigid), std::invalid_argument);
}

TEST(FfrfSolid, FrequenciesOfASlenderBarAreThoseOfABeam) {
  const ModalData free = modal_data(bar(), beam, reduction(ModalBasis::free, 4)),
                  clamped = modal_data(bar(), beam, reduction(ModalBasis::clamped, 4));
  EXPECT_NEAR(std::sqrt(free.stiffness(0, 0)) / euler_bernoulli(4.73004074), 1, 1e-3);
  EXPECT_NEAR(std::sqrt(free.stiffness(1, 1) / free.stiffness(0, 0)), 1, 1e-8);
  EXPECT_NEAR(std::sqrt(free.stiffness(2, 2)) / euler_bernoulli(7.85320462), 1, 1e-3);
  EXPECT_NEAR(std::sqrt(clamped.stiffness(0, 0)) / euler_bernoulli(1.87510407), 1, 1e-3);
  EXPECT_NEAR(std::sqrt(clamped.stiffness(2, 2)) / euler_bernoulli(4.69409113), 1, 1e-3);
}

/// The reduced body in a model, free and clamped, against the whole mesh, whatever the reference frame
/// follows.
TEST(FfrfSolid, HasTheFrequenciesOfTheWholeMesh) {
  const SolidMesh mesh = bar(20);
  const ModalData whole = modal_data(mesh, steel, reduction(ModalBasis::free, 6)),
                  held = modal_data(mesh, steel, reduction(ModalBasis::clamped, 6));
  for (const char* reference : {"", "z_min"}) {
    SolidReduction few = reduction(ModalBasis::craig_bampton, 20);
    few.reference = reference;
    ModalSettings settings;
    settings.data = std::make_shared<ModalData>(modal_data(mesh, steel, few));
    Model model;
    model.bodies["bar"].formulation = settings;
    const auto frequencies = [&] {
      const BuiltModel built = build(model);
      std::vector<double> omega;
      for (const Mode& mode : linearise(*built.system, built.system->initial_state()).modes)
        if (mode.frequency > 1) omega.push_back(2 * pi * mode.frequency);
      return omega;
    };
    const auto free = frequencies();
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(free[i] / std::sqrt(whole.stiffness(i, i)), 1, 1e-3) << reference << i;
    model.joints["wall"] = FixedSettings{.between = {"ground", "bar.z_min"}};
    const auto clamped = frequencies();
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(clamped[i] / std::sqrt(held.stiffness(i, i)), 1, 1e-3) << reference << i;
  }
}

TEST(FfrfSolid, ReferenceConditions) {
  for (const ModalBasis basis : {ModalBasis::free, ModalBasis::clamped, ModalBasis::craig_bampton}) {
    SolidReduction settings = reduction(basis, 8);
    const ModalData mean = modal_data(bar(8), steel, settings);
    EXPECT_LT(mean.psi.norm(), 1e-9);
    for (const Mat3& N : mean.N0) EXPECT_LT((N - N.transpose()).norm(), 1e-9);
    settings.reference = "z_min";
    const ModalData fixed = modal_data(bar(8), steel, settings);
    const ModalData::Node& at = fixed.nodes[fixed.nodes.size() - 2];
    EXPECT_EQ(at.name, "z_min");
    EXPECT_LT(at.shift.norm() + at.rotation.norm(), 1e-9 * fixed.nodes.back().shift.norm());
    EXPECT_MATRIX_NEAR(fixed.stiffness, mean.stiffness,
                       1e-7);  // K times a rigid motion is what rounding leaves
  }
  SolidReduction wrong = reduction(ModalBasis::free, 4);
  wrong.reference = "z_mid";
  EXPECT_THROW(modal_data(bar(4), steel, wrong), std::invalid_argument);
}

TEST(FfrfSolid, MassAndInertiaAreThoseOfABox) {
  const FfrfBody body(modal_data(bar(4), steel, reduction(ModalBasis::free, 4)));
  const MassProperties box = body.mass_properties();
  const double mass = density * edge * edge * length;
  EXPECT_NEAR(box.mass, mass, 1e-12 * mass);
  EXPECT_LT(box.centre.norm(), 1e-14);
  const Vec3 moments =
      mass / 12 * Vec3(edge * edge + length * length, edge * edge + length * length, 2 * edge * edge);
  EXPECT_LT((box.inertia - Mat3(moments.asDiagonal())).norm(), 1e-12 * mass);
}

/// What holds an interface by its name holds all of it, wherever the joint is; not the node of the mesh that happens to be there.
TEST(FfrfSolid, AJointOnANamedInterfaceHoldsTheInterface) {
  const SolidMesh mesh = box_mesh(Vec3(0.02, 0.04, 0.4), {1, 2, 8}, ElementType::hex20);
  SolidReduction few = reduction(ModalBasis::craig_bampton, 20);
  few.interfaces = {"z_min"};
  const ModalData held = modal_data(mesh, steel, reduction(ModalBasis::clamped, 6));
  ModalSettings settings;
  settings.data = std::make_shared<ModalData>(modal_data(mesh, steel, few));
  Model model;
  model.bodies["bar"].formulation = settings;
  for (const std::optional<Vec3>& at :
       {std::optional<Vec3>(), {Vec3(0, 0, -0.2)}, {Vec3(0.01, 0.02, -0.2)}, {Vec3(0, 0, -0.1)}}) {
    model.joints["wall"] = FixedSettings{.between = {"ground", "bar.z_min"}, .at = at};
    const BuiltModel built = build(model);
    std::vector<double> omega;
    for (const Mode& mode : linearise(*built.system, built.system->initial_state()).modes)
      if (mode.frequency > 1) omega.push_back(2 * pi * mode.frequency);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(omega[i] / std::sqrt(held.stiffness(static_cast<int>(i), static_cast<int>(i))), 1, 1e-3)
          << at.value_or(zero3).transpose();
  }
}

/// A cantilever under a force at its tip: deflection F L^3/3EI, stress F (L - z) c/I.
TEST(FfrfSolid, BendsAndIsStressedAsABeam) {
  ModalSettings settings;
  settings.data =
      std::make_shared<ModalData>(modal_data(bar(), beam, reduction(ModalBasis::craig_bampton, 12)));
  Model model;
  model.bodies["bar"].formulation = settings;
  model.joints["wall"] = FixedSettings{.between = {"ground", "bar.z_min"}};
  const double EI = young * std::pow(edge, 4) / 12, force = 1e-3 * 3 * EI / std::pow(length, 3);
  model.forces["tip"] = LoadSettings{.on = "bar.z_max", .force = {{force, 0, 0}}};
  const Equilibrium found = equilibrium(model);
  ASSERT_TRUE(found.result.converged) << found.result.failure;
  const VectorX eta = found.state.q.tail(12);
  const auto& nodes = settings.data->nodes;
  const Vec3 tip = (nodes.back().shift - nodes[nodes.size() - 2].shift) * eta;
  const Vec3 turn = nodes[nodes.size() - 2].rotation * eta;
  EXPECT_NEAR((tip - length * turn.cross(unit_z)).x(), 1e-3, 3e-6);
  int compared = 0;
  for (const ModalData::Node& node : nodes) {
    if (!node.name.empty() || std::abs(node.at.p.z()) > 0.3 || node.at.p.x() < 0.49 * edge) continue;
    const double expected =
        -force * (length / 2 - node.at.p.z()) * node.at.p.x() / (edge * edge * edge * edge / 12);
    const Vec6 stress = node.stress * eta;
    EXPECT_NEAR(stress[2] / expected, 1, 0.01);
    EXPECT_LT((stress - stress[2] * Vec6::Unit(2)).norm(), 0.02 * std::abs(expected));
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace hooke::test
