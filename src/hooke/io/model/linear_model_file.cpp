#include "hooke/io/model/linear_model_file.h"

#include "hooke/base/format.h"
#include "hooke/base/text.h"
#include "hooke/io/document/document.h"
#include "hooke/io/document/reader.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/model/linear_keys.h"

namespace hooke {
namespace {

using MatrixRows = LinearSubsystemKeys::Rows;

struct CouplingKeys {
  ForceDisplacementSettings force_displacement;
  static void describe(auto& field) {
    field("force-displacement", &CouplingKeys::force_displacement,
          Doc{.text = "as in a model", .required = true});
  }
};

struct RunKeys {
  double step = 1e-3, end = 1, checkpoint = 60;
  static void describe(auto& field) {
    field("step", &RunKeys::step, Doc{.text = "macro step", .unit = "s", .check = positive});
    field("end", &RunKeys::end, Doc{.text = "end time", .unit = "s", .check = positive});
    field("checkpoint", &RunKeys::checkpoint,
          Doc{.text = "wall-clock time between checkpoints; 0: none", .unit = "s", .check = non_negative});
  }
  void check(const Complain& complain) const {
    if (const std::string excess = limits::steps.excess(std::ceil(end / step)); !excess.empty())
      complain("step", excess);
  }
};

struct OutputKeys {
  double every = 0;
  static void describe(auto& field) {
    field("every", &OutputKeys::every,
          Doc{.text = "interval between outputs, at macro points; 0: every step",
              .unit = "s",
              .check = non_negative});
  }
};

struct LinearKeys {
  int hooke = 1;
  std::string title;
  std::vector<std::pair<std::string, LinearSubsystemKeys>> linear;
  CouplingKeys coupling;
  RunKeys run;
  OutputKeys outputs;
  static void describe(auto& field) {
    field("hooke", &LinearKeys::hooke, Doc{.text = "version of the file format: 1", .required = true});
    field("title", &LinearKeys::title, Doc{.text = "one line about it"});
    field("linear", &LinearKeys::linear, Doc{.text = "the two subsystems", .required = true});
    field("coupling", &LinearKeys::coupling, Doc{.text = "how they are coupled", .required = true});
    field("run", &LinearKeys::run, Doc{.text = "macro step and end"});
    field("outputs", &LinearKeys::outputs, Doc{.text = "what is recorded"});
  }
  void check(const Complain& complain) const {
    const double count = std::ceil(run.end / std::max(outputs.every, run.step));
    if (const std::string excess = limits::outputs.excess(count); !excess.empty())
      complain("outputs.every", excess);
  }
};

/// Rows of the length wanted; no rows stand for `rows` rows of zeros.
MatrixX matrix(const MatrixRows& given, Eigen::Index rows, Eigen::Index columns, const Value& at,
               const char* key, Diagnostics& diagnostics) {
  if (given.empty()) return MatrixX::Zero(rows, columns);
  const auto count = static_cast<Eigen::Index>(given.size());
  MatrixX result = MatrixX::Zero(count, columns);
  bool fits = rows < 0 || count == rows;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& row = given[static_cast<std::size_t>(i)];
    fits = fits && static_cast<Eigen::Index>(row.size()) == columns;
    if (fits) result.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  if (!fits) {
    const Value* where = at.find(key);
    diagnostics.error((where ? *where : at).location(), at.path() + "." + key,
                      "expected {} rows of {} numbers", rows < 0 ? "some" : std::to_string(rows), columns);
  }
  return result;
}

VectorX values(const std::vector<double>& given, Eigen::Index size, const Value& at, const char* key,
               Diagnostics& diagnostics) {
  if (given.empty()) return VectorX::Zero(size);
  if (static_cast<Eigen::Index>(given.size()) != size) {
    const Value* where = at.find(key);
    diagnostics.error((where ? *where : at).location(), at.path() + "." + key, "expected {} numbers, got {}",
                      size, given.size());
    return VectorX::Zero(size);
  }
  return Eigen::Map<const VectorX>(given.data(), size);
}

Eigen::Index width(const MatrixRows& rows) {
  return rows.empty() ? 0 : static_cast<Eigen::Index>(rows[0].size());
}

LinearSubsystem subsystem(const std::string& name, const LinearSubsystemKeys& keys, const Value& at,
                          Diagnostics& diagnostics) {
  LinearSubsystem result{name};
  if (keys.advance == LinearAdvance::linearly_implicit)
    result.advance = StateSpace::Advance::linearly_implicit;
  if (keys.mass.empty() == keys.A.empty()) {
    diagnostics.error(at.location(), at.path(),
                      "needs either mass and coupling, with damping and stiffness, or A, B, C and D");
    return result;
  }
  if (keys.A.empty()) {
    const auto n = static_cast<Eigen::Index>(keys.mass.size());
    if (keys.coupling.empty())
      diagnostics.error(at.location(), at.path() + ".coupling", "is missing: rows of {} numbers", n);
    result.mass = matrix(keys.mass, n, n, at, "mass", diagnostics);
    result.damping = matrix(keys.damping, n, n, at, "damping", diagnostics);
    result.stiffness = matrix(keys.stiffness, n, n, at, "stiffness", diagnostics);
    result.coupling = matrix(keys.coupling, -1, n, at, "coupling", diagnostics);
    result.position = values(keys.position, n, at, "position", diagnostics);
    result.velocity = values(keys.velocity, n, at, "velocity", diagnostics);
    return result;
  }
  const auto n = static_cast<Eigen::Index>(keys.A.size()), inputs = width(keys.B),
             outputs = static_cast<Eigen::Index>(keys.C.size());
  result.system =
      StateSpace{matrix(keys.A, n, n, at, "A", diagnostics), matrix(keys.B, n, inputs, at, "B", diagnostics),
                 matrix(keys.C, outputs, n, at, "C", diagnostics),
                 matrix(keys.D, outputs, inputs, at, "D", diagnostics), result.advance};
  result.state = values(keys.state, n, at, "state", diagnostics);
  return result;
}

[[noreturn]] void refuse(const LinearSubsystem& subsystem, const std::string& why) {
  throw Error(ExitCode::bad_model, formatted("linear.{}: {}", subsystem.name, why));
}

/// Of a state-space system, checked against the number of coupled motions.
StateSpace given_system(const LinearSubsystem& subsystem, Eigen::Index inputs, Eigen::Index outputs,
                        const char* what) {
  const StateSpace& system = *subsystem.system;
  if (system.B.cols() != inputs || system.C.rows() != outputs)
    refuse(subsystem, formatted("to be {} it needs {} inputs and {} outputs, but B and C have {} and {}",
                                what, inputs, outputs, system.B.cols(), system.C.rows()));
  return system;
}

/// How many motions are coupled, as far as the subsystem tells.
Eigen::Index coupled_motions(const LinearSubsystem& subsystem, bool is_displaced) {
  if (!subsystem.system) return subsystem.coupling.rows();
  return is_displaced ? subsystem.system->C.rows() : subsystem.system->B.cols();
}

}  // namespace

ForcedSideMatrices forced_matrices(const LinearSubsystem& subsystem) {
  return {subsystem.mass, subsystem.damping, subsystem.stiffness, subsystem.coupling};
}

DisplacedSideMatrices displaced_matrices(const LinearSubsystem& subsystem) {
  const auto rows = subsystem.coupling.rows();
  DisplacedSideMatrices side{subsystem.mass, subsystem.damping, subsystem.stiffness, subsystem.coupling,
                             -MatrixX::Identity(rows, rows)};
  side.inner_rows = MatrixX::Zero(0, subsystem.mass.cols());
  side.joint_mass = joint_mass(side);
  return side;
}

const LinearSubsystem& LinearModel::displaced(const std::vector<std::string>& names) const {
  return subsystems[subsystems[0].name == names[0] ? 0 : 1];
}
const LinearSubsystem& LinearModel::forced(const std::vector<std::string>& names) const {
  return subsystems[subsystems[0].name == names[0] ? 1 : 0];
}

LinearPair LinearModel::pair(const std::vector<std::string>& names) const {
  const LinearSubsystem &F = displaced(names), &R = forced(names);
  const Eigen::Index m = coupled_motions(F, true);
  if (m != coupled_motions(R, false))
    refuse(F, formatted("couples {} motions, but '{}' {}", m, R.name, coupled_motions(R, false)));
  LinearPair pair;
  try {
    pair.forced = R.system ? given_system(R, m, 3 * m, "forced") : forced_state_space(forced_matrices(R));
  } catch (const std::invalid_argument& problem) {
    refuse(R, problem.what());
  }
  try {
    if (F.system) {
      pair.displaced = given_system(F, 3 * m, m, "displaced");
      pair.joint_mass = -pair.displaced.D.rightCols(m);  // no less is known
    } else {
      const DisplacedSideMatrices side = displaced_matrices(F);
      pair.displaced = displaced_state_space(side);
      pair.joint_mass = side.joint_mass;
    }
  } catch (const std::invalid_argument& problem) {
    refuse(F, std::string("cannot be displaced: ") + problem.what());
  }
  pair.forced.advance = R.advance;
  pair.displaced.advance = F.advance;
  return pair;
}

std::optional<LinearModel> read_linear_model(const std::string& path,
                                             const std::vector<std::string>& overrides) {
  return parse_linear_model(read_text_file(path), path, overrides);
}

std::optional<LinearModel> parse_linear_model(const std::string& text, const std::string& path,
                                              const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const Document document = parse_document(text, path, overrides, diagnostics);
  const Value& root = document.root();
  const Value* linear = root.find("linear");
  if (!linear) return {};
  LinearKeys keys;
  read(root, keys, diagnostics);
  check_names(linear, diagnostics);
  if (keys.coupling.force_displacement.advised)
    diagnostics.error(linear->location(), "coupling.force-displacement.advised",
                      "a linear model is as stable everywhere as at its start: leave it out");
  diagnostics.throw_if_errors();
  LinearModel model{.title = keys.title,
                    .text = text,
                    .subsystems = {},
                    .settings = keys.coupling.force_displacement,
                    .step = keys.run.step,
                    .end = keys.run.end,
                    .every = keys.outputs.every,
                    .checkpoint = keys.run.checkpoint,
                    .file = path,
                    .overrides = overrides};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.linear.size(); ++i) {
    const auto& [name, each] = keys.linear[i];
    model.subsystems.push_back(subsystem(name, each, linear->children[i], diagnostics));
    names.push_back(name);
  }
  if (names.size() != 2)
    diagnostics.error(linear->location(), "linear", "expected two subsystems, got {}", names.size());
  for (const std::string& name : model.settings.displaced)
    if (std::find(names.begin(), names.end(), name) == names.end())
      diagnostics.error(root.find("coupling")->location(), "coupling.force-displacement.displaced",
                        "no subsystem named '{}'{}", name, suggest(name, names));
  if (model.settings.displaced.size() != 1)
    diagnostics.error(root.find("coupling")->location(), "coupling.force-displacement.displaced",
                      "expected one of the two subsystems");
  diagnostics.throw_if_errors();
  return model;
}

}  // namespace hooke
