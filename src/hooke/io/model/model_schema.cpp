#include <algorithm>
#include <map>

#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/catalog/signal_settings.h"
#include "hooke/io/document/function_reader.h"
#include "hooke/io/document/schema.h"
#include "hooke/io/mesh/modal_keys.h"
#include "hooke/io/model/file_keys.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

using Tables = std::vector<std::pair<std::string, std::string>>;

/// Removes the rows that stand in `shared`, but not the head.
void remove_rows(std::string& table, const std::string& shared) {
  std::string rest;
  for (std::size_t start = 0; start < table.size();) {
    const std::size_t end = table.find('\n', start) + 1;
    const std::string row = table.substr(start, end - start);
    if (!row.starts_with("| `") || shared.find(row) == shared.npos) rest += row;
    start = end;
  }
  table = rest;
}

void add_table(Tables& tables, const TypeInfo& type) {
  const auto is_same = [&](const auto& entry) { return entry.first == type.definition; };
  if (!type.keys().empty() && std::none_of(tables.begin(), tables.end(), is_same))
    tables.emplace_back(type.definition, table_of(type));
}

void add_choices(Tables& tables, const TypeInfo& choice) {
  for (const TypeFunction alternative : choice.alternatives) add_table(tables, alternative());
}

/// Tables of one group that are the same become one, under all of their names.
void unite(Tables& tables, const std::map<std::string, std::string>& group_of) {
  const auto group = [&](const std::string& names) {
    const auto found = group_of.find(names.substr(0, names.find(',')));
    return found == group_of.end() ? names : found->second;
  };
  Tables united;
  for (const auto& [name, table] : tables) {
    const auto same = std::find_if(united.begin(), united.end(), [&](const auto& one) {
      return one.second == table && group(one.first) == group(name);
    });
    if (same == united.end())
      united.emplace_back(name, table);
    else
      same->first += ", " + name;
  }
  tables = std::move(united);
}

/// What joints have in common, without the key that names one.
std::string joint_table(const Catalog& catalog) {
  for (const TypeCatalog::Entry& entry : catalog.of("joint"))
    if (std::string_view(entry.type->name) == "revolute") {
      TypeInfo common = *entry.type;
      std::erase_if(common.fields,
                    [](const FieldInfo& f) { return f.doc.text == std::string_view(joined_bodies); });
      return table_of(common);
    }
  return {};
}

}  // namespace

std::string model_schema(const Catalog& catalog) {
  Schema all(catalog);
  Json root = all.of<FileKeys>();
  return all.document(std::move(root), "Hooke model").dump(2) + "\n";
}

Tables model_tables(const Catalog& catalog) {
  const std::string placement = table_of<PlacementSettings>(), law = table_of<LawSettings>(),
                    rod = table_of<RodSettings>(), joint = joint_table(catalog),
                    relative = table_of<RelativeSettings>(), size = table_of<SizeSettings>();
  Tables tables{
      {"file", table_of<FileKeys>()},
      {"placement", placement},
      {"axes", table_of<AxesSettings>()},
      {"rotate", table_of<AxisAngle>()},
      {"body", table_of<BodyEntry>()},
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
      {"joint", joint},
      {"start", table_of<CoordinateStart>()},
      {"friction", table_of<FrictionSettings>()},
      {"law", law},
      {"relative", table_of<RelativeSettings>()},
      {"size", table_of<SizeSettings>()},
      {"surface", table_of<SurfaceSettings>()},
      {"contact", table_of<ContactSettings>()},
      {"contact friction", table_of<ContactFrictionSettings>()},
      {"event", table_of<EventSettings>()},
      {"limit", table_of<LimitSettings>()},
      {"run", table_of<RunSettings>()},
      {"outputs", table_of<OutputSettings>()},
      {"subsystem", table_of<SubsystemSettings>()},
      {"coupling", table_of<CouplingSettings>()},
      {"force-displacement", table_of<ForceDisplacementSettings>()},
      {"linear", table_of<LinearSubsystemKeys>()},
      {"participant", table_of<ParticipantSettings>()},
      {"interface", table_of<InterfaceSettings>()},
  };
  std::map<std::string, std::string> group_of;
  for (const char* group : {"body", "joint", "drive", "force", "signal", "block", "integrator"})
    for (const TypeCatalog::Entry& entry : catalog.of(group)) {
      TypeInfo type = *entry.type;
      std::erase_if(type.fields,
                    [](const FieldInfo& f) { return f.doc.text == std::string_view(joined_bodies); });
      add_table(tables, type);
      group_of[type.definition] = group;
    }
  add_choices(tables, type_of<AnalysisSettings>());
  add_choices(tables, type_of<ActionSettings>());
  add_choices(tables, type_of<ShapeSettings>());
  add_choices(tables, type_of<SurfaceShape>());
  add_choices(tables, type_of<SectionSettings>());
  add_choices(tables, type_of<FunctionKinds>());
  for (auto& [name, table] : tables)  // what several have in common is shown once
    for (const auto& [of, shared] : {std::pair{"placement", &placement},
                                     {"law", &law},
                                     {"rod", &rod},
                                     {"joint", &joint},
                                     {"relative", &relative},
                                     {"size", &size}})
      if (name != of) remove_rows(table, *shared);
  std::erase_if(tables, [](const auto& entry) { return entry.second.find("| `") == std::string::npos; });
  unite(tables, group_of);
  return tables;
}

}  // namespace hooke
