#include "hooke/bodies/cosserat_rod.h"

#include "hooke/math/se3.h"

namespace hooke {
namespace {

template <int N>
constexpr std::array<Lagrange<N>, N - 1> shapes_at_points() {
  const auto& rule = gauss_legendre<N - 1>;
  if constexpr (N == 2)
    return {Lagrange<2>(0.5 + 0.5 * rule.points[0])};
  else
    return {Lagrange<3>(0.5 + 0.5 * rule.points[0]), Lagrange<3>(0.5 + 0.5 * rule.points[1])};
}

/// Shape functions at the Gauss points, and the points' shares of the length.
template <int N>
constexpr auto shapes = shapes_at_points<N>();
template <int N>
constexpr double share(int g) {
  return 0.5 * gauss_legendre<N - 1>.weights[g];
}

/// m (|d|^2 I - d d^T)
Mat3 steiner(double m, const Vec3& d) { return m * (d.squaredNorm() * identity3 - d * d.transpose()); }

}  // namespace

template <int N>
double CosseratRod<N>::mass_share(int i, int j) {
  if constexpr (N == 2) {
    return i == j ? 1.0 / 3 : 1.0 / 6;
  } else {
    constexpr double thirtieths[3][3] = {{4, 2, -1}, {2, 16, 2}, {-1, 2, 4}};
    return thirtieths[i][j] / 30;
  }
}

// --- geometry

template <int N>
CosseratRod<N>::CosseratRod(const Section& section, double length, int elements, const Vec3& curvature)
    : section_(section),
      curvature_(curvature),
      length_(length),
      damped_(!section.damping.isZero(0)),
      eccentric_(!section.centre.isZero(0)),
      inertia_(section.inertia - steiner(section.mass, section.centre)) {
  const int last = (N - 1) * elements;
  for (int i = 0; i <= last; ++i) rest_.push_back(section_at(length * i / last));
  node_weight_.assign(rest_.size(), 0.0);
  const double h = length / elements;
  rest_strain_.resize(static_cast<std::size_t>(elements));
  VectorX q(nq()), v(nv());
  place({}, zero6, q.data(), v.data());
  for (int e = 0; e < elements; ++e) {
    for (int i = 0; i < N; ++i)
      node_weight_[first_node(e) + i] += h * (N == 2 ? 1.0 / 2 : i == 1 ? 2.0 / 3 : 1.0 / 6);
    const Seen seen = see(e, q.data());
    for (int g = 0; g < Local::points; ++g)
      rest_strain_[e][g] = RodStrain<N>(shapes<N>[g], h, seen.y).strain();
  }
  reference_ = attach({}, 0.5 * length);
}

template <int N>
FramePose CosseratRod<N>::section_at(double arc) const {
  Vec6 twist;
  twist << unit_z, curvature_;
  const RigidMotion H = exp_se3((arc - 0.5 * length_) * twist);
  return {H.R, H.p};
}

/// Golden section between the nearest of many samples.
template <int N>
double CosseratRod<N>::nearest_arc(const Vec3& point) const {
  const auto distance = [&](double arc) { return (section_at(arc).p - point).norm(); };
  if (curvature_.isZero(0)) return std::clamp(point.z() + 0.5 * length_, 0.0, length_);
  const int samples = 20 * elements();
  int best = 0;
  for (int i = 1; i <= samples; ++i)
    if (distance(length_ * i / samples) < distance(length_ * best / samples)) best = i;
  double low = length_ * std::max(best - 1, 0) / samples,
         high = length_ * std::min(best + 1, samples) / samples;
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 60; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (distance(a) < distance(b) ? high : low) = distance(a) < distance(b) ? b : a;
  }
  return 0.5 * (low + high);
}

template <int N>
typename CosseratRod<N>::Frame CosseratRod<N>::attach(const FramePose& X_BF, double arc) const {
  Frame f;
  const double at = std::clamp(arc / length_, 0.0, 1.0), by_node = at * (nodes() - 1);
  FramePose section;
  if (std::abs(by_node - std::round(by_node)) < 1e-7) {
    f.node = static_cast<int>(std::round(by_node));
    section = rest_[f.node];
  } else {
    f.element = std::min(static_cast<int>(at * elements()), elements() - 1);
    f.u = at * elements() - f.element;
    VectorX q(nq()), v(nv());
    place({}, zero6, q.data(), v.data());
    section = interpolate(f.element, f.u, q.data());
  }
  const FramePose X_SF = inverse(section) * X_BF;
  f.R = X_SF.R;
  f.s = X_SF.p;
  return f;
}

