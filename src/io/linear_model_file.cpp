#include "io/linear_model_file.h"

#include "base/text.h"
#include "io/document.h"
#include "io/reader.h"
#include "io/text_file.h"

namespace hooke {
namespace {

using Rows = std::vector<std::vector<double>>;

struct SubsystemKeys {
  Rows mass, damping, stiffness, coupling;
  static void describe(auto& field) {
    field("mass", &SubsystemKeys::mass, Doc{.text = "matrix by rows", .required = true});
    field("damping", &SubsystemKeys::damping, Doc{.text = "likewise", .default_text = "0"});
    field("stiffness", &SubsystemKeys::stiffness, Doc{.text = "likewise", .default_text = "0"});
    field("coupling", &SubsystemKeys::coupling,
          Doc{.text = "rows that give the coupled motions from its coordinates", .required = true});
  }
};

struct CouplingKeys {
  ForceDisplacementSettings force_displacement;
  static void describe(auto& field) {
    field("force-displacement", &CouplingKeys::force_displacement,
          Doc{.text = "as in a model", .required = true});
  }
};

struct RunKeys {
  double step = 1e-3;
  static void describe(auto& field) {
    field("step", &RunKeys::step, Doc{.text = "macro step", .unit = "s", .check = positive});
  }
};

struct LinearKeys {
  int hooke = 1;
  std::string title;
  std::vector<std::pair<std::string, SubsystemKeys>> linear;
  CouplingKeys coupling;
  RunKeys run;
  static void describe(auto& field) {
    field("hooke", &LinearKeys::hooke, Doc{.text = "version of the file format: 1", .required = true});
    field("title", &LinearKeys::title, Doc{.text = "one line about it"});
    field("linear", &LinearKeys::linear, Doc{.text = "the two subsystems", .required = true});
    field("coupling", &LinearKeys::coupling, Doc{.text = "how they are coupled", .required = true});
    field("run", &LinearKeys::run, Doc{.text = "the macro step"});
  }
};

/// Rows of the length wanted; no rows stand for `rows` rows of zeros.
MatrixX matrix(const Rows& given, Eigen::Index rows, Eigen::Index columns, const Value& at, const char* key,
               Diagnostics& diagnostics) {
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
                      "expected {} rows of {} numbers, as many as the mass matrix has",
                      rows < 0 ? "some" : std::to_string(rows), columns);
  }
  return result;
}

LinearSubsystem subsystem(const std::string& name, const SubsystemKeys& keys, const Value& at,
                          Diagnostics& diagnostics) {
  const auto n = static_cast<Eigen::Index>(keys.mass.size());
  return {name, matrix(keys.mass, n, n, at, "mass", diagnostics),
          matrix(keys.damping, n, n, at, "damping", diagnostics),
          matrix(keys.stiffness, n, n, at, "stiffness", diagnostics),
          matrix(keys.coupling, -1, n, at, "coupling", diagnostics)};
}

}  // namespace

LinearSides LinearModel::sides(const std::string& displaced) const {
  const bool first = subsystems[0].name == displaced;
  const LinearSubsystem &moved = subsystems[first ? 0 : 1], &other = subsystems[first ? 1 : 0];
  LinearSides sides;
  sides.forced = {other.mass, other.damping, other.stiffness, other.coupling};
  const auto rows = moved.coupling.rows();
  sides.displaced = {moved.mass, moved.damping, moved.stiffness, moved.coupling,
                     -MatrixX::Identity(rows, rows)};
  sides.displaced.inner_rows = MatrixX::Zero(0, moved.mass.cols());
  sides.displaced.joint_mass = joint_mass(sides.displaced);
  return sides;
}

std::optional<LinearModel> read_linear_model(const std::string& path,
                                             const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const Document document = parse_document(read_text_file(path), path, overrides, diagnostics);
  const Value& root = document.root();
  const Value* linear = root.find("linear");
  if (!linear) return {};
  LinearKeys keys;
  read(root, keys, diagnostics);
  diagnostics.throw_if_errors();
  LinearModel model{keys.title, {}, keys.coupling.force_displacement, keys.run.step};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.linear.size(); ++i) {
    const auto& [name, each] = keys.linear[i];
    model.subsystems.push_back(subsystem(name, each, linear->children[i], diagnostics));
    names.push_back(name);
  }
  if (names.size() != 2)
    diagnostics.error(linear->location(), "linear", "expected two subsystems, got {}", names.size());
  else if (model.subsystems[0].coupling.rows() != model.subsystems[1].coupling.rows())
    diagnostics.error(linear->location(), "linear", "both subsystems need the same number of coupling rows");
  if (std::find(names.begin(), names.end(), model.settings.displaced) == names.end())
    diagnostics.error(root.find("coupling")->location(), "coupling.force-displacement.displaced",
                      "no subsystem named '{}'{}", model.settings.displaced,
                      suggest(model.settings.displaced, names));
  diagnostics.throw_if_errors();
  return model;
}

}  // namespace hooke
