#pragma once
#include <hooke/hooke.h>

namespace own {

using hooke::Vec3;

/// Beads on an elastic thread: n points of equal mass, springs between neighbours. A frame is a point on a bead.
struct Beads {
  static constexpr int frame_dofs = 3;
  int count = 2;
  double mass = 1, stiffness = 100, rest = 0.1;
  hooke::FramePose start;
  hooke::Vec6 start_twist = hooke::Vec6::Zero();

  struct Frame {
    int bead;
  };
  using Point = Eigen::Map<const Vec3>;
  static Point at(const double* x, int i) { return Point(x + 3 * i); }
  static Eigen::Map<Vec3> at(double* x, int i) { return Eigen::Map<Vec3>(x + 3 * i); }
  Vec3 place_of(int i) const { return Vec3(0, 0, rest * (i - 0.5 * (count - 1))); }  // in the reference frame
  Frame attach(const hooke::FramePose& X_BF) const {
    return {std::clamp(static_cast<int>(std::lround(X_BF.p.z() / rest + 0.5 * (count - 1))), 0, count - 1)};
  }

  int nq() const { return 3 * count; }
  int nv() const { return 3 * count; }
  std::vector<int> block_sizes() const { return std::vector<int>(static_cast<std::size_t>(count), 3); }
  std::vector<std::pair<int, int>> couplings() const {
    std::vector<std::pair<int, int>> all;
    for (int i = 0; i + 1 < count; ++i) all.emplace_back(i, i + 1);
    return all;
  }
  std::vector<hooke::FrameEntry> frame_entries(const Frame& f) const { return {{f.bead, 3 * f.bead, 3, 0}}; }

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const hooke::FramePose& pose, const hooke::Vec6& twist, double* q, double* v) const {
    for (int i = 0; i < count; ++i) {
      at(q, i) = pose.p + pose.R * place_of(i);
      at(v, i) = twist.head<3>() + pose.R * Vec3(twist.tail<3>()).cross(place_of(i));
    }
  }
  void plus(const double* q, const double* x, double* result) const {
    for (int k = 0; k < 3 * count; ++k) result[k] = q[k] + x[k];
  }
  void minus(const double* q1, const double* q0, double* x) const {
    for (int k = 0; k < 3 * count; ++k) x[k] = q1[k] - q0[k];
  }
  void inverse_tangent(const double*, const double* v, double* result) const {
    std::copy_n(v, 3 * count, result);
  }

  template <class Jacobian>
  void frame(const Frame& f, const double* q, const double* v, hooke::FramePose& pose, hooke::Vec6& twist,
             hooke::Vec6& bias, Jacobian&& J) const {
    pose = {hooke::identity3, at(q, f.bead)};
    twist << at(v, f.bead), hooke::zero3;
    bias.setZero();
    J.setZero();
    J.template topRows<3>().setIdentity();
  }
  template <class Matrix>
  void frame_stiffness(const Frame&, const double*, const hooke::Vec6&, Matrix&) const {}
  template <class Matrix>
  void velocity_gradient(const Frame&, const double*, const double*, Matrix&& gradient) const {
    gradient.setZero();
  }
  template <class Matrix>
  void apply_inverse_tangent(const Frame&, const double*, Matrix&) const {}

  Vec3 pull(const double* q, int i) const {  // of the spring behind bead i, on bead i
    const Vec3 d = at(q, i + 1) - at(q, i);
    return stiffness * (d.norm() - rest) * d.normalized();
  }
  void add_residual(const double* q, const double*, const double* a, const Vec3& gravity, double* r) const {
    for (int i = 0; i < count; ++i) at(r, i) += mass * (at(a, i) - gravity);
    for (int i = 0; i + 1 < count; ++i) {
      at(r, i) -= pull(q, i);
      at(r, i + 1) += pull(q, i);
    }
  }
  void add_tangent(const double* q, const double*, const double*, const Vec3&, const hooke::Weights& w,
                   const double*, const hooke::BodyBlocks& blocks) const {
    for (int i = 0; i < count; ++i) blocks(i).diagonal().array() += w.m * mass;
    for (int i = 0; i + 1 < count; ++i) {
      const Vec3 d = at(q, i + 1) - at(q, i), n = d.normalized();
      const hooke::Mat3 K =
          w.k * stiffness *
          (n * n.transpose() + (1 - rest / d.norm()) * (hooke::identity3 - n * n.transpose()));
      blocks(i) += K;
      blocks(i + 1) += K;
      blocks(count + 2 * i) -= K;
      blocks(count + 2 * i + 1) -= K;
    }
  }
  hooke::Energy energy(const double* q, const double* v, const Vec3& gravity) const {
    hooke::Energy e;
    for (int i = 0; i < count; ++i) {
      e.kinetic += 0.5 * mass * at(v, i).squaredNorm();
      e.potential -= mass * gravity.dot(at(q, i));
    }
    for (int i = 0; i + 1 < count; ++i)
      e.potential += 0.5 * stiffness * std::pow((at(q, i + 1) - at(q, i)).norm() - rest, 2);
    return e;
  }
  hooke::BodyMotion motion(const double* q, const double* v, const double* a) const {
    hooke::BodyMotion m;  // of the mean
    for (int i = 0; i < count; ++i) {
      m.pose.p += at(q, i) / count;
      m.twist.head<3>() += at(v, i) / count;
      m.acceleration.head<3>() += at(a, i) / count;
    }
    return m;
  }
  int nodes() const { return count; }
  hooke::FramePose node(int i, const double* q) const { return {hooke::identity3, at(q, i)}; }
  hooke::MassProperties mass_properties() const {
    hooke::Mat3 inertia = hooke::Mat3::Zero();
    for (int i = 0; i < count; ++i) {
      const Vec3 r = place_of(i);
      inertia += mass * (r.squaredNorm() * hooke::identity3 - r * r.transpose());
    }
    return {mass * count, hooke::zero3, inertia};
  }
  void scale(double length, double* dof_scale) const { std::fill_n(dof_scale, 3 * count, length); }
  std::string dof_name(int i) const { return "bead " + std::to_string(i / 3 + 1) + " along " + "xyz"[i % 3]; }
};

struct BeadsSettings {
  static constexpr const char* name = "beads";
  int count = 2;
  double mass = 1, stiffness = 100, rest = 0.1;
  static void describe(auto& field) {
    field("count", &BeadsSettings::count, hooke::Doc{.text = "number of beads", .check = hooke::at_least(2)});
    field("mass", &BeadsSettings::mass,
          hooke::Doc{.text = "of each", .unit = "kg", .check = hooke::positive});
    field("stiffness", &BeadsSettings::stiffness,
          hooke::Doc{.text = "of the thread between two", .unit = "N/m", .check = hooke::positive});
    field("rest", &BeadsSettings::rest,
          hooke::Doc{.text = "its length at rest", .unit = "m", .check = hooke::positive});
  }
  bool is_conservative() const { return true; }
  hooke::MadeBody make_body(hooke::System& system, const std::string& body, const hooke::BodyStart& start,
                            hooke::Flexibility) const {
    Beads beads{count, mass, stiffness, rest, start.pose, start.twist};
    const int number = system.add_body(beads, body);
    hooke::MadeBody made;
    made.add_frame = [&system, number, beads](const hooke::FramePose& X_BF, std::optional<double>) {
      return system.add_frame<Beads>(number, beads.attach(X_BF), false);
    };
    for (int i : {0, count - 1}) {
      hooke::FramePose end;
      end.p = beads.place_of(i);
      made.named.emplace_back(i == 0 ? "start" : "end", end);
    }
    return made;
  }
};

}  // namespace own
