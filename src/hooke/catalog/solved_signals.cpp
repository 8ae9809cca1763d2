// Signals of what is known once a state is solved for.
#include "hooke/bodies/modal_data.h"
#include "hooke/catalog/control_builder.h"
#include "hooke/catalog/signal_settings.h"
#include "hooke/fe/solid_model.h"
#include "hooke/fe/stress_matrix.h"

namespace hooke {

void AccelerationSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  if (const auto frames = to.frames(of, from.relative_to, "signals." + signal, false))
    to.define(signal, to.acceleration_of({Displacement{static_cast<Axis>(from.axis)}, *frames}), "m/s^2");
}

// --- inside rods

/// While the start is assembled bodies are rigid: they have neither stress nor strain.
static void define_nothing(const std::string& signal, ControlBuilder& to) {
  to.define(signal, to.formula(signal, "0", {}, {}));
}

void SectionSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  const std::string path = "signals." + signal;
  const std::vector<int> bodies = to.bodies_of(of, path);
  if (bodies.empty()) return;
  const System* system = &to.model().system();
  const int body = bodies[0], count = system->section_count(body);
  if (to.model().is_frozen()) return define_nothing(signal, to);
  if (count == 0) return to.model().error(path, "'{}' has no sections to look at: it is no Cosserat rod", of);
  if (const double length = to.model().made(body).length; at > length)
    return to.model().error(path + ".at", "the rod is only {:.6g} m long", length);
  const bool is_load = quantity == SectionQuantity::force || quantity == SectionQuantity::moment;
  const bool is_first = quantity == SectionQuantity::force || quantity == SectionQuantity::strain;
  const int k = static_cast<int>(axis) + (is_first ? 0 : 3);
  const auto value = [=, at = at](const State& state, const SystemWorkspace&) {
    int next = 1;
    while (next + 1 < count && system->section(body, next, state).arc < at) ++next;
    const SectionValues a = system->section(body, next - 1, state),
                        b = system->section(body, std::min(next, count - 1), state);
    const auto of_one = [&](const SectionValues& s) { return is_load ? s.force[k] : s.strain[k]; };
    const double share = b.arc > a.arc ? std::clamp((at - a.arc) / (b.arc - a.arc), 0.0, 1.0) : 0.0;
    return (1 - share) * of_one(a) + share * of_one(b);
  };
  constexpr std::array units{"N", "N m", "1", "1/m"};
  to.define(signal, to.controls().solved(value), units[static_cast<std::size_t>(quantity)]);
}

// --- on solids and bodies with modes

namespace {

/// Nodes of a body that are looked at; of a solid in components there are several of these.
struct Looked {
  int body;
  std::shared_ptr<const SolidModel> solid;
  std::shared_ptr<const ModalData> modal;
  std::vector<int> nodes;

