#pragma once
#include <algorithm>
#include <functional>
#include <typeindex>
#include <unordered_map>
#include <variant>

#include "hooke/base/error.h"
#include "hooke/frames/coordinates.h"
#include "hooke/system/body_batch.h"
#include "hooke/system/constraint_batch.h"
#include "hooke/system/controls.h"
#include "hooke/system/dae.h"
#include "hooke/system/force_batch.h"
#include "hooke/system/passages.h"
#include "hooke/system/rigid_contacts.h"

/// A model of bodies, joints and forces assembled for computing. It knows concepts (frames/body.h,
/// frames/constraint.h, frames/force.h), never a concrete type; it is constant once `finish` was called; all
/// scratch is in a workspace.
namespace hooke {

using AnyCoordinate = std::variant<Angle, Displacement, Distance>;

/// Moves a frame that belongs to no body of the system: its pose, twist and acceleration at time t.
using FrameDriver = std::function<void(double t, FramePose&, FrameTwist&, Vec6& acceleration)>;

struct SystemWorkspace final : Workspace {
  FrameTable frames;
  std::vector<double> G;           ///< rows of each constraint on its frames
  VectorX g;                       ///< position constraints
  std::vector<Vec6> acceleration;  ///< of the frames
};

class System final : public Dae {
 public:
  // --- building
  // Bodies, frames, constraints and forces are numbered in the order they are added. Names are for messages.
  template <class B>
  int add_body(B body, std::string name);
  /// A frame on body `body` of type B; `ground` for one fixed in the world.
  template <class B>
  int add_frame(int body, typename B::Frame frame, bool oriented = true);
  int add_ground_frame(const FramePose& pose);
  int add_driven_frame(FrameDriver driver);
  template <Constraint C>
  int add_constraint(C constraint, std::array<int, C::frames> frames, std::string name,
                     std::vector<std::string> row_labels = {});
  template <Force F>
  int add_force(F force, std::array<int, F::frames> frames, std::string name);
  /// First-order states of a control, in the shape of a body (control/states.h), after all bodies. They are not among
  /// `bodies()`.
  template <class B>
  int add_states(B states, std::string name) {
    ++not_bodies_;
    return add_body(std::move(states), std::move(name));
  }
  /// Lets a constraint or force be switched off and on, by an entry of State::memory. Returns the switch's number.
  enum class Switched { constraint, force };
  int add_switch(Switched kind, int item, bool starts_on);
  /// A batch of forces that is made elsewhere, with their names; returns the number of the first.
  int add_forces(std::unique_ptr<ForceBatchBase> batch, const std::vector<std::string>& names);
  /// At most one, after all forces; returns the number of its first force.
  int add_controls(std::unique_ptr<ControlsBase> controls, const std::vector<std::string>& names);
  /// At most one as well.
  int add_rigid_contacts(std::unique_ptr<RigidContactsBase> contacts, const std::vector<std::string>& names) {
    rigid_contacts_ = contacts.get();
    return add_forces(std::move(contacts), names);
  }
  void set_passages(std::unique_ptr<PassagesBase> passages) { passages_ = std::move(passages); }
  /// A coordinate to be looked at, an angle over full turns.
  /// An angle begins on the branch nearest to `first`.
  int add_coordinate(AnyCoordinate coordinate, std::array<int, 2> frames, double first = 0);
  /// `extent`: the unit of lengths, where it is not to be measured.
  void finish(const Vec3& gravity, double extent = 0);

  /// Threads that share the evaluation from now on, by bodies or, of a single one, its forces; it does not change the results.
  void use(std::shared_ptr<Team> team) {
    if (nv() < 6 * worth_sharing) team = nullptr;
    (bodies() > 1 ? team_ : team_of_body_) = std::move(team);
  }
  /// A team works for one thread at a time: while there is one, only one may evaluate.
  bool has_team() const { return team_ || team_of_body_; }

