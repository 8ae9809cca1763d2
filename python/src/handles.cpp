#include <pybind11/stl.h>

#include "simulation.h"

namespace hooke::python {
namespace {

/// A handle that keeps its simulation alive.
template <class Handle>
struct Held {
  SimulationPointer simulation;
  Handle handle;
};

template <class Handle, class Member>
auto ask(Member member) {
  return [member](const Held<Handle>& held) {
    const Use using_it(*held.simulation);
    return without_lock(*held.simulation->fault, [&] { return member(held.handle); });
  };
}

/// The same, for NumPy.
template <class Handle, class Member>
auto numbers(Member member) {
  return [member](const Held<Handle>& held) {
    const Use using_it(*held.simulation);
    if constexpr (std::decay_t<decltype(member(held.handle))>::ColsAtCompileTime == 1)
      return to_numpy(
          VectorX(without_lock(*held.simulation->fault, [&] { return VectorX(member(held.handle)); })));
    else
      return to_numpy(
          MatrixX(without_lock(*held.simulation->fault, [&] { return MatrixX(member(held.handle)); })));
  };
}

using Body = BodyHandle;
using Joint = JointHandle;
using Force = ForceHandle;

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) c == '.' ? parts.emplace_back() : parts.back() += std::string(1, c);
  return parts;
}

double of_body(const BodyHandle& body, const std::vector<std::string>& parts, const std::string& whole) {
  const std::string axes = "xyz";
  const std::size_t axis = parts.size() == 4 && parts[3].size() == 1 ? axes.find(parts[3]) : axes.npos;
  if (axis != axes.npos) {
    const BodyMotion m = body.motion();
    const auto i = static_cast<int>(axis);
    if (parts[2] == "position") return m.pose.p[i];
    if (parts[2] == "velocity") return m.twist[i];
    if (parts[2] == "angular_velocity") return m.twist[3 + i];
    if (parts[2] == "acceleration") return m.acceleration[i];
    if (parts[2] == "angular_acceleration") return m.acceleration[3 + i];
  }
  throw Error(ExitCode::usage,
              formatted("'{}': of a body there are position, velocity, angular_velocity, acceleration "
                        "and angular_acceleration, with .x, .y or .z",
                        whole));
}

}  // namespace

double quantity(const Simulation& simulation, const std::string& name) {
  const std::vector<std::string> parts = split(name);
  if (parts[0] == "signal" && parts.size() == 2) return simulation.signal(parts[1]);
  if (parts.size() == 1) return simulation.signal(name);
  if (parts[0] == "joint" || parts[0] == "drive") {
    const JointHandle joint = simulation.joint(parts[1]);
    const bool is_rate = parts.back() == "rate" && parts.size() > 2;
    const std::string coordinate = parts.size() - (is_rate ? 1 : 0) > 2 ? parts[2] : "";
    return is_rate ? joint.rate(coordinate) : joint.coordinate(coordinate);
  }
  if (parts[0] == "body") return of_body(simulation.body(parts[1]), parts, name);
  if (parts[0] == "force" && parts.size() == 3) {
    const ForceHandle force = simulation.force(parts[1]);
    if (parts[2] == "tension") return force.tension();
    if (parts[2] == "length") return force.length();
  }
  if (parts[0] == "energy" && parts.size() == 2) {
    const Energy energy = simulation.energy();
    if (parts[1] == "kinetic") return energy.kinetic;
    if (parts[1] == "potential") return energy.potential;
    if (parts[1] == "total") return energy.total();
  }
  throw Error(
      ExitCode::usage,
      formatted(
          "no quantity named '{}'; there are signals, joint.NAME.COORDINATE, joint.NAME.COORDINATE.rate, "
          "body.NAME.position.x, force.NAME.tension and the like",
          name));
}

