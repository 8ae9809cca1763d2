#include "hooke/coupling/multirate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hooke/base/format.h"
#include "hooke/base/timer.h"
#include "hooke/coupling/entries.h"

namespace hooke {
namespace {

constexpr double probe_size = 1e-5;   ///< of u, when responses are asked for: well above Newton's tolerance
constexpr double least_probe = 1e-9;  ///< of u: what moves less does not answer to a force at all
constexpr double noise = 100;         ///< times the tolerance: corrections below teach nothing
constexpr double share_of_correction = 1e-3;  ///< of the first, what may be left: as in relaxation.cpp
/// times the entries of w, which is what asking costs: iterations that it is worth
constexpr int renewal = 4;
constexpr int patience = 8;  ///< iterations after which responses are asked for anew

}  // namespace

MultirateCoupling::MultirateCoupling(std::vector<MultirateInterface> interfaces, std::vector<Side> coarse,
                                     std::vector<Side> fine, const Settings& settings,
                                     std::shared_ptr<Team> team)
    : interfaces_(std::move(interfaces)), settings_(settings), team_(std::move(team)) {
  Eigen::Index motions = 0, forces = 0;
  for (const MultirateInterface& each : interfaces_) motions += each.motions(), forces += each.rates;
  for (VectorX* v : {&u_, &du_, &unit_, &unit_h_}) v->setZero(motions);
  for (VectorX* v : {&w_, &last_w_, &told_, &found_, &r_, &next_r_, &dw_, &scaled_dw_, &probe_})
    v->setZero(forces);
  U_.setZero(motions, forces);
  for (MatrixX* m : {&J_, &scaled_J_}) m->setZero(forces, forces);
  factor_ = Eigen::PartialPivLU<MatrixX>(forces);
  Eigen::Index at = 0;
  for (const MultirateInterface& each : interfaces_)
    for (int k = 0; k < each.motions(); ++k, ++at) {
      const bool is_rate = k >= each.positions,
                 is_turn = each.is_pose() && (is_rate ? k - each.positions : k) >= 3;
      unit_[at] = !is_turn ? settings_.length : is_rate ? 1 : 0.5;  // a quaternion has half the angle
    }
  for (const Side& side : coarse) members_.push_back(make_member(side, true));
  for (const Side& side : fine) members_.push_back(make_member(side, false));
  totals_.seconds.resize(members_.size());
}

MultirateCoupling::Member MultirateCoupling::make_member(const Side& side, bool is_coarse) const {
  Member member{side, is_coarse};
  for (const int j : side.interfaces) {
    int u = 0, w = 0;
    for (int k = 0; k < j; ++k) u += interfaces_[k].motions(), w += interfaces_[k].rates;
    for (int k = 0; k < interfaces_[j].motions(); ++k) member.motions.push_back(u + k);
    for (int k = 0; k < interfaces_[j].rates; ++k) member.forces.push_back(w + k);
  }
  member.input.setZero(static_cast<Eigen::Index>((is_coarse ? member.forces : member.motions).size()));
  member.output.setZero(static_cast<Eigen::Index>((is_coarse ? member.motions : member.forces).size()));
  member.told = member.input;
  return member;
}

void MultirateCoupling::begin(double t, const VectorX& w) {
  t_ = t;
  w_ = last_w_ = w;
  last_h_ = response_h_ = 0;
}

/// Coarse ones with told_, or fine ones with u_, from where they were saved; on the threads of the team, if there is one.
/// Who is told the same as before is there already: of several large ones, one entry of w concerns one.
void MultirateCoupling::advance(bool coarse, double h) {
  const int stride = team_ ? team_->size() : 1;
  auto share = [&](int first) {
    int turn = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      if (member.is_coarse != coarse || turn++ % stride != first) continue;
      const Timer timer;
      pick(coarse ? told_ : u_, coarse ? member.forces : member.motions, member.told);
      if (member.is_advanced && member.told == member.input) continue;
      member.input = member.told;
      member.participant->restore();
      member.participant->set_input(member.input);
      member.report = member.participant->advance(h);
      member.is_advanced = member.report.failure.empty();
      if (member.is_advanced) member.participant->output(member.output);
      totals_.seconds[i] += timer.seconds();
    }
  };
  team_ ? team_->run(share) : share(0);
  for (const Member& member : members_)
    if (member.is_coarse == coarse)
      put(member.output, coarse ? member.motions : member.forces, coarse ? u_ : found_);
}

std::string MultirateCoupling::failure() const {
  for (const Member& member : members_)
    if (!member.report.failure.empty())
      return formatted("subsystem '{}': {}", member.participant->name(), member.report.failure);
  return u_.allFinite() && found_.allFinite() ? "" : "what subsystems tell each other is not a number";
}

/// From told_ to u_ and found_. Returns why it failed, or nothing.
std::string MultirateCoupling::advance(double h, Participant::Report& report) {
  for (Member& member : members_) member.report = {};
  for (const bool coarse : {true, false}) {
    advance(coarse, h);
    if (std::string why = failure(); !why.empty()) return why;
  }
  for (const Member& member : members_) {
    report.steps += member.report.steps;
    report.iterations += member.report.iterations;
    report.factorizations += member.report.factorizations;
  }
  return {};
}

