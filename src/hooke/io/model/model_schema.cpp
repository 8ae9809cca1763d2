#include "hooke/catalog/build.h"
#include "hooke/io/mesh/modal_keys.h"
#include "hooke/io/model/model_file.h"
#include "hooke/io/model/model_keys.h"

namespace hooke {
namespace {

/// A mapping with the keys that T describes and one of the kinds; null takes away one that was included.
template <Described T>
Json entry_schema(Schema& all, const Json::Object& kinds) {
  const Json null = Json::Object{{"type", "null"}};
  Json::Object properties;
  for (const auto& [name, settings] : kinds) properties.emplace_back(name, any_of({settings, null}));
  Json::List required, one_kind;
  const T defaults{};
  auto visitor = [&](const char* key, auto member, const Doc& doc) {
    using Field = std::remove_cvref_t<decltype(defaults.*member)>;
    properties.emplace_back(key, annotate(all.of<Field>(doc), doc, to_json(defaults.*member)));
    if (doc.required) required.emplace_back(key);
  };
  T::describe(visitor);
  for (const auto& [name, settings] : kinds)
    one_kind.push_back(Json::Object{{"required", Json::List{name}},
                                    {"properties", Json::Object{{name, Json::Object{{"not", null}}}}}});
  Json object = object_schema(properties, required);
  if (!kinds.empty()) object["oneOf"] = one_kind;
  return object;
}

template <class... Ts>
Json::Object kinds_of(Schema& all, const std::variant<Ts...>&) {
  return {{Ts::name, all.of<Ts>()}...};
}

template <class... Ts>
Json any_kind(Schema& all, const std::variant<Ts...>&) {
  return any_of({all.of<Ts>()...});
}

/// Removes the rows that stand in `shared`, but not the head.
void remove_rows(std::string& table, const std::string& shared) {
  std::string rest;
  for (size_t start = 0; start < table.size();) {
    const size_t end = table.find('\n', start) + 1;
    const std::string row = table.substr(start, end - start);
    if (!row.starts_with("| `") || shared.find(row) == shared.npos) rest += row;
    start = end;
  }
  table = rest;
}

template <class... Ts>
void add_tables(std::vector<std::pair<std::string, std::string>>& tables, const std::variant<Ts...>&) {
  const auto add = [&](const char* name, const std::string& table, bool has_keys) {
    if (has_keys) tables.emplace_back(name, table);
  };
  (add(Ts::name, table_of<Ts>(), !keys_of<Ts>().empty()), ...);
}

}  // namespace

Json schema(Schema& all, Type<InertiaValue>, const Doc&) {
  const Json number = all.of<double>();
  return any_of(
      {number, list_schema(number, 3), list_schema(number, 6), list_schema(list_schema(number, 3), 3)});
}

Json schema(Schema& all, Type<MatrixValue>, const Doc&) {
  const Json number = all.of<double>();
  return any_of({number, list_schema(number, 6), list_schema(list_schema(number, 6), 6)});
}

Json schema(Schema& all, Type<DampingValue>, const Doc&) {
  return any_of({all.of<double>(), list_schema(all.of<double>(), 6)});
}

Json schema(Schema& all, Type<JointOrPoint>, const Doc&) {
  return any_of({all.of<std::string>(), list_schema(all.of<double>(), 3)});
}

Json schema(Schema& all, Type<ParameterValues>, const Doc&) {
  return Json::Object{{"type", "object"},
                      {"additionalProperties", any_of({all.of<double>(), all.of<bool>()})}};
}

Json schema(Schema& all, Type<GeometryEntry>, const Doc&) {
  return entry_schema<GeometryEntry>(all, kinds_of(all, GeometryEntry().shape));
}

Json schema(Schema& all, Type<BodyKeys>, const Doc&) {
  return entry_schema<BodyKeys>(all, kinds_of(all, BodyFormulation()));
}

Json schema(Schema& all, Type<JointKeys>, const Doc&) {
  Json::Object kinds;
  for (const std::string& type : joint_types())
    kinds.emplace_back(type, all.of<std::array<std::string, 2>>());
  return entry_schema<JointKeys>(all, kinds);
}

Json schema(Schema& all, Type<DriveEntry>, const Doc&) { return entry_schema<DriveEntry>(all, {}); }

Json schema(Schema& all, Type<ForceKeys>, const Doc&) { return any_kind(all, ForceKeys().kind); }

std::string model_schema() {
  Schema all;
  Json root = all.of<FileKeys>();
  return all.document(std::move(root), "Hooke model").dump(2) + "\n";
}

std::vector<std::pair<std::string, std::string>> model_tables() {
  const std::string placement = table_of<PlacementSettings>(), law = table_of<LawSettings>(),
                    rod = table_of<RodSettings>();
  std::vector<std::pair<std::string, std::string>> tables{
      {"file", table_of<FileKeys>()},
      {"placement", placement},
      {"axes", table_of<AxesSettings>()},
      {"rotate", table_of<AxisAngle>()},
      {"body", table_of<BodyKeys>()},
      {"frame", table_of<FrameSettings>()},
      {"geometry", table_of<GeometryEntry>()},
      {"mesh", table_of<MeshShape>()},
      {"point mass", table_of<PointMass>()},
      {"rod", rod},
      {"material", table_of<MaterialSettings>()},
      {"box mesh", table_of<BoxMesh>()},
      {"revolved mesh", table_of<RevolvedMesh>()},
      {"mesh file", table_of<MeshFile>()},
      {"orthotropic", table_of<OrthotropicSettings>()},
      {"surface load", table_of<SurfaceLoadSettings>()},
      {"modal file", table_of<ModalKeys>()},
      {"mode", table_of<ModeKeys>()},
      {"reduce", table_of<ReductionKeys>()},
      {"modal node", table_of<ModalNodeKeys>()},
      {"joint", table_of<JointKeys>()},
      {"start", table_of<CoordinateStart>()},
      {"friction", table_of<FrictionSettings>()},
      {"drive", table_of<DriveEntry>()},
      {"law", law},
      {"run", table_of<RunSettings>()},
      {"outputs", table_of<OutputSettings>()},
      {"subsystem", table_of<SubsystemEntry>()},
      {"coupling", table_of<CouplingSettings>()},
      {"force-displacement", table_of<ForceDisplacementSettings>()},
      {"linear", table_of<LinearSubsystemKeys>()},
  };
  add_tables(tables, BodyFormulation());
  add_tables(tables, ShapeSettings());
  add_tables(tables, SectionSettings());
  add_tables(tables, FunctionKinds());
  add_tables(tables, ForceKeys().kind);
  add_tables(tables, IntegratorChoice());
  for (auto& [name, table] : tables)  // what several have in common is shown once
    for (const auto& [of, shared] : {std::pair{"placement", &placement}, {"law", &law}, {"rod", &rod}})
      if (name != of) remove_rows(table, *shared);
  std::erase_if(tables, [](const auto& entry) { return entry.second.find("| `") == std::string::npos; });
  return tables;
}

}  // namespace hooke
