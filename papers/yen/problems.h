#pragma once
#include <cmath>

#include "hooke/system/dae.h"

/// The problems of Yen, Petzold, Raha (1998), section 4, written by hand against the Dae interface, and two
/// small ones to measure orders and dissipation on.
namespace hooke::yen {

/// Coordinates in R^n, dense matrices: the rest of a Dae when the equations are given.
class PlainDae : public Dae {
 public:
  PlainDae(int dofs, int rows) : PlainDae(std::vector<int>{dofs}, rows, {0}) {}
  /// Several blocks of dofs, all coupled, of which the constraints touch some: what a solver may know of G.
  PlainDae(const std::vector<int>& blocks, int rows, const std::vector<int>& touched) {
    structure_ = {.dof_sizes = blocks, .body_blocks = {0, static_cast<int>(blocks.size())}};
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i)
      for (int j = 0; j < i; ++j) structure_.couplings.emplace_back(j, i);
    if (rows > 0) structure_.row_sizes = {rows}, structure_.constraint_blocks = {touched};
    scale_.setOnes(structure_.dofs());
    ones_.setOnes(rows);
  }
  /// M, D = dr/dv, K = dr/dq and G, all set to zero before.
  virtual void derivatives(const State& s, MatrixX& M, MatrixX& D, MatrixX& K, MatrixX& G) const = 0;

  const KktStructure& structure() const override { return structure_; }
  int nq() const override { return nv(); }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override { result = q + x; }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override { x = q1 - q0; }
  void inverse_tangent(const VectorX&, const VectorX& v, VectorX& result) const override { result = v; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Workspace>(); }
  void update(const State&, Workspace&) const override {}
  void accept(State&, Workspace&) const override {}
  const VectorX& dof_scale() const override { return scale_; }
  const VectorX& row_compliance() const override { return ones_; }
  std::string dof_name(int dof) const override { return "coordinate " + std::to_string(dof); }
  std::string row_name(int row) const override { return "constraint " + std::to_string(row); }
  void position_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }
  void velocity_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }
  void acceleration_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }

  void tangent(const State& s, const Weights& w, Workspace&, KktMatrix& kkt) const override {
    MatrixX M = MatrixX::Zero(nv(), nv()), D = M, K = M, G = MatrixX::Zero(nc(), nv());
    derivatives(s, M, D, K, G);
    const MatrixX C = w.m * M + w.d * D + w.k * K;
    const std::vector<int>& at = kkt.matrix.offsets();
    const int blocks = static_cast<int>(structure_.dof_sizes.size());
    kkt.set_zero();
    for (int i = 0; i < blocks; ++i)
      for (int j = 0; j < blocks; ++j)
        kkt.matrix.block(kkt.C(i, j)) = C.block(at[i], at[j], at[i + 1] - at[i], at[j + 1] - at[j]);
    if (nc() == 0) return;
    for (const int j : structure_.constraint_blocks[0]) {
      kkt.matrix.block(kkt.G(0, j)) = G.middleCols(at[j], at[j + 1] - at[j]);
      kkt.matrix.block(kkt.Gt(0, j)) = G.middleCols(at[j], at[j + 1] - at[j]).transpose();
    }
  }

  /// At rest, t = 0; the integrators find a and lambda.
  State at(const VectorX& q) const {
    State s;
    s.q = q;
    s.v = s.a = VectorX::Zero(nv());
    s.lambda = VectorX::Zero(nc());
    return s;
  }

 private:
  KktStructure structure_;
  VectorX scale_, ones_;
};

/// q'' = -w^2 q
class Oscillator final : public PlainDae {
 public:
  explicit Oscillator(double frequency) : PlainDae(1, 0), k_(frequency * frequency) {}
  void residual(const State& s, Workspace&, VectorX& r) const override { r = s.a + k_ * s.q; }
  void derivatives(const State&, MatrixX& M, MatrixX&, MatrixX& K, MatrixX&) const override {
    M(0, 0) = 1;
    K(0, 0) = k_;
  }
  Energy energy(const State& s, Workspace&) const override {
    return {0.5 * s.v.squaredNorm(), 0.5 * k_ * s.q.squaredNorm()};
  }

 private:
  double k_;
};

/// A pendulum of unit mass and length whose pivot is shaken, p(t) = 0.2 sin(3 t): a constraint that depends
/// on time.
class ShakenPendulum final : public PlainDae {
 public:
  ShakenPendulum() : PlainDae(2, 1) {}
  static constexpr double gravity = 9.81, amplitude = 0.2, frequency = 3;
  static double pivot(double t) { return amplitude * std::sin(frequency * t); }
  static double pivot_rate(double t) { return amplitude * frequency * std::cos(frequency * t); }
  static double pivot_acceleration(double t) { return -frequency * frequency * pivot(t); }

