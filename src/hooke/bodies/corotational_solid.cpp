#include "hooke/bodies/corotational_solid.h"

#include <algorithm>

#include "hooke/bodies/triad.h"
#include "hooke/fe/best_fit.h"

namespace hooke {
namespace {

using Mat4X = Eigen::Matrix<double, 4, Eigen::Dynamic>;

/// Scratch of the thread, so that a step allocates nothing. The last two are for products with the stiffness, and have
/// four columns for each node.
struct Buffers {
  Eigen::Map<Mat3X> u, f, other;
  Eigen::Map<Mat4X> in, out;
};
Buffers buffers(const SolidModel& of) {
  const int nodes = of.nodes(), places = of.places();
  thread_local std::vector<double> memory;
  const auto n = static_cast<std::size_t>(nodes);
  const auto all = 25 * n + 16 * static_cast<std::size_t>(places);
  if (memory.size() < all) memory.resize(all);
  double* at = memory.data();
  return {{at, 3, nodes},
          {at + 3 * n, 3, nodes},
          {at + 6 * n, 3, nodes},
          {at + 9 * n, 4, 4 * nodes},
          {at + 25 * n, 4, 4 * places}};
}

/// Three numbers in a column of four.
void put(const Vec3& x, Eigen::Ref<Vec4> to) { to << x, 0; }

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

Vec3 CorotationalSolid::spin(const double* q, const double* v, const Mat3& H, const Mat3& R) const {
  const Nodes rate = nodes_of(v);
  if (fit == FrameFit::best) {
    Vec3 sum = zero3;
    for (int i = 0; i < model->nodes(); ++i)
      sum += model->weight[i] * model->arms.col(i).cross(R.transpose() * rate.col(i));
    return R.transpose() * (BestFit(H, R).inverse_A * (R * sum));
  }
  Vec6 sides;
  sides << rate.col(three_nodes[1]) - rate.col(three_nodes[0]),
      rate.col(three_nodes[2]) - rate.col(three_nodes[0]);
  return R.transpose() * (triad(nodes_of(q), three_nodes).Omega * sides);
}

void CorotationalSolid::deform(const double* q, const Mat3& R, Eigen::Ref<Mat3X> u) const {
  const Vec3 origin = centre(q);
  for (int i = 0; i < model->nodes(); ++i)
    u.col(i) = R.transpose() * (nodes_of(q).col(i) - origin) - model->arms.col(i);
}

void CorotationalSolid::elastic_force(const Eigen::Ref<const Mat3X>& u, Eigen::Ref<Mat3X> f) const {
  const int n = model->nodes();
  auto [of_u, of_f, other, in, out] = buffers(*model);
  for (int i = 0; i < n; ++i) put(u.col(i), in.col(i));
  model->multiply_stiffness(in.data(), out.data());
  f = out.topLeftCorner(3, n);
}

/// Displacements and, where they are damped, their rates lie side by side, so that K is read once.
void CorotationalSolid::add_component_forces(const double* q, const double* v, double* r, Team* team) const {
  const int n = model->nodes(), columns = stiffness_damping == 0 ? 1 : 2;
  auto [u, f, other, moved, out] = buffers(*model);
  const Mat3 H = fit_matrix(q), R = rotation(q, H);
  deform(q, R, u);
  const Vec3 omega = columns == 2 ? spin(q, v, H, R) : zero3;
  for (int i = 0; i < n; ++i) {
    put(u.col(i), moved.col(columns * i));
    if (columns == 2)
      put(stiffness_damping *
              (R.transpose() * nodes_of(v).col(i) - omega.cross(Vec3(u.col(i) + model->arms.col(i)))),
          moved.col(2 * i + 1));
  }
  model->multiply_stiffness(moved.data(), out.data(), columns, team);
  const auto forces = out.topRows<3>();
  Eigen::Map<Mat3X> force(r, 3, n);
  if (consistent) {  // -Omega^T sum x_i x f_i, small of second order
    Vec3 moment = zero3;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < columns; ++k)
        moment += Vec3(u.col(i) + model->arms.col(i)).cross(forces.col(columns * i + k));
    moment = R * moment;
    if (fit == FrameFit::best) {
      const Vec3 spread = BestFit(H, R).inverse_A * moment;
      for (int i = 0; i < n; ++i)
        force.col(i) += model->weight[i] * Vec3(R * model->arms.col(i)).cross(spread);
    } else {
      const Vec6 shares = triad(nodes_of(q), three_nodes).Omega.transpose() * moment;
      force.col(three_nodes[1]) -= shares.head<3>();
      force.col(three_nodes[2]) -= shares.tail<3>();
      force.col(three_nodes[0]) += shares.head<3>() + shares.tail<3>();
    }
  }
  for (int i = 0; i < n; ++i) {
    Vec3 sum = forces.col(columns * i);
    if (columns == 2) sum += forces.col(2 * i + 1);
    force.col(i) += R * sum;
  }
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
  auto [u, f, other, in, out] = buffers(*model);
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
  in.setZero();
  for (int i = 0; i < n; ++i) in.block<3, 4>(0, 4 * i) << -hat(u.col(i)), u.col(i);  // K hat(X) = 0
  model->multiply_stiffness(in.data(), out.data(), 4);                               // K S, n
  if (corotation == Corotation::element) {  // what turns with the body are the forces it has
    f.setZero(), other.setZero();
    add_forces_of_elements(q, other.data(), f.data(), nullptr);
    for (int i = 0; i < n; ++i) out.block<3, 1>(0, 4 * i + 3) = R.transpose() * f.col(i);
  }
  Mat3 bending = Mat3::Zero(), E = Mat3::Zero();  // S^T K S; and N^T S with it
  for (int i = 0; i < n; ++i) {
    const Mat3 S = in.block<3, 3>(0, 4 * i), KS = out.block<3, 3>(0, 4 * i),
               N = hat(out.block<3, 1>(0, 4 * i + 3));
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
  other.setZero();
  add_follower_forces(q, 1, other);
  for (int i = 0; i < n; ++i) W.middleRows<3>(3 * i) += hat(R.transpose() * other.col(i));
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
                                     double* r, Team* team) const {
  model->add_mass_product(a, 1, r, team);
  if (mass_damping != 0) model->add_mass_product(v, mass_damping, r, team);
  Eigen::Map<Mat3X> force(r, 3, model->nodes());
  force.noalias() -= gravity * model->share.transpose();
  if (load.size() > 0) force -= load;
  add_follower_forces(q, 1, force);
  if (corotation == Corotation::component)
    add_component_forces(q, v, r, team);
  else
    add_forces_of_elements(q, v, r, team);
}

void CorotationalSolid::add_tangent(const double* q, const double* v, const double*, const Vec3&,
                                    const Weights& w, const double*, const BodyBlocks& blocks) const {
  const double mass = w.m + w.d * mass_damping, stiffness = w.k + w.d * stiffness_damping;
  const int n = model->nodes();
  // In statics no inertia holds an iteration with the constant matrix: elements take their own, and so they do for solvers
  // that have no use for a turned one.
  const bool is_static = w.d == 0 && w.k != 0;
  const bool exact = corotation == Corotation::element && (!constant_tangent || !blocks.turned || is_static);
  const bool turned = blocks.turned && !exact;
  if (turned) write_turned(q, mass, stiffness, w.k, *blocks.turned);
  const Mat3 R = turned ? blocks.turned->R : exact ? identity3 : rotation(q);

  const double of_component = exact ? 0 : stiffness;
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
  if (exact && stiffness != 0) add_tangents_of_elements(q, v, w.k, w.d, blocks);
}

double CorotationalSolid::strain_energy(const double* q) const {
  if (corotation == Corotation::component) {
    auto [u, f, other, in, out] = buffers(*model);
    deform(q, rotation(q), u);
    elastic_force(u, f);
    return 0.5 * u.cwiseProduct(f).sum();
  }
  return strain_energy_of_elements(q);
}

Energy CorotationalSolid::energy(const double* q, const double* v, const Vec3& gravity) const {
  auto [u, f, other, in, out] = buffers(*model);
  f.setZero();
  model->add_mass_product(v, 1, f.data());
  const double kinetic = 0.5 * f.cwiseProduct(nodes_of(v)).sum();
  double potential = -gravity.dot(nodes_of(q) * model->share);
  if (load.size() > 0) potential -= load.cwiseProduct(nodes_of(q)).sum();
  return {kinetic, potential + strain_energy(q)};
}

Power CorotationalSolid::power(const double* q, const double* v) const {
  Power sum;
  auto [rate, f, other, in, out] = buffers(*model);
  if (!follower_pressures.empty()) {
    f.setZero();
    add_follower_forces(q, 1, f);
    sum.supplied -= f.cwiseProduct(nodes_of(v)).sum();
  }
  if (mass_damping != 0) {
    f.setZero();
    model->add_mass_product(v, mass_damping, f.data());
    sum.dissipated += f.cwiseProduct(nodes_of(v)).sum();
  }
  if (stiffness_damping == 0) return sum;
  if (corotation == Corotation::component) {
    const Mat3 H = fit_matrix(q), R = rotation(q, H);
    const Vec3 omega = spin(q, v, H, R);
    deform(q, R, other);
    for (int i = 0; i < model->nodes(); ++i)
      rate.col(i) = R.transpose() * nodes_of(v).col(i) - omega.cross(Vec3(other.col(i) + model->arms.col(i)));
    elastic_force(rate, f);
    if (!consistent) rate = R.transpose() * nodes_of(v);
    sum.dissipated += stiffness_damping * f.cwiseProduct(rate).sum();
  } else {
    sum.dissipated += dissipation_of_elements(q, v);
  }
  return sum;
}

}  // namespace hooke
