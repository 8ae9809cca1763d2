#include "hooke/simulation/subsystems.h"

#include <algorithm>

#include "hooke/base/text.h"

namespace hooke {

std::vector<int> bodies_called(const std::string& word, const BuiltModel& built) {
  std::vector<int> result;
  int body = 0;
  for (const auto& [name, entry] : built.model->bodies) {
    if (name == word || entry.component_of == word) result.push_back(body);
    ++body;
  }
  return result;
}

std::vector<Subsystem> subsystems_of(const Problem& file, const BuiltModel& built) {
  Diagnostics diagnostics;
  std::vector<std::string> owner(built.bodies.size());
  std::vector<Subsystem> result;
  const auto add = [&](Subsystem& to, std::size_t body) {
    to.bodies.push_back(static_cast<int>(body));
    owner[body] = to.name;
  };
  const auto* of_run = file.run.integrator.get_if<StabilisedOdeChoice>();
  const OdeMethod method = of_run ? of_run->method : OdeMethod::implicit_alpha;
  for (const auto& [name, entry] : file.subsystems) {
    Subsystem& subsystem = result.emplace_back(Subsystem{name, {}, entry.steps_in(file.run.step), method});
    if (entry.integrator)
      if (const auto* own = entry.integrator->get_if<StabilisedOdeChoice>()) subsystem.method = own->method;
    for (std::size_t k = 0; k < entry.bodies.size(); ++k) {
      const std::string& word = entry.bodies[k];
      const std::string path = formatted("subsystems.{}[{}]", name, k);
      const std::vector<int> meant = bodies_called(word, built);
      for (const int body : meant)
        if (owner[body].empty())
          add(subsystem, body);
        else
          diagnostics.error(file.model.locate(path), path, "'{}' belongs to subsystem '{}' already", word,
                            owner[body]);
      if (meant.empty())
        diagnostics.error(file.model.locate(path), path, "no body named '{}'{}", word,
                          suggest(word, built.bodies));
    }
    if (entry.bodies.empty())
      diagnostics.error(file.model.locate("subsystems." + name), "subsystems." + name, "names no body");
  }
  Subsystem rest{"rest", {}, 1, method};
  const bool has_rest = std::find(owner.begin(), owner.end(), "") != owner.end();
  for (std::size_t body = 0; body < owner.size(); ++body)
    if (owner[body].empty()) add(rest, body);
  if (has_rest) result.push_back(std::move(rest));
  for (const auto& [name, contact] : built.model->contacts)
    if (contact.law == ContactLaw::rigid)
      diagnostics.error(
          file.model.locate("contacts." + name), "contacts." + name + ".law",
          "rigid contacts cannot be divided among subsystems; 'law: compliant' can, or leave out "
          "'subsystems'");
  if (result.size() < 2)
    diagnostics.error(file.model.locate("subsystems"), "subsystems",
                      "all bodies are in one: name several subsystems, or none");
  diagnostics.throw_if_errors();
  return result;
}

}  // namespace hooke
