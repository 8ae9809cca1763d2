#include "euler_parameters.h"

#include <fmt/format.h>

namespace hooke::malczyk {
namespace {

using Mat43 = Eigen::Matrix<double, 4, 3>;
using Rows = Eigen::Matrix<double, 5, 7>;

Vec3 r_of(const VectorX& q, int b) { return q.segment<3>(7 * b); }
Vec4 p_of(const VectorX& q, int b) { return q.segment<4>(7 * b + 3); }

/// A(p) s
Vec3 rotated(const Vec4& p, const Vec3& s) {
  const Vec3 e = p.tail<3>();
  return (p[0] * p[0] - e.squaredNorm()) * s + 2 * e * e.dot(s) + 2 * p[0] * e.cross(s);
}

/// B(p, s) = d(A(p) s)/dp, linear in p
Mat34 arm(const Vec4& p, const Vec3& s) {
  const Vec3 e = p.tail<3>();
  Mat34 B;
  B.col(0) = 2 * (p[0] * s + e.cross(s));
  B.rightCols<3>() = 2 * (e.dot(s) * identity3 + e * s.transpose() - s * e.transpose() - p[0] * hat(s));
  return B;
}

/// d(B(p, s)^T f)/dp: B is linear in p
Mat4 arm_stiffness(const Vec3& s, const Vec3& f) {
  Mat4 K;
  for (int j = 0; j < 4; ++j) K.col(j) = arm(Vec4::Unit(j), s).transpose() * f;
  return K;
}

/// omega' = 2 G(p) p'
Mat34 G_of(const Vec4& p) {
  Mat34 G;
  G << -p.tail<3>(), p[0] * identity3 - hat(p.tail<3>());
  return G;
}

/// z of A stays normal to x (row 3) and y (row 4) of B.
constexpr std::array<int, 2> normal_to = {0, 1};

}  // namespace

EulerSystem::EulerSystem(std::vector<EulerBody> bodies, std::vector<EulerJoint> joints, const Vec3& gravity)
    : bodies_(std::move(bodies)), joints_(std::move(joints)), gravity_(gravity) {
  structure_.body_blocks = {0};
  for (int b = 0; b < this->bodies(); ++b) {
    structure_.dof_sizes.push_back(7);
    structure_.body_blocks.push_back(b + 1);
  }
  int row = 0;
  for (const EulerJoint& joint : joints_) {
    joint_rows_.push_back(row);
    row += joint.rows();
    structure_.row_sizes.push_back(joint.rows());
    auto& blocks = structure_.constraint_blocks.emplace_back();
    for (int b : {joint.A, joint.B})
      if (b >= 0) blocks.push_back(b);
  }
  joint_rows_.push_back(row);
  for (int b = 0; b < this->bodies(); ++b) {
    structure_.row_sizes.push_back(1);
    structure_.constraint_blocks.push_back({b});
  }
  dof_scale_.setOnes(nv());
  row_compliance_.setOnes(nc());
}

State EulerSystem::initial_state() const {
  State state;
  state.q.setZero(nq());
  for (int b = 0; b < bodies(); ++b) state.q.segment<7>(7 * b) << bodies_[b].r, bodies_[b].p;
  state.v.setZero(nv());
  state.a.setZero(nv());
  state.lambda.setZero(nc());
  return state;
}

std::unique_ptr<Workspace> EulerSystem::workspace() const { return std::make_unique<Workspace>(); }

template <class F>
void EulerSystem::for_each_side(const EulerJoint& joint, F&& f) const {
  if (joint.A >= 0) f(joint.A, joint.s_A, 1.0, 0);
  if (joint.B >= 0) f(joint.B, joint.s_B, -1.0, 1);
}

std::array<Rows, 2> EulerSystem::rows_of(const EulerJoint& joint, const VectorX& q) const {
  std::array<Rows, 2> G;
  for (Rows& side : G) side.setZero();
  for_each_side(joint, [&](int b, const Vec3& s, double sign, int side) {
    G[side].topLeftCorner<3, 3>() = sign * identity3;
    G[side].topRightCorner<3, 4>() = sign * arm(p_of(q, b), s);
  });
  if (joint.revolute)
    for (int k = 0; k < 2; ++k) {
      const Vec3 x = Vec3::Unit(normal_to[k]);
      const Vec3 z_W = joint.A < 0 ? unit_z : rotated(p_of(q, joint.A), unit_z);
      const Vec3 x_W = joint.B < 0 ? x : rotated(p_of(q, joint.B), x);
      if (joint.A >= 0) G[0].row(3 + k).tail<4>() = x_W.transpose() * arm(p_of(q, joint.A), unit_z);
      if (joint.B >= 0) G[1].row(3 + k).tail<4>() = z_W.transpose() * arm(p_of(q, joint.B), x);
    }
  return G;
}

/// M v' + 8 G(p')^T J G(p) p' + G^T lambda - Q
void EulerSystem::residual(const State& state, Workspace&, VectorX& r) const {
  r.setZero(nv());
  for (int b = 0; b < bodies(); ++b) {
    const Vec4 p = p_of(state.q, b), dp = p_of(state.v, b), ddp = p_of(state.a, b);
    const auto J = bodies_[b].inertia.asDiagonal();
    r.segment<3>(7 * b) = bodies_[b].mass * (r_of(state.a, b) - gravity_);
    r.segment<4>(7 * b + 3) = 4 * G_of(p).transpose() * (J * (G_of(p) * ddp)) +
                              8 * G_of(dp).transpose() * (J * (G_of(p) * dp)) +
                              2 * p * state.lambda[normalisation_row(b)];
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto G = rows_of(joints_[j], state.q);
    const auto lambda = state.lambda.segment(joint_rows_[j], joints_[j].rows());
    for_each_side(joints_[j], [&](int b, const Vec3&, double, int side) {
      r.segment<7>(7 * b) += G[side].topRows(joints_[j].rows()).transpose() * lambda;
    });
  }
}

void EulerSystem::position_constraints(const State& state, Workspace&, VectorX& g) const {
  g.setZero(nc());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const EulerJoint& joint = joints_[j];
    const int row = joint_rows_[j];
    if (joint.A < 0) g.segment<3>(row) += joint.s_A;
    if (joint.B < 0) g.segment<3>(row) -= joint.s_B;
    for_each_side(joint, [&](int b, const Vec3& s, double sign, int) {
      g.segment<3>(row) += sign * (r_of(state.q, b) + rotated(p_of(state.q, b), s));
    });
    if (joint.revolute)
      for (int k = 0; k < 2; ++k) {
        const Vec3 x = Vec3::Unit(normal_to[k]);
        const Vec3 z_W = joint.A < 0 ? unit_z : rotated(p_of(state.q, joint.A), unit_z);
        g[row + 3 + k] = z_W.dot(joint.B < 0 ? x : rotated(p_of(state.q, joint.B), x));
      }
  }
  for (int b = 0; b < bodies(); ++b) g[normalisation_row(b)] = p_of(state.q, b).squaredNorm() - 1;
}

