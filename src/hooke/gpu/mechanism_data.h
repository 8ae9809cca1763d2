#pragma once
#include "hooke/gpu/elimination.h"
#include "hooke/gpu/step_data.h"

/// Many instances of one mechanism of rigid bodies and rods: what they share, and what each has of its own.
///
/// Bodies are points, which move as rigid bodies do: q = (p, quaternion w x y z), v = (p' in the world, omega in the
/// body). A node of a rod is a point, too; elements join two or three of them.
namespace hooke::gpu {

/// Where a joint or a load takes hold: of a point, or in the world (-1).
struct MechanismFrame {
  int point;
};

/// Of row r on its frame number `side`: where its six numbers lie in the matrix, as a row and, with a stride, as a column.
struct RowPlace {
  int frame, row_at, column_at, stride;
};

struct MechanismRow {
  Row row;  ///< its length is a number of the instance
  RowPlace side[2];
  int diagonal, right_side;
};

/// An element of a rod: its points, and where their blocks are in the matrix.
struct RodElement {
  int nodes, first;
  int at[3][3];
};

/// Sizes, lists and settings: the same for all instances.
struct MechanismPlan {
  StepSettings settings;
  int points, frames, rows, loads, drives, elements, levels, columns, matrix;
  int widest;  ///< pivots of a level
  const MechanismFrame* frame;
  const MechanismRow* row;
  const Load* load;
  const RodElement* element;
  const int *frames_at, *frames_of;      ///< of each point
  const int *elements_at, *elements_of;  ///< likewise: 4 times the element, and which of its nodes it is
  const int *loads_at, *rows_at;         ///< of each frame, in the lists below
  const int *loads_of, *rows_of;         ///< rows_of: twice the row, and the side
  const int *diagonal, *right_side;      ///< of each point
  const Pivot* pivot;
  const ScaledRow* scaled;
  const Update *update, *back;
  const Product* product;
  const Level* level;

  /// Numbers of an instance: of each point mass, and inertia by rows; of each frame R and s; lengths of rows; gravity; the unit of
  /// lengths; the regularisation of rows; of each element its length, mass per length, 36 of its stiffness, 12 strains at rest.
  static constexpr int of_point = 10, of_frame = 12, of_element = 50;
  HOOKE_HD int frames_from() const { return of_point * points; }
  HOOKE_HD int lengths_from() const { return frames_from() + of_frame * frames; }
  HOOKE_HD int soft_from() const { return lengths_from() + rows; }
  HOOKE_HD int gravity_from() const { return soft_from() + rows; }  ///< then the unit of lengths
  HOOKE_HD int elements_from() const { return gravity_from() + 4; }
  HOOKE_HD int numbers() const { return elements_from() + of_element * elements; }

  /// The state of an instance: q, v, a, a_new, a_old, lambda, and what Newton's rule remembers.
  HOOKE_HD int state() const { return (7 + 4 * 6) * points + rows + 3; }
  HOOKE_HD int output() const { return 13 * points; }
  HOOKE_HD int course() const { return 2 * drives + 6 * loads; }
};

/// Pointers to what instances have, one after the other.
struct MechanismRun {
  MechanismPlan plan;
  int instances, steps, every;
  const double* numbers;
  double* state;
  const double* courses;    ///< of each step
  long long courses_apart;  ///< of one instance from the next one's; 0: the same for all
  double* outputs;          ///< q and v of each instance after every `every` steps, the start first
  BatchLog* log;
};

}  // namespace hooke::gpu
