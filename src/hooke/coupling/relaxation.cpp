#include "hooke/coupling/relaxation.h"

#include "hooke/base/format.h"

#include <limits>

#include "hooke/base/timer.h"

namespace hooke {

namespace {
constexpr double round_off = 1e-16;      ///< in units of `scale`; increments are known better than positions
constexpr double share_of_first = 1e-3;  ///< of the first change, what may be left

int first_used(const std::vector<Participant*>& participants, CouplingScheme scheme) {
  return scheme == CouplingScheme::gauss_seidel ? participants.front()->outputs() : 0;
}
}  // namespace

Relaxation::Relaxation(std::vector<Participant*> participants, std::vector<std::vector<int>> sources,
                       VectorX scale, const CouplingSettings& settings, std::shared_ptr<Team> team,
                       bool settles_first)
    : participants_(std::move(participants)),
      sources_(std::move(sources)),
      offsets_{0},
      scale_(std::move(scale)),
      settings_(settings),
      team_(std::move(team)),
      acceleration_(static_cast<int>(scale_.size()) - first_used(participants_, settings.scheme), settings),
      first_used_(first_used(participants_, settings.scheme)),
      settles_first_(settles_first) {
  for (const Participant* participant : participants_) {
    offsets_.push_back(offsets_.back() + participant->outputs());
    inputs_.emplace_back(VectorX::Zero(participant->inputs()));
    outputs_.emplace_back(VectorX::Zero(participant->outputs()));
  }
  const auto n = participants_.size();
  report_.last.resize(n);
  totals_.worst.resize(static_cast<std::size_t>(scale_.size()));
  totals_.seconds.resize(n);
  totals_.newton.resize(n);
  for (VectorX* v : {&x_, &y_}) v->setZero(scale_.size());
  for (VectorX* v : {&scaled_x_, &r_}) v->setZero(scale_.size() - first_used_);
}

const Relaxation::Report& Relaxation::step(VectorX& Y, double h, bool forget) {
  const Team::Step timed(team_.get());
  report_.converged = false;
  report_.iterations = 0;
  report_.failure.clear();
  acceleration_.begin(forget || h != last_h_);
  last_h_ = h;
  for (Participant* participant : participants_) participant->save();
  x_ = Y;
  do {
    if (!advance_all(h)) break;
    if (is_settled(next())) {
      accept(Y);
      return report_;
    }
  } while (may_go_on());
  go_back();
  return report_;
}

void Relaxation::go_back() {
  for (Participant* participant : participants_) participant->restore();
}

/// Compares what came out with what went in, and makes x_ that of the next iteration. Returns what error is
/// left.
double Relaxation::next() {
  const int n = static_cast<int>(r_.size());
  r_ = (y_ - x_).tail(n).cwiseQuotient(scale_.tail(n));
  int where = 0;
  last_change_ = report_.iterations == 0 ? std::numeric_limits<double>::infinity() : report_.change;
  report_.change = n > 0 ? r_.cwiseAbs().maxCoeff(&where) : 0.0;
  worst_ = first_used_ + where;
  if (++report_.iterations == 1) first_change_ = report_.change;
  scaled_x_ = x_.tail(n).cwiseQuotient(scale_.tail(n));
  const double left = acceleration_.next(scaled_x_, r_);
  x_ = y_;
  x_.tail(n) = scaled_x_.cwiseProduct(scale_.tail(n));
  return settles_first_ ? report_.change : std::min(left, report_.change);
}

/// An error e of x is e/h in v, in every step anew, so what is tolerable falls with h as the error of the
/// first guess does, which the first change shows; a tolerance of x alone makes small steps worse than large
/// ones.
bool Relaxation::is_settled(double left) const {
  const double target = std::max(round_off, std::min(settings_.tolerance, share_of_first * first_change_));
  const bool stagnates = report_.iterations > 4 && report_.change > 0.5 * last_change_;
  return left <= target || (stagnates && report_.change <= 1000 * round_off);
}

void Relaxation::accept(VectorX& Y) {
  ++totals_.steps;
  totals_.iterations += report_.iterations;
  totals_.most = std::max(totals_.most, report_.iterations);
  totals_.largest_change = std::max(totals_.largest_change, report_.change);
  if (!totals_.worst.empty()) ++totals_.worst[worst_];
  Y = y_;
  report_.converged = true;
}

bool Relaxation::may_go_on() {
  const bool explodes = !(report_.change < 1e6 * std::max(first_change_, settings_.tolerance));
  if (!explodes && report_.iterations < settings_.iterations) return true;
  const int i = owner(worst_);
  report_.failure = formatted(
      "the iteration of the subsystems {} ({} iterations): it still changes {} by {:.2g}; {}a "
      "smaller step may "
      "help, or '{}' in one subsystem with what moves it",
      report_.change < first_change_ ? "did not converge" : "diverges", report_.iterations, name_of(worst_),
      report_.change,
      settings_.acceleration == Acceleration::iqn_ils ? "" : "coupling: {acceleration: iqn-ils} or ",
      participants_[i]->name());
  return false;
}

/// From x_ to y_; false when one of them does not arrive.
bool Relaxation::advance_all(double h) {
  const int n = static_cast<int>(participants_.size());
  if (settings_.scheme == CouplingScheme::gauss_seidel) {
    y_ = x_;
    for (int i = 0; i < n; ++i) {
      advance(i, y_, h);
      y_.segment(offsets_[i], offsets_[i + 1] - offsets_[i]) = outputs_[i];
      if (!report_.last[i].failure.empty()) break;
    }
  } else {
    auto share = [&](int member) {
      const auto [begin, end] = Share{member, team_ ? team_->size() : 1}.of_loop(n);
      for (int i = begin; i < end; ++i) advance(i, x_, h);
    };
    team_ ? team_->run(share) : share(0);
    for (int i = 0; i < n; ++i) y_.segment(offsets_[i], offsets_[i + 1] - offsets_[i]) = outputs_[i];
  }
  for (int i = 0; i < n; ++i)
    if (!report_.last[i].failure.empty()) {
      report_.failure = formatted("subsystem '{}': {}", participants_[i]->name(), report_.last[i].failure);
      report_.last[i].failure.clear();
      return false;
    }
  return true;
}

void Relaxation::advance(int i, const VectorX& from, double h) {
  const Timer timer;
  if (report_.iterations > 0) participants_[i]->restore();
  for (int k = 0; k < inputs_[i].size(); ++k) inputs_[i][k] = from[sources_[i][k]];
  participants_[i]->set_input(inputs_[i]);
  report_.last[i] = participants_[i]->advance(h);
  participants_[i]->output(outputs_[i]);
  totals_.seconds[i] += timer.seconds();
  totals_.newton[i] += report_.last[i].iterations;
}

double Relaxation::iterations() const {
  return static_cast<double>(totals_.iterations) / static_cast<double>(std::max(1L, totals_.steps));
}

std::pair<std::string, double> Relaxation::slowest() const {
  if (totals_.worst.empty()) return {};  // nothing is coupled
  const auto most = std::max_element(totals_.worst.begin(), totals_.worst.end());
  return {name_of(static_cast<int>(most - totals_.worst.begin())),
          static_cast<double>(*most) / static_cast<double>(std::max(1L, totals_.steps))};
}

std::string Relaxation::name_of(int entry) const {
  const int i = owner(entry);
  return formatted("{} of '{}'", participants_[i]->output_name(entry - offsets_[i]),
                   participants_[i]->name());
}

int Relaxation::owner(int entry) const {
  int i = 0;
  while (i + 2 < static_cast<int>(offsets_.size()) && entry >= offsets_[i + 1]) ++i;
  return i;
}

}  // namespace hooke
