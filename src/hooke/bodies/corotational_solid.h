#pragma once
#include <memory>
#include <string>

#include "hooke/fe/solid_model.h"
#include "hooke/frames/body.h"

namespace hooke {

/// How large rotations are told from small deformations (Kan et al., "A component-level co-rotational 3D
/// continuum finite element framework"): by a frame for the whole body, or one for every element.
enum class Corotation { component, element };
/// The frame: the best fit to all nodes (by mass), or along three of them, the paper's (4).
enum class FrameFit { best, three_nodes };

/// A solid of finite elements whose coordinates are the positions of its nodes in the world.
///
///   q = x_1, ..., x_n,   v = x',       M a + f_int(x) + f_damp(x, v) = (gravity and loads)
///   u = R^T x - x_0,     f_int = R K u,   f_damp = a M v + b R K u'                    (3), (11), (43)
///
/// with constant M and K. R acts on every node; it is the rotation of the whole body, the component of the
/// paper (14), or of each element by itself. With `consistent` forces (10) f_int is the derivative of the
/// strain energy u^T K u / 2:
///
///   f_int = R K u - Omega^T sum x_i x (R K u)_i,       omega = Omega v the frame's angular velocity,
///
/// so that energy and angular momentum are conserved; f_damp likewise, with u' = R^T (v - omega x x), so that a body which
/// turns as a whole is not braked. Newton's matrix C of a component leaves out how R changes, which is of the order of the
/// strain (22)-(25): it is a constant matrix turned by R. With frames for elements C is exact or, `constant_tangent`, that
/// of the component: more iterations, but one factor for all steps.
///
/// A frame is the best fit to a patch of nodes, or a single node, which has no orientation.
struct CorotationalSolid {
  static constexpr int most_patch_nodes = 42;  ///< what is kept on the stack for a frame has 126 columns
  static constexpr int frame_dofs = Eigen::Dynamic, most_frame_dofs = 3 * most_patch_nodes;
  static constexpr bool frames_couple = true;

  struct Frame {
    std::vector<int> nodes;     ///< one: a point
    Mat3X arms;                 ///< of the nodes from their mean, in the axes of the mesh
    Mat3 R = Mat3::Identity();  ///< the frame in the patch
    Vec3 s = Vec3::Zero();
  };

  std::shared_ptr<const SolidModel> model;
  Corotation corotation = Corotation::component;
  FrameFit fit = FrameFit::best;
  bool consistent = true;
  bool constant_tangent = false;                   ///< with frames for elements
  std::array<int, 3> three_nodes{};                ///< of a component, for that fit
  double mass_damping = 0, stiffness_damping = 0;  ///< a (1/s) and b (s) of Rayleigh
  FramePose start;
  Vec6 start_twist = Vec6::Zero();
  Mat3X load;  ///< forces on the nodes in world axes; empty: none
  /// Along the inward normals of the deformed faces, (46).
  struct FollowerPressure {
    std::vector<SolidModel::LoadedFace> faces;
    double pressure;
  };
  std::vector<FollowerPressure> follower_pressures;

  CorotationalSolid() = default;
  explicit CorotationalSolid(std::shared_ptr<const SolidModel> of);

  Frame attach_node(int node) const;
  /// Throws std::invalid_argument when the nodes are on a line. Of more than `most_patch_nodes` so many are
  /// taken, spread over all.
  Frame attach(const FramePose& X_BF, std::vector<int> nodes) const;
  /// To the corners of the element whose middle is nearest.
  Frame attach(const FramePose& X_BF) const;

  int nodes() const { return model->nodes(); }
  FramePose node(int i, const double* q) const { return {identity3, Eigen::Map<const Vec3>(q + 3 * i)}; }
  int nq() const { return 3 * model->nodes(); }
  int nv() const { return nq(); }
  std::vector<int> block_sizes() const { return std::vector<int>(model->nodes(), 3); }
  const std::vector<std::pair<int, int>>& couplings() const { return model->couplings; }
  BodyKind kind() const { return has_exact_tangent() ? BodyKind::mesh : BodyKind::turned; }
  std::vector<FrameEntry> frame_entries(const Frame& f) const;

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;
  void plus(const double* q, const double* x, double* result) const { all(result) = all(q) + all(x); }
  void minus(const double* q1, const double* q0, double* x) const { all(x) = all(q1) - all(q0); }
  void inverse_tangent(const double*, const double* v, double* result) const { all(result) = all(v); }

