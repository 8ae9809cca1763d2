// Frames on a Cosserat rod: at a node, or at a section between nodes.
#include "hooke/bodies/cosserat_rod.h"

namespace hooke {

/// At a place between nodes the section has R = R_r exp(psi), psi = sum N_i psi_i, and spins with
///   omega = exp(psi)^T omega_r + T(psi) psi' = sum_k A_k omega_k
template <int N>
struct CosseratRod<N>::Between {
  Lagrange<N> shape;
  Seen seen;
  Vec3 p, psi;
  Mat3 E, R, T;
  std::array<Mat3, N> A;
  std::array<Mat3, Local::others> T_i;  ///< T^-1(psi_i)

  Between(const CosseratRod& rod, int element, double u, const double* q)
      : shape(u), seen(rod.see(element, q)), p(zero3), psi(zero3) {
    constexpr int r = Local::reference;
    for (int k = 0; k < N; ++k)
      p += shape.value[k] * RigidBody::position(q + 7 * (rod.first_node(element) + k));
    for (int i = 0; i < Local::others; ++i) psi += n(i) * psi_i(i);
    E = exp_so3(psi);
    R = seen.R * E;
    T = tangent_so3(psi);
    A[r] = E.transpose();
    for (int i = 0; i < Local::others; ++i) {
      T_i[i] = inverse_tangent_so3(psi_i(i));
      A[Local::node(i)] = n(i) * T * T_i[i];
      A[r] -= n(i) * T * T_i[i].transpose();
    }
  }
  double n(int i) const { return shape.value[Local::node(i)]; }
  Vec3 psi_i(int i) const { return seen.y.template segment<3>(6 * i + 3); }
  Vec3 rate_i(int i, const double* v) const {
    return T_i[i] * RigidBody::spin(v + 6 * Local::node(i)) -
           T_i[i].transpose() * RigidBody::spin(v + 6 * Local::reference);
  }
  /// d(psi_i')/dpsi_i at constant velocities
  Mat3 rate_gradient_i(int i, const double* v) const {
    return inverse_tangent_so3_derivative(psi_i(i), RigidBody::spin(v + 6 * Local::node(i))) -
           inverse_left_tangent_so3_derivative(psi_i(i), RigidBody::spin(v + 6 * Local::reference));
  }
  Vec3 spin(const double* v) const {
    Vec3 omega = zero3;
    for (int k = 0; k < N; ++k) omega += A[k] * RigidBody::spin(v + 6 * k);
    return omega;
  }
  /// d(omega)/dpsi_i at constant velocities: through psi and through psi_i' alone.
  std::pair<Mat3, std::array<Mat3, Local::others>> spin_gradient(const double* v) const {
    Vec3 rate = zero3;
    std::array<Mat3, Local::others> own;
    for (int i = 0; i < Local::others; ++i) {
      rate += n(i) * rate_i(i, v);
      own[i] = n(i) * T * rate_gradient_i(i, v);
    }
    const Vec3 base = E.transpose() * RigidBody::spin(v + 6 * Local::reference);
    return {hat(base) * T + tangent_so3_derivative(psi, rate), own};
  }
};

template <int N>
FramePose CosseratRod<N>::interpolate(int element, double u, const double* q) const {
  const Between at(*this, element, u, q);
  return {at.R, at.p};
}

template <int N>
void CosseratRod<N>::frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                           Vec6& bias, Eigen::Ref<Mat6X> J) const {
  if (f.node >= 0) {
    RigidBody::frame({f.R, f.s}, q + 7 * f.node, v + 6 * f.node, pose, twist, bias, J);
    return;
  }
  const Between at(*this, f.element, f.u, q);
  v += 6 * first_node(f.element);
  const Vec3 arm = at.R * f.s, omega = at.spin(v);
  pose = {at.R * f.R, at.p + arm};
  Vec3 velocity = zero3;
  for (int k = 0; k < N; ++k) {
    const double n = at.shape.value[k];
    const Mat3 turn = at.R * at.A[k];
    velocity += n * RigidBody::velocity(v + 6 * k);
    J.template middleCols<6>(6 * k) << n * identity3, -hat(arm) * turn, zero33, turn;
  }
  const Vec3 omega_W = at.R * omega;
  twist << velocity + omega_W.cross(arm), omega_W;

  const auto [through_psi, own] = at.spin_gradient(v);
  Vec3 alpha = zero3;  // omega' at constant velocities of the nodes
  for (int i = 0; i < Local::others; ++i) alpha += (at.n(i) * through_psi + own[i]) * at.rate_i(i, v);
  const Vec3 alpha_W = at.R * alpha;
  bias << alpha_W.cross(arm) + omega_W.cross(omega_W.cross(arm)), alpha_W;
}

