// What is written at every output, item by item.
#include <algorithm>
#include <unordered_map>

#include "hooke/bodies/modal_data.h"
#include "hooke/fe/stress_matrix.h"
#include "hooke/io/results/drawing_file.h"
#include "hooke/io/results/results_file.h"

namespace hooke {

using hdf5::Handle;

namespace {

/// One vector of each item of a list.
template <class Item, class Part>
Fill vectors(std::vector<Item> Record::*list, Part part) {
  return [=](const Record& record, double* out) {
    for (const Item& item : record.*list) {
      Eigen::Map<Vec3>{out} = part(item);
      out += 3;
    }
  };
}

Vec3 head(const Vec6& twist) { return twist.head<3>(); }
Vec3 tail(const Vec6& twist) { return twist.tail<3>(); }

}  // namespace

void ResultsWriter::File::add(const ResultsEntry& entry, std::size_t items, Fill row) {
  frames.add(entry, items);
  contents.emplace_back(entry.path);
  fill.push_back(std::move(row));
}

void ResultsWriter::File::add_bodies(std::size_t count) {
  using Body = Record::Body;
  add("bodies/position", count,
      vectors(&Record::bodies, [](const Body& body) -> Vec3 { return body.pose.p; }));
  add("bodies/velocity", count, vectors(&Record::bodies, [](const Body& body) { return head(body.twist); }));
  add("bodies/angular_velocity", count,
      vectors(&Record::bodies, [](const Body& body) { return tail(body.twist); }));
  add("bodies/acceleration", count,
      vectors(&Record::bodies, [](const Body& body) { return head(body.acceleration); }));
  add("bodies/angular_acceleration", count,
      vectors(&Record::bodies, [](const Body& body) { return tail(body.acceleration); }));

  add("bodies/orientation", count,
      orientations(
          count, [](const Record& record, std::size_t b) -> const Mat3& { return record.bodies[b].pose.R; }));
}

static bool is_solid(const RecordedItems& model, std::size_t body) {
  return std::any_of(model.solids.begin(), model.solids.end(),
                     [=](const BuiltSolid& solid) { return solid.body == static_cast<int>(body); });
}

/// /solids/NAME: the surface, how its corners are displaced in the reference frame, and the stress there.
void ResultsWriter::File::add_surface(const std::string& body, const TriangleMesh& surface, Fill displacement,
                                      Fill stress) {
  const std::string group_path = "solids/" + body;
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Handle group(H5Gcreate2(file, group_path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(group.is_valid());
  check(write_mesh(group, surface));
  add_field(body, {"displacement", "xyz", "m", "of the surface's nodes, in the reference frame"},
            surface.points.size(), std::move(displacement));
  if (stress)
    add_field(body, {"stress", "", "Pa", "of von Mises, at the surface's nodes"}, surface.points.size(),
              watched(body, surface, std::move(stress)));
}

/// One of the numbers at the nodes of a surface.
void ResultsWriter::File::add_field(const std::string& body, const SurfaceField& field, std::size_t nodes,
                                    Fill row) {
  const std::string path = "solids/" + body + "/" + field.name;
  frames.add({path.c_str(), Items::body, "", field.components, field.unit, field.text}, nodes);
  fill.push_back(std::move(row));
}

/// Keeps the largest value, with its place and time.
Fill ResultsWriter::File::watched(const std::string& name, const TriangleMesh& surface, Fill stress) {
  extremes.push_back(std::make_unique<StressExtreme>(StressExtreme{name, 0, zero3, 0}));
  return [=, &most = *extremes.back(), points = surface.points](const Record& record, double* out) {
    stress(record, out);
    const double* largest = std::max_element(out, out + points.size());
    if (most.value >= *largest) return;
    most.value = *largest;
    most.place = points[static_cast<std::size_t>(largest - out)];
    most.t = record.t;
  };
}

namespace {

/// Triangles of some of many nodes, and the numbers of those nodes.
struct Surface {
  TriangleMesh mesh;
  std::vector<int> nodes;

  void add(const std::array<int, 3>& corners, const std::function<Vec3(int)>& place) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [known, is_new] = number_.try_emplace(corners[k], static_cast<int>(nodes.size()));
      triangle[k] = known->second;
      if (!is_new) continue;
      nodes.push_back(corners[k]);
      mesh.points.push_back(place(corners[k]));
    }
    mesh.triangles.push_back(triangle);
  }

 private:
  std::unordered_map<int, int> number_;
};

}  // namespace

void ResultsWriter::File::add_solid(const RecordedItems& model, const BuiltSolid& solid) {
  const auto body = static_cast<std::size_t>(solid.body);
  Surface surface;
  const auto where = [&](int n) { return solid.model->mesh.nodes[static_cast<std::size_t>(n)]; };
  for (const BoundaryFace& face : boundary_faces(solid.model->mesh)) {
    const auto& c = face.corners;
    surface.add({c[0], c[1], c[2]}, where);
    if (c[3] >= 0) surface.add({c[0], c[2], c[3]}, where);
  }
  const auto displacements = [body, of = solid.model](const Record& record) {
    return solid_displacements(*of, record.bodies[body].pose, record.nodes[body]);
  };
  add_surface(
      model.bodies[body], surface.mesh,
      [=, nodes = surface.nodes](const Record& record, double* out) {
        const Mat3X u = displacements(record);
        for (std::size_t k = 0; k < nodes.size(); ++k) Eigen::Map<Vec3>{out + 3 * k} = u.col(nodes[k]);
      },
      [=, S = stress_matrix(solid.model->mesh, solid.model->materials, solid.model->options, surface.nodes)](
          const Record& record, double* out) {
        const Mat3X u = displacements(record);
        const VectorX stresses = S * u.reshaped();
        for (int k = 0; k < stresses.size(); k += 6) *out++ = von_mises(stresses.segment<6>(k));
      });
  if (!solid.touches) return;
  add_field(model.bodies[body], {"pressure", "", "Pa", "of contacts, at the surface's nodes"},
            surface.nodes.size(), [body, nodes = surface.nodes](const Record& record, double* out) {
              for (const int n : nodes) *out++ = record.pressure[body][static_cast<std::size_t>(n)];
            });
}

/// Number `k` of the bodies with modes.
void ResultsWriter::File::add_modal(const RecordedItems& model, std::size_t k) {
  const std::shared_ptr<const ModalData> data = model.modal[k].data;
  const auto node = [data](int n) -> const ModalData::Node& {
    return data->nodes[static_cast<std::size_t>(n)];
  };
  Surface surface;
  for (const std::array<int, 3>& corners : data->triangles)
    surface.add(corners, [&](int n) { return node(n).at.p; });
  const bool stressed = std::all_of(surface.nodes.begin(), surface.nodes.end(),
                                    [&](int n) { return node(n).stress.size() > 0; });
  const auto displacement = [=, nodes = surface.nodes](const Record& record, double* out) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      Eigen::Map<Vec3>{out + 3 * n} = node(nodes[n]).shift * record.modal[k];
  };
  const auto stress = [=, nodes = surface.nodes](const Record& record, double* out) {
    for (int n : nodes) *out++ = von_mises(node(n).stress * record.modal[k]);
  };
  add_surface(model.bodies[static_cast<std::size_t>(model.modal[k].body)], surface.mesh, displacement,
              stressed ? Fill(stress) : Fill());
}

