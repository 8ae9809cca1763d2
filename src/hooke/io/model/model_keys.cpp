#include "hooke/io/model/model_keys.h"

#include "hooke/catalog/build.h"
#include "hooke/io/mesh/mesh_file.h"
#include "hooke/io/mesh/modal_file.h"
#include "hooke/io/mesh/solid_mesh_file.h"
#include "hooke/io/document/text_file.h"

namespace hooke {
namespace {

template <class... Ts>
std::vector<std::string> names_of(const std::variant<Ts...>&) {
  return {Ts::name...};
}

bool require_mapping(const Value& value, const std::string& example, Diagnostics& diagnostics) {
  return value.is_mapping() || expected("a mapping such as " + example, value, diagnostics);
}

/// Where no kind was found, that was said already: then all keys pass, lest the misspelt one is reported
/// again.
std::vector<std::string> keys_besides(const Value& value, const Value* kind, std::vector<std::string> kinds) {
  if (!kind)
    for (const Value& child : value.children) kinds.push_back(child.key);
  return kinds;
}

template <class... Ts>
bool read_formulation(const Value& kind, std::variant<Ts...>& out, Diagnostics& diagnostics) {
  return ((kind.key == Ts::name && read(kind, out.template emplace<Ts>(), diagnostics)) || ...);
}

/// The force of that kind, whose keys all stand in `value`.
template <class... Ts>
bool read_force(const Value& value, const std::string& kind, std::variant<Ts...>& out,
                Diagnostics& diagnostics) {
  return ((kind == Ts::name && read(value, out.template emplace<Ts>(), diagnostics)) || ...);
}

/// Settings know no parameters of a file, so a formula gets their values here.
bool finish_law(const Value& value, LawSettings& settings, Diagnostics& diagnostics) {
  if (!settings.law) return true;
  const Value& at = *value.find("law");
  Parameters parameters = parameters_for(*settings.law, at);
  for (const char* variable : {"x", "v", "t", "length", "rate", "angle"}) parameters.erase(variable);
  try {
    (void)Law::expression(*settings.law, parameters);
  } catch (const ExpressionError& error) {
    return wrong_formula(error, at, diagnostics);
  }
  settings.law = with_values(*settings.law, parameters);
  return true;
}

}  // namespace

bool read(const Value& value, InertiaValue& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  out.given = true;
  double moment = 0;
  Vec3 moments;
  Vec6 entries;
  std::array<Vec3, 3> rows;
  if (value.is_scalar()) {
    if (!read(value, moment, diagnostics)) return false;
    out.matrix = moment * Mat3::Identity();
    return true;
  }
  const size_t count = value.is_sequence() ? value.children.size() : 0;
  if (count == 3 && value.children[0].is_sequence()) {
    if (!read(value, rows, diagnostics)) return false;
    out.matrix << rows[0].transpose(), rows[1].transpose(), rows[2].transpose();
    return true;
  }
  if (count == 3) {
    if (!read(value, moments, diagnostics)) return false;
    out.matrix = moments.asDiagonal();
    return true;
  }
  if (count != 6)
    return expected("one number, [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three rows", value, diagnostics);
  if (!read(value, entries, diagnostics)) return false;
  const auto& e = entries;
  out.matrix << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
  return true;
}

bool read(const Value& value, DampingValue& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  if (!value.is_scalar()) return read(value, out.times, diagnostics);
  double time = 0;
  if (!read(value, time, diagnostics)) return false;
  out.times.setConstant(time);
  return true;
}

bool read(const Value& value, MatrixValue& out, Diagnostics& diagnostics) {
  if (value.broken) return false;
  double number = 0;
  Vec6 diagonal;
  std::array<Vec6, 6> rows;
  if (value.is_scalar()) {
    if (!read(value, number, diagnostics)) return false;
    out.matrix = number * Mat6::Identity();
    return true;
  }
  if (!value.is_sequence() || value.children.size() != 6)
    return expected("one number, six, or six rows of six", value, diagnostics);
  if (!value.children[0].is_sequence()) {
    if (!read(value, diagonal, diagnostics)) return false;
    out.matrix = diagonal.asDiagonal();
    return true;
  }
  if (!read(value, rows, diagnostics)) return false;
  for (int i = 0; i < 6; ++i) out.matrix.row(i) = rows[i].transpose();
  return true;
}

void BushingKeys::check(const Complain& complain) const {
  PlacementSettings::check(complain);
  const Mat6& K = stiffness.matrix;
  if ((K - K.transpose()).norm() > 1e-9 * K.norm()) complain("stiffness", "the matrix must be symmetric");
}

bool read(const Value& value, JointOrPoint& out, Diagnostics& diagnostics) {
  if (value.is_scalar()) return read(value, out.emplace<std::string>(), diagnostics);
  if (!value.is_sequence())
    return expected("the name of a joint or a point of 3 numbers", value, diagnostics);
  return read(value, out.emplace<Vec3>(), diagnostics);
}

/// Files that a model names are read at once, so that a mistake in one is found where it is named.
static bool load(const Value& value, const std::string& file, Diagnostics& diagnostics,
                 const std::function<void(const std::string& path)>& read_it) {
  try {
    read_it(path_from(value.location().file, file));
    return true;
  } catch (const Error& error) {
    diagnostics.error(value.location(), value.path(), "{}", error.what());
    return false;
  }
}

static bool load_mesh(const Value& value, MeshShape& mesh, Diagnostics& diagnostics) {
  return load(value, mesh.file, diagnostics, [&](const std::string& path) {
    TriangleMesh triangles = read_mesh_file(path);
    for (Vec3& point : triangles.points) point *= mesh.scale;
    mesh.points = std::move(triangles.points);
    mesh.triangles = std::move(triangles.triangles);
  });
}

static bool load_modes(const Value& value, ModalSettings& modal, Diagnostics& diagnostics) {
  return load(value, modal.file, diagnostics, [&](const std::string& path) {
    modal.data = std::make_shared<const ModalData>(read_modal_file(path));
  });
}

bool load_solid_mesh(const Value& value, MeshFile& file, Diagnostics& diagnostics) {
  return load(value, file.path, diagnostics, [&](const std::string& path) {
    SolidMeshFile read = read_solid_mesh(path);
    file.mesh = std::make_shared<const SolidMesh>(std::move(read.mesh));
    for (const auto& material : read.materials) file.materials.emplace_back(material.name, material.values);
  });
}

bool read(const Value& value, GeometryEntry& out, Diagnostics& diagnostics) {
  if (!require_mapping(value, "{box: [0.1, 0.2, 0.3], at: [...]}", diagnostics)) return false;
  const auto kinds = names_of(out.shape);
  const Value* kind = find_kind(value, kinds, "shape", diagnostics);
  bool good = kind && read_formulation(*kind, out.shape, diagnostics);
  if (auto* mesh = good ? std::get_if<MeshShape>(&out.shape) : nullptr)
    good = load_mesh(*kind, *mesh, diagnostics);
  return read<GeometryEntry>(value, out, diagnostics, keys_besides(value, kind, kinds)) && good;
}

bool read(const Value& value, BodyKeys& out, Diagnostics& diagnostics) {
  if (!require_mapping(value, "{rigid: {...}, at: [...]}", diagnostics)) return false;
  const auto kinds = names_of(out.formulation);
  const Value* kind = find_kind(value, kinds, "body", diagnostics);
  bool good = kind && read_formulation(*kind, out.formulation, diagnostics);
  if (auto* modal = good ? std::get_if<ModalSettings>(&out.formulation) : nullptr)
    good = load_modes(*kind, *modal, diagnostics);
  if (auto* solid = good ? std::get_if<SolidSettings>(&out.formulation) : nullptr)
    if (auto* file = std::get_if<MeshFile>(&solid->mesh)) good = load_solid_mesh(*kind, *file, diagnostics);
  return read<BodyKeys>(value, out, diagnostics, keys_besides(value, kind, kinds)) && good;
}

bool read(const Value& value, JointKeys& out, Diagnostics& diagnostics) {
  if (!require_mapping(value, "{revolute: [A, B], at: [...], axis: z}", diagnostics)) return false;
  const auto kinds = joint_types();
  const Value* kind = find_kind(value, kinds, "joint", diagnostics);
  if (kind) out.type = kind->key;
  const bool good = kind && read(*kind, out.between, diagnostics);
  return read<JointKeys>(value, out, diagnostics, keys_besides(value, kind, kinds)) && good;
}

bool read(const Value& value, ForceKeys& out, Diagnostics& diagnostics) {
  if (!require_mapping(value, "{spring: [A, B], stiffness: 100}", diagnostics)) return false;
  const Value* kind = find_kind(value, names_of(out.kind), "force", diagnostics);
  if (!kind || !read_force(value, kind->key, out.kind, diagnostics)) return false;
  return std::visit(
      [&](auto& force) {
        if constexpr (std::is_base_of_v<LawSettings, std::decay_t<decltype(force)>>)
          return finish_law(value, force, diagnostics);
        return true;
      },
      out.kind);
}

}  // namespace hooke
