#pragma once
#include <array>
#include <vector>

#include "hooke/system/dae.h"

/// Rigid bodies in the paper's coordinates, q = (r, p) with Euler parameters p and the normalisation p.p = 1
/// as a constraint: Malczyk et al. (2019), section 2. Written by hand against the Dae interface, so that
/// every integrator and solver runs it; the mechanisms of the paper need spherical and revolute joints and
/// gravity.
///
///   A(p) s is a quadratic form in p = (e0, e): (e0^2 - e.e) s + 2 e (e.s) + 2 e0 (e x s), so its derivative
///   B(p, s) is linear in p, its rate B(p', s), and the stiffness of a multiplier constant. omega' = 2 G(p)
///   p' with G = [-e, e0 I - hat(e)], linear in p too.
namespace hooke::malczyk {

struct EulerBody {
  double mass = 1;
  Vec3 inertia = Vec3::Ones();
  Vec3 r = Vec3::Zero();
  Vec4 p = Vec4(1, 0, 0, 0);
};

/// A point of A and a point of B coincide; a revolute joint also keeps its axis in A normal to two axes of B.
struct EulerJoint {
  int A = -1, B = -1;  ///< -1: the ground
  Vec3 s_A = Vec3::Zero(), s_B = Vec3::Zero();
  bool revolute = false;  ///< about z of both
  int rows() const { return revolute ? 5 : 3; }
};

class EulerSystem final : public Dae {
 public:
  EulerSystem(std::vector<EulerBody> bodies, std::vector<EulerJoint> joints, const Vec3& gravity);

  State initial_state() const;
  int bodies() const { return static_cast<int>(bodies_.size()); }
  /// The load of joint j on its body B, at the joint, in the world: -Phi_r^T lambda.
  Vec3 joint_force(int j, const State& state) const;

  const KktStructure& structure() const override { return structure_; }
  int nq() const override { return 7 * bodies(); }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override { result = q + x; }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override { x = q1 - q0; }
  void inverse_tangent(const VectorX&, const VectorX& v, VectorX& result) const override { result = v; }
  std::unique_ptr<Workspace> workspace() const override;
  void update(const State&, Workspace&) const override {}
  void residual(const State& state, Workspace& workspace, VectorX& r) const override;
  void position_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void velocity_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void acceleration_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void tangent(const State& state, const Weights& weights, Workspace& workspace,
               KktMatrix& kkt) const override;
  Energy energy(const State& state, Workspace& workspace) const override;
  void accept(State&, Workspace&) const override {}
  const VectorX& dof_scale() const override { return dof_scale_; }
  const VectorX& row_compliance() const override { return row_compliance_; }
  std::string dof_name(int dof) const override;
  std::string row_name(int row) const override;

 private:
  int normalisation_row(int b) const { return joint_rows_.back() + b; }
  /// f(body or -1, point in it, sign) for both sides.
  template <class F>
  void for_each_side(const EulerJoint& joint, F&& f) const;
  /// Dense rows of a joint on the 7 dofs of its two bodies.
  std::array<Eigen::Matrix<double, 5, 7>, 2> rows_of(const EulerJoint& joint, const VectorX& q) const;

  std::vector<EulerBody> bodies_;
  std::vector<EulerJoint> joints_;
  Vec3 gravity_;
  KktStructure structure_;
  std::vector<int> joint_rows_;
  VectorX dof_scale_, row_compliance_;
};

}  // namespace hooke::malczyk