  // --- Dae
  const KktStructure& structure() const override { return structure_; }
  int nq() const override { return nq_; }
  int first_order_states() const override { return states_; }
  void plus(const VectorX& q, const VectorX& x, VectorX& result) const override;
  void minus(const VectorX& q1, const VectorX& q0, VectorX& x) const override;
  void inverse_tangent(const VectorX& x, const VectorX& v, VectorX& result) const override;
  bool carry(const VectorX& q, VectorX& x) const override;
  std::unique_ptr<Workspace> workspace() const override;
  void update(const State& state, Workspace& workspace) const override;
  void residual(const State& state, Workspace& workspace, VectorX& r) const override;
  /// The part of `residual` that is about frames: what joints and forces exert on them, with the sign of G^T
  /// lambda.
  void collect_wrenches(const State& state, SystemWorkspace& workspace) const;
  void position_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void velocity_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void acceleration_constraints(const State& state, Workspace& workspace, VectorX& g) const override;
  void tangent(const State& state, const Weights& weights, Workspace& workspace,
               KktMatrix& kkt) const override;
  Energy energy(const State& state, Workspace& workspace) const override;
  Energy energy(const State& state, const SystemWorkspace& workspace) const;
  Power power(const State& state, Workspace& workspace) const override;
  void times_mass(const State& state, Workspace& workspace, const VectorX& u, VectorX& result) const override;
  bool rigid_motions(const VectorX& q, MatrixX& T) const override;
  /// Frames, which forces look at; bodies know their own energy.
  void update_for_energy(const State& state, Workspace& workspace) const override {
    if (!force_batches_.empty()) update_frames(state, workspace);
  }
  void accept(State& state, Workspace& workspace) const override;
  void start(State& state, Workspace& workspace) const override;
  double next_time(const State& state) const override;
  int indicators() const override { return controls_ ? controls_->indicators() : 0; }
  void indicate(const State& state, Workspace& workspace, std::span<double> values) const override;
  int direction(int indicator, const State& state) const override {
    return controls_->direction(indicator, state);
  }
  Jump happen(State& state, Workspace& workspace, std::span<const int> reached) const override;
  bool settle(State& state) const override { return controls_ && controls_->settle(state); }
  const RigidContactsBase* rigid_contacts() const override { return rigid_contacts_; }
  const PassagesBase* passages() const override { return passages_.get(); }
  const VectorX& dof_scale() const override { return dof_scale_; }
  const VectorX& row_compliance() const override { return row_compliance_; }
  std::string dof_name(int dof) const override;
  std::string row_name(int row) const override;
  bool is_off(int row, const State& state) const override;

  // --- looking at it
  State initial_state(double t = 0) const;
  int bodies() const { return static_cast<int>(body_items_.size()) - not_bodies_; }
  int constraints() const { return static_cast<int>(constraint_items_.size()); }
  const std::string& body_name(int body) const { return body_items_[body].name; }
  const std::string& constraint_name(int c) const { return constraint_items_[c].name; }
  const FrameMap& frame_map() const { return frame_map_; }
  const Vec3& gravity() const { return gravity_; }
  BodyMotion motion(int body, const State& state) const;
  /// Poses along a flexible body, in order; empty for a rigid one.
  int node_count(int body) const { return body_items_[body].batch->node_count(body_items_[body].index); }
  std::vector<FramePose> nodes(int body, const State& state) const;
  /// Strains and forces along a rod that tells them.
  int section_count(int body) const {
    return body_items_[body].batch->section_count(body_items_[body].index);
  }
  SectionValues section(int body, int k, const State& state) const {
    return body_items_[body].batch->section(body_items_[body].index, k, state);
  }
  MassProperties mass_properties(int body) const;
  /// Where a body is in q and v, and how much of them it has.
  BodyPlace place_of(int body) const { return body_items_[body].at; }
  BodyPlace size_of(int body) const { return body_items_[body].batch->sizes(body_items_[body].index); }
  /// Moves a body, undeformed, to a pose of its reference frame (twist: velocity of the origin in the world,
  /// angular velocity in the body).
  void place(int body, const FramePose& pose, const Vec6& twist, State& state) const;
  /// First row and number of rows of a constraint in lambda.
  std::pair<int, int> rows_of(int constraint) const;
  /// -G_k^T lambda: the wrench that constraint c exerts on its frame number k (world components, frame
  /// origin).
  Vec6 reaction(int constraint, int k, const State& state, const SystemWorkspace& workspace) const;
  Vec6 force_wrench(int force, int k, const State& state, const SystemWorkspace& workspace) const;
  int constraint_frame(int constraint, int k) const;
  double coordinate(int c, const State& state, const SystemWorkspace& workspace) const;
  double coordinate_rate(int c, const SystemWorkspace& workspace) const;
  const ControlsBase* controls() const { return controls_; }

