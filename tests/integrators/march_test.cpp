// March: output times, ends, steps that fail; and what a step leaves behind when it fails.
#include "hooke/integrators/march.h"

#include "hooke/base/error.h"
#include "hooke/integrators/runge_kutta.h"
#include "hooke/integrators/settings.h"
#include "support/convergence.h"
#include "support/crank.h"
#include "textbook.h"

namespace hooke::test {
namespace {

using ::testing::HasSubstr;

/// Refuses steps longer than a limit while t is in [from, to): a hard spot on the way.
class Stumbling final : public Integrator {
 public:
  Stumbling(Integrator& inner, double from, double to, double limit)
      : inner_(inner), from_(from), to_(to), limit_(limit) {}
  std::string_view name() const override { return "stumbling"; }
  int order() const override { return inner_.order(); }
  StepReport step(State& state, double h) override {
    if (state.t >= from_ && state.t < to_ && h > limit_)
      return {.iterations = 3, .failure = "it stumbles here"};
    return inner_.step(state, h);
  }

 private:
  Integrator& inner_;
  double from_, to_, limit_;
};

/// The pendulum marched, and what March tells on the way.
struct MarchedPendulum {
  TextbookPendulum pendulum;
  std::unique_ptr<Integrator> method =
      std::make_unique<GeneralizedAlpha>(pendulum, GeneralizedAlphaSettings{});
  Integrator* integrator = method.get();
  State state = TextbookPendulum::at(0, 1.5, 0.3);
  std::vector<State> outputs;
  std::vector<StepRecord> steps;
  MarchTotals totals;

