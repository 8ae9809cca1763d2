#include "hooke/coupling/adapter/drift_in_parts.h"

#include <map>

#include "hooke/integrators/mass_regularisation.h"

namespace hooke {

namespace {
double largest(const VectorX& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0.0; }
}  // namespace

DriftInParts::Side::Side(const Part& of, const NewtonSettings& settings)
    : part(of),
      kkt(of.excerpt.system->structure()),
      solver(make_solver(settings, *of.excerpt.system, Purpose::general)),
      eps(mass_regularisation(settings) * of.excerpt.system->row_compliance()),
      along(of.excerpt.system->initial_state()) {
  const System& system = *part.excerpt.system;
  kkt.accept_turned(solver->wants_turned());
  u.setZero(system.nv());
  z.setZero(system.nv() + system.nc());
  for (VectorX* rows : {&missing, &bias, &s}) rows->setZero(system.nc());
}

DriftInParts::DriftInParts(const System& whole, const std::vector<Part>& parts,
                           const NewtonSettings& settings, std::shared_ptr<Team> team)
    : team_(std::move(team)) {
  std::map<int, int> first;  // of the cut constraints of the whole, among the cut rows
  std::vector<double> eps;
  for (const Part& part : parts) {
    Side& side = sides_.emplace_back(part, settings);
    const System& system = *part.excerpt.system;
    for (std::size_t c = 0; c < part.excerpt.constraints.size(); ++c) {
      const auto [row, rows] = system.rows_of(static_cast<int>(c));
      if (rows == 0 || !part.excerpt.detached[static_cast<std::size_t>(system.nv() + row)]) continue;
      const auto [cut, is_new] = first.try_emplace(part.excerpt.constraints[c], static_cast<int>(eps.size()));
      side.cuts.push_back({static_cast<int>(c), row, rows, cut->second, is_new});
      for (int k = 0; k < rows; ++k) {
        side.there.push_back(cut->second + k);
        if (is_new)
          eps.push_back(mass_regularisation(settings) *
                        whole.row_compliance()[whole.rows_of(cut->first).first + k]);
      }
    }
    const auto n = static_cast<Eigen::Index>(side.there.size());
    side.B_t.setZero(side.z.size(), n);
    side.A.setZero(n, n);
    for (VectorX* v : {&side.mu, &side.moved}) v->setZero(n);
  }
  const auto n = static_cast<Eigen::Index>(eps.size());
  cut_eps_ = Eigen::Map<const VectorX>(eps.data(), n);
  S_.setZero(n, n);
  for (VectorX* v : {&cut_missing_, &cut_s_, &mu_}) v->setZero(n);
}

void DriftInParts::for_each_side(auto&& work) {
  auto share = [&](int member) {
    const auto [first, end] =
        Share{member, team_ ? team_->size() : 1}.of_loop(static_cast<int>(sides_.size()));
    for (int p = first; p < end; ++p) work(sides_[static_cast<std::size_t>(p)]);
  };
  team_ ? team_->run(share) : share(0);
}

/// What is missing of the rows, and what they are at without accelerations: G u is what u adds to these.
void DriftInParts::look(Side& side, double beta) const {
  const System& system = *side.part.excerpt.system;
  system.velocity_constraints(side.part.state, side.part.workspace, side.missing);
  system.position_constraints(side.part.state, side.part.workspace, side.s);
  side.missing += beta * side.s;
  for (auto part : {&State::q, &State::v, &State::memory}) side.along.*part = side.part.state.*part;
  side.along.t = side.part.state.t;
  side.along.a.setZero(system.nv());
  system.acceleration_constraints(side.along, side.part.workspace, side.bias);
  side.size = largest(side.missing);
  side.bias_size = largest(side.bias);
}

/// M and G of the own bodies, and what answers at the cuts.
void DriftInParts::factorize(Side& side) const {
  const System& system = *side.part.excerpt.system;
  system.tangent(side.part.state, {.m = 1}, side.part.workspace, side.kkt);
  int column = 0;
  for (const Cut& cut : side.cuts) {
    for (const int block : system.structure().constraint_blocks[cut.constraint]) {
      const auto G = std::as_const(side.kkt.matrix).block(side.kkt.G(cut.constraint, block));
      side.B_t.block(side.kkt.matrix.offsets()[block], column, G.cols(), G.rows()) = G.transpose();
    }
    column += cut.rows;
  }
  for (std::size_t i = 0; i < side.part.excerpt.own.size(); ++i)
    if (!side.part.excerpt.own[i]) side.B_t.row(static_cast<Eigen::Index>(i)).setZero();
  side.kkt.set_regularisation(side.eps);
  side.kkt.matrix.isolate(side.part.excerpt.detached);
  side.is_regular = side.solver->factorize(side.kkt);
  if (!side.is_regular || column == 0) return;
  side.W = side.B_t;
  side.solver->solve(side.W);
  side.A.noalias() = side.B_t.transpose() * side.W;
}

bool DriftInParts::factorize() {
  for_each_side([&](Side& side) { factorize(side); });
  has_factors_ = std::all_of(sides_.begin(), sides_.end(), [](const Side& s) { return s.is_regular; });
  S_ = cut_eps_.asDiagonal();
  for (const Side& side : sides_) S_(side.there, side.there) += side.A;
  if (S_.size()) factor_.compute(S_);
  return has_factors_;
}

/// A pass: adds to u what makes up for s.
void DriftInParts::solve() {
  for_each_side([&](Side& side) {
    side.z.setZero();
    side.z.tail(side.s.size()) = -side.s;
    for (const Cut& cut : side.cuts) side.z.segment(side.u.size() + cut.row, cut.rows).setZero();
    side.solver->solve(side.z);
    side.moved.noalias() = side.B_t.transpose() * side.z;
  });
  for (const Side& side : sides_) cut_s_(side.there) += side.moved;
  if (S_.size()) mu_ = factor_.solve(cut_s_);
  for_each_side([&](Side& side) {
    side.u += side.z.head(side.u.size());
    side.mu = mu_(side.there);
    if (side.mu.size()) side.u.noalias() -= side.W.topRows(side.u.size()) * side.mu;
  });
}

void DriftInParts::see_what_is_left(Side& side, double unit) const {
  side.along.a = side.u / unit;
  side.part.excerpt.system->acceleration_constraints(side.along, side.part.workspace, side.s);
  side.s = unit * (side.s - side.bias);  // G u
  int column = 0;
  for (const Cut& cut : side.cuts) {
    side.moved.segment(column, cut.rows) = side.s.segment(cut.row, cut.rows);
    column += cut.rows;
  }
  side.s += side.missing;
  for (const Cut& cut : side.cuts) side.s.segment(cut.row, cut.rows).setZero();
  side.size = largest(side.s);
}

double DriftInParts::left() {
  cut_s_ = cut_missing_;
  double left = 0;
  for (const Side& side : sides_) {
    cut_s_(side.there) += side.moved;
    left = std::max(left, side.size);
  }
  return std::max(left, largest(cut_s_));
}

bool DriftInParts::find(double beta) {
  constexpr double enough = 1e-6, slow = 0.1;  // as Projector::drift
  for_each_side([&](Side& side) { look(side, beta); });
  double size = 0, bias = 0;
  for (const Side& side : sides_) {
    size = std::max(size, side.size);
    bias = std::max(bias, side.bias_size);
    for (const Cut& cut : side.cuts)
      if (cut.is_mine) cut_missing_.segment(cut.there, cut.rows) = side.missing.segment(cut.row, cut.rows);
  }
  const auto begin = [&] {
    for (Side& side : sides_) {
      side.u.setZero();
      side.s = side.missing;
    }
    cut_s_ = cut_missing_;
  };
  begin();
  if (size == 0) return true;
  const double unit = size / (1 + bias);
  bool is_fresh = !has_factors_;
  if (is_fresh && !factorize()) return false;
  for (double before = size;;) {
    solve();
    for_each_side([&](Side& side) { see_what_is_left(side, unit); });
    const double still = left();
    if (still <= enough * size || (is_fresh && still > slow * before))
      return std::all_of(sides_.begin(), sides_.end(), [](const Side& s) { return s.u.allFinite(); });
    if (still <= slow * before) {
      before = still;
      continue;
    }
    if (!factorize()) return false;
    is_fresh = true;
    begin();
    before = size;
  }
}

}  // namespace hooke