double MultirateCoupling::size(const VectorX& du) const {
  return du.cwiseQuotient(unit_h_).lpNorm<Eigen::Infinity>();
}

/// U and J about told_, where all have just been. They are elsewhere after it. Returns why it failed, or nothing.
std::string MultirateCoupling::find_response(double h, Participant::Report& report) {
  const Timer timer;
  const VectorX base_told = told_, base_u = u_, base_found = found_;
  for (Eigen::Index j = 0; j < told_.size(); ++j)
    for (int attempt = 1;; ++attempt) {
      if (probe_[j] == 0) probe_[j] = 1;
      told_ = base_told;
      told_[j] += probe_[j];
      if (std::string why = advance(h, report); !why.empty()) return why;
      U_.col(j) = (u_ - base_u) / probe_[j];
      J_.col(j) = (found_ - base_found) / probe_[j];
      J_(j, j) -= 1;
      const double moved = size(u_ - base_u);
      if (attempt == 3 || (moved > 0.05 * probe_size && moved < 20 * probe_size)) break;
      if (moved < least_probe && attempt == 2) {  // a moment on a point
        probe_[j] = 1;
        break;
      }
      probe_[j] *= probe_size / std::max(moved, 1e-6 * probe_size);
    }
  told_ = base_told, u_ = base_u, found_ = base_found;
  response_h_ = h;
  fresh_iterations_ = wasted_ = 0;
  ++totals_.responses;
  totals_.response_seconds += timer.seconds();
  return {};
}

/// Broyden's update, in units in which all entries of w move u alike: dw_ made next_r_ of r_.
void MultirateCoupling::learn() {
  const double square = dw_.cwiseQuotient(probe_).squaredNorm();
  if (!(square > 0)) return;
  r_ = next_r_ - r_;
  r_.noalias() -= J_ * dw_;
  scaled_dw_ = dw_.cwiseQuotient(probe_).cwiseQuotient(probe_) / square;
  J_.noalias() += r_ * scaled_dw_.transpose();
}

/// Newton's correction dw_ of the mean reactions; returns how far it moves the interfaces.
double MultirateCoupling::find_correction() {
  r_ = next_r_;
  scaled_J_ = probe_.cwiseInverse().asDiagonal() * J_ * probe_.asDiagonal();
  factor_.compute(scaled_J_);
  scaled_dw_ = -r_.cwiseQuotient(probe_);
  dw_ = factor_.solve(scaled_dw_);
  dw_.array() *= probe_.array();
  du_.noalias() = U_ * dw_;
  return size(du_);
}

Participant::Report MultirateCoupling::step(double h) {
  const Team::Step timed(team_.get());
  Participant::Report report;
  Eigen::Index at = 0;
  unit_h_ = unit_;
  for (const MultirateInterface& each : interfaces_) {
    unit_h_.segment(at + each.positions, each.rates) /= h;
    at += each.motions();
  }
  for (Member& member : members_) member.participant->save(), member.is_advanced = false;
  told_ = w_;
  if (last_h_ > 0) told_ += h / last_h_ * (w_ - last_w_);
  bool is_stale = std::abs(response_h_ / h - 1) > 1e-9 || wasted_ > renewal * told_.size();
  double change = 0, first = 0;
  for (int iteration = 1;; ++iteration) {
    report.failure = advance(h, report);
    if (!report.failure.empty()) break;
    next_r_ = found_ - told_;
    const bool is_renewed = is_stale;
    if (is_stale)
      report.failure = find_response(h, report);
    else if (iteration > 1 && change > noise * settings_.tolerance)
      learn();
    if (!report.failure.empty()) break;
    const double last = std::exchange(change, find_correction());
    if (iteration == 1) first = change;
    is_stale = iteration % patience == 0;
    const bool is_small = change <= settings_.tolerance, stagnates = iteration > 1 && change > 0.5 * last;
    if (!is_renewed && is_small && (stagnates || change <= share_of_correction * first)) {
      if (fresh_iterations_ == 0) fresh_iterations_ = iteration;
      wasted_ += std::max(0, iteration - fresh_iterations_);
      ++totals_.steps;
      totals_.iterations += iteration;
      totals_.most = std::max(totals_.most, iteration);
      last_w_ = w_, w_ = told_;
      t_ += h, last_h_ = h;
      return report;
    }
    if (iteration == settings_.iterations || !std::isfinite(change)) {
      report.failure = formatted(
          "the coupling does not converge: after {} iterations a correction still moves the joints by {:.2g} "
          "of the "
          "size of the mechanism; take a smaller macro step",
          iteration, change);
      break;
    }
    told_ += dw_;
  }
  restore();
  return report;
}

void MultirateCoupling::restore() {
  for (Member& member : members_) member.participant->restore(), member.is_advanced = false;
  response_h_ = 0;
}

}  // namespace hooke
