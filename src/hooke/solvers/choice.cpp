#include "hooke/solvers/choice.h"

#include <algorithm>

namespace hooke {
namespace {

bool has_meshes(const KktStructure& s) {
  return std::any_of(s.body_kinds.begin(), s.body_kinds.end(),
                     [](BodyKind kind) { return kind != BodyKind::plain; });
}

/// Several rigid bodies that nothing but joints couples.
bool is_mechanism(const KktStructure& s) {
  return s.dof_sizes.size() > 1 && s.body_blocks.size() == s.dof_sizes.size() + 1 && s.couplings.empty() &&
         std::all_of(s.dof_sizes.begin(), s.dof_sizes.end(), [](int size) { return size == 6; });
}

}  // namespace

std::string_view choose_solver(const KktStructure& structure, Purpose purpose) {
  // A solid is factorized best by itself, and only once where its matrix is constant but for a rotation. But
  // then springs on it would be missing in Newton's matrix, which converges slowly or not at all.
  if (has_meshes(structure) && !structure.has_springs_on_turned) return "schur";
  // The inverse of a constant mass is kept; only the multipliers' matrix is made anew.
  if (purpose == Purpose::mass) return "constant-mass";
  // Work that grows with the number of bodies alone, and threads share it. It divides by every body's C.
  if (purpose == Purpose::motion && is_mechanism(structure)) return "dca";
  return structure.size() <= dense_up_to ? "dense" : "sparse";
}

bool goes_over_near_singular(std::string_view asked_for, std::string_view chosen) {
  // Elimination along the tree loses digits there that pivoting in the whole matrix keeps.
  return asked_for == "auto" && chosen == "dca";
}

}  // namespace hooke
