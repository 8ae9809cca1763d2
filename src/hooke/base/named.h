#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hooke {

/// Things by name, in the order in which they were added:  model.bodies["arm"] = {...};
template <class T>
class Named : public std::vector<std::pair<std::string, T>> {
 public:
  using std::vector<std::pair<std::string, T>>::vector;
  using std::vector<std::pair<std::string, T>>::operator[];

  /// The one of that name, added when there is none.
  T& operator[](const std::string& name) {
    if (T* found = find(name)) return *found;
    return this->emplace_back(name, T{}).second;
  }
  /// Throws std::out_of_range when there is none.
  const T& at(const std::string& name) const {
    if (const T* found = find(name)) return *found;
    throw std::out_of_range("there is no '" + name + "'");
  }
  T& at(const std::string& name) { return const_cast<T&>(std::as_const(*this).at(name)); }
  /// Null when there is none.
  const T* find(const std::string& name) const {
    const auto found =
        std::find_if(this->begin(), this->end(), [&](const auto& e) { return e.first == name; });
    return found == this->end() ? nullptr : &found->second;
  }
  T* find(const std::string& name) { return const_cast<T*>(std::as_const(*this).find(name)); }
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : *this) all.push_back(entry.first);
    return all;
  }
};

}  // namespace hooke
