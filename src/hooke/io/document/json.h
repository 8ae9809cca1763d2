#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hooke {

/// A JSON value to be written. Keys keep their order.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool value) : data_(value) {}
  Json(double value) : data_(value) {}
  Json(int value) : data_(static_cast<double>(value)) {}
  Json(const char* value) : data_(std::string(value)) {}
  Json(std::string value) : data_(std::move(value)) {}
  Json(List value) : data_(std::move(value)) {}
  Json(Object value) : data_(std::move(value)) {}
  Json(const std::vector<double>& numbers) : data_(List(numbers.begin(), numbers.end())) {}
  Json(const std::vector<std::string>& texts) : data_(List(texts.begin(), texts.end())) {}

  /// The member with that key, made when it is not there.
  Json& operator[](const std::string& key);
  const Json* find(const std::string& key) const;
  const Object* object() const { return std::get_if<Object>(&data_); }
  const List* list() const { return std::get_if<List>(&data_); }
  bool operator==(const Json& other) const { return data_ == other.data_; }

  /// On one line, or indented by so many spaces a level.
  std::string dump(int indent = 0) const { return dump(indent, 0); }

 private:
  std::string dump(int indent, int level) const;

  std::variant<std::nullptr_t, bool, double, std::string, List, Object> data_;
};

}  // namespace hooke
