#include "hooke/io/mesh/modal_file.h"

#include <algorithm>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/io/document/document.h"
#include "hooke/io/document/text_file.h"
#include "hooke/io/mesh/modal_keys.h"
#include "hooke/io/mesh/solid_mesh_file.h"
#include "hooke/math/dense.h"

namespace hooke {
namespace {

/// Positive definite? The mass matrix of frame and modes, undeformed.
bool has_positive_mass(const ModalData& d) {
  const int n = d.modes();
  MatrixX M = MatrixX::Zero(6 + n, 6 + n);
  M.topLeftCorner<3, 3>() = d.mass * identity3;
  M.block<3, 3>(0, 3) = -hat(d.first_moment);
  M.block<3, 3>(3, 0) = hat(d.first_moment);
  M.block<3, 3>(3, 3) = d.N00.trace() * identity3 - d.N00;
  for (int i = 0; i < n; ++i) {
    const Vec3 spin = 2 * unhat(Mat3(d.N0[i].transpose()));  // int rho u0 x S_i
    M.block<3, 1>(0, 6 + i) = d.psi.col(i);
    M.block<3, 1>(3, 6 + i) = spin;
    M.block<1, 3>(6 + i, 0) = d.psi.col(i).transpose();
    M.block<1, 3>(6 + i, 3) = spin.transpose();
    for (int j = 0; j < n; ++j) M(6 + i, 6 + j) = d.N[i * n + j].trace();
  }
  const VectorX units = M.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  const MatrixX scaled = units.asDiagonal() * M * units.asDiagonal();
  return smallest_eigenvalue(scaled) > 1e-9;
}

bool is_second_order_symmetric(const ModalData& d) {
  const int n = d.modes();
  const double size = 1e-6 * d.second_psi.norm();
  for (int i = 0; d.stiffens() && i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const int ij = i * n + j, ji = j * n + i;
      if ((d.second_psi.col(ij) - d.second_psi.col(ji)).norm() > size) return false;
      const Mat3 &a = d.second_N0[ij], &b = d.second_N0[ji];
      if ((a - b).norm() > 1e-6 * (a.norm() + b.norm())) return false;
    }
  return true;
}

using Rows3 = std::vector<Vec3>;

Mat3X columns_of(const Rows3& rows) {
  Mat3X columns(3, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) columns.col(static_cast<int>(i)) = rows[i];
  return columns;
}
Mat3 matrix_of(const std::array<Vec3, 3>& rows) {
  return (Mat3() << rows[0].transpose(), rows[1].transpose(), rows[2].transpose()).finished();
}

/// Reports and returns false unless each list has as many entries as there are modes, or pairs of them.
class Counter {
 public:
  Counter(const Value& root, std::size_t entries, const char* of, Diagnostics& diagnostics)
      : root_(root), entries_(entries), of_(of), diagnostics_(diagnostics) {}
  bool operator()(const Value* at, std::size_t count) {
    if (count == entries_) return true;
    const Value& value = at ? *at : root_;
    diagnostics_.error(value.location(), value.path(), "expected {} entries, one for each {}, got {}",
                       entries_, of_, count);
    return false;
  }

