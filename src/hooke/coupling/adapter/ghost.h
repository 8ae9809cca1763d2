#pragma once
#include <memory>

#include "hooke/bodies/rigid.h"

namespace hooke {

/// Frames of another subsystem as a body of their own: how they move is told, how their accelerations answer
/// to what joints exert on them is in a small matrix instead of the bodies behind them.
///
///   M (a - free) + G^T lambda = 0,    M^-1 = A,  6 x 6 for each pair of frames
///
/// `free` is the acceleration they would have without the joints between the subsystems. Where the ghost
/// answers with positions and velocities too (CouplingSettings::response), A is that of a whole step.
struct Ghost {
  static constexpr int frame_dofs = 6;
  static constexpr bool rigid_frames = true;

  struct Data {
    std::vector<FramePose> start;
    MatrixX mass;
    VectorX free;
    bool moves = false;  ///< its positions and velocities answer as well
    double rate = 0;     ///< beta, unless it moves: a change of a counts beta times as a change of v
  };
  /// Shared with whoever tells it how the frames move; not copied with the body.
  std::shared_ptr<Data> data;

  struct Frame {
    int number = 0;
  };

  int count() const { return static_cast<int>(data->start.size()); }
  int nq() const { return 7 * count(); }
  int nv() const { return 6 * count(); }
  std::vector<int> block_sizes() const { return std::vector<int>(data->start.size(), 6); }
  std::vector<std::pair<int, int>> couplings() const {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < count(); ++i)
      for (int j = i + 1; j < count(); ++j) pairs.emplace_back(i, j);
    return pairs;
  }
  std::vector<FrameEntry> frame_entries(const Frame& f) const { return {{f.number, 6 * f.number, 6, 0}}; }

  void initial(double* q, double* v) const {
    for (int i = 0; i < count(); ++i) RigidBody{}.place(data->start[i], Vec6::Zero(), q + 7 * i, v + 6 * i);
  }
  void place(const FramePose&, const Vec6&, double*, double*) const {}

  void plus(const double* q, const double* x, double* result) const {
    for (int i = 0; i < count(); ++i) RigidBody::plus(q + 7 * i, x + 6 * i, result + 7 * i);
  }
  void minus(const double* q1, const double* q0, double* x) const {
    for (int i = 0; i < count(); ++i) RigidBody::minus(q1 + 7 * i, q0 + 7 * i, x + 6 * i);
  }
  void inverse_tangent(const double* x, const double* v, double* result) const {
    for (int i = 0; i < count(); ++i) RigidBody::inverse_tangent(x + 6 * i, v + 6 * i, result + 6 * i);
  }

  template <class Jacobian>
  static void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                    Vec6& bias, Jacobian&& J) {
    RigidBody::frame({}, q + 7 * f.number, v + 6 * f.number, pose, twist, bias, J);
  }
  template <class Matrix>
  static void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Matrix& K) {
    RigidBody::frame_stiffness({}, q + 7 * f.number, wrench, K);
  }
  template <class Matrix>
  static void velocity_gradient(const Frame& f, const double* q, const double* v, Matrix&& gradient) {
    RigidBody::velocity_gradient({}, q + 7 * f.number, v + 6 * f.number, gradient);
  }
  template <class Matrix>
  static void apply_inverse_tangent(const Frame& f, const double* x, Matrix& J) {
    RigidBody::apply_inverse_tangent({}, x + 6 * f.number, J);
  }

  void block_poses(const double* q, BlockPose* poses) const {
    for (int i = 0; i < count(); ++i) RigidBody::block_poses(q + 7 * i, poses + i);
  }
  void add_residual(const double*, const double*, const double* a, const Vec3&, double* r) const {
    for (int j = 0; j < nv(); ++j) Eigen::Map<VectorX>(r, nv()) += (a[j] - data->free[j]) * data->mass.col(j);
  }
  void add_tangent(const double*, const double*, const double*, const Vec3&, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const {
    const double weight = data->moves ? w.m : w.m + w.d * data->rate;
    const auto add = [&](int block, int i, int j) {
      Mat6 C = weight * data->mass.block<6, 6>(6 * i, 6 * j);
      if (x && data->moves) RigidBody::apply_inverse_tangent({}, x + 6 * j, C);
      blocks.fixed<6, 6>(block) += C;
    };
    for (int i = 0; i < count(); ++i) add(i, i, i);
    int block = count();
    for (int i = 0; i < count(); ++i)
      for (int j = i + 1; j < count(); ++j) {
        add(block++, i, j);
        add(block++, j, i);
      }
  }

  Energy energy(const double*, const double*, const Vec3&) const { return {}; }
  BodyMotion motion(const double*, const double*, const double*) const { return {data->start.front()}; }
  int nodes() const { return 0; }
  FramePose node(int, const double*) const { return {}; }
  MassProperties mass_properties() const { return {}; }
  void scale(double length, double* dof_scale) const {
    for (int i = 0; i < count(); ++i) RigidBody::scale(length, dof_scale + 6 * i);
  }
  std::string dof_name(int i) const { return RigidBody::dof_name(i % 6); }
};

}  // namespace hooke
