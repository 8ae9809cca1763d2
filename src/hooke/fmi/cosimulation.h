#pragma once
#include "hooke/catalog/problem.h"
#include "hooke/coupling/linear_sides.h"
#include "hooke/io/model/participant_keys.h"
#include "hooke/simulation/simulation.h"

/// Several participants in a file, FMUs and models of Hooke, coupled through their variables:
///
///   hooke: 1
///   participants:
///     motor: {fmu: motor.fmu, set: {gain: 3}}
///     arm: {model: arm.yaml}
///   connections:
///     arm.torque: motor.torque                  # an input: the output it follows
///     motor.angle: arm.joint.shoulder.angle
///   coupling: {scheme: gauss-seidel, acceleration: iqn-ils, tolerance: 1e-8}
///   run: {step: 1e-3, end: 2}
///
/// A macro step is repeated until what each participant gives is what the others were told (coupling/relaxation.h), where all
/// of them can be taken back; otherwise values are exchanged once. With `coupling.force-displacement` motions and forces are
/// exchanged at `interfaces`, extrapolated over the macro step (coupling/force_displacement.h).
///
/// One participant may be {model: this}: the bodies and so on of the same file.
namespace hooke {

struct CosimulationRun {
  double start = 0, step = 1e-3, end = 1;
  std::optional<double> tolerance;
  static void describe(auto& field) {
    field("start", &CosimulationRun::start, Doc{.text = "time at the start", .unit = "s"});
    field("step", &CosimulationRun::step, Doc{.text = "macro step", .unit = "s", .check = positive});
    field("end", &CosimulationRun::end, Doc{.text = "time at the end", .unit = "s"});
    field("tolerance", &CosimulationRun::tolerance,
          Doc{.text = "error of inputs that go along lines within a macro step, in the units of the values "
                      "exchanged; "
                      "it makes the macro step adaptive",
              .check = positive,
              .default_text = "fixed macro step"});
  }
};

struct Cosimulation {
  int hooke = 1;
  std::string title;
  Named<ParticipantSettings> participants;
  Named<std::string> connections;
  Named<InterfaceSettings> interfaces;
  CouplingSettings coupling;
  CosimulationRun run;
  OutputSettings outputs;

  static void describe(auto& field) {
    field("hooke", &Cosimulation::hooke, Doc{.text = "version of the file format: 1", .required = true});
    field("title", &Cosimulation::title, Doc{.text = "one line about it"});
    field("participants", &Cosimulation::participants, Doc{.text = "FMUs and models", .required = true});
    field("connections", &Cosimulation::connections, Doc{.text = "for each input, the output it follows"});
    field("interfaces", &Cosimulation::interfaces, Doc{.text = "where motions and forces are exchanged"});
    field("coupling", &Cosimulation::coupling, Doc{.text = "how macro steps are iterated"});
    field("run", &Cosimulation::run, Doc{.text = "what to compute"});
    field("outputs", &Cosimulation::outputs, Doc{.text = "what to write"});
  }

  std::string file, text;
  std::vector<std::string> overrides;
};

/// Nothing when the file has no `participants:`. Throws ModelError and Error as load does.
std::optional<Cosimulation> read_cosimulation(const std::string& path,
                                              const std::vector<std::string>& overrides);

/// What participants exchange at their interfaces, linearised at the start: for the analysis of stability. Throws Error where the
/// equations of one are not known.
LinearPair linearise(const Cosimulation& cosimulation);

/// A table of the participants, which are opened and connected for it: name, what it is, inputs and outputs that are connected.
/// Throws as `run` does.
std::vector<std::vector<std::string>> describe_participants(const Cosimulation& cosimulation);

/// The outputs of all participants go to the results file, as signals NAME.OUTPUT.
Summary run(const Cosimulation& cosimulation, const RunOptions& options = {});

}  // namespace hooke
