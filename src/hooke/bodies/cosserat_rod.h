#pragma once
#include "hooke/bodies/rigid.h"
#include "hooke/fe/rod_strain.h"
#include "hooke/fe/section.h"

namespace hooke {

/// A geometrically exact rod: extension, shear, bending and torsion, of any size. Elements of N = 2 or 3
/// nodes on R^3 x SO(3).
///
///   q = (p, quaternion) of each node,  v = (p' in the world, omega in the node's frame)
///   stress = stiffness (strain - strain at rest) + damping strain'                        (Kelvin-Voigt)
///
/// with z of a node along the rod and the strains of fe/rod_strain.h.
///
/// The velocity of the sections' mass centres is interpolated between the nodes (consistent mass), their
/// rotary inertia is gathered at the nodes (Lobatto's rule), each of which turns as a rigid body does. So the
/// mass matrix is constant where the mass centre is on the line, and a rigid motion of an undeformed rod has
/// its exact momentum and energy. `start` places the reference frame, in which the rest shape is given and
/// which goes with the section at half the length.
template <int N>
struct CosseratRod {
  static constexpr int frame_dofs = Eigen::Dynamic, most_frame_dofs = 6 * N;
  using Local = RodLocal<N>;

  /// Where a frame is: at a node, or at u in [0, 1] of an element; and how it is turned and offset from the
  /// section there.
  struct Frame {
    int node = -1, element = 0;
    double u = 0;
    Mat3 R = Mat3::Identity();
    Vec3 s = Vec3::Zero();
  };

  FramePose start;
  /// Velocity of the reference frame's origin (world axes), angular velocity (body axes).
  Vec6 start_twist = Vec6::Zero();

  CosseratRod() = default;
  /// A rod of constant curvature (bending about x and y, twist about z, in 1/m), at rest like that.
  CosseratRod(const Section& section, double length, int elements, const Vec3& curvature = zero3);

  double length() const { return length_; }
  const Section& section() const { return section_; }
  /// Of the nodes at rest, in the reference frame.
  const std::vector<FramePose>& rest() const { return rest_; }
  /// The length that a node stands for.
  double weight(int node) const { return node_weight_[node]; }
  double element_length() const { return length_ / elements(); }
  int elements() const { return static_cast<int>(rest_strain_.size()); }
  /// Integral of N_i N_j over an element of unit length.
  static double mass_share(int i, int j);
  /// The section at an arc length from the first end, in the reference frame at rest.
  FramePose section_at(double arc) const;
  /// A frame given in the reference frame at rest goes with the nearest section, or with the one at `arc`.
  Frame attach(const FramePose& X_BF) const { return attach(X_BF, nearest_arc(X_BF.p)); }
  Frame attach(const FramePose& X_BF, double arc) const;
  double nearest_arc(const Vec3& point) const;

  int nodes() const { return static_cast<int>(rest_.size()); }
  FramePose node(int i, const double* q) const {
    return {RigidBody::rotation(q + 7 * i), RigidBody::position(q + 7 * i)};
  }
  int nq() const { return 7 * nodes(); }
  int nv() const { return 6 * nodes(); }
  std::vector<int> block_sizes() const { return std::vector<int>(rest_.size(), 6); }
  std::vector<std::pair<int, int>> couplings() const;
  std::vector<FrameEntry> frame_entries(const Frame& f) const;

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;
  void plus(const double* q, const double* x, double* result) const;
  void minus(const double* q1, const double* q0, double* x) const;
  void inverse_tangent(const double* x, const double* v, double* result) const;

  void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist, Vec6& bias,
             Eigen::Ref<Mat6X> J) const;
  void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Eigen::Ref<MatrixX> K) const;
  void velocity_gradient(const Frame& f, const double* q, const double* v, Eigen::Ref<Mat6X> gradient) const;
  void apply_inverse_tangent(const Frame& f, const double* x, Eigen::Ref<Mat6X> J) const;

  void add_residual(const double* q, const double* v, const double* a, const Vec3& gravity, double* r) const;
  void add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const;
  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  bool rigid_motion(const double* q, const Vec6& twist, double* v) const {
    for (int i = 0; i < nodes(); ++i) RigidBody::rigid_motion(q + 7 * i, twist, v + 6 * i);
    return true;
  }
  void add_momentum(const double* q, const double* v, double* r) const;
  Power power(const double* q, const double* v) const;
  BodyMotion motion(const double* q, const double* v, const double* a) const;
  /// Strain less that at rest, and stress, at Gauss point g of an element.
  std::pair<Vec6, Vec6> strain_and_stress(int element, int g, const double* q, const double* v) const;

  int sections() const { return elements() * Local::points; }
  SectionValues section(int i, const double* q, const double* v) const;

  MassProperties mass_properties() const;
  void scale(double length, double* dof_scale) const;
  std::string dof_name(int i) const;

 private:
  using ElementVector = Eigen::Matrix<double, 6 * N, 1>;
  using ElementMatrix = Eigen::Matrix<double, 6 * N, 6 * N>;
  using LocalJacobian = Eigen::Matrix<double, Local::size, 6 * N>;
  /// An element seen from its reference node: local coordinates, and how they change with the nodes.
  struct Seen {
    Mat3 R;
    typename Local::Vector y;
    LocalJacobian J;
  };
  /// What an interpolated frame needs at its section: the rotation, and how the section's angular velocity
  /// follows from those of the nodes.
  struct Between;

  int first_node(int element) const { return (N - 1) * element; }
  Seen see(int element, const double* q) const;
  FramePose interpolate(int element, double u, const double* q) const;
  Vec6 stress(const Vec6& strain, const typename Local::Strains& gradient,
              const typename Local::Vector& rate) const;

  void add_element_stiffness(const Seen& seen, const typename Local::Vector& force, double k,
                             ElementMatrix& K) const;
  LocalJacobian rate_gradient(const Seen& seen, const double* v) const;
  void add_element_tangent(int element, const double* q, const double* v, const Weights& w, const double* x,
                           ElementMatrix& C) const;
  Vec3 centre_acceleration(const double* q, const double* v, const double* a, const Vec3& gravity) const;
  void add_inertia(int element, const double* q, const double* v, const double* a, const Vec3& gravity,
                   double* r) const;
  void add_inertia_tangent(int element, const double* q, const double* v, const double* a,
                           const Vec3& gravity, const Weights& w, const double* x, ElementMatrix& C) const;
  void add_to(const BodyBlocks& blocks, int element, const ElementMatrix& C) const;

  Section section_;
  Vec3 curvature_ = zero3;
  double length_ = 1;
  bool damped_ = false, eccentric_ = false;
  Mat3 inertia_ = Mat3::Zero();  ///< of the section about its mass centre
  std::vector<FramePose> rest_;  ///< of the nodes, in the reference frame
  std::vector<double> node_weight_;
  std::vector<std::array<Vec6, Local::points>> rest_strain_;
  Frame reference_;
};

extern template struct CosseratRod<2>;
extern template struct CosseratRod<3>;

}  // namespace hooke
