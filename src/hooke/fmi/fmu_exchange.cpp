// An FMU for model exchange under Hooke's integrators.
#include <cmath>

#include "hooke/base/archive.h"
#include "hooke/fmi/fmu_library.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/march.h"
#include "hooke/integrators/runge_kutta.h"

namespace hooke {
namespace {

struct Rates : Workspace {
  VectorX f;
};

/// x' = f(x, u, t) as integrators know it: x are the first-order states, in v; their sums over time, in q, nobody needs.
/// Without states there is one that rests, so that time goes on.
class FmuDae final : public Dae {
 public:
  FmuDae(LoadedFmu& fmu, const FmuDescription& about)
      : fmu_(fmu),
        states_(static_cast<Eigen::Index>(about.states)),
        indicators_(static_cast<int>(about.indicators)),
        scale_(VectorX::Ones(std::max<Eigen::Index>(1, states_))) {
    structure_.dof_sizes = {static_cast<int>(scale_.size())};
    structure_.body_blocks = {0, 1};
    if (states_ > 0) fmu.get_nominals({scale_.data(), about.states});
    scale_ = (scale_.array() > 0).select(scale_, 1.0);
  }

  /// Inputs over a step that begins at t: columns are values and derivatives.
  void follow(double t, std::vector<FmuNumber> which, const MatrixX& course) {
    course_start_ = t, course_inputs_ = std::move(which), course_ = course;
  }
  /// Takes the FMU to a state.
  void put(const State& state) const {
    fmu_.set_time(state.t);
    if (!course_inputs_.empty()) {
      VectorX u = VectorX::Zero(course_.rows());
      for (Eigen::Index k = course_.cols() - 1; k >= 0; --k)
        u = u * (state.t - course_start_) / static_cast<double>(k + 1) + course_.col(k);
      fmu_.set(course_inputs_, {u.data(), course_inputs_.size()});
    }
    if (states_ > 0) fmu_.set_states({state.v.data(), static_cast<std::size_t>(states_)});
  }
  /// Takes the state to the FMU.
  void read(State& state) const {
    if (states_ > 0) fmu_.get_states({state.v.data(), static_cast<std::size_t>(states_)});
  }
  VectorX rates(const State& state) const {
    VectorX f = VectorX::Zero(scale_.size());
    put(state);
    if (states_ > 0) fmu_.get_rates({f.data(), static_cast<std::size_t>(states_)});
    return f;
  }
  LoadedFmu::Event event;    ///< what the last one said
  bool wants_event = false;  ///< after the last step

  const KktStructure& structure() const override { return structure_; }
  int nq() const override { return static_cast<int>(scale_.size()); }
  int first_order_states() const override { return nq(); }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override { result = q + x; }
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override { x = q1 - q0; }
  void inverse_tangent(const VectorX&, const VectorX& v, VectorX& result) const override { result = v; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Rates>(); }
  void update(const State& state, Workspace& workspace) const override {
    static_cast<Rates&>(workspace).f = rates(state);
  }
  void residual(const State& state, Workspace& workspace, VectorX& r) const override {
    r = state.a - static_cast<Rates&>(workspace).f;
  }
  void position_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }
  void velocity_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }
  void acceleration_constraints(const State&, Workspace&, VectorX& g) const override { g.resize(0); }
  void tangent(const State& state, const Weights& weights, Workspace& workspace,
               KktMatrix& kkt) const override {
    kkt.set_zero();
    auto C = kkt.matrix.block(kkt.C(0, 0));
    C.diagonal().setConstant(weights.m);
    if (weights.of_states() == 0) return;
    const VectorX& f = static_cast<Rates&>(workspace).f;
    State probe = state;
    for (Eigen::Index k = 0; k < states_; ++k) {
      const double step = 1e-7 * std::max(scale_[k], std::abs(state.v[k]));
      probe.v[k] += step;
      C.col(k) -= weights.of_states() * (rates(probe) - f) / (probe.v[k] - state.v[k]);
      probe.v[k] = state.v[k];
    }
  }
  Energy energy(const State&, Workspace&) const override { return {}; }
  void accept(State&, Workspace&) const override {}
  double next_time(const State& state) const override { return wants_event ? state.t : event.next_time; }
  int indicators() const override { return indicators_; }
  void indicate(const State& state, Workspace&, std::span<double> values) const override {
    put(state);
    fmu_.get_indicators(values);
  }
  Jump happen(State& state, Workspace&, std::span<const int>) const override {
    auto& self = const_cast<FmuDae&>(*this);  // what happens inside of the FMU is no part of the state
    put(state);
    self.event = fmu_.happen(false);
    self.wants_event = false;
    read(state);
    return {.changed = true, .stops = event.has_ended};
  }
  const VectorX& dof_scale() const override { return scale_; }
  const VectorX& row_compliance() const override { return none_; }
  std::string dof_name(int dof) const override { return formatted("state {}", dof + 1); }
  std::string row_name(int) const override { return ""; }

