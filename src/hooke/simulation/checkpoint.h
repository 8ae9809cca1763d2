#pragma once
#include <string>

#include "hooke/catalog/catalog.h"
#include "hooke/catalog/problem.h"
#include "hooke/system/state.h"

namespace hooke {

/// A run at one of its steps: all it needs to go on from there, as if it had never stopped.
///
/// A continued run equals an uninterrupted one in every bit because both forget the same: every so many steps
/// (Simulation::steps_between_checkpoints) a run makes its integrator and solver anew, whether a checkpoint is
/// written or not. What follows then depends on the state alone and on the few numbers kept in `memory`.
struct Checkpoint {
  std::string text, file;              ///< of the model
  std::vector<std::string> overrides;  ///< all but the end and the threads, which a continued run may change
  std::string build, processor;        ///< that computed it
  std::string run;                     ///< its mark, which the results have, too
  State start;                         ///< where the model starts: another one starts elsewhere
  State last;                          ///< where the run ended, for others to start from
  double t = 0, end = 0;               ///< of this state, of the run
  int threads = 1;
  long frames = 0, steps = 0;  ///< rows of the results that belong to it
  std::string memory;          ///< Archive of the state, March, Watch and sums of the summary

  void archive(auto& a) {
    a(text, file, overrides, build, processor, run, start, last, t, end, threads, frames, steps, memory);
  }
};

/// results.h5 -> results.checkpoint
std::string checkpoint_path(const std::string& results);

/// In place of the one before, which stays until this one is whole.
void write_checkpoint(const std::string& path, Checkpoint& checkpoint, bool survives_power_loss);
/// Throws Error (file) with the reason when it cannot be gone on from.
Checkpoint read_checkpoint(const std::string& path);

/// What a checkpoint says of the problem. One that was made by a program, and by no file, has a text where a file can
/// say the same.
void describe(const Problem& problem, Checkpoint& checkpoint);
/// The problem of a run whose results these are, to be gone on with.
Problem continued(const std::string& results, const Catalog& catalog);

/// Throws Error (bad_model) that says how a problem differs from that of a checkpoint, if it does.
void check_fits(const Checkpoint& checkpoint, const Problem& problem, const State& start);
/// What may be expected of going on here with a run that was computed there.
std::string how_exact(const Checkpoint& checkpoint);

/// Tells a run from others.
std::string new_run_mark();
/// What the numbers depend on, in words.
std::string this_build();
std::string this_processor();

}  // namespace hooke
