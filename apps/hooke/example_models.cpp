#include "example_models.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/io/document/text_file.h"

namespace hooke::program {

namespace fs = std::filesystem;

fs::path models_folder() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("HOOKE_MODELS"); given && *given) {
    places.emplace_back(given);
  } else {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    places = {program / HOOKE_INSTALLED_MODELS, program / HOOKE_SOURCE_MODELS};
  }
  for (const fs::path& place : places)
    if (fs::is_directory(place)) return place.lexically_normal();
  throw Error(ExitCode::file,
              formatted("the example models are not at {}; set HOOKE_MODELS to the folder they are in",
                        places.front().lexically_normal().string()));
}

/// The first sentence of the comment; where none ends before the paragraph does, what stands before a colon.
static std::string describe(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line) && line.starts_with('#');) {
    const std::string_view words = trim(std::string_view(line).substr(1));
    if (words.empty()) break;
    text += (text.empty() ? "" : " ") + std::string(words);
  }
  if (const auto end = text.find(". "); end != text.npos) return text.substr(0, end);
  if (text.ends_with('.')) return text.substr(0, text.size() - 1);
  return text.substr(0, text.find(':'));
}

std::vector<ExampleModel> example_models() {
  const fs::path folder = models_folder();
  std::vector<ExampleModel> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".yaml") continue;
    const fs::path name = entry.path().lexically_relative(folder).replace_extension();
    if (*name.begin() == "studies") continue;  // of these models: they are of no use without them
    found.push_back({name.generic_string(), entry.path(), describe(entry.path())});
  }
  const auto depth = [](const ExampleModel& example) {
    return std::count(example.name.begin(), example.name.end(), '/');
  };
  std::sort(found.begin(), found.end(), [&](const ExampleModel& a, const ExampleModel& b) {
    return std::pair(depth(a), a.name) < std::pair(depth(b), b.name);
  });
  return found;
}

ExampleModel find_example(const std::string& name) {
  std::vector<std::string> known;
  const std::string wanted = name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name;
  for (const ExampleModel& example : example_models()) {
    const std::string last = fs::path(example.name).filename().string();
    if (wanted == example.name || wanted == last) return example;
    known.push_back(last);
  }
  throw Error(ExitCode::usage,
              formatted("no example named '{}'{}; 'hooke examples' lists them", name, suggest(name, known)));
}

void check_model_exists(const std::string& path) {
  if (fs::exists(path)) return;
  std::string hint;
  try {
    hint = formatted("; 'hooke examples {}' copies the example of that name",
                     find_example(fs::path(path).stem().string()).name);
  } catch (const Error&) {  // neither here nor there
  }
  throw Error(ExitCode::file, formatted("{}: there is no such file{}", path, hint));
}

std::vector<fs::path> copy_example(const ExampleModel& example, const fs::path& folder) {
  const std::string text = read_text_file(example.path.string());
  std::vector<fs::path> sources{example.path};
  for (const auto& entry : fs::directory_iterator(example.path.parent_path())) {
    const bool is_mentioned =
        entry.is_regular_file() && text.find(entry.path().filename().string()) != text.npos;
    if (is_mentioned && entry.path() != example.path && entry.path().extension() != ".yaml")
      sources.push_back(entry.path());
  }
  std::error_code error;
  fs::create_directories(folder, error);
  std::vector<fs::path> written;
  for (const fs::path& source : sources) {
    const fs::path target = (folder / source.filename()).lexically_normal();
    if (fs::exists(target))
      throw Error(ExitCode::file, target.string() + ": is there already; choose another folder with --to");
    fs::copy_file(source, target, error);
    if (error)
      throw Error(ExitCode::file, formatted("{}: cannot write it: {}", target.string(), error.message()));
    written.push_back(target);
  }
  return written;
}

}  // namespace hooke::program
