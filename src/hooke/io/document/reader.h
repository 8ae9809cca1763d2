#pragma once
// Typed reading of values. `read(value, target, diagnostics)` puts what stands in the document into the target and
// returns whether it could; what is wrong goes to `diagnostics`, in words for the person who wrote the file, and
// reading goes on, so that all mistakes are found in one run. A struct that describes its fields (base/fields.h)
// needs no reading code at all:
//
//   RigidSettings settings;
//   read(*document.root().find("rigid"), settings, diagnostics);
//
// A struct with `static constexpr const char* shorthand = "radius"` may be written as that field alone
// ({circle: 0.01}). One of several structs, each with a `static constexpr const char* name`, is written as a mapping
// with one of the names ({circle: {radius: 0.01}}), or as the name alone when it needs no settings; where a struct
// has a field of its own name, its other fields stand beside it ({spring: [A, B], stiffness: 100}).
//
// Types with a notation of their own are read by special.h.
#include <string>
#include <vector>

#include "hooke/base/any.h"
#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/io/document/value.h"

namespace hooke {

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : Reader(diagnostics, no_types()) {}
  /// `catalog` says what the names of open choices mean; it must live as long.
  Reader(Diagnostics& diagnostics, const TypeCatalog& catalog)
      : diagnostics_(diagnostics), catalog_(catalog) {}

  bool read(const Value& value, const TypeInfo& type, void* out) const;
  /// A mapping with the keys of a structure; further keys that the caller reads itself are named in `also`.
  bool read_structure(const Value& value, const TypeInfo& type, void* out,
                      const std::vector<std::string>& also = {}) const;
  Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  static const TypeCatalog& no_types();
  bool read_list(const Value& value, const TypeInfo& type, void* out) const;
  bool read_named(const Value& value, const TypeInfo& type, void* out) const;
  bool read_word(const Value& value, const TypeInfo& type, void* out) const;
  bool read_shorthand(const Value& value, const TypeInfo& type, void* out) const;
  bool read_choice(const Value& value, const TypeInfo& type, void* out) const;
  /// {rigid: {...}, at: ...}: the entry of the kind, which stands among the keys of the structure.
  const Value* read_kind(const Value& value, const FieldInfo& field, void* out, bool& good) const;
  /// Makes `out` the alternative of that name; returns its type and value.
  std::pair<const TypeInfo*, void*> choose(const TypeInfo& type, void* out, const std::string& name) const;
  bool check_range(const Value& value, const TypeInfo& type, const void* field, const Doc& doc) const;
  bool check_whole(const Value& value, const TypeInfo& type, const void* settings) const;

  Diagnostics& diagnostics_;
  const TypeCatalog& catalog_;
};

template <class T>
bool read(const Value& value, T& out, Diagnostics& diagnostics) {
  return Reader(diagnostics).read(value, type_of<T>(), &out);
}

/// The names that may be chosen.
std::vector<std::string> alternatives_of(const TypeInfo& choice, const TypeCatalog& catalog);

/// Whether the fields of a kind stand beside its name.
bool is_flat(const TypeInfo& kind);

/// Complains "expected ..., got ..." about a value; returns false, as the readers do.
bool expected(const std::string& what, const Value& value, Diagnostics& diagnostics);

/// The index of the word among the words, or a complaint.
std::optional<std::size_t> find_word(const Value& value, const std::vector<std::string>& words,
                                     Diagnostics& diagnostics);

/// Complains about all keys that are not among those allowed.
bool check_keys(const Value& mapping, const std::vector<std::string>& allowed, Diagnostics& diagnostics);

/// Complains about keys that cannot be names of bodies, joints, ... (base/text.h).
void check_names(const Value* named, Diagnostics& diagnostics);

/// The one entry of a mapping whose key is among `kinds`, such as the `revolute:` of a joint; null after a
/// complaint. `what` is for messages: "joint".
const Value* find_kind(const Value& mapping, const std::vector<std::string>& kinds, const std::string& what,
                       Diagnostics& diagnostics);

}  // namespace hooke