 private:
  LoadedFmu& fmu_;
  Eigen::Index states_;
  int indicators_;
  VectorX scale_, none_;
  KktStructure structure_;
  double course_start_ = 0;
  std::vector<FmuNumber> course_inputs_;
  MatrixX course_;
};

std::unique_ptr<Integrator> make_integrator(const FmuDae& dae, FmuMethod method) {
  const NewtonSettings newton{.solver = "dense"};
  if (method == FmuMethod::dormand_prince) return std::make_unique<DormandPrince>(dae, newton);
  return std::make_unique<GeneralizedAlpha>(dae, GeneralizedAlphaSettings{.newton = newton});
}

class IntegratedFmu final : public FmuLink {
 public:
  IntegratedFmu(std::unique_ptr<LoadedFmu> fmu, const FmuFile& file, const ExchangeSettings& settings)
      : fmu_(std::move(fmu)), about_(file.description), settings_(settings) {
    if (settings_.integrator == FmuMethod::dormand_prince && !settings_.tolerance && !settings_.step)
      settings_.tolerance = 1e-9;
  }

  void begin(double start, std::span<const Value> settings, std::span<const Value> inputs) override {
    fmu_->begin(start, settings, inputs);
    const LoadedFmu::Event event = fmu_->happen(true);
    if (event.has_ended) throw Error(ExitCode::step_failed, "the FMU ends its run at the start");
    dae_ = std::make_unique<FmuDae>(*fmu_, about_);
    dae_->event = event;
    integrator_ = make_integrator(*dae_, settings_.integrator);
    state_.t = start;
    state_.q = state_.v = state_.a = VectorX::Zero(dae_->nv());
    dae_->read(state_);
    stepper_ = std::make_unique<IntegratorStepper>(*dae_, *integrator_, state_);
  }
  void set(std::span<const FmuNumber> which, std::span<const double> values) override {
    fmu_->set(which, values);
  }
  void get(std::span<const FmuNumber> which, std::span<double> values) override { fmu_->get(which, values); }
  void set_derivatives(std::span<const FmuNumber> which, int order, std::span<const double> values) override {
    following_.assign(which.begin(), which.end());
    const auto rows = static_cast<Eigen::Index>(which.size());
    course_.conservativeResize(rows, order + 1);
    course_.col(order) = Eigen::Map<const VectorX>(values.data(), rows);
  }

  Step step(double t, double h) override {
    if (!following_.empty()) {
      VectorX now(course_.rows());
      fmu_->get(following_, {now.data(), following_.size()});
      course_.col(0) = now;
    }
    dae_->follow(t, std::exchange(following_, {}), course_);
    course_.resize(0, 0);
    state_.history.resize(0);  // inputs may have jumped
    state_.a = dae_->rates(state_);
    const double step = std::min(h, settings_.step.value_or(h));
    March march({.end = t + h, .step = step, .tolerance = settings_.tolerance, .smallest_step = 1e-9});
    march.begin(*stepper_);
    while (march.step(*stepper_)) {
      dae_->put(state_);
      const LoadedFmu::Completed completed = fmu_->complete_step();
      dae_->wants_event = completed.wants_event;
      if (completed.has_ended) return {false, true, state_.t, ""};
    }
    const bool goes_on = !march.was_stopped() && stepper_->happen();
    dae_->put(state_);
    dae_->follow(state_.t, {}, {});
    return {goes_on, !goes_on, state_.t, ""};
  }

