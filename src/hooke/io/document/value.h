#pragma once
// One node of a document: where it stands, how it is reached, and what was written there. It does not know
// what any key means. Values live in a Document, which links them to their parents; a reader holds
// references.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/math/user_code.h"

namespace hooke {

struct Value {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  bool quoted = false;                   // "1.5" is text where 1.5 is a number
  bool broken = false;                   // already reported: readers stay silent about it
  std::string text;                      // of a scalar, after ${...} was replaced
  std::optional<double> number;          // of a scalar that was wholly ${...}
  std::shared_ptr<const UserCode> code;  // of a scalar that a program gives; `text` is what it is called
  std::vector<Value> children;           // items, or entries in the order of the file

  std::string key;  // in the mapping it stands in
  int line = 0, column = 0, key_line = 0, key_column = 0;
  std::shared_ptr<const std::string> file;
  const Value* parent = nullptr;
  int index = 0;  // among the parent's children

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }

  /// The entry with that key of a mapping, or null.
  const Value* find(std::string_view wanted) const;
  Value* find(std::string_view wanted);

  Location location() const;      // of the value, or of the key when nothing stands behind it
  Location key_location() const;  // of the key, or of the value when it has no key
  std::string path() const;       // such as joints.B.axis[1]

  /// "the text \"1.5\"", "'abc'", "a list of 3", "nothing": for messages that say what was found.
  std::string describe() const;
};

/// `text` on one line and not too long, for use in a message.
std::string excerpt(std::string_view text);

/// Sets parent and index of everything below; to be called when the tree stands where it stays.
void link_parents(Value& root);

}  // namespace hooke
