#include "hooke/io/results/drawing_file.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "hooke/base/format.h"

namespace hooke {

using hdf5::Handle;

namespace {

constexpr std::size_t pose_width = 7;  // position, quaternion w x y z

void append(const FramePose& pose, std::vector<double>& row) {
  const Quat q(pose.R);
  row.insert(row.end(), {pose.p.x(), pose.p.y(), pose.p.z(), q.w(), q.x(), q.y(), q.z()});
}

FramePose pose_at(const double* row) {
  return {Quat(row[3], row[4], row[5], row[6]).normalized().toRotationMatrix(), Vec3(row[0], row[1], row[2])};
}

bool write_connections(hid_t file, const std::string& group, const std::vector<Drawing::Connection>& list) {
  std::vector<double> bodies, frames;
  for (const Drawing::Connection& item : list)
    for (std::size_t k = 0; k < 2; ++k) {
      bodies.push_back(item.bodies[k]);
      append(item.frames[k], frames);
    }
  return hdf5::write_numbers(file, group + "/bodies", bodies, 2) &&
         hdf5::write_numbers(file, group + "/frames", frames, 2 * pose_width);
}

/// What belongs together has as many entries.
void check_counts(hid_t file, const std::string& group, std::size_t count,
                  std::initializer_list<std::size_t> wanted) {
  for (const std::size_t one : wanted)
    if (one != count) hdf5::fail_damaged(file, group, "its parts do not fit together");
}

/// A number of something, from 0; -1: of none.
int index(hid_t file, const std::string& group, double value, std::size_t count) {
  if (!(value >= -1 && value < static_cast<double>(count)) || value != std::floor(value))
    hdf5::fail_damaged(file, group, formatted("{:g} is none of {}", value, count));
  return static_cast<int>(value);
}

std::vector<Drawing::Connection> read_connections(hid_t file, const std::string& group,
                                                  std::size_t of_bodies) {
  const std::vector<double> bodies = hdf5::read_numbers(file, group + "/bodies"),
                            frames = hdf5::read_numbers(file, group + "/frames");
  std::vector<Drawing::Connection> list(bodies.size() / 2);
  check_counts(file, group, bodies.size(), {2 * list.size(), frames.size() / pose_width});
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    list[i / 2].bodies[i % 2] = index(file, group, bodies[i], of_bodies);
    list[i / 2].frames[i % 2] = pose_at(&frames[pose_width * i]);
  }
  return list;
}

bool write_masses(hid_t file, const std::vector<MassProperties>& masses) {
  std::vector<double> mass, centre, inertia;
  for (const MassProperties& body : masses) {
    const Mat3& J = body.inertia;
    mass.push_back(body.mass);
    centre.insert(centre.end(), body.centre.begin(), body.centre.end());
    inertia.insert(inertia.end(), {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)});
  }
  return hdf5::write_numbers(file, "bodies/mass", mass) &&
         hdf5::write_numbers(file, "bodies/centre", centre, 3) &&
         hdf5::write_numbers(file, "bodies/inertia", inertia, 6);
}

std::vector<MassProperties> read_masses(hid_t file) {
  const std::vector<double> mass = hdf5::read_numbers(file, "bodies/mass"),
                            centre = hdf5::read_numbers(file, "bodies/centre"),
                            inertia = hdf5::read_numbers(file, "bodies/inertia");
  check_counts(file, "bodies", mass.size(), {centre.size() / 3, inertia.size() / 6});
  std::vector<MassProperties> masses(mass.size());
  for (std::size_t b = 0; b < mass.size(); ++b) {
    const double* J = &inertia[6 * b];
    masses[b] = {mass[b], Vec3(&centre[3 * b])};
    masses[b].inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  }
  return masses;
}