template <int N>
std::vector<std::pair<int, int>> CosseratRod<N>::couplings() const {
  std::vector<std::pair<int, int>> pairs;
  for (int e = 0; e < elements(); ++e) {
    const int n = first_node(e);
    pairs.emplace_back(n, n + 1);
    if constexpr (N == 3) pairs.insert(pairs.end(), {{n + 1, n + 2}, {n, n + 2}});
  }
  return pairs;
}

template <int N>
std::vector<FrameEntry> CosseratRod<N>::frame_entries(const Frame& f) const {
  if (f.node >= 0) return {{f.node, 6 * f.node, 6, 0}};
  std::vector<FrameEntry> entries;
  for (int i = 0, n = first_node(f.element); i < N; ++i) entries.push_back({n + i, 6 * (n + i), 6, 6 * i});
  return entries;
}

// --- configuration

template <int N>
void CosseratRod<N>::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  const Vec3 omega = twist.tail<3>();
  for (int i = 0; i < nodes(); ++i) {
    const FramePose& X = rest_[i];
    RigidBody::position(q + 7 * i) = pose.p + pose.R * X.p;
    RigidBody::set_orientation(q + 7 * i, Quat(pose.R * X.R));
    RigidBody::velocity(v + 6 * i) = twist.head<3>() + pose.R * omega.cross(X.p);
    RigidBody::spin(v + 6 * i) = X.R.transpose() * omega;
  }
}
template <int N>
void CosseratRod<N>::plus(const double* q, const double* x, double* result) const {
  for (int i = 0; i < nodes(); ++i) RigidBody::plus(q + 7 * i, x + 6 * i, result + 7 * i);
}
template <int N>
void CosseratRod<N>::minus(const double* q1, const double* q0, double* x) const {
  for (int i = 0; i < nodes(); ++i) RigidBody::minus(q1 + 7 * i, q0 + 7 * i, x + 6 * i);
}
template <int N>
void CosseratRod<N>::inverse_tangent(const double* x, const double* v, double* result) const {
  for (int i = 0; i < nodes(); ++i) RigidBody::inverse_tangent(x + 6 * i, v + 6 * i, result + 6 * i);
}
template <int N>
void CosseratRod<N>::scale(double length, double* dof_scale) const {
  for (int i = 0; i < nodes(); ++i) RigidBody::scale(length, dof_scale + 6 * i);
}
template <int N>
std::string CosseratRod<N>::dof_name(int i) const {
  return "node " + std::to_string(i / 6) + ", " + RigidBody::dof_name(i % 6);
}

// --- elements

/// x_i = R_r^T (p_i - p_r),  psi_i = log(R_r^T R_i):
///   dx_i = R_r^T (dp_i - dp_r) + x_i x dtheta_r,   dpsi_i = T^-1(psi_i) dtheta_i - T^-T(psi_i) dtheta_r
template <int N>
typename CosseratRod<N>::Seen CosseratRod<N>::see(int element, const double* q) const {
  q += 7 * first_node(element);
  constexpr int r = Local::reference;
  const double* q_r = q + 7 * r;
  const Quat back = RigidBody::orientation(q_r).conjugate();
  Seen seen;
  seen.R = RigidBody::rotation(q_r);
  seen.J.setZero();
  for (int i = 0; i < Local::others; ++i) {
    const int n = Local::node(i);
    const Vec3 x = seen.R.transpose() * (RigidBody::position(q + 7 * n) - RigidBody::position(q_r));
    const Vec3 psi = log_so3(Quat(back * RigidBody::orientation(q + 7 * n)));
    const Mat3 T = inverse_tangent_so3(psi);
    seen.y.template segment<6>(6 * i) << x, psi;
    seen.J.template block<3, 3>(6 * i, 6 * n) = seen.R.transpose();
    seen.J.template block<3, 3>(6 * i, 6 * r) = -seen.R.transpose();
    seen.J.template block<3, 3>(6 * i, 6 * r + 3) = hat(x);
    seen.J.template block<3, 3>(6 * i + 3, 6 * n + 3) = T;
    seen.J.template block<3, 3>(6 * i + 3, 6 * r + 3) = -T.transpose();
  }
  return seen;
}

