#include "hooke/fe/solid_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

#include "hooke/fe/shape_functions.h"
#include "hooke/math/pack.h"

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

/// Those of one stiffness together where they fill a four.
std::vector<SolidModel::Four> fours_of(const SolidModel& model) {
  constexpr int full = 4;
  std::vector<int> sharing(model.element_stiffness.size(), 0);
  for (const SolidModel::Element& e : model.elements) ++sharing[e.stiffness];
  std::map<std::pair<ElementType, int>, SolidModel::Four> open;
  std::vector<SolidModel::Four> fours;
  for (int i = 0; i < static_cast<int>(model.elements.size()); ++i) {
    const SolidModel::Element& e = model.elements[i];
    const bool is_shared = sharing[e.stiffness] >= full;
    SolidModel::Four& four = open.try_emplace({e.type, is_shared ? e.stiffness : -1},
                                              SolidModel::Four{e.type, is_shared, 0, 0, {}})
                                 .first->second;
    four.element[four.count++] = i;
    if (four.count < full) continue;
    fours.push_back(four);
    four.count = 0;
  }
  for (const auto& [key, four] : open)
    if (four.count > 0) fours.push_back(four);
  return fours;
}

/// The symmetric matrix of blocks of `size` rows: diagonal(i, c, d) is an entry of a node's block, coupling(k, c, d) one of those
/// of couplings. Couplings for which is_there(k) is false are left out.
template <class Diagonal, class Coupling, class IsThere>
SparseMatrix from_blocks(int nodes, int size, const std::vector<std::pair<int, int>>& couplings,
                         Diagonal&& diagonal, Coupling&& coupling, IsThere&& is_there) {
  const int count = static_cast<int>(couplings.size());
  std::vector<int> blocks(nodes, 1);  // of each column
  for (int k = 0; k < count; ++k)
    if (is_there(k)) ++blocks[couplings[k].first], ++blocks[couplings[k].second];
  SparseMatrix A(size * nodes, size * nodes);
  for (int i = 0, end = 0; i < nodes; ++i)
    for (int d = 0; d < size; ++d) A.outerIndexPtr()[size * i + d + 1] = end += size * blocks[i];
  A.resizeNonZeros(A.outerIndexPtr()[size * nodes]);
  std::vector<int> filled(nodes,
                          0);  // blocks of each column, which come in order: above, on and below the diagonal
  const auto put = [&](int i, int j, auto&& entry) {
    for (int d = 0; d < size; ++d) {
      const int to = A.outerIndexPtr()[size * j + d] + size * filled[j];
      for (int c = 0; c < size; ++c)
        A.innerIndexPtr()[to + c] = size * i + c, A.valuePtr()[to + c] = entry(c, d);
    }
    ++filled[j];
  };
  for (int i = 0, k = 0; i < nodes; ++i) {
    put(i, i, [&](int c, int d) { return diagonal(i, c, d); });
    for (; k < count && couplings[k].first == i; ++k) {
      if (!is_there(k)) continue;
      put(i, couplings[k].second, [&](int c, int d) { return coupling(k, c, d); });
      put(couplings[k].second, i, [&](int c, int d) { return coupling(k, d, c); });
    }
  }
  return A;
}

}  // namespace

SolidModel::SolidModel(SolidMesh the_mesh, std::vector<SolidMaterial> the_materials,
                       const SolidOptions& the_options)
    : mesh(std::move(the_mesh)), materials(std::move(the_materials)), options(the_options) {
  if (const auto faults = mesh_faults(mesh); !faults.empty()) throw std::invalid_argument(faults.front());
  const int n = nodes();
  couplings = couplings_of(mesh);
  diagonal_stiffness.assign(n + 1, Mat3::Zero());
  coupling_stiffness.assign(couplings.size() + 1, Mat3::Zero());
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
  fours = fours_of(*this);
  std::vector<int> first{0}, touched;
  for (Four& four : fours) {
    four.first_place = first.back();
    for (int k = 0; k < four.count; ++k) {
      const auto of = mesh.nodes_of(mesh.elements[four.element[k]]);
      touched.insert(touched.end(), of.begin(), of.end());
    }
    first.push_back(static_cast<int>(touched.size()));
  }
  sums_of_elements = {n, first, touched};
  first = {0}, touched.clear();
  for (int i = 0, k = 0; i < n; ++i) {
    first_coupling.push_back(k);
    touched.push_back(i);
    for (; k < static_cast<int>(couplings.size()) && couplings[k].first == i; ++k)
      touched.push_back(couplings[k].second);
    first.push_back(static_cast<int>(touched.size()));
  }
  first_coupling.push_back(static_cast<int>(couplings.size()));
  sums_of_couplings = {n, first, touched};
  matrices = {
      from_blocks(
          n, 1, couplings, [&](int i, int, int) { return diagonal_mass[i]; },
          [&](int k, int, int) { return coupling_mass[k]; }, [&](int k) { return coupling_mass[k] != 0; }),
      from_blocks(
          n, 3, couplings, [&](int i, int c, int d) { return diagonal_stiffness[i](c, d); },
          [&](int k, int c, int d) { return coupling_stiffness[k](c, d); }, [](int) { return true; })};
  share = matrices.M * VectorX::Ones(n);
  weight /= weight.sum();
  centre.setZero();
  for (int i = 0; i < n; ++i) centre += weight[i] * mesh.nodes[i];
  arms.resize(3, n);
  for (int i = 0; i < n; ++i) arms.col(i) = mesh.nodes[i] - centre;
  extent = arms.colwise().norm().maxCoeff();
}

