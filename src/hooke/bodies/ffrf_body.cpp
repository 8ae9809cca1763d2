#include "hooke/bodies/ffrf_body.h"

#include <Eigen/Eigenvalues>

namespace hooke {
namespace {

/// int f x h  from  int f h^T
Vec3 cross(const Mat3& N) { return {N(1, 2) - N(2, 1), N(2, 0) - N(0, 2), N(0, 1) - N(1, 0)}; }

/// int f x (w x h) = (tr(N) - N^T) w  from  N = int f h^T
Mat3 turned(const Mat3& N) { return N.trace() * identity3 - N.transpose(); }

using Shapes = FfrfBody::Shapes;

/// sum_j s_ij x_j for each i, of the 3 x n^2 that s_ij are.
Shapes times(const Mat3X& second, const Eigen::Map<const VectorX>& x) {
  const auto n = x.size();
  Shapes sum(3, n);
  if (second.cols() == 0) return sum.setZero();
  Eigen::Map<VectorX>(sum.data(), 3 * n).noalias() = Eigen::Map<const MatrixX>(second.data(), 3 * n, n) * x;
  return sum;
}

}  // namespace

double ModalData::lowest_frequency() const {
  const int n = modes();
  MatrixX M(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M(i, j) = N[static_cast<std::size_t>(i * n + j)].trace();
  return std::sqrt(
      std::max(0.0, Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(stiffness, M).eigenvalues()[0]));
}

FfrfBody::FfrfBody(ModalData modal_data, bool with_constant_mass)
    : data(std::move(modal_data)), constant_mass(with_constant_mass) {
  if (!data.stiffens()) return;
  const int n = modes();
  changes_ = data.N;
  for (int i = 0; i < n * n; ++i) changes_[i] += data.second_N0[i];
}

struct FfrfBody::Inertia {
  Vec3 s;
  std::array<Mat3, most_modes> Nu;  ///< int rho u S_i^T
  Mat3 J;
  Shapes psi, gamma;  ///< int rho S_i and int rho u x S_i, with S_i = du/deta_i

  Inertia(const FfrfBody& body, const double* q) {
    const ModalData& d = body.data;
    const int n = body.modes();
    const Coordinates p = body.eta(q);
    psi = d.psi;
    s = d.first_moment + d.psi * p;
    if (d.stiffens()) {
      const Shapes more = times(d.second_psi, p);
      psi += more;
      s += 0.5 * (more * p);
    }
    gamma.resize(3, n);
    Mat3 Nuu = d.N00;
    for (int i = 0; i < n; ++i) {
      Nu[i] = d.N0[i];
      for (int j = 0; j < n; ++j) Nu[i] += p[j] * body.change(i, j);
      gamma.col(i) = cross(Nu[i]);
      Nuu += p[i] * (Nu[i] + d.N0[i].transpose());
    }
    if (d.stiffens()) Nuu = 0.5 * (Nuu + Nuu.transpose()).eval();
    J = turned(Nuu);
  }
};

/// What second order shapes add while eta changes: sum_j of int rho s_ij and of int rho u0 x s_ij, times eta'_j.
struct FfrfBody::SecondRates {
  Shapes psi, spin;

  SecondRates(const ModalData& d, const Coordinates& p1) : psi(times(d.second_psi, p1)), spin(3, p1.size()) {
    spin.setZero();
    if (d.stiffens())
      for (int i = 0, k = 0; i < p1.size(); ++i)
        for (int j = 0; j < p1.size(); ++j, ++k) spin.col(i) += p1[j] * cross(d.second_N0[k]);
  }
};

// --- configuration

FramePose FfrfBody::node(int i, const double* q) const {
  const ModalData::Node& node = data.nodes[i];
  const FramePose frame{RigidBody::rotation(q), RigidBody::position(q)};
  const Coordinates p = eta(q);
  Vec3 turn = node.rotation * p, shift = node.shift * p;
  if (node.second_shift.cols()) {
    turn += 0.5 * times(node.second_rotation, p) * p;
    shift += 0.5 * times(node.second_shift, p) * p;
  }
  return frame * FramePose{exp_so3(turn) * node.at.R, node.at.p + shift};
}

FfrfBody::Frame FfrfBody::attach(const FramePose& X_BF, const std::string& name) const {
  constexpr double same = 1e-9;  // of the size: a mean of nodes and a node at one place differ by rounding
  double size = 0;
  for (const ModalData::Node& node : data.nodes) size = std::max(size, node.at.p.norm());
  const auto apart = [&](const ModalData::Node& node) {
    if (!name.empty()) return node.name == name ? 0.0 : 1.0;
    return (node.at.p - X_BF.p).norm() + (node.name.empty() ? same * size : 0);
  };
  const ModalData::Node* nearest = &data.nodes.at(0);
  for (const ModalData::Node& node : data.nodes)
    if (apart(node) < apart(*nearest)) nearest = &node;
  return {nearest->at.p,          nearest->shift,        nearest->rotation,       X_BF.R,
          X_BF.p - nearest->at.p, nearest->second_shift, nearest->second_rotation};
}

void FfrfBody::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  RigidBody{}.place(pose, twist, q, v);
  Eigen::Map<VectorX>(q + 7, modes()).setZero();
  Eigen::Map<VectorX>(v + 6, modes()).setZero();
}
void FfrfBody::plus(const double* q, const double* x, double* result) const {
  RigidBody::plus(q, x, result);
  Eigen::Map<VectorX>(result + 7, modes()) = eta(q) + rate(x);
}
void FfrfBody::minus(const double* q1, const double* q0, double* x) const {
  RigidBody::minus(q1, q0, x);
  Eigen::Map<VectorX>(x + 6, modes()) = eta(q1) - eta(q0);
}
void FfrfBody::inverse_tangent(const double* x, const double* v, double* result) const {
  RigidBody::inverse_tangent(x, v, result);
  Eigen::Map<VectorX>(result + 6, modes()) = rate(v);
}

/// A mode is worth as much as the largest motion of a node it makes.
void FfrfBody::scale(double length, double* dof_scale) const {
  RigidBody::scale(length, dof_scale);
  for (int i = 0; i < modes(); ++i) {
    double most = 1e-300;
    for (const ModalData::Node& node : data.nodes) most = std::max(most, node.shift.col(i).norm() / length);
    for (const ModalData::Node& node : data.nodes) most = std::max(most, node.rotation.col(i).norm());
    dof_scale[6 + i] = 1 / most;
  }
}
std::string FfrfBody::dof_name(int i) const {
  return i < 6 ? RigidBody::dof_name(i) : "mode " + std::to_string(i - 5);
}
MassProperties FfrfBody::mass_properties() const {
  const Vec3 c = data.first_moment / data.mass;
  return {data.mass, c, turned(data.N00) - data.mass * (c.squaredNorm() * identity3 - c * c.transpose())};
}
BodyMotion FfrfBody::motion(const double* q, const double* v, const double* a) const {
  return RigidBody{}.motion(q, v, a);
}

// --- forces

/// With b = A^T (p'' - g), the acceleration of a point seen from the frame is
///   b + alpha x u + omega x (omega x u) + 2 omega x u' + S eta''
/// and r is its integral with the variations A, u x, and S_i.
void FfrfBody::add_residual(const double* q, const double* v, const double* a, const Vec3& gravity,
                            double* r) const {
  const int n = modes();
  const Inertia now(*this, q);
  const Mat3 A = RigidBody::rotation(q);
  const Vec3 omega = RigidBody::spin(v), alpha = RigidBody::spin(a);
  const Coordinates p = eta(q), p1 = rate(v), p2 = rate(a);
  const Vec3 b = A.transpose() * RigidBody::velocity(a), g = A.transpose() * gravity;
  const Vec3& s_mass = constant_mass ? data.first_moment : now.s;
  const Mat3 J_mass = constant_mass ? turned(data.N00) : now.J;

  const Vec3 flow = now.psi * p1;
  Vec3 force = data.mass * (b - g) + alpha.cross(s_mass) + omega.cross(omega.cross(now.s)) +
               2 * omega.cross(flow) + now.psi * p2;
  Mat3 P = Mat3::Zero();  // int rho u u'^T
  Vec3 gamma_p2 = zero3;
  for (int i = 0; i < n; ++i) {
    P += p1[i] * now.Nu[i];
    gamma_p2 += p2[i] * (constant_mass ? cross(data.N0[i]) : Vec3(now.gamma.col(i)));
  }
  if (data.stiffens()) {
    const SecondRates second(data, p1);
    force += second.psi * p1;
    gamma_p2 += second.spin * p1;
  }
  RigidBody::velocity(r) += A * force;
  RigidBody::spin(r) += s_mass.cross(b) - now.s.cross(g) + J_mass * alpha + omega.cross(now.J * omega) +
                        2 * turned(P) * omega + gamma_p2;
  Eigen::Map<VectorX> r_p(r + 6, n);
  r_p.noalias() += now.psi.transpose() * (b - g);
  r_p.noalias() += data.stiffness * p;
  r_p.noalias() += data.damping * p1;
  for (int i = 0; i < n; ++i) {
    Vec3 coriolis = zero3;  // int rho u' x S_i
    double mass_p2 = 0;
    for (int j = 0; j < n; ++j) {
      coriolis += p1[j] * cross(N(j, i));
      mass_p2 += N(i, j).trace() * p2[j];
    }
    const Vec3 gamma = constant_mass ? cross(data.N0[i]) : Vec3(now.gamma.col(i));
    r_p[i] += gamma.dot(alpha) + omega.dot(now.Nu[i] * omega) - now.Nu[i].trace() * omega.squaredNorm() +
              2 * omega.dot(coriolis) + mass_p2;
  }
}

void FfrfBody::add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity,
                           const Weights& w, const double* x, const BodyBlocks& blocks) const {
  using Wide = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, most_modes>;
  const int n = modes();
  const Inertia now(*this, q);
  const Mat3 A = RigidBody::rotation(q);
  const Vec3 omega = RigidBody::spin(v), alpha = RigidBody::spin(a);
  const Coordinates p1 = rate(v), p2 = rate(a);
  const Vec3 b = A.transpose() * RigidBody::velocity(a), g = A.transpose() * gravity;
  const Vec3& s_mass = constant_mass ? data.first_moment : now.s;
  const Mat3 J_mass = constant_mass ? turned(data.N00) : now.J;
  const SecondRates second(data, p1);
  const Shapes psi_change = times(data.second_psi, p2);
  const Vec3 flow = now.psi * p1;
  const Mat3 omega_hat = hat(omega);
  Mat3 P = Mat3::Zero();
  for (int i = 0; i < n; ++i) P += p1[i] * now.Nu[i];

  // the six dofs of the frame: force (still seen from the frame) and moment
  Mat6 C = Mat6::Zero();
  C.topLeftCorner<3, 3>() = w.m * data.mass * A.transpose();
  C.bottomLeftCorner<3, 3>() = w.m * hat(s_mass) * A.transpose();
  C.topRightCorner<3, 3>() =
      -w.m * hat(s_mass) - w.d * (hat(omega.cross(now.s)) + omega_hat * hat(now.s) + 2 * hat(flow));
  C.bottomRightCorner<3, 3>() = w.m * J_mass + w.d * (omega_hat * now.J - hat(now.J * omega) + 2 * turned(P));
  if (x) C.rightCols<3>() *= inverse_tangent_so3(RigidBody::spin(x));
  const Vec3 force = data.mass * (b - g) + alpha.cross(s_mass) + omega.cross(omega.cross(now.s)) +
                     2 * omega.cross(flow) + now.psi * p2 + second.psi * p1;
  C.topRightCorner<3, 3>() += w.k * (data.mass * hat(b - g) - hat(force));
  C.bottomRightCorner<3, 3>() += w.k * (hat(s_mass) * hat(b) - hat(now.s) * hat(g));

  Wide of_modes(6, n);  // derivatives of force and moment by the modes
  Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, most_modes, 6> of_frame(n, 6);
  auto modal = blocks(1);
  for (int j = 0; j < n; ++j) {
    const Vec3 psi = now.psi.col(j), psi_rate = second.psi.col(j);
    const Vec3 gamma = constant_mass ? cross(data.N0[j]) : Vec3(now.gamma.col(j));
    Vec3 top = w.m * psi + w.d * 2 * (omega.cross(psi) + psi_rate) +
               w.k * (omega.cross(omega.cross(psi)) + 2 * omega.cross(psi_rate) + psi_change.col(j));
    Vec3 bottom = w.m * gamma + w.d * 2 * (turned(now.Nu[j]) * omega + second.spin.col(j));
    Mat3 P_j = Mat3::Zero();
    Vec3 gamma_p2 = zero3, coriolis = zero3;
    for (int i = 0; i < n; ++i) {
      P_j += p1[i] * change(i, j);
      gamma_p2 += p2[i] * cross(change(i, j));
      coriolis += p1[i] * cross(N(i, j));
    }
    const Mat3 J_j = turned(now.Nu[j] + now.Nu[j].transpose());
    bottom += w.k * (omega.cross(J_j * omega) + 2 * turned(P_j) * omega - psi.cross(g));
    if (!constant_mass) {
      top += w.k * alpha.cross(psi);
      bottom += w.k * (psi.cross(b) + J_j * alpha + gamma_p2);
    }
    of_modes.col(j) << top, bottom;

    const Mat3& Nu = now.Nu[j];
    Eigen::RowVector3d turning =
        w.m * gamma.transpose() + w.d * (omega.transpose() * (Nu + Nu.transpose()) -
                                         2 * Nu.trace() * omega.transpose() + 2 * coriolis.transpose());
    if (x) turning *= inverse_tangent_so3(RigidBody::spin(x));
    turning += w.k * psi.transpose() * hat(b - g);
    of_frame.row(j) << w.m * psi.transpose() * A.transpose(), turning;
    for (int i = 0; i < n; ++i) {
      const Mat3 &N_ji = N(j, i), &Nu_ij = change(i, j);
      double k = data.stiffness(i, j) + omega.dot(Nu_ij * omega) - Nu_ij.trace() * omega.squaredNorm();
      if (!constant_mass) k += cross(Nu_ij).dot(alpha);
      if (data.stiffens()) k += data.second_psi.col(i * n + j).dot(b - g);
      modal(i, j) += w.m * N_ji.trace() + w.d * (data.damping(i, j) + 2 * omega.dot(cross(N_ji))) + w.k * k;
    }
  }
  C.topRows<3>() = A * C.topRows<3>();
  of_modes.topRows<3>() = A * of_modes.topRows<3>();
  blocks.fixed<6, 6>(0) += C;
  blocks(2) += of_modes;
  blocks(3) += of_frame;
}

