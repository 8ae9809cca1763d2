#pragma once
#include "hooke/bodies/ffrf_body.h"
#include "hooke/fe/modal_reduction.h"
#include "hooke/fe/solid_element.h"

namespace hooke {

/// How a mesh is reduced to modes.
struct SolidReduction {
  ModalBasis basis = ModalBasis::craig_bampton;
  int modes = 6;
  /// Node sets of the mesh that joints will hold. For Craig and Bampton's modes each is rigid; a clamped
  /// basis holds the first.
  std::vector<std::string> interfaces;
  /// What the reference frame follows: the interface of that name, or, if empty, the mean of the body.
  std::string reference;
  double damping_ratio = 0;  ///< of each mode, to critical damping
  bool stiffening = false;   ///< second order shapes, of the integrals and at the interfaces
};

/// Modes of a mesh in its own axes. Its nodes become those of the body, with the stress of each mode, the
/// interfaces (by name) come after them; `triangles` are its surface. Throws std::invalid_argument.
ModalData modal_data(const SolidMesh& mesh, const std::vector<SolidMaterial>& materials,
                     const SolidReduction& reduction, const SolidOptions& options = {});

}  // namespace hooke
