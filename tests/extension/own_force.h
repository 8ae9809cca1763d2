#pragma once
#include <hooke/hooke.h>

namespace own {

/// A magnet that pulls a frame towards a point of the world: w = -k (p - p0) / (1 + |p - p0|^2).
struct Magnet {
  static constexpr int frames = 1;
  double strength;
  hooke::Vec3 towards;
  void evaluate(const hooke::FrameInputs<1>& in, hooke::Vec6& w) const {
    const hooke::Vec3 d = in.pose[0]->p - towards;
    w << -strength * d / (1 + d.squaredNorm()), hooke::zero3;
  }
  void tangent(const hooke::FrameInputs<1>& in, hooke::Mat6& K, hooke::Mat6& D) const {
    const hooke::Vec3 d = in.pose[0]->p - towards;
    const double s = 1 + d.squaredNorm();
    K.setZero(), D.setZero();
    K.topLeftCorner<3, 3>() = -strength * (hooke::identity3 / s - 2 * d * d.transpose() / (s * s));
  }
  double energy(const hooke::FrameInputs<1>& in) const {
    return 0.5 * strength * std::log1p((in.pose[0]->p - towards).squaredNorm());
  }
  hooke::Power power(const hooke::FrameInputs<1>&) const { return {}; }  // nothing beside the potential
};

struct MagnetSettings {
  static constexpr const char* name = "magnet";
  std::string on;
  double strength = 1;
  hooke::Vec3 towards = hooke::zero3;
  static void describe(auto& field) {
    field("magnet", &MagnetSettings::on, hooke::Doc{.text = "body or frame that it pulls", .required = true});
    field("strength", &MagnetSettings::strength,
          hooke::Doc{.text = "its strength", .unit = "N m", .check = hooke::positive});
    field("towards", &MagnetSettings::towards, hooke::Doc{.text = "where it is, world", .unit = "m"});
  }
  bool is_conservative() const { return true; }
  void add_force(const std::string& force, hooke::Builder& to) const {
    if (const auto at = to.attachment(on, "forces." + force + ".magnet"))
      to.add_force(Magnet{strength, towards}, std::array{to.add_frame(*at, false)}, force, name);
  }
};

}  // namespace own