 private:
  const Value& root_;
  std::size_t entries_;
  const char* of_;
  Diagnostics& diagnostics_;
};

bool check_counts(const Value& root, const ModalKeys& keys, Diagnostics& diagnostics) {
  const std::size_t n = keys.modes.size();
  Counter fits(root, n, "mode", diagnostics), pairs(root, n * n, "pair of modes", diagnostics);
  bool good = true;
  const auto item = [](const Value* list, std::size_t i) {
    return list && list->is_sequence() && i < list->children.size() ? &list->children[i] : list;
  };
  const auto part = [](const Value* mapping, const char* key) {
    const Value* found = mapping && mapping->is_mapping() ? mapping->find(key) : nullptr;
    return found ? found : mapping;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Value* mode = item(root.find("modes"), i);
    good &= fits(part(mode, "stiffness"), keys.modes[i].stiffness.size());
    good &= fits(part(mode, "with_modes"), keys.modes[i].with_modes.size());
    if (!keys.modes[i].damping.empty()) good &= fits(part(mode, "damping"), keys.modes[i].damping.size());
  }
  const bool has_second = std::any_of(keys.modes.begin(), keys.modes.end(),
                                      [](const ModeKeys& m) { return !m.second_momentum.empty(); });
  for (std::size_t i = 0; has_second && i < n; ++i) {
    const Value* mode = item(root.find("modes"), i);
    good &= fits(part(mode, "second_momentum"), keys.modes[i].second_momentum.size());
    good &= fits(part(mode, "second_with_position"), keys.modes[i].second_with_position.size());
  }
  for (std::size_t k = 0; k < keys.nodes.size(); ++k) {
    const Value* node = item(root.find("nodes"), k);
    good &= fits(part(node, "shift"), keys.nodes[k].shift.size());
    good &= fits(part(node, "rotation"), keys.nodes[k].rotation.size());
    if (!keys.nodes[k].stress.empty()) good &= fits(part(node, "stress"), keys.nodes[k].stress.size());
    if (keys.nodes[k].second_shift.empty() && keys.nodes[k].second_rotation.empty()) continue;
    good &= pairs(part(node, "second_shift"), keys.nodes[k].second_shift.size());
    good &= pairs(part(node, "second_rotation"), keys.nodes[k].second_rotation.size());
  }
  return good;
}

ModalData data_of(const ModalKeys& keys) {
  const int n = static_cast<int>(keys.modes.size());
  ModalData data{.mass = keys.mass, .first_moment = keys.first_moment, .psi = Mat3X::Zero(3, n)};
  data.N00 = matrix_of(keys.second_moment);
  data.N.resize(n * n);
  data.stiffness = data.damping = MatrixX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    const ModeKeys& mode = keys.modes[i];
    data.psi.col(i) = mode.momentum;
    data.N0.push_back(matrix_of(mode.with_position));
    for (int j = 0; j < n; ++j) {
      data.N[i * n + j] = matrix_of(mode.with_modes[j]);
      data.stiffness(i, j) = mode.stiffness[j];
      if (!mode.damping.empty()) data.damping(i, j) = mode.damping[j];
    }
  }
  if (!keys.modes[0].second_momentum.empty()) {
    data.second_psi.resize(3, n * n);
    for (int i = 0, k = 0; i < n; ++i)
      for (int j = 0; j < n; ++j, ++k) {
        data.second_psi.col(k) = keys.modes[i].second_momentum[j];
        data.second_N0.push_back(matrix_of(keys.modes[i].second_with_position[j]));
      }
  }
  for (const ModalNodeKeys& node : keys.nodes) {
    Mat6X stress(6, node.stress.size());
    for (std::size_t i = 0; i < node.stress.size(); ++i) stress.col(static_cast<int>(i)) = node.stress[i];
    data.nodes.push_back({{identity3, node.at},
                          columns_of(node.shift),
                          columns_of(node.rotation),
                          stress,
                          node.name,
                          columns_of(node.second_shift),
                          columns_of(node.second_rotation)});
  }
  data.triangles = keys.triangles;
  return data;
}

std::string text(double x) { return formatted("{}", x); }
std::string text(const auto& vector) {
  std::string all;
  for (double x : vector) all += (all.empty() ? "" : ", ") + text(x);
  return "[" + all + "]";
}
std::string matrix_text(const auto& m) {
  std::string all;
  for (int i = 0; i < m.rows(); ++i) all += (i ? ", " : "") + text(VectorX(m.row(i).transpose()));
  return "[" + all + "]";
}

ModalData reduced(const Value& root, Diagnostics& diagnostics) {
  ReductionFileKeys keys;
  const Value& at = *root.find("reduce");
  const bool good = read(root, keys, diagnostics);
  ReductionKeys& of = keys.reduce;
  if (auto* file = good ? std::get_if<MeshFile>(&of.mesh) : nullptr) try {
      read_mesh(path_from(root.location().file, file->path), *file);
    } catch (const Error& error) {
      diagnostics.error(at.find("mesh")->location(), "reduce.mesh", "{}", error.what());
    }
  diagnostics.throw_if_errors();
  SolidSettings solid;
  solid.mesh = of.mesh;
  solid.material = of.material;
  solid.orthotropic = of.orthotropic;
  solid.materials = of.materials;
  solid.check([&](const char* key, const std::string& message) {
    const Value* field = at.find(key);
    diagnostics.error((field ? *field : at).location(), (field ? *field : at).path(), "{}", message);
  });
  diagnostics.throw_if_errors();
  try {
    const auto model = solid.model();
    return modal_data(model->mesh, model->materials,
                      {of.basis, of.modes, of.interfaces, of.reference, of.damping_ratio, of.stiffening},
                      model->options);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    diagnostics.error(at.location(), at.path(), "{}", problem.what());
    throw ModelError(diagnostics.errors());
  }
}

}  // namespace

