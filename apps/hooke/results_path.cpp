#include "results_path.h"

#include <filesystem>
#include <set>

namespace hooke::program {

namespace fs = std::filesystem;

std::string results_path(const std::string& text) {
  std::error_code ignored;
  return fs::is_directory(text, ignored) ? (fs::path(text) / "results.h5").string() : text;
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
    runs.push_back({label_of(path), std::make_shared<ResultsReader>(path)});
    labels.insert(runs.back().label);
  }
  if (labels.size() < runs.size())
    for (std::size_t k = 0; k < runs.size(); ++k) runs[k].label = paths[k];
  return runs;
}

}  // namespace hooke::program
