#pragma once
#include "hooke/bodies/cosserat_rod.h"
#include "hooke/bodies/ffrf_body.h"
#include "hooke/fe/modal_reduction.h"

namespace hooke {

/// Modes of a rod from a Cosserat rod of the same section, linearised at rest. `damping_ratio`: of each mode,
/// besides that of the section. `stiffening`: with second order shapes.
ModalData modal_data(const CosseratRod<3>& rod, ModalBasis basis, int modes,
                     RodReference reference = RodReference::mean, double damping_ratio = 0,
                     bool stiffening = false);

/// A rod as a floating frame with modes.
struct FfrfRod : FfrfBody {
  CosseratRod<3> rod;

  FfrfRod() = default;
  FfrfRod(CosseratRod<3> of_rod, ModalBasis basis, int modes, RodReference reference, double damping_ratio,
          bool with_constant_mass, bool stiffening = false)
      : FfrfBody(modal_data(of_rod, basis, modes, reference, damping_ratio, stiffening), with_constant_mass),
        rod(std::move(of_rod)) {}

  int elements() const { return rod.elements(); }
  int nodes() const { return static_cast<int>(data.nodes.size()); }
  double length() const { return rod.length(); }
  FramePose section_at(double arc) const { return rod.section_at(arc); }
  Frame attach(const FramePose& X_BF) const { return attach(X_BF, rod.nearest_arc(X_BF.p)); }
  Frame attach(const FramePose& X_BF, double arc) const;
};

}  // namespace hooke
