#pragma once
#include "hooke/forces/point_load.h"
#include "hooke/gpu/mechanism_data.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/system/system.h"

namespace hooke::gpu {

/// A system of rigid bodies and Cosserat rods, laid out for many instances of it at once. What bodies, joints and loads there are
/// and where they take hold is the same for all; masses, lengths, places, stiffness and gravity are numbers of each.
class MechanismModel {
 public:
  /// Why a device does not do this; empty: it does.
  static std::string refusal(const System& system, const GeneralizedAlphaSettings& settings);

  /// For steps of h. `refusal` is empty.
  MechanismModel(const System& system, const GeneralizedAlphaSettings& settings, double h);

  /// Of an instance: a system made as this one was, with other numbers. Adds to what is there; throws std::runtime_error where
  /// its bodies, joints or loads are others.
  void add_numbers(const System& instance, std::vector<double>& numbers) const;
  /// Of a state with a history (AlphaHistory::ready).
  void add_state(const State& state, std::vector<double>& states) const;
  /// What drives and loads of an instance do in the steps that end at t + h, t + 2h, ...
  void add_courses(const System& instance, double t, int steps, std::vector<double>& courses) const;
  /// q and v of an output.
  void read(const double* output, State& state) const;
  /// The state there is after the last step, as `add_state` put it down; with its history.
  void read_state(const double* from, State& state) const;

  MechanismPlan plan() const;  ///< with pointers to what is here
  double h() const { return settings_.h; }

 private:
  void add_points(const System& system);
  void add_rows(const System& system);
  int frame_of(const System& system, int frame);
  void add_matrix();

  StepSettings settings_;
  double shift_ = 0;
  int drives_ = 0, columns_ = 1, matrix_ = 0;
  std::vector<int> q_at_, v_at_, first_point_, frame_number_, system_frames_;
  std::vector<MechanismFrame> frames_;
  std::vector<MechanismRow> rows_;
  std::vector<Load> loads_;
  std::vector<RodElement> elements_;
  std::vector<std::array<int, 2>> constraint_rows_;  ///< first row and number
  std::vector<int> frames_at_, frames_of_, elements_at_, elements_of_, loads_at_, loads_of_, rows_at_,
      rows_of_;
  std::vector<int> diagonal_, right_side_;
  std::vector<Pivot> pivots_;
  std::vector<ScaledRow> scaled_;
  std::vector<Update> updates_, backs_;
  std::vector<Product> products_;
  std::vector<Level> levels_;
};

}  // namespace hooke::gpu
