// Frames on a solid: a node, or the best fit to a patch of nodes.
#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/fe/best_fit.h"

namespace hooke {
namespace {

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
  patch.best.add_moment_gradient(mu, 1, Omega, patch.w, arms, K);
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
