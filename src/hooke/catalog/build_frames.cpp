#include <limits>
#include <set>

#include "hooke/catalog/builder.h"

namespace hooke {

std::optional<Attachment> Builder::attachment(const std::string& text, const std::string& path) {
  const auto dot = text.find('.');
  const std::string body = text.substr(0, dot), frame = dot == std::string::npos ? "" : text.substr(dot + 1);
  if (body == "ground") return ground_attachment(frame, path);
  auto found = number_of_body_.find(body);
  const bool cut = found == number_of_body_.end();
  if (cut) found = first_component_.find(body);
  if (cut && found == first_component_.end()) {
    std::vector<std::string> known = model_->bodies.names();
    known.insert(known.begin(), "ground");
    error(path, "no body named '{}'{}", body, suggest(body, known));
    return {};
  }
  Attachment result;
  result.body = found->second;
  result.cut = cut;
  result.X_WF = poses_[result.body];
  if (frame.empty()) return result;
  return named_on_body(result, frame, path) ? std::optional(result) : std::nullopt;
}

std::optional<Attachment> Builder::ground_attachment(const std::string& frame, const std::string& path) {
  if (frame.empty()) return Attachment{};
  std::vector<std::string> known;
  for (const auto& [name, placement] : model_->ground.frames) {
    if (name == frame) return Attachment{.X_WF = placement.pose(), .named = true};
    known.push_back(name);
  }
  error(path, "the ground has no frame named '{}'{}", frame, suggest(frame, known));
  return {};
}

bool Builder::named_on_body(Attachment& a, const std::string& frame, const std::string& path) {
  const auto& [body_name, body] = model_->bodies[static_cast<std::size_t>(a.body)];
  const MadeBody& made = made_[a.body];
  const auto at_arc = [&](double arc) {
    a.arc = arc;
    a.X_WF = a.X_WF * made.section(arc);
  };
  a.named = true;
  std::vector<std::string> known;
  for (const auto& [name, placement] : body.frames) {
    known.push_back(name);
    if (name != frame) continue;
    const std::string place = formatted("bodies.{}.frames.{}.arc", body_name, name);
    if (placement.arc && !made.section) return error(place, "only a rod has an arc length"), false;
    if (placement.arc && *placement.arc > made.length * (1 + 1e-9))
      return error(place, "the rod is only {:g} m long", made.length), false;
    if (placement.arc) at_arc(*placement.arc);
    if (placement.nodes &&
        !at_nodes(a, *placement.nodes, formatted("bodies.{}.frames.{}.nodes", body_name, name)))
      return false;
    a.X_WF = a.X_WF * placement.pose();
    return true;
  }
  for (const auto& [name, X_BF] : made.named) {
    known.push_back(name);
    if (name == frame) return a.place = name, a.X_WF = a.X_WF * X_BF, true;
  }
  const std::vector<std::string> sets = sets_of(a);
  if (made.section && (frame == "start" || frame == "end"))
    return at_arc(frame == "start" ? 0.0 : made.length), true;
  if (std::find(sets.begin(), sets.end(), frame) != sets.end()) return at_nodes(a, frame, path);
  if (made.section) known.insert(known.end(), {"start", "end"});
  known.insert(known.end(), sets.begin(), sets.end());
  error(path, "body '{}' has no frame named '{}'{}", body_name, frame, suggest(frame, known));
  return false;
}

std::vector<int> Builder::components_of(const Attachment& a) const {
  const auto entry = [&](std::size_t b) -> const BodyEntry& { return model_->bodies[b].second; };
  std::vector<int> all{a.body};
  for (std::size_t b = a.body + 1; a.cut && b < model_->bodies.size(); ++b)
    if (entry(b).component_of == entry(a.body).component_of) all.push_back(static_cast<int>(b));
  return all;
}

std::vector<std::string> Builder::sets_of(const Attachment& a) const {
  std::set<std::string> all;
  for (int b : components_of(a)) all.insert(made_[b].sets.begin(), made_[b].sets.end());
  return {all.begin(), all.end()};
}

std::vector<Vec3> Builder::set_places(const Attachment& a, const std::string& set) const {
  if (!a.cut) return made_[a.body].set_places(set);
  std::vector<Vec3> all;
  for (int b : components_of(a))
    if (has_set(b, set))
      for (const Vec3& place : made_[b].set_places(set))
        if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(place);
  return all.empty() ? made_[a.body].set_places(set) : all;  // which explains that there is none
}

bool Builder::has_set(int body, const std::string& set) const {
  const auto& sets = made_[body].sets;
  return std::find(sets.begin(), sets.end(), set) != sets.end();
}

int Builder::component(const Attachment& a) const {
  if (!a.cut) return a.body;
  const auto distance = [&](int b) { return made_[b].distance(in_body(a).p); };
  int best = -1;
  for (int b : components_of(a)) {
    if (!a.nodes.empty() &&
        (!has_set(b, a.nodes) || made_[b].set_places(a.nodes).size() < set_places(a, a.nodes).size()))
      continue;
    if (best < 0 || (a.nodes.empty() && distance(b) < distance(best))) best = b;
  }
  if (best < 0)
    throw std::invalid_argument(
        formatted("the nodes of '{}' belong to several components; take a smaller set, or one of '{}'",
                  a.nodes, model_->bodies[static_cast<std::size_t>(a.body)].first));
  return best;
}

bool Builder::at_nodes(Attachment& a, const std::string& set, const std::string& path) {
  if (!made_[a.body].set_places) return error(path, "only a solid has node sets"), false;
  try {
    const std::vector<Vec3> places = set_places(a, set);
    Vec3 sum = zero3;
    for (const Vec3& place : places) sum += place;
    a.X_WF.p += a.X_WF.R * sum / static_cast<double>(places.size());
    a.nodes = set;
    return true;
  } catch (const std::invalid_argument& problem) {
    return error(path, "{}", problem.what()), false;
  }
}

bool Builder::are_of_one_solid(const Attachment& a, const Attachment& b) const {
  if (a.body < 0 || b.body < 0) return false;
  const auto solid = [&](int body) -> const std::string& {
    return model_->bodies[static_cast<std::size_t>(body)].second.component_of;
  };
  return !solid(a.body).empty() && solid(a.body) == solid(b.body);
}

/// A place off a rod goes with the nearest section, as if by a rigid lever, which nobody sees.
void Builder::doubt_lever(const Attachment& a) {
  constexpr double far = 0.05;  // of the rod's length
  constexpr int steps = 200;
  const MadeBody& rod = made_[a.body];
  const Vec3 place = in_body(a).p;
  double distance = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= steps; ++k)
    distance = std::min(distance, (rod.section(rod.length * k / steps).p - place).norm());
  if (distance > far * rod.length)
    warning("bodies." + model_->bodies[static_cast<std::size_t>(a.body)].first,
            "something is attached {:.3g} m away from this rod, which acts as a rigid lever of that length; "
            "name a frame "
            "with that offset where it is meant",
            distance);
}

int Builder::add_frame(const Attachment& a, bool oriented) {
  frame_starts_.push_back(a.X_WF);  // frames are numbered as they are added
  if (a.body < 0) return system().add_ground_frame(a.X_WF);
  if (made_[a.body].add_patch) try {
      return made_[component(a)].add_patch(in_body(a), a.nodes, oriented);
    } catch (const std::invalid_argument& problem) {
      error("bodies." + model_->bodies[static_cast<std::size_t>(a.body)].first, "{}", problem.what());
      return system().add_ground_frame(a.X_WF);
    }
  if (made_[a.body].add_named && !a.place.empty()) return made_[a.body].add_named(in_body(a), a.place);
  if (made_[a.body].section && !a.named && !a.arc) doubt_lever(a);
  return made_[a.body].add_frame(in_body(a), a.arc);
}

}  // namespace hooke
