#include "bodies/corotational_solid.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bodies/triad.h"
#include "fe/best_fit.h"

namespace hooke {
namespace {

/// Whatever the body is cut into, f(std::integral_constant<nodes>, element).
template <class Function>
void for_each_element(const SolidModel& model, Function&& f) {
  for (const SolidModel::Element& e : model.elements) switch (e.type) {
      case ElementType::hex8:
        f(std::integral_constant<int, 8>(), e);
        break;
      case ElementType::hex20:
        f(std::integral_constant<int, 20>(), e);
        break;
      case ElementType::tet4:
        f(std::integral_constant<int, 4>(), e);
        break;
      case ElementType::tet10:
        f(std::integral_constant<int, 10>(), e);
        break;
    }
}

/// Scratch of the thread, so that a step allocates nothing.
struct Buffers {
  Mat3X u, f, other, arms, products;  ///< the last two: three columns for each node
  void fit(int nodes) {
    for (Mat3X* x : {&u, &f, &other}) x->resize(3, nodes);
    for (Mat3X* x : {&arms, &products}) x->resize(3, 3 * nodes);
  }
};
Buffers& buffers(int nodes) {
  thread_local Buffers of_thread;
  of_thread.fit(nodes);
  return of_thread;
}

Triad triad(const auto& x, const std::array<int, 3>& nodes) {
  return {x.col(nodes[1]) - x.col(nodes[0]), x.col(nodes[2]) - x.col(nodes[0]), Triad::X::along_b};
}

/// Three nodes far from each other.
std::array<int, 3> far_nodes(const Mat3X& x) {
  std::array<int, 3> far{};
  x.colwise().norm().maxCoeff(&far[0]);
  const Mat3X from = x.colwise() - x.col(far[0]);
  from.colwise().norm().maxCoeff(&far[1]);
  const Vec3 along = from.col(far[1]).normalized();
  (from - along * (along.transpose() * from)).colwise().norm().maxCoeff(&far[2]);
  return far;
}

/// Each as far from those before it as can be.
std::vector<int> spread_nodes(const SolidModel& model, std::vector<int> set, std::size_t count) {
  std::vector<int> chosen{set.front()};
  std::vector<double> distance(set.size(), std::numeric_limits<double>::infinity());
  while (chosen.size() < count) {
    for (std::size_t k = 0; k < set.size(); ++k)
      distance[k] =
          std::min(distance[k], (model.mesh.nodes[set[k]] - model.mesh.nodes[chosen.back()]).norm());
    chosen.push_back(set[std::max_element(distance.begin(), distance.end()) - distance.begin()]);
  }
  return chosen;
}

}  // namespace

CorotationalSolid::CorotationalSolid(std::shared_ptr<const SolidModel> of)
    : model(std::move(of)), three_nodes(far_nodes(model->arms)) {}

// --- configuration

void CorotationalSolid::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  const Vec3 omega_W = pose.R * twist.tail<3>();
  for (int i = 0; i < model->nodes(); ++i) {
    const Vec3 arm = pose.R * model->mesh.nodes[i];
    Eigen::Map<Vec3>(q + 3 * i) = pose.p + arm;
    Eigen::Map<Vec3>(v + 3 * i) = twist.head<3>() + omega_W.cross(arm);
  }
}

void CorotationalSolid::carry(const double* q, double* x) const {
  const Vec3 from = centre(q), to = from + centre(x);
  Mat3 H = Mat3::Zero();
  for (int i = 0; i < model->nodes(); ++i) {
    const Vec3 arm = nodes_of(q).col(i) - from;
    H += model->weight[i] * (arm + nodes_of(x).col(i)) * arm.transpose();
  }
  const Mat3 R = BestFit::rotation_of(H);
  for (int i = 0; i < model->nodes(); ++i)
    Eigen::Map<Vec3>(x + 3 * i) = to + R * (nodes_of(q).col(i) - from) - nodes_of(q).col(i);
}

void CorotationalSolid::scale(double length, double* dof_scale) const {
  all(dof_scale).setConstant(std::max(length, 2 * model->extent));
}

