#include "hooke/catalog/control_builder.h"

#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/joints/drive.h"
#include "hooke/math/so3.h"
#include "hooke/system/chain_rule.h"

namespace hooke {

void Builder::add_control() {
  auto controls = std::make_unique<Controls>();
  ControlBuilder(*this, *controls).run();
  if (!diagnostics_.errors().empty() || controls->empty()) return;
  for (const auto& signal : controls->published()) built_.signals.push_back({signal.name, signal.unit});
  try {
    const int first = Controls::add_to(system(), std::move(controls));
    for (std::size_t i = 0; i < pending_.size(); ++i)
      built_.forces[pending_[i].number].force = first + static_cast<int>(i);
    for (const BuiltForce& force : built_.forces) force_numbers_->push_back(force.force);
  } catch (const Error& problem) {
    error("signals", "{}", problem.what());
  }
}

void ControlBuilder::run() {
  const Model& model = *builder_.model_;
  builder_.open_plugins();
  const auto declare = [&](const char* key, const std::string& name) {
    if (name == "t" || name.find('.') != std::string::npos)
      builder_.error(formatted("{}.{}", key, name), "'{}' cannot be the name of a signal{}", name,
                     name == "t" ? ": it is the time" : ": leave out the dot");
    if (known_.contains(name))
      return builder_.error(formatted("{}.{}", key, name), "there are two signals or blocks named '{}'",
                            name);
    known_.emplace(name, controls_.network.add_signal(name));
  };
  for (const auto& [name, signal] : model.signals) declare("signals", name);
  for (const auto& [name, block] : model.control) {
    if (const auto* space = block.get_if<StateSpaceBlock>(); space && space->outputs() > 1)
      for (int k = 1; k <= space->outputs(); ++k) {
        const std::string output = formatted("{}.{}", name, k);
        known_.emplace(output, controls_.network.add_signal(output));
      }
    else
      declare("control", name);
  }
  for (const auto& [name, signal] : model.signals) signal->add(signal.data(), name, *this);
  for (const auto& [name, block] : model.control) {
    unit_ = block->unit(block.data());
    block->add(block.data(), name, *this);
    unit_.clear();
  }
  for (const auto& [name, limit] : model.limits) add_limit(name, limit);
  for (const Builder::PendingServo& servo : builder_.servos_)
    controls_.add(Controls::Servo{
        servo.constraint, servo.along.first, servo.along.second, builder_.observe(servo.along),
        formula(servo.formula, "drives." + servo.name + ".function"), servo.every, servo.start});
  for (Builder::PendingForce& force : builder_.pending_) controls_.add(force.make(*this));
  for (const auto& [name, event] : model.events) add_event(name, event);
}

Network::Slot ControlBuilder::signal(const std::string& name, std::vector<Slot> arguments,
                                     SignalFunction function) {
  const Slot made = controls_.network.add_signal(name);
  controls_.network.define(made, std::move(arguments), std::move(function));
  return made;
}

namespace {
SignalFunction same() {
  return [](std::span<const double> x, std::span<double> slope) {
    if (!slope.empty()) slope[0] = 1;
    return x[0];
  };
}
}  // namespace

void ControlBuilder::define(const std::string& name, Slot is, std::string unit) {
  controls_.network.define(known_.at(name), {is}, same());
  controls_.publish(name, known_.at(name), unit.empty() ? unit_ : std::move(unit));
}

Network::Slot ControlBuilder::formula(const std::string& name, const std::string& text, const Slots& slots,
                                      const Parameters& numbers) {
  std::vector<std::string> names;
  std::vector<Slot> arguments;
  for (const auto& [argument, slot] : slots) {
    names.push_back(argument);
    arguments.push_back(slot);
  }
  return signal(name, arguments, formula_function(std::make_shared<const Expression>(text, names, numbers)));
}

Network::Slot ControlBuilder::formula(const std::string& text, const std::string& path, const Slots& own) {
  Slots slots;
  try {
    for (const std::string& name : Expression::names(text)) {
      const auto is_own =
          std::find_if(own.begin(), own.end(), [&](const auto& o) { return o.first == name; });
      if (is_own != own.end())
        slots.push_back(*is_own);
      else if (const auto found = find(name, path))
        slots.emplace_back(name, *found);
      else if (name != "pi" && name != "e")
        return time();  // after a complaint
    }
    if (slots.size() == 1 && trim(text) == slots[0].first) return slots[0].second;
    return formula("", text, slots, {});
  } catch (const Error& problem) {
    builder_.error(path, "{}", problem.what());
    return time();
  }
}

void ControlBuilder::sample(Slot held, Slot from, double every, double offset, bool is_output) {
  controls_.clock(every, offset).samples.push_back({held, from, is_output});
}

// --- names in formulas

std::vector<std::string> ControlBuilder::known_names() const {
  std::vector<std::string> names{"t", "pi", "e"};
  for (const auto& [name, slot] : known_) names.push_back(name);
  return names;
}

std::optional<Network::Slot> ControlBuilder::find(const std::string& name, const std::string& path) {
  if (const auto found = known_.find(name); found != known_.end()) return found->second;
  if (name == "t") return time();
  if (name.find('.') != std::string::npos) return measured(name, path);
  if (name != "pi" && name != "e")
    builder_.error(path, "unknown name '{}'{}", name, suggest(name, known_names()));
  return {};
}

/// force.x to torque.z, as 0 to 5.
static std::optional<int> wrench_component(const std::string& text) {
  for (int k = 0; k < 6; ++k)
    if (text == formatted("{}.{}", k < 3 ? "force" : "torque", "xyz"[k % 3])) return k;
  return {};
}

/// As in results: joint.A.angle.rate, body.arm.position.x, force.strut.tension.
std::optional<Network::Slot> ControlBuilder::measured(const std::string& name, const std::string& path) {
  const std::size_t first = name.find('.'), second = name.find('.', first + 1);
  const std::string kind = name.substr(0, first),
                    item = name.substr(first + 1, second == std::string::npos ? second : second - first - 1),
                    rest = second == std::string::npos ? "" : name.substr(second + 1);
  if (kind == "joint" || kind == "drive") return of_joint(item, rest, path);
  if (kind == "body") return of_body(item, rest, path, name);
  if (kind == "force") return of_force(item, rest, path, name);
  if (kind == "contact") return of_contact(item, rest, path);
  if (kind == "energy") return energy(item, path);
  builder_.error(path,
                 "'{}' is not known to formulas; they know joint.NAME..., body.NAME..., force.NAME..., "
                 "contact.NAME... and energy.kinetic, potential or total{}",
                 name, suggest(kind, {"joint", "body", "force", "contact", "drive", "energy"}));
  return {};
}

std::optional<Network::Slot> ControlBuilder::of_joint(const std::string& name, const std::string& rest,
                                                      const std::string& path) {
  const bool rate = rest == "rate" || rest.ends_with(".rate");
  const std::string coordinate = rest == "rate" ? "" : rate ? rest.substr(0, rest.size() - 5) : rest;
  if (const auto component = wrench_component(rest))
    if (const BuiltJoint* joint = builder_.joint_of(name))
      return controls_.solved([joint = *joint, system = &builder_.system(), k = *component](
                                  const State& state, const SystemWorkspace& workspace) {
        return joint_reaction(joint, *system, state, workspace)[k];
      });
  constexpr std::string_view acceleration = "acceleration";
  if (rest == acceleration || rest.ends_with(".acceleration")) {
    const std::string of = rest.substr(0, rest.size() - std::min(rest.size(), acceleration.size() + 1));
    const auto found = builder_.find_coordinate(of.empty() ? name : name + "." + of, path);
    if (!found) return {};
    return acceleration_of(*found);
  }
  const auto found = builder_.find_coordinate(coordinate.empty() ? name : name + "." + coordinate, path);
  if (!found) return {};
  return measure(*found, rate);
}

std::optional<Network::Slot> ControlBuilder::of_body(const std::string& name, const std::string& rest,
                                                     const std::string& path, const std::string& whole) {
  const std::size_t dot = rest.find('.');
  const std::string quantity = rest.substr(0, dot),
                    axis = dot == std::string::npos ? "" : rest.substr(dot + 1);
  const std::vector<std::string> quantities{
      "position", "velocity", "angular_velocity", "acceleration", "angular_acceleration", "orientation"};
  const bool is_turn = quantity == "orientation";
  if (std::find(quantities.begin(), quantities.end(), quantity) == quantities.end() || axis.size() != 1 ||
      std::string_view(is_turn ? "wxyz" : "xyz").find(axis) == std::string_view::npos) {
    builder_.error(path,
                   "'{}': of a body a formula knows position, velocity, acceleration, angular_velocity and "
                   "angular_acceleration, with .x, .y or .z, and orientation, with .w too{}",
                   whole, suggest(quantity, quantities));
    return {};
  }
  if (is_turn || quantity.ends_with("acceleration")) {
    const auto place = builder_.attachment(name, path);
    if (!place) return {};
    if (place->body < 0) return builder_.error(path, "'{}': the ground does not move", whole), std::nullopt;
    const System* system = &builder_.system();
    const int body = place->body, k = static_cast<int>(std::string_view("xyz").find(axis)),
              first = quantity == "acceleration" ? 0 : 3;
    if (!is_turn)
      return controls_.solved([=](const State& state, const SystemWorkspace&) {
        return system->motion(body, state).acceleration[first + k];
      });
    return controls_.solved([=](const State& state, const SystemWorkspace&) {
      const Quat turn(system->motion(body, state).pose.R);
      return axis == "w" ? turn.w() : turn.vec()[k];
    });
  }
  const auto both = frames(name, "ground", path, quantity == "angular_velocity");
  if (!both) return {};
  const Axis along = static_cast<Axis>(axis[0] - 'x');
  if (quantity == "angular_velocity") return controls_.measure(SpinMeasure{along, *both});
  return measure({Displacement{along}, *both}, quantity == "velocity");
}

std::optional<Network::Slot> ControlBuilder::of_force(const std::string& name, const std::string& rest,
                                                      const std::string& path, const std::string& whole) {
  const auto found = builder_.laws_.find(name);
  if (const auto component = wrench_component(rest)) {
    std::vector<std::string> names;
    for (std::size_t f = 0; f < builder_.built_.forces.size(); ++f) {
      const BuiltForce& force = builder_.built_.forces[f];
      names.push_back(force.name);
      if (force.name != name || force.type == "friction") continue;
      return controls_.solved([numbers = builder_.force_numbers_, f, last = force.frames - 1,
                               system = &builder_.system(),
                               k = *component](const State& state, const SystemWorkspace& workspace) {
        return system->force_wrench((*numbers)[f], last, state, workspace)[k];
      });
    }
    builder_.error(path, "'{}': no force named '{}'{}", whole, name, suggest(name, names));
    return {};
  }
  if (found == builder_.laws_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, law] : builder_.laws_) names.push_back(known);
    builder_.error(path, "'{}': no spring, torsion spring or joint force named '{}'{}", whole, name,
                   suggest(name, names));
    return {};
  }
  const auto& [along, law] = found->second;
  const std::vector<std::string> quantities{"length", "angle", "rate", "tension"};
  if (std::find(quantities.begin(), quantities.end(), rest) == quantities.end()) {
    builder_.error(path, "'{}': of a spring a formula knows its length (or angle), rate and tension{}", whole,
                   suggest(rest, quantities));
    return {};
  }
  if (rest == "rate") return measure(along, true);
  const Slot x = measure(along, false);
  if (rest != "tension") return x;
  return signal(whole, {x, measure(along, true), time()},
                [law = law](std::span<const double> in, std::span<double> slope) {
                  const LawSample f = law(in[0], in[1], in[2]);
                  if (!slope.empty()) slope[0] = f.d_x, slope[1] = f.d_v, slope[2] = 0;
                  return f.force;
                });
}

