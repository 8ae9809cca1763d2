#include "hooke/solvers/catalog.h"

#include <algorithm>

#include "hooke/base/error.h"
#include "hooke/base/fields.h"
#include "hooke/base/text.h"
#include "hooke/linalg/gpl.h"
#include "hooke/solvers/constant_mass.h"
#include "hooke/solvers/dca.h"
#include "hooke/solvers/direct.h"
#include "hooke/solvers/schur.h"

namespace hooke {
namespace {

using Structure = const KktStructure&;
using Threads = std::shared_ptr<Team>;

std::unique_ptr<NewtonSolver> direct(std::unique_ptr<SparseLu> lu) {
  return std::make_unique<DirectSolver>(std::move(lu));
}

}  // namespace

SolverCatalog::SolverCatalog() {
  const std::string no_klu =
      make_klu() ? "" : "KLU is not part of this build; configure one with -DHOOKE_WITH_KLU=ON";
  const auto gpl = [](const char* library) {
    return make_umfpack() ? ""
                          : formatted(
                                "{} is under the GPL and not part of this build; configure one with "
                                "-DHOOKE_WITH_GPL=ON",
                                library);
  };
  const auto own = [this](const char* name, std::string text, auto&& make, std::string missing = "") {
    entries_.push_back({name, std::move(text), make, std::move(missing)});
  };
  own("dense", "LU of the whole matrix: for a handful of bodies",
      [](Structure s, Threads) { return std::make_unique<DenseSolver>(s.size()); });
  own("sparse", "sparse LU of the whole matrix: KLU, or Eigen's in a build without it",
      [](Structure, Threads) { return direct(make_sparse_lu()); });
  own(
      "klu", "sparse LU of the whole matrix by KLU", [](Structure, Threads) { return direct(make_klu()); },
      no_klu);
  own("schur", "body by body, then the multipliers: for solids",
      [](Structure, Threads team) { return std::make_unique<SchurSolver>(std::move(team)); });
  own("dca", "divide and conquer along the joints: for rigid bodies",
      [](Structure, Threads team) { return std::make_unique<DcaSolver>(std::move(team)); });
  own("constant-mass", "for explicit integrators, with inverses of masses that stay the same",
      [](Structure s, Threads) { return std::make_unique<ConstantMassSolver>(make_direct(s.size())); });
  own(
      "umfpack", "sparse LU of the whole matrix by UMFPACK (GPL)",
      [](Structure, Threads) { return direct(make_umfpack()); }, gpl("UMFPACK"));
  own(
      "cholmod", "as schur, with factors by CHOLMOD and UMFPACK (GPL)",
      [](Structure, Threads team) {
        return std::make_unique<SchurSolver>(std::move(team), CholeskyKind::cholmod);
      },
      gpl("CHOLMOD"));
}

void SolverCatalog::add(Entry entry) {
  std::erase_if(entries_, [&](const Entry& e) { return e.name == entry.name; });
  entries_.push_back(std::move(entry));
}

const SolverCatalog::Entry* SolverCatalog::find(std::string_view name) const {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  return at == entries_.end() ? nullptr : &*at;
}

std::vector<std::string> SolverCatalog::names() const {
  std::vector<std::string> names{"auto"};
  for (const Entry& e : entries_)
    if (e.missing.empty()) names.push_back(e.name);
  return names;
}

std::string SolverCatalog::why_not(std::string_view name) const {
  if (name == "auto") return "";
  if (const Entry* entry = find(name)) return entry->missing;
  std::vector<std::string> all{"auto"};
  for (const Entry& e : entries_) all.push_back(e.name);
  return formatted("no solver named '{}'{}", name, suggest(name, all));
}

std::unique_ptr<NewtonSolver> SolverCatalog::make(std::string_view name, const KktStructure& structure,
                                                  Purpose purpose, std::shared_ptr<Team> team) const {
  if (const std::string why = why_not(name); !why.empty()) throw Error(ExitCode::usage, why);
  return find(name == "auto" ? choose_solver(structure, purpose) : name)->make(structure, std::move(team));
}

std::unique_ptr<NewtonSolver> make_solver(std::string_view name, const KktStructure& structure,
                                          Purpose purpose, std::shared_ptr<Team> team) {
  return SolverCatalog().make(name, structure, purpose, std::move(team));
}

}  // namespace hooke
