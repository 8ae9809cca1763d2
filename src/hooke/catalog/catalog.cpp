#include "hooke/catalog/catalog.h"

#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/catalog/signal_settings.h"

namespace hooke {
namespace {

template <class... Settings>
void add_all(Catalog& catalog) {
  (catalog.add<Settings>(), ...);
}

Catalog made() {
  Catalog c;
  add_all<RigidSettings, CosseratSettings, AncfSettings, FfrfSettings, ModalSettings, SolidSettings>(c);
  add_all<FixedSettings, RevoluteSettings, PrismaticSettings, CylindricalSettings, ScrewSettings,
          UniversalSettings, ConstantVelocitySettings, SphericalSettings, PlanarSettings, PointOnLineSettings,
          PointOnPlaneSettings, ParallelAxesSettings, PerpendicularAxesSettings, DistanceSettings,
          GearSettings, RackAndPinionSettings, TieSettings>(c);
  add_all<JointDriveSettings, BodyDriveSettings>(c);
  add_all<SpringSettings, TorsionSpringSettings, JointForceSettings, BushingSettings, MotorSettings,
          LoadSettings, DistributedLoadSettings>(c);
  add_all<FormulaSignal, PositionSignal, VelocitySignal, AngularVelocitySignal, AngleSignal, DistanceSignal,
          AccelerationSignal, SectionSignal, StressSignal, DisplacementSignal>(c);
  add_all<IntegratorBlock, PidBlock, LowPassBlock, TransferFunctionBlock, StateSpaceBlock, SaturationBlock,
          DeadZoneBlock, RateLimiterBlock, LookUpBlock, LookUp2Block, SampleBlock, ParameterBlock, CodeBlock,
          HysteresisBlock, DelayBlock>(c);
  add_all<GeneralizedAlphaChoice, HhtChoice, NewmarkChoice, TrapezoidalChoice, DaeAlphaNewtonChoice,
          DaeAlphaSplitChoice, DaeAlphaModifiedChoice, EnergyMomentumChoice, StabilisedOdeChoice,
          DormandPrinceChoice, MersonChoice, LinearlyImplicitChoice>(c);
  add_all<SolverSettings<"auto">, SolverSettings<"dense">, SolverSettings<"sparse">, SolverSettings<"klu">,
          SolverSettings<"schur">, SolverSettings<"dca">, SolverSettings<"umfpack">,
          SolverSettings<"cholmod">>(c);
  return c;
}

}  // namespace

const Catalog& Catalog::built_in() {
  static const Catalog catalog = made();
  return catalog;
}

}  // namespace hooke