std::string CorotationalSolid::dof_name(int i) const {
  const Vec3& at = model->mesh.nodes[i / 3];
  return "node " + std::to_string(i / 3 + 1) + " (at rest at " + std::to_string(at.x()) + ", " +
         std::to_string(at.y()) + ", " + std::to_string(at.z()) + "), position " + "xyz"[i % 3];
}

MassProperties CorotationalSolid::mass_properties() const {
  MassProperties p;
  Mat3 second = Mat3::Zero();
  const auto& x = model->mesh.nodes;
  const SparseMatrix& M = model->matrices.M;
  p.mass = model->share.sum();
  for (int i = 0; i < model->nodes(); ++i) p.centre += model->share[i] / p.mass * x[i];
  for (int j = 0; j < model->nodes(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it)
      second += it.value() * (x[it.row()] - p.centre) * (x[j] - p.centre).transpose();
  p.inertia = second.trace() * identity3 - second;
  return p;
}

// --- the component's frame

/// sum of w_i x_i X_i^T; the mean of x drops out.
Mat3 CorotationalSolid::fit_matrix(const double* q) const {
  Mat3 H = Mat3::Zero();
  const Nodes x = nodes_of(q);
  const Vec3 origin = x.col(0);
  for (int i = 0; i < model->nodes(); ++i)
    H += (x.col(i) - origin) * (model->weight[i] * model->arms.col(i)).transpose();
  return H;
}

Mat3 CorotationalSolid::rotation(const double* q, const Mat3& H) const {
  if (fit == FrameFit::best) return BestFit::rotation_of(H);
  return triad(nodes_of(q), three_nodes).R * triad(model->arms, three_nodes).R.transpose();
}

Mat3 CorotationalSolid::rotation(const double* q) const {
  return rotation(q, fit == FrameFit::best ? fit_matrix(q) : Mat3::Zero());
}

Mat3X CorotationalSolid::displacements(const double* q) const {
  const BestFit best(fit_matrix(q));
  return best.R.transpose() * (nodes_of(q).colwise() - centre(q)) - model->arms;
}

BodyMotion CorotationalSolid::motion(const double* q, const double* v, const double* a) const {
  const BestFit best(fit_matrix(q));
  Vec3 spin = zero3, turning = zero3;
  Mat3 S_v = Mat3::Zero();
  for (int i = 0; i < model->nodes(); ++i) {
    const Vec3 arm = best.R * model->arms.col(i);
    const double w = model->weight[i];
    spin += w * arm.cross(nodes_of(v).col(i));
    turning += w * arm.cross(nodes_of(a).col(i));
    S_v += w * nodes_of(v).col(i) * arm.transpose();
  }
  const Vec3 omega = best.inverse_A * spin, arm = -(best.R * model->centre);
  const Vec3 bias = (S_v + S_v.transpose() + best.S * hat(omega)) * omega - 2 * S_v.trace() * omega;
  const Vec3 alpha = best.inverse_A * (turning + bias);
  BodyMotion m;
  m.pose = {best.R, centre(q) + arm};
  m.twist << centre(v) + omega.cross(arm), omega;
  m.acceleration << centre(a) + alpha.cross(arm) + omega.cross(omega.cross(arm)), alpha;
  return m;
}

// --- forces of a component

void CorotationalSolid::deform(const double* q, const Mat3& R, Mat3X& u) const {
  u.noalias() = R.transpose() * (nodes_of(q).colwise() - centre(q));
  u -= model->arms;
}

void CorotationalSolid::elastic_force(const Mat3X& u, Mat3X& f) const {
  f.setZero();
  model->add_stiffness_product(u.data(), f.data());
}

void CorotationalSolid::add_component_forces(const double* q, const double* v, double* r) const {
  auto& [u, f, rate, arms, products] = buffers(model->nodes());
  const Mat3 H = fit_matrix(q), R = rotation(q, H);
  deform(q, R, u);
  elastic_force(u, f);
  Eigen::Map<Mat3X> force(r, 3, model->nodes());
  if (consistent) {  // -Omega^T sum x_i x f_i, small of second order
    Vec3 moment = zero3;
    for (int i = 0; i < model->nodes(); ++i) moment += Vec3(u.col(i) + model->arms.col(i)).cross(f.col(i));
    moment = R * moment;
    if (fit == FrameFit::best) {
      const Vec3 spread = BestFit(H, R).inverse_A * moment;
      for (int i = 0; i < model->nodes(); ++i)
        force.col(i) += model->weight[i] * Vec3(R * model->arms.col(i)).cross(spread);
    } else {
      const Vec6 shares = triad(nodes_of(q), three_nodes).Omega.transpose() * moment;
      force.col(three_nodes[1]) -= shares.head<3>();
      force.col(three_nodes[2]) -= shares.tail<3>();
      force.col(three_nodes[0]) += shares.head<3>() + shares.tail<3>();
    }
  }
  if (stiffness_damping != 0) {
    rate.noalias() = R.transpose() * (stiffness_damping * nodes_of(v));
    model->add_stiffness_product(rate.data(), f.data());
  }
  for (int i = 0; i < model->nodes(); ++i) force.col(i) += R * f.col(i);
}

/// The matrix of a component with how its frame turns. In the body's axes, with n = K u, S_i = -hat(x_i),
/// N_i = hat(n_i), P = I - S Omega and m = sum x_i x n_i (of second order, its derivatives dropped),
///
///   df = P^T K P dx - Omega^T N^T P dx - N Omega dx
///      = [K - W Omega - Omega^T W^T + Omega^T (S^T K S + N^T S) Omega] dx,        W = K S + N
///
/// and K - W Omega for the simplified force. A load l that follows the body adds -hat(l) Omega dx.
void CorotationalSolid::write_turned(const double* q, double mass, double stiffness, double elastic,
                                     TurnedBody& turned) const {
  const int n = model->nodes();
  if (!turned.matrices || turned.mass != mass || turned.stiffness != stiffness)
    turned.harmless = 1e-4 * model->extent;
  turned.matrices = &model->matrices;
  turned.mass = mass, turned.stiffness = stiffness;
  auto& [u, f, follower, arms, products] = buffers(n);
  const Mat3 H = fit_matrix(q), R = rotation(q, H);
  turned.R = R;
  turned.frame_matters = false;
  if (elastic == 0) return;
  deform(q, R, u);
  const double size = std::sqrt(u.colwise().squaredNorm().maxCoeff());
  turned.frame_matters = size > turned.harmless;
  if (!turned.frame_matters) return;

  turned.U.resize(3 * n, 6);
  auto Omega_t = turned.U.leftCols<3>();
  auto W = turned.U.rightCols<3>();
  const Mat3 best = fit == FrameFit::best ? R : BestFit::rotation_of(H);
  const Mat3 inverse_A = R.transpose() * BestFit(H, best).inverse_A * R;
  if (fit == FrameFit::best) {
    for (int i = 0; i < n; ++i)
      Omega_t.middleRows<3>(3 * i) = (inverse_A * (model->weight[i] * hat(model->arms.col(i)))).transpose();
  } else {
    const Mat36 of_sides = R.transpose() * triad(nodes_of(q), three_nodes).Omega;
    const Mat3 first = of_sides.leftCols<3>() * R, second = of_sides.rightCols<3>() * R;
    Omega_t.setZero();
    Omega_t.middleRows<3>(3 * three_nodes[1]) = first.transpose();
    Omega_t.middleRows<3>(3 * three_nodes[2]) = second.transpose();
    Omega_t.middleRows<3>(3 * three_nodes[0]) = -(first + second).transpose();
  }
  elastic_force(u, f);
  for (int i = 0; i < n; ++i) arms.middleCols<3>(3 * i) = -hat(u.col(i));  // K hat(X) = 0
  products.setZero();
  model->add_stiffness_products(arms.data(), products.data());  // K S
  Mat3 bending = Mat3::Zero(), E = Mat3::Zero();                // S^T K S; and N^T S with it
  for (int i = 0; i < n; ++i) {
    const Mat3 N = hat(f.col(i)), S = arms.middleCols<3>(3 * i), KS = products.middleCols<3>(3 * i);
    bending += S.transpose() * KS;
    E += N.transpose() * (S - hat(model->arms.col(i)));
    W.middleRows<3>(3 * i) = KS + N;
  }
  // Beside the inertia against turning: what the constant matrix alone would leave in an iteration, roughly.
  turned.frame_matters =
      elastic * ((inverse_A * bending).trace() + (inverse_A * E).norm()) > 0.01 * mass * model->share.sum();
  if (!turned.frame_matters) turned.harmless = 1.1 * size;
  E += bending;
  turned.B << 0.5 * (E + E.transpose()), -identity3, -identity3, zero33;
  if (!consistent) turned.B << zero33, zero33, -identity3, zero33;
  turned.B *= elastic;
  if (follower_pressures.empty()) return;
  turned.V = turned.U;
  follower.setZero();
  add_follower_forces(q, 1, follower);
  for (int i = 0; i < n; ++i) W.middleRows<3>(3 * i) += hat(R.transpose() * follower.col(i));
}

// --- forces of an element

/// An element in the world: its rotation, how that follows the nodes, and the force R K u of deformation and
/// damping.
template <int N>
struct CorotationalSolid::SeenElement {
  static constexpr std::array<int, 3> corners{0, 1, 2};
  using Points = Eigen::Matrix<double, 3, N>;
  using Vector = Eigen::Matrix<double, 3 * N, 1>;
  using Matrix = Eigen::Matrix<double, 3 * N, 3 * N>;
  using Turns = Eigen::Matrix<double, 3, 3 * N>;

  const CorotationalSolid& body;
  const int* node;
  Eigen::Map<const Matrix> K;
  Points X, x, arms;  ///< at rest, now (each from its mean); R X
  Mat3 R, H;

  SeenElement(const CorotationalSolid& of, const SolidModel::Element& e, const double* q)
      : body(of),
        node(of.model->mesh.connectivity.data() + e.first),
        K(of.model->element_stiffness[e.stiffness].data()),
        X(gather(of.model->arms.data())),
        x(gather(q)) {
    X.colwise() -= X.rowwise().mean().eval();
    x.colwise() -= x.rowwise().mean().eval();
    H.noalias() = (1.0 / N) * x * X.transpose();
    R = of.fit == FrameFit::best ? BestFit::rotation_of(H)
                                 : Mat3(triad(x, corners).R * triad(X, corners).R.transpose());
    arms.noalias() = R * X;
  }

  Points gather(const double* from) const {
    Points points;
    for (int a = 0; a < N; ++a) points.col(a) = Eigen::Map<const Vec3>(from + 3 * node[a]);
    return points;
  }
  /// R K R^T z
  Points stiffness_times(const Points& z) const {
    Points local;
    local.noalias() = R.transpose() * z;
    Points force;
    Eigen::Map<Vector>(force.data()).noalias() = K * Eigen::Map<const Vector>(local.data());
    return R * force;
  }
  Points elastic_force() const { return stiffness_times(x - arms); }
  Vec3 moment(const Points& force) const {
    Vec3 sum = zero3;
    for (int a = 0; a < N; ++a) sum += Vec3(x.col(a)).cross(force.col(a));
    return sum;
  }
  /// omega = Omega v
  Turns turns() const {
    Turns Omega;
    if (body.fit == FrameFit::best) {
      const Mat3 inverse_A = BestFit(H, R).inverse_A / N;
      for (int a = 0; a < N; ++a) Omega.template middleCols<3>(3 * a) = inverse_A * hat(arms.col(a));
    } else {
      const Mat36 of_sides = triad(x, corners).Omega;
      Omega.setZero();
      Omega.template middleCols<6>(3) = of_sides;
      Omega.template leftCols<3>() = -of_sides.leftCols<3>() - of_sides.rightCols<3>();
    }
    return Omega;
  }
  /// D += factor d(Omega^T mu)/dx
  void add_moment_gradient(const Vec3& mu, double factor, const Turns& Omega, Matrix& D) const {
    if (body.fit == FrameFit::best)
      return BestFit(H, R).add_moment_gradient(mu, factor, Omega,
                                               Eigen::Matrix<double, N, 1>::Constant(1.0 / N), arms, D);
    const Mat6 of_sides = factor * triad(x, corners).moment_gradient(mu);
    Eigen::Matrix<double, 6, 9> sides = Eigen::Matrix<double, 6, 9>::Zero();  // b = x_1 - x_0, c = x_2 - x_0
    sides.template rightCols<6>().setIdentity();
    sides.template block<3, 3>(0, 0) = sides.template block<3, 3>(3, 0) = -identity3;
    D.template topLeftCorner<9, 9>() += sides.transpose() * of_sides * sides;
  }
};

template <int N>
void CorotationalSolid::add_element_forces(const SolidModel::Element& e, const double* q, const double* v,
                                           double* r) const {
  using Seen = SeenElement<N>;
  const Seen seen(*this, e, q);
  typename Seen::Points force = seen.elastic_force();
  if (consistent) {
    const Eigen::Matrix<double, 3 * N, 1> correction = seen.turns().transpose() * seen.moment(force);
    force -= correction.template reshaped<Eigen::ColMajor>(3, N);
  }
  if (stiffness_damping != 0) force += stiffness_damping * seen.stiffness_times(seen.gather(v));
  for (int a = 0; a < N; ++a) Eigen::Map<Vec3>(r + 3 * seen.node[a]) += force.col(a);
}

/// With K_R = R K R^T, f = K_R (x - R X + b v) and dR = hat(omega) R,
///   df = K_R (dx + b dv) + (K_R hat(x + b v) - hat(f)) omega
/// and for the consistent force, with the elastic f and tau = sum x_i x f_i, less d(Omega^T) tau + Omega^T
/// dtau.
template <int N>
void CorotationalSolid::add_element_tangent(const SolidModel::Element& e, const double* q, const double* v,
                                            double elastic, double damped, const BodyBlocks& blocks) const {
  using Seen = SeenElement<N>;
  using Columns = Eigen::Matrix<double, 3 * N, 3>;
  const Seen seen(*this, e, q);
  typename Seen::Matrix K_R;
  for (int b = 0; b < N; ++b)
    for (int a = 0; a < N; ++a)
      K_R.template block<3, 3>(3 * a, 3 * b).noalias() =
          seen.R * seen.K.template block<3, 3>(3 * a, 3 * b) * seen.R.transpose();
  typename Seen::Matrix D = (elastic + damped * stiffness_damping) * K_R;
  if (elastic != 0) {
    const auto stack = [](const auto& points) {
      Columns hats;
      for (int a = 0; a < N; ++a) hats.template middleRows<3>(3 * a) = hat(points.col(a));
      return hats;
    };
    const auto Omega = seen.turns();
    const typename Seen::Points force = seen.elastic_force();
    const Columns turning = K_R * stack(seen.x) - stack(force);
    typename Seen::Matrix of_force = K_R;  // d of the elastic force alone
    of_force.noalias() += turning * Omega;
    D.noalias() += elastic * turning * Omega;
    if (consistent) {
      Eigen::Matrix<double, 3, 3 * N> of_moment = stack(force).transpose();  // dx_i x f_i = hat(f_i)^T dx_i
      of_moment.noalias() -= stack(seen.x).transpose() * of_force;
      seen.add_moment_gradient(seen.moment(force), -elastic, Omega, D);
      D.noalias() -= elastic * Omega.transpose() * of_moment;
    }
    if (stiffness_damping != 0) {
      const typename Seen::Points rate = seen.gather(v);
      const Columns of_rate = K_R * stack(rate) - stack(seen.stiffness_times(rate));
      D.noalias() += (elastic * stiffness_damping) * of_rate * Omega;
    }
  }
  const int* pair = model->element_pairs.data() + e.first_pair;
  for (int a = 0; a < N; ++a)
    for (int b = 0; b < N; ++b) blocks.fixed<3, 3>(pair[a * N + b]) += D.template block<3, 3>(3 * a, 3 * b);
}

// --- loads that follow

/// r += factor * pressure * area, shared by the nodes.
void CorotationalSolid::add_follower_forces(const double* q, double factor, Eigen::Ref<Mat3X> r) const {
  for (const auto& [faces, pressure] : follower_pressures)
    for (const SolidModel::LoadedFace& face : faces) {
      const Vec3 area = face_area(face.corners, [&](int node) -> Vec3 { return nodes_of(q).col(node); });
      for (const auto& [node, share] : face.shares) r.col(node) += (factor * pressure * share) * area;
    }
}

/// With area = b x c / 2 of two sides or diagonals, d(area) = (hat(b) dc - hat(c) db) / 2.
void CorotationalSolid::add_follower_tangent(const double* q, double factor, const BodyBlocks& blocks) const {
  const auto at = [&](int node) -> Vec3 { return nodes_of(q).col(node); };
  for (const auto& [faces, pressure] : follower_pressures)
    for (const SolidModel::LoadedFace& face : faces) {
      const auto& c = face.corners;
      const bool quad = c[3] >= 0;
      const Mat3 first = 0.5 * hat(at(c[quad ? 2 : 1]) - at(c[0])),
                 second = 0.5 * hat(at(c[quad ? 3 : 2]) - at(c[quad ? 1 : 0]));
      std::array<Mat3, 4> of_corner;
      if (quad)
        of_corner = {second, -first, -second, first};
      else
        of_corner = {second - first, -second, first, zero33};
      auto pair = face.pairs.begin();
      for (const auto& [node, share] : face.shares)
        for (int k = 0; k < face.corner_count(); ++k)
          blocks.fixed<3, 3>(*pair++) += (factor * pressure * share) * of_corner[k];
    }
}

// --- forces

void CorotationalSolid::add_residual(const double* q, const double* v, const double* a, const Vec3& gravity,
                                     double* r) const {
  model->add_mass_product(a, 1, r);
  if (mass_damping != 0) model->add_mass_product(v, mass_damping, r);
  Eigen::Map<Mat3X> force(r, 3, model->nodes());
  force.noalias() -= gravity * model->share.transpose();
  if (load.size() > 0) force -= load;
  add_follower_forces(q, 1, force);
  if (corotation == Corotation::component)
    add_component_forces(q, v, r);
  else
    for_each_element(*model,
                     [&](auto n, const SolidModel::Element& e) { add_element_forces<n>(e, q, v, r); });
}

void CorotationalSolid::add_tangent(const double* q, const double* v, const double*, const Vec3&,
                                    const Weights& w, const double*, const BodyBlocks& blocks) const {
  const double mass = w.m + w.d * mass_damping, stiffness = w.k + w.d * stiffness_damping;
  const int n = model->nodes();
  const bool turned = blocks.turned && corotation == Corotation::component;
  if (turned) write_turned(q, mass, stiffness, w.k, *blocks.turned);
  const Mat3 R = turned ? blocks.turned->R : corotation == Corotation::component ? rotation(q) : identity3;

  const double of_component = corotation == Corotation::component ? stiffness : 0;
  if (turned) {
    for (int i : blocks.turned->held)
      blocks.fixed<3, 3>(i).diagonal().array() +=
          mass * model->diagonal_mass[i] +
          of_component * (R * model->diagonal_stiffness[i] * R.transpose()).diagonal().array();
    return;
  }
  const auto put = [&](int block, double m, const Mat3& K) {
    auto C = blocks.fixed<3, 3>(block);
    C.diagonal().array() += mass * m;
    if (of_component != 0) C += of_component * (R * K * R.transpose());
  };
  for (int i = 0; i < n; ++i) put(i, model->diagonal_mass[i], model->diagonal_stiffness[i]);
  if (w.k != 0) add_follower_tangent(q, w.k, blocks);
  for (int k = 0; k < static_cast<int>(model->couplings.size()); ++k) {
    put(n + 2 * k, model->coupling_mass[k], model->coupling_stiffness[k]);
    put(n + 2 * k + 1, model->coupling_mass[k], model->coupling_stiffness[k].transpose());
  }
  if (corotation == Corotation::element && stiffness != 0)
    for_each_element(*model, [&](auto count, const SolidModel::Element& e) {
      add_element_tangent<count>(e, q, v, w.k, w.d, blocks);
    });
}

double CorotationalSolid::strain_energy(const double* q) const {
  if (corotation == Corotation::component) {
    auto& [u, f, other, arms, products] = buffers(model->nodes());
    deform(q, rotation(q), u);
    elastic_force(u, f);
    return 0.5 * u.cwiseProduct(f).sum();
  }
  double sum = 0;
  for_each_element(*model, [&](auto n, const SolidModel::Element& e) {
    const SeenElement<n> seen(*this, e, q);
    sum += 0.5 * (seen.x - seen.arms).cwiseProduct(seen.elastic_force()).sum();
  });
  return sum;
}

Energy CorotationalSolid::energy(const double* q, const double* v, const Vec3& gravity) const {
  auto& [u, f, other, arms, products] = buffers(model->nodes());
  f.setZero();
  model->add_mass_product(v, 1, f.data());
  const double kinetic = 0.5 * f.cwiseProduct(nodes_of(v)).sum();
  double potential = -gravity.dot(nodes_of(q) * model->share);
  if (load.size() > 0) potential -= load.cwiseProduct(nodes_of(q)).sum();
  return {kinetic, potential + strain_energy(q)};
}

// --- frames

/// A patch of nodes at a state.
struct CorotationalSolid::Patch {
  const Frame& f;
  const double* q;
  double w;
  Vec3 centre = zero3;
  BestFit best;
  Vec3 arm;  ///< from the mean of the nodes to the frame

  Patch(const Frame& frame, const double* at)
      : f(frame), q(at), w(1.0 / static_cast<double>(frame.nodes.size())), best(matrix()), arm(best.R * f.s) {
    centre = mean(q);
  }
  int count() const { return static_cast<int>(f.nodes.size()); }
  Vec3 at(const double* x, int k) const { return Eigen::Map<const Vec3>(x + 3 * f.nodes[k]); }
  Vec3 mean(const double* x) const {
    Vec3 sum = zero3;
    for (int k = 0; k < count(); ++k) sum += w * at(x, k);
    return sum;
  }
  Mat3 matrix() const {
    Mat3 H = Mat3::Zero();
    for (int k = 0; k < count(); ++k) H += (at(q, k) - at(q, 0)) * (w * f.arms.col(k)).transpose();
    return H;
  }
  Mat3 turn(int k) const { return best.turn(w, f.arms.col(k)); }
  Vec3 omega(const double* v) const {
    Vec3 sum = zero3;
    for (int k = 0; k < count(); ++k) sum += w * Vec3(best.R * f.arms.col(k)).cross(at(v, k));
    return best.inverse_A * sum;
  }
  /// sum w_i v_i a_i^T
  Mat3 spread(const double* v) const {
    Mat3 sum = Mat3::Zero();
    for (int k = 0; k < count(); ++k) sum += at(v, k) * (w * (best.R * f.arms.col(k))).transpose();
    return sum;
  }
};

CorotationalSolid::Frame CorotationalSolid::attach_node(int node) const {
  return {{node}, Mat3X::Zero(3, 1)};
}

CorotationalSolid::Frame CorotationalSolid::attach(const FramePose& X_BF, std::vector<int> set) const {
  if (set.size() > most_patch_nodes) set = spread_nodes(*model, std::move(set), most_patch_nodes);
  const int count = static_cast<int>(set.size());
  Frame f{std::move(set), Mat3X(3, count), X_BF.R};
  for (int k = 0; k < count; ++k) f.arms.col(k) = model->mesh.nodes[f.nodes[k]];
  const Vec3 mean = f.arms.rowwise().mean();
  f.arms.colwise() -= mean;
  f.s = X_BF.p - mean;
  const Mat3 moments = f.arms * f.arms.transpose();
  if (!((moments.trace() * identity3 - moments).determinant() > 1e-9 * std::pow(moments.trace(), 3)))
    throw std::invalid_argument(
        "the nodes are on a line or at one point: they have no orientation, which a frame needs");
  return f;
}

CorotationalSolid::Frame CorotationalSolid::attach(const FramePose& X_BF) const {
  const auto distance = [&](const SolidMesh::Element& e) {
    return (model->mesh.positions_of(e).rowwise().mean() - X_BF.p).norm();
  };
  const auto& elements = model->mesh.elements;
  const auto nearest = std::min_element(elements.begin(), elements.end(), [&](const auto& a, const auto& b) {
    return distance(a) < distance(b);
  });
  const auto of = model->mesh.nodes_of(*nearest);
  return attach(X_BF, std::vector<int>(of.begin(), of.begin() + corner_count(nearest->type)));
}

std::vector<FrameEntry> CorotationalSolid::frame_entries(const Frame& f) const {
  std::vector<FrameEntry> entries;
  for (int column = 0; int node : f.nodes) entries.push_back({node, 3 * node, 3, 3 * column++});
  return entries;
}

void CorotationalSolid::frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                              Vec6& bias, Eigen::Ref<Mat6X> J) const {
  if (f.nodes.size() == 1) {
    pose = {f.R, Eigen::Map<const Vec3>(q + 3 * f.nodes[0])};
    twist << Eigen::Map<const Vec3>(v + 3 * f.nodes[0]), zero3;
    bias.setZero();
    J << identity3, zero33;
    return;
  }
  const Patch patch(f, q);
  const Vec3 omega = patch.omega(v);
  const Mat3 S_v = patch.spread(v);
  const Vec3 alpha = patch.best.inverse_A *
                     ((S_v + S_v.transpose() + patch.best.S * hat(omega)) * omega - 2 * S_v.trace() * omega);
  pose = {patch.best.R * f.R, patch.centre + patch.arm};
  twist << patch.mean(v) + omega.cross(patch.arm), omega;
  bias << alpha.cross(patch.arm) + omega.cross(omega.cross(patch.arm)), alpha;
  const Mat3 arm = hat(patch.arm);
  for (int k = 0; k < patch.count(); ++k) {
    const Mat3 turn = patch.turn(k);
    J.middleCols<3>(3 * k) << patch.w * identity3 - arm * turn, turn;
  }
}

