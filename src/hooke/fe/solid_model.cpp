#include "hooke/fe/solid_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "hooke/fe/shape_functions.h"

namespace hooke {
namespace {

/// Elements with the same key have the same stiffness: type, material, and corners relative to the first.
std::vector<long long> key_of(const SolidMesh::Element& element, const Mat3X& x) {
  std::vector<long long> key{static_cast<long long>(element.type), element.material};
  // A power of two near a billionth of the size, so that congruent elements have the same.
  const double unit =
      std::exp2(std::round(std::log2((x.colwise() - x.col(0)).colwise().norm().maxCoeff())) - 30);
  key.push_back(std::llround(std::log2(unit)));
  for (int a = 1; a < x.cols(); ++a)
    for (int d = 0; d < 3; ++d) key.push_back(std::llround((x(d, a) - x(d, 0)) / unit));
  return key;
}

std::vector<std::pair<int, int>> couplings_of(const SolidMesh& mesh) {
  std::vector<std::pair<int, int>> pairs;
  for (const SolidMesh::Element& element : mesh.elements) {
    const auto nodes = mesh.nodes_of(element);
    for (int i : nodes)
      for (int j : nodes)
        if (i < j) pairs.emplace_back(i, j);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

SparseMatrix from_blocks(int nodes, int size, const SolidModel& model, bool stiffness) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&](int i, int j, const auto& block) {
    for (int c = 0; c < size; ++c)
      for (int d = 0; d < size; ++d) entries.emplace_back(size * i + c, size * j + d, block(c, d));
  };
  const auto scalar = [](double value) { return Eigen::Matrix<double, 1, 1>(value); };
  for (int i = 0; i < nodes; ++i)
    stiffness ? put(i, i, model.diagonal_stiffness[i]) : put(i, i, scalar(model.diagonal_mass[i]));
  for (std::size_t k = 0; k < model.couplings.size(); ++k) {
    const auto [i, j] = model.couplings[k];
    if (stiffness) {
      put(i, j, model.coupling_stiffness[k]);
      put(j, i, model.coupling_stiffness[k].transpose());
    } else if (model.coupling_mass[k] != 0) {
      put(i, j, scalar(model.coupling_mass[k]));
      put(j, i, scalar(model.coupling_mass[k]));
    }
  }
  SparseMatrix A(size * nodes, size * nodes);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

}  // namespace

SolidModel::SolidModel(SolidMesh the_mesh, std::vector<SolidMaterial> the_materials,
                       const SolidOptions& the_options)
    : mesh(std::move(the_mesh)), materials(std::move(the_materials)), options(the_options) {
  if (const auto faults = mesh_faults(mesh); !faults.empty()) throw std::invalid_argument(faults.front());
  const int n = nodes();
  couplings = couplings_of(mesh);
  diagonal_stiffness.assign(n, Mat3::Zero());
  coupling_stiffness.assign(couplings.size(), Mat3::Zero());
  diagonal_mass.assign(n, 0);
  coupling_mass.assign(couplings.size(), 0);
  weight = VectorX::Zero(n);

  std::map<std::vector<long long>, int> known;
  std::vector<MatrixX> masses;
  for (const SolidMesh::Element& element : mesh.elements) {
    const Mat3X x = mesh.positions_of(element);
    const auto [at, is_new] =
        known.try_emplace(key_of(element, x), static_cast<int>(element_stiffness.size()));
    if (is_new) {
      const SolidMaterial& material = materials.at(element.material);
      element_stiffness.push_back(hooke::element_stiffness(element.type, x, material.elasticity, options));
      masses.push_back(element_mass(element.type, x, material.density, options));
    }
    elements.push_back({element.type, element.first, at->second, static_cast<int>(element_pairs.size())});
    const MatrixX &K = element_stiffness[at->second], &M = masses[at->second];
    const double mass = M.sum() / M.trace();
    const auto of = mesh.nodes_of(element);
    for (int a = 0; a < x.cols(); ++a) {
      weight[of[a]] += mass * M(a, a);
      for (int b = 0; b < x.cols(); ++b) {
        if (a == b) {
          element_pairs.push_back(of[a]);
          diagonal_stiffness[of[a]] += K.block<3, 3>(3 * a, 3 * a);
          diagonal_mass[of[a]] += M(a, a);
          continue;
        }
        const bool upper = of[a] < of[b];
        const std::pair pair = upper ? std::pair(of[a], of[b]) : std::pair(of[b], of[a]);
        const auto k = std::lower_bound(couplings.begin(), couplings.end(), pair) - couplings.begin();
        element_pairs.push_back(n + 2 * static_cast<int>(k) + !upper);
        if (upper) {
          coupling_stiffness[k] += K.block<3, 3>(3 * a, 3 * b);
          coupling_mass[k] += M(a, b);
        }
      }
    }
  }
  matrices = {from_blocks(n, 1, *this, false), from_blocks(n, 3, *this, true)};
  share = matrices.M * VectorX::Ones(n);
  weight /= weight.sum();
  centre.setZero();
  for (int i = 0; i < n; ++i) centre += weight[i] * mesh.nodes[i];
  arms.resize(3, n);
  for (int i = 0; i < n; ++i) arms.col(i) = mesh.nodes[i] - centre;
  extent = arms.colwise().norm().maxCoeff();
}

namespace {

/// Each block of the upper triangle serves twice.
template <int columns>
void multiply_stiffness(const SolidModel& model, const double* u, double* f) {
  using Block = Eigen::Matrix<double, 3, columns>;
  const auto in = [&](int i) { return Eigen::Map<const Block>(u + 3 * columns * i); };
  const auto out = [&](int i) { return Eigen::Map<Block>(f + 3 * columns * i); };
  const auto& couplings = model.couplings;
  std::size_t k = 0;
  for (int i = 0; i < model.nodes(); ++i) {
    const Block u_i = in(i);
    Block sum = model.diagonal_stiffness[i] * u_i;
    for (; k < couplings.size() && couplings[k].first == i; ++k) {
      const int j = couplings[k].second;
      const Mat3& K = model.coupling_stiffness[k];
      sum.noalias() += K * in(j);
      out(j).noalias() += K.transpose() * u_i;
    }
    out(i) += sum;
  }
}

}  // namespace

void SolidModel::add_stiffness_product(const double* u, double* f, int columns) const {
  if (columns == 1)
    multiply_stiffness<1>(*this, u, f);
  else if (columns == 2)
    multiply_stiffness<2>(*this, u, f);
  else
    multiply_stiffness<3>(*this, u, f);
}

void SolidModel::add_mass_product(const double* a, double factor, double* r) const {
  Eigen::Map<const Mat3X> in(a, 3, nodes());
  Eigen::Map<Mat3X> out(r, 3, nodes());
  if (options.lumped_mass) {
    for (int i = 0; i < nodes(); ++i) out.col(i) += factor * diagonal_mass[i] * in.col(i);
    return;
  }
  const SparseMatrix& M = matrices.M;
  for (int j = 0; j < nodes(); ++j) {
    Vec3 sum = zero3;
    for (int k = M.outerIndexPtr()[j]; k < M.outerIndexPtr()[j + 1]; ++k)
      sum += M.valuePtr()[k] * in.col(M.innerIndexPtr()[k]);
    out.col(j) += factor * sum;
  }
}

/// A load on a face is shared by its corners: exact for flat triangles and parallelograms, which a constant
/// traction on linear elements needs; of quadratic elements the middle nodes take part in the same way.
std::vector<SolidModel::LoadedFace> SolidModel::faces_of(const std::vector<int>& set) const {
  std::vector<char> is_in(nodes(), 0);
  for (int node : set) is_in[node] = 1;
  std::vector<LoadedFace> loaded;
  for (const BoundaryFace& boundary : boundary_faces(mesh)) {
    LoadedFace face{boundary.corners, {}, {}};
    const int corners = face.corner_count();
    if (!std::all_of(face.corners.begin(), face.corners.begin() + corners, [&](int c) { return is_in[c]; }))
      continue;
    const ElementType type = mesh.elements[boundary.element].type;
    const auto of = mesh.nodes_of(mesh.elements[boundary.element]);
    const bool quadratic = node_count(type) > hooke::corner_count(type);
    // Of quadratic triangles the middles take all; of serendipity faces a third each, the corners -1/12.
    const double corner_share = !quadratic ? 1.0 / corners : corners == 3 ? 0 : -1.0 / 12;
    for (int k = 0; k < corners; ++k) face.shares.emplace_back(face.corners[k], corner_share);
    const auto on_face = [&](int node) {
      return std::find(face.corners.begin(), face.corners.end(), node) != face.corners.end();
    };
    if (quadratic)
      for (int middle = hooke::corner_count(type); const auto& [a, b] : edges(type)) {
        if (on_face(of[a]) && on_face(of[b])) face.shares.emplace_back(of[middle], 1.0 / 3);
        ++middle;
      }
    const auto place = [&](int node) {
      return static_cast<int>(std::find(of.begin(), of.end(), node) - of.begin());
    };
    const int* pair = element_pairs.data() + elements[boundary.element].first_pair;
    for (const auto& [node, part] : face.shares)
      for (int k = 0; k < corners; ++k)
        face.pairs.push_back(pair[place(node) * static_cast<int>(of.size()) + place(face.corners[k])]);
    loaded.push_back(std::move(face));
  }
  if (loaded.empty())
    throw std::invalid_argument(
        "the set holds no whole face of an element: a surface load needs all corners of one");
  return loaded;
}

Mat3X SolidModel::surface_load(const std::vector<int>& set, const Vec3& traction, double pressure) const {
  Mat3X load = Mat3X::Zero(3, nodes());
  for (const LoadedFace& face : faces_of(set)) {
    const Vec3 area = face_area(face.corners, [&](int node) { return mesh.nodes[node]; });
    for (const auto& [node, part] : face.shares)
      load.col(node) += part * (area.norm() * traction - pressure * area);
  }
  return load;
}

double SolidModel::largest_turn(const Mat3X& u) const {
  double largest = 0;
  ElementType type{};
  Mat3X gradient;
  for (const SolidMesh::Element& element : mesh.elements) {
    if (gradient.size() == 0 || element.type != type) {
      type = element.type;
      Vec3 middle = zero3;
      for (int a = 0; a < node_count(type); ++a) middle += unit_position(type, a) / node_count(type);
      gradient = shape_values(type, middle).gradient;
    }
    Mat3 J = Mat3::Zero(), H = Mat3::Zero();
    int a = 0;
    for (const int n : mesh.nodes_of(element)) {
      J += mesh.nodes[static_cast<std::size_t>(n)] * gradient.col(a).transpose();
      H += u.col(n) * gradient.col(a++).transpose();
    }
    H *= J.inverse();
    largest = std::max(largest, 0.5 * Vec3(H(2, 1) - H(1, 2), H(0, 2) - H(2, 0), H(1, 0) - H(0, 1)).norm());
  }
  return largest;
}

}  // namespace hooke
