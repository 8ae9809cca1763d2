#pragma once
#include "hooke/integrators/projector.h"

namespace hooke {

/// Motion of a mechanism all of whose motions are driven: no equation is integrated, each step solves the
/// constraints at its time for q, v and a. The multipliers are the reactions and, on the drives, the efforts
/// the motion needs (inverse dynamics), since the equations of motion are solved for them with a given by the
/// constraints.
class KinematicMotion final : public Integrator {
 public:
  KinematicMotion(const Dae& dae, const NewtonSettings& settings)
      : dae_(dae), projector_(dae, settings), x_(dae.nv()) {}
  std::string_view name() const override { return "kinematics"; }
  int order() const override { return 1; }
  StepReport step(State& state, double h) override;

 private:
  const Dae& dae_;
  Projector projector_;
  State trial_;
  VectorX x_;
};

}  // namespace hooke
