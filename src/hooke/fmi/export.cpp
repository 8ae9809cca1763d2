#include "hooke/fmi/export.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "hooke/base/archive.h"
#include "hooke/base/text.h"
#include "hooke/catalog/components.h"
#include "hooke/fmi/icon.h"
#include "hooke/fmi/observable.h"
#include "hooke/fmi/plain_text.h"
#include "hooke/fmi/terminals.h"
#include "hooke/fmi/zip_file.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/writer.h"
#include "hooke/io/document/yaml.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"

namespace hooke {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& model, const std::string& why) {
  throw Error(ExitCode::bad_model, formatted("{}: cannot become an FMU: {}", model, why));
}

/// A model as it is written, with all the files it is made of.
struct Source {
  std::string path;
  std::vector<std::string> files;  ///< canonical, each once
  Document document;
  Problem problem;
};

Source read_source(const std::string& path, const std::vector<std::string>& overrides) {
  FilesRead read;
  Diagnostics diagnostics;
  Document document = load_document(path, overrides, diagnostics);
  Problem problem = read_model(document, diagnostics);
  diagnostics.throw_if_errors();
  problem.file = path;
  Source source{fs::canonical(path).string(), {}, std::move(document), std::move(problem)};
  for (const std::string& file : read.paths()) source.files.push_back(fs::canonical(file).string());
  std::sort(source.files.begin(), source.files.end());
  source.files.erase(std::unique(source.files.begin(), source.files.end()), source.files.end());
  return source;
}

void check_source(const Source& source) {
  const Model& model = source.problem.model;
  if (!model.plugin.empty())
    refuse(source.path, "plugin: libraries of your own cannot go into it; write their blocks as formulas");
  if (!std::holds_alternative<DynamicsSettings>(source.problem.run.analysis))
    refuse(source.path, "run.analysis: an FMU moves in time; leave it at dynamics");
  if (source.problem.run.from != "start" && source.problem.run.from != "statics")
    refuse(source.path, "run.from: it cannot begin where another run ended; begin with start or statics");
  const std::string solver = newton_settings(source.problem.run).solver;
  for (const char* missing : {"klu", "umfpack", "cholmod"})
    if (solver == missing)
      refuse(source.path, formatted("run.solver: FMUs are without {}; write sparse, schur or dca", missing));
}

// --- files

void check_no_absolute_paths(const Value& value, const std::string& file) {
  if (value.is_scalar() && value.text.starts_with('/') && fs::exists(value.text))
    throw ModelError({{value.location(), "",
                       formatted("'{}' is an absolute path, which leads nowhere inside an FMU: "
                                 "write it relative to the model file",
                                 excerpt(value.text))}});
  for (const Value& child : value.children) check_no_absolute_paths(child, file);
}

fs::path common_folder(const std::vector<std::string>& files) {
  fs::path common = fs::path(files.front()).parent_path();
  for (const std::string& file : files)
    while (fs::path(file).lexically_relative(common).string().starts_with(".."))
      common = common.parent_path();
  return common;
}

/// Under resources/model, where they are seen from each other as before. What is YAML becomes JSON.
std::vector<ZipEntry> model_files(const Source& source) {
  std::vector<std::string> documents;
  for (const std::string& file : source.document.files()) documents.push_back(fs::canonical(file).string());
  const fs::path common = common_folder(source.files);
  std::vector<ZipEntry> entries;
  for (const std::string& file : source.files) {
    std::string text = read_text_file(file);
    const bool is_document = std::find(documents.begin(), documents.end(), file) != documents.end();
    if (is_document || fs::path(file).extension() == ".modes") {
      Budget budget;
      const Value tree = parse_yaml(text, file, budget);
      check_no_absolute_paths(tree, file);
      text = plain_text(tree);
    }
    entries.push_back(
        {"resources/model/" + fs::path(file).lexically_relative(common).generic_string(), std::move(text)});
  }
  return entries;
}

// --- variables

bool is_expression(const Source& source, const std::string& parameter) {
  for (const std::string& override : source.problem.overrides)
    if (override.starts_with("parameters." + parameter + "=")) return override.find("${") != override.npos;
  bool found = false;
  for (const std::string& file : source.document.files()) {  // the last one wins
    Budget budget;
    const Value tree = parse_yaml(read_text_file(file), file, budget);
    const Value* parameters = tree.find("parameters");
    if (const Value* value = parameters ? parameters->find(parameter) : nullptr)
      found = value->text.find("${") != value->text.npos;
  }
  return found;
}

