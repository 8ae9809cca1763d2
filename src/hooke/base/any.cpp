#include "hooke/base/any.h"

namespace hooke {

void TypeCatalog::add(const std::string& group, Entry entry) {
  std::vector<Entry>& entries = groups_[group];
  for (Entry& known : entries)
    if (std::string_view(known.type->name) == entry.type->name) {
      known = entry;
      return;
    }
  entries.push_back(entry);
}

const std::vector<TypeCatalog::Entry>& TypeCatalog::of(const std::string& group) const {
  static const std::vector<Entry> none;
  const auto* found = groups_.find(group);
  return found ? *found : none;
}

std::vector<std::string> TypeCatalog::names(const std::string& group) const {
  std::vector<std::string> all;
  for (const Entry& entry : of(group)) all.emplace_back(entry.type->name);
  return all;
}

}  // namespace hooke