Energy FfrfBody::energy(const double* q, const double* v, const Vec3& gravity) const {
  const Inertia now(*this, q);
  const Mat3 A = RigidBody::rotation(q);
  const Vec3 velocity = A.transpose() * RigidBody::velocity(v), omega = RigidBody::spin(v);
  const Coordinates p = eta(q), p1 = rate(v);
  const Vec3 flow = now.psi * p1, position = RigidBody::position(q);
  const Vec3& s_mass = constant_mass ? data.first_moment : now.s;
  const Mat3 J_mass = constant_mass ? turned(data.N00) : now.J;
  double modal = 0;
  for (int i = 0; i < modes(); ++i) {
    modal += p1[i] * omega.dot(constant_mass ? cross(data.N0[i]) : Vec3(now.gamma.col(i)));
    for (int j = 0; j < modes(); ++j) modal += 0.5 * p1[i] * p1[j] * N(i, j).trace();
  }
  return {0.5 * data.mass * velocity.squaredNorm() + velocity.dot(omega.cross(s_mass) + flow) +
              0.5 * omega.dot(J_mass * omega) + modal,
          0.5 * p.dot(data.stiffness * p) - gravity.dot(data.mass * position + A * now.s)};
}

bool FfrfBody::rigid_motion(const double* q, const Vec6& twist, double* v) const {
  RigidBody::rigid_motion(q, twist, v);
  Eigen::Map<VectorX>(v + 6, modes()).setZero();
  return true;
}

