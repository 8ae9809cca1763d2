#include "hooke/contact/surface_pairs.h"

#include <cmath>

#include "hooke/math/so3.h"
#include "hooke/system/system.h"

namespace hooke {

void SurfacePairs::finish() {
  memberships_.resize(surfaces.size());
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c)
    for (int list = 0; list < 2; ++list)
      for (const int surface : contacts[static_cast<std::size_t>(c)].lists[static_cast<std::size_t>(list)])
        memberships_[static_cast<std::size_t>(surface)].push_back({c, list});
  for (const Surface& surface : surfaces)
    most_features_ = std::max(most_features_, static_cast<double>(surface.features.size())),
    most_pieces_ = std::max(most_pieces_, static_cast<double>(surface.pieces.size()));
}

double SurfacePairs::key_of(const Place& place) const {
  const auto n = static_cast<double>(surfaces.size());
  return (((place.first * n + place.second) * 2 + place.side) * most_features_ + place.feature) *
             (most_pieces_ + 1) +
         place.piece + 1;
}

SurfacePairs::Place SurfacePairs::place_of(double key) const {
  const auto n = static_cast<std::int64_t>(surfaces.size()),
             features = static_cast<std::int64_t>(most_features_),
             pieces = static_cast<std::int64_t>(most_pieces_ + 1);
  auto rest = static_cast<std::int64_t>(key);
  Place place;
  place.piece = static_cast<int>(rest % pieces) - 1, rest /= pieces;
  place.feature = static_cast<int>(rest % features), rest /= features;
  place.side = static_cast<int>(rest % 2), rest /= 2;
  place.second = static_cast<int>(rest % n);
  place.first = static_cast<int>(rest / n);
  return place;
}

PieceContact<RodPiece> SurfacePairs::on_piece(const Place& place) const {
  return {.radius = feature(place).feature.radius,
          .piece = other(place).pieces[static_cast<std::size_t>(place.piece)]};
}

std::array<int, 3> SurfacePairs::piece_frames(const Place& place) const {
  return {feature(place).frame, piece_frame(place, 0), piece_frame(place, 1)};
}

static auto poses_of(const std::array<int, 3>& frames, std::span<const FramePose> pose) {
  const auto at = [&](std::size_t k) { return &pose[static_cast<std::size_t>(frames[k])]; };
  return std::array{at(0), at(1), at(2)};
}

PiecePlace<2, double> SurfacePairs::piece_place(const Place& place, std::span<const FramePose> pose) const {
  PieceContact<RodPiece> contact = on_piece(place);
  const auto at = poses_of(piece_frames(place), pose);
  const PiecePlace<2, double> nearest = contact.place_at(at);
  if (nearest.exists) return nearest;
  contact.piece.is_first = contact.piece.is_last = true;
  return contact.place_at(at);
}

ContactGap SurfacePairs::gap_of(const Place& place, std::span<const FramePose> pose) const {
  if (place.piece >= 0) return on_piece(place).gap_at(poses_of(piece_frames(place), pose));
  const Surface::Feature& touching = feature(place);
  const Meeting meeting(surfaces[static_cast<std::size_t>(place.first)],
                        surfaces[static_cast<std::size_t>(place.second)]);
  const TouchingFeature feature = meeting.as_met(place.side, touching.feature);
  const FramePose& A = pose[static_cast<std::size_t>(touching.frame)];
  ContactGap at = gap_between(feature, *other(place).field, A,
                              pose[static_cast<std::size_t>(other(place).frame)], featured(place).share());
  constexpr double flat =
      1e-3;  // rad: which point is the deepest changes at once, and those all around it carry
  if (feature.kind == TouchingFeature::Kind::rim && (A.R * feature.axis).cross(at.normal).norm() < flat)
    at.gap = std::numeric_limits<double>::infinity();
  return at;
}

ContactGap SurfacePairs::gap_held(const Place& place, const Vec3& on_curve,
                                  std::span<const FramePose> pose) const {
  if (place.piece >= 0) {
    PieceContact<RodPiece> contact = on_piece(place);
    contact.piece.is_first = contact.piece.is_last = true;
    return contact.gap_at(poses_of(piece_frames(place), pose));
  }
  const Surface::Feature& touching = feature(place);
  return hooke::gap_held(touching.feature, on_curve, *other(place).field,
                         pose[static_cast<std::size_t>(touching.frame)],
                         pose[static_cast<std::size_t>(other(place).frame)], featured(place).share());
}