void add_parameters(const Source& source, std::vector<FmuVariable>& to) {
  const Value* parameters = source.document.root().find("parameters");
  if (!parameters) return;
  for (const Value& p : parameters->children)
    to.push_back({.name = p.key,
                  .role = is_expression(source, p.key) ? FmuRole::calculated : FmuRole::parameter,
                  .start = p.number.value_or(0),
                  .text = "parameter of the model"});
}

void add_inputs(const Simulation& simulation, const ExportSettings& settings, const FmuTerminals& terminals,
                std::vector<FmuVariable>& to) {
  std::vector<std::string> known;
  if (const ControlsBase* controls = simulation.system().controls())
    for (const auto& [name, entry] : controls->inputs()) known.push_back(name);
  std::vector<std::string> wanted = settings.inputs.value_or(known);
  wanted.insert(wanted.end(), terminals.inputs.begin(), terminals.inputs.end());
  for (const std::string& name : wanted) simulation.input_entry(name);  // or says what there is
  for (const std::string& name : known) {
    const bool is_input = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    std::string unit;
    for (const BuiltSignal& signal : simulation.built().signals)
      if (signal.name == name) unit = signal.unit;
    to.push_back({.name = name,
                  .role = is_input ? FmuRole::input : FmuRole::tunable,
                  .start = simulation.input(name),
                  .unit = unit,
                  .text = is_input ? "input" : "parameter of the control"});
  }
}

void add_outputs(const Simulation& simulation, const ExportSettings& settings, const FmuTerminals& terminals,
                 std::vector<FmuVariable>& to) {
  std::vector<std::string> inputs;
  for (const FmuVariable& v : to)
    if (v.role == FmuRole::input) inputs.push_back(v.name);
  const std::vector<Observable> all = observables_of(simulation.built());
  std::vector<char> chosen(all.size(), 0);
  const auto choose = [&](const std::string& pattern) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fnmatch(pattern.c_str(), all[i].name.c_str(), 0) == 0 &&
          (all[i].in_results || !pattern.ends_with('*')))  // who wants matrices says so
        chosen[i] = 1, found = true;
    return found;
  };
  for (const std::string& pattern : settings.outputs)
    if (!choose(pattern) && pattern.find_first_of("*?[") == pattern.npos) {
      std::vector<std::string> names;
      for (const Observable& q : all) names.push_back(q.name);
      throw Error(ExitCode::usage,
                  formatted("no quantity fits '{}'{}; names are those of results, such as {}", pattern,
                            suggest(pattern, names), names.empty() ? "" : names.front()));
    }
  if (settings.outputs.empty()) {
    bool found = choose("signal.*");
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].components.empty() &&
          (all[i].name.starts_with("joint.") || all[i].name.starts_with("drive.")))
        chosen[i] = 1, found = true;
    if (!found) choose("body.*.position"), choose("body.*.velocity");
  }
  for (const std::string& name : terminals.outputs) choose(name);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i])
      to.push_back({.name = all[i].name,
                    .role = FmuRole::output,
                    .unit = all[i].unit,
                    .text = all[i].text,
                    .components = all[i].components,
                    .columns = all[i].columns,
                    .inputs = direct_inputs(all[i], simulation.system(), inputs)});
}

/// See runtime/exchange.h.
void add_states(const Simulation& simulation, std::vector<FmuVariable>& to) {
  const System& system = simulation.system();
  if (system.rigid_contacts())
    refuse(simulation.problem().file,
           "contacts: model exchange has no rigid contact; give them a stiffness, or export "
           "for co-simulation");
  const int positions = system.nv() - system.first_order_states();
  std::vector<std::string> names;
  for (int k = 0; k < positions + system.nv(); ++k) {
    const bool is_position = k < positions;
    const int dof = is_position ? k : k - positions;
    const bool is_block = dof >= positions;
    names.push_back(formatted("{}.{}",
                              is_block      ? "block"
                              : is_position ? "motion"
                                            : "rate",
                              system.dof_name(dof)));
    if (std::count(names.begin(), names.end(), names.back()) > 1) names.back() += formatted("_{}", k);
    to.push_back({.name = names.back(),
                  .role = FmuRole::state,
                  .start = is_position ? 0 : simulation.state().v[dof],
                  .text = is_block      ? "state of a control block"
                          : is_position ? "increment from where it was at the start or the last event"
                                        : "velocity"});
  }
  for (const std::string& name : names)
    to.push_back({.name = "der(" + name + ")", .role = FmuRole::derivative});
  for (int k = 0; k < system.indicators(); ++k)
    to.push_back({.name = formatted("event.{}", k + 1), .role = FmuRole::indicator});
}