void EulerSystem::velocity_constraints(const State& state, Workspace&, VectorX& g) const {
  g.setZero(nc());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto G = rows_of(joints_[j], state.q);
    for_each_side(joints_[j], [&](int b, const Vec3&, double, int side) {
      g.segment(joint_rows_[j], joints_[j].rows()) +=
          G[side].topRows(joints_[j].rows()) * state.v.segment<7>(7 * b);
    });
  }
  for (int b = 0; b < bodies(); ++b) g[normalisation_row(b)] = 2 * p_of(state.q, b).dot(p_of(state.v, b));
}

void EulerSystem::acceleration_constraints(const State& state, Workspace& w, VectorX& g) const {
  State rates = state;
  rates.v = state.a;
  velocity_constraints(rates, w, g);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const EulerJoint& joint = joints_[j];
    const int row = joint_rows_[j];
    for_each_side(joint, [&](int b, const Vec3& s, double sign, int) {
      const Vec4 dp = p_of(state.v, b);
      g.segment<3>(row) += sign * (arm(dp, s) * dp);
    });
    if (!joint.revolute) continue;
    for (int k = 0; k < 2; ++k) {
      // (z . x)'' = z'' . x + 2 z' . x' + z . x'', and A'' s at p'' = 0 is B(p', s) p'
      const Vec3 x = Vec3::Unit(normal_to[k]);
      Vec3 z_W = unit_z, x_W = x, dz = zero3, dx = zero3, ddz = zero3, ddx = zero3;
      if (joint.A >= 0) {
        const Vec4 p = p_of(state.q, joint.A), dp = p_of(state.v, joint.A);
        z_W = rotated(p, unit_z), dz = arm(p, unit_z) * dp, ddz = arm(dp, unit_z) * dp;
      }
      if (joint.B >= 0) {
        const Vec4 p = p_of(state.q, joint.B), dp = p_of(state.v, joint.B);
        x_W = rotated(p, x), dx = arm(p, x) * dp, ddx = arm(dp, x) * dp;
      }
      g[row + 3 + k] += ddz.dot(x_W) + 2 * dz.dot(dx) + z_W.dot(ddx);
    }
  }
  for (int b = 0; b < bodies(); ++b) g[normalisation_row(b)] += 2 * p_of(state.v, b).squaredNorm();
}