  // --- when something went wrong: what a user's formula or code gave that is not finite, under the path of its key
  std::optional<Diagnostic> not_finite_drive(double t) const;
  /// At a state that the workspace is up to date for.
  std::optional<Diagnostic> not_finite_force(const State& state, const SystemWorkspace& workspace,
                                             bool with_derivatives) const;

  // --- taking it apart: copies of some of it in another system, which is being built (coupling/adapter)
  int copy_body(int body, System& to) const;
  int copy_frame(int frame, int body_there, System& to) const;
  int copy_constraint(int c, std::span<const int> frames, System& to) const;
  int copy_force(int f, std::span<const int> frames, System& to) const;
  std::vector<int> frames_of_constraint(int c) const;
  std::vector<int> frames_of_force(int f) const;
  int forces() const { return static_cast<int>(force_items_.size()); }
  const std::string& force_name(int f) const { return force_items_[f].name; }
  /// First entry and number of entries in State::memory.
  std::pair<int, int> angles_of_constraint(int c) const;
  std::pair<int, int> angles_of_force(int f) const;
  double extent() const { return extent_; }  ///< of the mechanism: the unit of lengths in `dof_scale`

  // --- for who computes it elsewhere (gpu): the batch of an item, whose type says what it is, and its place there
  std::pair<const BodyBatchBase*, int> body_item(int body) const {
    return {body_items_[body].batch, body_items_[body].index};
  }
  std::pair<const ConstraintBatchBase*, int> constraint_item(int c) const {
    return {constraint_items_[c].constraints, constraint_items_[c].index};
  }
  std::pair<const ForceBatchBase*, int> force_item(int f) const {
    return {force_items_[f].forces, force_items_[f].index};
  }
  bool has_switches() const { return !switches_.empty(); }
  bool has_driven_frames() const { return !driven_frames_.empty(); }

 private:
  struct BodyItem {
    BodyBatchBase* batch;
    int index;
    std::string name;
    BodyPlace at{};
  };
  struct Item {
    ConstraintBatchBase* constraints = nullptr;
    ForceBatchBase* forces = nullptr;
    int index = 0;
    std::string name;
    std::vector<std::string> labels;
    ItemPlace at{};
  };
  struct Observed {
    AnyCoordinate coordinate;
    std::array<int, 2> frames;
    double first = 0;
    int memory = 0;
  };
  template <class Batch, class Base>
  Batch& batch(std::vector<std::unique_ptr<Base>>& batches);

  template <class Work>
  void share(Work&& work) const;  ///< work(Share) on every thread
  void update_frames(const State& state, Workspace& workspace) const;
  void place_bodies();
  void place_frames();
  void place_items();
  void measure(double extent);