  void save() override {
    fmu_->save();
    Archive all;
    archive(all);
    saved_ = all.bytes();
  }
  void restore() override {
    fmu_->restore();
    Archive all(saved_);
    archive(all);
  }

  /// By the FMU's own derivatives, or by differences on both sides where it has none.
  StateSpace linearise(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs) override {
    const auto n = static_cast<Eigen::Index>(about_.states), m = static_cast<Eigen::Index>(inputs.size()),
               p = static_cast<Eigen::Index>(outputs.size());
    MatrixX all = MatrixX::Zero(n + p, n + m);
    has_derivatives(inputs, outputs) ? ask_for_derivatives(inputs, outputs, all)
                                     : take_differences(inputs, outputs, all);
    return {all.topLeftCorner(n, n), all.topRightCorner(n, m), all.bottomLeftCorner(p, n),
            all.bottomRightCorner(p, m)};
  }

 private:
  bool has_derivatives(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs) const {
    const auto is_real = [](const FmuNumber& number) { return number.type == FmuDescription::Type::real; };
    return about_.exchange_has_derivatives && about_.state_references.size() == about_.states &&
           std::all_of(inputs.begin(), inputs.end(), is_real) &&
           std::all_of(outputs.begin(), outputs.end(), is_real);
  }
  void ask_for_derivatives(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs,
                           MatrixX& all) {
    std::vector<FmuNumber> of, by;
    for (const std::uint32_t reference : about_.rate_references) of.push_back({reference});
    of.insert(of.end(), outputs.begin(), outputs.end());
    for (const std::uint32_t reference : about_.state_references) by.push_back({reference});
    by.insert(by.end(), inputs.begin(), inputs.end());
    dae_->put(state_);
    for (std::size_t k = 0; k < by.size(); ++k)
      fmu_->derivatives(of, by[k], {all.col(static_cast<Eigen::Index>(k)).data(), of.size()});
  }
  void take_differences(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs, MatrixX& all) {
    const auto n = static_cast<Eigen::Index>(about_.states), m = static_cast<Eigen::Index>(inputs.size()),
               p = static_cast<Eigen::Index>(outputs.size());
    VectorX u(m);
    fmu_->get(inputs, {u.data(), inputs.size()});
    for (Eigen::Index k = 0; k < n + m; ++k) {
      const double size =
          k < n ? std::max(dae_->dof_scale()[k], std::abs(state_.v[k])) : std::max(1.0, std::abs(u[k - n]));
      const double step = 1e-6 * size;
      for (const double side : {1.0, -1.0}) {
        State there = state_;
        VectorX told = u, heard(p);
        (k < n ? there.v[k] : told[k - n]) += side * step;
        fmu_->set(inputs, {told.data(), inputs.size()});
        all.col(k).head(n) += side / (2 * step) * dae_->rates(there).head(n);
        fmu_->get(outputs, {heard.data(), outputs.size()});
        all.col(k).tail(p) += side / (2 * step) * heard;
      }
    }
    fmu_->set(inputs, {u.data(), inputs.size()});
    dae_->put(state_);
  }

  void archive(auto& a) { a(state_, dae_->event, dae_->wants_event, *stepper_); }

  std::unique_ptr<LoadedFmu> fmu_;
  FmuDescription about_;
  ExchangeSettings settings_;
  std::unique_ptr<FmuDae> dae_;
  std::unique_ptr<Integrator> integrator_;
  State state_;
  std::unique_ptr<IntegratorStepper> stepper_;
  std::vector<FmuNumber> following_;
  MatrixX course_;
  std::string saved_;
};

}  // namespace

std::unique_ptr<FmuLink> integrate_fmu(std::unique_ptr<LoadedFmu> fmu, const FmuFile& file,
                                       const ExchangeSettings& settings) {
  return std::make_unique<IntegratedFmu>(std::move(fmu), file, settings);
}

std::unique_ptr<FmuLink> load_fmu(const FmuFile& file, const std::string& instance,
                                  const FmuIntegration& integration) {
  const bool for_exchange = integration.has_value();
  auto fmu = file.description.version == 3 ? load_fmu3(file, instance, for_exchange)
                                           : load_fmu2(file, instance, for_exchange);
  if (for_exchange) return integrate_fmu(std::move(fmu), file, *integration);
  return fmu;
}

}  // namespace hooke