ContactGap SurfacePairs::gap_since(const Place& place, const Vec3& on_curve,
                                   std::span<const FramePose> pose) const {
  constexpr double near = 0.955;  // cosine of 0.3 rad: farther round a rim it is another place
  const ContactGap now = gap_of(place, pose);
  const bool is_rim = place.piece < 0 && feature(place).feature.kind == TouchingFeature::Kind::rim;
  if (std::isfinite(now.gap) && (!is_rim || now.on_curve.dot(on_curve) > near)) return now;
  ContactGap held = gap_held(place, on_curve, pose);
  if (!is_rim) held.gap = std::numeric_limits<double>::infinity();
  return held;
}

Vec3 SurfacePairs::held_place(const Place& place, const Vec3& on_curve,
                              std::span<const FramePose> pose) const {
  using Kind = TouchingFeature::Kind;
  const Kind kind = feature(place).feature.kind;
  const bool moves = place.piece >= 0 || kind == Kind::rim || kind == Kind::rim_point;
  return (moves ? gap_since(place, on_curve, pose) : gap_held(place, on_curve, pose)).place;
}

/// The number of the contact between two surfaces, -1: they do not meet. The lower one is the first of them, unless a
/// contact names it second: then the number is counted from -2 down.
int SurfacePairs::contact_of(int first, int second) const {
  for (const Membership& a : memberships_[static_cast<std::size_t>(first)])
    for (const Membership& b : memberships_[static_cast<std::size_t>(second)]) {
      if (a.contact != b.contact) continue;
      const Contact& contact = contacts[static_cast<std::size_t>(a.contact)];
      if (contact.except.contains(std::minmax(first, second))) continue;
      if (!contact.is_among && a.list != b.list) return a.list == 0 ? a.contact : -2 - a.contact;
      if (!contact.is_among) continue;
      const int body = surfaces[static_cast<std::size_t>(first)].body,
                other = surfaces[static_cast<std::size_t>(second)].body;
      if (body != other && (contact.with_neighbours || !joined.contains(std::minmax(body, other))))
        return a.contact;
    }
  return -1;
}

int SurfacePairs::contact_between(const Place& place) const {
  const int contact = contact_of(place.first, place.second);
  return contact < -1 ? -2 - contact : contact;
}

