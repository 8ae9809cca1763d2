#include "hooke/bodies/ffrf_solid.h"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "hooke/fe/boundary_triangles.h"
#include "hooke/fe/second_order.h"
#include "hooke/fe/stress_matrix.h"

namespace hooke {
namespace {

/// Motion of a node's three dofs that goes with six of a point: [1, -(x - c)~].
Eigen::Matrix<double, 3, 6> rigid_rows(const Vec3& arm) {
  Eigen::Matrix<double, 3, 6> rows;
  rows << identity3, -hat(arm);
  return rows;
}

/// Some nodes of the mesh as one frame: its place is their mean, and it moves as they do in the mean, with
/// the rotation that fits them best (least squares). Where the nodes move as a rigid body, so does the frame.
struct Interface {
  const std::vector<int>& nodes;
  Vec3 centre = zero3;
  MatrixX average;  ///< 6 x 3 nodes
  Mat3X arms;       ///< of the nodes from the centre

  Interface(const SolidMesh& mesh, const std::vector<int>& some, const std::string& name) : nodes(some) {
    const double share = 1.0 / static_cast<double>(nodes.size());
    for (int k : nodes) centre += share * mesh.nodes[k];
    MatrixX rows(3 * nodes.size(), 6);
    arms.resize(3, nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      arms.col(i) = mesh.nodes[nodes[i]] - centre;
      rows.middleRows<3>(3 * i) = rigid_rows(arms.col(i));
    }
    const Eigen::FullPivLU<Mat6> normal(rows.transpose() * rows);
    if (normal.rank() < 6)
      throw std::invalid_argument("the nodes of " + name +
                                  " lie on a line: it has no orientation; it needs three that do not");
    average = normal.solve(rows.transpose());
  }
  MatrixX average_of_all(Eigen::Index dofs) const {
    MatrixX all = MatrixX::Zero(6, dofs);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      all.middleCols<3>(3 * nodes[i]) = average.middleCols<3>(3 * i);
    return all;
  }
  /// Of shapes given for all dofs of the mesh.
  MatrixX motion_of(const MatrixX& shapes) const {
    MatrixX sum = MatrixX::Zero(6, shapes.cols());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      sum += average.middleCols<3>(3 * i) * shapes.middleRows<3>(3 * nodes[i]);
    return sum;
  }
  /// What products of two motions a, b (of all dofs) with rotations turn_a, turn_b add to the rotation vector.
  Vec3 second_turn(const auto& a, const Vec3& turn_a, const auto& b, const Vec3& turn_b) const {
    Vec3 moment = zero3;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Vec3 X = arms.col(i), u_a = a.template segment<3>(3 * nodes[i]),
                 u_b = b.template segment<3>(3 * nodes[i]);
      moment += turn_a.cross(X).cross(u_b) + turn_b.cross(X).cross(u_a) +
                0.5 * (turn_a.cross(turn_b.cross(X)) + turn_b.cross(turn_a.cross(X))).cross(X);
    }
    const Mat3 S = arms * arms.transpose();
    return (S.trace() * identity3 - S).inverse() * moment;
  }
};

/// Columns: the motions of rigid interfaces.
SparseMatrix boundary_of(const SolidMesh& mesh, const std::vector<Interface>& interfaces) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < interfaces.size(); ++k)
    for (int node : interfaces[k].nodes) {
      const auto rows = rigid_rows(mesh.nodes[node] - interfaces[k].centre);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j)
          if (rows(i, j) != 0) entries.emplace_back(3 * node + i, static_cast<int>(6 * k) + j, rows(i, j));
    }
  SparseMatrix boundary(3 * static_cast<int>(mesh.nodes.size()), 6 * static_cast<int>(interfaces.size()));
  boundary.setFromTriplets(entries.begin(), entries.end(), [](double a, double) { return a; });
  return boundary;
}

/// The nodes of all elements at each node, itself among them.
std::vector<std::vector<int>> neighbourhoods(const SolidMesh& mesh) {
  std::vector<std::vector<int>> around(mesh.nodes.size());
  for (const SolidMesh::Element& element : mesh.elements)
    for (int node : mesh.nodes_of(element))
      for (int other : mesh.nodes_of(element)) around[node].push_back(other);
  for (std::vector<int>& nodes : around) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return around;
}

