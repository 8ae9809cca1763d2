#include "hooke/view/default_shapes.h"

#include <algorithm>
#include <cmath>

#include "hooke/math/dense.h"
#include "hooke/math/so3.h"

namespace hooke {
namespace {

using Shape = Drawing::Shape;

struct Attached {
  Vec3 point;
  FramePose frame;
  bool slides = false;
};

bool is_slider(const std::string& type) { return type == "prismatic" || type == "cylindrical"; }

/// Where joints and springs meet each body.
std::vector<std::vector<Attached>> attachments(const Drawing& drawing,
                                               const std::vector<std::string>& types) {
  std::vector<std::vector<Attached>> of(drawing.masses.size());
  const auto add = [&](const Drawing::Connection& connection, bool slides) {
    for (std::size_t k = 0; k < 2; ++k) {
      const int body = connection.bodies[k];
      if (body < 0 || body >= static_cast<int>(of.size())) continue;
      of[static_cast<std::size_t>(body)].push_back({connection.frames[k].p, connection.frames[k], slides});
    }
  };
  for (std::size_t j = 0; j < drawing.joints.size(); ++j)
    add(drawing.joints[j], j < types.size() && is_slider(types[j]));
  for (const Drawing::Connection& force : drawing.forces) add(force, false);
  return of;
}

double reach_of(const std::vector<Attached>& points, const Vec3& centre) {
  double reach = 0;
  for (const Attached& at : points)
    if (!at.slides) reach = std::max(reach, (at.point - centre).norm());
  return reach;
}

/// Radius of gyration, the largest of the three.
double gyration(const MassProperties& body) {
  return body.mass > 0 ? std::sqrt(std::max(body.inertia.diagonal().maxCoeff(), 0.0) / body.mass) : 0;
}

/// Axes and moments in ascending order.
std::pair<Mat3, Vec3> principal(const Mat3& inertia) {
  auto [moments, axes] = symmetric_eigen3(inertia);
  if (axes.determinant() < 0) axes.col(0) *= -1;
  return {axes, moments};
}

Shape bar(int body, const Vec3& from, const Vec3& to, double diameter) {
  const Vec3 along = to - from;
  return {body,
          "cylinder",
          Vec3(diameter, diameter, along.norm()),
          {rotation_from_z(along), 0.5 * (from + to)},
          ""};
}

Shape ball(int body, const Vec3& at, double diameter) {
  return {body, "sphere", Vec3::Constant(diameter), {identity3, at}, ""};
}

/// A solid of even density with this mass and inertia, no dimension outside [least, most]. Inertia is often a
/// round number of no body in particular; then a ball should not hide what it hangs on.
Shape solid(int body, const MassProperties& mass, double least, double most) {
  const auto [axes, J] = principal(mass.inertia / std::max(mass.mass, 1e-300));
  const auto within = [&](double size) { return std::clamp(std::isfinite(size) ? size : 0.0, least, most); };
  const auto root = [](double x) { return std::sqrt(std::max(x, 0.0)); };
  const auto alike = [&](double a, double b) { return std::abs(a - b) <= 0.02 * J[2]; };
  if (alike(J[0], J[2]))
    return ball(body, mass.centre, std::max(least, std::min(0.4 * most, 2 * root(2.5 * J[2]))));
  if (alike(J[1], J[2]) || alike(J[0], J[1])) {  // a bar or a disk: the odd one is about its axis
    const int odd = alike(J[1], J[2]) ? 0 : 2;
    const double r2 = 2 * J[odd], across = J[1];
    const double widest = odd == 2 ? 0.6 * most : 0.15 * most;  // a disk, a bar
    const double diameter = std::max(least, std::min(widest, 2 * root(r2))),
                 length = within(root(12 * (across - r2 / 4)));
    return {body,
            "cylinder",
            Vec3(diameter, diameter, length),
            {rotation_from_z(axes.col(odd)), mass.centre},
            ""};
  }
  const double sum = J.sum() / 2;  // edges a_k^2 = 12 (sum - J_k) with sum - J_k the integral of x_k^2
  return {
      body,
      "box",
      Vec3(within(root(12 * (sum - J[0]))), within(root(12 * (sum - J[1]))), within(root(12 * (sum - J[2])))),
      {axes, mass.centre},
      ""};
}

void add_shapes(int body, const MassProperties& mass, const std::vector<Attached>& points, double size,
                bool has_round_ends, std::vector<Shape>& shapes) {
  const double reach = reach_of(points, mass.centre);
  std::vector<Vec3> ends;  // those that differ
  for (const Attached& at : points) {
    const bool is_new = std::none_of(ends.begin(), ends.end(),
                                     [&](const Vec3& end) { return (end - at.point).norm() < 0.02 * reach; });
    if (is_new && !at.slides) ends.push_back(at.point);
  }
  const auto slider =
      std::find_if(points.begin(), points.end(), [](const Attached& at) { return at.slides; });

  if (reach > 0 && ends.size() >= 2) {  // a link: bars from joint to joint, or from a hub
    const double diameter = std::clamp(0.09 * reach, 0.03 * size, 0.09 * size);
    const Vec3 first = ends[0] - mass.centre;
    const bool is_straight =
        ends.size() == 2 && first.cross(ends[1] - ends[0]).norm() < 0.05 * reach * (ends[1] - ends[0]).norm();
    if (is_straight) {
      shapes.push_back(bar(body, ends[0], ends[1], diameter));
      if (has_round_ends)
        for (const Vec3& end : ends) shapes.push_back(ball(body, end, 1.02 * diameter));
      return;
    }
    shapes.push_back(ball(body, mass.centre, 1.8 * diameter));
    for (const Vec3& end : ends)
      if ((end - mass.centre).norm() > diameter) {
        shapes.push_back(bar(body, mass.centre, end, diameter));
        if (has_round_ends) shapes.push_back(ball(body, end, 1.02 * diameter));
      }
    return;
  }
  if (slider != points.end()) {  // a block on its guide
    shapes.push_back({body, "box", size * Vec3(0.18, 0.18, 0.26), {slider->frame.R, mass.centre}, ""});
    return;
  }
  const double most = reach > 0 ? 2.2 * reach : size;
  const Shape own = solid(body, mass, 0.06 * size, std::max(most, 0.12 * size));
  shapes.push_back(own);
  const bool is_outside = !ends.empty() && reach > 0.6 * own.size.maxCoeff();
  if (is_outside) shapes.push_back(bar(body, mass.centre, ends[0], 0.04 * size));
}

}  // namespace

double typical_size(const Drawing& drawing) {
  const auto points = attachments(drawing, {});
  double size = 0;
  for (std::size_t b = 0; b < drawing.masses.size(); ++b)
    size = std::max(size, reach_of(points[b], drawing.masses[b].centre));
  for (const Shape& shape : drawing.shapes) {
    if (shape.body < 0) continue;  // the ground has no size
    if (shape.mesh < 0)
      size = std::max(size, 0.5 * shape.size.maxCoeff());
    else
      for (const Vec3& point : drawing.meshes[static_cast<std::size_t>(shape.mesh)].points)
        size = std::max(size, point.norm());
  }
  if (size > 0) return size;
  for (const MassProperties& body : drawing.masses) size = std::max(size, 3 * gyration(body));
  return size > 0 ? size : 1;
}

void add_default_shapes(Drawing& drawing, const std::vector<std::string>& joint_types,
                        const std::vector<char>& is_drawn) {
  std::vector<char> has_shape = is_drawn;
  has_shape.resize(drawing.masses.size(), 0);
  for (const Shape& shape : drawing.shapes)
    if (shape.body >= 0 && shape.body < static_cast<int>(has_shape.size()))
      has_shape[static_cast<std::size_t>(shape.body)] = 1;
  const double size = typical_size(drawing);
  const auto points = attachments(drawing, joint_types);
  const bool are_few = drawing.masses.size() <= 64;  // else nobody sees the ends, but drawing them takes time
  for (std::size_t b = 0; b < has_shape.size(); ++b)
    if (!has_shape[b])
      add_shapes(static_cast<int>(b), drawing.masses[b], points[b], size, are_few, drawing.shapes);
}

}  // namespace hooke
