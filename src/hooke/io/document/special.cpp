#include "hooke/io/document/special.h"

#include "hooke/base/format.h"
#include "hooke/math/values.h"

namespace hooke {
namespace {

Json list_of(const auto& numbers) {
  Json::List list;
  for (const double x : numbers) list.emplace_back(x);
  return list;
}

template <int N>
Json rows_of(const Eigen::Matrix<double, N, N>& matrix) {
  Json::List rows;
  for (int i = 0; i < N; ++i) rows.push_back(list_of(Eigen::Matrix<double, N, 1>(matrix.row(i).transpose())));
  return rows;
}

bool read_inertia(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<InertiaValue*>(target);
  Diagnostics& diagnostics = reader.diagnostics();
  if (value.broken) return false;
  out.given = true;
  if (value.is_scalar()) {
    double moment = 0;
    if (!read(value, moment, diagnostics)) return false;
    out.matrix = moment * Mat3::Identity();
    return true;
  }
  const std::size_t count = value.is_sequence() ? value.children.size() : 0;
  if (count == 3 && value.children[0].is_sequence()) {
    std::array<Vec3, 3> rows;
    if (!read(value, rows, diagnostics)) return false;
    out.matrix << rows[0].transpose(), rows[1].transpose(), rows[2].transpose();
    return true;
  }
  if (count == 3) {
    Vec3 moments;
    if (!read(value, moments, diagnostics)) return false;
    out.matrix = moments.asDiagonal();
    return true;
  }
  if (count != 6)
    return expected("one number, [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three rows", value, diagnostics);
  Vec6 e;
  if (!read(value, e, diagnostics)) return false;
  out.matrix << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
  return true;
}

Json inertia_schema(Schema& all, const Doc&) {
  const Json number = all.of<double>();
  return any_of(
      {number, list_schema(number, 3), list_schema(number, 6), list_schema(list_schema(number, 3), 3)});
}

Json write_inertia(const void* value) {
  const auto& inertia = *static_cast<const InertiaValue*>(value);
  const Mat3& J = inertia.matrix;
  if (!inertia.given) return {};
  if (J.isDiagonal(0)) return list_of(Vec3(J.diagonal()));
  if (J == J.transpose()) return list_of(std::array{J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)});
  return rows_of<3>(J);
}

bool read_matrix(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<MatrixValue*>(target);
  Diagnostics& diagnostics = reader.diagnostics();
  if (value.broken) return false;
  if (value.is_scalar()) {
    double number = 0;
    if (!read(value, number, diagnostics)) return false;
    out.matrix = number * Mat6::Identity();
    return true;
  }
  if (!value.is_sequence() || value.children.size() != 6)
    return expected("one number, six, or six rows of six", value, diagnostics);
  if (!value.children[0].is_sequence()) {
    Vec6 diagonal;
    if (!read(value, diagonal, diagnostics)) return false;
    out.matrix = diagonal.asDiagonal();
    return true;
  }
  std::array<Vec6, 6> rows;
  if (!read(value, rows, diagnostics)) return false;
  for (int i = 0; i < 6; ++i) out.matrix.row(i) = rows[static_cast<std::size_t>(i)].transpose();
  return true;
}

Json matrix_schema(Schema& all, const Doc&) {
  const Json number = all.of<double>();
  return any_of({number, list_schema(number, 6), list_schema(list_schema(number, 6), 6)});
}

Json write_matrix(const void* value) {
  const Mat6& matrix = static_cast<const MatrixValue*>(value)->matrix;
  return matrix.isDiagonal(0) ? list_of(Vec6(matrix.diagonal())) : rows_of<6>(matrix);
}

bool read_damping(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<DampingValue*>(target);
  if (value.broken) return false;
  if (!value.is_scalar()) return read(value, out.times, reader.diagnostics());
  double time = 0;
  if (!read(value, time, reader.diagnostics())) return false;
  out.times.setConstant(time);
  return true;
}

Json write_damping(const void* value) {
  const Vec6& times = static_cast<const DampingValue*>(value)->times;
  return (times.array() == times[0]).all() ? Json(times[0]) : list_of(times);
}

bool read_place(const Value& value, void* target, const Reader& reader) {
  auto& out = *static_cast<JointOrPoint*>(target);
  if (value.is_scalar()) return read(value, out.emplace<std::string>(), reader.diagnostics());
  if (!value.is_sequence())
    return expected("the name of a joint or a point of 3 numbers", value, reader.diagnostics());
  return read(value, out.emplace<Vec3>(), reader.diagnostics());
}

Json write_place(const void* value) {
  const auto& place = *static_cast<const JointOrPoint*>(value);
  if (const auto* joint = std::get_if<std::string>(&place)) return *joint;
  return list_of(std::get<Vec3>(place));
}

}  // namespace

const Notation& special_notation(std::string_view name) {
  static const Notation inertia{read_inertia, inertia_schema, write_inertia},
      matrix{read_matrix, matrix_schema, write_matrix},
      damping{read_damping,
              [](Schema&all, const Doc&) {
                return any_of({all.of<double>(), list_schema(all.of<double>(), 6)});
              },
              write_damping},
      place{read_place,
            [](Schema&all, const Doc&) {
              return any_of({all.of<std::string>(), list_schema(all.of<double>(), 3)});
            },
            write_place},
      // What the document has already made into numbers.
      parameters{[](const Value&, void*, const Reader&) { return true; },
                 [](Schema&all, const Doc&) -> Json {
                   return Json::Object{{"type", "object"},
                                       {"additionalProperties", any_of({all.of<double>(), all.of<bool>()})}};
                 },
                 [](const void*) { return Json(); }},
      study{[](const Value&value, void*, const Reader&reader) {
              return value.is_mapping() ||
                     expected("keys and values of a study", value, reader.diagnostics());
            },
            [](Schema&, const Doc&) -> Json {
              return Json::Object{{"type", "object"}};
            },
            [](const void*) { return Json(); }};
  static const std::vector<std::pair<std::string_view, const Notation*>> all{{"formula", &formula_notation},
                                                                             {"function", &function_notation},
                                                                             {"law", &law_notation},
                                                                             {"column", &column_notation},
                                                                             {"code", &code_notation},
                                                                             {"inertia", &inertia},
                                                                             {"matrix", &matrix},
                                                                             {"damping", &damping},
                                                                             {"joint-or-point", &place},
                                                                             {"parameters", &parameters},
                                                                             {"study", &study}};
  for (const auto& [known, notation] : all)
    if (known == name) return *notation;
  throw Error(ExitCode::internal, formatted("no notation is known for '{}'", name));
}

}  // namespace hooke