void check_names(const std::vector<FmuVariable>& variables, const std::string& model) {
  std::vector<std::string> names{"time"};
  for (const FmuVariable& v : variables) names.push_back(v.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    refuse(
        model,
        formatted("two variables would be called '{}': a parameter and a block of `control:` need different "
                  "names",
                  *twice));
}

// --- the archive

std::string identifier_of(const std::string& path) {
  std::string name = fs::path(path).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "m" + name : name;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

/// The model in numbers.
Facts facts_of(const Simulation& simulation) {
  const BuiltModel& built = simulation.built();
  const RunSettings& run = simulation.problem().run;
  const Vec3& gravity = simulation.system().gravity();
  std::map<std::string, int> kinds;
  for (const auto& [name, body] : built.model->bodies) ++kinds[body.formulation.name()];
  std::vector<std::string> bodies;
  for (const auto& [kind, number] : kinds) bodies.push_back(formatted("{} {}", number, kind));
  return {{"bodies", join(bodies, ", ")},
          {"joints", std::to_string(built.model->joints.size())},
          {"forces", std::to_string(built.model->forces.size())},
          {"degrees of freedom", std::to_string(simulation.start().rank.degrees_of_freedom())},
          {"gravity", formatted("{:g}, {:g}, {:g} m/s^2", gravity.x(), gravity.y(), gravity.z())},
          {"integrator", run.integrator.name()},
          {"step", formatted("{:g} s", run.step)}};
}

std::string documentation(const std::string& title, const Facts& facts,
                          const std::vector<FmuVariable>& variables,
                          const std::vector<std::pair<std::string, std::string>>& documents) {
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text)
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  };
  std::string page = "<!DOCTYPE html><meta charset=\"utf-8\"><title>" + escaped(title) + "</title><h1>" +
                     escaped(title) + "</h1>\n";
  page += "<table>\n";
  for (const auto& [name, value] : facts) page += formatted("<tr><td>{}<td>{}</tr>\n", name, escaped(value));
  page += "</table>\n";
  for (const auto& [name, contents] : documents)
    page += name.ends_with(".svg") ? formatted("<p><img src=\"{}\" alt=\"the mechanism\">\n", name)
                                   : formatted("<p><a href=\"{}\">{}</a>\n", name, name);
  page += "<table><tr><th>variable<th>role<th>unit<th>start<th>description</tr>\n";
  for (const FmuVariable& v : variables)
    page += formatted("<tr><td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n", escaped(v.name), to_word(v.role),
                      escaped(v.unit), v.is_settable() ? format_number(v.start) : "", escaped(v.text));
  return page + "</table>\n";
}

std::string read_library(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty())
    throw Error(ExitCode::file,
                formatted("cannot read '{}', the library that goes into FMUs: `make build` makes it", path));
  return bytes;
}

/// Of the library as text: its files, and one for each folder that includes what is to be compiled there.
std::vector<ZipEntry> source_files(const std::string& archive, std::vector<std::string>& to_compile) {
  const TemporaryFolder folder;
  if (!fs::exists(archive))
    throw Error(ExitCode::file,
                formatted("cannot read '{}', the sources that go into FMUs: `make build` makes it", archive));
  unpack_zip(archive, folder.path());
  std::vector<ZipEntry> entries;
  std::map<std::string, std::string> groups;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = entry.path().lexically_relative(folder.path());
    entries.push_back({"sources/" + name.generic_string(), read_text_file(entry.path().string())});
    if (name.extension() != ".cpp") continue;
    const std::string room = name.parent_path().filename().string();
    const bool is_alone = room == "bodies" || room == "math" || room == "runtime";  // as the library is made
    groups[is_alone ? room + '_' + name.stem().string() : room] +=
        formatted("#include \"{}\"\n", name.generic_string());
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const auto& [group, text] : groups) {
    to_compile.push_back("compile_" + group + ".cpp");
    entries.push_back(
        {"sources/" + to_compile.back(),
         "#ifndef HOOKE_VERSION\n#define HOOKE_VERSION \"" HOOKE_VERSION "\"\n#endif\n" + text});
  }
  return entries;
}

