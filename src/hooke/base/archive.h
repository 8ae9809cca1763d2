#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace hooke {

/// Values as bytes: one list of members both writes and reads them.
///
///     void archive(Archive& a) { a(t_, h_, history_); }
///
/// Numbers and plain structs are copied as they are; vectors and texts have their length in front.
class Archive {
 public:
  Archive() = default;  ///< writes
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reads_(true) {}

  bool reads() const { return reads_; }
  const std::string& bytes() const { return bytes_; }
  /// All has been read.
  bool is_at_end() const { return at_ == bytes_.size(); }

  void operator()(auto&... values) { (one(values), ...); }

 private:
  template <class T>
  void one(T& value) {
    if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else if constexpr (requires { value.push_back(std::string()); }) {
      std::int64_t size = static_cast<std::int64_t>(value.size());
      one(size);
      for (std::int64_t k = 0; k < size; ++k) {
        if (reads_) value.emplace_back();
        one(value[static_cast<std::size_t>(k)]);
      }
    } else if constexpr (requires { value.resize(value.size()), value.data(); }) {
      std::int64_t size = value.size();
      one(size);
      constexpr std::size_t each = sizeof(*value.data());
      if (reads_) {
        if (size < 0 || static_cast<std::size_t>(size) > (bytes_.size() - at_) / each)
          throw std::out_of_range("too short");
        value.resize(static_cast<decltype(value.size())>(size));
      }
      copy(value.data(), static_cast<std::size_t>(size) * each);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      copy(&value, sizeof value);
    }
  }
  void copy(void* value, std::size_t bytes) {
    if (!reads_) {
      bytes_.append(static_cast<const char*>(value), bytes);
      return;
    }
    if (bytes > bytes_.size() - at_) throw std::out_of_range("too short");
    if (bytes > 0) std::memcpy(value, bytes_.data() + at_, bytes);
    at_ += bytes;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool reads_ = false;
};

/// FNV-1a, 64 bits: tells damaged bytes from whole ones.
inline std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

}  // namespace hooke