/// J^T w = (n_k f, A_k^T mu) with mu = R^T m + s x R^T f, the wrench seen from the section.
template <int N>
void CosseratRod<N>::frame_stiffness(const Frame& f, const double* q, const Vec6& wrench,
                                     Eigen::Ref<MatrixX> K) const {
  if (f.node >= 0) {
    RigidBody::frame_stiffness({f.R, f.s}, q + 7 * f.node, wrench, K);
    return;
  }
  const Between at(*this, f.element, f.u, q);
  constexpr int r = Local::reference;
  const Vec3 force = at.R.transpose() * wrench.head<3>(), moment = at.R.transpose() * wrench.tail<3>();
  const Vec3 mu = moment + f.s.cross(force), back = at.T.transpose() * mu;
  const Mat3 turned = hat(moment) + hat(f.s) * hat(force);  // d mu / d(rotation of the section)
  const Mat3 of_back = left_tangent_so3_derivative(at.psi, mu);
  for (int k = 0; k < N; ++k)
    for (int j = 0; j < N; ++j)
      K.template block<3, 3>(6 * k + 3, 6 * j + 3) += at.A[k].transpose() * turned * at.A[j];
  // A_k at constant mu, as a function of psi_j, which the nodes j and r turn.
  const auto add = [&](int k, int j, const Mat3& D) {
    const Mat3& T_j = at.T_i[j];
    K.template block<3, 3>(6 * k + 3, 6 * Local::node(j) + 3) += D * T_j;
    K.template block<3, 3>(6 * k + 3, 6 * r + 3) -= D * T_j.transpose();
  };
  for (int j = 0; j < Local::others; ++j) add(r, j, -at.n(j) * at.E * hat(mu) * at.T);
  for (int i = 0; i < Local::others; ++i) {
    const Mat3& T_i = at.T_i[i];
    add(Local::node(i), i, at.n(i) * inverse_left_tangent_so3_derivative(at.psi_i(i), back));
    add(r, i, -at.n(i) * inverse_tangent_so3_derivative(at.psi_i(i), back));
    for (int j = 0; j < Local::others; ++j) {
      add(Local::node(i), j, at.n(i) * at.n(j) * T_i.transpose() * of_back);
      add(r, j, -at.n(i) * at.n(j) * T_i * of_back);
    }
  }
}

template <int N>
void CosseratRod<N>::velocity_gradient(const Frame& f, const double* q, const double* v,
                                       Eigen::Ref<Mat6X> gradient) const {
  if (f.node >= 0) {
    RigidBody::velocity_gradient({f.R, f.s}, q + 7 * f.node, v + 6 * f.node, gradient);
    return;
  }
  const Between at(*this, f.element, f.u, q);
  v += 6 * first_node(f.element);
  constexpr int r = Local::reference;
  const auto [through_psi, own] = at.spin_gradient(v);
  const Vec3 omega = at.spin(v);
  std::array<Mat3, N> change;  // of omega with the rotation of each node
  for (int k = 0; k < N; ++k) change[k] = -hat(omega) * at.A[k];
  for (int i = 0; i < Local::others; ++i) {
    const Mat3 D = at.n(i) * through_psi + own[i];
    const Mat3& T_i = at.T_i[i];
    change[Local::node(i)] += D * T_i;
    change[r] -= D * T_i.transpose();
  }
  gradient.setZero();
  for (int k = 0; k < N; ++k) {  // of R omega, and of R (omega x s)
    const Mat3& c = change[k];
    const Mat3& A = at.A[k];
    gradient.template block<3, 3>(3, 6 * k + 3) = at.R * c;
    gradient.template block<3, 3>(0, 6 * k + 3) =
        -at.R * (hat(f.s) * (c + hat(omega) * A) + hat(omega.cross(f.s)) * A);
  }
}

template <int N>
void CosseratRod<N>::apply_inverse_tangent(const Frame& f, const double* x, Eigen::Ref<Mat6X> J) const {
  const int first = f.node >= 0 ? f.node : first_node(f.element), count = f.node >= 0 ? 1 : N;
  for (int k = 0; k < count; ++k) {
    auto columns = J.template middleCols<6>(6 * k);
    RigidBody::apply_inverse_tangent({}, x + 6 * (first + k), columns);
  }
}

template <int N>
BodyMotion CosseratRod<N>::motion(const double* q, const double* v, const double* a) const {
  BodyMotion m;
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6 * N> J(6, reference_.node >= 0 ? 6 : 6 * N);
  Vec6 bias;
  frame(reference_, q, v, m.pose, m.twist, bias, J);
  const int first = reference_.node >= 0 ? reference_.node : first_node(reference_.element);
  m.acceleration = bias + J * Eigen::Map<const VectorX>(a + 6 * first, J.cols());
  return m;
}

// The rest of the rod is instantiated where it is defined.
template FramePose CosseratRod<2>::interpolate(int, double, const double*) const;
template void CosseratRod<2>::frame(const Frame&, const double*, const double*, FramePose&, Vec6&, Vec6&,
                                    Eigen::Ref<Mat6X>) const;
template void CosseratRod<2>::frame_stiffness(const Frame&, const double*, const Vec6&,
                                              Eigen::Ref<MatrixX>) const;
template void CosseratRod<2>::velocity_gradient(const Frame&, const double*, const double*,
                                                Eigen::Ref<Mat6X>) const;
template void CosseratRod<2>::apply_inverse_tangent(const Frame&, const double*, Eigen::Ref<Mat6X>) const;
template BodyMotion CosseratRod<2>::motion(const double*, const double*, const double*) const;
template FramePose CosseratRod<3>::interpolate(int, double, const double*) const;
template void CosseratRod<3>::frame(const Frame&, const double*, const double*, FramePose&, Vec6&, Vec6&,
                                    Eigen::Ref<Mat6X>) const;
template void CosseratRod<3>::frame_stiffness(const Frame&, const double*, const Vec6&,
                                              Eigen::Ref<MatrixX>) const;
template void CosseratRod<3>::velocity_gradient(const Frame&, const double*, const double*,
                                                Eigen::Ref<Mat6X>) const;
template void CosseratRod<3>::apply_inverse_tangent(const Frame&, const double*, Eigen::Ref<Mat6X>) const;
template BodyMotion CosseratRod<3>::motion(const double*, const double*, const double*) const;

}  // namespace hooke
