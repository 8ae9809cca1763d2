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

}  // namespace hooke
