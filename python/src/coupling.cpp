// Co-simulation: participants written in Python, iterated over a macro step until they agree (coupling/relaxation.h).
// And which settings of a force-displacement coupling are stable.
#include <pybind11/stl.h>

#include "hooke/coupling/relaxation.h"
#include "hooke/io/document/writer.h"
#include "hooke/simulation/coupling_stability.h"
#include "simulation.h"

namespace hooke::python {
namespace {

/// Called with the lock, by the thread that steps the coupling.
class PythonParticipant final : public Participant {
 public:
  PythonParticipant(py::object object, std::string name, int inputs, std::vector<std::string> outputs)
      : object_(std::move(object)), name_(std::move(name)), inputs_(inputs), outputs_(std::move(outputs)) {}

  const std::string& name() const override { return name_; }
  int inputs() const override { return inputs_; }
  int outputs() const override { return static_cast<int>(outputs_.size()); }
  void save() override { object_.attr("save")(); }
  void restore() override { object_.attr("restore")(); }
  void set_input(const VectorX& u) override { object_.attr("set_input")(to_numpy(u)); }
  Report advance(double h) override {
    object_.attr("advance")(h);
    return {.steps = 1};
  }
  void output(VectorX& y) const override {
    y = to_vector(object_.attr("output")(), (name_ + ".output()").c_str());
    if (y.size() != outputs())
      throw py::value_error(formatted("{}.output(): expected {} numbers, got {}", name_, outputs(),
                                      static_cast<int>(y.size())));
    if (!y.allFinite())
      throw py::value_error(formatted("{}.output() gave a number that is not finite", name_));
  }
  std::string output_name(int i) const override { return outputs_[static_cast<std::size_t>(i)]; }

 private:
  py::object object_;
  std::string name_;
  int inputs_;
  std::vector<std::string> outputs_;
};

struct PythonCoupling {
  std::vector<std::unique_ptr<PythonParticipant>> participants;
  std::unique_ptr<Relaxation> relaxation;
  VectorX Y;

  PythonCoupling(const py::list& members, std::vector<std::vector<int>> sources,
                 const PythonProblem& settings) {
    std::vector<Participant*> all;
    int outputs = 0;
    for (const py::handle member : members) {
      const auto [object, name, inputs, names] =
          member.cast<std::tuple<py::object, std::string, int, std::vector<std::string>>>();
      participants.push_back(std::make_unique<PythonParticipant>(object, name, inputs, names));
      all.push_back(participants.back().get());
      outputs += static_cast<int>(names.size());
    }
    Y = VectorX::Zero(outputs);
    if (settings.problem.coupling.scheme == CouplingScheme::multirate)
      throw py::value_error(
          "scheme multirate couples subsystems of a model, not participants: take "
          "'gauss-seidel' or 'jacobi'");
    relaxation = std::make_unique<Relaxation>(all, std::move(sources), VectorX::Ones(outputs),
                                              settings.problem.coupling);
    int first = 0;
    VectorX y;
    for (const auto& participant : participants) {  // what they give at the start
      participant->output(y);
      Y.segment(first, y.size()) = y;
      first += static_cast<int>(y.size());
    }
  }
  /// Iterations that it took. Throws when they did not agree; all are then where they began.
  int step(double h) {
    const Relaxation::Report& report = relaxation->step(Y, h);
    if (!report.converged) throw Error(ExitCode::step_failed, report.failure);
    return report.iterations;
  }
};

py::list survey_of(PythonSimulation& s, const std::vector<std::string>& displaced,
                   const std::vector<double>& steps) {
  const Use using_it(s);
  const Problem& problem = s.simulation.problem();
  const auto verdicts = without_lock(*s.fault, [&] {
    const LinearSides sides =
        linearise_sides(problem, s.simulation.built(), s.simulation.start().state, displaced);
    const CouplingOrder order =
        problem.coupling.force_displacement ? problem.coupling.force_displacement->order : CouplingOrder{};
    return survey(checked_pair(sides, displaced, advance_of(problem, displaced)), displaced, order, steps);
  });
  py::list all;
  for (const CouplingVerdict& verdict : verdicts) {
    py::dict one;
    one["settings"] = write_json(type_of<ForceDisplacementSettings>(), &verdict.settings).dump();
    one["exchange"] = verdict.zero;
    one["radii"] = to_numpy(verdict.radii);
    one["largest_step"] = verdict.largest_step;
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_coupling(py::module_& module) {
  py::class_<PythonCoupling>(module, "Coupling")
      .def(py::init<const py::list&, std::vector<std::vector<int>>, const PythonProblem&>(),
           py::arg("participants"), py::arg("sources"), py::arg("settings"))
      .def("step", &PythonCoupling::step, py::arg("h"))
      .def_property_readonly("outputs", [](const PythonCoupling& c) { return to_numpy(c.Y); });
  auto simulation =
      py::reinterpret_borrow<py::class_<PythonSimulation, SimulationPointer>>(module.attr("Simulation"));
  simulation.def("_coupling_survey", &survey_of, py::arg("displaced"), py::arg("steps"));
}

}  // namespace hooke::python
