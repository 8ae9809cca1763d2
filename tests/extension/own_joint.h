#pragma once
#include <hooke/hooke.h>

namespace own {

/// The origin of B stays on a cylinder about z of A:  g = (x^2 + y^2 - r^2) / (2 r)
struct OnCylinder {
  static constexpr int frames = 2, rows = 1;
  double radius;
  hooke::Vec3 across(const hooke::FrameInputs<2>& in) const {  // from the axis to the point, world
    const hooke::Vec3 d = in.pose[1]->p - in.pose[0]->p, z = in.pose[0]->R.col(2);
    return d - z * z.dot(d);
  }
  void evaluate(const hooke::FrameInputs<2>& in, hooke::Rows<1>& out) const {
    const hooke::Vec3 d = in.pose[1]->p - in.pose[0]->p, c = across(in) / radius;
    out.g << (across(in).squaredNorm() - radius * radius) / (2 * radius);
    out.on_B() << c.transpose(), Eigen::RowVector3d::Zero();
    out.on_A() << -c.transpose(), c.cross(d).transpose();
  }
  /// Only on the ground: A does not move.
  void add_stiffness(const hooke::FrameInputs<2>& in, const Eigen::Matrix<double, 1, 1>& lambda,
                     hooke::Mat12& H) const {
    const hooke::Vec3 z = in.pose[0]->R.col(2);
    H.block<3, 3>(6, 6) += lambda[0] / radius * (hooke::identity3 - z * z.transpose());
  }
};

struct OnCylinderSettings {
  static constexpr const char* name = "on-cylinder";
  std::string body;
  double radius = 1;
  static void describe(auto& field) {
    field("on-cylinder", &OnCylinderSettings::body,
          hooke::Doc{.text = "body whose origin stays on a cylinder about the world's z axis",
                     .required = true});
    field("radius", &OnCylinderSettings::radius,
          hooke::Doc{.text = "its radius", .unit = "m", .check = hooke::positive});
  }
  bool is_conservative() const { return true; }
  void add_joint(const std::string& joint, hooke::Builder& to) const {
    const auto at = to.attachment(body, "joints." + joint + ".on-cylinder");
    if (!at || to.is_taken(joint)) return;
    const int ground = to.add_frame({}), there = to.add_frame(*at, false);
    const std::array frames{ground, there};
    to.add({joint, name, to.add_constraint(OnCylinder{radius}, frames, joint), frames, {}});
  }
};

}  // namespace own