/// The terms of `add_residual` with accelerations.
void FfrfBody::add_momentum(const double* q, const double* v, double* r) const {
  const int n = modes();
  const Inertia now(*this, q);
  const Mat3 A = RigidBody::rotation(q);
  const Vec3 b = A.transpose() * RigidBody::velocity(v), omega = RigidBody::spin(v);
  const Coordinates p1 = rate(v);
  const Vec3& s = constant_mass ? data.first_moment : now.s;
  const Mat3 J = constant_mass ? turned(data.N00) : now.J;
  RigidBody::velocity(r) += A * (data.mass * b + omega.cross(s) + now.psi * p1);
  RigidBody::spin(r) += s.cross(b) + J * omega;
  Eigen::Map<VectorX> r_p(r + 6, n);
  r_p.noalias() += now.psi.transpose() * b;
  for (int i = 0; i < n; ++i) {
    const Vec3 gamma = constant_mass ? cross(data.N0[i]) : Vec3(now.gamma.col(i));
    RigidBody::spin(r) += p1[i] * gamma;
    r_p[i] += gamma.dot(omega);
    for (int j = 0; j < n; ++j) r_p[i] += N(i, j).trace() * p1[j];
  }
}

Power FfrfBody::power(const double*, const double* v) const {
  const Coordinates p1 = rate(v);
  return {.dissipated = p1.dot(data.damping * p1)};
}

