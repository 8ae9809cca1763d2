#pragma once
#include "hooke/base/any.h"
#include "hooke/base/fixed_string.h"
#include "hooke/solvers/catalog.h"

/// The `solver:` key of a model file: one of Hooke's own by its name, SolverSettings<"dca">, or a program's own settings.
namespace hooke {

template <FixedString Name>
struct SolverSettings {
  static constexpr const char* name = Name.text;
  static void describe(auto&) {}
  std::unique_ptr<NewtonSolver> make_solver(const KktStructure& structure, std::shared_ptr<Team> team) const {
    return hooke::make_solver(name, structure, Purpose::motion, std::move(team));
  }
};

/// std::unique_ptr<NewtonSolver> make_solver(const KktStructure&, std::shared_ptr<Team>) const
struct SolverContract {
  static constexpr const char* group = "solver";
  static constexpr const char* example = "";
  struct Operations {
    std::unique_ptr<NewtonSolver> (*make)(const void*, const KktStructure&, std::shared_ptr<Team>);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, const KktStructure& structure) {
    s.make_solver(structure, std::shared_ptr<Team>());
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const KktStructure& structure, std::shared_ptr<Team> team) {
      return static_cast<const T*>(s)->make_solver(structure, std::move(team));
    }};
  }
};
using AnySolver = Any<SolverContract>;

}  // namespace hooke