std::vector<std::pair<int, int>> SurfacePairs::pairs_on_faces() const {
  std::vector<std::pair<int, int>> all;
  for (int i = 0; i < static_cast<int>(surfaces.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(surfaces.size()); ++j) {
      const int contact = contact_of(i, j);
      if (contact == -1) continue;
      const int first = contact < -1 ? j : i, second = contact < -1 ? i : j;
      const Surface &a = surfaces[static_cast<std::size_t>(first)],
                    &b = surfaces[static_cast<std::size_t>(second)];
      const Meeting meeting(a, b);
      if (meeting.by_first && !b.field && b.faces) all.emplace_back(first, second);
      if (meeting.by_second && !a.field && a.faces) all.emplace_back(second, first);
    }
  return all;
}

SurfacePairs::Balls SurfacePairs::balls() const {
  Balls all;
  for (int s = 0; s < static_cast<int>(surfaces.size()); ++s) {
    const Surface& surface = surfaces[static_cast<std::size_t>(s)];
    double bound = surface.field ? surface.field->bound() : 0;
    for (int f = 0; f < static_cast<int>(surface.features.size()); ++f) {
      const Surface::Feature& feature = surface.features[static_cast<std::size_t>(f)];
      const double piece = surface.pieces.empty() ? 0 : surface.pieces.front().length;
      if (!surface.field) all.of.push_back({s, f, feature.frame, feature.feature.bound() + piece});
      bound = std::max(bound, feature.feature.bound());
    }
    if (surface.field) all.of.push_back({s, -1, surface.frame, bound});
  }
  all.balls.resize(all.of.size());
  return all;
}

SurfacePassages::SurfacePassages(SurfacePairs pairs)
    : pairs_(std::move(pairs)), balls_(pairs_.balls()), on_faces_(pairs_.pairs_on_faces()) {
  for (const Surface& surface : pairs_.surfaces)
    depth_.push_back(surface.field             ? surface.field->depth()
                     : !surface.pieces.empty() ? surface.pieces.front().radius
                     : surface.faces           ? surface.faces->least_depth()
                                               : 0);
}

/// Nothing moves as far in a step as half of the least that it may meet is deep.
bool SurfacePassages::is_slow(const Workspace& workspace, double h) const {
  const FrameTable& after = static_cast<const SystemWorkspace&>(workspace).frames;
  double least = std::numeric_limits<double>::infinity(), fastest = 0;
  for (const double depth : depth_)
    if (depth > 0) least = std::min(least, depth);
  for (const SurfacePairs::Balls::Of& ball : balls_.of) {
    const FrameTwist& twist = after.twist[static_cast<std::size_t>(ball.frame)];
    const double reach = std::isfinite(ball.bound) ? ball.bound : 0;
    fastest = std::max(fastest, twist.head<3>().norm() + reach * twist.tail<3>().norm());
  }
  return 2 * fastest * h < least;
}

namespace {

/// On the way of a step that is `way` long past something `depth` deep: inside at one of the places, as far apart as half the depth,
/// and outside or on the other side in the end, where normals are less `aligned`. What touches at first and is opposite to nothing in
/// the end has opened, unless its normal, not a number, says that it may be on the other side.
bool passes(double way, double depth, double aligned, auto&& gap) {
  const ContactGap begin = gap(0.0), end = gap(1.0);
  const auto is_beyond = [&](const ContactGap& at) { return !(at.normal.dot(end.normal) >= aligned); };
  const bool is_opposite_to_nothing = std::isinf(end.gap) && end.normal.allFinite();
  if (begin.gap <= 0) return !is_opposite_to_nothing && is_beyond(begin);
  const int pieces = static_cast<int>(std::min(1000.0, std::ceil(2 * way / depth)));
  for (int k = 1; k < pieces; ++k)
    if (const ContactGap at = gap(static_cast<double>(k) / pieces); at.gap < 0)
      return !(end.gap < 0) || is_beyond(at);
  return false;
}

FramePose pose_between(const FrameTable& before, const FrameTable& after, int frame, double s) {
  const auto f = static_cast<std::size_t>(frame);
  const FramePose &from = before.pose[f], &to = after.pose[f];
  return {from.R * exp_so3(s * log_so3(from.R.transpose() * to.R)), from.p + s * (to.p - from.p)};
}

}  // namespace

/// A section of a rod may come to any piece of the other one.
bool SurfacePassages::passed_rod(SurfacePairs::Place place, const FrameTable& before,
                                 const FrameTable& after) const {
  const auto way_of = [&](int f) -> Vec3 {
    return after.pose[static_cast<std::size_t>(f)].p - before.pose[static_cast<std::size_t>(f)].p;
  };
  const auto& pieces = pairs_.other(place).pieces;
  const std::array<int, 3> frames = pairs_.piece_frames(place);
  const double depth = pairs_.feature(place).feature.radius + pieces.front().radius;
  constexpr double axes = 0.99;  // of the depth: where axes meet nothing tells the side
  const double way = std::max((way_of(frames[0]) - way_of(frames[1])).norm(),
                              (way_of(frames[0]) - way_of(frames[2])).norm());
  if (!(way > 0.5 * depth)) return false;  // it may begin half way in
  const int neighbours = place.first == place.second ? pairs_.own_neighbours(place.first) : 0;
  constexpr double aligned = 0.5;  // it is brought out sideways, too, if a step lets it in that far
  return passes(way, depth, aligned, [&](double s) {
    ContactGap least{std::numeric_limits<double>::infinity()};
    for (place.piece = 0; place.piece < static_cast<int>(pieces.size()); ++place.piece) {
      if (neighbours > 0 && std::abs(place.piece - place.feature) < neighbours) continue;
      const std::array<int, 3> at = pairs_.piece_frames(place);
      const std::array poses{pose_between(before, after, at[0], s), pose_between(before, after, at[1], s),
                             pose_between(before, after, at[2], s)};
      const ContactGap here = pairs_.on_piece(place).gap_at({&poses[0], &poses[1], &poses[2]});
      if (here.gap < least.gap) least = here;
    }
    if (least.gap < -axes * depth) least.normal.setConstant(std::numeric_limits<double>::quiet_NaN());
    return least;
  });
}

bool SurfacePassages::passed(const SurfacePairs::Place& place, const FrameTable& before,
                             const FrameTable& after) const {
  if (place.piece >= 0) return passed_rod(place, before, after);
  const Surface::Feature& feature = pairs_.feature(place);
  const Surface& other = pairs_.other(place);
  const auto [A, B] = pairs_.frames_of(place);
  const double depth = other.field->depth() + feature.feature.radius;
  const double bound = feature.feature.bound();
  const auto turn = [&](int f) -> Vec3 { return log_so3(before.pose[f].R.transpose() * after.pose[f].R); };
  const Vec3 turn_A = turn(A), turn_B = turn(B), way_A = after.pose[A].p - before.pose[A].p,
             way_B = after.pose[B].p - before.pose[B].p;
  const double apart = (before.pose[A].p - before.pose[B].p).norm() + bound;
  const double way = (way_A - way_B).norm() + bound * turn_A.norm() + apart * turn_B.norm();
  if (!(way > depth)) return false;
  return passes(way, depth, 0, [&, A = A, B = B](double s) {
    return gap_between(feature.feature, *other.field, pose_between(before, after, A, s),
                       pose_between(before, after, B, s), 0);
  });
}

struct SurfacePassages::Swept final : Search {
  SurfacePairs::Balls balls;
  FacetedSurface::Posed solid;  ///< on the way
  FacetedSurface::Patch patch;
};

/// Nodes and sections against the faces of a solid, which move, too. Beside the faces and beyond them nothing is there.
bool SurfacePassages::passed_faces(const Surface& featured, const Surface& solid, const FrameTable& before,
                                   const FrameTable& after, Swept& swept) const {
  constexpr double anywhere = std::numeric_limits<double>::infinity();
  const auto at = [](const FrameTable& table, int frame) -> const Vec3& {
    return table.pose[static_cast<std::size_t>(frame)].p;
  };
  Vec3 low = Vec3::Constant(anywhere), high = -low, least_way = low, most_way = high;
  for (const Surface::Feature& node : solid.features) {
    const Vec3 &from = at(before, node.frame), &to = at(after, node.frame), way = to - from;
    low = low.cwiseMin(from.cwiseMin(to)), high = high.cwiseMax(from.cwiseMax(to));
    least_way = least_way.cwiseMin(way), most_way = most_way.cwiseMax(way);
  }
  for (const Surface::Feature& feature : featured.features) {
    const double radius = feature.feature.radius, depth = solid.faces->least_depth() + radius;
    const Vec3 &from = at(before, feature.frame), &to = at(after, feature.frame), own = to - from;
    const double way = (own - least_way).cwiseAbs().cwiseMax((own - most_way).cwiseAbs()).norm();
    if (!(way > 0.5 * depth)) continue;
    if (((low - from.cwiseMax(to)).array() > radius).any() ||
        ((from.cwiseMin(to) - high).array() > radius).any())
      continue;
    const auto gap = [&](double s) {
      swept.solid.at.clear();
      for (const Surface::Feature& node : solid.features)
        swept.solid.at.push_back((1 - s) * at(before, node.frame) + s * at(after, node.frame));
      solid.faces->enclose(swept.solid);
      ContactGap here{anywhere};
      here.normal.setConstant(std::numeric_limits<double>::quiet_NaN());
      if (solid.faces->meet((1 - s) * from + s * to, radius, swept.solid, anywhere, false, swept.patch))
        here.gap = swept.patch.distance - radius, here.normal = swept.patch.normal;
      return here;
    };
    if (passes(way, depth, 0, gap)) return true;
  }
  return false;
}

std::unique_ptr<PassagesBase::Search> SurfacePassages::search() const {
  auto swept = std::make_unique<Swept>();
  swept->balls = balls_;
  return swept;
}

bool SurfacePassages::passed(const Workspace& from_workspace, const Workspace& to_workspace,
                             Search& search) const {
  const FrameTable &before = static_cast<const SystemWorkspace&>(from_workspace).frames,
                   &after = static_cast<const SystemWorkspace&>(to_workspace).frames;
  for (const auto& [featured, solid] : on_faces_)
    if (passed_faces(pairs_.surfaces[static_cast<std::size_t>(featured)],
                     pairs_.surfaces[static_cast<std::size_t>(solid)], before, after,
                     static_cast<Swept&>(search)))
      return true;
  SurfacePairs::Balls& swept = static_cast<Swept&>(search).balls;
  for (std::size_t b = 0; b < swept.of.size(); ++b) {
    const auto frame = static_cast<std::size_t>(swept.of[b].frame);
    const Vec3 &from = before.pose[frame].p, &to = after.pose[frame].p;
    swept.balls[b] = {0.5 * (from + to), swept.of[b].bound + 0.5 * (to - from).norm()};
  }
  bool has = false;
  pairs_.for_each_place(
      swept, [&](const SurfacePairs::Place& place, int) { has = has || passed(place, before, after); });
  return has;
}

}  // namespace hooke