void bind_handles(py::module_& module) {
  py::class_<Held<Body>>(module, "Body", "A body of a simulation, in its state now; world axes.")
      .def_property_readonly("name", ask<Body>([](const Body& b) { return b.name(); }))
      .def_property_readonly("position", numbers<Body>([](const Body& b) { return b.position(); }),
                             "Of its origin, m.")
      .def_property_readonly("orientation", numbers<Body>([](const Body& b) { return b.orientation(); }),
                             "Rotation matrix that turns body components into world components.")
      .def_property_readonly("velocity", numbers<Body>([](const Body& b) { return b.velocity(); }), "m/s")
      .def_property_readonly("angular_velocity",
                             numbers<Body>([](const Body& b) { return b.angular_velocity(); }), "rad/s")
      .def_property_readonly("acceleration", numbers<Body>([](const Body& b) { return b.acceleration(); }),
                             "m/s2")
      .def_property_readonly("angular_acceleration",
                             numbers<Body>([](const Body& b) { return b.angular_acceleration(); }), "rad/s2")
      .def_property_readonly("mass", ask<Body>([](const Body& b) { return b.mass_properties().mass; }), "kg")
      .def_property_readonly("centre",
                             numbers<Body>([](const Body& b) { return b.mass_properties().centre; }),
                             "Mass centre, m.")
      .def_property_readonly("inertia",
                             numbers<Body>([](const Body& b) { return b.mass_properties().inertia; }),
                             "About the mass centre, kg m2.")
      .def_property_readonly("nodes", numbers<Body>([](const Body& b) {
                               const std::vector<FramePose> poses = b.nodes();
                               MatrixX places(poses.size(), 3);
                               for (std::size_t i = 0; i < poses.size(); ++i)
                                 places.row(static_cast<Eigen::Index>(i)) = poses[i].p.transpose();
                               return places;
                             }),
                             "Places of the nodes of a flexible body, m.")
      .def("jacobian", numbers<Body>([](const Body& b) { return b.jacobian(); }),
           "6 x dofs: velocity and angular velocity of the body are jacobian @ state.v.");

  const auto coordinate = [](bool rate) {
    return [rate](const Held<Joint>& held, const std::string& name) {
      const Use using_it(*held.simulation);
      return without_lock(*held.simulation->fault,
                          [&] { return rate ? held.handle.rate(name) : held.handle.coordinate(name); });
    };
  };
  py::class_<Held<Joint>>(module, "Joint", "A joint or drive of a simulation, in its state now.")
      .def_property_readonly("name", ask<Joint>([](const Joint& j) { return j.name(); }))
      .def_property_readonly("type", ask<Joint>([](const Joint& j) { return j.type(); }))
      .def_property_readonly("angle", ask<Joint>([](const Joint& j) { return j.angle(); }),
                             "rad, over full turns")
      .def_property_readonly("displacement", ask<Joint>([](const Joint& j) { return j.displacement(); }), "m")
      .def("coordinate", coordinate(false), py::arg("name") = "", "By name, or the only one it has.")
      .def("rate", coordinate(true), py::arg("name") = "", "Rate of a coordinate.")
      .def_property_readonly("reaction", numbers<Joint>([](const Joint& j) { return j.reaction(); }),
                             "Force and torque on the second body, axes of the joint frame on the first.");

  py::class_<Held<Force>>(module, "Force", "A force of a simulation, in its state now.")
      .def_property_readonly("name", ask<Force>([](const Force& f) { return f.name(); }))
      .def_property_readonly("type", ask<Force>([](const Force& f) { return f.type(); }))
      .def_property_readonly("wrench", numbers<Force>([](const Force& f) { return f.wrench(); }),
                             "Force and torque on the last frame it acts on, world axes.")
      .def_property_readonly("tension", ask<Force>([](const Force& f) { return f.tension(); }),
                             "Of a spring, N.")
      .def_property_readonly("length", ask<Force>([](const Force& f) { return f.length(); }),
                             "Of a spring, m.");

  auto simulation =
      py::reinterpret_borrow<py::class_<PythonSimulation, SimulationPointer>>(module.attr("Simulation"));
  const auto find = [](auto member) {
    return [member](const SimulationPointer& s, const std::string& name) {
      const Use using_it(*s);
      auto handle = member(s->simulation, name);
      return Held<decltype(handle)>{s, handle};
    };
  };
  simulation
      .def("body", find([](Simulation& s, const std::string& name) { return s.body(name); }), py::arg("name"),
           "The body of that name.")
      .def("joint", find([](Simulation& s, const std::string& name) { return s.joint(name); }),
           py::arg("name"), "The joint or drive of that name.")
      .def("force", find([](Simulation& s, const std::string& name) { return s.force(name); }),
           py::arg("name"), "The force of that name.");
}

}  // namespace hooke::python
