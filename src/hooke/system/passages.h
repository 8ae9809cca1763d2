#pragma once
#include <memory>

#include "hooke/system/dae.h"

namespace hooke {

/// Looks along a step for surfaces that pass through each other unseen.
class PassagesBase {
 public:
  virtual ~PassagesBase() = default;
  /// Nothing moves far enough in a step h for that.
  virtual bool is_slow(const Workspace& after, double h) const = 0;
  /// Memory of who looks, kept from step to step.
  struct Search {
    virtual ~Search() = default;
  };
  virtual std::unique_ptr<Search> search() const = 0;
  virtual bool passed(const Workspace& before, const Workspace& after, Search& search) const = 0;
};

}  // namespace hooke
