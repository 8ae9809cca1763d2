// Sparse factors of Hooke's own beside CHOLMOD's (in a build with HOOKE_WITH_GPL), on the matrix M + h^2/4 K of
// the cuboid of Kan et al., meshes A, B and C: alternately in one run, the best of several rounds.
#include <fmt/format.h>

#include <cstdio>
#include <tuple>

#include "hooke/base/timer.h"
#include "hooke/fe/solid_element.h"
#include "hooke/linalg/gpl.h"
#include "hooke/linalg/supernodal_cholesky.h"

namespace {

using namespace hooke;

SparseMatrix cuboid(int along, int across) {
  const SolidMatrices m = assemble(box_mesh(Vec3(4, 4, 40), {across, across, along}),
                                   {SolidMaterial::isotropic({70e9, 0.3, 2700})}, {.incompatible_modes = false});
  const double h = 0.01;
  return of_all_coordinates(m.mass) + 0.25 * h * h * m.stiffness;
}

/// Seconds, the best of all rounds.
struct Times {
  double analyze = 1e9, factorize = 1e9, solve = 1e9, single = 1e9;
};

template <class Work>
void keep_best(double& best, Work&& work) {
  const Timer timer;
  work();
  best = std::min(best, timer.seconds());
}

void one_round(const SparseMatrix& A, CholeskyKind kind, Times& best, std::size_t& nonzeros, double& error) {
  SupernodalCholesky factor(kind);
  double first = 1e9, again = 1e9;
  keep_best(first, [&] { factor.factorize(A, 3); });
  for (int k = 0; k < 3; ++k) keep_best(again, [&] { factor.factorize(A, 3); });
  best.analyze = std::min(best.analyze, first - again);
  best.factorize = std::min(best.factorize, again);
  nonzeros = factor.nonzeros();
  VectorX x = VectorX::LinSpaced(A.rows(), -1, 1);
  MatrixX b = A.selfadjointView<Eigen::Lower>() * x;
  const MatrixX right = b;
  factor.solve(b);
  error = (b.col(0) - x).norm() / x.norm();
  for (int k = 0; k < 3; ++k) keep_best(best.solve, [&] { factor.solve(b); });
  const SupernodalCholesky single = factor.single();
  for (int k = 0; k < 3; ++k) keep_best(best.single, [&] { single.solve(b); });
}

void print_row(const char* mesh, const char* name, int dofs, const Times& t, std::size_t nonzeros, double error) {
  fmt::print("| {} | {} | {} | {:.2f} M | {:.2f} ms | {:.2f} ms | {:.3f} ms | {:.3f} ms | {:.1e} |\n", mesh, dofs,
             name, 1e-6 * static_cast<double>(nonzeros), 1e3 * t.analyze, 1e3 * t.factorize, 1e3 * t.solve,
             1e3 * t.single, error);
}

/// What a body costs whose C is not symmetric, or not positive: the same matrix by LU.
void print_lu() {
  fmt::print("\n## Sparse LU of the same matrices\n\n| mesh | dofs | by | first factor | next | substitution |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, along, across] : {std::tuple("A", 20, 2), {"B", 50, 5}}) {
    const SparseMatrix A = cuboid(along, across);
    for (auto* make : {&make_klu, &make_eigen_lu, &make_umfpack}) {
      const auto lu = make();
      if (!lu) continue;
      Times best;
      MatrixX b = MatrixX::Ones(A.rows(), 1);
      const auto factorize = [&] {
        lu->factorize(static_cast<int>(A.rows()), A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr());
      };
      keep_best(best.analyze, factorize);
      for (int k = 0; k < 2; ++k) keep_best(best.factorize, factorize);
      for (int k = 0; k < 3; ++k) keep_best(best.solve, [&] { lu->solve(b); });
      fmt::print("| {} | {} | {} | {:.1f} ms | {:.1f} ms | {:.2f} ms |\n", name, A.rows(), lu->name(),
                 1e3 * best.analyze, 1e3 * best.factorize, 1e3 * best.solve);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main() {
  const bool has_cholmod = make_cholmod() != nullptr;
  fmt::print("## Sparse Cholesky factors\n\n");
  if (!has_cholmod) fmt::print("Configure with -DHOOKE_WITH_GPL=ON to see CHOLMOD beside it.\n\n");
  fmt::print(
      "| mesh | dofs | by | entries of L | analysis, once | factor | substitution | in single | error |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  struct Mesh {
    const char* name;
    int along, across, rounds;
  };
  for (const Mesh& mesh : {Mesh{"A", 20, 2, 20}, {"B", 50, 5, 10}, {"C", 100, 10, 5}}) {
    const SparseMatrix A = cuboid(mesh.along, mesh.across);
    const int dofs = static_cast<int>(A.rows());
    Times own, other;
    std::size_t own_nonzeros = 0, other_nonzeros = 0;
    double own_error = 0, other_error = 0;
    for (int round = 0; round < mesh.rounds; ++round) {
      one_round(A, CholeskyKind::own, own, own_nonzeros, own_error);
      if (has_cholmod) one_round(A, CholeskyKind::cholmod, other, other_nonzeros, other_error);
    }
    print_row(mesh.name, "Hooke", dofs, own, own_nonzeros, own_error);
    if (has_cholmod) {
      print_row(mesh.name, "CHOLMOD", dofs, other, other_nonzeros, other_error);
      fmt::print("| {} | | ratio | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | |\n", mesh.name,
                 static_cast<double>(own_nonzeros) / static_cast<double>(other_nonzeros),
                 own.analyze / other.analyze, own.factorize / other.factorize, own.solve / other.solve,
                 own.single / other.single);
    }
    std::fflush(stdout);
  }
  print_lu();
}
