#include "hooke/base/validate.h"

#include "hooke/base/format.h"

namespace hooke {
namespace {

/// Of a number, or of all numbers of a list.
void check_range(const TypeInfo& type, const void* value, const Doc& doc, const std::string& path,
                 const Report& report) {
  if (type.kind == TypeInfo::Kind::optional || type.kind == TypeInfo::Kind::list) {
    for (std::size_t i = 0; i < type.size(value); ++i)
      check_range(type.item_type(), type.item_of(value, i), doc, path, report);
    return;
  }
  if (type.kind != TypeInfo::Kind::number && type.kind != TypeInfo::Kind::whole) return;
  const double number = type.kind == TypeInfo::Kind::number ? *static_cast<const double*>(value)
                                                            : *static_cast<const int*>(value);
  if (const std::string fault = range_fault(doc, number); !fault.empty()) report(path, fault);
}

enum class About { errors, doubts };

void walk(const TypeInfo& type, const void* value, const std::string& path, About about,
          const Report& report) {
  switch (type.kind) {
    case TypeInfo::Kind::structure:
      for (const FieldInfo& field : type.fields) {
        const std::string there = *field.key ? path + "." + field.key : path;
        if (about == About::errors) check_range(field.type(), field.in(value), field.doc, there, report);
        walk(field.type(), field.in(value), there, about, report);
      }
      for (const TypeInfo::Check& check : about == About::errors ? type.checks : type.doubts)
        check.run(static_cast<const char*>(value) + check.offset,
                  [&](const char* key, const std::string& message) {
                    report(*key ? path + "." + key : path, message);
                  });
      return;
    case TypeInfo::Kind::list:
    case TypeInfo::Kind::optional:
      for (std::size_t i = 0; i < type.size(value); ++i)
        walk(type.item_type(), type.item_of(value, i),
             type.kind == TypeInfo::Kind::list ? formatted("{}[{}]", path, i) : path, about, report);
      return;
    case TypeInfo::Kind::named:
      for (std::size_t i = 0; i < type.size(value); ++i)
        walk(type.item_type(), type.item_of(value, i), path + "." + type.key_of(value, i), about, report);
      return;
    case TypeInfo::Kind::choice:
    case TypeInfo::Kind::open:
      if (const TypeInfo* kind = type.chosen(value))
        walk(*kind, type.chosen_of(value), kind->find(kind->name) ? path : path + "." + kind->name, about,
             report);
      else if (about == About::errors)
        report(path, formatted("is empty: give it settings of a {}", type.name));
      return;
    default:
      return;
  }
}

}  // namespace

void validate(const TypeInfo& type, const void* value, const std::string& path, const Report& report) {
  walk(type, value, path, About::errors, report);
}

void doubt(const TypeInfo& type, const void* value, const std::string& path, const Report& report) {
  walk(type, value, path, About::doubts, report);
}

}  // namespace hooke
