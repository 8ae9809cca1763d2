#include <Eigen/Cholesky>
#include <array>
#include <stdexcept>

#include "hooke/gpu/dense_rows.h"
#include "hooke/gpu/engine.h"

namespace hooke::gpu {

void find_responses(const DeviceModel& model, Engine& engine) {
  const std::size_t dofs = 3 * model.component_of.size();
  long long size = 0, square = 0;
  for (const Component& c : model.components)
    size += 3LL * c.columns * (c.last - c.first), square += 1LL * c.columns * c.columns;
  std::vector<float> response(static_cast<std::size_t>(size)), b(dofs), part;
  std::vector<double> compliance(static_cast<std::size_t>(square)), force(dofs), left(dofs), x(dofs), Cx;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    const Hold& hold = model.holds[h];
    if (hold.component < 0) continue;
    const Component& c = model.components[hold.component];
    for (int k = 0; k < (hold.kind == Hold::node ? 3 : 6); ++k) {
      std::fill(force.begin(), force.end(), 0.0);
      std::fill(x.begin(), x.end(), 0.0);
      model.unit_wrench(static_cast<int>(h), k, force);
      left = force;
      for (int pass = 0; pass < 2; ++pass) {
        if (pass > 0) {
          model.times_newton_matrix(x, Cx);
          for (std::size_t i = 0; i < dofs; ++i) left[i] = force[i] - Cx[i];
        }
        for (std::size_t i = 0; i < dofs; ++i) b[i] = static_cast<float>(left[i]);
        engine.solve(b, part);
        for (std::size_t i = 0; i < dofs; ++i) x[i] += part[i];
      }
      const int column = hold.column + k;
      for (int i = c.first; i < c.last; ++i)
        for (int d = 0; d < 3; ++d)
          response[static_cast<std::size_t>(c.response_at) + (3LL * (i - c.first) + d) * c.columns + column] =
              static_cast<float>(x[3 * static_cast<std::size_t>(i) + d]);
      for (std::size_t other = 0; other < model.holds.size(); ++other) {
        const Hold& at = model.holds[other];
        if (at.component != hold.component) continue;
        double motion[6];
        model.hold_motion(static_cast<int>(other), x, motion);
        for (int l = 0; l < (at.kind == Hold::node ? 3 : 6); ++l)
          compliance[static_cast<std::size_t>(c.compliance_at) + 1LL * (at.column + l) * c.columns + column] =
              motion[l];
      }
    }
  }
  engine.set_responses(response, compliance);
}

namespace {

/// What a warp makes of one number of each lane: halves are added until one is left.
template <class T>
T warp_sum(std::array<T, 32> v) {
  for (int o = 16; o > 0; o /= 2) {
    const auto before = v;
    for (int l = 0; l < 32; ++l) v[l] = before[l] + before[l ^ o];
  }
  return v[0];
}

template <class T>
T sum_of_eight(std::array<T, 8> v) {
  for (int o = 1; o < 8; o *= 2) {
    const auto before = v;
    for (int l = 0; l < 8; ++l) v[l] = before[l] + before[l ^ o];
  }
  return v[0];
}

class Reference final : public Engine {
 public:
  explicit Reference(const DeviceModel& model) : model_(model), layout_(model.layout), data_(model.data()) {
    factorize();
    const std::size_t dofs = static_cast<std::size_t>(layout_.dofs);
    z_.assign(static_cast<std::size_t>(layout_.z_size) + 3, 0.0f);
    rhs_.resize(dofs), y_.resize(dofs), x_.resize(dofs);
    force_.resize(dofs / 3 * 4);
    partial_.resize(static_cast<std::size_t>(layout_.blocks) * partials);
    data_.force = force_.data();
    data_.partial = partial_.data();
    dense_.resize(static_cast<std::size_t>(dense_numbers(data_)));
    data_.dense = dense_.data();
    SmallWorld sizes{};
    small_.resize(static_cast<std::size_t>(sizes.place(data_, nullptr)));
    world_.place(data_, small_.data());
  }

