#pragma once
#include <string>
#include <variant>

#include "hooke/base/type_info.h"
#include "hooke/math/types.h"
#include "hooke/math/user_code.h"

/// Values that may be written in several ways (io/document/special.h reads and writes them).
namespace hooke {

/// Principal moments (one for a ball, three), or also the products: xx yy zz xy xz yz, or the full matrix.
struct InertiaValue {
  Mat3 matrix = Mat3::Zero();
  bool given = false;
};
template <>
inline constexpr const char* special_name<InertiaValue> = "inertia";

/// A 6x6 matrix: one number or six on the diagonal, or six rows.
struct MatrixValue {
  Mat6 matrix = Mat6::Zero();
};
template <>
inline constexpr const char* special_name<MatrixValue> = "matrix";

/// Kelvin-Voigt damping: the time by which strain rates count as strains, one for all or one for each kind of
/// strain.
struct DampingValue {
  Vec6 times = Vec6::Zero();
};
template <>
inline constexpr const char* special_name<DampingValue> = "damping";

/// A joint by name, or a point in the world.
using JointOrPoint = std::variant<std::string, Vec3>;
template <>
inline constexpr const char* special_name<JointOrPoint> = "joint-or-point";

/// A formula of signals, measured quantities and t (docs/control.md); the parameters of a file are numbers in it.
struct Formula {
  std::string text = "0";
};
template <>
inline constexpr const char* special_name<Formula> = "formula";

/// The formula of a force law, of x, v and t; the parameters of a file are numbers in it. Or code, which no file can say.
struct LawFormula {
  std::string text;
  std::shared_ptr<const UserCode> code = nullptr;
};
template <>
inline constexpr const char* special_name<LawFormula> = "law";

/// What a control block of code computes: by its name in a plugin, or code, which no file can say.
struct BlockCode {
  std::string name;
  std::shared_ptr<const UserCode> code = nullptr;
};
template <>
inline constexpr const char* special_name<BlockCode> = "code";

}  // namespace hooke
