#include "hooke/catalog/make_bodies.h"

#include "hooke/bodies/ancf_rod.h"
#include "hooke/bodies/euler_parameters.h"
#include "hooke/bodies/ffrf_rod.h"

namespace hooke {
namespace {

/// m (|d|^2 I - d d^T): what a mass at d adds to the moments about the origin (Steiner).
Mat3 steiner(double mass, const Vec3& d) { return mass * (d.squaredNorm() * identity3 - d * d.transpose()); }

}  // namespace

MassProperties mass_properties(const RigidSettings& s) {
  MassProperties body{s.mass.value_or(0), s.centre};
  if (s.shape) {
    std::visit(
        [&](const auto& shape) {
          if (s.density) body.mass = *s.density * shape.volume();
          body.inertia = body.mass * shape.inertia_per_mass();
        },
        *s.shape);
  }
  if (s.inertia.given) {
    body.inertia = s.inertia.matrix;
    if (s.inertia_frame) {  // turned into body axes and moved to the mass centre
      const FramePose X = s.inertia_frame->pose();
      body.inertia = X.R * s.inertia.matrix * X.R.transpose();
      if (s.inertia_frame->at) body.inertia -= steiner(body.mass, X.p - s.centre);
    }
  }
  if (!s.points.empty()) {
    Vec3 moment = body.mass * body.centre;
    double total = body.mass;
    Mat3 about_origin = body.inertia + steiner(body.mass, body.centre);
    for (const PointMass& point : s.points) {
      total += point.mass;
      moment += point.mass * point.at;
      about_origin += steiner(point.mass, point.at);
    }
    body.mass = total;
    body.centre = moment / total;
    body.inertia = about_origin - steiner(total, body.centre);
  }
  return body;
}

namespace {

/// Frames of a rod go with the section at an arc length, or with the nearest one.
template <class Rod>
auto attach(const Rod& rod, const FramePose& X_BF, std::optional<double> arc) {
  return arc ? rod.attach(X_BF, *arc) : rod.attach(X_BF);
}
auto attach(const FfrfBody& body, const FramePose& X_BF, std::optional<double>) { return body.attach(X_BF); }

MadeBody add_rigid(System& system, const std::string& name, RigidBody body, const BodyStart& start) {
  body.start = start.pose;
  body.start_twist = start.twist;
  const int number = system.add_body(body, name);
  return {[&system, number, body](const FramePose& X_BF, std::optional<double>) {
    return system.add_frame<RigidBody>(number, body.attach(X_BF));
  }};
}

MadeBody add_rigid(System& system, const std::string& name, EulerParameterBody body, const BodyStart& start) {
  using Frame = EulerParameterBody::Frame;
  body.start = start.pose;
  body.start_twist = start.twist;
  const int number = system.add_body(body, name);
  const int centre = system.add_frame<EulerParameterBody>(number, Frame{}, false);
  const int length = system.add_frame<EulerParameterBody>(number, Frame{.shows_length = true}, false);
  system.add_constraint(UnitEulerParameters{}, {centre, length}, name, {"length of its Euler parameters"});
  return {[&system, number, body](const FramePose& X_BF, std::optional<double>) {
    return system.add_frame<EulerParameterBody>(number, body.attach(X_BF));
  }};
}

template <class Body>
MadeBody add_flexible(System& system, const std::string& name, Body body, const BodyStart& start,
                      Flexibility flexibility) {
  body.start = start.pose;
  body.start_twist = start.twist;
  if (flexibility == Flexibility::frozen) {
    const MassProperties same = body.mass_properties();
    return add_rigid(system, name, RigidBody{same.mass, same.inertia, same.centre}, start);
  }
  const int number = system.add_body(body, name);
  return {[&system, number, body](const FramePose& X_BF, std::optional<double> arc) {
    return system.add_frame<Body>(number, attach(body, X_BF, arc));
  }};
}

template <class Rod>
MadeBody add_rod(System& system, const std::string& name, const Rod& rod, const BodyStart& start,
                 Flexibility flexibility) {
  MadeBody made = add_flexible(system, name, rod, start, flexibility);
  made.section = [rod](double arc) { return rod.section_at(arc); };
  made.length = rod.length();
  made.elements = rod.elements();
  return made;
}

double soft_frequency(const ModalData& modal, Flexibility flexibility) {
  return flexibility == Flexibility::frozen || modal.stiffens() ? 0 : modal.lowest_frequency();
}

double length_of(const RodSettings& settings, const BodyStart& start) {
  if (settings.length) return *settings.length;
  if (start.span) return *start.span;
  throw std::invalid_argument("a rod needs its 'length', or two points 'between' which it lies");
}

}  // namespace

MadeBody RigidSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                  Flexibility) const {
  const RigidSettings& settings = *this;
  const MassProperties m = mass_properties(settings);
  if (coordinates == RigidCoordinates::euler_parameters)
    return add_rigid(system, body, EulerParameterBody{m.mass, m.inertia, m.centre}, start);
  return add_rigid(system, body, RigidBody{m.mass, m.inertia, m.centre}, start);
}

MadeBody CosseratSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                     Flexibility flexibility) const {
  const auto add = [&](auto rod) { return add_rod(system, body, rod, start, flexibility); };
  const double rod_length = length_of(*this, start);
  if (order == 1) return add(CosseratRod<2>(section_of(), rod_length, elements, curvature));
  return add(CosseratRod<3>(section_of(), rod_length, elements, curvature));
}

MadeBody AncfSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                 Flexibility flexibility) const {
  const AncfSettings& settings = *this;
  const MaterialSettings& m = *settings.material;
  AncfRod rod(settings.shape(), {m.young, m.poisson, m.density}, length_of(settings, start),
              settings.elements, settings.damping.times);
  return add_rod(system, body, rod, start, flexibility);
}

MadeBody FfrfSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                 Flexibility flexibility) const {
  const FfrfSettings& settings = *this;
  const RodReference usual = settings.basis == ModalBasis::clamped ? RodReference::start : RodReference::mean;
  FfrfRod rod(CosseratRod<3>(settings.section_of(), length_of(settings, start), settings.elements),
              settings.basis, settings.modes, settings.reference.value_or(usual), settings.damping_ratio,
              settings.mass == ModalMass::constant, settings.stiffening);
  MadeBody made = add_rod(system, body, rod, start, flexibility);
  made.soft_frequency = soft_frequency(rod.data, flexibility);
  return made;
}

MadeBody ModalSettings::make_body(System& system, const std::string& body, const BodyStart& start,
                                  Flexibility flexibility) const {
  const ModalSettings& settings = *this;
  if (!settings.data) throw std::invalid_argument("the modes of '" + settings.file + "' were not read");
  ModalData modal = *settings.data;
  if (!settings.stiffening) modal.forget_second_order();
  const double frequency = soft_frequency(modal, flexibility);
  const FfrfBody ffrf(std::move(modal), settings.mass == ModalMass::constant);
  MadeBody made = add_flexible(system, body, ffrf, start, flexibility);
  made.soft_frequency = frequency;
  if (flexibility != Flexibility::frozen)
    made.add_named = [&system, ffrf, number = system.bodies() - 1](const FramePose& X_BF,
                                                                   const std::string& name) {
      return system.add_frame<FfrfBody>(number, ffrf.attach(X_BF, name));
    };
  for (const ModalData::Node& node : settings.data->nodes)
    if (!node.name.empty()) made.named.emplace_back(node.name, node.at);
  if (!settings.data->triangles.empty()) made.modal = settings.data;
  return made;
}

bool ModalSettings::is_conservative() const { return data && data->damping.isZero(0); }

}  // namespace hooke
