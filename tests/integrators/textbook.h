#pragma once
#include "hooke/system/dae.h"

namespace hooke::test {

/// The mathematical pendulum in Cartesian coordinates, as textbooks on differential-algebraic equations write
/// it: a point of unit mass with x^2 + y^2 = 1, gravity along -y. No body, no joint, no frame: the
/// integrators need none.
class TextbookPendulum final : public Dae {
 public:
  static constexpr double gravity = 9.81;

  const KktStructure& structure() const override { return structure_; }
  int nq() const override { return 2; }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override { result = q + x; }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override { x = q1 - q0; }
  void inverse_tangent(const VectorX&, const VectorX& v, VectorX& result) const override { result = v; }

  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Workspace>(); }
  void update(const State&, Workspace&) const override {}
  void residual(const State& s, Workspace&, VectorX& r) const override {
    r = s.a + s.lambda[0] * s.q;
    r[1] += gravity;
  }
  void position_constraints(const State& s, Workspace&, VectorX& g) const override {
    g.resize(1);
    g[0] = 0.5 * (s.q.squaredNorm() - 1);
  }
  void velocity_constraints(const State& s, Workspace&, VectorX& g) const override {
    g.resize(1);
    g[0] = s.q.dot(s.v);
  }
  void acceleration_constraints(const State& s, Workspace&, VectorX& g) const override {
    g.resize(1);
    g[0] = s.q.dot(s.a) + s.v.squaredNorm();
  }
  void tangent(const State& s, const Weights& w, Workspace&, KktMatrix& kkt) const override {
    kkt.set_zero();
    kkt.matrix.block(kkt.C(0, 0)).diagonal().setConstant(w.m + w.k * s.lambda[0]);
    kkt.matrix.block(kkt.G(0, 0)) = s.q.transpose();
    kkt.matrix.block(kkt.Gt(0, 0)) = s.q;
  }
  Energy energy(const State& s, Workspace&) const override {
    return {0.5 * s.v.squaredNorm(), gravity * s.q[1]};
  }
  void accept(State&, Workspace&) const override {}
  const VectorX& dof_scale() const override { return ones_; }
  const VectorX& row_compliance() const override { return one_; }
  std::string dof_name(int dof) const override { return dof == 0 ? "x" : "y"; }
  std::string row_name(int) const override { return "length"; }

  /// At an angle from the lowest point, with its rate; a and lambda as the equations have them.
  static State at(double t, double angle, double rate) {
    State s;
    s.t = t;
    s.q = Vec2(std::sin(angle), -std::cos(angle));
    s.v = rate * Vec2(std::cos(angle), std::sin(angle));
    s.lambda = VectorX::Constant(1, rate * rate + gravity * std::cos(angle));
    s.a = -s.lambda[0] * s.q - gravity * Vec2::UnitY();
    return s;
  }
  /// The angle's own equation, angle'' = -g sin(angle), by classical Runge-Kutta with steps so small that it
  /// is exact.
  static State exact(double t, double angle, double rate, int steps = 20000) {
    const double h = t / steps;
    const auto f = [](const Vec2& y) { return Vec2(y[1], -gravity * std::sin(y[0])); };
    Vec2 y(angle, rate);
    for (int i = 0; i < steps; ++i) {
      const Vec2 k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2), k4 = f(y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return at(t, y[0], y[1]);
  }

 private:
  KktStructure structure_{.dof_sizes = {2},
                          .body_blocks = {0, 1},
                          .couplings = {},
                          .weak_couplings = {},
                          .row_sizes = {1},
                          .constraint_blocks = {{0}}};
  VectorX ones_ = VectorX::Ones(2), one_ = VectorX::Ones(1);
};

}  // namespace hooke::test