// --- frames

/// The place of a frame seen from the reference frame: x = at + shift eta + E s with E = exp(rotation eta), and the
/// same with second order shapes.
struct FfrfBody::At {
  Mat3 A, E;
  Vec3 turn, arm, x, f = zero3;
  Shapes rotation;  ///< d turn / d eta
  Shapes W, V;      ///< spin and velocity of the frame in the reference frame, per eta'

  At(const FfrfBody& body, const Frame& frame, const double* q) : A(RigidBody::rotation(q)) {
    const Coordinates p = body.eta(q);
    turn = frame.rotation * p;
    x = frame.at + frame.shift * p;
    rotation = frame.rotation;
    V = frame.shift;
    if (frame.second_shift.cols()) {
      const Shapes turns = times(frame.second_rotation, p), shifts = times(frame.second_shift, p);
      turn += 0.5 * (turns * p);
      x += 0.5 * (shifts * p);
      rotation += turns;
      V += shifts;
    }
    E = exp_so3(turn);
    arm = E * frame.s;
    x += arm;
    W = left_tangent_so3(turn).lazyProduct(rotation);
    V -= hat(arm).lazyProduct(W);
  }
};

void FfrfBody::frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                     Vec6& bias, Eigen::Ref<Mat6X> J) const {
  const At at(*this, f, q);
  const Vec3 omega = RigidBody::spin(v), own = at.W * rate(v), shift = at.V * rate(v);
  const Vec3 turn_rate = at.rotation * rate(v);
  Vec3 own_rate = left_tangent_so3_derivative(at.turn, turn_rate) * turn_rate, shift_rate = zero3;
  if (f.second_shift.cols()) {
    own_rate += left_tangent_so3(at.turn) * (times(f.second_rotation, rate(v)) * rate(v));
    shift_rate = times(f.second_shift, rate(v)) * rate(v);
  }
  pose = {at.A * at.E * f.R, RigidBody::position(q) + at.A * at.x};
  twist << RigidBody::velocity(v) + at.A * (omega.cross(at.x) + shift), at.A * (omega + own);
  const Vec3 curving = shift_rate + own_rate.cross(at.arm) + own.cross(own.cross(at.arm));
  bias << at.A * (omega.cross(omega.cross(at.x)) + 2 * omega.cross(shift) + curving),
      at.A * (own_rate + omega.cross(own));
  J.leftCols<6>() << identity3, -at.A * hat(at.x), zero33, at.A;
  J.rightCols(modes()).topRows<3>() = at.A * at.V;
  J.rightCols(modes()).bottomRows<3>() = at.A * at.W;
}

