#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// The models that come with the program.
namespace hooke::program {

struct ExampleModel {
  std::string name;  ///< path below the folder of models, without ending: benchmarks/heavy_top
  std::filesystem::path path;
  std::string description;  ///< first sentence of the comment it opens with
};

/// $HOOKE_MODELS, or where the program is installed, or the source tree it was built in: the first there is.
/// Throws Error (ExitCode::file) when there is none.
std::filesystem::path models_folder();

std::vector<ExampleModel> example_models();

/// By name or last part of the name; throws Error (ExitCode::usage), with a suggestion, when there is none.
ExampleModel find_example(const std::string& name);

/// Throws Error (ExitCode::file) when there is no such file, with a hint when it names an example.
void check_model_exists(const std::string& path);

/// The model and whatever other file of its folder it mentions (includes, tables). Returns what was written.
/// Throws Error (ExitCode::file) when one of them is there already.
std::vector<std::filesystem::path> copy_example(const ExampleModel& example,
                                                const std::filesystem::path& folder);

}  // namespace hooke::program