void ModalKeys::check(const Complain& complain) const {
  if (hooke_modes != 1) complain("hooke_modes", "this program reads version 1 of the file format");
  if (modes.empty()) complain("modes", "there is none: that is a rigid body");
  if (const std::string excess = limits::modes.excess(static_cast<double>(modes.size())); !excess.empty())
    complain("modes", excess);
  if (nodes.empty()) complain("nodes", "nothing can be attached to a body without nodes");
  for (const auto& corners : triangles)
    for (int c : corners)
      if (c < 0 || c >= static_cast<int>(nodes.size()))
        return complain("triangles", formatted("there is no node {} (they are counted from 0)", c));
}

ModalData parse_modal_text(const std::string& contents, const std::string& name) {
  Diagnostics diagnostics;
  const Document document = parse_document(contents, name, {}, diagnostics);
  const Value& root = document.root();
  if (root.find("reduce")) return reduced(root, diagnostics);
  ModalKeys keys;
  const bool good = read(root, keys, diagnostics) && check_counts(root, keys, diagnostics);
  diagnostics.throw_if_errors();
  if (!good) throw Error(ExitCode::file, name + ": not a file with modes");
  ModalData data = data_of(keys);
  const auto complain = [&](const char* key, const char* what) {
    diagnostics.error(root.find(key)->location(), key, "{}", what);
  };
  if ((data.stiffness - data.stiffness.transpose()).norm() > 1e-6 * data.stiffness.norm())
    complain("modes", "the stiffness must be symmetric");
  else if (!is_second_order_symmetric(data))
    complain("modes", "second order shapes must be symmetric: s_ij = s_ji");
  else if (!has_positive_mass(data))
    complain(
        "modes",
        "the mass matrix of frame and modes is not positive: a mode is a rigid motion or a combination of "
        "others, or the integrals do not belong together");
  diagnostics.throw_if_errors();
  return data;
}

ModalData read_modal_file(const std::string& path) { return parse_modal_text(read_text_file(path), path); }

std::string modal_text(const ModalData& data) {
  const int n = data.modes();
  std::string out = formatted(
      "# Modes of a flexible body: see docs/model-file.md.\nhooke_modes: 1\nmass: {}\nfirst_moment: {}\n"
      "second_moment: {}\nmodes:\n",
      text(data.mass), text(data.first_moment), matrix_text(data.N00));
  for (int i = 0; i < n; ++i) {
    out += formatted("  - stiffness: {}\n    damping: {}\n    momentum: {}\n    with_position: {}\n",
                     text(VectorX(data.stiffness.row(i).transpose())),
                     text(VectorX(data.damping.row(i).transpose())), text(Vec3(data.psi.col(i))),
                     matrix_text(data.N0[i]));
    out += "    with_modes:\n";
    for (int j = 0; j < n; ++j) out += "      - " + matrix_text(data.N[i * n + j]) + "\n";
    if (!data.stiffens()) continue;
    out += "    second_momentum: " + matrix_text(data.second_psi.middleCols(i * n, n).transpose()) + "\n";
    out += "    second_with_position:\n";
    for (int j = 0; j < n; ++j) out += "      - " + matrix_text(data.second_N0[i * n + j]) + "\n";
  }
  out += "nodes:\n";
  for (const ModalData::Node& node : data.nodes) {
    out += formatted("  - {}at: {}\n    shift: {}\n    rotation: {}\n",
                     node.name.empty() ? "" : formatted("name: {}\n    ", node.name), text(node.at.p),
                     matrix_text(node.shift.transpose()), matrix_text(node.rotation.transpose()));
    if (node.stress.size()) out += "    stress: " + matrix_text(node.stress.transpose()) + "\n";
    if (node.second_shift.size())
      out += formatted("    second_shift: {}\n    second_rotation: {}\n",
                       matrix_text(node.second_shift.transpose()),
                       matrix_text(node.second_rotation.transpose()));
  }
  if (data.triangles.empty()) return out;
  out += "triangles:\n";
  for (const auto& t : data.triangles) out += formatted("  - [{}, {}, {}]\n", t[0], t[1], t[2]);
  return out;
}

}  // namespace hooke