  /// As it is deformed, moved by the best fit to x.
  void carry(const double* q, double* x) const;

  void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist, Vec6& bias,
             Eigen::Ref<Mat6X> J) const;
  void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Eigen::Ref<MatrixX> K) const;
  void velocity_gradient(const Frame& f, const double* q, const double* v, Eigen::Ref<Mat6X> gradient) const;
  void apply_inverse_tangent(const Frame&, const double*, Eigen::Ref<Mat6X>) const {}

  void add_residual(const double* q, const double* v, const double* a, const Vec3& gravity, double* r,
                    Team* team = nullptr) const;
  void add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const;
  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  /// Damping by the mass acts on rigid motions, too.
  bool rigid_motion(const double* q, const Vec6& twist, double* v) const {
    for (int i = 0; i < nv(); i += 3)
      Eigen::Map<Vec3>(v + i) = twist.head<3>() + twist.tail<3>().cross(Eigen::Map<const Vec3>(q + i));
    return mass_damping == 0;
  }
  void add_momentum(const double*, const double* v, double* r) const { model->add_mass_product(v, 1, r); }
  Power power(const double* q, const double* v) const;
  double strain_energy(const double* q) const;
  /// Of the reference frame: the best fit to all nodes.
  BodyMotion motion(const double* q, const double* v, const double* a) const;
  /// The component's rotation, by the chosen fit.
  Mat3 rotation(const double* q) const;
  /// Of the nodes, in the reference frame.
  Mat3X displacements(const double* q) const;

  MassProperties mass_properties() const;
  void scale(double length, double* dof_scale) const;
  std::string dof_name(int i) const;

 private:
  using Nodes = Eigen::Map<const Mat3X>;
  bool has_exact_tangent() const { return corotation == Corotation::element && !constant_tangent; }
  Eigen::Map<const VectorX> all(const double* x) const { return {x, nv()}; }
  Eigen::Map<VectorX> all(double* x) const { return {x, nv()}; }
  Nodes nodes_of(const double* x) const { return {x, 3, model->nodes()}; }
  Vec3 centre(const double* x) const { return nodes_of(x) * model->weight; }
  Mat3 fit_matrix(const double* q) const;
  Mat3 rotation(const double* q, const Mat3& fit_matrix) const;
  /// omega = Omega v, in the body's axes.
  Vec3 spin(const double* q, const double* v, const Mat3& fit_matrix, const Mat3& R) const;
  /// u = R^T x - x_0, in the body's axes.
  void deform(const double* q, const Mat3& R, Eigen::Ref<Mat3X> u) const;
  /// f = K u
  void elastic_force(const Eigen::Ref<const Mat3X>& u, Eigen::Ref<Mat3X> f) const;
  void add_component_forces(const double* q, const double* v, double* r, Team* team) const;
  void write_turned(const double* q, double mass, double stiffness, double elastic, TurnedBody& turned) const;
  void add_follower_forces(const double* q, double factor, Eigen::Ref<Mat3X> r) const;
  void add_follower_tangent(const double* q, double factor, const BodyBlocks& blocks) const;
  void add_forces_of_elements(const double* q, const double* v, double* r, Team* team) const;
  /// Of each element in turn, three for each of its nodes. False where one is turned inside out.
  bool forces_of_four(const SolidModel::Four& four, const double* q, const double* v, double* forces) const;
  template <int N>
  bool forces_of_four(const SolidModel::Four& four, const double* q, const double* v, double* forces) const;
  void add_tangents_of_elements(const double* q, const double* v, double elastic, double damped,
                                const BodyBlocks& blocks) const;
  double strain_energy_of_elements(const double* q) const;
  double dissipation_of_elements(const double* q, const double* v) const;
  template <int N>
  Eigen::Matrix<double, 3, N> element_force(const SolidModel::Element& element, const double* q,
                                            const double* v) const;
  template <int N>
  void add_element_tangent(const SolidModel::Element& element, const double* q, const double* v,
                           double elastic, double damped, const BodyBlocks& blocks) const;
  template <int N>
  struct SeenElement;
  struct Patch;
};

}  // namespace hooke
