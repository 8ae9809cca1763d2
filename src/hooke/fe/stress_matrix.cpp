#include "hooke/fe/stress_matrix.h"

#include <algorithm>
#include <cmath>

namespace hooke {

Eigen::SparseMatrix<double, Eigen::RowMajor> stress_matrix(const SolidMesh& mesh,
                                                           const std::vector<SolidMaterial>& materials,
                                                           const SolidOptions& options,
                                                           const std::vector<int>& nodes) {
  std::vector<int> place(mesh.nodes.size(), -1), elements_at(mesh.nodes.size(), 0);
  for (std::size_t k = 0; k < nodes.size(); ++k) place[nodes[k]] = static_cast<int>(k);
  for (const SolidMesh::Element& element : mesh.elements)
    for (int node : mesh.nodes_of(element)) ++elements_at[node];

  std::vector<Eigen::Triplet<double>> entries;
  for (const SolidMesh::Element& element : mesh.elements) {
    const auto of = mesh.nodes_of(element);
    if (std::none_of(of.begin(), of.end(), [&](int node) { return place[node] >= 0; })) continue;
    const Mat6& D = materials.at(element.material).elasticity;
    const auto points = element_strains(element.type, mesh.positions_of(element), D, options);
    const MatrixX& to_nodes = extrapolation_to_nodes(element.type);
    for (int a = 0; a < static_cast<int>(of.size()); ++a) {
      if (place[of[a]] < 0) continue;
      Mat6X strain = Mat6X::Zero(6, 3 * static_cast<int>(of.size()));
      for (std::size_t g = 0; g < points.size(); ++g)
        strain += to_nodes(a, static_cast<int>(g)) * points[g].strain;
      const Mat6X stress = D * strain / elements_at[of[a]];
      for (int b = 0; b < stress.cols(); ++b)
        for (int c = 0; c < 6; ++c)
          entries.emplace_back(6 * place[of[a]] + c, 3 * of[b / 3] + b % 3, stress(c, b));
    }
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> S(6 * static_cast<int>(nodes.size()),
                                                 3 * static_cast<int>(mesh.nodes.size()));
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

double von_mises(const Vec6& s) {
  const Vec3 difference(s[0] - s[1], s[1] - s[2], s[2] - s[0]);
  return std::sqrt(0.5 * difference.squaredNorm() + 3 * s.tail<3>().squaredNorm());
}

}  // namespace hooke
