#include "hooke/gpu/joint_rows.h"

#include <tuple>

#include "hooke/joints/drive.h"
#include "hooke/joints/joints.h"

namespace hooke::gpu {

std::string refusal_of_any(const System& system, const GeneralizedAlphaSettings& settings) {
  if (settings.projection != Projection::none) return "projections after steps";
  if (settings.newton.penalty) return "run.penalty";
  if (settings.newton.fixed_iterations) return "run.realtime";
  if (system.controls()) return "control, events or stops";
  if (system.rigid_contacts() || system.passages()) return "contact";
  if (system.has_switches() || system.has_driven_frames()) return "what is switched or driven from outside";
  return {};
}

StepSettings step_settings(const System& system, const GeneralizedAlphaSettings& integrator, double h) {
  const AlphaParameters& p = integrator.parameters;
  const NewtonSettings& newton = integrator.newton;
  return {h,
          p.beta,
          p.gamma,
          p.alpha_m,
          p.alpha_f,
          p.error_constant(),
          p.drift_constant(),
          newton.tolerance,
          1e-15,
          newton.regularisation,
          Watch::hopeless_error,
          newton.max_iterations,
          integrator.form == ConstraintForm::stabilised && system.nc() > 0};
}

namespace {

// --- equations of joints, one row after the other as the joints have them

void add(const PointsCoincide&, std::vector<Row>& rows) {
  for (int k = 0; k < 3; ++k) rows.push_back({Row::coincide, {}, {k}, 0, -1});
}
template <Axis a, Axis b>
void add(const Perpendicular<a, b>&, std::vector<Row>& rows) {
  rows.push_back({Row::perpendicular, {}, {static_cast<int>(a), static_cast<int>(b)}, 0, -1});
}
template <Axis a>
void add(const PointInPlane<a>&, std::vector<Row>& rows) {
  rows.push_back({Row::plane, {}, {static_cast<int>(a)}, 0, -1});
}
void add(const DistanceIs& part, std::vector<Row>& rows) {
  rows.push_back({Row::distance, {}, {}, part.length, -1});
}
void add(const NoTwist&, std::vector<Row>& rows) { rows.push_back({Row::no_twist, {}, {0, 1, 1, 0}, 0, -1}); }

template <class Part>
constexpr bool is_known = !std::is_same_v<Part, Thread>;

/// False: one of its parts is not among these.
template <FixedString Name, class... Part, class Free>
bool add_joint(const Joint<Name, Parts<Part...>, Free>& joint, std::vector<Row>& rows) {
  if constexpr (!(is_known<Part> && ...))
    return false;
  else
    (add(static_cast<const Part&>(joint), rows), ...);
  return true;
}

template <class C>
Row driven(const C& coordinate, int drive) {
  if constexpr (std::is_same_v<C, Angle>)
    return {Row::angle,
            {},
            {static_cast<int>(coordinate.sine_A), static_cast<int>(coordinate.sine_B),
             static_cast<int>(coordinate.cosine_A), static_cast<int>(coordinate.cosine_B)},
            0,
            drive};
  else if constexpr (std::is_same_v<C, Displacement>)
    return {Row::plane, {}, {static_cast<int>(coordinate.along)}, 0, drive};
  else
    return {Row::distance, {}, {}, 0, drive};
}

}  // namespace

bool rows_of(const System& system, int c, std::vector<Row>& rows, std::vector<Function>& drives) {
  const auto [batch, index] = system.constraint_item(c);
  bool found = false;
  const auto try_joint = [&]<class J>(const J*) {
    if (const auto* same = dynamic_cast<const ConstraintBatch<J>*>(batch))
      found = add_joint(same->items[index].constraint, rows);
  };
  std::apply([&](const auto&... joint) { (try_joint(&joint), ...); }, joints::All{});
  const auto try_drive = [&]<class C>(const C*) {
    if (const auto* same = dynamic_cast<const ConstraintBatch<Drive<C>>*>(batch)) {
      const Drive<C>& drive = same->items[index].constraint;
      rows.push_back(driven(drive.coordinate, static_cast<int>(drives.size())));
      drives.push_back(drive.function);
      found = true;
    }
  };
  try_drive(static_cast<const Angle*>(nullptr));
  try_drive(static_cast<const Displacement*>(nullptr));
  try_drive(static_cast<const Distance*>(nullptr));
  return found;
}

const PointLoad* load_of(const System& system, int f) {
  const auto [batch, index] = system.force_item(f);
  const auto* loads = dynamic_cast<const ForceBatch<PointLoad>*>(batch);
  return loads ? &loads->items[index].force : nullptr;
}

}  // namespace hooke::gpu