/// J^T w = w_i f + Omega_i^T mu,   mu = m + R s x f
void CorotationalSolid::frame_stiffness(const Frame& f, const double* q, const Vec6& wrench,
                                        Eigen::Ref<MatrixX> K) const {
  if (f.nodes.size() == 1) return;
  const Patch patch(f, q);
  using Columns = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, most_frame_dofs>;
  Columns Omega(3, 3 * patch.count()), arms = patch.best.R * f.arms;
  for (int k = 0; k < patch.count(); ++k) Omega.middleCols<3>(3 * k) = patch.turn(k);
  const Vec3 force = wrench.head<3>(), mu = wrench.tail<3>() + patch.arm.cross(force);
  struct {
    double w;
    double operator[](int) const { return w; }
  } weights{patch.w};
  patch.best.add_moment_gradient(mu, 1, Omega, weights, arms, K);
  K.noalias() += (Omega.transpose() * (hat(force) * hat(patch.arm))).lazyProduct(Omega);
}

void CorotationalSolid::velocity_gradient(const Frame& f, const double* q, const double* v,
                                          Eigen::Ref<Mat6X> gradient) const {
  if (f.nodes.size() == 1) return gradient.setZero(), void();
  const Patch patch(f, q);
  const Vec3 omega = patch.omega(v);
  const Mat3 S_v = patch.spread(v), arm = hat(patch.arm);
  for (int k = 0; k < patch.count(); ++k) {
    const Mat3 turn = patch.turn(k);
    const Mat3 turning = patch.best.spin_gradient(S_v, omega, patch.w, patch.best.R * f.arms.col(k), turn);
    gradient.middleCols<3>(3 * k) << -arm * turning - hat(omega) * arm * turn, turning;
  }
}

}  // namespace hooke