/// The same for the same contents, another for others.
std::string token_of(const std::vector<ZipEntry>& entries, const FmuManifest& manifest,
                     const FmuAbout& about) {
  std::string all = describe_fmu(manifest, about);
  for (const ZipEntry& entry : entries) all += entry.name + '\0' + entry.bytes;
  const auto hexadecimal = [](std::uint64_t number) {
    std::string text;
    for (int digit = 0; digit < 16; ++digit, number >>= 4) text += "0123456789abcdef"[number & 15];
    return text;
  };
  const std::uint64_t first = checksum(all);
  return hexadecimal(first) + hexadecimal(checksum(all + hexadecimal(first)));
}

}  // namespace

ExportSummary export_fmu(const std::string& model, const std::string& archive,
                         const ExportSettings& settings) {
  Source source = read_source(model, settings.overrides);
  check_source(source);
  FmuTerminals terminals;
  std::vector<std::string> overrides = settings.overrides;
  if (!settings.terminals.empty()) {
    terminals = terminals_at(settings.terminals, build(source.problem.model));
    overrides.insert(overrides.end(), terminals.overrides.begin(), terminals.overrides.end());
    source = read_source(model, overrides);
  }
  source.problem.overrides = overrides;
  const Simulation simulation(source.problem);

  FmuManifest manifest;
  add_parameters(source, manifest.variables);
  add_inputs(simulation, settings, terminals, manifest.variables);
  add_outputs(simulation, settings, terminals, manifest.variables);
  if (settings.kind != FmuKind::co_simulation) add_states(simulation, manifest.variables);
  check_names(manifest.variables, model);
  check_terminals(terminals.all, manifest);
  manifest.overrides = overrides;

  std::vector<ZipEntry> entries = model_files(source);
  manifest.model =
      "model/" + fs::path(source.path).lexically_relative(common_folder(source.files)).generic_string();
  const RunSettings& run = source.problem.run;
  std::vector<std::string> to_compile;
  if (!settings.sources.empty())
    for (ZipEntry& entry : source_files(settings.sources, to_compile)) entries.push_back(std::move(entry));
  const Facts facts = facts_of(simulation);
  const FmuAbout about{
      .version = settings.version,
      .kind = settings.kind,
      .identifier = identifier_of(source.path),
      .title = source.problem.model.title.empty() ? identifier_of(source.path) : source.problem.model.title,
      .text = formatted("Mechanism (bodies: {}, joints: {}, degrees of freedom: {})",
                        simulation.built().bodies.size(), simulation.built().model->joints.size(),
                        simulation.start().rank.degrees_of_freedom()),
      .generator = "Hooke " HOOKE_VERSION,
      .start = run.start,
      .end = run.end,
      .step = run.step,
      .tolerance = run.tolerance,
      .indicators = settings.kind == FmuKind::co_simulation ? 0 : simulation.system().indicators(),
      .sources = to_compile};
  if (settings.version == 3 && !to_compile.empty())
    entries.push_back({"sources/buildDescription.xml", describe_build(about)});
  const std::string library = read_library(settings.library);
  entries.push_back({settings.version == 3 ? "binaries/x86_64-linux/" + about.identifier + ".so"
                                           : "binaries/linux64/" + about.identifier + ".so",
                     library});
  manifest.token = token_of(entries, manifest, about);
  entries.push_back({"resources/" + std::string(FmuManifest::file_name),
                     write_json(type_of<FmuManifest>(), &manifest).dump(1) + "\n"});
  entries.push_back({"documentation/index.html",
                     documentation(about.title, facts, manifest.variables, settings.documents)});
  for (const auto& [name, contents] : settings.documents)
    entries.push_back({"documentation/" + name, contents});
  entries.push_back({settings.version == 3 ? "terminalsAndIcons/icon.png" : "model.png", icon_png()});
  if (const std::string text = describe_terminals(manifest, terminals.all);
      settings.version == 3 && !text.empty())
    entries.push_back({"terminalsAndIcons/terminalsAndIcons.xml", text});
  entries.insert(entries.begin(), {"modelDescription.xml", describe_fmu(manifest, about)});
  write_zip(archive, entries);

  ExportSummary summary{.variables = manifest.variables, .bytes = fs::file_size(archive)};
  if (has_components(source.problem.model))
    summary.warnings.emplace_back(
        "an FMU has no METIS: it cuts solids into other components than 'hooke run' does, and differs from "
        "it "
        "as little as results depend on the cut");
  for (const std::string& file : source.files)
    summary.files.push_back(fs::path(file).lexically_relative(common_folder(source.files)).generic_string());
  return summary;
}

}  // namespace hooke
