#include "hooke/analysis/steady_motion.h"

#include <array>
#include <cmath>
#include <limits>

#include "hooke/analysis/turning_stiffness.h"
#include "hooke/base/error.h"
#include "hooke/base/format.h"
#include "hooke/integrators/projector.h"
#include "hooke/linalg/sparse_lu.h"
#include "hooke/math/dense.h"
#include "hooke/math/so3.h"

namespace hooke {

using Sparse = SteadyMotion::Sparse;

Sparse SteadyMotion::stiffness(const Sparse& M, const Sparse& D, const Sparse& K) const {
  const Sparse TW = T * W;
  const Sparse damped = D - seen;
  return Sparse(K + Sparse(damped * W)) + Sparse(M * TW);
}
Sparse SteadyMotion::damping(const Sparse& M, const Sparse& D) const {
  const Sparse both = W + T;
  return D + Sparse(M * both);
}

bool is_at_rest(const Dae& dae, const State& state) {
  return state.v.head(state.v.size() - dae.first_order_states()).isZero(1e-9);
}

namespace {

/// Three dofs that are a vector of the world, or a rotation in axes that turn with it.
struct Triple {
  int at;
  bool is_rotation;
};

/// By what a rigid motion of all (its velocities are the columns of `rigid`) does to them; other dofs, of modes, it leaves alone.
std::vector<Triple> triples(const Dae& dae, const MatrixX& rigid) {
  std::vector<Triple> found;
  for (int first = 0; const int size : dae.structure().dof_sizes) {
    for (int i = first; i + 3 <= first + size;) {
      const Mat3 along = rigid.block<3, 3>(i, 0), about = rigid.block<3, 3>(i, 3);
      if (along.isZero(0) && about.isZero(0)) {
        ++i;
        continue;
      }
      found.push_back({i, along.isZero(0) && (about * about.transpose()).isIdentity(1e-9)});
      i += 3;
    }
    first += size;
  }
  return found;
}

Sparse part(const KktMatrix& kkt, int row, int rows, int columns) {
  const BlockMatrix& A = kkt.matrix;
  const Eigen::Map<const Sparse> all(A.size(), A.size(), A.nonzeros(), A.outer(), A.inner(), A.values());
  return Sparse(Sparse(all.leftCols(columns)).middleRows(row, rows));
}

/// One of the two ways to look at a motion.
class Candidate {
 public:
  Candidate(const Dae& dae, const NewtonSettings& newton, bool turns)
      : dae_(dae), newton_(newton), turns_(turns), workspace_(dae.workspace()), kkt_(dae.structure()) {}

  /// Empty: the motion may be steady as seen from these axes; otherwise why it is not.
  std::string describe(const State& state) {
    MatrixX rigid;
    dae_.rigid_motions(state.q, rigid);
    const double speed = size(state.v);
    const auto is_zero = [&](int i) { return std::abs(state.v[i]) <= 1e-9 * speed * dae_.dof_scale()[i]; };
    const KktStructure& structure = dae_.structure();
    moves_.assign(dae_.nv(), 0);
    for (std::size_t b = 0, i = 0; b + 1 < structure.body_blocks.size(); ++b) {
      const int first = static_cast<int>(i);
      for (int block = structure.body_blocks[b]; block < structure.body_blocks[b + 1]; ++block)
        i += structure.dof_sizes[block];
      const int end = static_cast<int>(i);
      bool moves = false;
      for (int k = first; k < end; ++k) moves |= !is_zero(k);
      std::fill(moves_.begin() + first, moves_.begin() + end, moves);
    }
    triples_ = triples(dae_, rigid);
    std::vector<char> may_move(dae_.nv(), turns_);
    if (!turns_)
      for (const Triple& of : triples_)
        if (of.is_rotation) std::fill_n(may_move.begin() + of.at, 3, 1);
    for (int i = 0; i < dae_.nv(); ++i)
      if (!may_move[i] && !is_zero(i)) return formatted("{} changes", dae_.dof_name(i));
    if (turns_) {
      MatrixX of_moving = rigid;
      for (int i = 0; i < dae_.nv(); ++i)
        if (!moves_[i]) of_moving.row(i).setZero();
      twist_ = pseudo_inverse(of_moving) * state.v;
      const VectorX rest = state.v - of_moving * twist_;
      int worst = 0;
      rest.cwiseQuotient(dae_.dof_scale()).cwiseAbs().maxCoeff(&worst);
      if (size(rest) > 1e-6 * speed) return formatted("{} does not turn with the rest", dae_.dof_name(worst));
      if (twist_.tail<3>().norm() < 1e-9) return "nothing turns";
    }
    return {};
  }