void FfrfBody::frame_stiffness(const Frame& f, const double* q, const Vec6& wrench,
                               Eigen::Ref<MatrixX> K) const {
  const At at(*this, f, q);
  const int n = modes();
  const Vec3 force = at.A.transpose() * wrench.head<3>(), moment = at.A.transpose() * wrench.tail<3>();
  const Mat3 F = hat(force), M = hat(moment);
  const Vec3 mu = at.arm.cross(force) + moment;
  K.block<3, 3>(3, 3) += hat(at.x) * F + M;
  K.block(3, 6, 3, n) -= F * at.V;
  K.block(6, 3, n, 3) += at.V.transpose() * F + at.W.transpose() * M;
  const Shapes bent = tangent_so3_derivative(at.turn, mu).lazyProduct(at.rotation) +
                      tangent_so3(at.turn) * (F * (hat(at.arm) * at.W));
  K.block(6, 6, n, n) += at.rotation.transpose().lazyProduct(bent);
  if (f.second_shift.cols() == 0) return;
  const Vec3 turning = tangent_so3(at.turn) * mu;
  for (int i = 0, k = 0; i < n; ++i)
    for (int j = 0; j < n; ++j, ++k)
      K(6 + i, 6 + j) += f.second_shift.col(k).dot(force) + f.second_rotation.col(k).dot(turning);
}

