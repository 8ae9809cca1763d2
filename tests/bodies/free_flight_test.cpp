// A deformed body that flies freely, for the bodies that are not made of rigid nodes: rigid motion does not
// strain it, momentum and spin stay, energy stays.
#include "hooke/bodies/ffrf_solid.h"
#include "hooke/integrators/settings.h"
#include "hooke/math/so3.h"
#include "support/convergence.h"
#include "support/rods.h"

namespace hooke::test {
namespace {

struct Flyer {
  std::string name;
  AnyBody formulation;
  /// Generalised velocity of a rotation of everything with the angular velocity w about the world's origin.
  std::function<VectorX(const VectorX& q, const Vec3& w)> rotation;
  /// The configuration after a rigid motion of everything.
  std::function<VectorX(const VectorX& q, const FramePose& X)> moved;
};
void PrintTo(const Flyer& flyer, std::ostream* stream) { *stream << flyer.name; }

/// r, r_z, r_x, r_y of ends, r_x, r_y of middles: of 18 vectors' numbers the first three are a place.
bool is_place(int vector) { return vector % 6 == 0; }

Flyer flying_ancf() {
  return {"ancf", ancf().make(rod(RectangleSection{{0.05, 0.03}}, 1e7, 0.3, 1000, 1), 3),
          [](const VectorX& q, const Vec3& w) {
            VectorX v(q.size());
            for (int i = 0; i < q.size() / 3; ++i) v.segment<3>(3 * i) = w.cross(q.segment<3>(3 * i));
            return v;
          },
          [](const VectorX& q, const FramePose& X) {
            VectorX moved(q.size());
            for (int i = 0; i < q.size() / 3; ++i)
              moved.segment<3>(3 * i) = X.R * q.segment<3>(3 * i) + (is_place(i) ? X.p : zero3);
            return moved;
          }};
}

VectorX frame_rotation(const VectorX& q, const Vec3& w) {
  VectorX v = VectorX::Zero(q.size() - 1);
  v.head<3>() = w.cross(q.head<3>());
  v.segment<3>(3) = RigidBody::orientation(q.data()).toRotationMatrix().transpose() * w;
  return v;
}
VectorX moved_frame(const VectorX& q, const FramePose& X) {
  VectorX moved = q;
  RigidBody::position(moved.data()) = X.R * q.head<3>() + X.p;
  RigidBody::set_orientation(moved.data(), Quat(X.R) * RigidBody::orientation(q.data()));
  return moved;
}

Flyer flying_ffrf() {
  return {"ffrf", ffrf(8).make(rod(RectangleSection{{0.05, 0.03}}, 1e7, 0.3, 1000, 1), 4), frame_rotation,
          moved_frame};
}
Flyer flying_solid() {
  ModalSettings settings;
  settings.data = std::make_shared<ModalData>(
      modal_data(box_mesh(Vec3(0.1, 0.2, 1), {1, 1, 6}), {SolidMaterial::isotropic({1e7, 0.3, 1000})},
                 {.modes = 8, .interfaces = {"z_min", "z_max"}, .reference = "z_min"}));
  return {"modal", settings, frame_rotation, moved_frame};
}

class FreeFlight : public ::testing::TestWithParam<Flyer> {
 protected:
  FreeFlight() {
    model_.bodies["body"].formulation = GetParam().formulation;
    built_ = build(model_);
    workspace_ = built_.system->workspace();
    Random random(11);
    state_ = built_.system->initial_state();
    const VectorX placed = state_.q;
    system().plus(placed, VectorX(0.01 * random_vector(system().nv(), random)), state_.q);
    state_.v = 0.3 * random_vector(system().nv(), random);
  }
  const System& system() const { return *built_.system; }
  Energy energy(const State& state) {
    system().update(state, *workspace_);
    return system().energy(state, *workspace_);
  }
  /// M v on the motions of translation and rotation.
  Vec6 momentum(const State& state) {
    KktMatrix kkt(system().structure());
    system().update(state, *workspace_);
    system().tangent(state, {.m = 1}, *workspace_, kkt);
    const VectorX p = kkt.matrix.dense() * state.v;
    Vec6 sum;
    for (int k = 0; k < 3; ++k) {
      const FramePose shift{identity3, Vec3::Unit(k)};
      VectorX translation;
      system().minus(GetParam().moved(state.q, shift), state.q, translation);
      sum[k] = translation.dot(p);
      sum[3 + k] = GetParam().rotation(state.q, Vec3::Unit(k)).dot(p);
    }
    return sum;
  }

  Model model_;
  BuiltModel built_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
};
INSTANTIATE_TEST_SUITE_P(Every, FreeFlight, ::testing::Values(flying_ancf(), flying_ffrf(), flying_solid()),
                         [](const auto& test) { return test.param.name; });

TEST_P(FreeFlight, ARigidMotionOfADeformedBodyStoresNothing) {
  State moved = state_;
  Random random(5);
  moved.q = GetParam().moved(state_.q, random_pose(random));
  const double before = energy(state_).potential;
  EXPECT_GT(before, 1e-3);
  EXPECT_NEAR(energy(moved).potential / before, 1, 1e-12);
}

TEST_P(FreeFlight, KeepsMomentumSpinAndEnergy) {
  RunSettings settings;
  settings.integrator = GeneralizedAlphaChoice{{}, 1.0};
  const Vec6 before = momentum(state_);
  const double energy_before = energy(state_).total();
  std::vector<double> shifts, spins, drifts;
  for (int n : {400, 800}) {
    const auto integrator = make_integrator(system(), settings);
    const State end = integrate(*integrator, state_, uniform_grid(0, 0.02, n)).back();
    const Vec6 change = momentum(end) - before;
    shifts.push_back(change.head<3>().norm());
    spins.push_back(change.tail<3>().norm());
    drifts.push_back(std::abs(energy(end).total() / energy_before - 1));
  }
  EXPECT_NEAR(std::log2(spins[0] / spins[1]), 2, 0.8);
  EXPECT_NEAR(std::log2(drifts[0] / drifts[1]), 2, 0.3);
  EXPECT_LT(spins[1], 1e-4 * before.tail<3>().norm());
  EXPECT_LT(drifts[1], 3e-3);
  if (GetParam().name == "modal") {  // the frame is in one end: momentum depends on deformation, too
    EXPECT_NEAR(std::log2(shifts[0] / shifts[1]), 2, 0.3);
  } else {
    EXPECT_LT(shifts[1], 1e-12);
  }
}

}  // namespace
}  // namespace hooke::test