/// The paper's tangent, M + (h/2) D + (h^2/4) K of the body's own terms; with `geometric` also the stiffness
/// of the multipliers that acts within one body.
void EulerSystem::tangent(const State& state, const Weights& w, Workspace&, KktMatrix& kkt) const {
  kkt.set_zero();
  for (int b = 0; b < bodies(); ++b) {
    auto C = kkt.matrix.block<7, 7>(kkt.C(b, b));
    const Vec4 p = p_of(state.q, b), dp = p_of(state.v, b), ddp = p_of(state.a, b);
    const auto J = bodies_[b].inertia.asDiagonal();
    const Mat34 G = G_of(p), dG = G_of(dp);
    C.topLeftCorner<3, 3>().diagonal().array() += w.m * bodies_[b].mass;
    Mat4 turning = w.m * 4 * G.transpose() * J * G + w.d * 8 * dG.transpose() * J * G -
                   w.k * 8 * dG.transpose() * J * dG;
    const Vec3 JGdp = J * (G * dp), JGddp = J * (G * ddp);
    for (int i = 0; i < 4; ++i) {
      const Mat34 Gi = G_of(Vec4::Unit(i));
      turning.col(i) += w.d * 8 * Gi.transpose() * JGdp;
      turning.col(i) += w.k * 4 * (Gi.transpose() * JGddp + G.transpose() * (J * (Gi * ddp)));
    }
    if (w.geometric) turning.diagonal().array() += w.k * 2 * state.lambda[normalisation_row(b)];
    C.bottomRightCorner<4, 4>() += turning;
    const int constraint = static_cast<int>(joints_.size()) + b;
    kkt.matrix.block(kkt.G(constraint, b)).rightCols(4) += 2 * p.transpose();
    kkt.matrix.block(kkt.Gt(constraint, b)).bottomRows(4) += 2 * p;
  }
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    const EulerJoint& joint = joints_[j];
    const auto G = rows_of(joint, state.q);
    const auto lambda = state.lambda.segment(joint_rows_[j], joint.rows());
    for_each_side(joint, [&](int b, const Vec3& s, double sign, int side) {
      kkt.matrix.block(kkt.G(j, b)) += G[side].topRows(joint.rows());
      kkt.matrix.block(kkt.Gt(j, b)) += G[side].topRows(joint.rows()).transpose();
      if (!w.geometric) return;
      Mat4 K = arm_stiffness(s, sign * lambda.head<3>());
      for (int k = 0; joint.revolute && k < 2; ++k) {
        const Vec3 x = Vec3::Unit(normal_to[k]);
        const int other = side == 0 ? joint.B : joint.A;
        const Vec3 &own = side == 0 ? unit_z : x, &far = side == 0 ? x : unit_z;
        K += arm_stiffness(own, lambda[3 + k] * (other < 0 ? far : rotated(p_of(state.q, other), far)));
      }
      kkt.matrix.block<7, 7>(kkt.C(b, b)).bottomRightCorner<4, 4>() += w.k * K;
    });
  }
}

Energy EulerSystem::energy(const State& state, Workspace&) const {
  Energy sum;
  for (int b = 0; b < bodies(); ++b) {
    const Vec3 omega = 2 * G_of(p_of(state.q, b)) * p_of(state.v, b);
    sum.kinetic += 0.5 * bodies_[b].mass * r_of(state.v, b).squaredNorm() +
                   0.5 * omega.dot(bodies_[b].inertia.cwiseProduct(omega));
    sum.potential -= bodies_[b].mass * gravity_.dot(r_of(state.q, b));
  }
  return sum;
}

Vec3 EulerSystem::joint_force(int j, const State& state) const {
  return state.lambda.segment<3>(joint_rows_[j]);
}

std::string EulerSystem::dof_name(int dof) const {
  return fmt::format("coordinate {} of body {}", dof % 7, dof / 7);
}
std::string EulerSystem::row_name(int row) const { return fmt::format("constraint row {}", row); }

}  // namespace hooke::malczyk