  void residual(const State& s, Workspace&, VectorX& r) const override {
    r = s.a + s.lambda[0] * arm(s);
    r[1] += gravity;
  }
  void position_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(1, 0.5 * (arm(s).squaredNorm() - 1));
  }
  void velocity_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(1, arm(s).dot(arm_rate(s)));
  }
  void acceleration_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(
        1, arm(s).dot(s.a - pivot_acceleration(s.t) * Vec2::UnitX()) + arm_rate(s).squaredNorm());
  }
  void derivatives(const State& s, MatrixX& M, MatrixX&, MatrixX& K, MatrixX& G) const override {
    M.setIdentity();
    K.diagonal().setConstant(s.lambda[0]);
    G = arm(s).transpose();
  }
  Energy energy(const State& s, Workspace&) const override {
    return {0.5 * s.v.squaredNorm(), gravity * s.q[1]};
  }

  /// The state with the arm at an angle from the lowest position.
  State at_angle(double t, double angle, double rate) const {
    State s = at(Vec2(pivot(t) + std::sin(angle), -std::cos(angle)));
    s.t = t;
    s.v = Vec2(pivot_rate(t) + rate * std::cos(angle), rate * std::sin(angle));
    // Along the arm, outwards: -rate^2 + p'' sin = gravity cos - lambda.
    s.lambda[0] = gravity * std::cos(angle) + rate * rate - pivot_acceleration(t) * std::sin(angle);
    s.a = -s.lambda[0] * arm(s) - gravity * Vec2::UnitY();
    return s;
  }
  /// angle'' = -g sin(angle) - p'' cos(angle), by Runge-Kutta with small steps.
  State exact(double t, double angle, double rate, int steps = 20000) const {
    const double h = t / steps;
    const auto f = [](double time, const Vec2& y) {
      return Vec2(y[1], -gravity * std::sin(y[0]) - pivot_acceleration(time) * std::cos(y[0]));
    };
    Vec2 y(angle, rate);
    for (int i = 0; i < steps; ++i) {
      const double s = i * h;
      const Vec2 k1 = f(s, y), k2 = f(s + 0.5 * h, y + 0.5 * h * k1), k3 = f(s + 0.5 * h, y + 0.5 * h * k2),
                 k4 = f(s + h, y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return at_angle(t, y[0], y[1]);
  }

 private:
  static Vec2 arm(const State& s) { return s.q - pivot(s.t) * Vec2::UnitX(); }
  static Vec2 arm_rate(const State& s) { return s.v - pivot_rate(s.t) * Vec2::UnitX(); }
};

/// Section 4.1: a unit mass on a spring of length 1 and stiffness 1/eps^2, gravity 1 along +y as (4.3d) has
/// it.
class SpringPendulum final : public PlainDae {
 public:
  explicit SpringPendulum(double eps2) : PlainDae(2, 0), k_(1 / eps2) {}
  void residual(const State& s, Workspace&, VectorX& r) const override {
    const double length = s.q.norm();
    r = s.a + k_ * (length - 1) / length * s.q;
    r[1] -= 1;
  }
  void derivatives(const State& s, MatrixX& M, MatrixX&, MatrixX& K, MatrixX&) const override {
    const double length = s.q.norm();
    M.setIdentity();
    K = k_ * ((length - 1) / length * MatrixX::Identity(2, 2) +
              s.q * s.q.transpose() / (length * length * length));
  }
  Energy energy(const State& s, Workspace&) const override {
    const double stretch = s.q.norm() - 1;
    return {0.5 * s.v.squaredNorm(), 0.5 * k_ * stretch * stretch - s.q[1]};
  }
  State initial_state() const { return at(Vec2(0.9, 0)); }

 private:
  double k_;
};

/// Section 4.2: unit mass and inertia, a bushing with the potential
///   V = (f_x^2 + f_y^2)/(2 eps^2) + theta^2/(20 eps^2) - y,   x^2 + y^2 = 1.
/// The torque is the one that follows from V; (4.4c) is printed with another sign.
class Bushing final : public PlainDae {
 public:
  explicit Bushing(double eps) : PlainDae(3, 1), k_(1 / (eps * eps)) {}
  void residual(const State& s, Workspace&, VectorX& r) const override {
    const Vec2 f = stretch(s);
    r = s.a;
    r.head<2>() += -k_ * f + 2 * s.lambda[0] * s.q.head<2>();
    r[1] -= 1;
    r[2] += k_ * (s.q[2] / 10 + 0.5 * (std::cos(s.q[2]) * f[1] - std::sin(s.q[2]) * f[0]));
  }
  void derivatives(const State& s, MatrixX& M, MatrixX&, MatrixX& K, MatrixX& G) const override {
    const double c = std::cos(s.q[2]), sn = std::sin(s.q[2]);
    const Vec2 f = stretch(s);
    M.setIdentity();
    K.diagonal() << k_ + 2 * s.lambda[0], k_ + 2 * s.lambda[0],
        k_ * (0.1 + 0.25 - 0.5 * (sn * f[1] + c * f[0]));
    K(0, 2) = K(2, 0) = 0.5 * k_ * sn;
    K(1, 2) = K(2, 1) = -0.5 * k_ * c;
    G << 2 * s.q[0], 2 * s.q[1], 0;
  }
  void position_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(1, s.q.head<2>().squaredNorm() - 1);
  }
  void velocity_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(1, 2 * s.q.head<2>().dot(s.v.head<2>()));
  }
  void acceleration_constraints(const State& s, Workspace&, VectorX& g) const override {
    g = VectorX::Constant(1, 2 * s.q.head<2>().dot(s.a.head<2>()) + 2 * s.v.head<2>().squaredNorm());
  }
  Energy energy(const State& s, Workspace&) const override {
    return {0.5 * s.v.squaredNorm(), k_ * (0.5 * stretch(s).squaredNorm() + s.q[2] * s.q[2] / 20) - s.q[1]};
  }
  State initial_state() const { return at(Vec3(0.8, 0.6, 0)); }

 private:
  static Vec2 stretch(const State& s) {
    return {0.5 - s.q[0] + 0.5 * std::cos(s.q[2]), -s.q[1] + 0.5 * std::sin(s.q[2])};
  }
  double k_;
};