std::optional<Network::Slot> ControlBuilder::energy(const std::string& which, const std::string& path) {
  const System* system = &builder_.system();
  const auto of = [&](auto part) {
    return controls_.solved([=](const State& state, const SystemWorkspace& workspace) {
      return part(system->energy(state, workspace));
    });
  };
  if (which == "kinetic") return of([](const Energy& e) { return e.kinetic; });
  if (which == "potential") return of([](const Energy& e) { return e.potential; });
  if (which == "total") return of([](const Energy& e) { return e.kinetic + e.potential; });
  builder_.error(path, "'energy.{}': a formula knows energy.kinetic, potential and total{}", which,
                 suggest(which, {"kinetic", "potential", "total"}));
  return {};
}

/// contact.NAME.gap, points, force.x, place.x, impulse.x
std::optional<Network::Slot> ControlBuilder::of_contact(const std::string& name, const std::string& rest,
                                                        const std::string& path) {
  using Sum = RigidContactsBase::Sum;
  const auto& all = builder_.built_.contacts;
  const auto contact =
      std::find_if(all.begin(), all.end(), [&](const BuiltContact& c) { return c.name == name; });
  if (contact == all.end()) {
    std::vector<std::string> names;
    for (const BuiltContact& c : all) names.push_back(c.name);
    builder_.error(path, "no contact named '{}'{}", name, suggest(name, names));
    return {};
  }
  const auto of = [&](auto part) {
    return controls_.solved([part, contact = *contact, system = &builder_.system()](
                                const State& state, const SystemWorkspace& workspace) {
      return part(contact_sum(contact, *system, state, workspace));
    });
  };
  if (rest == "gap") return of([](const Sum& s) { return s.gap; });
  if (rest == "points") return of([](const Sum& s) { return static_cast<double>(s.points); });
  for (int k = 0; k < 3; ++k) {
    if (rest == formatted("force.{}", "xyz"[k])) return of([k](const Sum& s) { return s.force[k]; });
    if (rest == formatted("place.{}", "xyz"[k])) return of([k](const Sum& s) { return s.place[k]; });
    if (rest == formatted("impulse.{}", "xyz"[k])) return of([k](const Sum& s) { return s.impulse[k]; });
  }
  builder_.error(path,
                 "'contact.{}.{}': of a contact a formula knows gap, points, force.x, place.x and impulse.x",
                 name, rest);
  return {};
}