template <int N>
Vec6 CosseratRod<N>::stress(const Vec6& strain, const typename Local::Strains& gradient,
                            const typename Local::Vector& rate) const {
  Vec6 stress = section_.stiffness * strain;
  if (damped_) stress.noalias() += section_.damping * (gradient * rate);
  return stress;
}

template <int N>
SectionValues CosseratRod<N>::section(int i, const double* q, const double* v) const {
  const int element = i / Local::points, g = i % Local::points;
  const auto [strain, stress] = strain_and_stress(element, g, q, v);
  const double u = 0.5 + 0.5 * gauss_legendre<Local::points>.points[g];
  return {element_length() * (element + u), strain, stress};
}

template <int N>
std::pair<Vec6, Vec6> CosseratRod<N>::strain_and_stress(int element, int g, const double* q,
                                                        const double* v) const {
  const Seen seen = see(element, q);
  const RodStrain<N> at(shapes<N>[g], element_length(), seen.y);
  const ElementVector v_e = Eigen::Map<const ElementVector>(v + 6 * first_node(element));
  const Vec6 strain = at.strain() - rest_strain_[element][g];
  return {strain, stress(strain, at.gradient(), seen.J * v_e)};
}

template <int N>
void CosseratRod<N>::add_residual(const double* q, const double* v, const double* a, const Vec3& gravity,
                                  double* r) const {
  for (int n = 0; n < nodes(); ++n) {
    const Vec3 omega = RigidBody::spin(v + 6 * n);
    const Mat3 J = weight(n) * inertia_;
    RigidBody::spin(r + 6 * n) += J * RigidBody::spin(a + 6 * n) + omega.cross(J * omega);
  }
  const double h = element_length();
  for (int e = 0; e < elements(); ++e) {
    add_inertia(e, q, v, a, gravity, r);
    const Seen seen = see(e, q);
    typename Local::Vector force = Local::Vector::Zero(), rate;
    if (damped_) rate.noalias() = seen.J * Eigen::Map<const ElementVector>(v + 6 * first_node(e));
    for (int g = 0; g < Local::points; ++g) {
      const RodStrain<N> at(shapes<N>[g], h, seen.y);
      const typename Local::Strains B = at.gradient();
      const Vec6 s = stress(at.strain() - rest_strain_[e][g], B, rate);
      force.noalias() += B.transpose() * (share<N>(g) * h * s);
    }
    Eigen::Map<ElementVector>(r + 6 * first_node(e)).noalias() += seen.J.transpose() * force;
  }
}

/// k d(J^T force)/dq at constant local force.
template <int N>
void CosseratRod<N>::add_element_stiffness(const Seen& seen, const typename Local::Vector& force, double k,
                                           ElementMatrix& K) const {
  constexpr int r = 6 * Local::reference;
  for (int i = 0; i < Local::others; ++i) {
    const int n = 6 * Local::node(i);
    const Vec3 f = k * force.template segment<3>(6 * i), m = k * force.template segment<3>(6 * i + 3);
    const Vec3 psi = seen.y.template segment<3>(6 * i + 3);
    const Mat3 f_hat = hat(f), turned = seen.R * f_hat;
    K.template block<3, 3>(n, r + 3) -= turned;
    K.template block<3, 3>(r, r + 3) += turned;
    K.template middleRows<3>(r + 3).noalias() += f_hat * seen.J.template middleRows<3>(6 * i);
    K.template middleRows<3>(n + 3).noalias() +=
        inverse_left_tangent_so3_derivative(psi, m) * seen.J.template middleRows<3>(6 * i + 3);
    K.template middleRows<3>(r + 3).noalias() -=
        inverse_tangent_so3_derivative(psi, m) * seen.J.template middleRows<3>(6 * i + 3);
  }
}