/// Section 4.3: rigid crank, rod as a linear Bernoulli-Euler beam of k cubic elements in the frame of its
/// tangent at the crank pin, slider. q = (phi1, phi2, x3, p), p the deflections and slopes of nodes 1 ... k.
///
/// With w(x) = N(x) p, the integrals b = rho A int N, c = rho A int x N, M_f = rho A int N^T N, S0, S1, S2 =
/// rho A int (1, x, x^2), d = phi2 - phi1, A = S1 cos d - (b p) sin d and A' = dA/dd, Lagrange's equations
/// are
///
///   (J1 + S0 l1^2) phi1'' + l1 [A phi2'' + cos d (b p'') + phi2'^2 A' - 2 phi2' (b p') sin d]      = torque
///   (S2 + p M_f p) phi2'' + l1 A phi1'' + c p'' + 2 phi2' (p M_f p') - l1 phi1'^2 A'               = 0
///   m3 x3''                                                                                        = 0
///   M_f p'' + l1 b cos d phi1'' + c phi2'' + l1 phi1'^2 sin d b - phi2'^2 M_f p + K_f p            = 0
///
/// each with the force of the two constraints of section 4.3. Data: papers' notes (Simeon 1996).
class FlexibleSliderCrank final : public PlainDae {
 public:
  struct Data {
    double l1 = 0.15, J1 = 0.002727, l2 = 0.30, m3 = 0.075552;
    double modulus = 2e11, density = 7870, width = 0.008;
    double torque = 0.2, torque_end = 0.3;
  };
  explicit FlexibleSliderCrank(int elements) : FlexibleSliderCrank(elements, Data()) {}
  FlexibleSliderCrank(int elements, const Data& data)
      : PlainDae(blocks(elements), 2, elements > 1 ? std::vector{0, 2} : std::vector{0, 1}),
        k_(elements),
        data_(data),
        tip_(3 + 2 * (elements - 1)) {
    assemble();
  }

  int midpoint() const { return 3 + 2 * (k_ / 2 - 1); }  ///< deflection of the middle node (k even)
  int tip() const { return tip_; }

  void residual(const State& s, Workspace&, VectorX& r) const override {
    const Terms e(*this, s);
    const auto p = s.q.tail(2 * k_), pv = s.v.tail(2 * k_), pa = s.a.tail(2 * k_);
    const double a1 = s.a[0], a2 = s.a[1], w1 = s.v[0], w2 = s.v[1], l1 = data_.l1;
    r.resize(nv());
    r[0] = (data_.J1 + S0_ * l1 * l1) * a1 +
           l1 * (e.A * a2 + e.cos * b_.dot(pa) + w2 * w2 * e.A1 - 2 * w2 * b_.dot(pv) * e.sin) - torque(s.t);
    r[1] = (S2_ + p.dot(Mf_ * p)) * a2 + l1 * e.A * a1 + c_.dot(pa) + 2 * w2 * p.dot(Mf_ * pv) -
           l1 * w1 * w1 * e.A1;
    r[2] = data_.m3 * s.a[2];
    r.tail(2 * k_) = Mf_ * (pa - w2 * w2 * p) + l1 * (e.cos * a1 + w1 * w1 * e.sin) * b_ + a2 * c_ + Kf_ * p;
    r += rows(s).transpose() * s.lambda;
  }

