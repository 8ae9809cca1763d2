#include "hooke/view/vtk.h"

#include "hooke/base/format.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "hooke/base/error.h"
#include "hooke/view/markup.h"
#include "hooke/view/output_file.h"
#include "hooke/view/scene.h"
#include "hooke/view/surfaces.h"

// The XML formats of VTK (VTK User's Guide, "VTK File Formats"): the head names the arrays and where they
// start behind the `_` of AppendedData; each array is its size in bytes as a 64 bit number and then its
// bytes.
namespace hooke {
namespace {

enum CellType : std::uint8_t { line = 4 /* VTK_POLY_LINE */, triangle = 5 };

/// What does not change over the run.
struct Cells {
  std::vector<std::int64_t> connectivity, offsets;
  std::vector<std::uint8_t> types;
  std::vector<std::int32_t> bodies;

  void add(CellType type, const std::vector<std::int64_t>& corners, int body) {
    connectivity.insert(connectivity.end(), corners.begin(), corners.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    types.push_back(type);
    bodies.push_back(body);
  }
};

struct Picture {
  std::vector<float> points, displacement, velocity, radius;
  std::map<std::string, std::vector<float>> fields;
};

void append(const Vec3& v, std::vector<float>& numbers) {
  for (const double x : v) numbers.push_back(static_cast<float>(x));
}

class Series {
 public:
  explicit Series(const ResultsReader& results)
      : results_(results), scene_(make_scene(results)), times_(results.read("time")) {
    for (const Drawing::Shape& shape : scene_.drawing.shapes) {
      shapes_.push_back(triangles_of(shape, scene_.drawing.meshes));
      for (const auto& [a, b, c] : shapes_.back().triangles)
        cells_.add(triangle, {count_ + a, count_ + b, count_ + c}, shape.body);
      count_ += static_cast<std::int64_t>(shapes_.back().points.size());
    }
    for (const ResultsReader::Solid& solid : scene_.solids) {
      for (const auto& [a, b, c] : solid.mesh.triangles)
        cells_.add(triangle, {count_ + a, count_ + b, count_ + c}, body_named(solid.name));
      count_ += static_cast<std::int64_t>(solid.mesh.points.size());
      for (const ResultsReader::Solid::Field& field : solid.fields) fields_.insert(field.name);
    }
    for (const ResultsReader::Rod& rod : scene_.rods) {
      std::vector<std::int64_t> nodes;
      for (std::size_t k = 0; k < rod.nodes; ++k) nodes.push_back(count_++);
      cells_.add(line, nodes, body_named(rod.name));
    }
  }

  void write(std::size_t frame, const std::string& path) {
    Picture picture = draw(frame);
    if (first_.empty()) first_ = picture.points;
    for (std::size_t k = 0; k < first_.size(); ++k)
      picture.displacement.push_back(picture.points[k] - first_[k]);
    write_grid(picture, path);
  }

 private:
  int body_named(const std::string& name) const {
    const auto named = std::find(scene_.bodies.begin(), scene_.bodies.end(), name);
    return named == scene_.bodies.end() ? -1 : static_cast<int>(named - scene_.bodies.begin());
  }

  Picture draw(std::size_t frame) const {
    Picture picture;
    const std::vector<FramePose> poses = body_poses(results_, frame);
    const std::vector<double> v = results_.read_rows("bodies/velocity", frame, 1),
                              w = results_.read_rows("bodies/angular_velocity", frame, 1);
    if (v.size() != 3 * poses.size() || w.size() != v.size())
      throw Error(ExitCode::file, "the results are damaged: not all bodies have a velocity");
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const int body = scene_.drawing.shapes[s].body;
      const FramePose pose = body < 0 ? FramePose{} : poses[static_cast<std::size_t>(body)];
      for (const Vec3& point : shapes_[s].points) {
        const Vec3 arm = pose.R * point;
        append(pose.p + arm, picture.points);
        append(body < 0 ? zero3 : Vec3(&v[3 * body]) + Vec3(&w[3 * body]).cross(arm), picture.velocity);
        picture.radius.push_back(0);
      }
    }
    for (const std::string& name : fields_)
      picture.fields[name].assign(picture.radius.size(), std::numeric_limits<float>::quiet_NaN());
    add_deforming(frame, poses, picture);
    for (auto& [name, numbers] : picture.fields)
      numbers.resize(picture.radius.size(), std::numeric_limits<float>::quiet_NaN());
    return picture;
  }