void FfrfBody::velocity_gradient(const Frame& f, const double* q, const double* v,
                                 Eigen::Ref<Mat6X> gradient) const {
  const At at(*this, f, q);
  const int n = modes();
  const Vec3 omega = RigidBody::spin(v), own = at.W * rate(v), shift = at.V * rate(v);
  Shapes turning = left_tangent_so3_derivative(at.turn, at.rotation * rate(v)).lazyProduct(at.rotation);
  Shapes moving = hat(omega) * at.V;
  if (f.second_shift.cols()) {
    turning += left_tangent_so3(at.turn).lazyProduct(times(f.second_rotation, rate(v)));
    moving += times(f.second_shift, rate(v));
  }
  gradient.setZero();
  gradient.block<3, 3>(0, 3) = -at.A * hat(omega.cross(at.x) + shift);
  gradient.block<3, 3>(3, 3) = -at.A * hat(omega + own);
  gradient.block(0, 6, 3, n) = at.A * (moving - hat(at.arm) * turning - hat(own) * hat(at.arm) * at.W);
  gradient.block(3, 6, 3, n) = at.A * turning;
}

void FfrfBody::apply_inverse_tangent(const Frame&, const double* x, Eigen::Ref<Mat6X> J) const {
  auto columns = J.leftCols<6>();
  RigidBody::apply_inverse_tangent({}, x, columns);
}

}  // namespace hooke
