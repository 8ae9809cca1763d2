#pragma once
#include "hooke/bodies/modal_data.h"
#include "hooke/bodies/rigid.h"
#include "hooke/math/so3.h"

namespace hooke {

/// A floating frame of reference with modes: large motion of the frame, small deformation in it.
///
///   q = (p, quaternion, eta),  v = (p' in the world, omega in the frame, eta')
///
/// The equations follow from int rho (point's acceleration) . (its variation) with all terms kept: the mass
/// matrix depends on eta, and centrifugal and Coriolis terms are complete. With `constant_mass` accelerations
/// are multiplied by the mass matrix of eta = 0 (the approximation of Zhou et al. 2022), but for the second order shapes' int rho
/// s_ij: through it the acceleration of the frame's origin stiffens. A node turns by exp
/// of the modes' rotation vector, so frames stay orthogonal.
///
/// Second order shapes (ModalData::stiffens) are in the kinetic energy where they meet a rigid motion, in the energy of gravity
/// and in the motion of frames; the equations are those of that energy, so that it is kept.
struct FfrfBody {
  static constexpr int most_modes = 58;
  static constexpr int frame_dofs = Eigen::Dynamic, most_frame_dofs = 6 + most_modes;
  using Shapes = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, most_modes>;

  struct Frame {
    Vec3 at = Vec3::Zero();     ///< undeformed place of the node or section, in the reference frame
    Mat3X shift, rotation;      ///< shapes there
    Mat3 R = Mat3::Identity();  ///< the frame in it
    Vec3 s = Vec3::Zero();
    Mat3X second_shift{}, second_rotation{};  ///< of ModalData::Node; may be empty
  };

  ModalData data;
  bool constant_mass = false;
  FramePose start;
  Vec6 start_twist = Vec6::Zero();

  FfrfBody() = default;
  explicit FfrfBody(ModalData modal_data, bool with_constant_mass = false);

  int modes() const { return data.modes(); }
  /// A frame goes with the node of that name; without one with the nearest, an interface before a node of the mesh.
  Frame attach(const FramePose& X_BF, const std::string& name = "") const;
  int nodes() const { return 0; }
  FramePose node(int i, const double* q) const;
  int nq() const { return 7 + modes(); }
  int nv() const { return 6 + modes(); }
  std::vector<int> block_sizes() const { return {6, modes()}; }
  std::vector<std::pair<int, int>> couplings() const { return {{0, 1}}; }
  std::vector<FrameEntry> frame_entries(const Frame&) const { return {{0, 0, 6, 0}, {1, 6, modes(), 6}}; }

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;
  void plus(const double* q, const double* x, double* result) const;
  void minus(const double* q1, const double* q0, double* x) const;
  void inverse_tangent(const double* x, const double* v, double* result) const;

  void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist, Vec6& bias,
             Eigen::Ref<Mat6X> J) const;
  void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Eigen::Ref<MatrixX> K) const;
  void velocity_gradient(const Frame& f, const double* q, const double* v, Eigen::Ref<Mat6X> gradient) const;
  void apply_inverse_tangent(const Frame&, const double* x, Eigen::Ref<Mat6X> J) const;

  void add_residual(const double* q, const double* v, const double* a, const Vec3& gravity, double* r) const;
  void add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const;
  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  bool rigid_motion(const double* q, const Vec6& twist, double* v) const;
  void add_momentum(const double* q, const double* v, double* r) const;
  Power power(const double* q, const double* v) const;
  BodyMotion motion(const double* q, const double* v, const double* a) const;

  MassProperties mass_properties() const;
  void scale(double length, double* dof_scale) const;
  std::string dof_name(int i) const;

 private:
  using Coordinates = Eigen::Map<const VectorX>;
  /// Inertia at a state: first moment, int rho u S_i^T, int rho u u^T.
  struct Inertia;
  struct SecondRates;
  struct At;
  Coordinates eta(const double* q) const { return {q + 7, modes()}; }
  Coordinates rate(const double* v) const { return {v + 6, modes()}; }
  const Mat3& N(int i, int j) const { return data.N[i * modes() + j]; }
  /// Derivative of int rho u (du/deta_i)^T by eta_j.
  const Mat3& change(int i, int j) const { return (changes_.empty() ? data.N : changes_)[j * modes() + i]; }

  std::vector<Mat3> changes_;  ///< where they are not data.N
};

}  // namespace hooke