  void derivatives(const State& s, MatrixX& M, MatrixX& D, MatrixX& K, MatrixX& G) const override {
    const Terms e(*this, s);
    const int n = 2 * k_;
    const auto p = s.q.tail(n), pv = s.v.tail(n), pa = s.a.tail(n);
    const double a1 = s.a[0], a2 = s.a[1], w1 = s.v[0], w2 = s.v[1], l1 = data_.l1;
    const VectorX Mp = Mf_ * p, Mpv = Mf_ * pv;

    M(0, 0) = data_.J1 + S0_ * l1 * l1;
    M(0, 1) = M(1, 0) = l1 * e.A;
    M(1, 1) = S2_ + p.dot(Mp);
    M(2, 2) = data_.m3;
    M.block(0, 3, 1, n) = l1 * e.cos * b_.transpose();
    M.block(1, 3, 1, n) = c_.transpose();
    M.block(3, 0, n, 2) = M.block(0, 3, 2, n).transpose();
    M.bottomRightCorner(n, n) = Mf_;

    D(0, 1) = l1 * (2 * w2 * e.A1 - 2 * b_.dot(pv) * e.sin);
    D.block(0, 3, 1, n) = -2 * l1 * w2 * e.sin * b_.transpose();
    D(1, 0) = -2 * l1 * w1 * e.A1;
    D(1, 1) = 2 * p.dot(Mpv);
    D.block(1, 3, 1, n) = 2 * w2 * Mp.transpose();
    D.block(3, 0, n, 1) = 2 * l1 * w1 * e.sin * b_;
    D.block(3, 1, n, 1) = -2 * w2 * Mp;

    // By d: A -> A', A' -> -A; by p: A -> -sin d b, A' -> -cos d b.
    const double first = l1 * (e.A1 * a2 - e.sin * b_.dot(pa) - w2 * w2 * e.A - 2 * w2 * b_.dot(pv) * e.cos);
    const double second = l1 * (e.A1 * a1 + w1 * w1 * e.A);
    const VectorX third = l1 * (-e.sin * a1 + w1 * w1 * e.cos) * b_;
    K.row(0).head(2) << -first, first;
    K.row(1).head(2) << -second, second;
    K.block(3, 0, n, 1) = -third;
    K.block(3, 1, n, 1) = third;
    K.block(0, 3, 1, n) = -l1 * (e.sin * a2 + w2 * w2 * e.cos) * b_.transpose();
    K.block(1, 3, 1, n) = (2 * a2 * Mp + 2 * w2 * Mpv - l1 * (e.sin * a1 - w1 * w1 * e.cos) * b_).transpose();
    K.bottomRightCorner(n, n) = Kf_ - w2 * w2 * Mf_;

    G = rows(s);
    const double c1 = std::cos(s.q[0]), s1 = std::sin(s.q[0]), c2 = std::cos(s.q[1]), s2 = std::sin(s.q[1]);
    const double l2 = data_.l2, tip = s.q[tip_], y = s.lambda[0], x = s.lambda[1];
    K(0, 0) += -y * l1 * s1 + x * l1 * c1;
    K(1, 1) += -y * (l2 * s2 + tip * c2) + x * (l2 * c2 - tip * s2);
    K(1, tip_) += -y * s2 + x * c2;
    K(tip_, 1) += -y * s2 + x * c2;
  }

  void position_constraints(const State& s, Workspace&, VectorX& g) const override {
    const double l1 = data_.l1, l2 = data_.l2, tip = s.q[tip_];
    g.resize(2);
    g << l1 * std::sin(s.q[0]) + l2 * std::sin(s.q[1]) + tip * std::cos(s.q[1]),
        s.q[2] - l1 * std::cos(s.q[0]) - l2 * std::cos(s.q[1]) + tip * std::sin(s.q[1]);
  }
  void velocity_constraints(const State& s, Workspace&, VectorX& g) const override { g = rows(s) * s.v; }
  void acceleration_constraints(const State& s, Workspace&, VectorX& g) const override {
    const double c1 = std::cos(s.q[0]), s1 = std::sin(s.q[0]), c2 = std::cos(s.q[1]), s2 = std::sin(s.q[1]);
    const double l1 = data_.l1, l2 = data_.l2, tip = s.q[tip_], w1 = s.v[0], w2 = s.v[1], u = s.v[tip_];
    g = rows(s) * s.a;
    g[0] += -l1 * s1 * w1 * w1 - (l2 * s2 + tip * c2) * w2 * w2 - 2 * s2 * w2 * u;
    g[1] += l1 * c1 * w1 * w1 + (l2 * c2 - tip * s2) * w2 * w2 + 2 * c2 * w2 * u;
  }

