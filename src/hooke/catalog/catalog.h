#pragma once
#include "hooke/catalog/contracts.h"
#include "hooke/integrators/settings.h"

namespace hooke {

/// What a model file may name: bodies, joints, drives, forces, integrators and solvers. A program adds its own to a copy, with
/// one line each, and files, schema and tables know them from then on:
///
///   Catalog catalog = Catalog::built_in();
///   catalog.add<MyForce>();
///   Problem problem = load("model.yaml", {}, catalog);
class Catalog : public TypeCatalog {
 public:
  /// Settings with a `name`, a `describe` and one of make_body, add_joint, add_drive, add_force, add_signal, add_block (contracts.h),
  /// make_integrator (integrators/settings.h) and make_solver (solvers/settings.h).
  template <class T>
  Catalog& add() {
    static_assert(
        Described<T> && requires { std::string(T::name); }, "settings need a name and describe()");
    static_assert(
        fits<T>,
        "settings need make_body, add_joint, add_drive, add_force, add_signal, add_block, make_integrator "
        "or make_solver");
    add_if<BodyContract, T>();
    add_if<JointContract, T>();
    add_if<DriveContract, T>();
    add_if<ForceContract, T>();
    add_if<SignalContract, T>();
    add_if<BlockContract, T>();
    add_if<IntegratorContract, T>();
    add_if<SolverContract, T>();
    return *this;
  }
  static const Catalog& built_in();

 private:
  template <class T>
  static constexpr bool fits =
      BodyContract::accepts<T> || JointContract::accepts<T> || DriveContract::accepts<T> ||
      ForceContract::accepts<T> || SignalContract::accepts<T> || BlockContract::accepts<T> ||
      IntegratorContract::accepts<T> || SolverContract::accepts<T>;
  template <class Contract, class T>
  void add_if() {
    if constexpr (Contract::template accepts<T>) TypeCatalog::add<Contract, T>();
  }
};

}  // namespace hooke
