#pragma once
// Settings of any type that fits a contract: a force, a joint, an integrator. A value: a copy is a copy of what is
// inside. Hooke's own types and those of a user's program are held in the same way.
//
//   Any<ForceContract> force = SpringSettings{.between = {"ground", "arm"}, .stiffness = 100};
//   if (const auto* spring = force.get_if<SpringSettings>()) ...
//
// A contract is a struct with a `group` ("force"), an `example` of an entry for messages, perhaps the kind that a value
// `alone` means, a concept-like `accepts<T>`, and a struct `Operations` of
// function pointers that `operations_of<T>()` fills: what can be done with settings of any type.
#include <memory>

#include "hooke/base/type_info.h"

namespace hooke {

template <class Contract>
class Any {
 public:
  Any() = default;
  template <Described T>
  requires(Contract::template accepts<T>) Any(T settings) { emplace<T>() = std::move(settings); }
  Any(const Any& other) { *this = other; }
  Any(Any&&) noexcept = default;
  Any& operator=(const Any& other) {
    if (this != &other) held_ = other.held_ ? other.held_->copy() : nullptr;
    return *this;
  }
  Any& operator=(Any&&) noexcept = default;

  bool has_value() const { return held_ != nullptr; }
  const TypeInfo& type() const { return *held_->type; }
  std::string name() const { return held_ ? held_->type->name : ""; }
  const void* data() const { return held_ ? held_->data() : nullptr; }
  void* data() { return held_ ? const_cast<void*>(held_->data()) : nullptr; }
  const typename Contract::Operations* operator->() const { return held_->operations; }

  template <class T>
  const T* get_if() const {
    return held_ && held_->type == &type_of<T>() ? static_cast<const T*>(held_->data()) : nullptr;
  }
  template <class T>
  T* get_if() {
    return const_cast<T*>(std::as_const(*this).template get_if<T>());
  }
  template <class T>
  T& emplace() {
    auto box = std::make_unique<Box<T>>();
    T& value = box->value;
    held_ = std::move(box);
    return value;
  }

  static TypeInfo open_info() {
    TypeInfo info{.kind = TypeInfo::Kind::open, .name = Contract::group};
    info.example = Contract::example;
    if constexpr (requires { Contract::alone; }) info.alone = Contract::alone;
    info.chosen = [](const void* any) {
      const auto& held = static_cast<const Any*>(any)->held_;
      return held ? held->type : nullptr;
    };
    info.chosen_value = [](void* any) { return static_cast<Any*>(any)->data(); };
    return info;
  }

 private:
  struct Held {
    const TypeInfo* type;
    const typename Contract::Operations* operations;
    Held(const TypeInfo* t, const typename Contract::Operations* o) : type(t), operations(o) {}
    virtual ~Held() = default;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual const void* data() const = 0;
  };
  template <class T>
  struct Box final : Held {
    T value{};
    Box() : Held(&type_of<T>(), &operations<T>()) {}
    std::unique_ptr<Held> copy() const override {
      auto box = std::make_unique<Box>();
      box->value = value;
      return box;
    }
    const void* data() const override { return &value; }
  };
  template <class T>
  static const typename Contract::Operations& operations() {
    static const typename Contract::Operations all = Contract::template operations_of<T>();
    return all;
  }

  std::unique_ptr<Held> held_;
};

/// The types that a name in a file may mean, group by group ("force", "joint", "integrator"). An object: a program
/// copies Hooke's and adds its own.
class TypeCatalog {
 public:
  struct Entry {
    const TypeInfo* type;
    void* (*choose)(void* any);  ///< makes the Any this type, with its defaults
  };

  template <class Contract, class T>
  void add() {
    add(Contract::group, {&type_of<T>(), [](void* any) -> void* {
                            return &static_cast<Any<Contract>*>(any)->template emplace<T>();
                          }});
  }
  /// One of the same name takes the place of what was there.
  void add(const std::string& group, Entry entry);
  const std::vector<Entry>& of(const std::string& group) const;
  std::vector<std::string> names(const std::string& group) const;

 private:
  Named<std::vector<Entry>> groups_;
};

}  // namespace hooke
