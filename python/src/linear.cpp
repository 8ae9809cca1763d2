// About a state of rest: modes, and the linear system from inputs to outputs.
#include <pybind11/stl.h>

#include <complex>

#include "hooke/analysis/lowest_modes.h"
#include "hooke/integrators/mode_count.h"
#include "hooke/math/dense.h"
#include "simulation.h"

namespace hooke::python {
namespace {

ndarray complex_array(const std::vector<std::complex<double>>& numbers, std::vector<py::ssize_t> shape) {
  std::vector<double> parts;
  for (const auto& c : numbers) parts.push_back(c.real()), parts.push_back(c.imag());
  shape.push_back(2);
  const ndarray pairs = to_numpy(std::move(parts), std::move(shape));
  const py::object made = pairs.attr("view")("complex128").attr("squeeze")(-1);
  return py::reinterpret_borrow<ndarray>(made);
}

/// As `analysis: modes` does: all of a small model, the lowest of a large one, where no number is given (-1).
std::vector<Mode> lowest_of(const Simulation& simulation, int count) {
  const System& system = simulation.system();
  if (system.structure().size() > dense_modes_up_to)
    return lowest_modes(system, simulation.state(), count < 0 ? modes_of_large_models : count).modes;
  std::vector<Mode> modes = simulation.linearise().modes;
  if (count >= 0 && count < static_cast<int>(modes.size())) modes.resize(static_cast<std::size_t>(count));
  return modes;
}

py::dict modes_of(PythonSimulation& s, int wanted) {
  const Use using_it(s);
  if (wanted == 0 || wanted < -1) throw Error(ExitCode::bad_model, "the number of modes must be at least 1");
  const std::vector<Mode> modes = without_lock(*s.fault, [&] { return lowest_of(s.simulation, wanted); });
  std::vector<double> frequency, damping;
  std::vector<std::complex<double>> eigenvalue, shape;
  const auto count = static_cast<py::ssize_t>(modes.size());
  const auto dofs = static_cast<py::ssize_t>(s.simulation.system().nv());
  for (const Mode& mode : modes) {
    frequency.push_back(mode.frequency);
    damping.push_back(mode.damping);
    eigenvalue.push_back(mode.eigenvalue);
    shape.insert(shape.end(), mode.shape.begin(), mode.shape.end());
  }
  py::dict made;
  made["frequency"] = to_numpy(std::move(frequency));
  made["damping"] = to_numpy(std::move(damping));
  made["eigenvalue"] = complex_array(eigenvalue, {count});
  made["shape"] = complex_array(shape, {count, dofs});
  return made;
}

/// x = (y, y', z): y the motions that constraints leave free (columns of N), z the states of control blocks.
///
///   M y'' + D y' + K y + D_z z + r_u u = 0,     z' = -K_z y - D_zw y' - D_zz z - r_zu u,     outputs = C x + D u
///
/// r_u, C and D by central differences.
struct LinearSystem {
  MatrixX A, B, C, D, N;
};

VectorX values(const Simulation& simulation, const std::vector<std::string>& outputs) {
  VectorX y(outputs.size());
  for (std::size_t k = 0; k < outputs.size(); ++k)
    y[static_cast<Eigen::Index>(k)] = quantity(simulation, outputs[k]);
  return y;
}

LinearSystem linear_system(Simulation& simulation, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs) {
  constexpr double step = 1e-6;
  const System& system = simulation.system();
  const State at = simulation.state();
  const int n = system.nv(), states = system.first_order_states(), m = n - states;
  if (m > 0 && at.v.head(m).cwiseAbs().maxCoeff() > 1e-9)
    throw Error(
        ExitCode::bad_model,
        "a linear system is that of a state of rest, and this one moves: call find_equilibrium() first");
  const Tangents full = tangents(system, at);
  LinearSystem result;
  result.N = null_space(full.G.leftCols(m), 1e-9);
  const MatrixX& N = result.N;
  const auto f = N.cols(), size = 2 * f + states;
  const Eigen::LDLT<MatrixX> mass((N.transpose() * full.M.topLeftCorner(m, m) * N).eval());

  result.A = MatrixX::Zero(size, size);
  result.A.block(0, f, f, f).setIdentity();
  MatrixX rows(f, size);
  rows << N.transpose() * full.K.topLeftCorner(m, m) * N, N.transpose() * full.D.topLeftCorner(m, m) * N,
      N.transpose() * full.D.topRightCorner(m, states);
  if (f > 0) result.A.middleRows(f, f) = -mass.solve(rows);
  result.A.bottomRows(states) << -full.K.bottomLeftCorner(states, m) * N,
      -full.D.bottomLeftCorner(states, m) * N, -full.D.bottomRightCorner(states, states);

  const auto workspace = system.workspace();
  const auto residual = [&](const State& state) {
    VectorX r;
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    return r;
  };
  const auto outputs_at = [&](const State& state) {
    simulation.set_state(state);
    return values(simulation, outputs);
  };
  const auto count = static_cast<Eigen::Index>(inputs.size());
  result.B = MatrixX::Zero(size, count);
  result.D.resize(static_cast<Eigen::Index>(outputs.size()), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const int entry = simulation.input_entry(inputs[static_cast<std::size_t>(k)]);
    State above = at, below = at;
    const double h = step * std::max(1.0, std::abs(at.memory[entry]));
    above.memory[entry] += h, below.memory[entry] -= h;
    const VectorX r_u = (residual(above) - residual(below)) / (2 * h);
    if (f > 0) result.B.col(k).segment(f, f) = -mass.solve(N.transpose() * r_u.head(m));
    result.B.col(k).tail(states) = -r_u.tail(states);
    result.D.col(k) = (outputs_at(above) - outputs_at(below)) / (2 * h);
  }

  result.C.resize(static_cast<Eigen::Index>(outputs.size()), size);
  for (Eigen::Index i = 0; i < size; ++i) {
    VectorX motion = VectorX::Zero(n), rate = VectorX::Zero(n);
    if (i < f)
      motion.head(m) = N.col(i);
    else if (i < 2 * f)
      rate.head(m) = N.col(i - f);
    else
      rate[m + i - 2 * f] = 1;
    State above = at, below = at;
    system.plus(at.q, step * motion, above.q);
    system.plus(at.q, -step * motion, below.q);
    above.v += step * rate, below.v -= step * rate;
    result.C.col(i) = (outputs_at(above) - outputs_at(below)) / (2 * step);
  }
  simulation.set_state(at);
  return result;
}

}  // namespace

void bind_linear(py::module_& module) {
  auto simulation =
      py::reinterpret_borrow<py::class_<PythonSimulation, SimulationPointer>>(module.attr("Simulation"));
  simulation.def("_modes", &modes_of, py::arg("count"))
      .def(
          "_linear_matrices",
          [](PythonSimulation& s, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs) {
            const Use using_it(s);
            LinearSystem l =
                without_lock(*s.fault, [&] { return linear_system(s.simulation, inputs, outputs); });
            return std::tuple(to_numpy(std::move(l.A)), to_numpy(std::move(l.B)), to_numpy(std::move(l.C)),
                              to_numpy(std::move(l.D)), to_numpy(std::move(l.N)));
          },
          py::arg("inputs"), py::arg("outputs"));
}

}  // namespace hooke::python
