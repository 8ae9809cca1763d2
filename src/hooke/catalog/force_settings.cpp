#include "hooke/catalog/force_settings.h"

#include "hooke/catalog/builder.h"
#include "hooke/forces/bushing.h"
#include "hooke/forces/coordinate_force.h"
#include "hooke/forces/point_load.h"
#include "hooke/math/quadrature.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

std::optional<Law> law_of(const LawSettings& settings, const std::string& force, Builder& to) {
  try {
    Law law = settings.make();
    if (law.is_by_differences())
      to.note(formatted("force '{}': derivatives of its law are taken by differences", force));
    return law;
  } catch (const std::exception& problem) {
    to.error("forces." + force + ".law", "{}", problem.what());
    return {};
  }
}

/// A formula whose tension falls with the rate is a damper of the wrong sign; often the sign of all of it is wrong.
void doubt_sign(const LawSettings& settings, const Law& law, double x, const std::string& force,
                Builder& to) {
  if (!settings.law && !settings.viscous) return;
  const double d = law(x, 0, 0).d_v;
  if (d < 0)
    to.warning(formatted("forces.{}.{}", force, settings.law ? "law" : "viscous"),
               "falls with the rate v (by {:.3g} per unit at the start): it feeds energy in. Tension is "
               "positive, so that a damper is + d*v",
               -d);
}

/// The two ends at the start, or nothing after a complaint.
std::optional<std::array<Attachment, 2>> ends_of(const auto& settings, const std::string& force,
                                                 Builder& to) {
  const auto at = [&](std::size_t k) {
    return to.attachment(settings.between[k], formatted("forces.{}.{}[{}]", force, settings.name, k));
  };
  const auto A = at(0), B = at(1);
  if (!A || !B) return {};
  return {{*A, *B}};
}

bool need_signals(const LoadComponents& components) {
  return components && std::any_of(components->begin(), components->end(),
                                   [](const Function& f) { return f.signal_formula() != nullptr; });
}

PointLoad point_load(const LoadComponents& force, const LoadComponents& torque, LoadAxes in) {
  const auto vector = [](const LoadComponents& f) {
    return f ? TimeVector((*f)[0], (*f)[1], (*f)[2]) : TimeVector(Function(), Function(), Function());
  };
  PointLoad load{vector(force), {}, in == LoadAxes::body};
  if (torque) load.torque = vector(torque);
  return load;
}

}  // namespace

/// Along a coordinate, by the law or, where that needs signals, when these are known.
static void add_along(const FoundCoordinate& along, double start, const LawSettings& law,
                      const std::string& force, const char* type, Builder& to) {
  if (law.uses_signals()) {
    to.add_actuator(force, type, along, law);
    return to.note_spring(along);
  }
  const auto made = law_of(law, force, to);
  if (!made) return;
  doubt_sign(law, *made, start, force, to);
  to.note_law(force, along, *made);
  std::visit(
      [&](const auto& x) {
        to.add_force(CoordinateForce<std::decay_t<decltype(x)>>{x, *made}, along.second, force, type);
      },
      along.first);
  to.note_spring(along);
}

void SpringSettings::add_force(const std::string& force, Builder& to) const {
  auto ends = ends_of(*this, force, to);
  if (!ends) return;
  for (std::size_t k = 0; k < 2; ++k)
    if (points[k]) (*ends)[k].X_WF.p = *points[k];
  const Vec3 &p = (*ends)[0].X_WF.p, &q = (*ends)[1].X_WF.p;
  const double length = (q - p).norm();
  if (length <= 1e-12 * (1 + p.norm()))  // but for round-off
    to.error("forces." + force,
             "both ends are at the same point, so the force has no direction; move one by 'points', or take "
             "a bushing");
  const int first = to.add_frame((*ends)[0], false), second = to.add_frame((*ends)[1], false);
  add_along({Distance{}, {first, second}}, length, law, force, name, to);
}

