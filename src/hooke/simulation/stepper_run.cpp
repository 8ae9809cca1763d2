#include "hooke/simulation/stepper_run.h"

#include "hooke/simulation/checkpoints.h"

namespace hooke {

void run_stepper(Stepper& stepper, const MarchSettings& settings, const RunOptions& options,
                 ResultsWriter* writer, const std::function<Record(const State&)>& record, Summary& summary,
                 const Resumable* resumable) {
  March march(settings);
  march.on_output = [&](const State& state) {
    ++summary.frames;
    const Record made = record(state);
    if (writer) writer->write(made);
    if (options.on_record) options.on_record(made);
  };
  march.on_step = [&](const StepRecord& step) {
    if (writer) writer->write(step);
    if (options.progress) options.progress({step.t, settings.end, step.h, march.totals().steps});
  };
  const auto archive = [&](Archive& a) {
    a(march, summary.frames);
    resumable->archive(a);
    if (writer) writer->archive(a);
  };
  const auto checkpoint = [&] {
    if (!resumable) return;
    Archive memory;
    archive(memory);
    resumable->checkpoints.keep(memory, stepper.time(), resumable->run, summary.frames, march.totals().steps);
  };
  bool stopped = false;
  try {
    if (const Checkpoint* from = resumable ? resumable->checkpoints.from() : nullptr) {
      Archive memory(from->memory);
      archive(memory);
    } else {
      march.begin(stepper);
    }
    checkpoint();
    while (!stopped && march.step(stepper)) {
      stopped = options.cancelled && options.cancelled();
      if (march.totals().steps % Simulation::steps_between_checkpoints != 0) continue;
      if (!march.feels_end(stepper.time())) checkpoint();
      if (!resumable || !resumable->checkpoints.is_due()) continue;
      if (writer) writer->write_kept();
      resumable->checkpoints.write(false);
    }
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
