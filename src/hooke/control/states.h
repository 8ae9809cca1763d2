#pragma once
#include <string>
#include <vector>

#include "hooke/frames/body.h"

namespace hooke {

/// The first-order states z of control blocks,  z' = h,  in the shape of a body, so that every integrator, solver and
/// analysis takes them along: z is a velocity, z' an acceleration, the mass is one, and h a force. The position is the
/// integral of z, which nobody reads. (contract: frames/body.h)
///
/// An entry of v is a state divided by its size, the unit of its errors; what else is told here is in these units, too.
///
/// Up to six states make a dof block and a frame, whose twist they are: a wrench on it is their h.
struct FirstOrderStates {
  static constexpr int frame_dofs = Eigen::Dynamic, most_frame_dofs = 6;

  struct State {
    std::string name;
    double start = 0, size = 1;
  };
  std::vector<State> states;

  struct Frame {
    int block = 0;
  };
  static int block_of(int state) { return state / most_frame_dofs; }
  static int component_of(int state) { return state % most_frame_dofs; }
  int blocks() const { return (nv() + most_frame_dofs - 1) / most_frame_dofs; }
  int size_of(int block) const { return std::min(most_frame_dofs, nv() - most_frame_dofs * block); }

  int nq() const { return static_cast<int>(states.size()); }
  int nv() const { return nq(); }
  std::vector<int> block_sizes() const {
    std::vector<int> sizes;
    for (int b = 0; b < blocks(); ++b) sizes.push_back(size_of(b));
    return sizes;
  }
  std::vector<std::pair<int, int>> couplings() const { return {}; }
  std::vector<FrameEntry> frame_entries(const Frame& f) const {
    return {{f.block, most_frame_dofs * f.block, size_of(f.block), 0}};
  }

  void initial(double* q, double* v) const {
    for (int i = 0; i < nv(); ++i) q[i] = 0, v[i] = states[i].start / states[i].size;
  }
  void place(const FramePose&, const Vec6&, double* q, double* v) const { initial(q, v); }
  void plus(const double* q, const double* x, double* result) const {
    for (int i = 0; i < nv(); ++i) result[i] = q[i] + x[i];
  }
  void minus(const double* q1, const double* q0, double* x) const {
    for (int i = 0; i < nv(); ++i) x[i] = q1[i] - q0[i];
  }
  void inverse_tangent(const double*, const double* v, double* result) const {
    for (int i = 0; i < nv(); ++i) result[i] = v[i];
  }

  void frame(const Frame& f, const double*, const double* v, FramePose&, Vec6& twist, Vec6&, auto&& J) const {
    J.setIdentity();
    twist.setZero();
    for (int i = 0; i < size_of(f.block); ++i) twist[i] = v[most_frame_dofs * f.block + i];
  }
  void frame_stiffness(const Frame&, const double*, const Vec6&, auto&&) const {}
  void velocity_gradient(const Frame&, const double*, const double*, auto&& gradient) const {
    gradient.setZero();
  }
  void apply_inverse_tangent(const Frame&, const double*, auto&) const {}

  void add_residual(const double*, const double*, const double* a, const Vec3&, double* r) const {
    for (int i = 0; i < nv(); ++i) r[i] += a[i];
  }
  void add_tangent(const double*, const double*, const double*, const Vec3&, const Weights& w, const double*,
                   const BodyBlocks& at) const {
    for (int b = 0; b < blocks(); ++b) at(b).diagonal().array() += w.m;
  }
  Energy energy(const double*, const double*, const Vec3&) const { return {}; }
  bool add_momentum(const double*, const double* v, double* r) const {
    for (int i = 0; i < nv(); ++i) r[i] += v[i];
    return true;
  }
  BodyMotion motion(const double*, const double*, const double*) const { return {}; }
  int nodes() const { return 0; }
  FramePose node(int, const double*) const { return {}; }
  MassProperties mass_properties() const { return {}; }
  void scale(double, double* dof_scale) const {
    for (int i = 0; i < nv(); ++i) dof_scale[i] = 1;
  }
  std::string dof_name(int i) const { return "state " + states[i].name; }
};

}  // namespace hooke