bool write_shapes(hid_t file, const std::vector<Drawing::Shape>& shapes) {
  const Handle group(H5Gcreate2(file, "shapes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  std::vector<std::string> types, colours;
  std::vector<double> bodies, sizes, poses, meshes;
  for (const Drawing::Shape& shape : shapes) {
    types.push_back(shape.type);
    colours.push_back(shape.colour);
    bodies.push_back(shape.body);
    meshes.push_back(shape.mesh);
    sizes.insert(sizes.end(), shape.size.begin(), shape.size.end());
    append(shape.pose, poses);
  }
  return group.is_valid() && hdf5::write_texts(group, "types", types) &&
         hdf5::write_texts(group, "colours", colours) && hdf5::write_numbers(group, "bodies", bodies) &&
         hdf5::write_numbers(group, "meshes", meshes) && hdf5::write_numbers(group, "sizes", sizes, 3) &&
         hdf5::write_numbers(group, "poses", poses, pose_width);
}

bool is_colour(const std::string& text) {
  return text.empty() || (text.size() == 7 && text[0] == '#' &&
                          text.find_first_not_of("0123456789abcdefABCDEF", 1) == text.npos);
}

std::vector<Drawing::Shape> read_shapes(hid_t file, std::size_t of_bodies, std::size_t of_meshes) {
  const std::vector<std::string> types = hdf5::read_texts(file, "shapes/types"),
                                 colours = hdf5::read_texts(file, "shapes/colours");
  const std::vector<double> bodies = hdf5::read_numbers(file, "shapes/bodies"),
                            meshes = hdf5::read_numbers(file, "shapes/meshes"),
                            sizes = hdf5::read_numbers(file, "shapes/sizes"),
                            poses = hdf5::read_numbers(file, "shapes/poses");
  const std::size_t count = types.size();
  check_counts(file, "shapes", count,
               {colours.size(), bodies.size(), meshes.size(), sizes.size() / 3, poses.size() / pose_width});
  std::vector<Drawing::Shape> shapes;
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_colour(colours[k])) hdf5::fail_damaged(file, "shapes/colours", "it holds what is no colour");
    shapes.push_back({index(file, "shapes/bodies", bodies[k], of_bodies), types[k], Vec3(&sizes[3 * k]),
                      pose_at(&poses[pose_width * k]), colours[k],
                      index(file, "shapes/meshes", meshes[k], of_meshes)});
  }
  return shapes;
}

std::string mesh_path(std::size_t number) { return formatted("meshes/{}", number); }

bool write_meshes(hid_t file, const std::vector<TriangleMesh>& meshes) {
  if (meshes.empty()) return true;
  const Handle all(H5Gcreate2(file, "meshes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  bool done = all.is_valid();
  for (std::size_t k = 0; k < meshes.size() && done; ++k) {
    const std::string path = mesh_path(k);
    const Handle group(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    done = group.is_valid() && write_mesh(group, meshes[k]);
  }
  return done;
}

std::vector<TriangleMesh> read_meshes(hid_t file) {
  std::vector<TriangleMesh> meshes;
  for (;;) {
    TriangleMesh mesh = read_mesh(file, mesh_path(meshes.size()));
    if (mesh.triangles.empty()) return meshes;
    meshes.push_back(std::move(mesh));
  }
}

}  // namespace

bool write_mesh(hid_t group, const TriangleMesh& mesh) {
  std::vector<double> points, triangles;
  for (const Vec3& point : mesh.points) points.insert(points.end(), point.begin(), point.end());
  for (const auto& triangle : mesh.triangles)
    triangles.insert(triangles.end(), triangle.begin(), triangle.end());
  return hdf5::write_numbers(group, "points", points, 3) &&
         hdf5::write_numbers(group, "triangles", triangles, 3);
}

TriangleMesh read_mesh(hid_t file, const std::string& group) {
  const std::vector<double> points = hdf5::read_numbers(file, group + "/points"),
                            triangles = hdf5::read_numbers(file, group + "/triangles");
  TriangleMesh mesh;
  const auto is_corner = [&](double k) { return k >= 0 && k < static_cast<double>(points.size() / 3); };
  if (!std::all_of(triangles.begin(), triangles.end(), is_corner))
    hdf5::fail_damaged(file, group, "a triangle has a corner that is not there");
  for (std::size_t k = 0; k + 2 < points.size(); k += 3) mesh.points.emplace_back(&points[k]);
  for (std::size_t k = 0; k + 2 < triangles.size(); k += 3)
    mesh.triangles.push_back({static_cast<int>(triangles[k]), static_cast<int>(triangles[k + 1]),
                              static_cast<int>(triangles[k + 2])});
  return mesh;
}

bool write_drawing(hid_t file, const Drawing& drawing) {
  const Vec3& g = drawing.gravity;
  return hdf5::write_numbers(file, "gravity", {g.x(), g.y(), g.z()}) && write_masses(file, drawing.masses) &&
         write_connections(file, "joints", drawing.joints) &&
         write_connections(file, "forces", drawing.forces) && write_shapes(file, drawing.shapes) &&
         write_meshes(file, drawing.meshes);
}

Drawing read_drawing(hid_t file) {
  const std::vector<double> gravity = hdf5::read_numbers(file, "gravity");
  const std::size_t bodies = hdf5::read_texts(file, "bodies/labels").size();
  Drawing drawing{gravity.size() == 3 ? Vec3(gravity.data()) : Vec3::Zero(), read_masses(file),
                  read_connections(file, "joints", bodies), read_connections(file, "forces", bodies)};
  drawing.meshes = read_meshes(file);
  drawing.shapes = read_shapes(file, bodies, drawing.meshes.size());
  return drawing;
}

}  // namespace hooke
