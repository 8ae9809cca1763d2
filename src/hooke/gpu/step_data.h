#pragma once
#include "hooke/gpu/layout.h"

/// Written once for the device and for plain C++.
#ifdef __CUDACC__
#define HOOKE_HD __host__ __device__ inline
#define HOOKE_UNROLL _Pragma("unroll")
#else
#define HOOKE_HD inline
#define HOOKE_UNROLL
#endif

/// What a step works on, as plain arrays that lie on the device, or in memory for the reference. Nodes are in the order of
/// elimination, body after body; vectors of nodes have four entries for each, the last one unused unless said.
namespace hooke::gpu {

/// A component: a solid with one frame for all its nodes.
struct Component {
  int first, last;              ///< nodes
  int first_block, last_block;  ///< that take them
  int columns;                  ///< of the responses to unit wrenches on its holds
  int wrench_at;                ///< of those columns among all, twice as many
  long long response_at, compliance_at;
  double mass_damping, stiffness_damping;
  double scale;  ///< the unit of its dofs
  int consistent;
};

/// A rigid body beside solids: each block has all of them, and moves them by itself.
struct Rigid {
  double mass, inertia[9];
  double scale;  ///< the unit of its displacements
};

/// Where joints take hold: fixed in the world, a node, the best fit to a patch of nodes, or a frame of a rigid body.
struct Hold {
  enum Kind { ground, node, patch, rigid };
  int kind, component, body;  ///< the last two -1 where it is of none
  int first, count;           ///< in the list of held nodes
  int column;                 ///< of its response: three for a node, six for a patch
  double R[9], s[3];          ///< in the patch or the body; or in the world
};

/// One equation between two holds. Axes are numbers of columns of R.
struct Row {
  enum Kind { coincide, perpendicular, plane, distance, no_twist, angle };
  int kind, hold[2];
  int axis[4];
  double length;
  int drive;  ///< number of the function of time that it follows; -1: none
};

/// A force and a torque over time on a hold, in axes of the world or of the hold.
struct Load {
  int hold, follows;
};

struct StepLog {
  int iterations;
  double change, error;
};

/// What the rule of Newton's iteration remembers from step to step.
struct NewtonMemory {
  double rate = 1, first = 0, last = 0;
  int rate_known = 0, iteration = 0;
};

struct StepSettings {
  double h, beta, gamma, alpha_m, alpha_f;
  double error_constant, drift_constant;
  double tolerance, noise, regularisation;
  double hopeless;  ///< the error of a step that is not to be believed
  int most_iterations, stabilised;
};

/// unresolved: the error of the step is hopeless.
enum class Outcome : int { running, diverged, gave_up, unresolved };

/// How a run of an instance ended: steps taken, and as Outcome; with sums over all its steps.
struct BatchLog {
  int steps, outcome;
  long long iterations;
  double error;  ///< the largest of a step
};

/// Of `taken` steps of an instance, of which the last was no failure, or `outcome`: as far as they are to be believed.
inline BatchLog sum_of(const StepLog* steps, int taken, int outcome, double hopeless) {
  BatchLog log{0, outcome, 0, 0};
  for (; log.steps < taken; ++log.steps) {
    const StepLog& step = steps[log.steps];
    log.iterations += step.iterations;
    if (!(step.error <= log.error)) log.error = step.error;
    if (step.error <= hopeless) continue;
    log.outcome = static_cast<int>(Outcome::unresolved);
    break;
  }
  return log;
}

/// Of a block: 9 of the fit, 3 of the centre, the largest increment or error; 3 of the moment; 9 of the fit's rate.
constexpr int partials = 25;
/// Rows that are inverted as a whole; a matrix of more is factorized in blocks of so many.
constexpr int rows_in_block = 64;

struct StepData {
  StepSettings settings;
  int nodes, components, columns, holds, rows, loads, held, drives, blocks, bodies;
  int damped;  ///< by the stiffness of a component
  double gravity[3];
  const Component* component;
  const Hold* hold;
  const Row* row;
  const Load* load;
  const Rigid* body;
  const int *rows_at, *rows_of;    ///< of each hold: twice a row, and which of its sides it is
  const int *held_node, *held_by;  ///< nodes that holds take, and whose they are
  const double* held_arm;          ///< three each
  const int *touch,
      *next_touch;           ///< first held entry of a node (-1: none), and the next one of the same node
  const int* neighbours_at;  ///< in groups of eight
  const int* neighbours;
  const double* stiffness;  ///< of each group: nine numbers of eight neighbours
  const double* mass;
  const double* X;    ///< arms from the centre, and the weight in the fit
  const double* ext;  ///< constant forces in the world
  double *q, *v, *a, *a_new, *a_old, *force;
  const float* response;
  const double* compliance;
  const int *block_component, *block_first, *block_last;
  double* partial;
  const double* courses;  ///< of each step: value and rate of each drive, then six numbers of each load
  double *lambda, *R;     ///< R: of each component
  double* body_state;     ///< as Points have it
  double* dense;          ///< of more rows than a block has: what they do to each other, and its factor
  NewtonMemory* newton;
  StepLog* log;
  int* status;  ///< steps done, and the outcome
};

/// Many instances of solids that share a factor, each on a block of its own: the layout is that of one block.
struct SolidRun {
  int instances, steps, every;
  double* state;            ///< of each: q, v, a, a_new, a_old, lambda, R, rigid bodies, Newton's memory
  const double* courses;    ///< as StepData has them
  long long courses_apart;  ///< of one instance from the next one's; 0: the same for all
  double*
      outputs;  ///< of each instance after every `every` steps: q and v, four numbers for each node; of rigid bodies
  BatchLog* log;
};
constexpr int newton_numbers = static_cast<int>(sizeof(NewtonMemory) / sizeof(double));
constexpr int point_numbers =
    7 + 4 * 6;  ///< of the state of a rigid body or a node of a rod: q, v, a, a_new, a_old
constexpr int point_outputs = 7 + 6;  ///< of them, q and v
HOOKE_HD long long state_numbers(const StepData& d) {
  return 20LL * d.nodes + d.rows + 9 * d.components + point_numbers * d.bodies + newton_numbers;
}
HOOKE_HD long long output_numbers(const StepData& d) { return 8LL * d.nodes + point_outputs * d.bodies; }
/// Of `dense`.
HOOKE_HD long long dense_numbers(const StepData& d) {
  return d.rows > rows_in_block ? 2LL * d.rows * d.rows : 0;
}

}  // namespace hooke::gpu