  /// The state's velocities and accelerations, as the motion has them where the state is.
  void set_rates(State& state) {
    if (turns_) {
      dae_.rigid_motions(state.q, rigid_);
      state.v = rigid_ * twist_;
      for (int i = 0; i < dae_.nv(); ++i)
        if (!moves_[i]) state.v[i] = 0;
    }
    motion_.turning = turns_ ? Vec3(twist_.tail<3>()) : zero3;
    std::vector<Eigen::Triplet<double>> W, T;
    const auto put = [](std::vector<Eigen::Triplet<double>>& to, int at, const Vec3& rate) {
      const Mat3 block = hat(rate);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          if (i != j) to.emplace_back(at + i, at + j, block(i, j));
    };
    for (const auto [at, is_rotation] : triples_) {
      if (!moves_[at]) continue;
      const Vec3 rate = is_rotation ? Vec3(state.v.segment<3>(at)) : motion_.turning;
      if (turns_) put(W, at, rate);
      if (turns_ && !is_rotation) put(T, at, rate);
      if (!turns_ && is_rotation) put(T, at, -rate);
    }
    for (auto [entries, matrix] : {std::pair(&W, &motion_.W), std::pair(&T, &motion_.T)}) {
      matrix->resize(dae_.nv(), dae_.nv());
      matrix->setFromTriplets(entries->begin(), entries->end());
    }
    state.a = motion_.T * state.v;
  }

  /// Newton's correction towards the steady motion, in units of dofs; the state follows if `moves`.
  double correct(State& state, bool moves) {
    take_matrices(state);
    dae_.position_constraints(state, *workspace_, g_);
    const Sparse K = motion_.stiffness(M_, D_, K_), damped = motion_.damping(M_, D_);
    // The little inertia leaves free motions where they are.
    const double highest = VectorX(K_.diagonal()).cwiseAbs().cwiseQuotient(VectorX(M_.diagonal())).maxCoeff();
    const Sparse shifted = K + 1e-12 * highest * M_;
    dae_.tangent(state, {.m = 1, .k = 1}, *workspace_, kkt_);  // as stiff as the matrix is, so are rows
    kkt_.regularise(newton_.regularisation, dae_.row_compliance());
    Sparse all = part(kkt_, 0, kkt_.matrix.size(), kkt_.matrix.size());
    const Sparse difference = shifted - M_ - K_;
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < difference.cols(); ++j)
      for (Sparse::InnerIterator entry(difference, j); entry; ++entry)
        entries.emplace_back(static_cast<int>(entry.row()), j, entry.value());
    const Eigen::Index size_with_turning = add_turning(kkt_.matrix.size(), entries);
    all.conservativeResize(size_with_turning, size_with_turning);
    Sparse padded(all.rows(), all.cols());
    padded.setFromTriplets(entries.begin(), entries.end());
    all += padded;
    all.makeCompressed();
    const auto lu = make_sparse_lu();
    if (!lu->factorize(static_cast<int>(all.rows()), all.outerIndexPtr(), all.innerIndexPtr(),
                       all.valuePtr()))
      return std::numeric_limits<double>::infinity();
    MatrixX z = MatrixX::Zero(all.rows(), 1);
    z.topRows(kkt_.matrix.size()) << -r_, -g_;
    lu->solve(z);
    const VectorX dq = z.col(0).head(dae_.nv());
    if (moves) {
      const VectorX q = state.q;
      dae_.plus(q, dq, state.q);
      state.lambda += z.col(0).segment(dae_.nv(), dae_.nc());
      set_rates(state);
    }
    return dq.allFinite() ? size(dq) : std::numeric_limits<double>::infinity();
  }