/// d(J v)/dq at constant v.
template <int N>
typename CosseratRod<N>::LocalJacobian CosseratRod<N>::rate_gradient(const Seen& seen,
                                                                     const double* v) const {
  constexpr int r = Local::reference;
  const Vec3 omega_r = RigidBody::spin(v + 6 * r);
  LocalJacobian D;
  for (int i = 0; i < Local::others; ++i) {
    const int n = Local::node(i);
    const Vec3 psi = seen.y.template segment<3>(6 * i + 3);
    const Vec3 along = seen.R.transpose() * (RigidBody::velocity(v + 6 * n) - RigidBody::velocity(v + 6 * r));
    D.template middleRows<3>(6 * i).noalias() = -hat(omega_r) * seen.J.template middleRows<3>(6 * i);
    D.template block<3, 3>(6 * i, 6 * r + 3) += hat(along);
    D.template middleRows<3>(6 * i + 3).noalias() =
        (inverse_tangent_so3_derivative(psi, RigidBody::spin(v + 6 * n)) -
         inverse_left_tangent_so3_derivative(psi, omega_r)) *
        seen.J.template middleRows<3>(6 * i + 3);
  }
  return D;
}

template <int N>
void CosseratRod<N>::add_element_tangent(int element, const double* q, const double* v, const Weights& w,
                                         const double* x, ElementMatrix& C) const {
  const double h = element_length();
  const int first = first_node(element);
  const Seen seen = see(element, q);
  typename Local::Vector force = Local::Vector::Zero(), rate;
  typename Local::Matrix K = Local::Matrix::Zero(), D = Local::Matrix::Zero();
  if (damped_) rate.noalias() = seen.J * Eigen::Map<const ElementVector>(v + 6 * first);
  for (int g = 0; g < Local::points; ++g) {
    const double share_h = share<N>(g) * h;
    const RodStrain<N> at(shapes<N>[g], h, seen.y);
    const typename Local::Strains B = at.gradient();
    const Vec6 s = stress(at.strain() - rest_strain_[element][g], B, rate);
    force.noalias() += B.transpose() * (share_h * s);
    const typename Local::Strains CB = share_h * section_.stiffness * B;
    K.noalias() += B.transpose() * CB;
    at.add_hessian(s, share_h, K);
    if (damped_) {
      const Eigen::Matrix<double, Local::size, 6> BtC = share_h * B.transpose() * section_.damping;
      D.noalias() += BtC * B;
      K.noalias() += BtC * at.rate_gradient(rate);
    }
  }
  // Fixed sizes beyond 8 go to Eigen's blocked product, which takes twice the time here.
  LocalJacobian KJ = (w.k * K).lazyProduct(seen.J);
  if (damped_) {
    LocalJacobian change = w.d * seen.J;  // of the rate with an increment of q
    if (x)
      for (int i = 0; i < N; ++i) {
        const Mat3 T = inverse_tangent_so3(RigidBody::spin(x + 6 * (first + i)));
        const Eigen::Matrix<double, Local::size, 3> turning = change.template middleCols<3>(6 * i + 3) * T;
        change.template middleCols<3>(6 * i + 3) = turning;
      }
    change += w.k * rate_gradient(seen, v + 6 * first);
    KJ += D.lazyProduct(change);
  }
  C += seen.J.transpose().lazyProduct(KJ);
  add_element_stiffness(seen, force, w.k, C);
}

/// Acceleration of a node's mass centre less gravity: p'' + R (alpha x c + omega x (omega x c)) - g
template <int N>
Vec3 CosseratRod<N>::centre_acceleration(const double* q, const double* v, const double* a,
                                         const Vec3& gravity) const {
  const Vec3 fall = RigidBody::velocity(a) - gravity, c = section_.centre;
  if (!eccentric_) return fall;
  const Vec3 omega = RigidBody::spin(v), alpha = RigidBody::spin(a);
  return fall + RigidBody::rotation(q) * (alpha.cross(c) + omega.cross(omega.cross(c)));
}

template <int N>
void CosseratRod<N>::add_inertia(int element, const double* q, const double* v, const double* a,
                                 const Vec3& gravity, double* r) const {
  const int first = first_node(element);
  const double m = section_.mass * element_length();
  std::array<Vec3, N> u;
  for (int j = 0; j < N; ++j)
    u[j] = centre_acceleration(q + 7 * (first + j), v + 6 * (first + j), a + 6 * (first + j), gravity);
  for (int i = 0; i < N; ++i) {
    Vec3 force = zero3;
    for (int j = 0; j < N; ++j) force += m * mass_share(i, j) * u[j];
    RigidBody::velocity(r + 6 * (first + i)) += force;
    if (eccentric_)
      RigidBody::spin(r + 6 * (first + i)) +=
          section_.centre.cross(RigidBody::rotation(q + 7 * (first + i)).transpose() * force);
  }
}