  Energy energy(const State& s, Workspace&) const override {
    MatrixX M = MatrixX::Zero(nv(), nv()), D = M, K = M, G = MatrixX::Zero(nc(), nv());
    derivatives(s, M, D, K, G);
    const auto p = s.q.tail(2 * k_);
    return {0.5 * s.v.dot(M * s.v), 0.5 * p.dot(Kf_ * p)};
  }

  State initial_state() const {
    VectorX q = VectorX::Zero(nv());
    q[2] = data_.l1 + data_.l2;
    return at(q);
  }
  double torque(double t) const { return t <= data_.torque_end * (1 + 1e-12) ? data_.torque : 0; }

 private:
  /// The rigid coordinates, the inner nodes, the node the constraints act on.
  static std::vector<int> blocks(int k) {
    if (k == 1) return {3, 2};
    return {3, 2 * (k - 1), 2};
  }

  struct Terms {
    Terms(const FlexibleSliderCrank& m, const State& s)
        : cos(std::cos(s.q[1] - s.q[0])), sin(std::sin(s.q[1] - s.q[0])) {
      const double B = m.b_.dot(s.q.tail(2 * m.k_));
      A = m.S1_ * cos - B * sin;
      A1 = -m.S1_ * sin - B * cos;
    }
    double cos, sin, A, A1;
  };

  MatrixX rows(const State& s) const {
    const double l1 = data_.l1, l2 = data_.l2, tip = s.q[tip_];
    MatrixX G = MatrixX::Zero(2, nv());
    G(0, 0) = l1 * std::cos(s.q[0]);
    G(0, 1) = l2 * std::cos(s.q[1]) - tip * std::sin(s.q[1]);
    G(0, tip_) = std::cos(s.q[1]);
    G(1, 0) = l1 * std::sin(s.q[0]);
    G(1, 1) = l2 * std::sin(s.q[1]) + tip * std::cos(s.q[1]);
    G(1, 2) = 1;
    G(1, tip_) = std::sin(s.q[1]);
    return G;
  }

  /// Hermite elements; node 0 does not move in the frame.
  void assemble() {
    const double l = data_.l2 / k_, line = data_.density * data_.width * data_.width;
    const double EI = data_.modulus * std::pow(data_.width, 4) / 12;
    S0_ = line * data_.l2;
    S1_ = S0_ * data_.l2 / 2;
    S2_ = S0_ * data_.l2 * data_.l2 / 3;
    Eigen::Matrix4d mass, stiffness;
    mass << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l,
        -13 * l, -3 * l * l, -22 * l, 4 * l * l;
    stiffness << 12, 6 * l, -12, 6 * l, 6 * l, 4 * l * l, -6 * l, 2 * l * l, -12, -6 * l, 12, -6 * l, 6 * l,
        2 * l * l, -6 * l, 4 * l * l;
    const Eigen::Vector4d b(0.5, l / 12, 0.5, -l / 12), c(3.0 / 20, l / 30, 7.0 / 20, -l / 20);
    const int n = 2 * (k_ + 1);
    MatrixX M = MatrixX::Zero(n, n), K = M;
    VectorX B = VectorX::Zero(n), C = B;
    for (int e = 0; e < k_; ++e) {
      M.block<4, 4>(2 * e, 2 * e) += line * l / 420 * mass;
      K.block<4, 4>(2 * e, 2 * e) += EI / (l * l * l) * stiffness;
      B.segment<4>(2 * e) += line * l * b;
      C.segment<4>(2 * e) += line * l * (e * l * b + l * c);
    }
    Mf_ = M.bottomRightCorner(n - 2, n - 2);
    Kf_ = K.bottomRightCorner(n - 2, n - 2);
    b_ = B.tail(n - 2);
    c_ = C.tail(n - 2);
  }

  int k_;
  Data data_;
  int tip_;
  double S0_ = 0, S1_ = 0, S2_ = 0;
  MatrixX Mf_, Kf_;
  VectorX b_, c_;
};

}  // namespace hooke::yen