  /// Nodes of all solids, then of all rods.
  std::vector<Vec3> nodes(std::size_t frame, const std::vector<FramePose>& poses) const {
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < scene_.solids.size(); ++k)
      for (const Vec3& point : solid_points(results_, scene_, k, frame, poses)) points.push_back(point);
    for (const ResultsReader::Rod& rod : scene_.rods)
      for (const FramePose& node : rod_poses(results_, rod, frame)) points.push_back(node.p);
    return points;
  }

  /// The results hold no velocities of nodes: they are the differences of their places in the outputs before
  /// and after. Fields that a solid does not have are nan there, as they are on everything else.
  void add_deforming(std::size_t frame, const std::vector<FramePose>& poses, Picture& picture) const {
    if (scene_.solids.empty() && scene_.rods.empty()) return;
    const std::size_t before = std::max<std::size_t>(frame, 1) - 1,
                      after = std::min(frame + 1, times_.size() - 1);
    const std::vector<Vec3> here = nodes(frame, poses), first = nodes(before, body_poses(results_, before)),
                            last = nodes(after, body_poses(results_, after));
    const double span = times_[after] - times_[before];
    for (std::size_t k = 0; k < here.size(); ++k) {
      append(here[k], picture.points);
      append(span > 0 ? Vec3((last[k] - first[k]) / span) : Vec3::Zero(), picture.velocity);
    }
    for (const ResultsReader::Solid& solid : scene_.solids) {
      picture.radius.resize(picture.radius.size() + solid.mesh.points.size(), 0);
      for (const ResultsReader::Solid::Field& field : solid.fields)
        for (const double value : results_.read_rows(field.path, frame, 1))
          picture.fields[field.name].push_back(static_cast<float>(value));
      for (auto& [name, numbers] : picture.fields)
        numbers.resize(picture.radius.size(), std::numeric_limits<float>::quiet_NaN());
    }
    for (const ResultsReader::Rod& rod : scene_.rods)
      picture.radius.resize(picture.radius.size() + rod.nodes, static_cast<float>(rod.radius));
  }

  void write_grid(const Picture& picture, const std::string& path) const {
    std::string data;
    const auto array = [&](const char* type, const std::string& name, int components, const auto& numbers) {
      const std::uint64_t size = numbers.size() * sizeof(numbers[0]);
      const std::string text = formatted(
          "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
          "offset=\"{}\"/>\n",
          type, escape_xml(name), components, data.size());
      data.append(reinterpret_cast<const char*>(&size), sizeof size);
      data.append(reinterpret_cast<const char*>(numbers.data()), size);
      return text;
    };
    std::string head = formatted(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        count_, cells_.types.size());
    head += "<Points>\n" + array("Float32", "position", 3, picture.points) + "</Points>\n<Cells>\n";
    head += array("Int64", "connectivity", 1, cells_.connectivity) +
            array("Int64", "offsets", 1, cells_.offsets) + array("UInt8", "types", 1, cells_.types);
    head += "</Cells>\n<PointData Vectors=\"displacement\">\n" +
            array("Float32", "displacement", 3, picture.displacement) +
            array("Float32", "velocity", 3, picture.velocity) + array("Float32", "radius", 1, picture.radius);
    for (const auto& [name, numbers] : picture.fields) head += array("Float32", name, 1, numbers);
    head += "</PointData>\n<CellData Scalars=\"body\">\n" + array("Int32", "body", 1, cells_.bodies) +
            "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
    OutputFile out(path);
    out.write(head);
    out.write(data);
    out.write("\n</AppendedData>\n</VTKFile>\n");
    out.close();
  }

  const ResultsReader& results_;
  Scene scene_;
  std::vector<double> times_;
  std::vector<TriangleMesh> shapes_;
  Cells cells_;
  std::set<std::string> fields_;
  std::int64_t count_ = 0;
  std::vector<float> first_;
};

}  // namespace

std::size_t export_vtk(const ResultsReader& results, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).replace_extension();
  const std::string stem = folder.filename().string();
  const std::vector<double> t = results.read("time");
  Series series(results);
  std::string list =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (std::size_t frame = 0; frame < results.frames(); ++frame) {
    const std::string name = formatted("{}_{:06}.vtu", stem, frame);
    series.write(frame, (folder / name).string());
    list += formatted("<DataSet timestep=\"{:.12g}\" part=\"0\" file=\"{}/{}\"/>\n", t[frame],
                      escape_xml(stem), escape_xml(name));
  }
  write_file(path, list + "</Collection>\n</VTKFile>\n");
  return results.frames();
}

}  // namespace hooke