/// With the gradient G and the Hessian H of the coordinate, and the twists u of its frames:  c'' = G u' + u^T H u
Network::Slot ControlBuilder::acceleration_of(const FoundCoordinate& found) {
  return controls_.solved([along = found.first, frames = found.second, system = &builder_.system()](
                              const State& state, const SystemWorkspace& workspace) {
    const FrameTable& table = workspace.frames;
    Vec12 u, a;
    for (int k = 0; k < 2; ++k) {
      u.segment<6>(6 * k) = table.twist[frames[k]];
      a.segment<6>(6 * k) = frame_acceleration(system->frame_map(), table, frames[k], state.a);
    }
    return std::visit(
        [&](const auto& c) {
          const FramePose &A = table.pose[frames[0]], &B = table.pose[frames[1]];
          Mat12 H = Mat12::Zero();
          c.add_hessian(A, B, 1.0, H);
          return c.gradient(A, B).dot(a) + u.dot(H * u);
        },
        along);
  });
}

Network::Slot ControlBuilder::measure(const FoundCoordinate& found, bool rate) {
  return controls_.measure(CoordinateMeasure{found.first, found.second, builder_.observe(found), rate});
}

std::vector<int> ControlBuilder::bodies_of(const std::string& name, const std::string& path) {
  const auto place = builder_.attachment(name, path);
  if (!place) return {};
  if (place->body < 0) return builder_.error(path, "'{}' is no body", name), std::vector<int>();
  return builder_.components_of(*place);
}

