#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hooke/catalog/build.h"
#include "hooke/record/record.h"

namespace hooke {

/// A state that quantities are read from. What takes a whole record is made when it is first asked for.
struct SeenState {
  const BuiltModel& built;
  const State& state;
  SystemWorkspace& workspace;  ///< up to date where it is needed
  ReactionAxes axes;

  const Record& record() {
    if (!record_) record_ = make_record(built, state, workspace, axes);
    return *record_;
  }
  const std::vector<double>& signals();

  std::optional<Record> record_ = {};
  std::vector<double> signals_ = {};
};

/// Something that can be looked at in any state, by the name that results have for it: body.slider.position,
/// joint.A.angle, signal.error. Matrices of bodies, and the motion of frames that loads act on, results have not.
struct Observable {
  std::string name, components, unit, text;
  /// What it depends on directly: of an FMU's inputs, those that act on accelerations and forces.
  enum class Of { motion, forces, signal } of;
  int signal = -1;  ///< its number, where it is one
  /// What of the workspace must be up to date: nothing where bodies alone tell, some frames, or everything.
  enum class Needs { nothing, frames, everything } needs = Needs::everything;
  std::vector<int> frames = {};
  int columns = 0;  ///< of a matrix, row by row; 0: it is none
  bool in_results = true;
  std::function<void(SeenState&, double*)> read = {};

  int width() const { return components.empty() ? 1 : static_cast<int>(components.size()); }
};

std::vector<Observable> observables_of(const BuiltModel& built);

/// Of the inputs (blocks of `control:`), those that act on it at once: of what a signal is made of, or all of them where it
/// depends on what is solved for.
std::vector<std::string> direct_inputs(const Observable& quantity, const System& system,
                                       const std::vector<std::string>& inputs);

}  // namespace hooke
