#include "hooke/simulation/stepper_run.h"

#include "hooke/base/timer.h"
#include "hooke/simulation/checkpoints.h"

namespace hooke {
namespace {

std::unique_ptr<ResultsWriter> writer_of(const SteppedRun& run, const RunOptions& options, Summary& summary) {
  if (options.results.empty()) return nullptr;
  const Checkpoint* from = run.resumable ? run.resumable->checkpoints.from() : nullptr;
  const RowsToKeep kept = from ? RowsToKeep{from->frames, from->steps} : RowsToKeep();
  summary.results = options.results;
  return std::make_unique<ResultsWriter>(options.results, run.items,
                                         ResultsInfo{.title = run.title,
                                                     .model_text = run.text,
                                                     .integrator = summary.integrator,
                                                     .solver = summary.solver,
                                                     .version = HOOKE_VERSION,
                                                     .run = run.resumable ? run.resumable->run : "",
                                                     .facts = run.facts,
                                                     .notes = summary.notes,
                                                     .warnings = summary.warnings},
                                         from ? &kept : nullptr);
}

}  // namespace

void run_stepper(Stepper& stepper, const SteppedRun& run, const RunOptions& options, Summary& summary) {
  const Resumable* resumable = run.resumable;
  const std::unique_ptr<ResultsWriter> writer = writer_of(run, options, summary);
  const Timer timer;
  March march(run.march);
  march.on_output = [&](const State& state) {
    ++summary.frames;
    const Record made = run.record(state);
    if (writer) writer->write(made);
    if (options.on_record) options.on_record(made);
  };
  march.on_step = [&](const StepRecord& step) {
    if (writer) writer->write(step);
    if (options.progress) options.progress({step.t, run.march.end, step.h, march.totals().steps});
  };
  const auto archive = [&](Archive& a) {
    a(march, summary.frames);
    resumable->archive(a);
    if (writer) writer->archive(a);
  };
  const auto write_kept = [&] {
    if (writer) writer->write_kept();
  };
  try {
    const bool is_stopped = march_to_end({.march = march,
                                          .stepper = stepper,
                                          .mark = resumable ? resumable->run : std::string(),
                                          .archive = archive,
                                          .write_kept = write_kept},
                                         options, summary, resumable ? &resumable->checkpoints : nullptr);
    if (is_stopped) summary.status = RunStatus::interrupted, summary.code = ExitCode::interrupted;
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
  if (resumable) resumable->checkpoints.write(true);
}

}  // namespace hooke