  std::vector<std::unique_ptr<BodyBatchBase>> body_batches_;
  std::vector<std::unique_ptr<ConstraintBatchBase>> constraint_batches_;
  std::vector<std::unique_ptr<ForceBatchBase>> force_batches_;
  std::unordered_map<std::type_index, void*> batch_of_;
  std::vector<BodyItem> body_items_;
  std::vector<Item> constraint_items_, force_items_;
  std::vector<Observed> observed_;
  struct Switch {
    Switched kind;
    int item;
    bool starts_on;
  };
  std::vector<Switch> switches_;
  ControlsBase* controls_ = nullptr;  ///< among the force batches
  RigidContactsBase* rigid_contacts_ = nullptr;
  std::unique_ptr<PassagesBase> passages_;
  std::vector<std::pair<int, FramePose>> ground_frames_;
  std::vector<std::pair<int, FrameDriver>> driven_frames_;

  Vec3 gravity_ = Vec3::Zero();
  KktStructure structure_;
  FrameMap frame_map_;
  int nq_ = 0, memory_ = 0, own_memory_ = 0, rows_buffer_ = 0, not_bodies_ = 0, states_ = 0;
  double extent_ = 1;
  VectorX dof_scale_, row_compliance_;
  bool frames_are_shared_ = false;  ///< by several constraints, which then cannot write to them at once
  std::shared_ptr<Team> team_, team_of_body_;
};

template <class Batch, class Base>
Batch& System::batch(std::vector<std::unique_ptr<Base>>& batches) {
  void*& known = batch_of_[typeid(Batch)];
  if (!known) {
    auto made = std::make_unique<Batch>();
    known = made.get();
    batches.push_back(std::move(made));
  }
  return *static_cast<Batch*>(known);
}

template <class B>
int System::add_body(B body, std::string name) {
  auto& bodies = batch<BodyBatch<B>>(body_batches_);
  bodies.bodies.push_back(std::move(body));
  body_items_.push_back({&bodies, bodies.count() - 1, std::move(name)});
  return static_cast<int>(body_items_.size()) - 1;
}

template <class B>
int System::add_frame(int body, typename B::Frame frame, bool oriented) {
  const int number = static_cast<int>(frame_map_.frames.size());
  frame_map_.frames.push_back({.body = body, .oriented = oriented});
  batch<BodyBatch<B>>(body_batches_).frames.push_back({body_items_[body].index, number, std::move(frame)});
  return number;
}

template <Constraint C>
int System::add_constraint(C constraint, std::array<int, C::frames> frames, std::string name,
                           std::vector<std::string> labels) {
  auto& same = batch<ConstraintBatch<C>>(constraint_batches_);
  same.items.push_back({std::move(constraint), frames});
  constraint_items_.push_back({&same, nullptr, same.count() - 1, std::move(name), std::move(labels)});
  return constraints() - 1;
}

template <Force F>
int System::add_force(F force, std::array<int, F::frames> frames, std::string name) {
  auto& same = batch<ForceBatch<F>>(force_batches_);
  same.items.push_back({std::move(force), frames});
  force_items_.push_back({nullptr, &same, same.count() - 1, std::move(name)});
  return static_cast<int>(force_items_.size()) - 1;
}

template <class B>
int BodyBatch<B>::copy_body(int i, const std::string& name, System& to) const {
  return to.add_body(bodies[i], name);
}
template <class B>
int BodyBatch<B>::copy_frame(int frame, bool oriented, int body_there, System& to) const {
  const auto found =
      std::find_if(frames.begin(), frames.end(), [&](const Attachment& f) { return f.frame == frame; });
  return to.add_frame<B>(body_there, found->local, oriented);
}
template <Constraint C>
int ConstraintBatch<C>::copy(int i, std::span<const int> frames, const std::string& name,
                             const std::vector<std::string>& labels, System& to) const {
  std::array<int, N> there;
  std::copy_n(frames.begin(), N, there.begin());
  return to.add_constraint(items[i].constraint, there, name, labels);
}
template <Force F>
int ForceBatch<F>::copy(int i, std::span<const int> frames, const std::string& name, System& to) const {
  std::array<int, N> there;
  std::copy_n(frames.begin(), N, there.begin());
  return to.add_force(items[i].force, there, name);
}

}  // namespace hooke
