#include "hooke/bodies/ffrf_rod.h"

#include "hooke/fe/second_order.h"

namespace hooke {
namespace {

/// M, D or K of the undeformed rod, by the weights.
SparseMatrix matrix_of(const CosseratRod<3>& rod, const Weights& weights) {
  const std::vector<int> sizes = rod.block_sizes();
  const int n = static_cast<int>(sizes.size());
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < n; ++i) places.emplace_back(i, i);
  for (auto [i, j] : rod.couplings()) places.insert(places.end(), {{i, j}, {j, i}});
  BlockMatrix matrix(sizes, places);
  std::vector<BlockHandle> handles;
  for (auto [i, j] : places) handles.push_back(matrix.handle(i, j));
  VectorX q(rod.nq()), v(rod.nv());
  rod.place({}, zero6, q.data(), v.data());
  const VectorX rest = VectorX::Zero(rod.nv());
  rod.add_tangent(q.data(), rest.data(), rest.data(), zero3, weights, nullptr,
                  BodyBlocks{matrix, handles.data()});
  const MatrixX dense = matrix.dense();
  return (0.5 * (dense + dense.transpose())).sparseView();
}

/// Motions of the nodes' dofs that leave the rod as it is: along and about the axes of its frame.
MatrixX rigid_motions(const CosseratRod<3>& rod) {
  MatrixX rigid(rod.nv(), 6);
  for (int k = 0; k < rod.nodes(); ++k) {
    const FramePose& X = rod.rest()[k];
    rigid.middleRows<6>(6 * k) << identity3, -hat(X.p), zero33, X.R.transpose();
  }
  return rigid;
}

/// What the reference frame leaves out of a deformation.
MatrixX reference_rows(const CosseratRod<3>& rod, RodReference reference, const SparseMatrix& M,
                       const MatrixX& rigid) {
  if (reference == RodReference::mean) return rigid.transpose() * M;
  return MatrixX::Identity(6, rod.nv());
}

Modes modes_of(const CosseratRod<3>& rod, const SparseMatrix& K, ModalBasis basis, int count,
               RodReference reference) {
  const SparseMatrix M = matrix_of(rod, {.m = 1});
  const MatrixX rigid = rigid_motions(rod);
  MatrixX ends = MatrixX::Zero(M.rows(), 12);
  ends.topLeftCorner<6, 6>().setIdentity();
  ends.bottomRightCorner<6, 6>().setIdentity();
  Modes modes = basis == ModalBasis::free      ? lowest_modes(M, K, count, rigid)
                : basis == ModalBasis::clamped ? clamped_modes(M, K, ends.leftCols<6>().sparseView(), count)
                                               : craig_bampton(M, K, ends.sparseView(), count, rigid);
  refer_to(reference_rows(rod, reference, M, rigid), rigid, modes.shapes);
  return modes;
}

/// Internal forces of a rod as a function of the motion y of its nodes, which turn by exp(theta): the gradient of the energy.
class RodForces {
 public:
  explicit RodForces(const CosseratRod<3>& rod)
      : rod_(rod), rest_(rod.nq()), q_(rod.nq()), zero_(VectorX::Zero(rod.nv())), r_(rod.nv()) {
    rod.place({}, zero6, rest_.data(), r_.data());
  }
  VectorX operator()(const VectorX& y) {
    rod_.plus(rest_.data(), y.data(), q_.data());
    r_.setZero();
    rod_.add_residual(q_.data(), zero_.data(), zero_.data(), zero3, r_.data());
    for (int k = 0; k < rod_.nodes(); ++k)
      RigidBody::spin(r_.data() + 6 * k) =
          tangent_so3(RigidBody::spin(y.data() + 6 * k)).transpose() * RigidBody::spin(r_.data() + 6 * k);
    return r_;
  }
  /// Second derivative along y, which is of size one: central differences, extrapolated.
  VectorX second(const VectorX& y) {
    constexpr double h = 4e-3;
    const auto difference = [&](double by) -> VectorX {
      VectorX sum = (*this)(by * y);
      return (sum + (*this)(-by * y)) / (by * by);
    };
    return (4 * difference(0.5 * h) - difference(h)) / 3;
  }

 private:
  const CosseratRod<3>& rod_;
  VectorX rest_, q_, zero_, r_;
};

/// d2f/(deta_i deta_j) at i n + j.
MatrixX second_forces(const CosseratRod<3>& rod, const MatrixX& shapes) {
  const int n = static_cast<int>(shapes.cols());
  VectorX size(n);  // a mode's largest rotation, or its largest motion beside the length
  for (int i = 0; i < n; ++i) {
    const auto of_nodes = shapes.col(i).reshaped(6, rod.nodes());
    size[i] = std::max(of_nodes.topRows(3).colwise().norm().maxCoeff() / rod.length(),
                       of_nodes.bottomRows(3).colwise().norm().maxCoeff());
  }
  const MatrixX unit = shapes * size.cwiseInverse().asDiagonal();
  RodForces forces(rod);
  MatrixX result(shapes.rows(), n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      result.col(i * n + j) = result.col(j * n + i) =
          0.25 * size[i] * size[j] *
          (forces.second(unit.col(i) + unit.col(j)) - forces.second(unit.col(i) - unit.col(j)));
  return result;
}

/// A displacement field at a node: value t of the mass centre, and G d at a point d of the section beside it.
struct Field {
  Vec3 t;
  Mat3 G;
};

/// To the nodes, and to the fields at them: a section turns by exp(theta), so that products of two turns come in.
void add_second_order(const CosseratRod<3>& rod, const SparseMatrix& K, const Modes& modes,
                      RodReference reference, ModalData& data, std::vector<std::vector<Field>>& fields) {
  const int n = static_cast<int>(modes.shapes.cols());
  const MatrixX rigid = rigid_motions(rod);
  const StaticResponse response(K, reference_rows(rod, reference, matrix_of(rod, {.m = 1}), rigid), rigid);
  const MatrixX forces = second_forces(rod, modes.shapes);
  MatrixX second = response(-forces);
  const QuadraticEnergy energy(K, modes, forces(Eigen::all, Eigen::seqN(0, n, n + 1)));
  for (int i = 0; i < n; ++i) energy.correct(i, 0, second.middleCols(i * n, n));
  data.second_psi = Mat3X::Zero(3, n * n);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    ModalData::Node& node = data.nodes[k];
    const auto rows = second.middleRows(6 * static_cast<int>(k), 6);
    node.second_shift = rows.topRows(3);
    node.second_rotation = node.at.R * rows.bottomRows(3);
    for (int i = 0, ij = 0; i < n; ++i)
      for (int j = 0; j < n; ++j, ++ij) {
        const Mat3 &a = fields[k][1 + i].G, &b = fields[k][1 + j].G;
        const Mat3 G = hat(node.second_rotation.col(ij)) + 0.5 * (a * b + b * a);
        fields[k].push_back({node.second_shift.col(ij) + G * (node.at.R * rod.section().centre), G});
      }
  }
}

}  // namespace

