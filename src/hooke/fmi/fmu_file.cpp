#include <algorithm>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/fmi/fmu_link.h"
#include "hooke/io/document/text_file.h"

namespace hooke {

namespace fs = std::filesystem;

FmuFile::FmuFile(const std::string& archive) : path(archive) {
  unpack_zip(archive, folder.path());
  const fs::path about = folder.path() / "modelDescription.xml";
  if (!fs::is_regular_file(about))
    throw Error(ExitCode::file, archive + ": has no modelDescription.xml: it is no FMU");
  description = read_fmu_description(read_text_file(about.string()), archive + ": modelDescription.xml");
  if (const fs::path terminals = folder.path() / "terminalsAndIcons/terminalsAndIcons.xml";
      description.version == 3 && fs::is_regular_file(terminals))
    read_fmu_terminals(read_text_file(terminals.string()), description);
}

std::vector<std::string> FmuFile::platforms() const {
  std::vector<std::string> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.path() / "binaries", ignored))
    if (entry.is_directory()) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

fs::path FmuFile::library(bool for_exchange) const {
  const auto& identifier = for_exchange ? description.model_exchange : description.co_simulation;
  const std::string name = identifier.value_or("") + ".so";
  for (const char* platform : {"x86_64-linux", "linux64"})
    if (const fs::path there = folder.path() / "binaries" / platform / name; fs::is_regular_file(there))
      return there;
  const std::vector<std::string> offered = platforms();
  throw Error(
      ExitCode::file,
      formatted(
          "{}: has no library for this machine, binaries/x86_64-linux/{} or binaries/linux64/{}; it has {}",
          path, name, name, offered.empty() ? "none" : "those for " + list_words(offered, "and")));
}

std::vector<std::pair<std::string, FmuNumber>> FmuFile::numbers(const char* causality) const {
  std::vector<std::pair<std::string, FmuNumber>> all;
  for (const auto* variable : description.with_causality(causality)) {
    if (!variable->is_number()) continue;
    const auto width = static_cast<std::uint32_t>(variable->width);
    for (std::uint32_t k = 0; k < width; ++k)
      all.emplace_back(variable->is_array ? formatted("{}[{}]", variable->name, k + 1) : variable->name,
                       FmuNumber{variable->reference, variable->type, width, k});
  }
  return all;
}

FmuNumber FmuFile::number(const std::string& name, const char* causality) const {
  std::vector<std::string> known;
  for (const auto& [each, number] : numbers(causality)) {
    if (each == name) return number;
    known.push_back(each);
  }
  throw Error(ExitCode::usage,
              formatted("{}: no {} named '{}'{}{}", path, causality, name, suggest(name, known),
                        known.empty()       ? "; it has none"
                        : known.size() < 20 ? "; it has " + list_words(known, "and")
                                            : ""));
}

FmuIntegration integration_of(const FmuFile& file, const FmuIntegration& asked) {
  if (asked && !file.description.model_exchange)
    throw Error(ExitCode::bad_model, file.path + ": offers no model exchange; leave out 'exchange'");
  if (asked || file.description.co_simulation) return asked;
  return ExchangeSettings();
}

std::unique_ptr<FmuLink> open_fmu(const FmuFile& file, FmuHome home, const std::string& instance,
                                  const FmuIntegration& asked) {
  if (file.description.needs_tool)
    throw Error(ExitCode::bad_model,
                file.path + ": needs the program that made it; export it with its solver inside");
  const FmuIntegration integration = integration_of(file, asked);
  return home == FmuHome::here ? load_fmu(file, instance, integration)
                               : spawn_fmu(file, instance, integration);
}

}  // namespace hooke