  Vec3 place(int n) const {
    return solid ? solid->mesh.nodes[static_cast<std::size_t>(n)]
                 : modal->nodes[static_cast<std::size_t>(n)].at.p;
  }
  /// Of the modes, which are the last of the body's coordinates.
  auto modes(const System& system, const State& state) const {
    return state.q.segment(system.place_of(body).q, system.size_of(body).q).tail(modal->modes());
  }
  const ModalData::Node& mode_node(int n) const { return modal->nodes[static_cast<std::size_t>(n)]; }
};

std::vector<int> chosen(const Looked& of, const std::string& set, const std::optional<Vec3>& at) {
  const int count = of.solid ? of.solid->nodes() : static_cast<int>(of.modal->nodes.size());
  std::vector<int> all;
  for (int n = 0; n < count; ++n) all.push_back(n);
  if (at)
    return {*std::min_element(all.begin(), all.end(), [&](int a, int b) {
      return (of.place(a) - *at).squaredNorm() < (of.place(b) - *at).squaredNorm();
    })};
  if (set.empty()) return all;
  const auto found = of.solid->mesh.node_sets.find(set);
  return found == of.solid->mesh.node_sets.end() ? std::vector<int>() : found->second;
}

/// What is looked at, or nothing after a complaint.
std::vector<Looked> look(const std::string& body, const std::string& set, const std::optional<Vec3>& at,
                         const std::string& path, ControlBuilder& to) {
  std::vector<Looked> all;
  std::vector<std::string> sets;
  for (int b : to.bodies_of(body, path)) {
    const MadeBody& made = to.model().made(b);
    Looked one{b, made.solid, made.modal, {}};
    if ((!one.solid && !one.modal) || (!one.solid && !set.empty())) {
      to.model().error(
          path, "'{}' {}", body,
          one.modal ? "has modes and no node sets: give a place with 'at'" : "is no solid and has no modes");
      return {};
    }
    sets.insert(sets.end(), made.sets.begin(), made.sets.end());
    one.nodes = chosen(one, set, at);
    if (!one.nodes.empty()) all.push_back(std::move(one));
  }
  if (at && all.size() > 1) {  // of the components, the one that has the nearest node
    std::swap(all[0], *std::min_element(all.begin(), all.end(), [&](const Looked& a, const Looked& b) {
                return (a.place(a.nodes[0]) - *at).norm() < (b.place(b.nodes[0]) - *at).norm();
              }));
    all.erase(all.begin() + 1, all.end());
  }
  if (all.empty() && !sets.empty())
    to.model().error(path + ".set", "no node set '{}'{}", set, suggest(set, sets));
  return all;
}

SolvedValue stress_of(const Looked& looked, const System* system) {
  if (looked.modal)
    return [=](const State& state, const SystemWorkspace&) {
      double most = 0;
      for (int n : looked.nodes)
        most = std::max(most, von_mises(looked.mode_node(n).stress * looked.modes(*system, state)));
      return most;
    };
  const auto& solid = *looked.solid;
  return [=, S = stress_matrix(solid.mesh, solid.materials, solid.options, looked.nodes)](
             const State& state, const SystemWorkspace&) {
    const Mat3X u = solid_displacements(*looked.solid, system->motion(looked.body, state).pose,
                                        system->nodes(looked.body, state));
    const VectorX stresses = S * u.reshaped();
    double most = 0;
    for (int k = 0; k < stresses.size(); k += 6) most = std::max(most, von_mises(stresses.segment<6>(k)));
    return most;
  };
}

Vec3 at(const FramePose& X, const Vec3& place) { return X.p + X.R * place; }

/// From where the nodes would be if they went with the frame X from where it was; without one, with the body's own.
SolvedValue displacement_of(const Looked& looked, const System* system, const FramePose& body_start,
                            int frame, const FramePose& frame_start) {
  return [=](const State& state, const SystemWorkspace& workspace) {
    const FramePose X = system->motion(looked.body, state).pose;
    const std::vector<FramePose> nodes =
        looked.solid ? system->nodes(looked.body, state) : std::vector<FramePose>();
    const FramePose went = frame < 0 ? X
                                     : workspace.frames.pose[static_cast<std::size_t>(frame)] *
                                           inverse(frame_start) * body_start;
    double most = 0;
    for (int n : looked.nodes) {
      const Vec3 place = looked.place(n);
      const Vec3 now = looked.solid ? nodes[static_cast<std::size_t>(n)].p
                                    : at(X, place + looked.mode_node(n).shift * looked.modes(*system, state));
      most = std::max(most, (now - at(went, place)).norm());
    }
    return most;
  };
}

SolvedValue largest_of(std::vector<SolvedValue> values) {
  return [values = std::move(values)](const State& state, const SystemWorkspace& workspace) {
    double most = 0;
    for (const SolvedValue& value : values) most = std::max(most, value(state, workspace));
    return most;
  };
}

void refuse_both(const std::string& set, const std::optional<Vec3>& at, const Complain& complain) {
  if (!set.empty() && at) complain("at", "and 'set' exclude each other");
}

}  // namespace

void StressSignal::check(const Complain& complain) const { refuse_both(set, at, complain); }
void DisplacementSignal::check(const Complain& complain) const { refuse_both(set, at, complain); }

void StressSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  if (to.model().is_frozen()) return define_nothing(signal, to);
  const std::string path = "signals." + signal;
  std::vector<SolvedValue> values;
  for (const Looked& looked : look(of, set, at, path, to)) {
    for (int n : looked.nodes)
      if (looked.modal && looked.mode_node(n).stress.size() == 0)
        return to.model().error(path, "the modes of '{}' were made without stresses", of);
    values.push_back(stress_of(looked, &to.model().system()));
  }
  if (!values.empty()) to.define(signal, to.controls().solved(largest_of(std::move(values))), "Pa");
}

void DisplacementSignal::add_signal(const std::string& signal, ControlBuilder& to) const {
  if (to.model().is_frozen()) return define_nothing(signal, to);
  const std::string path = "signals." + signal;
  int frame = -1;
  FramePose start;
  if (!relative_to.empty()) {
    const auto place = to.model().attachment(relative_to, path + ".relative_to");
    if (!place) return;
    frame = to.model().add_frame(*place);
    start = place->X_WF;
  }
  std::vector<SolvedValue> values;
  for (const Looked& looked : look(of, set, at, path, to))
    values.push_back(
        displacement_of(looked, &to.model().system(), to.model().pose_of(looked.body), frame, start));
  if (!values.empty()) to.define(signal, to.controls().solved(largest_of(std::move(values))), "m");
}

}  // namespace hooke