/// Of each mode.
void add_stresses(const SolidMesh& mesh, const std::vector<SolidMaterial>& materials,
                  const SolidOptions& options, const MatrixX& shapes, std::vector<ModalData::Node>& nodes) {
  std::vector<int> all(mesh.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  const MatrixX stresses = stress_matrix(mesh, materials, options, all) * shapes;
  for (std::size_t k = 0; k < all.size(); ++k)
    nodes[k].stress = stresses.middleRows<6>(6 * static_cast<int>(k));
}

/// Integrals of products of the fields x, S_1, ..., S_n with the consistent (or lumped) mass of the nodes.
void add_inertia(const SolidMesh& mesh, const SparseMatrix& mass, const MatrixX& shapes, ModalData& data) {
  const int n = static_cast<int>(shapes.cols()), nodes = static_cast<int>(mesh.nodes.size());
  const auto field = [&](int i) -> MatrixX {  // nodes x 3
    return shapes.col(i).reshaped(3, nodes).transpose();
  };
  MatrixX x(nodes, 3);
  for (int k = 0; k < nodes; ++k) x.row(k) = mesh.nodes[k].transpose();
  const VectorX ones = VectorX::Ones(nodes), of_node = mass * ones;
  data.mass = of_node.sum();
  data.first_moment = x.transpose() * of_node;
  data.N00 = x.transpose() * (mass * x);
  data.psi.resize(3, n);
  data.N.resize(n * n);
  for (int j = 0; j < n; ++j) {
    const MatrixX weighted = mass * field(j);
    data.psi.col(j) = field(j).transpose() * of_node;
    data.N0.push_back(x.transpose() * weighted);
    for (int i = 0; i < n; ++i) data.N[i * n + j] = field(i).transpose() * weighted;
  }
}

/// One row of s_ij after the other: of all of them together the solutions would fill the memory.
void add_second_order(const SolidModel& model, const Modes& modes, const StaticResponse& response,
                      const std::vector<Interface>& interfaces, ModalData& data) {
  const MatrixX& shapes = modes.shapes;
  const int n = static_cast<int>(shapes.cols()), nodes = model.nodes();
  data.second_psi.resize(3, n * n);
  data.second_N0.resize(n * n);
  const int first = static_cast<int>(data.nodes.size() - interfaces.size());
  for (std::size_t f = 0; f < interfaces.size(); ++f)
    data.nodes[first + f].second_shift = data.nodes[first + f].second_rotation = Mat3X::Zero(3, n * n);
  MatrixX x(3, nodes);
  for (int k = 0; k < nodes; ++k) x.col(k) = model.mesh.nodes[k];
  const MatrixX weighted = x * model.matrices.M;
  MatrixX squares(shapes.rows(), n);
  for (int i = 0; i < n; ++i) squares.col(i) = second_forces(model, shapes.col(i), 0);
  const QuadraticEnergy energy(model.matrices.K, modes, squares);
  for (int i = 0; i < n; ++i) {
    MatrixX second = response(-second_forces(model, shapes, i));
    energy.correct(i, i, second);
    for (int j = i; j < n; ++j) {
      const auto s = second.col(j - i).reshaped(3, nodes);
      const Vec3 psi = s * model.share;
      const Mat3 N0 = weighted * s.transpose();
      for (int k : {i * n + j, j * n + i}) data.second_psi.col(k) = psi, data.second_N0[k] = N0;
    }
    for (std::size_t f = 0; f < interfaces.size(); ++f) {
      ModalData::Node& node = data.nodes[first + f];
      const MatrixX motion = interfaces[f].motion_of(second);
      for (int j = i; j < n; ++j) {
        const Vec3 turn = interfaces[f].second_turn(shapes.col(i), node.rotation.col(i), shapes.col(j),
                                                    node.rotation.col(j));
        for (int k : {i * n + j, j * n + i}) {
          node.second_shift.col(k) = motion.col(j - i).head<3>();
          node.second_rotation.col(k) = motion.col(j - i).tail<3>() + turn;
        }
      }
    }
  }
}

}  // namespace

ModalData modal_data(const SolidMesh& mesh, const std::vector<SolidMaterial>& materials,
                     const SolidReduction& reduction, const SolidOptions& options) {
  const SolidMatrices matrices = assemble(mesh, materials, options);
  const SparseMatrix M = of_all_coordinates(matrices.mass);
  const SparseMatrix& K = matrices.stiffness;
  std::vector<Interface> interfaces;
  for (const std::string& name : reduction.interfaces)
    interfaces.emplace_back(mesh, mesh.set(name), "interface '" + name + "'");
  MatrixX rigid(M.rows(), 6);
  for (std::size_t k = 0; k < mesh.nodes.size(); ++k) rigid.middleRows<3>(3 * k) = rigid_rows(mesh.nodes[k]);

  Modes modes;
  if (reduction.basis == ModalBasis::free) {
    modes = lowest_modes(M, K, reduction.modes, rigid);
  } else if (interfaces.empty()) {
    throw std::invalid_argument("this basis needs 'interfaces': node sets that joints will hold");
  } else if (reduction.basis == ModalBasis::clamped) {
    modes = clamped_modes(M, K, boundary_of(mesh, {interfaces[0]}), reduction.modes);
  } else {
    modes = craig_bampton(M, K, boundary_of(mesh, interfaces), reduction.modes, rigid);
  }
  const auto at = std::find(reduction.interfaces.begin(), reduction.interfaces.end(), reduction.reference);
  if (!reduction.reference.empty() && at == reduction.interfaces.end())
    throw std::invalid_argument("the reference '" + reduction.reference + "' is none of the interfaces");
  const MatrixX reference = reduction.reference.empty()
                                ? MatrixX(rigid.transpose() * M)
                                : interfaces[at - reduction.interfaces.begin()].average_of_all(M.rows());
  refer_to(reference, rigid, modes.shapes);

  ModalData data;
  add_inertia(mesh, matrices.mass, modes.shapes, data);
  data.stiffness = modes.shapes.transpose() * (K * modes.shapes);
  data.damping = (2 * reduction.damping_ratio * modes.omega2.cwiseMax(0).cwiseSqrt()).asDiagonal();
  const auto around = neighbourhoods(mesh);
  for (std::size_t k = 0; k < mesh.nodes.size(); ++k) {
    const MatrixX motion = Interface(mesh, around[k], "node " + std::to_string(k)).motion_of(modes.shapes);
    data.nodes.push_back(
        {{identity3, mesh.nodes[k]}, modes.shapes.middleRows(3 * k, 3), motion.bottomRows(3)});
  }
  add_stresses(mesh, materials, options, modes.shapes, data.nodes);
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    const MatrixX motion = interfaces[i].motion_of(modes.shapes);
    data.nodes.push_back({{identity3, interfaces[i].centre},
                          motion.topRows(3),
                          motion.bottomRows(3),
                          {},
                          reduction.interfaces[i]});
  }
  if (reduction.stiffening)
    add_second_order(SolidModel(mesh, materials, options), modes, StaticResponse(K, reference, rigid),
                     interfaces, data);
  data.triangles = boundary_triangles(mesh);
  return data;
}

}  // namespace hooke
