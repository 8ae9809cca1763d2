#include "hooke/simulation/stepper_run.h"

#include "hooke/base/timer.h"

namespace hooke {

void run_stepper(Stepper& stepper, const SteppedRun& run, const RunOptions& options, Summary& summary) {
  std::unique_ptr<ResultsWriter> writer;
  if (!options.results.empty()) {
    writer = std::make_unique<ResultsWriter>(options.results, run.items,
                                             ResultsInfo{.title = run.title,
                                                         .model_text = run.text,
                                                         .integrator = summary.integrator,
                                                         .solver = summary.solver,
                                                         .version = HOOKE_VERSION,
                                                         .facts = run.facts,
                                                         .warnings = summary.warnings});
    summary.results = options.results;
  }
  const Timer timer;
  March march(run.march);
  bool stopped = false;
  march.on_output = [&](const State& state) {
    ++summary.frames;
    if (writer) writer->write(run.record(state));
  };
  march.on_step = [&](const StepRecord& step) {
    if (writer) writer->write(step);
    if (options.progress) options.progress({step.t, run.march.end, step.h, march.totals().steps});
  };
  march.cancelled = [&] { return stopped = options.cancelled && options.cancelled(); };
  try {
    march.run(stepper);
    if (stopped) summary.status = RunStatus::interrupted, summary.code = ExitCode::interrupted;
  } catch (const Error& error) {
    if (error.code() != ExitCode::step_failed) throw;
    summary.status = RunStatus::failed;
    summary.code = error.code();
    summary.failure = error.what();
  }
  summary.totals = march.totals();
  summary.end = stepper.time();
  summary.wall_time = timer.seconds();
  if (run.end) run.end(summary);
  if (writer) writer->finish(to_word(summary.status), summary.failure, summary.notes, summary.warnings);
}

}  // namespace hooke
