#include "hooke/simulation/stepper_run.h"

namespace hooke {

void run_stepper(Stepper& stepper, const MarchSettings& settings, const RunOptions& options,
                 ResultsWriter* writer, const std::function<Record(const State&)>& record, Summary& summary) {
  March march(settings);
  bool stopped = false;
  march.on_output = [&](const State& state) {
    ++summary.frames;
    if (writer) writer->write(record(state));
  };
  march.on_step = [&](const StepRecord& step) {
    if (writer) writer->write(step);
    if (options.progress) options.progress({step.t, settings.end, step.h, march.totals().steps});
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
}

}  // namespace hooke
