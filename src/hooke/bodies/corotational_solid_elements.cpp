// A frame for every element: its forces and their exact tangent.
#include "hooke/bodies/corotational_solid.h"
#include "hooke/bodies/triad.h"
#include "hooke/fe/best_fit.h"

namespace hooke {
namespace {

/// f(std::integral_constant<nodes>, element)
template <class Function>
void for_element(const SolidModel::Element& e, Function&& f) {
  switch (e.type) {
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
template <class Function>
void for_each_element(const SolidModel& model, Function&& f) {
  for (const SolidModel::Element& e : model.elements) for_element(e, f);
}

/// Parts of matrices that differ in size with the element, as one type: the compiler would take seconds for
/// each element's own.
using Block = Eigen::Map<Mat3, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstBlock = Eigen::Map<const Mat3, Eigen::Unaligned, Eigen::OuterStride<>>;

Block block(auto& matrix, int row, int column) {
  const Eigen::Index rows = matrix.rows();
  return Block(matrix.data() + row + rows * column, Eigen::OuterStride<>(rows));
}
ConstBlock const_block(const auto& matrix, int row, int column) {
  const Eigen::Index rows = matrix.rows();
  return ConstBlock(matrix.data() + row + rows * column, Eigen::OuterStride<>(rows));
}
Eigen::Map<const Vec3> column(const auto& points, int a) {
  return Eigen::Map<const Vec3>(points.data() + 3 * a);
}

}  // namespace

/// An element in the world: its rotation, how that follows the nodes, and the forces R K u of deformation and
/// of damping.
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
  Points X, x, arms;  ///< nodes at rest and in this state, each from their mean; R X
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
    for (int a = 0; a < N; ++a)
      Eigen::Map<Vec3>(points.data() + 3 * a) = Eigen::Map<const Vec3>(from + 3 * node[a]);
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
    for (int a = 0; a < N; ++a) sum += column(x, a).cross(column(force, a));
    return sum;
  }
  /// omega = Omega v
  Turns turns() const {
    Turns Omega;
    if (body.fit == FrameFit::best) {
      const Mat3 inverse_A = BestFit(H, R).inverse_A / N;
      for (int a = 0; a < N; ++a) block(Omega, 0, 3 * a) = inverse_A * hat(column(arms, a));
    } else {
      const Mat36 of_sides = triad(x, corners).Omega;
      Omega.setZero();
      const Mat3 first = of_sides.leftCols<3>(), second = of_sides.rightCols<3>();
      block(Omega, 0, 0) = -first - second;
      block(Omega, 0, 3) = first;
      block(Omega, 0, 6) = second;
    }
    return Omega;
  }
  /// R u' = v - omega x x, but for what moves all nodes alike
  Points deformation_rate(const Points& v, const Vec3& omega) const {
    Points rate = v;
    for (int a = 0; a < N; ++a) rate.col(a) += column(x, a).cross(omega);
    return rate;
  }
  Vec3 spin(const Points& v, const Turns& Omega) const { return Omega * Eigen::Map<const Vector>(v.data()); }
  /// d(Omega v)/dx
  Turns spin_gradient(const Points& v, const Vec3& omega, const Turns& Omega) const {
    Turns gradient;
    if (body.fit == FrameFit::best) {
      const BestFit best(H, R);
      const Mat3 S_v = (1.0 / N) * v * arms.transpose();
      for (int a = 0; a < N; ++a)
        block(gradient, 0, 3 * a) =
            best.spin_gradient(S_v, omega, 1.0 / N, column(arms, a), const_block(Omega, 0, 3 * a));
      return gradient;
    }
    for (int k = 0; k < 3; ++k) {
      Matrix of_moment = Matrix::Zero();
      add_moment_gradient(Vec3::Unit(k), 1, Omega, of_moment);
      gradient.row(k) = Eigen::Map<const Vector>(v.data()).transpose().lazyProduct(of_moment);
    }
    return gradient;
  }
  /// D += factor d(Omega^T mu)/dx
  void add_moment_gradient(const Vec3& mu, double factor, const Turns& Omega, Matrix& D) const {
    if (body.fit == FrameFit::best)
      return BestFit(H, R).add_moment_gradient(mu, factor, Omega, 1.0 / N, arms, D);
    const Mat6 of_sides = factor * triad(x, corners).moment_gradient(mu);
    Eigen::Matrix<double, 6, 9> sides = Eigen::Matrix<double, 6, 9>::Zero();  // b = x_1 - x_0, c = x_2 - x_0
    sides.template rightCols<6>().setIdentity();
    sides.template block<3, 3>(0, 0) = sides.template block<3, 3>(3, 0) = -identity3;
    D.template topLeftCorner<9, 9>() += sides.transpose() * of_sides * sides;
  }
};

template <int N>
Eigen::Matrix<double, 3, N> CorotationalSolid::element_force(const SolidModel::Element& e, const double* q,
                                                             const double* v) const {
  using Seen = SeenElement<N>;
  const Seen seen(*this, e, q);
  typename Seen::Points force = seen.elastic_force();
  if (consistent || stiffness_damping != 0) {
    const typename Seen::Turns Omega = seen.turns();
    if (stiffness_damping != 0) {
      const typename Seen::Points rate = seen.gather(v);
      force += stiffness_damping * seen.stiffness_times(seen.deformation_rate(rate, seen.spin(rate, Omega)));
    }
    if (consistent) {
      const typename Seen::Vector correction = Omega.transpose() * seen.moment(force);
      force -= correction.template reshaped<Eigen::ColMajor>(3, N);
    }
  }
  return force;
}

/// With K_R = R K R^T, z = v - omega x x, f = K_R (x - R X + b z) and dR = hat(omega) R for dx,
///
///   df = K_R (dx + b dz) + (K_R hat(x + b z) - hat(f)) Omega dx,      dz = dv - hat(omega) dx + hat(x) domega
///
/// and for the consistent force this less  d(Omega^T) tau + Omega^T dtau,  tau = sum x_i x f_i.
template <int N>
void CorotationalSolid::add_element_tangent(const SolidModel::Element& e, const double* q, const double* v,
                                            double elastic, double damped, const BodyBlocks& blocks) const {
  using Seen = SeenElement<N>;
  using Matrix = typename Seen::Matrix;
  using Points = typename Seen::Points;
  using Columns = Eigen::Matrix<double, 3 * N, 3>;
  const auto stack = [](const auto& points) {
    Columns hats;
    for (int a = 0; a < N; ++a) block(hats, 3 * a, 0) = hat(column(points, a));
    return hats;
  };
  const Seen seen(*this, e, q);
  const double b = stiffness_damping;
  const auto Omega = seen.turns();
  const Columns hats_x = stack(seen.x);
  Points force = seen.elastic_force();
  Matrix K_R;
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i)
      block(K_R, 3 * i, 3 * j).noalias() = seen.R * const_block(seen.K, 3 * i, 3 * j) * seen.R.transpose();

