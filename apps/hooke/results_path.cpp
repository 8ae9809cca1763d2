#include "results_path.h"

#include <filesystem>
#include <set>

#include "hooke/io/results/results_check.h"
#include "hooke/view/scene.h"

namespace hooke::program {

namespace fs = std::filesystem;

std::string results_path(const std::string& text) {
  std::error_code ignored;
  return fs::is_directory(text, ignored) ? (fs::path(text) / "results.h5").string() : text;
}

void check_results(const std::string& path) {
  check_results_file(path, [](const ResultsReader& results) { make_scene(results); });
}

static std::string label_of(const fs::path& path) {
  const std::string folder = fs::absolute(path).parent_path().filename().string();
  return path.stem() == "results" && !folder.empty() ? folder : path.stem().string();
}

std::vector<ViewedRun> open_runs(const std::vector<std::string>& paths) {
  std::vector<ViewedRun> runs;
  std::set<std::string> labels;
  for (const std::string& text : paths) {
    const std::string path = results_path(text);
    check_results(path);
    runs.push_back({label_of(path), std::make_shared<ResultsReader>(path)});
    labels.insert(runs.back().label);
  }
  if (labels.size() < runs.size())
    for (std::size_t k = 0; k < runs.size(); ++k) runs[k].label = paths[k];
  return runs;
}

}  // namespace hooke::program