  void go(const MarchSettings& settings) {
    March march(pendulum, *integrator, settings);
    march.on_output = [&](const State& s) { outputs.push_back(s); };
    march.on_step = [&](const StepRecord& s) { steps.push_back(s); };
    try {
      march.run(state);
    } catch (...) {
      totals = march.totals();
      throw;
    }
    totals = march.totals();
  }
  std::vector<double> times() const {
    std::vector<double> t;
    for (const State& s : outputs) t.push_back(s.t);
    return t;
  }
};

void expect_times(const std::vector<double>& actual, double every, double end) {
  const int n = static_cast<int>(std::ceil(end / every - 1e-9));
  ASSERT_EQ(actual.size(), static_cast<std::size_t>(n + 1));
  for (int k = 0; k < n; ++k) EXPECT_DOUBLE_EQ(actual[k], k * every) << k;
  EXPECT_EQ(actual.back(), end);
}

// ---- how fast the model is, as explicit steps tell ---------------------------------------------------

/// Steps that March tries, and only they, move the counters by which runs are ended as stiff and advice is given.
TEST(March, WhatIsLookedAtBetweenExplicitStepsLeavesNoTrace) {
  TextbookPendulum pendulum;
  const auto memory_after = [&](const MarchSettings& settings) {
    DormandPrince integrator(pendulum, {});
    State state = TextbookPendulum::at(0, 0.3, 30);  // more than a radian in a step: no state is interpolated
    IntegratorStepper stepper(pendulum, integrator, state);
    March march(settings);
    march.on_output = [](const State&) {};
    march.run(stepper);
    Archive memory;
    integrator.archive(memory);
    return memory.bytes();
  };
  const std::string at_steps = memory_after({.end = 1.5, .step = 0.05});
  EXPECT_EQ(memory_after({.end = 1.5, .step = 0.05, .output_every = 0.017}), at_steps);
}

TEST(March, OneStepAloneDoesNotTellThatAModelIsStiff) {
  TextbookPendulum pendulum;
  DormandPrince integrator(pendulum, {});
  const auto take = [&](int steps, double rate, double h) {
    State state = TextbookPendulum::at(0, 0.3, rate);
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(integrator.step(state, h).accepted);
      integrator.count_step();
    }
  };
  EXPECT_EQ(integrator.stable_step(), std::numeric_limits<double>::infinity());
  take(30, 1, 0.01);
  const double slow = integrator.stable_step();
  EXPECT_GT(slow, 0.1);
  take(1, 1000, 1e-4);
  EXPECT_GT(integrator.stable_step(), 0.5 * slow);
  take(20, 1000, 1e-4);
  EXPECT_LT(integrator.stable_step(), 0.01);
}

// ---- where it goes ------------------------------------------------------------------------------

TEST(March, OutputsEveryStepUnlessToldOtherwise) {
  MarchedPendulum run;
  run.go({.end = 0.05, .step = 0.01});
  expect_times(run.times(), 0.01, 0.05);
  EXPECT_EQ(run.totals.steps, 5);
}

TEST(March, EndsExactlyWhereItIsToldEvenIfNoStepDoes) {
  for (const std::optional<double> tolerance : {std::optional<double>(), std::optional(1e-5)}) {
    MarchedPendulum run;
    run.go({.end = 0.123456789, .step = 0.01, .tolerance = tolerance});
    EXPECT_EQ(run.state.t, 0.123456789);
    EXPECT_EQ(run.outputs.back().t, 0.123456789);
  }
}

TEST(March, OutputTimesNeedNotBeStepTimes) {
  for (const double every : {0.02, 0.013, 0.0034, 0.07, 5.0})
    for (const std::optional<double> tolerance : {std::optional<double>(), std::optional(1e-6)}) {
      MarchedPendulum run;
      run.go({.end = 0.4, .step = 0.01, .tolerance = tolerance, .output_every = every});
      expect_times(run.times(), every, 0.4);
    }
}

TEST(March, ManySmallStepsDoNotMoveTheGrid) {
  MarchedPendulum run;
  run.go({.end = 1, .step = 1e-4, .output_every = 0.1});
  EXPECT_EQ(run.totals.steps, 10000);
  expect_times(run.times(), 0.1, 1);
}

TEST(March, StopsWhenItIsCancelled) {
  TextbookPendulum pendulum;
  GeneralizedAlpha integrator(pendulum, {});
  March march(pendulum, integrator, {.end = 1, .step = 0.01});
  march.cancelled = [&] { return march.totals().steps == 7; };
  State state = TextbookPendulum::at(0, 1.5, 0.3);
  march.run(state);
  EXPECT_NEAR(state.t, 0.07, 1e-15);
}

/// In between the motion is a cubic: with an integrator whose own error is small its error shows, h^4 in q
/// and v.
TEST(March, InterpolatedOutputsAreAccurate) {
  std::vector<double> q, v, lambda;
  const TextbookPendulum pendulum;
  for (const double h : {0.04, 0.02, 0.01}) {
    MarchedPendulum run;
    run.method = std::make_unique<DormandPrince>(run.pendulum, NewtonSettings{.tolerance = 1e-13});
    run.integrator = run.method.get();
    run.go({.end = 0.8, .step = h, .output_every = 0.8 / 37});
    std::vector<State> exact;
    for (const State& s : run.outputs) exact.push_back(TextbookPendulum::exact(s.t, 1.5, 0.3, 2000));
    const Errors e = compare(pendulum, run.outputs, exact);
    q.push_back(e.q), v.push_back(e.v), lambda.push_back(e.lambda);
  }
  EXPECT_GT(order(q), 3);
  EXPECT_GT(order(v), 3);
  EXPECT_GT(order(lambda), 1.8);
  EXPECT_LT(q.back(), 1e-6);
}

/// On the manifold: turned by a rotation vector that is interpolated in the step's own coordinates.
TEST(March, InterpolatesRotationsAccurately) {
  const Ready top(heavy_top(), 2e-5);
  std::vector<double> q, v;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    DormandPrince integrator(top.system(), {.tolerance = 1e-13});
    March march(top.system(), integrator, {.end = 0.02, .step = h, .output_every = 0.02 / 13});
    std::vector<State> outputs;
    march.on_output = [&](const State& s) { outputs.push_back(s); };
    State state = top.start();
    march.run(state);
    std::vector<double> times;
    for (const State& s : outputs) times.push_back(s.t);
    const Errors e = compare(top.system(), outputs, top.exact(times));
    q.push_back(e.q), v.push_back(e.v);
  }
  EXPECT_GT(order(q), 3);
  EXPECT_GT(order(v), 3);
}

/// No integrator: x' = x by the first terms of its series, with an estimate of the error.
class Growing final : public Stepper {
 public:
  double time() const override { return now_.t; }
  void set_time(double t) override { now_.t = t; }
  int order() const override { return 2; }
  void save() override { before_ = now_; }
  void restore() override { now_ = before_; }
  StepReport step(double h) override {
    if (h > 0.2) return {.failure = "too far"};
    now_.t += h;
    now_.q *= 1 + h + h * h / 2;
    return {.accepted = true, .error = h * h * h / 6 * now_.q[0]};
  }
  const State& state(double t) override {
    if (t == now_.t) return now_;
    between_.t = t;
    between_.q = before_.q + (t - before_.t) / (now_.t - before_.t) * (now_.q - before_.q);
    return between_;
  }

