#include "hooke/io/model/model_file.h"

#include <algorithm>
#include <thread>

#include "hooke/io/document/reader.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/document/writer.h"
#include "hooke/io/model/attached_files.h"
#include "hooke/io/model/file_keys.h"

namespace hooke {
namespace {

void check_all_names(const Value& root, Diagnostics& diagnostics) {
  for (const char* section :
       {"bodies", "joints", "drives", "forces", "signals", "control", "events", "limits", "subsystems"})
    check_names(root.find(section), diagnostics);
  if (const Value* ground = root.find("ground")) check_names(ground->find("frames"), diagnostics);
  if (const Value* bodies = root.find("bodies"))
    for (const Value& body : bodies->children) check_names(body.find("frames"), diagnostics);
}

/// Printed on terminals and pages, in one line.
void check_title(const Value* title, Diagnostics& diagnostics) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  const bool is_clean = !title || std::none_of(title->text.begin(), title->text.end(), is_control);
  if (!is_clean)
    diagnostics.error(title->location(), "title", "must be one line, without tabs and control characters");
}

void warn_of_threads(int threads, const Value& root, Diagnostics& diagnostics) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const Value* run = root.find("run");
  const Value* at = run ? run->find("threads") : nullptr;
  if (at && cores > 0 && threads > cores)
    diagnostics.warning(at->location(), at->path(),
                        "this machine has {} core{}: more threads only slow a run down", cores,
                        cores == 1 ? "" : "s");
}

/// Deep enough for every key that a later error may be about, without single numbers of lists; for what is
/// left out, the nearest place above is found.
void note_locations(const Value& value, const std::string& path, int levels,
                    std::map<std::string, Location>& locations) {
  constexpr size_t longest = 500;
  if (path.size() > longest) return;
  if (!path.empty()) locations.emplace(path, value.location());
  if (levels == 0) return;
  for (const Value& child : value.children) {
    if (value.is_sequence() && child.is_scalar() && (child.number || parse_number(child.text))) continue;
    const std::string step = value.is_sequence() ? formatted("[{}]", child.index)
                             : path.empty()      ? child.key
                                                 : "." + child.key;
    note_locations(child, path + step, levels - 1, locations);
  }
}

}  // namespace

Problem read_model(const Document& document, Diagnostics& diagnostics, const Catalog& catalog) {
  const Value& root = document.root();

  FileKeys file;
  Reader(diagnostics, catalog).read(root, type_of<FileKeys>(), &file);
  check_all_names(root, diagnostics);
  check_title(root.find("title"), diagnostics);
  if (const Value* linear = root.find("linear"))
    diagnostics.error(linear->location(), "linear",
                      "linear subsystems have no bodies: such a file is for hooke run, check and stability");
  if (const Value* participants = root.find("participants"))
    diagnostics.error(participants->location(), "participants",
                      "participants are models of their own: such a file is for hooke run and check");
  if (const Value* version = root.find("hooke"); version && file.hooke != FileKeys::version)
    diagnostics.error(version->location(), "hooke",
                      "this program reads version {} of the file format, not {}", FileKeys::version,
                      file.hooke);
  if (const Value* include = root.find("include"))  // those of files are gone from the document
    diagnostics.error(include->location(), "include", "only a file can include others");

  warn_of_threads(file.problem.run.threads, root, diagnostics);

  constexpr int levels = 6;  // such as bodies.crank.frames.tip.rotate.axis
  Problem& problem = file.problem;
  note_locations(root, "", levels, problem.model.locations);
  read_attached_files(problem.model, diagnostics);
  return std::move(problem);
}

Problem parse_model(const std::string& text, const std::string& name,
                    const std::vector<std::string>& overrides, Diagnostics& diagnostics,
                    const Catalog& catalog) {
  Problem problem = read_model(parse_document(text, name, overrides, diagnostics), diagnostics, catalog);
  problem.text = text;
  return problem;
}

Problem parse_model(const std::string& text, const Catalog& catalog) {
  Diagnostics diagnostics;
  Problem problem = parse_model(text, "model", {}, diagnostics, catalog);
  diagnostics.throw_if_errors();
  for (const Diagnostic& warning : diagnostics.warnings()) problem.warnings.push_back(to_string(warning));
  return problem;
}

Problem read_model_file(const std::string& path, const std::vector<std::string>& overrides,
                        Diagnostics& diagnostics, const Catalog& catalog) {
  return parse_model(read_text_file(path), path, overrides, diagnostics, catalog);
}

Json model_document(const Problem& problem) {
  FileKeys file;
  file.problem = problem;
  return write_json(type_of<FileKeys>(), &file);
}

std::string write_model(const Problem& problem) { return to_yaml(model_document(problem)); }

}  // namespace hooke