/// The forces on the nodes' mass centres are F_i = sum m_ij u_j, those on the nodes P_i^T F_i with
/// P = [I, -R hat(c)].
template <int N>
void CosseratRod<N>::add_inertia_tangent(int element, const double* q, const double* v, const double* a,
                                         const Vec3& gravity, const Weights& w, const double* x,
                                         ElementMatrix& C) const {
  const int first = first_node(element);
  const double m = section_.mass * element_length();
  if (!eccentric_) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        C.template block<3, 3>(6 * i, 6 * j).diagonal().array() += w.m * m * mass_share(i, j);
    return;
  }
  const Vec3& c = section_.centre;
  const Mat3 c_hat = hat(c);
  std::array<Mat3, N> R;
  std::array<Mat36, N> P, U;  // U: derivative of u with the weights
  std::array<Vec3, N> u;
  for (int j = 0; j < N; ++j) {
    const int k = j;
    const int n = first + j;
    const Vec3 omega = RigidBody::spin(v + 6 * n), alpha = RigidBody::spin(a + 6 * n);
    const Mat3 T = x ? inverse_tangent_so3(RigidBody::spin(x + 6 * n)) : identity3;
    R[k] = RigidBody::rotation(q + 7 * n);
    u[k] = centre_acceleration(q + 7 * n, v + 6 * n, a + 6 * n, gravity);
    P[k] << identity3, -R[k] * c_hat;
    const Mat3 turning = -(w.m * c_hat + w.d * (hat(omega.cross(c)) + hat(omega) * c_hat)) * T -
                         w.k * hat(alpha.cross(c) + omega.cross(omega.cross(c)));
    U[k] << w.m * identity3, R[k] * turning;
  }
  for (int i = 0; i < N; ++i) {
    const int k = i;
    Vec3 force = zero3;
    for (int j = 0; j < N; ++j) {
      const double m_ij = m * mass_share(i, j);
      force += m_ij * u[j];
      C.template block<6, 6>(6 * i, 6 * j).noalias() += m_ij * P[k].transpose() * U[j];
    }
    C.template block<3, 3>(6 * i + 3, 6 * i + 3) += w.k * c_hat * hat(R[k].transpose() * force);
  }
}

template <int N>
void CosseratRod<N>::add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity,
                                 const Weights& w, const double* x, const BodyBlocks& blocks) const {
  for (int n = 0; n < nodes(); ++n) {
    const Vec3 omega = RigidBody::spin(v + 6 * n);
    const Mat3 J = weight(n) * inertia_;
    Mat3 turning = w.m * J + w.d * (hat(omega) * J - hat(J * omega));
    if (x) turning *= inverse_tangent_so3(RigidBody::spin(x + 6 * n));
    blocks.fixed<6, 6>(n).template bottomRightCorner<3, 3>() += turning;
  }
  const bool elastic = w.k != 0 || (w.d != 0 && damped_);
  for (int e = 0; e < elements(); ++e) {
    ElementMatrix C = ElementMatrix::Zero();
    if (elastic) add_element_tangent(e, q, v, w, x, C);
    add_inertia_tangent(e, q, v, a, gravity, w, x, C);
    add_to(blocks, e, C);
  }
}

template <int N>
void CosseratRod<N>::add_to(const BodyBlocks& blocks, int element, const ElementMatrix& C) const {
  const int first = first_node(element);
  for (int i = 0; i < N; ++i) blocks.fixed<6, 6>(first + i) += C.template block<6, 6>(6 * i, 6 * i);
  const auto couple = [&](int number, int i, int j) {
    blocks.fixed<6, 6>(nodes() + 2 * number) += C.template block<6, 6>(6 * i, 6 * j);
    blocks.fixed<6, 6>(nodes() + 2 * number + 1) += C.template block<6, 6>(6 * j, 6 * i);
  };
  if constexpr (N == 2) {
    couple(element, 0, 1);
  } else {
    couple(3 * element, 0, 1);
    couple(3 * element + 1, 1, 2);
    couple(3 * element + 2, 0, 2);
  }
}

