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
  double mass_damping;
  double scale;  ///< the unit of its dofs
  int consistent;
};

/// Where joints take hold: fixed in the world, a node, or the best fit to a patch of nodes.
struct Hold {
  enum Kind { ground, node, patch };
  int kind, component;
  int first, count;   ///< in the list of held nodes
  int column;         ///< of its response: three for a node, six for a patch
  double R[9], s[3];  ///< in the patch; or in the world
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
  int most_iterations, stabilised;
};

enum class Outcome : int { running, diverged, gave_up };

/// How a run of an instance ended: steps taken, and as Outcome; with sums over all its steps.
struct BatchLog {
  int steps, outcome;
  long long iterations;
  double error;  ///< the largest of a step
};

/// of a block: 9 of the fit, 3 of the centre, largest increment or error; 3 of the moment
constexpr int partials = 16;

struct StepData {
  StepSettings settings;
  int nodes, components, columns, holds, rows, loads, held, drives, blocks;
  const Component* component;
  const Hold* hold;
  const Row* row;
  const Load* load;
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
  NewtonMemory* newton;
  StepLog* log;
  int* status;  ///< steps done, and the outcome
};

/// Many instances of solids that share a factor, each on a block of its own: the layout is that of one block.
struct SolidRun {
  int instances, steps, every;
  double* state;            ///< of each: q, v, a, a_new, a_old, lambda, R, Newton's memory
  const double* courses;    ///< as StepData has them
  long long courses_apart;  ///< of one instance from the next one's; 0: the same for all
  double* outputs;  ///< q and v, four numbers for each node, of each instance after every `every` steps
  BatchLog* log;
};
constexpr int newton_numbers = static_cast<int>(sizeof(NewtonMemory) / sizeof(double));
HOOKE_HD long long state_numbers(const StepData& d) {
  return 20LL * d.nodes + d.rows + 9 * d.components + newton_numbers;
}

}  // namespace hooke::gpu
