#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hooke/io/document/document.h"

namespace hooke {

inline std::string dump(const Value& value) {
  if (value.kind == Value::Kind::null) return "null";
  if (value.is_scalar())
    return value.broken ? "<broken>" : value.quoted ? '"' + value.text + '"' : value.text;
  std::string text;
  for (const Value& child : value.children) {
    if (!text.empty()) text += ", ";
    text += value.is_mapping() ? child.key + ": " + dump(child) : dump(child);
  }
  return value.is_mapping() ? "{" + text + "}" : "[" + text + "]";
}

/// The finished tree on one line, or the errors.
inline std::string resolved(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  try {
    const Document document = parse_document(text, "m.yaml", overrides, diagnostics);
    diagnostics.throw_if_errors();
    return dump(document.root());
  } catch (const Error& error) {
    return error.what();
  }
}

/// A folder of files that is gone after the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("hooke_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

  /// The finished tree or the errors, with the folder's own path left out.
  std::string load(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    Diagnostics diagnostics;
    std::string result;
    try {
      const Document document = load_document((path_ / name).string(), overrides, diagnostics);
      diagnostics.throw_if_errors();
      return dump(document.root());
    } catch (const Error& error) {
      result = error.what();
    }
    const std::string prefix = path_.string() + "/";
    for (size_t at; (at = result.find(prefix)) != result.npos;) result.erase(at, prefix.size());
    return result;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace hooke