std::optional<std::array<int, 2>> ControlBuilder::frames(const std::string& of, const std::string& from,
                                                         const std::string& path, bool oriented) {
  const auto at = [&](const std::string& name, bool with_axes) -> std::optional<int> {
    const auto a = builder_.attachment(name, path);
    if (!a) return {};
    const std::string key = name + (with_axes ? "" : ".");
    if (const auto known = observed_frames_.find(key); known != observed_frames_.end()) return known->second;
    return observed_frames_[key] = builder_.add_frame(*a, with_axes);
  };
  const auto A = at(from, true), B = at(of, oriented);
  if (!A || !B) return {};
  return {{*A, *B}};
}

// --- forces that are signals

namespace {

SignalFunction function_of(const Function& f) {
  return [f](std::span<const double> x, std::span<double> slope) {
    const Sample y = f(x[0]);
    if (!slope.empty()) slope[0] = y.d1;
    return y.value;
  };
}

}  // namespace

void Builder::add_actuator(const std::string& force, const std::string& type, const FoundCoordinate& along,
                           const LawSettings& law) {
  const auto make = [=](ControlBuilder& to) {
    const std::string path = "forces." + force + (law.law ? ".law" : ".active");
    const Network::Slot x = to.measure(along, false), v = to.measure(along, true);
    Network::Slot tension;
    if (law.law) {
      tension = to.formula(law.law->text, path,
                           {{"x", x}, {"length", x}, {"angle", x}, {"v", v}, {"rate", v}, {"t", to.time()}});
    } else {
      LawSettings passive = law;
      passive.active.reset();
      tension = to.signal(force, {x, v, to.formula(*law.active->signal_formula(), path)},
                          [law = passive.make()](std::span<const double> in, std::span<double> slope) {
                            const LawSample f = law(in[0], in[1], 0);
                            if (!slope.empty()) slope[0] = f.d_x, slope[1] = f.d_v, slope[2] = 1;
                            return f.force + in[2];
                          });
    }
    return Controls::Force{force, {{CoordinateActuator{along.first, along.second}, tension}}, along.second};
  };
  pending_.push_back({built_.forces.size(), make});
  built_.forces.push_back({force, type, -1, 2, along.second});
}