  /// Multipliers of the state, as its rates have them.
  void find_multipliers(State& state) {
    State moving = state;
    Projector(dae_, newton_).accelerations(moving);
    state.lambda = moving.lambda;
  }

  /// Whether the matrices are the same when the fastest has turned by about a radian; a random motion that constraints allow
  /// tells. Otherwise the dof that tells most.
  std::string changes(const State& state) {
    double fastest = motion_.turning.norm();
    for (const Triple& of : triples_)
      if (of.is_rotation) fastest = std::max(fastest, state.v.segment<3>(of.at).norm());
    const double t = 1 / fastest;
    VectorX push(dae_.nv()), y;
    for (int i = 0; i < dae_.nv(); ++i) push[i] = std::sin(1 + 2.4 * i) / dae_.dof_scale()[i];
    Projector(dae_, newton_).respond(state, push, y);

    State now_at = state, later = state;
    find_multipliers(now_at);
    VectorX x = state.v * t;
    for (const auto [at, is_rotation] : triples_)
      if (!is_rotation && turns_ && moves_[at])
        x.segment<3>(at) = left_tangent_so3(motion_.turning * t) * x.segment<3>(at);
    dae_.plus(state.q, x, later.q);
    later.t += t;
    turn(later.v, t, false);
    turn(later.a, t, false);
    find_multipliers(later);

    // M, D and K one after the other, and G, times y
    const auto products = [&](const State& at, VectorX y_there) {
      take_matrices(at);
      std::vector<std::pair<VectorX, VectorX>> all;  // with the sizes of what is summed up
      for (const Sparse& A : {M_, motion_.damping(M_, D_), motion_.stiffness(M_, D_, K_), G_})
        all.emplace_back(A * y_there, A.cwiseAbs() * y_there.cwiseAbs());
      for (const TurningStiffness& of : turning_)
        all[2].first.segment(of.first, of.U.rows()) +=
            of.U * (of.B * (of.V.transpose() * y_there.segment(of.first, of.V.rows())));
      return all;
    };
    VectorX y_later = y;
    turn(y_later, t, false);
    const auto now = products(now_at, y);
    auto then = products(later, y_later);
    for (int k = 0; k < 3; ++k) turn(then[k].first, t, true);
    const VectorX total = now[0].second * fastest * fastest + now[1].second * fastest + now[2].second;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < dae_.nv(); ++i)
        if (std::abs(then[k].first[i] - now[k].first[i]) >
            1e-6 * now[k].second[i] + 1e-9 * total[i] / std::pow(fastest, 2 - k))
          return formatted("{} does not look the same after a turn", dae_.dof_name(i));
    const VectorX reach = G_.cwiseAbs() * (size(y) * dae_.dof_scale());
    for (int i = 0; i < dae_.nc(); ++i)
      if (std::abs(then[3].first[i]) > 1e-5 * reach[i])
        return formatted("{} does not look the same after a turn", dae_.row_name(i));
    return {};
  }

  const SteadyMotion& motion(const State& state) {
    take_matrices(state);
    return motion_;
  }

 private:
  double size(const VectorX& x) const { return x.cwiseQuotient(dae_.dof_scale()).lpNorm<Eigen::Infinity>(); }

  /// exp(T t) x, or back.
  void turn(VectorX& x, double t, bool back) const {
    for (const auto [at, is_rotation] : triples_) {
      if (!moves_[at]) continue;
      const Vec3 rate =
          Vec3(motion_.T.coeff(at + 2, at + 1), motion_.T.coeff(at, at + 2), motion_.T.coeff(at + 1, at));
      x.segment<3>(at) = exp_so3((back ? -t : t) * rate) * x.segment<3>(at);
    }
  }