void TorsionSpringSettings::add_force(const std::string& force, Builder& to) const {
  auto ends = ends_of(*this, force, to);
  if (!ends) return;
  auto& [A, B] = *ends;
  if (axis)
    A.X_WF.R = B.X_WF.R = rotation_from_z(*axis);
  else if (!A.named || !B.named)
    return to.error("forces." + force, "a torsion spring needs an 'axis', or frames named on both bodies");
  if (at) A.X_WF.p = B.X_WF.p = *at;
  const int first = to.add_frame(A), second = to.add_frame(B);
  add_along({Angle::about_z(), {first, second}}, Angle::about_z().value(A.X_WF, B.X_WF), law, force, name,
            to);
}

void JointForceSettings::add_force(const std::string& force, Builder& to) const {
  const auto c = to.find_coordinate(coordinate, "forces." + force + ".joint-force");
  if (c) add_along(*c, to.start_value(*c), law, force, name, to);
}

void MotorSettings::add_force(const std::string& force, Builder& to) const {
  if (const auto c = to.find_coordinate(coordinate, "forces." + force + ".motor")) {
    to.add_motor(force, *this, *c);
    to.note_spring(*c);
  }
}

void BushingSettings::check(const Complain& complain) const {
  const Mat6& K = stiffness.matrix;
  if ((K - K.transpose()).norm() > 1e-9 * K.norm()) complain("stiffness", "the matrix must be symmetric");
}

void BushingSettings::doubt(const Complain& warn) const {
  const Mat6 &K = stiffness.matrix, &C = damping.matrix;
  if (K.isZero(0) && C.isZero(0) && preload.isZero(0))
    warn("", "does nothing: its stiffness, damping and preload are zero");
  if (K.diagonal().minCoeff() < 0)
    warn("stiffness", "is negative: the force grows away from the position without force");
  if (C.diagonal().minCoeff() < 0) warn("damping", "is negative: it feeds energy in");
}

void BushingSettings::add_force(const std::string& force, Builder& to) const {
  auto ends = ends_of(*this, force, to);
  if (!ends) return;
  auto& [A, B] = *ends;
  if (place.at || place.has_orientation()) {
    A.X_WF = B.X_WF = place.pose();
  } else {
    const FramePose guide = (A.named ? A : B).X_WF;
    if (!A.named) A.X_WF = guide;
    if (!B.named) B.X_WF = guide;
  }
  const int first = to.add_frame(A), second = to.add_frame(B);
  to.add_force(Bushing{stiffness.matrix, damping.matrix, preload}, std::array{first, second}, force, name);
}

void LoadSettings::add_force(const std::string& load, Builder& to) const {
  const std::string path = "forces." + load + ".load";
  auto a = to.attachment(on, path);
  if (!a) return;
  if (a->body < 0) return to.error(path, "a load on the ground does nothing");
  if (at) a->X_WF.p = *at;
  if (!a->named || at) a->X_WF.R = to.pose_of(a->body).R;
  const bool oriented = torque || in == LoadAxes::body;
  if (need_signals(force) || need_signals(torque))
    return to.add_actuator(load, name, to.add_frame(*a, oriented), force, torque, in == LoadAxes::body);
  to.add_force(point_load(force, torque, in), std::array{to.add_frame(*a, oriented)}, load, name);
}

void DistributedLoadSettings::add_force(const std::string& load, Builder& to) const {
  const std::string path = "forces." + load + ".distributed-load";
  auto a = to.attachment(on, path);
  if (!a) return;
  if (a->body < 0 || a->named || !to.made(a->body).section)
    return to.error(path, "a distributed load acts on a rod as a whole; name one, such as 'rod'");
  if (need_signals(force) || need_signals(torque))
    return to.error("forces." + load,
                    "a distributed load is a function of time; signals cannot be used here");
  const MadeBody& rod = to.made(a->body);
  const double h = rod.length / rod.elements;
  PointLoad part = point_load(force, torque, in);
  for (int e = 0; e < rod.elements; ++e)
    for (int g = 0; g < 2; ++g) {
      a->arc = h * (e + 0.5 + 0.5 * gauss_legendre<2>.points[g]);
      a->X_WF = to.pose_of(a->body) * rod.section(*a->arc);
      part.share = 0.5 * h * gauss_legendre<2>.weights[g];
      to.system().add_force(part, std::array{to.add_frame(*a)}, load);
    }
}

}  // namespace hooke
