#include "hooke/bodies/ffrf_rod.h"

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
  const MatrixX start = ends.leftCols<6>().transpose(), mean = rigid.transpose() * M;
  refer_to(reference == RodReference::mean ? mean : start, rigid, modes.shapes);
  return modes;
}

/// A displacement field at a node: value t of the mass centre, and G d at a point d of the section beside it.
struct Field {
  Vec3 t;
  Mat3 G;
};

}  // namespace

ModalData modal_data(const CosseratRod<3>& rod, ModalBasis basis, int n, RodReference reference,
                     double damping_ratio) {
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
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const double mass = section.mass * rod.weight(static_cast<int>(k));
    data.first_moment += mass * fields[k][0].t;
    for (int i = 0; i < n; ++i) data.psi.col(i) += mass * fields[k][i + 1].t;
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
  }
  f.R = X_BF.R;
  f.s = X_BF.p - f.at;
  return f;
}

}  // namespace hooke