 private:
  State now_{.q = VectorX::Ones(1)}, before_, between_;
};

TEST(March, TakesWhateverCanStep) {
  for (const bool controlled : {false, true}) {
    MarchSettings settings{.end = 1, .step = controlled ? 0.5 : 0.01, .output_every = 0.03};
    if (controlled) settings.tolerance = 1e-6;
    Growing growing;
    March march(settings);
    std::vector<double> times;
    march.on_output = [&](const State& state) {
      times.push_back(state.t);
      EXPECT_NEAR(state.q[0], std::exp(state.t), 1e-3);
    };
    march.run(growing);
    EXPECT_EQ(times.size(), 35u);
    EXPECT_NEAR(growing.time(), 1, 1e-12);
    EXPECT_EQ(march.totals().rejected > 0, controlled);
  }
}

// ---- steps that fail ----------------------------------------------------------------------------

TEST(March, HalvesAStepThatFailsAndFindsBackToItsGrid) {
  MarchedPendulum run;
  Stumbling stumbling(*run.method, 0.0999, 0.1999, 0.003);
  run.integrator = &stumbling;
  run.go({.end = 0.4, .step = 0.01, .output_every = 0.01});
  expect_times(run.times(), 0.01, 0.4);
  EXPECT_GT(run.totals.rejected, 0);
  for (const StepRecord& step : run.steps)
    EXPECT_TRUE(step.t < 0.101 || step.t > 0.2 ? std::abs(step.h - 0.01) < 1e-12 : step.h <= 0.003)
        << step.t << " " << step.h;
  EXPECT_LT(compare(run.pendulum, {run.state}, {TextbookPendulum::exact(0.4, 1.5, 0.3)}).q, 1e-3);
}

TEST(March, CountsWhatItDid) {
  MarchedPendulum run;
  Stumbling stumbling(*run.method, 0.0499, 0.0501, 0.003);
  run.integrator = &stumbling;
  run.go({.end = 0.1, .step = 0.01});
  long rejected = 0, iterations = 0;
  for (const StepRecord& step : run.steps) rejected += step.rejections, iterations += step.iterations;
  EXPECT_EQ(run.totals.steps, static_cast<long>(run.steps.size()));
  EXPECT_EQ(run.totals.rejected, rejected);
  EXPECT_EQ(run.totals.iterations, iterations + 3 * rejected);  // those of the refused steps, too
  EXPECT_EQ(run.totals.failure, "at t = 0.05 s with 0.005 s: it stumbles here");
}

TEST(March, GivesUpWhenNoStepHelpsAndKeepsWhatItHas) {
  MarchedPendulum run;
  Stumbling stumbling(*run.method, 0.0499, 1, 0);
  run.integrator = &stumbling;
  try {
    run.go({.end = 0.1, .step = 0.01});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::step_failed);
    EXPECT_THAT(error.what(), HasSubstr("t = 0.05"));
    EXPECT_THAT(error.what(), HasSubstr("it stumbles here"));
  }
  EXPECT_NEAR(run.state.t, 0.05, 1e-15);
  EXPECT_EQ(run.outputs.size(), 6u);
}

