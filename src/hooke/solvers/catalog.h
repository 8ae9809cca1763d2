#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hooke/base/team.h"
#include "hooke/solvers/choice.h"
#include "hooke/solvers/solver.h"

namespace hooke {

/// The Newton solvers that can be asked for by name: Hooke's own, and those a program adds to its catalog.
///
///     SolverCatalog solvers;
///     solvers.add({"mine", "by my method", [](const KktStructure&, std::shared_ptr<Team>) {
///                    return std::make_unique<MySolver>();
///                  }});
///     solvers.make("mine", system.structure());
class SolverCatalog {
 public:
  struct Entry {
    std::string name, text;  ///< the word in a model file; what it is, in a line
    std::function<std::unique_ptr<NewtonSolver>(const KktStructure&, std::shared_ptr<Team>)> make;
    std::string missing{};  ///< why this build cannot make it, and how to build one that can
  };

  SolverCatalog();
  /// Instead of the one of that name, if there is one.
  void add(Entry entry);
  const std::vector<Entry>& entries() const { return entries_; }
  bool knows(std::string_view name) const { return name == "auto" || find(name); }
  /// "auto" and those that this build can make.
  std::vector<std::string> names() const;
  /// In words; empty where `make` makes it.
  std::string why_not(std::string_view name) const;

  /// "auto" is what choose_solver says. A team of threads serves dca and schur; the others work alone.
  std::unique_ptr<NewtonSolver> make(std::string_view name, const KktStructure& structure,
                                     Purpose purpose = Purpose::motion,
                                     std::shared_ptr<Team> team = nullptr) const;

 private:
  const Entry* find(std::string_view name) const;
  std::vector<Entry> entries_;
};

/// One of Hooke's own.
std::unique_ptr<NewtonSolver> make_solver(std::string_view name, const KktStructure& structure,
                                          Purpose purpose = Purpose::motion,
                                          std::shared_ptr<Team> team = nullptr);

}  // namespace hooke
