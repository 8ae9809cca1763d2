#include "hooke/fe/second_order.h"

#include <Eigen/LU>

namespace hooke {
namespace {

/// An element's own part of it, for modes a and b.
class Element {
 public:
  explicit Element(const Mat3X& nodes) : X_(nodes) {
    X_.colwise() -= nodes.rowwise().mean();
    const Mat3 S = X_ * X_.transpose();
    inverse_A_ = (S.trace() * identity3 - S).inverse();
  }
  int size() const { return static_cast<int>(X_.cols()); }
  Vec3 turn(const Mat3X& u) const {
    Vec3 sum = zero3;
    for (int k = 0; k < size(); ++k) sum += X_.col(k).cross(u.col(k));
    return inverse_A_ * sum;
  }
  /// 2 e(a, b)
  Mat3X twice_e(const Mat3X& a, const Vec3& turn_a, const Mat3X& b, const Vec3& turn_b) const {
    const Mat3 squares = 0.5 * (hat(turn_a) * hat(turn_b) + hat(turn_b) * hat(turn_a));
    return squares * X_ - hat(turn_a) * b - hat(turn_b) * a;
  }
  /// f with  w . f = 2 (K a) . e(b, w)  for every w.
  void add_transposed(const Mat3X& Ka, const Mat3X& b, const Vec3& turn_b, Mat3X& f) const {
    Vec3 moment = zero3;
    for (int k = 0; k < size(); ++k) {
      const Vec3 n = Ka.col(k), X = X_.col(k);
      moment += 0.5 * (X.cross(n.cross(turn_b)) + turn_b.cross(X).cross(n)) - b.col(k).cross(n);
    }
    f += hat(turn_b) * Ka + hat(inverse_A_ * moment) * X_;
  }

 private:
  Mat3X X_;
  Mat3 inverse_A_;
};

}  // namespace

MatrixX second_forces(const SolidModel& model, const MatrixX& shapes, int i) {
  const int n = static_cast<int>(shapes.cols()), count = n - i;
  MatrixX result = MatrixX::Zero(shapes.rows(), count);
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const SolidMesh::Element& of = model.mesh.elements[e];
    const MatrixX& K = model.element_stiffness[model.elements[e].stiffness];
    const Element element(model.mesh.positions_of(of));
    const auto nodes = model.mesh.nodes_of(of);
    const int size = element.size();
    MatrixX u(3 * size, count), twice_e(3 * size, count);
    for (int k = 0; k < size; ++k) u.middleRows<3>(3 * k) = shapes.block(3 * nodes[k], i, 3, count);
    const MatrixX Ku = K * u;
    const auto column = [&](const MatrixX& of_all, int j) -> Mat3X {
      return of_all.col(j).reshaped(3, size);
    };
    const Mat3X a = column(u, 0), Ka = column(Ku, 0);
    const Vec3 turn_a = element.turn(a);
    std::vector<Vec3> turns;
    for (int j = 0; j < count; ++j) {
      const Mat3X b = column(u, j);
      turns.push_back(element.turn(b));
      twice_e.col(j) = element.twice_e(a, turn_a, b, turns.back()).reshaped();
    }
    const MatrixX direct = K * twice_e;
    for (int j = 0; j < count; ++j) {
      Mat3X f = column(direct, j);
      element.add_transposed(Ka, column(u, j), turns[j], f);
      element.add_transposed(column(Ku, j), a, turn_a, f);
      for (int k = 0; k < size; ++k) result.block<3, 1>(3 * nodes[k], j) += f.col(k);
    }
  }
  return result;
}

/// How much of their own stiffness a unit of energy in mode k gives to the others, to the fourth power; all share where none does.
QuadraticEnergy::QuadraticEnergy(const SparseMatrix& K, const Modes& modes, const MatrixX& second_forces)
    : modes_(modes), KS_(K * modes.shapes), square_(modes.omega2.cwiseMax(1e-300)) {
  const MatrixX given = modes.shapes.transpose() * second_forces * square_.cwiseInverse().asDiagonal();
  weight_ = (given.rowwise().squaredNorm().array() / square_.array()).square();
  weight_.array() += 1e-12 * weight_.maxCoeff() + 1e-300;
}

void QuadraticEnergy::correct(int i, int first, Eigen::Ref<MatrixX> second) const {
  MatrixX change = KS_.transpose() * second;
  for (Eigen::Index c = 0; c < change.cols(); ++c)
    for (Eigen::Index k = 0; k < change.rows(); ++k)
      change(k, c) *= (weight_[k] / (weight_[i] + weight_[first + c] + weight_[k]) - 1) / square_[k];
  second.noalias() += modes_.shapes * change;
}

}  // namespace hooke