  std::string name() const override { return "plain C++"; }
  void solve(const std::vector<float>& b, std::vector<float>& x) override {
    rhs_ = b;
    run_stages();
    x = x_;
  }
  void set_responses(const std::vector<float>& response, const std::vector<double>& compliance) override {
    response_ = response, compliance_ = compliance;
    data_.response = response_.data(), data_.compliance = compliance_.data();
  }
  void set_state(const DeviceState& state) override {
    state_ = state;
    data_.q = state_.q.data(), data_.v = state_.v.data(), data_.a = state_.a.data();
    data_.a_new = state_.a_new.data(), data_.a_old = state_.a_old.data();
    std::copy(state.lambda.begin(), state.lambda.end(), world_.lambda);
    std::copy(state.R.begin(), state.R.end(), world_.R);
    std::copy(state.bodies.begin(), state.bodies.end(), world_.points.q);
    for (int i = 0; i < data_.bodies; ++i) rotation_of(world_.points.q + 7 * i + 3, world_.points.R + 9 * i);
  }
  DeviceState state() const override {
    DeviceState now = state_;
    std::copy_n(world_.lambda, now.lambda.size(), now.lambda.begin());
    std::copy_n(world_.R, now.R.size(), now.R.begin());
    std::copy_n(world_.points.q, now.bodies.size(), now.bodies.begin());
    return now;
  }
  int advance(int steps, const std::vector<double>& courses, std::vector<StepLog>& log) override;

 private:
  void factorize();
  void run_stages();
  void run_segment(const Segment& s);
  float gathered(const Segment& s, int node, int k) const;
  bool iterate(int step, StepLog& log);
  void reduce_fits();
  /// Sums over the nodes of each block, as its threads make them: visit(node, sums) for nodes of a thread in turn.
  template <class Visit>
  void over_blocks(int first, int count, Visit&& visit);
  double largest() const {
    double most = 0;
    for (int b = 0; b < layout_.blocks; ++b)
      most = std::fmax(most, partial_[static_cast<std::size_t>(b) * partials + 12]);
    return with_bodies(data_, world_, most);
  }