namespace {

using Register = Pack::Register;

Register load(const double* from) {
  Register to;
  std::memcpy(&to, from, sizeof to);
  return to;
}
void add(Register value, double* to) {
  value += load(to);
  std::memcpy(to, &value, sizeof value);
}
/// The sum of a, of b and of c.
Register sums(Register a, Register b, Register c) {
  const Register zero{},
      of_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7),
      of_c = __builtin_shufflevector(c, zero, 0, 4, 2, 6) + __builtin_shufflevector(c, zero, 1, 5, 3, 7);
  return __builtin_shufflevector(of_ab, of_c, 0, 1, 4, 5) + __builtin_shufflevector(of_ab, of_c, 2, 3, 6, 7);
}

/// Each block of the upper triangle serves twice: it is read once, and takes longer to come than to be used.
template <int columns>
void multiply(const SolidModel& model, const double* u, double* f, Team* team) {
  constexpr int stride = Pack::lanes * columns;
  const SharedSums& sums_at = model.sums_of_couplings;
  std::fill_n(f, static_cast<std::size_t>(model.places()) * stride, 0.0);
  const auto at = [&](auto* x, int node) { return x + static_cast<std::size_t>(node) * stride; };
  sums_at.run(team, [&](int i) {
    Register u_i[columns], sum[columns];
    const double *in = at(u, i), *D = model.diagonal_stiffness[i].data();
    for (int c = 0; c < columns; ++c, in += Pack::lanes) {
      u_i[c] = load(in);
      sum[c] = load(D) * in[0] + load(D + 3) * in[1] + load(D + 6) * in[2];
    }
    const int* place = sums_at.places() + i + model.first_coupling[i];
    double* own = at(f, *place);
    for (int k = model.first_coupling[i]; k < model.first_coupling[i + 1]; ++k) {
      const double *K = model.coupling_stiffness[k].data(), *u_j = at(u, model.couplings[k].second);
      double* f_j = at(f, *++place);
      const Register x = load(K), y = load(K + 3), z = load(K + 6);
      for (int c = 0; c < columns; ++c, u_j += Pack::lanes, f_j += Pack::lanes) {
        sum[c] += x * u_j[0] + y * u_j[1] + z * u_j[2];
        add(sums(x * u_i[c], y * u_i[c], z * u_i[c]), f_j);
      }
    }
    for (int c = 0; c < columns; ++c) add(sum[c], own + Pack::lanes * c);
  });
  sums_at.gather([&](int node, int k) {
    for (int c = 0; c < columns; ++c)
      add(load(at(f, model.nodes() + k) + Pack::lanes * c), at(f, node) + Pack::lanes * c);
  });
}

}  // namespace

void SolidModel::multiply_stiffness(const double* u, double* f, int columns, Team* team) const {
  if (columns == 1)
    multiply<1>(*this, u, f, team);
  else if (columns == 2)
    multiply<2>(*this, u, f, team);
  else
    multiply<4>(*this, u, f, team);
}

void SolidModel::add_mass_product(const double* a, double factor, double* r, Team* team) const {
  Eigen::Map<const Mat3X> in(a, 3, nodes());
  Eigen::Map<Mat3X> out(r, 3, nodes());
  if (options.lumped_mass) {
    for (int i = 0; i < nodes(); ++i) out.col(i) += factor * diagonal_mass[i] * in.col(i);
    return;
  }
  thread_local std::vector<double> buffer;
  if (buffer.size() < 4 * static_cast<std::size_t>(nodes())) buffer.resize(4 * nodes(), 0.0);
  double* const wide = buffer.data();  // as registers take them; the fourth is zero
  for (int i = 0; i < nodes(); ++i)
    for (int d = 0; d < 3; ++d) wide[4 * i + d] = factor * in(d, i);
  const SparseMatrix& M = matrices.M;
  share_out(sums_of_couplings.shares() > 1 ? team : nullptr, [&](Share own) {
    for (auto [j, end] = own.of_loop(nodes()); j < end; ++j) {
      Register sum{};
      for (int k = M.outerIndexPtr()[j]; k < M.outerIndexPtr()[j + 1]; ++k)
        sum += M.valuePtr()[k] * load(wide + 4 * static_cast<std::size_t>(M.innerIndexPtr()[k]));
      for (int d = 0; d < 3; ++d) out(d, j) += sum[d];
    }
  });
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