  /// The turning of components as unknowns s = B V^T x of their own, so that the matrix stays sparse:  U s beside K x.
  /// Returns the size with them.
  int add_turning(int size, std::vector<Eigen::Triplet<double>>& entries) const {
    for (const TurningStiffness& of : turning_) {
      const MatrixX row = of.B * of.V.transpose();
      for (int k = 0; k < 6; ++k, ++size) {
        entries.emplace_back(size, size, -1);
        for (int i = 0; i < of.U.rows(); ++i) {
          entries.emplace_back(of.first + i, size, of.U(i, k));
          entries.emplace_back(size, of.first + i, row(k, i));
        }
      }
    }
    return size;
  }

  void take_matrices(const State& state) {
    const int n = dae_.nv();
    dae_.update(state, *workspace_);
    dae_.residual(state, *workspace_, r_);
    turning_ = turning_stiffness(dae_, state, *workspace_, kkt_);
    motion_.seen = damping_in_components(dae_, state, *workspace_, kkt_);
    const auto take = [&](const Weights& weights) {
      dae_.tangent(state, weights, *workspace_, kkt_);
      return part(kkt_, 0, n, n);
    };
    D_ = take({.m = 0, .d = 1});
    K_ = take({.m = 0, .k = 1});
    M_ = take({.m = 1});
    G_ = part(kkt_, n, dae_.nc(), n);
  }

  const Dae& dae_;
  NewtonSettings newton_;
  bool turns_;
  std::unique_ptr<Workspace> workspace_;
  KktMatrix kkt_;
  SteadyMotion motion_;
  std::vector<Triple> triples_;
  std::vector<char> moves_;  ///< dofs of bodies that move
  Vec6 twist_ = Vec6::Zero();
  Sparse M_, D_, K_, G_;
  std::vector<TurningStiffness> turning_;  ///< belongs to K
  VectorX r_, g_;
  MatrixX rigid_;
};

[[noreturn]] void refuse(const std::string& standing, const std::string& turning) {
  throw Error(
      ExitCode::bad_model,
      formatted("modes are those of a state of rest or of a steady motion, and this one moves otherwise: "
                "from axes that stand still {}, from axes that turn with it {}",
                standing, turning));
}

}  // namespace

SteadyMotion settle(const Dae& dae, State& state, const NewtonSettings& newton, const GoOn& go_on) {
  if (dae.first_order_states() > 0) {
    const std::string why = "states of control blocks would have to be steady, too";
    refuse(why, why);
  }
  std::array<std::string, 2> why;
  for (const bool turns : {false, true}) {
    Candidate candidate(dae, newton, turns);
    why[turns] = candidate.describe(state);
    if (!why[turns].empty()) continue;
    State at = state;
    candidate.set_rates(at);
    candidate.find_multipliers(at);
    double change = 1;
    for (int k = 0; k < 30 && change > newton.tolerance && change < 1e3; ++k) {
      report(go_on, 0);
      change = candidate.correct(at, true);
    }
    why[turns] = change > 1e3 * newton.tolerance ? "there is no equilibrium" : candidate.changes(at);
    if (!why[turns].empty()) continue;
    state = at;
    return candidate.motion(state);
  }
  refuse(why[0], why[1]);
}

SteadyMotion steady_motion(const Dae& dae, const State& state) {
  State at = state;
  const NewtonSettings newton;
  const SteadyMotion motion = settle(dae, at, newton);
  VectorX x;
  dae.minus(at.q, state.q, x);
  if (x.cwiseQuotient(dae.dof_scale()).lpNorm<Eigen::Infinity>() > 1e-6)
    refuse("it vibrates about a steady motion", "as well");
  return motion;
}

}  // namespace hooke