  const DeviceModel& model_;
  const Layout& layout_;
  StepData data_;
  DeviceState state_;
  SmallWorld world_{};
  std::vector<float> plain_, response_, rhs_, y_, z_, x_;
  std::vector<double> compliance_, force_, partial_, small_, dense_;
};

void Reference::factorize() {
  const Layout& l = layout_;
  plain_.resize(static_cast<std::size_t>(l.plain_size));
  std::vector<MatrixX> left(l.fronts.size());  // what a front leaves on its border
  std::vector<int> place(static_cast<std::size_t>(l.dofs) / 3, -1);
  for (std::size_t f = 0; f < l.fronts.size(); ++f) {
    const Front& front = l.fronts[f];
    const int n = front.own_dofs(), m = front.border_dofs();
    MatrixX F = MatrixX::Zero(n + m, n + m);
    for (int k = 0; k < front.count; ++k) place[front.first + k] = k;
    for (std::size_t k = 0; k < front.border.size(); ++k)
      place[front.border[k]] = front.count + static_cast<int>(k);
    for (int k = 0; k < front.count; ++k) {
      const int i = front.first + k, c = model_.component_of[i];
      for (int e = 8 * model_.neighbours_at[i]; e < 8 * model_.neighbours_at[i + 1]; ++e) {
        const int at = place[model_.neighbours[e]];
        if (at < 0) continue;
        for (int q = 0; q < 9; ++q) {
          const double value = model_.stiffness_weight[c] *
                                   model_.stiffness[72 * static_cast<std::size_t>(e / 8) + 8 * q + e % 8] +
                               (q % 4 == 0 ? model_.mass_weight[c] * model_.mass[e] : 0.0);
          F(3 * k + q / 3, 3 * at + q % 3) += value;
          if (at >= front.count) F(3 * at + q % 3, 3 * k + q / 3) += value;
        }
      }
    }
    for (int child : front.children) {
      const std::vector<int>& border = l.fronts[child].border;
      for (std::size_t a = 0; a < border.size(); ++a)
        for (std::size_t b = 0; b < border.size(); ++b)
          F.block<3, 3>(3 * place[border[a]], 3 * place[border[b]]) += left[child].block<3, 3>(3 * a, 3 * b);
      left[child].resize(0, 0);
    }
    for (int k = 0; k < front.count; ++k) place[front.first + k] = -1;
    for (int node : front.border) place[node] = -1;
    const Eigen::LLT<MatrixX> llt(F.topLeftCorner(n, n));
    if (llt.info() != Eigen::Success) throw std::runtime_error("Newton's matrix is not positive definite");
    const MatrixX inverse = llt.solve(MatrixX::Identity(n, n)), W = F.bottomLeftCorner(m, n) * inverse;
    left[f] = F.bottomRightCorner(m, m) - W * F.bottomLeftCorner(m, n).transpose();
    float *forward = &plain_[static_cast<std::size_t>(l.forward_at[f])],
          *backward = plain_.data() + l.backward_at[f];
    for (int i = 0; i < n + m; ++i)
      for (int j = 0; j < n; ++j) {
        const auto value = static_cast<float>(i < n ? inverse(i, j) : -W(i - n, j));
        forward[static_cast<std::size_t>(i) * n + j] = value;
        if (i >= n) backward[static_cast<std::size_t>(j) * m + (i - n)] = value;
      }
  }
}

// --- the solve

float Reference::gathered(const Segment& s, int node, int k) const {
  const Gather& g = layout_.gathers[static_cast<std::size_t>(s.gather_at + node)];
  float sum = z_[static_cast<std::size_t>(g.first + k)] + z_[static_cast<std::size_t>(g.second + k)];
  for (int i = 0; i < g.count - 2; ++i) sum += z_[static_cast<std::size_t>(layout_.more[g.more + i] + k)];
  return sum;
}

void Reference::run_stages() {
  for (int t = 0; t < layout_.stages; ++t)
    for (int b = 0; b < layout_.blocks; ++b)
      for (int s = layout_.first_segment[b * layout_.stages + t];
           s < layout_.first_segment[b * layout_.stages + t + 1]; ++s)
        run_segment(layout_.segments[s]);
}

void Reference::run_segment(const Segment& s) {
  const bool is_backward = s.kind == Segment::backward;
  const int rows = is_backward ? s.own : s.own + s.border, columns = is_backward ? s.border : s.own;
  const float* A = plain_.data() + (is_backward ? layout_.backward_at[s.front] : layout_.forward_at[s.front]);
  std::vector<float> in(static_cast<std::size_t>(s.columns) * columns_in_unit, 0.0f);
  for (int k = 0; k < columns; ++k)
    if (is_backward)
      in[k] = x_[3 * static_cast<std::size_t>(layout_.border_nodes[s.border_nodes_at + k / 3]) + k % 3];
    else
      in[k] = rhs_[s.own_at + k] + (s.gather_at < 0 ? 0.0f : gathered(s, k / 3, k % 3));
  std::vector<float> part(static_cast<std::size_t>(s.rows / rows_in_unit + warps_in_block) * rows_in_unit,
                          0.0f);
  for (int w = 0; w < warps_in_block; ++w) {
    const int first = s.units * w / warps_in_block, last = s.units * (w + 1) / warps_in_block;
    std::array<std::array<float, 8>, rows_in_unit> sum{};
    for (int u = first; u < last; ++u) {
      const int group = u / s.columns, c = u % s.columns;
      for (int r = 0; r < rows_in_unit; ++r)
        for (int l = 0; l < 8; ++l)
          for (int k = 0; k < 4; ++k) {
            const int row = s.first_row + rows_in_unit * group + r, col = columns_in_unit * c + 4 * l + k;
            const float a =
                row < rows && col < columns ? A[static_cast<std::size_t>(row) * columns + col] : 0.0f;
            sum[r][l] = std::fmaf(a, in[col], sum[r][l]);
          }
      if (c + 1 < s.columns && u + 1 < last) continue;
      for (int r = 0; r < rows_in_unit; ++r) part[(group + w) * rows_in_unit + r] = sum_of_eight(sum[r]);
      sum = {};
    }
  }
  for (int k = 0; k < s.rows; ++k) {
    const int row = s.first_row + k, group = k / rows_in_unit, unit = group * s.columns;
    const int from = ((unit + 1) * warps_in_block - 1) / s.units,
              to = ((unit + s.columns) * warps_in_block - 1) / s.units;
    float sum = 0;
    for (int w = from; w <= to; ++w)
      if (s.units * w / warps_in_block < s.units * (w + 1) / warps_in_block)
        sum += part[(group + w) * rows_in_unit + k % rows_in_unit];
    if (row >= rows) continue;
    if (is_backward)
      x_[s.own_at + row] = sum + y_[s.own_at + row];
    else if (row < s.own)
      (s.kind == Segment::root ? x_ : y_)[s.own_at + row] = sum;
    else
      z_[s.border_at + row - s.own] = sum + (s.gather_at < 0 ? 0.0f : gathered(s, row / 3, row % 3));
  }
}

// --- steps

template <class Visit>
void Reference::over_blocks(int first, int count, Visit&& visit) {
  for (int b = 0; b < layout_.blocks; ++b) {
    std::vector<std::array<double, partials>> of_thread(threads_in_block);
    for (auto& sums : of_thread) sums.fill(0);
    for (int i = data_.block_first[b]; i < data_.block_last[b]; ++i)
      visit(i, data_.block_component[b], of_thread[(i - data_.block_first[b]) % threads_in_block].data());
    for (int k = first; k < first + count; ++k) {
      double sum = 0;
      for (int w = 0; w < warps_in_block; ++w) {
        std::array<double, 32> lanes;
        for (int l = 0; l < 32; ++l) lanes[l] = of_thread[32 * w + l][k];
        if (k != 12)
          sum += warp_sum(lanes);
        else
          for (double v : lanes) sum = std::fmax(sum, v);
      }
      partial_[static_cast<std::size_t>(b) * partials + k] = sum;
    }
  }
}

/// Sums of the blocks of a component, as a warp makes them.
double sum_of_blocks(const Component& c, const std::vector<double>& partial, int k) {
  std::array<double, 32> lanes{};
  for (int b = c.first_block; b < c.last_block; ++b)
    lanes[(b - c.first_block) % 32] += partial[static_cast<std::size_t>(b) * partials + k];
  return warp_sum(lanes);
}

void Reference::reduce_fits() {
  if (data_.damped) over_blocks(16, 9, [&](int i, int, double* sums) { add_to_rate(data_, i, sums + 16); });
  for (int c = 0; c < data_.components; ++c) {
    double H[12];
    for (int k = 0; k < 12; ++k) H[k] = sum_of_blocks(data_.component[c], partial_, k);
    std::copy_n(H, 9, world_.sums + partials * c);
    std::copy_n(H + 9, 3, world_.centre + 3 * c);
    double skew[3], rate[9];
    fit_rotation(H, world_.R + 9 * c);
    spread_of(H, world_.R + 9 * c, world_.inverse_A + 9 * c, skew);
    if (!data_.damped) continue;
    for (int k = 0; k < 9; ++k) rate[k] = sum_of_blocks(data_.component[c], partial_, 16 + k);
    spin_of(rate, world_.R + 9 * c, world_.inverse_A + 9 * c, world_.omega + 3 * c);
  }
}

int Reference::advance(int steps, const std::vector<double>& courses, std::vector<StepLog>& log) {
  data_.courses = courses.data();
  log.assign(steps, {});
  int done = 0;
  for (; done < steps; ++done) {
    predict_bodies(data_, world_, OneLane{});
    over_blocks(0, 13, [&](int i, int c, double* sums) {
      NodeState node = read_node(data_, i);
      sums[12] = std::fmax(sums[12], error_of(data_.settings, node, data_.component[c].scale));
      predict(data_.settings, node);
      write_node(data_, i, node);
      add_to_fit(node, sums);
    });
    if (done > 0) log[done - 1].error = largest();
    reduce_fits();
    if (!iterate(done, log[done])) return done;
  }
  for (int i = 0; i < data_.bodies; ++i) world_.size[i] = error_of_body(data_, world_, i);
  over_blocks(12, 1, [&](int i, int c, double* sums) {
    sums[12] = std::fmax(sums[12], error_of(data_.settings, read_node(data_, i), data_.component[c].scale));
  });
  if (done > 0) log[done - 1].error = largest();
  return done;
}

bool Reference::iterate(int step, StepLog& log) {
  const OneLane lane;
  NewtonMemory& newton = state_.newton;
  newton.iteration = 0;
  for (;;) {
    evaluate_joints(data_, world_, step, lane);
    factorize_rows(data_, world_, lane, lane);
    // The eight lanes of a node belong to one thread's place in the sums: a node is taken by a group of eight.
    for (int b = 0; b < layout_.blocks; ++b) {
      const int c = data_.block_component[b];
      const Component& of = data_.component[c];
      const double* R = world_.R + 9 * c;
      std::vector<std::array<double, 3>> of_group(threads_in_block / 8);
      for (auto& m : of_group) m.fill(0);
      for (int i = data_.block_first[b]; i < data_.block_last[b]; ++i) {
        std::array<std::array<double, 8>, 6> lanes;
        for (int l = 0; l < 8; ++l) {
          double sum[6];
          lane_forces(data_, of, R, world_.omega + 3 * c, i, l, sum);
          for (int k = 0; k < 6; ++k) lanes[k][l] = sum[k];
        }
        double sum[6];
        for (int k = 0; k < 6; ++k) sum[k] = sum_of_eight(lanes[k]);
        finish_forces(data_, R, world_.centre + 3 * c, i, sum,
                      of_group[(i - data_.block_first[b]) % (threads_in_block / 8)].data());
      }
      for (int k = 0; k < 3; ++k) {
        double sum = 0;
        for (int w = 0; w < warps_in_block; ++w) {
          std::array<double, 32> v{};
          for (int g = 0; g < 4; ++g) v[8 * g] = of_group[4 * w + g][k];
          sum += warp_sum(v);
        }
        partial_[static_cast<std::size_t>(b) * partials + 13 + k] = sum;
      }
    }
    for (int c = 0; c < data_.components; ++c) {
      double moment[3], turned[3];
      for (int k = 0; k < 3; ++k) moment[k] = sum_of_blocks(data_.component[c], partial_, 13 + k);
      times(world_.R + 9 * c, moment, turned);
      times(world_.inverse_A + 9 * c, turned, moment);
      transposed_times(world_.R + 9 * c, moment, world_.spread + 3 * c);
    }
    for (int i = 0; i < data_.nodes; ++i) {
      const int c = model_.component_of[i];
      right_hand_side(data_, data_.component[c], world_.R + 9 * c, world_.spread + 3 * c, i,
                      world_.held_force, &rhs_[3 * i]);
    }
    run_stages();
    collect_rows(
        data_, world_, [&](int e, int k) { return static_cast<double>(x_[3 * data_.held_node[e] + k]); },
        lane);
    substitute_rows(data_, world_, lane);
    apply_rows(data_, world_, lane);
    over_blocks(0, 13, [&](int i, int c, double* sums) {
      const Component& of = data_.component[c];
      NodeState node = read_node(data_, i);
      sums[12] = std::fmax(sums[12], correct_node(data_, of, world_.R + 9 * c, i, &x_[3 * i],
                                                  world_.wrenches + of.wrench_at, node));
      write_node(data_, i, node);
      add_to_fit(node, sums);
    });
    reduce_fits();
    const double change = largest();
    const Verdict verdict = judge(newton, data_.settings, change);
    log.iterations = newton.iteration;
    log.change = change;
    if (verdict == Verdict::converged) return true;
    if (verdict != Verdict::go_on) return false;
  }
}

}  // namespace

std::unique_ptr<Engine> make_reference(const DeviceModel& model) {
  return std::make_unique<Reference>(model);
}

}  // namespace hooke::gpu
