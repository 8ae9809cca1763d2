#include "hooke/catalog/model.h"

#include <algorithm>

namespace hooke {

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Location Model::locate(std::string path) const {
  for (;;) {
    if (const auto found = locations.find(path); found != locations.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    if (cut == std::string::npos) return {};
    path.resize(cut);
  }
}

bool is_conservative(const Model& model) {
  const auto all_are = [](const auto& things) {
    return std::all_of(things.begin(), things.end(),
                       [](const auto& thing) { return thing.second->is_conservative(thing.second.data()); });
  };
  return model.drives.empty() && all_are(model.joints) && all_are(model.forces) &&
         std::all_of(model.contacts.begin(), model.contacts.end(),
                     [](const auto& c) { return c.second.is_conservative(); }) &&
         std::all_of(model.bodies.begin(), model.bodies.end(), [](const auto& body) {
           const AnyBody& formulation = body.second.formulation;
           return formulation.has_value() && formulation->is_conservative(formulation.data());
         });
}

}  // namespace hooke