void Builder::add_servo(const std::string& drive, const std::string& joint, const FoundCoordinate& along,
                        const std::string& formula, double every) {
  double start = start_value(along);  // or what the joint is told
  if (const AnyJoint* driven = model_->joints.find(joint.substr(0, joint.find('.'))))
    if (const Named<CoordinateStart>* given = (*driven)->start(driven->data()))
      for (const auto& [coordinate, value] : *given)
        if (value.value && (given->size() == 1 || joint.ends_with("." + coordinate))) start = *value.value;
  std::visit(
      [&](const auto& coordinate) {
        using C = std::decay_t<decltype(coordinate)>;
        BuiltJoint built{
            drive, "drive", add_constraint(ServoDrive<C>{coordinate}, along.second, drive), along.second, {}};
        servos_.push_back({drive, formula, along, built.constraint, every, start});
        add_coordinate(built, C::periodic ? "angle" : "displacement", coordinate);
        add(std::move(built));
      },
      along.first);
}

void Builder::add_motor(const std::string& force, const MotorSettings& motor, const FoundCoordinate& along) {
  const auto make = [=](ControlBuilder& to) {
    const Network::Slot command = to.formula(motor.command.text, "forces." + force + ".command");
    const Network::Slot v = to.measure(along, true);
    // A tension that makes the coordinate grow is negative.
    const Network::Slot tension =
        to.signal(force, {command, v}, [motor](std::span<const double> in, std::span<double> slope) {
          const double gear = motor.gear, u = std::clamp(in[0], -1.0, 1.0), speed = gear * in[1];
          const bool is_limited = u != in[0];
          double torque = 0, by_command = 0, by_speed = 0;
          if (motor.curve) {
            const Sample curve = (*motor.curve)(speed);
            torque = u * curve.value, by_command = curve.value, by_speed = u * curve.d1;
          } else {
            torque = *motor.stall * (u - speed / *motor.no_load);
            by_command = *motor.stall, by_speed = -*motor.stall / *motor.no_load;
            if (const double most = *motor.stall; std::abs(torque) > most)
              torque = std::copysign(most, torque), by_command = by_speed = 0;
          }
          if (!slope.empty())
            slope[0] = is_limited ? 0 : -gear * by_command, slope[1] = -gear * gear * by_speed;
          return -gear * torque;
        });
    return Controls::Force{force, {{CoordinateActuator{along.first, along.second}, tension}}, along.second};
  };
  pending_.push_back({built_.forces.size(), make});
  built_.forces.push_back({force, motor.name, -1, 2, along.second});
}

void Builder::add_actuator(const std::string& load, const std::string& type, int frame,
                           const std::optional<std::array<Function, 3>>& force,
                           const std::optional<std::array<Function, 3>>& torque, bool turns) {
  const auto make = [=](ControlBuilder& to) {
    Controls::Force made{load, {}, {frame, -1}};
    for (int component = 0; component < 6; ++component) {
      const auto& vector = component < 3 ? force : torque;
      if (!vector) continue;
      const Function& f = (*vector)[static_cast<std::size_t>(component % 3)];
      if (const auto* constant = std::get_if<Function::Constant>(&f.kind()); constant && constant->value == 0)
        continue;
      const std::string path =
          formatted("forces.{}.{}[{}]", load, component < 3 ? "force" : "torque", component % 3);
      const Network::Slot y = f.signal_formula() ? to.formula(*f.signal_formula(), path)
                                                 : to.signal(path, {to.time()}, function_of(f));
      made.outputs.push_back({LoadActuator{frame, component, turns}, y});
    }
    return made;
  };
  pending_.push_back({built_.forces.size(), make});
  built_.forces.push_back({load, type, -1, 1, {frame, frame}});
}

}  // namespace hooke