/// What the mass does to accelerations it does to velocities: P_i^T sum m_ij P_j v_j.
template <int N>
void CosseratRod<N>::add_momentum(const double* q, const double* v, double* r) const {
  const double m = section_.mass * element_length();
  const Vec3 c = section_.centre;
  for (int n = 0; n < nodes(); ++n)
    RigidBody::spin(r + 6 * n) += weight(n) * inertia_ * RigidBody::spin(v + 6 * n);
  for (int e = 0; e < elements(); ++e)
    for (int i = 0, first = first_node(e); i < N; ++i) {
      Vec3 momentum = zero3;
      for (int j = 0; j < N; ++j) {
        const double* u = v + 6 * (first + j);
        const Mat3 R = RigidBody::rotation(q + 7 * (first + j));
        momentum += m * mass_share(i, j) * (RigidBody::velocity(u) + R * RigidBody::spin(u).cross(c));
      }
      RigidBody::velocity(r + 6 * (first + i)) += momentum;
      if (eccentric_)
        RigidBody::spin(r + 6 * (first + i)) +=
            c.cross(RigidBody::rotation(q + 7 * (first + i)).transpose() * momentum);
    }
}

template <int N>
Power CosseratRod<N>::power(const double* q, const double* v) const {
  Power sum;
  if (!damped_) return sum;
  const double h = element_length();
  for (int e = 0; e < elements(); ++e) {
    const Seen seen = see(e, q);
    const typename Local::Vector rate = seen.J * Eigen::Map<const ElementVector>(v + 6 * first_node(e));
    for (int g = 0; g < Local::points; ++g) {
      const Vec6 strain_rate = RodStrain<N>(shapes<N>[g], h, seen.y).gradient() * rate;
      sum.dissipated += share<N>(g) * h * strain_rate.dot(section_.damping * strain_rate);
    }
  }
  return sum;
}

template <int N>
Energy CosseratRod<N>::energy(const double* q, const double* v, const Vec3& gravity) const {
  Energy sum;
  const double h = element_length();
  for (int n = 0; n < nodes(); ++n) {
    const Vec3 omega = RigidBody::spin(v + 6 * n), p = RigidBody::position(q + 7 * n);
    sum.kinetic += 0.5 * weight(n) * omega.dot(inertia_ * omega);
    sum.potential -=
        weight(n) * section_.mass * gravity.dot(p + RigidBody::rotation(q + 7 * n) * section_.centre);
  }
  for (int e = 0; e < elements(); ++e) {
    std::array<Vec3, N> velocity;  // of the mass centres
    for (int i = 0, n = first_node(e); i < N; ++i, ++n)
      velocity[i] = RigidBody::velocity(v + 6 * n) +
                    RigidBody::rotation(q + 7 * n) * RigidBody::spin(v + 6 * n).cross(section_.centre);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        sum.kinetic += 0.5 * section_.mass * h * mass_share(i, j) * velocity[i].dot(velocity[j]);
    const Seen seen = see(e, q);
    for (int g = 0; g < Local::points; ++g) {
      const Vec6 strain = RodStrain<N>(shapes<N>[g], h, seen.y).strain() - rest_strain_[e][g];
      sum.potential += 0.5 * share<N>(g) * h * strain.dot(section_.stiffness * strain);
    }
  }
  return sum;
}

template <int N>
MassProperties CosseratRod<N>::mass_properties() const {
  MassProperties sum{.mass = section_.mass * length_};
  for (int n = 0; n < nodes(); ++n) {
    const FramePose& X = rest_[n];
    sum.centre += weight(n) / length_ * (X.p + X.R * section_.centre);
  }
  const auto from_centre = [&](int n) -> Vec3 {
    const FramePose& X = rest_[n];
    return X.p + X.R * section_.centre - sum.centre;
  };
  for (int e = 0; e < elements(); ++e)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {  // int |d|^2 I - d d^T, symmetrised by the sum
        const Vec3 d = from_centre(first_node(e) + i), d_j = from_centre(first_node(e) + j);
        sum.inertia += section_.mass * element_length() * mass_share(i, j) *
                       (d.dot(d_j) * identity3 - d * d_j.transpose());
      }
  for (int n = 0; n < nodes(); ++n) {
    const Mat3& R = rest_[n].R;
    sum.inertia += weight(n) * R * inertia_ * R.transpose();
  }
  return sum;
}

template struct CosseratRod<2>;
template struct CosseratRod<3>;

}  // namespace hooke
