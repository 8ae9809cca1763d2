#pragma once
#include "hooke/system/system.h"

namespace hooke::zhou {

/// A system whose tangent is made by forward differences of its equations, as the paper's is: one evaluation for each
/// coordinate, and each of q, v and a.
class DifferencedSystem final : public Dae {
 public:
  /// `increment`: in units of dof_scale.
  DifferencedSystem(const System& system, double increment)
      : system_(system), increment_(increment), scratch_(system.workspace()) {}

  void tangent(const State& state, const Weights& weights, Workspace& workspace,
               KktMatrix& kkt) const override {
    system_.tangent(state, weights, workspace, kkt);  // for G
    const int n = nv();
    MatrixX K(n, n), D(n, n), M(n, n), T_inverse = MatrixX::Identity(n, n);
    VectorX r0, r, column(n);
    const auto equations = [&](const State& at, VectorX& result) {
      system_.update(at, *scratch_);
      system_.residual(at, *scratch_, result);
    };
    equations(state, r0);
    for (int j = 0; j < n; ++j) {
      const double step = increment_ * dof_scale()[j];
      const VectorX e = step * VectorX::Unit(n, j);
      const auto differ = [&](const State& at) -> VectorX {
        equations(at, r);
        return (r - r0) / step;
      };
      State at = state;
      system_.plus(state.q, e, at.q);
      K.col(j) = differ(at);
      at = state;
      at.v += e;
      D.col(j) = differ(at);
      at = state;
      at.a += e;
      M.col(j) = differ(at);
      if (weights.increment) {
        system_.inverse_tangent(*weights.increment, VectorX::Unit(n, j), column);
        T_inverse.col(j) = column;
      }
    }
    const MatrixX C = (weights.m * M + weights.d * D) * T_inverse + weights.k * K;
    const std::vector<int>& offsets = kkt.matrix.offsets();
    const int blocks = static_cast<int>(structure().dof_sizes.size());
    for (int a = 0; a < blocks; ++a)
      for (int b = 0; b < blocks; ++b)
        if (const BlockHandle h = kkt.C(a, b); h.start >= 0)
          kkt.matrix.block(h) = C.block(offsets[a], offsets[b], h.rows, h.cols);
  }

  const KktStructure& structure() const override { return system_.structure(); }
  int nq() const override { return system_.nq(); }
  void plus(const VectorX& q, const VectorX& x, VectorX& y) const override { system_.plus(q, x, y); }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override { system_.minus(q1, q0, x); }
  void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& y) const override {
    system_.inverse_tangent(x, v, y);
  }
  std::unique_ptr<Workspace> workspace() const override { return system_.workspace(); }
  void update(const State& s, Workspace& w) const override { system_.update(s, w); }
  void residual(const State& s, Workspace& w, VectorX& r) const override { system_.residual(s, w, r); }
  void position_constraints(const State& s, Workspace& w, VectorX& g) const override {
    system_.position_constraints(s, w, g);
  }
  void velocity_constraints(const State& s, Workspace& w, VectorX& g) const override {
    system_.velocity_constraints(s, w, g);
  }
  void acceleration_constraints(const State& s, Workspace& w, VectorX& g) const override {
    system_.acceleration_constraints(s, w, g);
  }
  Energy energy(const State& s, Workspace& w) const override {
    return static_cast<const Dae&>(system_).energy(s, w);
  }
  void accept(State& s, Workspace& w) const override { system_.accept(s, w); }
  const VectorX& dof_scale() const override { return system_.dof_scale(); }
  const VectorX& row_compliance() const override { return system_.row_compliance(); }
  std::string dof_name(int dof) const override { return system_.dof_name(dof); }
  std::string row_name(int row) const override { return system_.row_name(row); }

 private:
  const System& system_;
  double increment_;
  std::unique_ptr<Workspace> scratch_;
};

}  // namespace hooke::zhou
