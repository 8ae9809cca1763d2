// Forces of elements with a frame each, four elements at a time.
#include "hooke/bodies/corotational_solid.h"
#include "hooke/fe/polar.h"

namespace hooke {
namespace {

using Vec3s = Eigen::Matrix<Pack, 3, 1>;
using Mat3s = Eigen::Matrix<Pack, 3, 3>;

/// f = K u of one K for all lanes. As many rows at once as there are registers: each product waits for the last one of its row.
template <int size>
void multiply(const double* K, const Pack* u, Pack* f) {
  constexpr int tile = size % 12 == 0 ? 12 : 10;
  for (int i = 0; i < size; i += tile) {
    Pack::Register sum[tile] = {};
    for (int j = 0; j < size; ++j) {
      const double* column = K + j * size + i;
      const Pack::Register u_j = u[j].v;
      for (int k = 0; k < tile; ++k) sum[k] += column[k] * u_j;
    }
    for (int k = 0; k < tile; ++k) f[i + k] = sum[k];
  }
}

/// With a K of its own for each lane.
template <int size>
void multiply(const std::array<const double*, Pack::lanes>& K, const Pack* u, Pack* f) {
  using Vector = Eigen::Matrix<double, size, 1>;
  std::array<Vector, Pack::lanes> of_lane;
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    Vector x;
    for (int i = 0; i < size; ++i) x[i] = u[i][lane];
    of_lane[lane].noalias() = Eigen::Map<const Eigen::Matrix<double, size, size>>(K[lane]) * x;
  }
  for (int i = 0; i < size; ++i)
    f[i] = Pack::Register{of_lane[0][i], of_lane[1][i], of_lane[2][i], of_lane[3][i]};
}

/// Four elements, or fewer: then the last one fills the lanes that are left.
template <int N>
struct FourElements {
  std::array<const int*, Pack::lanes> node;
  std::array<const double*, Pack::lanes> K;

  FourElements(const SolidModel& model, const SolidModel::Four& four) {
    for (int lane = 0; lane < Pack::lanes; ++lane) {
      const SolidModel::Element& e = model.elements[four.element[std::min(lane, four.count - 1)]];
      node[lane] = model.mesh.connectivity.data() + e.first;
      K[lane] = model.element_stiffness[e.stiffness].data();
    }
  }
  void gather(const double* from, std::array<Vec3s, N>& to) const {
    for (int a = 0; a < N; ++a)
      to[a] = gather_matrix<Vec3s>(
          {from + 3 * node[0][a], from + 3 * node[1][a], from + 3 * node[2][a], from + 3 * node[3][a]});
  }
  /// From their mean.
  void gather_arms(const double* from, std::array<Vec3s, N>& to) const {
    gather(from, to);
    Vec3s mean = to[0];
    for (int a = 1; a < N; ++a) mean += to[a];
    mean *= Pack(1.0 / N);
    for (Vec3s& x : to) x -= mean;
  }
};

}  // namespace

/// In the axes of each element, where x_a = R^T (x_a - mean) and with S = R^T H, A = tr(S) I - S (`fe/best_fit.h`):
///
///   omega = A^-1 sum X_a x v_a / N,   f = K (x - X + b (v - omega x x)),   f_a + X_a x A^-1 (sum x_c x f_c) / N
///
/// the last of which makes it consistent.
template <int N>
bool CorotationalSolid::forces_of_four(const SolidModel::Four& four, const double* q, const double* v,
                                       double* forces) const {
  using Points = std::array<Vec3s, N>;
  const FourElements<N> elements(*model, four);
  Points X, x, u, f;
  elements.gather_arms(model->arms.data(), X);
  elements.gather_arms(q, x);
  Mat3s H = x[0] * X[0].transpose();
  for (int a = 1; a < N; ++a) H += x[a] * X[a].transpose();
  H *= Pack(1.0 / N);
  Mat3s R;
  if (!find_rotation(H, R)) return false;
  const Mat3s R_t = R.transpose();
  for (int a = 0; a < N; ++a) {
    x[a] = (R_t * x[a]).eval();
    u[a] = x[a] - X[a];
  }
  const Mat3s S = R_t * H;
  Mat3s A = -S;
  A.diagonal().array() += S.trace();
  const Mat3s of_A = cofactors(A);
  const Mat3s share = of_A * (Pack(1.0 / N) / A.col(0).dot(of_A.col(0)));  // A^-1 / N, A being symmetric
  if (stiffness_damping != 0) {
    Points rate;
    elements.gather(v, rate);
    Vec3s sum = Vec3s::Zero();
    for (int a = 0; a < N; ++a) {
      rate[a] = (R_t * rate[a]).eval();
      sum += X[a].cross(rate[a]);
    }
    const Vec3s omega = share * sum;
    for (int a = 0; a < N; ++a) u[a] += Pack(stiffness_damping) * (rate[a] - omega.cross(x[a]));
  }
  if (four.one_stiffness)
    multiply<3 * N>(elements.K[0], u[0].data(), f[0].data());
  else
    multiply<3 * N>(elements.K, u[0].data(), f[0].data());
  if (consistent) {
    Vec3s moment = x[0].cross(f[0]);
    for (int a = 1; a < N; ++a) moment += x[a].cross(f[a]);
    const Vec3s spread = share * moment;
    for (int a = 0; a < N; ++a) f[a] += X[a].cross(spread);
  }
  PackTarget to;
  for (int lane = 0; lane < Pack::lanes; ++lane) to[lane] = forces + 3 * N * lane;
  for (int a = 0; a < N; ++a) scatter_matrix(Vec3s(R * f[a]), to, 3 * a);
  return true;
}

bool CorotationalSolid::forces_of_four(const SolidModel::Four& four, const double* q, const double* v,
                                       double* forces) const {
  switch (four.type) {
    case ElementType::hex8:
      return forces_of_four<8>(four, q, v, forces);
    case ElementType::hex20:
      return forces_of_four<20>(four, q, v, forces);
    case ElementType::tet4:
      return forces_of_four<4>(four, q, v, forces);
    case ElementType::tet10:
      return forces_of_four<10>(four, q, v, forces);
  }
  return false;
}

}  // namespace hooke