namespace {

bool write_outline(hid_t group, const char* name, const std::vector<Vec2>& outline) {
  std::vector<double> numbers;
  for (const Vec2& point : outline) numbers.insert(numbers.end(), {point.x(), point.y()});
  return outline.empty() || hdf5::write_numbers(group, name, numbers, 2);
}

}  // namespace

/// /rods/NAME: the poses of the nodes over time, and the section it is drawn with.
void ResultsWriter::File::add_rods(const RecordedItems& model, const Drawing& drawing) {
  const Handle all(H5Gcreate2(file, "rods", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto count = static_cast<std::size_t>(model.nodes[b]);
    if (count == 0 || is_solid(model, b)) continue;
    const std::string group_path = "rods/" + model.bodies[b];
    const Handle group(H5Gcreate2(file, group_path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(group.is_valid() && hdf5::write_number(group, "radius", model.radius[b]));
    for (const Drawing::Section& section : drawing.sections)
      if (section.body == static_cast<int>(b))
        check(write_outline(group, "outline", section.outline) && write_outline(group, "hole", section.hole));
    const std::string path_of_nodes = group_path + "/nodes";
    frames.add({path_of_nodes.c_str(), Items::body, "", "xyzwxyz", "m, 1",
                "positions and unit quaternions (w, x, y, z) of the nodes, world axes"},
               count);
    const Fill turns = orientations(
        count, [b](const Record& record, std::size_t n) -> const Mat3& { return record.nodes[b][n].R; });
    fill.push_back([=, row = std::vector<double>(4 * count)](const Record& record, double* out) mutable {
      turns(record, row.data());
      for (std::size_t n = 0; n < count; ++n, out += 7) {
        Eigen::Map<Vec3>{out} = record.nodes[b][n].p;
        std::copy_n(row.data() + 4 * n, 4, out + 3);
      }
    });
    if (b < model.arcs.size() && !model.arcs[b].empty()) add_sections(b, model.arcs[b], group_path, group);
  }
}

/// Strains and section forces of a rod, at the arc lengths `arcs`.
void ResultsWriter::File::add_sections(std::size_t body, const std::vector<double>& arcs,
                                       const std::string& group_path, const Handle& group) {
  check(hdf5::write_numbers(group, "arcs", arcs));
  const auto add_series = [&](const char* name, const char* unit, const char* text,
                              Vec6 SectionValues::*values) {
    const std::string path = group_path + "/" + name;
    frames.add({path.c_str(), Items::body, "", "xyzxyz", unit, text}, arcs.size());
    fill.push_back([=](const Record& record, double* out) {
      for (const SectionValues& section : record.sections[body]) {
        Eigen::Map<Vec6>{out} = section.*values;
        out += 6;
      }
    });
  };
  add_series("forces", "N, N m", "force and moment in the sections, in their axes (z along the rod)",
             &SectionValues::force);
  add_series("strains", "1, 1/m", "shear x, y, extension, bending about x, y, twist of the sections",
             &SectionValues::strain);
}

/// q and -q are the same rotation; the one nearer to the last frame makes curves without jumps.
template <class Rotation>
Fill ResultsWriter::File::orientations(std::size_t count, Rotation rotation) {
  last_orientations.push_back(std::make_unique<std::vector<Vec4>>(count, Vec4::UnitX()));
  return [=, &last = *last_orientations.back()](const Record& record, double* out) {
    for (std::size_t i = 0; i < count; ++i) {
      const Quat turn(rotation(record, i));
      Vec4 now(turn.w(), turn.x(), turn.y(), turn.z());
      if (now.dot(last[i]) < 0) now = -now;
      Eigen::Map<Vec4>(out + 4 * i) = last[i] = now;
    }
  };
}

void ResultsWriter::File::add_joints(std::size_t count, std::size_t coordinates, ReactionAxes axes) {
  using Joint = Record::Joint;
  ResultsEntry force = results_entry("joints/reaction_force"),
               torque = results_entry("joints/reaction_torque");
  if (axes != ReactionAxes::first) {  // what the list says
    const bool world = axes == ReactionAxes::world;
    force.text = world ? "on the second body, world axes" : "on the second body, axes of its joint frame";
    torque.text = world ? "on the second body about the origin of its joint frame, world axes"
                        : "on the second body about the origin of its joint frame, axes of that frame";
  }
  add(force, count, vectors(&Record::joints, [](const Joint& joint) { return head(joint.reaction); }));
  add(torque, count, vectors(&Record::joints, [](const Joint& joint) { return tail(joint.reaction); }));
  add("coordinates/value", coordinates, [](const Record& record, double* out) {
    for (const Joint& joint : record.joints)
      out = std::copy(joint.coordinates.begin(), joint.coordinates.end(), out);
  });
  add("coordinates/rate", coordinates, [](const Record& record, double* out) {
    for (const Joint& joint : record.joints) out = std::copy(joint.rates.begin(), joint.rates.end(), out);
  });
}

void ResultsWriter::File::add_forces(std::size_t count) {
  add("forces/force", count, vectors(&Record::forces, head));
  add("forces/torque", count, vectors(&Record::forces, tail));
}

void ResultsWriter::File::add_springs(std::size_t count) {
  const auto column = [](double Record::Spring::*number) {
    return [number](const Record& record, double* out) {
      for (const Record::Spring& spring : record.springs) *out++ = spring.*number;
    };
  };
  add("springs/length", count, column(&Record::Spring::length));
  add("springs/rate", count, column(&Record::Spring::rate));
  add("springs/tension", count, column(&Record::Spring::tension));
}

void ResultsWriter::File::add_contacts(std::size_t count) {
  using Contact = Record::Contact;
  add("contacts/gap", count, [](const Record& record, double* out) {
    for (const Contact& contact : record.contacts) *out++ = contact.gap;
  });
  add("contacts/force", count, vectors(&Record::contacts, [](const Contact& c) -> Vec3 { return c.force; }));
  add("contacts/place", count, vectors(&Record::contacts, [](const Contact& c) -> Vec3 { return c.place; }));
  add("contacts/impulse", count,
      vectors(&Record::contacts, [](const Contact& c) -> Vec3 { return c.impulse; }));
  add("contacts/points", count, [](const Record& record, double* out) {
    for (const Contact& contact : record.contacts) *out++ = contact.points;
  });
}

void ResultsWriter::File::add_sums() {
  add("energy/kinetic", 1, [](const Record& record, double* out) { *out = record.kinetic; });
  add("energy/potential", 1, [](const Record& record, double* out) { *out = record.potential; });
  add("energy/total", 1, [](const Record& record, double* out) { *out = record.kinetic + record.potential; });
  add("energy/supplied", 1, [](const Record& record, double* out) { *out = record.supplied; });
  add("energy/dissipated", 1, [](const Record& record, double* out) { *out = record.dissipated; });
  add("energy/error", 1, [](const Record& record, double* out) { *out = record.energy_error; });
  add("constraints/position", 1, [](const Record& record, double* out) { *out = record.position_violation; });
  add("constraints/velocity", 1, [](const Record& record, double* out) { *out = record.velocity_violation; });
  add("constraints/acceleration", 1,
      [](const Record& record, double* out) { *out = record.acceleration_violation; });
}

}  // namespace hooke
