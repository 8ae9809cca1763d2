#pragma once
#include <string>

#include "hooke/bodies/corotational_solid.h"
#include "hooke/forces/point_load.h"
#include "hooke/gpu/dissection.h"
#include "hooke/gpu/step_data.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/system/system.h"

/// A system of solids in components, with rigid bodies beside them, laid out for a device.
namespace hooke::gpu {

/// A state as the device has it: four numbers for each node, in its order; and rigid bodies as Points have them.
struct DeviceState {
  std::vector<double> q, v, a, a_new, a_old, lambda, R, bodies;
  NewtonMemory newton;
};

class DeviceModel {
 public:
  /// Why a device does not do this; empty: it does.
  static std::string refusal(const System& system, const GeneralizedAlphaSettings& settings);

  /// For steps of h, and so many blocks of threads. `refusal` is empty.
  DeviceModel(const System& system, const GeneralizedAlphaSettings& settings, double h, int blocks,
              const State& start, const SolveCost& cost = {});

  DeviceState state_of(const State& state) const;
  /// Writes q, v, a, lambda and the history of the integrator.
  void write(const DeviceState& device, State& state) const;
  /// What drives and loads do in the steps that end at t + h, t + 2h, ...
  std::vector<double> courses(double t, int steps) const;

  /// Newton's matrix times x, of all nodes in the order of the device.
  void times_newton_matrix(const std::vector<double>& x, std::vector<double>& y) const;
  /// The forces on nodes, three each, of a unit wrench on a hold, number k of it; in the axes of the component.
  void unit_wrench(int hold, int k, std::vector<double>& forces) const;
  /// The motion of a hold that belongs to displacements of the nodes, three each, of the undeformed component.
  void hold_motion(int hold, const std::vector<double>& x, double* motion) const;

  /// Sizes and settings, and pointers to what is constant here; others are null.
  StepData data() const;

  Layout layout;
  std::vector<Component> components;
  std::vector<Hold> holds;
  std::vector<Row> rows;
  std::vector<Load> loads;
  std::vector<Rigid> bodies;
  std::vector<int> rows_at, rows_of;
  std::vector<int> held_node, held_by, touch, next_touch, neighbours_at, neighbours;
  std::vector<double> held_arm, stiffness, mass, X, ext;
  std::vector<double> mass_weight, stiffness_weight;  ///< of each component, in Newton's matrix
  std::vector<int> block_component, block_first, block_last, component_of;
  StepSettings settings;
  int columns = 0;  ///< of all responses
  double plan_seconds = 0;

 private:
  void add_solid(const CorotationalSolid& body, int number, const AlphaParameters& p, const SolveCost& cost);
  void add_component(const CorotationalSolid& body, BodyPlace at, double scale);
  void add_nodes(const CorotationalSolid& body, const std::vector<int>& order, const Vec3& gravity);
  int hold_of(int frame);
  void add_rows(int constraint);
  void add_load(int force);
  void list_rows();
  void share_out(int blocks);

  const System& system_;
  const SystemWorkspace* start_ = nullptr;
  std::vector<const CorotationalSolid*> solids_;
  std::vector<Dissection> dissections_;
  std::vector<BodyPlace> places_;
  std::vector<int> rigid_at_;             ///< bodies of the system that are rigid
  std::vector<int> component_of_body_;    ///< or which of the rigid ones it is
  std::vector<std::vector<int>> number_;  ///< on the device, of each body's nodes
  std::vector<int> hold_of_frame_, q_at_, v_at_;
  std::vector<int> row_at_;  ///< in lambda
  std::vector<Function> drives_;
  struct Course {
    TimeVector force;
    std::optional<TimeVector> torque;
    double share;
  };
  std::vector<Course> courses_;
  double shift_ = 0;
};

}  // namespace hooke::gpu