ModalData modal_data(const CosseratRod<3>& rod, ModalBasis basis, int n, RodReference reference,
                     double damping_ratio, bool stiffening) {
  const SparseMatrix K = matrix_of(rod, {.m = 0, .k = 1});
  const Modes modes = modes_of(rod, K, basis, n, reference);
  const Section& section = rod.section();
  ModalData data{.mass = section.mass * rod.length(), .psi = Mat3X::Zero(3, n)};
  data.stiffness = modes.shapes.transpose() * (K * modes.shapes);
  data.damping = modes.shapes.transpose() * (matrix_of(rod, {.m = 0, .d = 1}) * modes.shapes);
  data.damping.diagonal() += 2 * damping_ratio * modes.omega2.cwiseMax(0).cwiseSqrt();

  std::vector<std::vector<Field>> fields;  // of each node: u0, then the modes
  for (std::size_t k = 0; k < rod.rest().size(); ++k) {
    const FramePose& X = rod.rest()[k];
    const Vec3 centre = X.R * section.centre;
    const MatrixX shape = modes.shapes.middleRows(6 * static_cast<int>(k), 6);
    data.nodes.push_back({X, shape.topRows(3), X.R * shape.bottomRows(3)});
    std::vector<Field>& at = fields.emplace_back();
    at.push_back({X.p + centre, identity3});
    for (int i = 0; i < n; ++i) {
      const Vec3 turn = data.nodes[k].rotation.col(i);
      at.push_back({data.nodes[k].shift.col(i) + turn.cross(centre), hat(turn)});
    }
  }
  if (stiffening) add_second_order(rod, K, modes, reference, data, fields);
  // int rho d d^T over the section, about its mass centre
  const Mat3 about_line = section.inertia - section.mass * (section.centre.squaredNorm() * identity3 -
                                                            section.centre * section.centre.transpose());
  const Mat3 spread = 0.5 * about_line.trace() * identity3 - about_line;
  const auto integral = [&](int f, int h) {
    Mat3 sum = Mat3::Zero();
    for (int e = 0; e < rod.elements(); ++e)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          sum += section.mass * rod.element_length() * CosseratRod<3>::mass_share(i, j) *
                 fields[2 * e + i][f].t * fields[2 * e + j][h].t.transpose();
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Mat3& R = rod.rest()[k].R;
      sum += rod.weight(static_cast<int>(k)) * fields[k][f].G * R * spread * R.transpose() *
             fields[k][h].G.transpose();
    }
    return sum;
  };
  data.N00 = integral(0, 0);
  for (int i = 1; i <= n; ++i) {
    data.N0.push_back(integral(0, i));
    for (int j = 1; j <= n; ++j) data.N.push_back(integral(i, j));
  }
  for (int k = 0; stiffening && k < n * n; ++k) data.second_N0.push_back(integral(0, 1 + n + k));
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const double mass = section.mass * rod.weight(static_cast<int>(k));
    data.first_moment += mass * fields[k][0].t;
    for (int i = 0; i < n; ++i) data.psi.col(i) += mass * fields[k][i + 1].t;
    for (int i = 0; i < data.second_psi.cols(); ++i) data.second_psi.col(i) += mass * fields[k][1 + n + i].t;
  }
  return data;
}

FfrfRod::Frame FfrfRod::attach(const FramePose& X_BF, double arc) const {
  const double at = std::clamp(arc / rod.length(), 0.0, 1.0) * rod.elements();
  const int e = std::min(static_cast<int>(at), rod.elements() - 1);
  const Lagrange<3> shape(at - e);
  Frame f{.shift = Mat3X::Zero(3, modes()), .rotation = Mat3X::Zero(3, modes())};
  for (int i = 0; i < 3; ++i) {
    const ModalData::Node& node = data.nodes[2 * e + i];
    f.at += shape.value[i] * node.at.p;
    f.shift += shape.value[i] * node.shift;
    f.rotation += shape.value[i] * node.rotation;
    if (!data.stiffens()) continue;
    if (i == 0) f.second_shift = f.second_rotation = Mat3X::Zero(3, modes() * modes());
    f.second_shift += shape.value[i] * node.second_shift;
    f.second_rotation += shape.value[i] * node.second_rotation;
  }
  f.R = X_BF.R;
  f.s = X_BF.p - f.at;
  return f;
}

}  // namespace hooke