bool same(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

void expect_unchanged(const State& after, const State& before) {
  EXPECT_EQ(after.t, before.t);
  EXPECT_TRUE(same(after.q, before.q) && same(after.v, before.v) && same(after.a, before.a));
  EXPECT_TRUE(same(after.lambda, before.lambda) && same(after.memory, before.memory));
  EXPECT_TRUE(same(after.history, before.history));
}

TEST(March, DoesNotCrawlForEver) {
  MarchedPendulum run;
  Stumbling stumbling(*run.integrator, 0.2, 1, 1e-6);
  run.integrator = &stumbling;
  const auto go = [&] { run.go({.end = 1, .step = 0.1}); };
  EXPECT_THAT(
      go, testing::ThrowsMessage<Error>(testing::AllOf(
              HasSubstr("a step of 0.1 s is not done after 2000 failures"), HasSubstr("it stumbles here"))));
  EXPECT_NEAR(run.state.t, 0.2, 0.01);
}

TEST(RefusedStep, LeavesTheStateUntouched) {
  const Ready crank(slider_crank());
  for (const bool is_first : {true, false}) {
    GeneralizedAlpha integrator(crank.system(), {});
    State state = crank.start();
    if (!is_first) integrator.step(state, 1e-3);
    const State before = state;
    const StepReport report = integrator.step(state, 3);  // several turns of the crank
    ASSERT_FALSE(report.accepted);
    EXPECT_THAT(report.failure, HasSubstr("body '"));
    EXPECT_THAT(report.failure, HasSubstr("joint '"));
    expect_unchanged(state, before);
  }
}

TEST(RefusedStep, DoesNotSpoilTheNext) {
  const Ready crank(slider_crank());
  GeneralizedAlpha stumbled(crank.system(), {}), straight(crank.system(), {});
  State a = crank.start(), b = crank.start();
  EXPECT_FALSE(stumbled.step(a, 3.0).accepted);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stumbled.step(a, 1e-3).accepted);
    ASSERT_TRUE(straight.step(b, 1e-3).accepted);
  }
  EXPECT_LT(compare(crank.system(), {a}, {b}).v, 1e-9);
}

// ---- error control ------------------------------------------------------------------------------

struct Controlled {
  double error;
  MarchTotals totals;
};

template <class MakeMethod>
Controlled run_with_tolerance(const Ready& model, const MakeMethod& make, double end, double tolerance) {
  const auto integrator = make();
  March march(model.system(), *integrator, {.end = end, .step = 1e-3, .tolerance = tolerance});
  State state = model.start();
  march.run(state);
  return {compare(model.system(), {state}, model.exact({end})).q, march.totals()};
}

/// Error per step is controlled, so the global error falls like tolerance^(p/(p+1)).
void expect_error_follows_tolerance(const Ready& model, const MakeIntegrator& make, double end, int p,
                                    double first, double factor = 10) {
  std::vector<double> errors;
  double steps = 0;
  for (double tolerance = first; errors.size() < 3; tolerance /= factor) {
    const Controlled run = run_with_tolerance(model, make, end, tolerance);
    EXPECT_LT(run.error,
              5 * static_cast<double>(run.totals.steps) * tolerance);  // errors of the steps add up
    EXPECT_GT(run.totals.steps, steps);
    EXPECT_LT(run.totals.rejected, 0.2 * run.totals.steps + 5);
    steps = run.totals.steps;
    errors.push_back(run.error);
  }
  const double slope = std::log(errors.front() / errors.back()) / (2 * std::log(factor));
  EXPECT_GT(slope, p / (p + 1.0) - 0.1) << errors[0] << " " << errors[1] << " " << errors[2];
  EXPECT_LT(slope, 1.5) << errors[0] << " " << errors[1] << " " << errors[2];
}

TEST(VariableStep, ErrorFollowsTheTolerance) {
  const Ready crank(slider_crank(), 4e-4), pendulum(chain(2), 1e-3);
  for (const Ready* model : {&crank, &pendulum}) {
    for (const double rho : {0.5, 0.8})
      expect_error_follows_tolerance(
          *model,
          [&] {
            return std::make_unique<GeneralizedAlpha>(
                model->system(), GeneralizedAlphaSettings{AlphaParameters::generalized_alpha(rho)});
          },
          0.5, 2, 1e-5);
    expect_error_follows_tolerance(
        *model,
        [&] { return std::make_unique<DormandPrince>(model->system(), NewtonSettings{.tolerance = 1e-13}); },
        0.5, 5, 1e-6);
  }
}

/// What the control is for: a motion that is slow for long and fast for a moment.
TEST(VariableStep, TakesFewerStepsThanAFixedOneOfTheSameError) {
  const Ready crank(slider_crank(), 4e-4);
  const auto make = [&] {
    return std::make_unique<GeneralizedAlpha>(crank.system(), GeneralizedAlphaSettings{});
  };
  const Controlled varying = run_with_tolerance(crank, make, 0.5, 1e-6);
  const auto fixed = make();
  const State state =
      integrate(*fixed, crank.start(), uniform_grid(0, 0.5, static_cast<int>(varying.totals.steps))).back();
  EXPECT_LT(varying.error, compare(crank.system(), {state}, crank.exact({0.5})).q);
}

}  // namespace
}  // namespace hooke::test
