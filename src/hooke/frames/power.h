#pragma once

namespace hooke {

/// The rate at which energy comes and goes other than through the potential (W): what loads, drives and controllers
/// supply, and what dampers and friction take. Their integrals close the account
///
///   kinetic + potential - its start = supplied - dissipated
struct Power {
  double supplied = 0, dissipated = 0;
  double net() const { return supplied - dissipated; }
  Power& operator+=(const Power& other) {
    supplied += other.supplied;
    dissipated += other.dissipated;
    return *this;
  }
};

}  // namespace hooke
