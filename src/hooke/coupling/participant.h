#pragma once
#include <string>

#include "hooke/math/types.h"

namespace hooke {

/// One of those that make a coupled simulation: it advances by itself over a macro step, told what it must
/// know of the others. One macro step of length h is
///
///   save()                                  once: the state it begins with
///   set_input(u), advance(h), output(y)     once, or as often as the coupling iterates,
///   restore()                               in front of every further advance
///
/// and is rejected by a last restore(). u and y are values at the end of the macro step; what happens between
/// its ends, a participant interpolates, or set_course tells. advance(0) evaluates: y at this moment with the
/// input as it is now. Nothing is said about what is inside: a subsystem of a Hooke model, another program, a
/// formula.
class Participant {
 public:
  struct Report {
    std::string failure;  ///< empty: it arrived
    double error = 0;     ///< estimated local error over the macro step, in the units of the outputs
    int steps = 0, iterations = 0, factorizations = 0;
  };

  virtual ~Participant() = default;
  virtual const std::string& name() const = 0;
  virtual int inputs() const = 0;   ///< length of u
  virtual int outputs() const = 0;  ///< length of y

  virtual void save() = 0;
  virtual void restore() = 0;
  virtual void set_input(const VectorX& u) = 0;
  /// Instead: u over the macro step, column j times tau^j, tau going from 0 to 1. Who cannot follow takes the
  /// values at the end.
  virtual void set_course(const MatrixX& course) { set_input(course.rowwise().sum()); }
  virtual Report advance(double h) = 0;
  virtual void output(VectorX& y) const = 0;
  /// What output number i is, for messages.
  virtual std::string output_name(int i) const = 0;
};

}  // namespace hooke
