#include "hooke/simulation/checkpoints.h"

#include "hooke/base/error.h"

namespace hooke {

void Checkpoints::go_on(double end, const std::function<void(const Checkpoint&)>& check) {
  from_ = read_checkpoint(checkpoint_path(results_));
  check(*from_);
  if (!(end > from_->t))
    throw Error(ExitCode::usage,
                formatted("the run has reached t = {:.9g} s already: give a later end (--end)", from_->t));
  summary_.notes.push_back(how_exact(*from_));
}

void Checkpoints::keep(const Archive& memory, double t, const std::string& run, long frames, long steps) {
  latest_.memory = memory.bytes();
  latest_.t = t;
  latest_.run = run;
  latest_.frames = frames;
  latest_.steps = steps;
}

void Checkpoints::write(bool at_end) {
  if (!is_wanted() || has_failed_ || latest_.memory.empty()) return;
  if (latest_.build.empty()) {
    describe_(latest_);
    latest_.build = this_build();
    latest_.processor = this_processor();
  }
  try {
    write_checkpoint(checkpoint_path(results_), latest_, !at_end);
  } catch (const Error& error) {
    has_failed_ = true;
    summary_.warnings.push_back(error.what());
  }
  since_.restart();
}

bool march_to_end(const MarchingRun& run, const RunOptions& options, const Summary& summary,
                  Checkpoints* checkpoints) {
  const auto keep = [&] {
    if (!checkpoints) return;
    Archive memory;
    run.archive(memory);
    checkpoints->keep(memory, run.stepper.time(), run.mark, summary.frames, run.march.totals().steps);
  };
  if (const Checkpoint* from = checkpoints ? checkpoints->from() : nullptr) {
    Archive memory(from->memory);
    run.archive(memory);
  } else {
    run.march.begin(run.stepper);
  }
  keep();
  while (run.march.step(run.stepper)) {
    const bool is_cancelled = options.cancelled && options.cancelled();
    if (run.march.totals().steps % Simulation::steps_between_checkpoints == 0) {
      if (run.begin_afresh) run.begin_afresh();
      if (!run.march.feels_end(run.stepper.time())) keep();
      if (checkpoints && checkpoints->is_due()) {
        if (run.write_kept) run.write_kept();
        checkpoints->write(false);
      }
    }
    if (is_cancelled) return true;
  }
  return false;
}

}  // namespace hooke