  Columns turning = K_R * hats_x;  // K_R hat(x), and all that follows R with it
  Matrix D = K_R, by_rate;         // df/dx, df/dv
  if (b != 0) {
    const Points rate = seen.gather(v);
    const Vec3 omega = seen.spin(rate, Omega);
    const Points z = seen.deformation_rate(rate, omega);
    Matrix moved = hats_x * seen.spin_gradient(rate, omega, Omega);  // dz/dx
    for (int a = 0; a < N; ++a) block(moved, 3 * a, 3 * a) -= hat(omega);
    by_rate = K_R;
    by_rate.noalias() += turning * Omega;
    by_rate *= b;
    moved *= b;
    D.noalias() += K_R * moved;
    turning.noalias() += K_R * stack(Points(b * z));
    force += b * seen.stiffness_times(z);
  }
  turning -= stack(force);
  D.noalias() += turning * Omega;
  if (consistent) {
    Eigen::Matrix<double, 3, 3 * N> of_moment = stack(force).transpose();  // dx_i x f_i = hat(f_i)^T dx_i
    of_moment.noalias() -= hats_x.transpose() * D;
    D.noalias() -= Omega.transpose() * of_moment;
    seen.add_moment_gradient(seen.moment(force), -1, Omega, D);
    if (b != 0) {
      const Eigen::Matrix<double, 3, 3 * N> of_rate = hats_x.transpose() * by_rate;
      by_rate.noalias() += Omega.transpose() * of_rate;
    }
  }
  D *= elastic;
  if (b != 0) D += damped * by_rate;
  const int* pair = model->element_pairs.data() + e.first_pair;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) blocks.fixed<3, 3>(pair[i * N + j]) += const_block(D, 3 * i, 3 * j);
}

void CorotationalSolid::add_forces_of_elements(const double* q, const double* v, double* r,
                                               Team* team) const {
  const SharedSums& sums = model->sums_of_elements;
  const int n = model->nodes();
  thread_local std::vector<double> buffer;
  buffer.assign(3 * static_cast<std::size_t>(sums.extra_places()), 0.0);
  double* const extra = buffer.data();
  sums.run(team, [&](int k) {
    const SolidModel::Four& four = model->fours[k];
    std::array<double, 4 * 60> forces;  // of hex20 at most
    if (fit != FrameFit::best || !forces_of_four(four, q, v, forces.data()))
      for (int e = 0; e < four.count; ++e)
        for_element(model->elements[four.element[e]], [&](auto N, const SolidModel::Element& element) {
          Eigen::Map<Eigen::Matrix<double, 3, N>>(forces.data() + 3 * N * e) =
              element_force<N>(element, q, v);
        });
    const int* place = sums.places() + four.first_place;
    const int count = four.count * node_count(four.type);
    for (int i = 0; i < count; ++i) {
      double* to = place[i] < n ? r + 3 * place[i] : extra + 3 * (place[i] - n);
      for (int d = 0; d < 3; ++d) to[d] += forces[3 * i + d];
    }
  });
  sums.gather([&](int node, int k) {
    for (int d = 0; d < 3; ++d) r[3 * node + d] += extra[3 * k + d];
  });
}

void CorotationalSolid::add_tangents_of_elements(const double* q, const double* v, double elastic,
                                                 double damped, const BodyBlocks& blocks) const {
  for_each_element(*model, [&](auto n, const SolidModel::Element& e) {
    add_element_tangent<n>(e, q, v, elastic, damped, blocks);
  });
}

double CorotationalSolid::strain_energy_of_elements(const double* q) const {
  double sum = 0;
  for_each_element(*model, [&](auto n, const SolidModel::Element& e) {
    const SeenElement<n> seen(*this, e, q);
    sum += 0.5 * (seen.x - seen.arms).cwiseProduct(seen.elastic_force()).sum();
  });
  return sum;
}

double CorotationalSolid::dissipation_of_elements(const double* q, const double* v) const {
  double sum = 0;
  for_each_element(*model, [&](auto n, const SolidModel::Element& e) {
    const SeenElement<n> seen(*this, e, q);
    const typename SeenElement<n>::Points rate = seen.gather(v),
                                          z = seen.deformation_rate(rate, seen.spin(rate, seen.turns()));
    sum += stiffness_damping * (consistent ? z : rate).cwiseProduct(seen.stiffness_times(z)).sum();
  });
  return sum;
}

}  // namespace hooke
